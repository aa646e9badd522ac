// The waveform and the timeline of a turn, on canvases.

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// A context with one unit a CSS pixel, cleared; [context, width, height].
export function begin(canvas) {
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

export function drawWaveform(canvas, turn, heard) {
  const [context, width, height] = begin(canvas);
  if (!turn) return;
  const {peaks} = turn;
  const seconds = Math.max(peaks.seconds, 2);
  const played = colour('accent');
  const coming = colour('faint');
  for (let x = 0; x < width; ++x) {
    const from = x / width * seconds;
    if (from >= peaks.seconds) break;
    const tall = Math.max(1, peaks.between(from, (x + 1) / width * seconds) * height);
    context.fillStyle = from < heard ? played : coming;
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
  const last = Math.max(500, turn.events.at(-1)?.at ?? 0, playedFrom === null ? 0 : playedFrom + heard * 1000);
  const x = (ms) => LEFT + ms / last * (width - LEFT - 4);
  drawScale(context, x, last, width, height);
  const colours = Object.fromEntries(LANES.map((lane) => [lane, colour(lane)]));
  const drawn = {}; // by lane, the last pixel: a long turn has many marks on each
  for (const {kind, at} of turn.events) {
    const pixel = Math.round(x(at));
    if (drawn[kind] === pixel) continue;
    drawn[kind] = pixel;
    context.fillStyle = colours[kind];
    context.fillRect(x(at), LANES.indexOf(kind) * tall + 3, kind === 'audio' || kind === 'sent' ? 1.5 : 3, tall - 6);
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
