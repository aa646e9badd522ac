// The microphone: pieces of 16-bit samples, or the reason why there are none.

const WANTED_RATE = 16000; // that of the server's models
const RATE_MAX = 48000; // that it takes
const LAST_MS = 500; // how long the last piece is waited for when the browser's audio does not run any more

const REASONS = {
  NotAllowedError: (button) => `The browser does not let this page use the microphone. Allow it next to the address, and press ${button} again.`,
  NotFoundError: () => 'There is no microphone, or the browser does not see it.',
  NotReadableError: () => 'The microphone does not work, or another program uses it.',
};

function explainMicrophone(error, {button, instead}) {
  return `${REASONS[error.name]?.(button) ?? `The microphone cannot be used: ${error.message}.`} ${instead}`;
}

// The loudest of them, 0 to 1.
function levelOf(samples) {
  return samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0) / 32768;
}

// Firefox takes a microphone only at the rate that it has.  wants: as Microphone.open has it.
async function startRecorder(stream, rate, wants) {
  const context = new AudioContext(rate ? {sampleRate: rate} : {});
  try {
    await context.audioWorklet.addModule('/web/recorder.js');
    const source = context.createMediaStreamSource(stream);
    const step = wants.isExact ? context.sampleRate / WANTED_RATE : Math.ceil(context.sampleRate / RATE_MAX);
    const taken = Math.round(context.sampleRate / step);
    const recorder = new AudioWorkletNode(context, 'recorder', {numberOfOutputs: 0, channelCount: 1,
      channelCountMode: 'explicit', processorOptions: {length: Math.round(taken * wants.seconds), step}});
    source.connect(recorder);
    await context.resume();
    return {context, source, recorder, rate: taken};
  } catch (error) {
    context.close();
    throw error;
  }
}

export class Microphone {
  // wants: {seconds, isExact, button, instead}: the length of a piece; whether its rate must be WANTED_RATE, because the
  // server takes no other there; the name of the button that was pressed, and what can be done without a microphone.
  // on: {piece(samples, level), lost(words)}.  Waits until the person has allowed it; throws in words if they do not.
  static async open(wants, on) {
    if (!navigator.mediaDevices?.getUserMedia)
      throw new Error(`Browsers allow the microphone only for https and for localhost. Open this page as https, or on the server’s own machine as http://localhost${location.port ? `:${location.port}` : ''}/. ${wants.instead}`);
    const microphone = new Microphone();
    microphone.on = on;
    try {
      microphone.stream = await navigator.mediaDevices.getUserMedia({audio: {channelCount: 1, echoCancellation: true,
        noiseSuppression: true, autoGainControl: true}});
    } catch (error) {
      throw new Error(explainMicrophone(error, wants));
    }
    try {
      Object.assign(microphone, await startRecorder(microphone.stream, WANTED_RATE, wants)
        .catch(() => startRecorder(microphone.stream, null, wants)));
    } catch (error) {
      microphone.release();
      throw new Error(explainMicrophone(error, wants));
    }
    microphone.stream.getAudioTracks()[0].onended = () => on.lost('The microphone is gone: it was unplugged, or its permission was taken away.');
    microphone.last = new Promise((done) => {
      microphone.recorder.port.onmessage = ({data: {piece, isLast}}) => {
        if (piece.length) on.piece(piece, levelOf(piece));
        if (isLast) done();
      };
    });
    return microphone;
  }

  // Everything that was said until now is passed on first.
  async stop() {
    this.recorder.port.postMessage('end');
    await Promise.race([this.last, new Promise((done) => setTimeout(done, LAST_MS))]);
    this.release();
  }

  // A muted one is heard as silence.
  mute(isMuted) {
    for (const track of this.stream.getTracks()) track.enabled = !isMuted;
  }

  release() {
    for (const track of this.stream.getTracks()) track.stop(); // the browser's sign of a microphone goes out
    this.context?.close();
    this.context = null;
  }
}
