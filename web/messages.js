// The raw messages, both ways, as they were; audio shown short.

const SHOWN_MAX = 500; // lines: a long turn has thousands of frames, and a page must stay quick

function shorten(message) {
  if (!message.audio) return message;
  return {...message, audio: `${message.audio.slice(0, 24)}… (${message.audio.length} characters)`};
}

export class Messages {
  constructor(list, count) {
    this.list = list;
    this.count = count;
    this.clear();
  }

  clear() {
    this.lines = [];
    this.list.textContent = '';
    this.count.textContent = '0';
    this.begun = performance.now();
  }

  add(isOut, message) {
    const at = (performance.now() - this.begun).toFixed(1);
    const text = JSON.stringify(shorten(message));
    const line = document.createElement('li');
    const time = document.createElement('time');
    this.lines.push(`${at} ms ${isOut ? '→' : '←'} ${text}`);
    this.count.textContent = String(this.lines.length);
    time.textContent = `${at} ms`;
    line.className = isOut ? 'out' : 'in';
    line.append(time, `${isOut ? '→' : '←'} ${text}`);
    this.list.append(line);
    if (this.list.childElementCount > SHOWN_MAX) this.list.firstElementChild.remove();
    if (this.list.closest('details').open) this.list.scrollTop = this.list.scrollHeight; // asking costs a layout
  }

  text() {
    return this.lines.join('\n');
  }
}
