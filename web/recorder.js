// Runs in the browser's audio thread: the microphone's samples as 16 bits, in pieces of one length.

class Recorder extends AudioWorkletProcessor {
  // length: of a piece; step: so many of the browser's samples become one, not always a whole number
  constructor({processorOptions: {length, step}}) {
    super();
    this.piece = new Int16Array(length);
    this.filled = 0;
    this.step = step;
    this.sum = 0;
    this.missing = step; // of the sample that is being made
    this.isOver = false;
    this.port.onmessage = () => { // the page wants what is left, and no more
      this.isOver = true;
      this.send(this.piece.slice(0, this.filled));
    };
  }

  send(piece) {
    this.port.postMessage({piece, isLast: this.isOver});
    this.filled = 0;
  }

  process([[channel]]) {
    if (this.isOver) return false;
    for (const value of channel ?? []) {
      const part = Math.min(1, this.missing); // the rest of it belongs to the next
      this.sum += value * part;
      this.missing -= part;
      if (this.missing > 1e-9) continue;
      this.piece[this.filled++] = Math.max(-32768, Math.min(32767, this.sum / this.step * 32768));
      this.sum = value * (1 - part);
      this.missing = this.step - (1 - part);
      if (this.filled === this.piece.length) this.send(this.piece.slice());
    }
    return true;
  }
}

registerProcessor('recorder', Recorder);
