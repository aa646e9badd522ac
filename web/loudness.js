// When somebody began to speak and when they fell silent, by the level of the microphone alone: the server's own
// judgement comes over the network, and later than that.

const BLOCKS = 4; // of a piece: so much finer than pieces the times are
const LEAST = 0.004; // of full scale: quieter is silence in any room
const OVER_NOISE = 4;
const UNDER_VOICE = 0.05; // the last sound of a word is this much quieter than its loudest
const NOISE_RISES = 1.002; // each block: a room may become louder
const VOICE_FADES = 0.999;
const PAUSE_MS = 300; // shorter ones are between words

export class Loudness {
  constructor() {
    this.noise = 1;
    this.voice = 0;
    this.beganAt = null; // the last sound after a pause; as performance.now()
    this.endedAt = null; // of the last sound until now
  }

  // The last of the samples was heard at `now`.
  add(samples, rate, now) {
    const length = Math.ceil(samples.length / BLOCKS);
    for (let from = 0; from < samples.length; from += length) {
      const block = samples.subarray(from, from + length);
      const level = Math.sqrt(block.reduce((sum, sample) => sum + sample * sample, 0) / block.length) / 32768;
      this.addBlock(level, now - (samples.length - from - block.length) / rate * 1000, block.length / rate * 1000);
    }
  }

  addBlock(level, at, ms) {
    this.noise = Math.min(level, Math.max(this.noise, 0.0001) * NOISE_RISES);
    this.voice = Math.max(level, this.voice * VOICE_FADES);
    if (level < Math.max(LEAST, this.noise * OVER_NOISE, this.voice * UNDER_VOICE)) return;
    if (this.endedAt === null || at - this.endedAt > PAUSE_MS) this.beganAt = at - ms;
    this.endedAt = at;
  }
}
