// What was said, with its times, and as the texts and files that people take with them.

import {codeOfLanguage} from './languages.js';

// Subtitles as the server makes them: two lines of 42 signs, which can be read in seven seconds; a sentence that ends
// after twenty signs ends one.
const CUE_SIGNS = 84;
const CUE_SECONDS = 7;
const SENTENCE_SIGNS = 20;

// Times of words that are no numbers are those of a model that does not know them.
function wordOf({text, word, start, end}) {
  return {text: text ?? word, start, end};
}

function isTimed({start, end}) {
  return Number.isFinite(start) && Number.isFinite(end);
}

// A segment in parts, [text, word or null]: words where the text has them, in order, each with its punctuation, and
// what is between them.
export function partsOf({text, words}) {
  const parts = [];
  let at = 0;
  for (const word of words) {
    const found = text.indexOf(word.text, at);
    if (found < 0) continue;
    addBetween(parts, text.slice(at, found));
    parts.push([word.text, word]);
    at = found + word.text.length;
  }
  addBetween(parts, text.slice(at));
  return parts;
}

// A comma belongs to the word before it.
function addBetween(parts, text) {
  const [own] = parts.length ? /^\S*/.exec(text) : [''];
  if (own) parts.at(-1)[0] += own;
  if (text.length > own.length) parts.push([text.slice(own.length), null]);
}

// The same for subtitles, in which nothing stands alone.
function phrasesOf(segment) {
  const phrases = [];
  for (const [text, word] of partsOf(segment)) {
    if (word) phrases.push({text, start: word.start, end: word.end});
    else if (phrases.length) phrases.at(-1).text += text;
    else phrases.push({text, start: segment.start, end: segment.start});
  }
  return phrases;
}

function cuesOf(segment) {
  if (!segment.words.length) return [segment];
  const cues = [];
  for (const phrase of phrasesOf(segment)) {
    const cue = cues.at(-1);
    const said = cue?.text.trim() ?? '';
    const isFull = cue && (Array.from(`${cue.text}${phrase.text}`.trim()).length > CUE_SIGNS || phrase.end - cue.start > CUE_SECONDS ||
      (Array.from(said).length >= SENTENCE_SIGNS && /[.!?。！？؟]$/.test(said)));
    if (!cue || isFull) cues.push({...phrase});
    else Object.assign(cue, {text: cue.text + phrase.text, end: phrase.end});
  }
  return cues;
}

// 01:02:03,456
function clock(seconds, point) {
  const ms = Math.max(0, Math.round(seconds * 1000));
  const two = (value) => String(Math.floor(value)).padStart(2, '0');
  return `${two(ms / 3600000)}:${two(ms / 60000 % 60)}:${two(ms / 1000 % 60)}${point}${String(ms % 1000).padStart(3, '0')}`;
}

export class Transcript {
  constructor() {
    this.segments = []; // {text, start, end, words: [{text, start, end}], language}
    this.seconds = 0; // of audio
  }

  get wordCount() {
    return this.segments.reduce((sum, {text}) => sum + text.split(/\s+/).filter(Boolean).length, 0);
  }

  get language() {
    return this.segments.findLast(({language}) => language)?.language ?? '';
  }

  // Of the realtime socket.  A model without times of words leaves those of the segment to the page.
  addCommitted({text, words, language_code: language}, start, end) {
    const timed = (words ?? []).filter(({type = 'word'}) => type === 'word').map(wordOf).filter(isTimed);
    const segment = {text: text.trim(), words: timed, language, start: timed[0]?.start ?? start, end: timed.at(-1)?.end ?? end};
    this.segments.push(segment);
    return segment;
  }

  // Of a file: OpenAI's verbose_json, in which all words are one list.
  static ofJson({text = '', language = '', duration = 0, segments, words = []}) {
    const transcript = new Transcript();
    const code = codeOfLanguage(language ?? '');
    const timed = words.map(wordOf).filter(isTimed);
    const parts = segments?.length ? segments : text.trim() ? [{text, start: 0, end: duration}] : [];
    transcript.seconds = duration;
    transcript.segments = parts.map((part, i) => {
      const next = parts[i + 1]?.start ?? Infinity;
      const own = timed.filter(({start}) => start >= (i ? part.start : 0) && start < next);
      return {text: part.text.trim(), start: part.start, end: part.end, words: own, language: code};
    });
    return transcript;
  }

  text() {
    return this.segments.map(({text}) => `${text}\n`).join('');
  }

  srt() {
    return this.segments.flatMap(cuesOf).map(({text, start, end}, i) =>
      `${i + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${text.trim()}\n\n`).join('');
  }

  vtt() {
    const cues = this.segments.flatMap(cuesOf).map(({text, start, end}) =>
      `${clock(start, '.')} --> ${clock(end, '.')}\n${text.trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}\n\n`);
    return ['WEBVTT\n\n', ...cues].join('');
  }

  // As /v1/audio/transcriptions gives it, so that a program reads both.
  json() {
    const {segments, language} = this;
    return `${JSON.stringify({task: 'transcribe', language, duration: Number(this.seconds.toFixed(3)),
      text: segments.map(({text}) => text).join(' '),
      segments: segments.map(({text, start, end}, id) => ({id, start, end, text})),
      words: segments.flatMap(({words}) => words.map(({text: word, start, end}) => ({word, start, end})))}, null, 2)}\n`;
  }
}
