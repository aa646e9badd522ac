// What is known of one turn: its messages with their times, its audio, its words.

import {decode} from './decode.js';
import {Peaks} from './peaks.js';

export class Turn {
  constructor() {
    this.begun = performance.now();
    this.events = []; // {kind, at (ms from the beginning), …}
    this.chunks = []; // {id, text, from (seconds of audio before it), words}
    this.peaks = new Peaks();
    this.rate = 24000;
    this.seconds = 0;
    this.firstAudio = null; // ms
    this.usage = null;
    this.isOver = false;
  }

  now() {
    return performance.now() - this.begun;
  }

  note(kind, more = {}) {
    const event = {kind, at: this.now(), ...more};
    this.events.push(event);
    return event;
  }

  chunk(id) {
    return this.chunks.findLast((chunk) => chunk.id === id); // most often the last
  }

  // A message of the server; gives the samples that came with it, or null.
  take(message) {
    if (message.generation_started) {
      this.note('started', {text: message.text});
      this.chunks.push({id: message.chunk_id, text: message.text, from: this.seconds, words: null});
    } else if (message.audio) {
      return this.takeAudio(message);
    } else if (message.word_timestamps) {
      const chunk = this.chunk(message.chunk_id);
      if (chunk) chunk.words = message.word_timestamps;
    } else if (message.chunk_complete) {
      this.note('complete', {seconds: message.audio_seconds});
    } else if (message.final) {
      this.note('final');
    } else if (message.session_closed || message.context_closed) {
      this.note('closed');
      this.usage = message.usage || null;
      this.isOver = true;
    } else if (message.interrupted) {
      this.note('closed');
      this.usage = message.usage || this.usage;
      this.isOver = true;
    }
    return null;
  }

  takeAudio(message) {
    const samples = decode(message);
    const chunk = this.chunk(message.chunk_id);
    const seconds = samples.length / message.sr;
    if (this.firstAudio === null) this.firstAudio = this.now();
    if (chunk && chunk.begun === undefined) {
      chunk.begun = true;
      chunk.from = this.seconds;
    }
    this.rate = message.sr;
    this.peaks.add(samples, message.sr);
    this.note('audio', {seconds, from: this.seconds});
    this.seconds += seconds;
    return samples;
  }
}
