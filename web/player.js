// Plays what comes, without gaps, and knows what has been heard.

const HEAD_START = 0.03; // seconds between the first frame and its sound: the browser's own buffer

export class SoundBlocked extends Error {}

const contexts = new Map(); // by sample rate, so that no piece is resampled by itself

async function contextOf(rate) {
  let context = contexts.get(rate);
  if (!context) {
    context = new AudioContext({sampleRate: rate});
    contexts.set(rate, context);
  }
  if (context.state !== 'running') {
    await Promise.race([context.resume(), new Promise((done) => setTimeout(done, 500))]);
    if (context.state !== 'running') throw new SoundBlocked();
  }
  return context;
}

export class Player {
  // pan: -1 left, 0 both, 1 right
  static async open(rate, pan = 0) {
    const player = new Player();
    player.rate = rate;
    player.context = await contextOf(rate);
    player.analyser = player.context.createAnalyser();
    player.panner = player.context.createStereoPanner();
    player.panner.pan.value = pan;
    player.panner.connect(player.analyser);
    player.analyser.connect(player.context.destination);
    player.pieces = []; // {at, from, seconds}: at the context's clock, from the audio's start
    player.sources = new Set();
    player.seconds = 0; // that have come
    player.next = 0;
    player.holes = 0; // how often it ran dry
    return player;
  }

  add(samples) {
    const buffer = this.context.createBuffer(1, samples.length, this.rate);
    buffer.copyToChannel(samples, 0);
    const source = this.context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.panner);
    const now = this.context.currentTime;
    if (this.next < now + 0.001) {
      if (this.pieces.length) this.holes += 1;
      this.next = now + HEAD_START;
    }
    source.start(this.next);
    source.onended = () => this.sources.delete(source);
    this.sources.add(source);
    const piece = {at: this.next, from: this.seconds, seconds: samples.length / this.rate};
    this.pieces.push(piece);
    this.next += piece.seconds;
    this.seconds += piece.seconds;
  }

  // Seconds of the audio that a listener has heard by now.
  heard() {
    const now = this.context.currentTime - (this.context.outputLatency || 0);
    for (let i = this.pieces.length - 1; i >= 0; --i) {
      const piece = this.pieces[i];
      if (now >= piece.at) return piece.from + Math.min(now - piece.at, piece.seconds);
    }
    return 0;
  }

  get isPlaying() {
    return this.pieces.length > 0 && this.context.currentTime < this.next;
  }

  stop() {
    for (const source of this.sources) source.stop();
    this.sources.clear();
    this.next = 0;
  }

  // How loud it is now, 0 to 1: what leaves for the loudspeaker.
  level() {
    const wave = new Float32Array(this.analyser.fftSize);
    this.analyser.getFloatTimeDomainData(wave);
    return wave.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  }
}
