// A conversation by microphone: what is said and heard, who speaks, and how long each turn took.

import {ConversationSocket} from './conversation.js';
import {decode} from './decode.js';
import {Loudness} from './loudness.js';
import {Microphone} from './microphone.js';
import {Player} from './player.js';

const MICROPHONE = {seconds: 0.032, isExact: true, button: 'Talk', instead: 'You can also type.'};
const FADE_SECONDS = 0.04; // of an agent that is interrupted
const ENCODINGS = {pcm: 'pcm_s16le', ulaw: 'mulaw'};

// What takes a message, and where what it says is, if its name is not that of the type.
const TAKES = {conversation_initiation_metadata: ['takeStart'], ping: ['takePing'], vad_score: ['takeScore'], audio: ['takeAudio'],
  tentative_user_transcript: ['takePartial', 'tentative_user_transcription_event'],
  user_transcript: ['takeWords', 'user_transcription_event'], agent_chat_response_part: ['takePart', 'text_response_part'],
  agent_response: ['takeAnswer'], interruption: ['takeInterruption'], agent_response_correction: ['takeCorrection']};

export class Call {
  // settings: {key, agent, voice}
  // on: {state(name), piece(seconds, level), score(probability), partial(text), user(text), began(), part(text), said(text),
  //      took({words, sound, total}), cut(ms), corrected(written, heard), ping(ms), message(isOut, json), trouble(words, json), over(words)}
  constructor(settings, on) {
    this.settings = settings;
    this.on = on;
    this.isOver = false;
    this.isOpen = false; // the agent is there
    this.player = null;
    this.early = []; // audio that came before the browser's sound was there
    this.event = 0; // of the answer that is being heard
    this.cutEvent = 0; // of the last one that was interrupted: what still comes of it is not heard
    this.turn = null; // {from, wordsAt, isTyped}, until its first sound
    this.typedAt = null;
    this.isAnswered = true; // the agent has nothing more to say
    this.loudness = new Loudness();
  }

  // Asks for the microphone first: an agent that greets is to be heard, and answered.
  async begin() {
    this.setState('waiting');
    const microphone = await Microphone.open(MICROPHONE, {
      piece: (samples, level) => this.hear(samples, level),
      lost: (words) => this.end(words),
    });
    if (this.isOver) return microphone.release();
    this.microphone = microphone;
    this.setState('connecting');
    this.socket = new ConversationSocket(this.settings.key, this.settings, {
      message: (message) => !this.isOver && this.take(message),
      sent: (message) => this.on.message(true, message),
      error: (words, message) => !this.isOver && this.takeError(words, message),
      gone: (words) => this.end(this.trouble ? null : words), // which has been told
    });
  }

  // words: what went wrong; null: it ends because somebody wants it to.
  end(words = null) {
    if (this.isOver) return;
    this.isOver = true;
    this.microphone?.release();
    this.socket?.close();
    this.player?.stop(FADE_SECONDS);
    this.on.over(words);
  }

  setState(name) {
    if (!this.isOver && name !== this.state) this.on.state(this.state = name);
  }

  // What the caller says

  hear(samples, level) {
    if (this.isOver) return;
    const {rate} = this.microphone;
    this.loudness.add(samples, rate, performance.now());
    if (this.isOpen) this.socket.sendAudio(samples);
    this.on.piece(samples.length / rate, level);
    if (this.socket?.isTooSlow) this.end('The connection is too slow for the sound of the microphone.');
  }

  type(text) {
    this.typedAt = performance.now();
    this.turn = {from: this.typedAt, wordsAt: this.typedAt, isTyped: true};
    this.isAnswered = false;
    this.socket.sendText(text);
    if (!this.player?.isPlaying) this.setState('thinking');
  }

  // What the server says

  take(message) {
    this.on.message(false, message);
    const [take, event] = TAKES[message.type] ?? [];
    if (take) this[take](message[event ?? `${message.type}_event`]);
  }

  takeError(words, message) {
    this.on.message(false, message);
    this.trouble = words;
    this.isAnswered = true;
    this.turn = null;
    this.on.trouble(words, message);
    this.rest();
  }

  async takeStart({agent_output_audio_format: format}) {
    const [encoding, rate] = format.split('_');
    this.encoding = ENCODINGS[encoding];
    this.isOpen = true;
    this.setState('listening');
    try {
      this.player = await Player.open(Number(rate));
    } catch (error) {
      return this.end(error.message);
    }
    if (this.isOver) return;
    this.player.onEmpty = () => this.rest();
    for (const event of this.early.splice(0)) this.takeAudio(event);
  }

  takePing({ping_ms: ms}) {
    if (ms !== null) this.on.ping(ms);
  }

  takeScore({vad_score: score}) {
    this.on.score(score);
  }

  takePartial({user_transcript: text}) {
    this.on.partial(text);
  }

  // The caller's turn is over, and this is what they said.
  takeWords({user_transcript: text}) {
    const now = performance.now();
    this.turn = {from: Math.min(this.loudness.endedAt ?? now, now), wordsAt: now, isTyped: false};
    this.isAnswered = false;
    this.trouble = null;
    this.on.user(text);
    this.setState('thinking');
  }

  takePart({type, text}) {
    if (type === 'start') this.on.began();
    if (type === 'delta') this.on.part(text);
    this.isAnswered = type === 'stop';
    if (type === 'stop') this.rest();
  }

  takeAnswer({agent_response: text}) {
    this.on.said(text);
  }

  takeAudio(event) {
    if (event.event_id <= this.cutEvent) return;
    if (!this.player) return this.early.push(event);
    const isFirst = event.event_id !== this.event;
    this.event = event.event_id;
    this.player.add(decode({enc: this.encoding, audio: event.audio_base_64}));
    this.setState('speaking');
    if (isFirst) this.measure();
  }

  // The first sound of an answer.  What was played before it has a run of its own.
  measure() {
    const {turn} = this;
    this.turn = null;
    if (!turn) return; // a greeting
    const soundAt = this.player.lastBeganAt;
    this.on.took({words: turn.isTyped ? null : turn.wordsAt - turn.from, sound: soundAt - turn.wordsAt, total: soundAt - turn.from});
  }

  // Silent FADE_SECONDS from now; what has not been played is not.
  takeInterruption({event_id: event}) {
    const typedAt = this.turn?.isTyped ? this.typedAt : null;
    const from = typedAt ?? this.loudness.beganAt;
    const isHeard = this.player?.isPlaying;
    this.cutEvent = Math.max(this.cutEvent, event);
    this.early = [];
    if (this.player) {
      this.player.stop(FADE_SECONDS);
      this.player = this.player.another();
    }
    this.isAnswered = true;
    this.on.cut(isHeard && from !== null ? performance.now() + FADE_SECONDS * 1000 - from : null);
    this.setState(typedAt === null ? 'listening' : 'thinking');
  }

  takeCorrection({original_agent_response: written, corrected_agent_response: heard}) {
    this.on.corrected(written, heard);
  }

  // The agent is silent when it has no more to say and all of it was heard.
  rest() {
    if (this.isAnswered && !this.player?.isPlaying && this.isOpen && !this.turn) this.setState('listening');
  }
}
