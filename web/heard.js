// The words that were heard: on the page, and as text, subtitles or JSON to take along.

import {copyText} from './copy.js';
import {watchTabs} from './tabs.js';
import {Transcript, partsOf} from './transcript.js';

const byId = (id) => document.getElementById(id);

const OUTPUTS = {
  text: {make: (transcript) => transcript.text(), ending: 'txt', type: 'text/plain'},
  srt: {make: (transcript) => transcript.srt(), ending: 'srt', type: 'application/x-subrip'},
  vtt: {make: (transcript) => transcript.vtt(), ending: 'vtt', type: 'text/vtt'},
  json: {make: (transcript) => transcript.json(), ending: 'json', type: 'application/json'},
};

// 1:02.3
export function timeOf(seconds) {
  const tenths = Math.round(seconds * 10);
  return `${Math.floor(tenths / 600)}:${String(Math.floor(tenths / 10) % 60).padStart(2, '0')}.${tenths % 10}`;
}

export class Heard {
  constructor() {
    this.output = 'text';
    this.name = 'transcript'; // of the file that is downloaded
    this.clear();
    byId('listen-times').addEventListener('input', () =>
      byId('listen-text').classList.toggle('with-times', byId('listen-times').checked));
    byId('output-copy').addEventListener('click', () => copyText(byId('output').textContent, byId('output-copy')));
    byId('output-download').addEventListener('click', () => this.download());
    watchTabs([...document.querySelectorAll('[data-output]')], (tab) => {
      this.output = tab.dataset.output;
      this.showOutput();
    });
  }

  clear(name = 'transcript') {
    this.name = name;
    this.show(new Transcript());
  }

  // A whole transcript at once.
  show(transcript) {
    this.transcript = transcript;
    byId('listen-text').replaceChildren();
    this.setPartial('');
    for (const segment of transcript.segments) this.add(segment);
    this.showOutput();
  }

  // One more segment of the transcript; what was shown of it while it was said goes.
  add(segment) {
    const place = byId('listen-text');
    const isAtEnd = place.scrollTop + place.clientHeight >= place.scrollHeight - 8; // else somebody reads
    const line = document.createElement('p');
    const time = document.createElement('time');
    const words = document.createElement('span');
    line.dir = 'auto';
    if (segment.language) line.lang = segment.language;
    time.textContent = timeOf(segment.start);
    time.title = `${timeOf(segment.start)} to ${timeOf(segment.end)}`;
    words.append(...partsOf(segment).map(([text, word]) => {
      if (!word) return text;
      const element = document.createElement('span');
      element.className = 'word';
      element.textContent = text;
      element.dataset.at = timeOf(word.start);
      element.title = `${word.start.toFixed(2)} to ${word.end.toFixed(2)} s`;
      return element;
    }));
    line.append(time, words);
    place.append(line);
    if (isAtEnd) place.scrollTop = place.scrollHeight;
    byId('listen-empty').hidden = true;
  }

  setPartial(text) {
    byId('listen-partial').textContent = text;
    byId('listen-empty').hidden = Boolean(text) || this.transcript.segments.length > 0;
  }

  showOutput() {
    const isEmpty = !this.transcript.segments.length;
    byId('output').textContent = isEmpty ? '' : OUTPUTS[this.output].make(this.transcript);
    for (const id of ['output-copy', 'output-download']) byId(id).disabled = isEmpty;
  }

  download() {
    const {make, ending, type} = OUTPUTS[this.output];
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([make(this.transcript)], {type}));
    link.download = `${this.name}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000); // the browser has begun to read it by then
  }
}
