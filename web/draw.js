// The waveform and the timeline of a turn, on canvases.

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// A context with one unit a CSS pixel, cleared; [context, width, height].
function begin(canvas) {
  const {width, height} = canvas.getBoundingClientRect();
  const scale = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return [context, width, height];
}

const PEAK_SECONDS = 0.01;

// The loudest of each hundredth of a second, kept with the turn.
function peaksOf(turn) {
  const peaks = turn.peaks || (turn.peaks = {list: [], pieces: 0, left: 0, most: 0});
  const each = Math.max(1, Math.round(turn.rate * PEAK_SECONDS));
  for (; peaks.pieces < turn.samples.length; ++peaks.pieces) {
    for (const sample of turn.samples[peaks.pieces]) {
      peaks.most = Math.max(peaks.most, Math.abs(sample));
      if (++peaks.left < each) continue;
      peaks.list.push(peaks.most);
      peaks.left = 0;
      peaks.most = 0;
    }
  }
  return peaks.list;
}

export function drawWaveform(canvas, turn, heard) {
  const [context, width, height] = begin(canvas);
  if (!turn) return;
  const peaks = peaksOf(turn);
  const seconds = Math.max(peaks.length * PEAK_SECONDS, 2);
  const played = colour('accent');
  const coming = colour('faint');
  for (let x = 0; x < width; ++x) {
    const from = Math.floor(x / width * seconds / PEAK_SECONDS);
    const to = Math.max(from + 1, Math.floor((x + 1) / width * seconds / PEAK_SECONDS));
    const peak = Math.max(0, ...peaks.slice(from, to));
    if (from >= peaks.length) break;
    const tall = Math.max(1, peak * height);
    context.fillStyle = from * PEAK_SECONDS < heard ? played : coming;
    context.fillRect(x, (height - tall) / 2, 1, tall);
  }
}

const LANES = ['sent', 'started', 'audio', 'complete', 'final', 'closed'];
const LABELS = {sent: 'text', started: 'started', audio: 'audio', complete: 'complete', final: 'final', closed: 'closed', heard: 'heard'};
const LEFT = 70; // for the names of the lanes

export function drawTimeline(canvas, turn, playedFrom, heard) {
  const [context, width, height] = begin(canvas);
  const lanes = [...LANES, 'heard'];
  const tall = (height - 18) / lanes.length;
  context.font = '12px system-ui, sans-serif';
  context.textBaseline = 'middle';
  context.fillStyle = colour('faint');
  lanes.forEach((lane, i) => context.fillText(LABELS[lane], 0, (i + 0.5) * tall));
  if (!turn) return;
  const last = Math.max(500, ...turn.events.map((event) => event.at), playedFrom === null ? 0 : playedFrom + heard * 1000);
  const x = (ms) => LEFT + ms / last * (width - LEFT - 4);
  drawScale(context, x, last, width, height);
  for (const event of turn.events) {
    const lane = LANES.indexOf(event.kind);
    context.fillStyle = colour(event.kind);
    context.fillRect(x(event.at), lane * tall + 3, event.kind === 'audio' || event.kind === 'sent' ? 1.5 : 3, tall - 6);
  }
  if (playedFrom !== null) {
    context.fillStyle = colour('heard');
    context.fillRect(x(playedFrom), LANES.length * tall + 3, x(playedFrom + heard * 1000) - x(playedFrom), tall - 6);
  }
}

const MARK_WIDTH = 60; // of “10000 ms”, and room beside it

function drawScale(context, x, last, width, height) {
  const marks = Math.min(8, (width - LEFT) / MARK_WIDTH);
  const step = [50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000].find((ms) => last / ms <= marks) || 120000;
  context.fillStyle = colour('faint');
  context.strokeStyle = colour('line');
  for (let ms = 0; ms <= last; ms += step) {
    context.beginPath();
    context.moveTo(x(ms), 0);
    context.lineTo(x(ms), height - 16);
    context.stroke();
    const words = step < 1000 ? `${ms} ms` : `${ms / 1000} s`;
    if (x(ms) + 2 + context.measureText(words).width <= width) context.fillText(words, x(ms) + 2, height - 8);
  }
}
