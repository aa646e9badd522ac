// /v1/speech-to-text/realtime: audio out, words in.

import {base64Of, explainClose, explainListening, refusalOf, socketAddress} from './server.js';

const UNSENT_MAX = 30; // seconds of audio: a network that is so far behind will not catch up
const WAITING_MAX = 500; // messages

export class ScribeSocket {
  // settings: {rate, model, language, pause}; on: {message(json), sent(json), error(words, json), gone(words)}
  constructor(key, {rate, model, language, pause}, on) {
    const address = socketAddress('/v1/speech-to-text/realtime', key, {
      commit_strategy: 'vad', vad_silence_threshold_secs: pause, include_timestamps: true,
      include_language_detection: true, include_voice_activity: true, // the rate is in each message
      ...(model ? {model_id: model} : {}), ...(language ? {language_code: language} : {})});
    this.rate = rate;
    this.on = on;
    this.waiting = []; // messages, until the connection is open: nobody waits with their first word
    this.socket = new WebSocket(address);
    this.socket.onopen = () => {
      this.wasOpen = true;
      for (const message of this.waiting.splice(0)) this.send(message);
    };
    this.socket.onmessage = ({data}) => {
      const message = JSON.parse(data);
      if (message.error) on.error(explainListening(message), message);
      else on.message(message);
    };
    this.socket.onclose = async ({code}) => {
      const refusal = this.wasOpen ? null : await refusalOf(address);
      on.gone(code === 1000 && this.wasOpen ? null : refusal ?? await explainClose(code, this.wasOpen, key));
    };
  }

  send(message) {
    const {readyState} = this.socket;
    if (readyState === WebSocket.CONNECTING) this.waiting.push(message);
    if (readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify(message));
    this.on.sent(message);
  }

  sendAudio(samples) {
    this.send({message_type: 'input_audio_chunk', audio_base_64: base64Of(samples), commit: false, sample_rate: this.rate});
  }

  // What was sent is made final, also without a pause.
  commit() {
    this.send({message_type: 'input_audio_chunk', audio_base_64: '', commit: true, sample_rate: this.rate});
  }

  get isTooSlow() {
    return this.waiting.length > WAITING_MAX || this.socket.bufferedAmount > UNSENT_MAX * this.rate * 2 * 4 / 3;
  }

  close() {
    this.socket.close(1000);
  }
}

// Why this server cannot listen, in its own words; null: it can.  A session that gets no audio costs nothing.
export function whyDeaf(key) {
  return new Promise((done) => {
    const socket = new ScribeSocket(key, {rate: 16000, pause: 1}, {
      message: () => {
        socket.close();
        done(null);
      },
      sent: () => {},
      error: done,
      gone: done,
    });
  });
}
