// Plays what comes, without gaps, and knows what has been heard.

const HEAD_START = 0.03; // seconds between the first frame and its sound: the browser's own buffer
const AHEAD = 10; // seconds that the browser has, so that a page that is busy or out of sight is not heard to be

// How long a browser may take to start the sound: a loudspeaker without a wire takes seconds
// to wake up.  One that nobody has clicked in waits for that, and says so by silence alone.
const WAKE_MS = 5000;
const UNTOUCHED_MS = 500;

export class SoundBlocked extends Error {
  constructor() {
    super('The browser keeps the page silent. Click once more, or allow sound for this page in its settings.');
  }
}

const contexts = new Map(); // by sample rate, so that no piece is resampled by itself

function makeContext(rate) {
  try {
    return new AudioContext({sampleRate: rate});
  } catch {
    throw new SoundBlocked(); // extensions take it away, or there are too many
  }
}

async function contextOf(rate) {
  const context = contexts.get(rate) ?? makeContext(rate);
  contexts.set(rate, context);
  if (context.state !== 'running') {
    const patience = navigator.userActivation?.hasBeenActive === false ? UNTOUCHED_MS : WAKE_MS;
    await Promise.race([context.resume().catch(() => {}), new Promise((done) => setTimeout(done, patience))]);
    if (context.state !== 'running') throw new SoundBlocked();
  }
  return context;
}

export class Player {
  // pan: -1 left, 0 both, 1 right
  static async open(rate, pan = 0) {
    return Player.of(await contextOf(rate), pan);
  }

  static of(context, pan = 0) {
    const player = new Player();
    player.rate = context.sampleRate;
    player.context = context;
    player.gain = context.createGain();
    player.analyser = player.context.createAnalyser();
    player.panner = player.context.createStereoPanner();
    player.panner.pan.value = pan;
    player.panner.connect(player.gain);
    player.gain.connect(player.analyser);
    player.analyser.connect(player.context.destination);
    player.waiting = []; // samples, for later
    player.runs = []; // {at, from, seconds}: without a gap; at the context's clock, from the audio's start
    player.sources = new Set();
    player.planned = 0; // seconds that the browser has
    player.next = 0; // when those are over
    player.holes = 0; // how often it ran dry
    player.stoppedAt = null;
    player.onEmpty = null; // called when all that has come was played
    return player;
  }

  // Another one, for what follows when this one is stopped.
  another() {
    const player = Player.of(this.context, this.panner.pan.value);
    player.onEmpty = this.onEmpty;
    return player;
  }

  add(samples) {
    this.waiting.push(samples);
    this.plan();
  }

  // A browser that has thousands of pieces at once stutters, so it gets the next ones only.
  plan() {
    while (this.waiting.length && this.next < this.context.currentTime + AHEAD) this.start(this.waiting.shift());
  }

  start(samples) {
    const buffer = this.context.createBuffer(1, samples.length, this.rate);
    buffer.copyToChannel(Float32Array.from(samples, (sample) => sample / 32768), 0);
    const source = this.context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.panner);
    this.join();
    source.start(this.next);
    source.onended = () => {
      this.sources.delete(source);
      this.plan();
      if (!this.sources.size && this.stoppedAt === null) this.onEmpty?.();
    };
    this.sources.add(source);
    const seconds = samples.length / this.rate;
    this.runs.at(-1).seconds += seconds;
    this.next += seconds;
    this.planned += seconds;
  }

  // The next piece follows the last, or begins anew when that is over.
  join() {
    const now = this.context.currentTime;
    if (this.next >= now + 0.001) return;
    if (this.runs.length) this.holes += 1;
    this.next = now + HEAD_START;
    this.runs.push({at: this.next, from: this.planned, seconds: 0});
  }

  // Seconds of the audio that a listener has heard by now.
  heard() {
    if (this.stoppedAt !== null) return this.stoppedAt;
    const now = this.context.currentTime - (this.context.outputLatency || 0);
    const run = this.runs.findLast(({at}) => now >= at);
    return run ? run.from + Math.min(now - run.at, run.seconds) : 0;
  }

  get hasBegun() {
    return this.runs.length > 0;
  }

  get isPlaying() {
    return this.waiting.length > 0 || (this.hasBegun && this.context.currentTime < this.next);
  }

  // When the first sound after the last silence leaves the loudspeaker; as performance.now().
  get lastBeganAt() {
    return performance.now() + (this.runs.at(-1).at + (this.context.outputLatency || 0) - this.context.currentTime) * 1000;
  }

  // For good: the next turn has another player.  seconds: how long it fades, so that it does not click.
  stop(seconds = 0) {
    const end = this.context.currentTime + seconds;
    this.stoppedAt = this.heard();
    this.waiting = [];
    if (seconds) this.gain.gain.setValueAtTime(1, this.context.currentTime).linearRampToValueAtTime(0, end);
    for (const source of this.sources) source.stop(end);
    this.sources.clear();
    this.next = 0;
    if (seconds) setTimeout(() => this.analyser.disconnect(), seconds * 1000);
    else this.analyser.disconnect();
  }

  // How loud it is now, 0 to 1: what leaves for the loudspeaker.
  level() {
    const wave = new Float32Array(this.analyser.fftSize);
    this.analyser.getFloatTimeDomainData(wave);
    return wave.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  }
}
