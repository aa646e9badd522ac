// The raw messages, both ways, as they were; audio shown short.

const SHOWN_MAX = 500; // lines: a long turn has thousands of frames, and a page must stay quick

const AUDIO = ['audio', 'audio_base_64', 'user_audio_chunk']; // wherever a vendor has it

function shorten(name, value) {
  return AUDIO.includes(name) && value ? `${value.slice(0, 24)}… (${value.length} characters)` : value;
}

// Of these many come each second, and those that follow the first need no line.
function kindOf(message) {
  if (message.audio_base_64 || message.user_audio_chunk) return 'microphone';
  return ['audio', 'vad_score'].includes(message.type) ? message.type : null;
}

export class Messages {
  constructor(list, count) {
    this.list = list;
    this.count = count;
    this.clear();
  }

  clear() {
    this.lines = [];
    this.total = 0;
    this.repeated = new Map(); // kind -> {line, index, at, text, more}: the last lines, if more of them may come
    this.list.textContent = '';
    this.count.textContent = '0';
    this.begun = performance.now();
  }

  add(isOut, message) {
    const at = `${(performance.now() - this.begun).toFixed(1)} ms `;
    const text = `${isOut ? '→' : '←'} ${JSON.stringify(message, (name, value) => typeof value === 'string' ? shorten(name, value) : value)}`;
    this.count.textContent = String(++this.total);
    const kind = kindOf(message);
    if (kind && this.repeated.has(kind)) return this.repeat(this.repeated.get(kind));
    if (!kind) this.repeated.clear();
    const line = document.createElement('li');
    const time = document.createElement('time');
    if (kind) this.repeated.set(kind, {line, index: this.lines.length, at, text, more: 0});
    this.lines.push(at + text);
    time.textContent = at;
    line.className = isOut ? 'out' : 'in';
    line.append(time, text);
    this.list.append(line);
    if (this.list.childElementCount > SHOWN_MAX) this.list.firstElementChild.remove();
    if (this.list.closest('details').open) this.list.scrollTop = this.list.scrollHeight; // asking costs a layout
  }

  repeat(last) {
    const all = `${last.text} and ${++last.more} more`;
    last.line.lastChild.data = all;
    this.lines[last.index] = last.at + all;
  }

  text() {
    return this.lines.join('\n');
  }
}
