// /v1/convai/conversation: the microphone and typed words out; an agent's voice, and the words of both, in.

import {base64Of, explainClose, explainListening, refusalOf, socketAddress} from './server.js';

const UNSENT_MAX = 10 * 16000 * 2 * 4 / 3; // ten seconds of audio: by then nobody talks with anybody

// Those that are not sent unless they are asked for are the words while they are said or written, and the scores.
const EVENTS = ['audio', 'user_transcript', 'tentative_user_transcript', 'agent_response', 'agent_chat_response_part',
  'agent_response_correction', 'interruption', 'vad_score', 'ping'];

export class ConversationSocket {
  // settings: {agent, voice}; on: {message(json), sent(json), error(words, json), gone(words)}
  constructor(key, {agent, voice}, on) {
    const address = socketAddress('/v1/convai/conversation', key, {agent_id: agent});
    this.on = on;
    this.socket = new WebSocket(address);
    this.socket.onopen = () => {
      this.wasOpen = true;
      this.send({type: 'conversation_initiation_client_data', conversation_config_override: {
        conversation: {client_events: EVENTS}, ...(voice ? {tts: {voice_id: voice}} : {})}});
    };
    this.socket.onmessage = ({data}) => this.take(JSON.parse(data));
    this.socket.onclose = async ({code}) => {
      const refusal = this.wasOpen ? null : await refusalOf(address);
      on.gone(code === 1000 && this.wasOpen ? null : refusal ?? await explainClose(code, this.wasOpen, key));
    };
  }

  take(message) {
    if (message.type === 'ping') this.send({type: 'pong', event_id: message.ping_event.event_id});
    if (message.type !== 'error') return this.on.message(message);
    const {message: words, details} = message.error_event;
    this.on.error(explainListening({error: words, retry_after: details?.retry_after}), message);
  }

  send(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify(message));
    this.on.sent(message);
  }

  sendAudio(samples) {
    this.send({user_audio_chunk: base64Of(samples)});
  }

  sendText(text) {
    this.send({type: 'user_message', text});
  }

  get isTooSlow() {
    return this.socket.bufferedAmount > UNSENT_MAX;
  }

  close() {
    this.socket.close(1000);
  }
}
