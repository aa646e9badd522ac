// The last seconds of the microphone: how loud it was, and when somebody spoke.

import {begin, colour} from './draw.js';

const SHOWN_SECONDS = 20;
const QUIETEST_DB = -60; // at the bottom
const STEP_SECONDS = 5; // between the marks of the scale

export class Strip {
  constructor(canvas) {
    this.canvas = canvas;
    this.clear();
  }

  clear() {
    this.levels = []; // {from, to, level}: of the pieces that are in sight, in seconds
    this.spans = []; // {from, to}: speech; the last may be open, its end null
    this.seconds = 0;
    this.draw();
  }

  // level: 0 to 1
  add(seconds, level) {
    this.levels.push({from: this.seconds, to: this.seconds + seconds, level});
    this.seconds += seconds;
    while (this.levels[0].to < this.seconds - SHOWN_SECONDS) this.levels.shift();
    while (this.spans.length && this.spans[0].to !== null && this.spans[0].to < this.seconds - SHOWN_SECONDS) this.spans.shift();
    this.draw();
  }

  get isSpeech() {
    return this.spans.at(-1)?.to === null;
  }

  begin(at) {
    if (!this.isSpeech) this.spans.push({from: at, to: null});
    this.draw();
  }

  end(at) {
    if (this.isSpeech) this.spans.at(-1).to = Math.max(at, this.spans.at(-1).from);
    this.draw();
  }

  isSpoken(at) {
    return this.spans.some(({from, to}) => at >= from && (to === null || at < to));
  }

  draw() {
    const [context, width, height] = begin(this.canvas);
    const size = parseFloat(getComputedStyle(this.canvas).fontSize);
    const floor = height - 1.5 * size; // above the scale
    const first = Math.max(0, this.seconds - SHOWN_SECONDS);
    const x = (seconds) => (seconds - first) / SHOWN_SECONDS * width;
    const spoken = colour('accent');
    const quiet = colour('quiet');
    for (const {from, to, level} of this.levels) {
      const share = Math.max(0, 1 - 20 * Math.log10(Math.max(level, 1e-6)) / QUIETEST_DB);
      const tall = Math.max(1, share * (floor - 6));
      context.fillStyle = this.isSpoken(from) ? spoken : quiet;
      context.fillRect(x(from), floor - 5 - tall, Math.max(1, x(to) - x(from) - 0.5), tall);
    }
    context.fillStyle = spoken; // a line under speech as well: not everybody sees its colour
    for (const {from, to} of this.spans) context.fillRect(x(from), floor - 3, x(to ?? this.seconds) - x(from), 3);
    this.drawScale(context, x, first, height, size);
  }

  drawScale(context, x, first, height, size) {
    context.font = `${size}px system-ui, sans-serif`;
    context.textBaseline = 'bottom';
    context.fillStyle = colour('faint');
    for (let at = Math.ceil(first / STEP_SECONDS) * STEP_SECONDS; at < first + SHOWN_SECONDS; at += STEP_SECONDS) {
      context.fillRect(x(at), height - 1.5 * size, 1, 4);
      context.fillText(`${Math.floor(at / 60)}:${String(at % 60).padStart(2, '0')}`, x(at) + 3, height);
    }
  }
}
