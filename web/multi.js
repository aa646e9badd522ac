// The second tab: two contexts on one connection of /ws/tts/multi.

import {Player} from './player.js';
import {TEXT_MAX, explain, explainClose, socketAddress} from './server.js';
import {Turn} from './turn.js';
import {Words} from './words.js';

const PANS = {left: -1, right: 1};
const SIDES = Object.keys(PANS);
const byId = (id) => document.getElementById(id);
const stopButton = (name) => document.querySelector(`[data-stop=${name}]`);

export class MultiTab {
  constructor(page) {
    this.page = page;
    this.sides = {}; // those that speak: {turn, player, isStopped, hasFailed}
    this.attempt = 0; // to speak: one that is not the last any more is given up
    this.words = {left: new Words(byId('words-left')), right: new Words(byId('words-right'))};
    byId('multi-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.speak();
    });
    for (const name of SIDES) stopButton(name).addEventListener('click', () => this.stop(name));
    byId('panel-multi').addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.hush();
    });
    this.watch();
  }

  async speak() {
    const key = this.page.key();
    const texts = Object.fromEntries(SIDES.map((name) => [name, byId(`text-${name}`).value]).filter(([, text]) => text.trim()));
    if (!key) return this.page.tell('A key is needed: paste the one that “make run” printed into the field at the top.');
    if (!Object.keys(texts).length) return this.page.tell('There is nothing to say yet: write something first.');
    if (Object.values(texts).some((text) => Array.from(text).length > TEXT_MAX))
      return this.page.tell(`A text is longer than ${TEXT_MAX.toLocaleString('en')} characters: say it in several turns.`);
    this.page.tell(null);
    this.close();
    const {attempt} = this;
    this.setState('Connecting …');
    try {
      const sides = {};
      for (const name of Object.keys(texts)) sides[name] = {turn: new Turn(), player: await Player.open(24000, PANS[name])};
      if (attempt !== this.attempt) return;
      this.sides = sides;
      this.connect(key, texts);
    } catch (error) {
      if (attempt === this.attempt) this.giveUp(error.message);
    }
  }

  connect(key, texts) {
    const socket = new WebSocket(socketAddress('/ws/tts/multi', key));
    let wasOpen = false;
    this.socket = socket;
    socket.onopen = () => {
      if (socket !== this.socket) return;
      wasOpen = true;
      this.setState(Object.keys(texts).length > 1 ? 'Both are speaking' : 'Speaking');
      for (const [name, text] of Object.entries(texts)) this.begin(name, text);
      this.endWhenSaid();
    };
    socket.onmessage = (event) => {
      if (socket === this.socket) this.take(JSON.parse(event.data));
    };
    socket.onclose = async (event) => {
      if (socket !== this.socket || this.isAllSaid) return;
      const words = await explainClose(event.code, wasOpen, key);
      if (socket === this.socket) this.giveUp(words);
    };
  }

  send(name, message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({...message, context_id: name}));
  }

  begin(name, text) {
    if (this.sides[name].isStopped) return; // before it began
    this.send(name, {text: ' ', voice_settings: {voice_id: Number(byId(`voice-${name}`).value)}, word_timestamps: true});
    this.send(name, {text, flush: true});
    this.send(name, {close_context: true});
  }

  get isAllSaid() {
    return Object.values(this.sides).every(({turn, hasFailed}) => turn.isOver || hasFailed);
  }

  take(message) {
    const side = this.sides[message.context_id];
    if (message.error) this.fail(side, message);
    if (!side) return;
    const samples = side.turn.take(message);
    if (samples && !side.isStopped) side.player.add(samples);
    if (!samples) this.words[message.context_id].update(side.turn);
    this.endWhenSaid();
  }

  endWhenSaid() {
    if (this.isAllSaid) this.socket.close(1000);
  }

  // The first is what happened; what follows of the context follows from it.
  fail(side, message) {
    if (side?.hasFailed) return;
    if (side) side.hasFailed = true;
    this.page.tell(explain(message));
    if (message.error_code === 'NOT_FOUND') this.page.refreshVoices();
  }

  // What has come is still heard, and can be stopped.
  giveUp(words) {
    for (const side of Object.values(this.sides)) side.hasFailed = true;
    this.setState('');
    this.page.tell(words);
  }

  stop(name) {
    const side = this.sides[name];
    if (!side || side.isStopped) return;
    side.isStopped = true;
    side.player.stop();
    if (this.socket?.readyState === WebSocket.CONNECTING) side.turn.isOver = true;
    if (!side.turn.isOver) this.send(name, {cancel: true});
  }

  hush() {
    Object.keys(this.sides).forEach((name) => this.stop(name));
  }

  close() {
    this.attempt += 1;
    for (const {player} of Object.values(this.sides)) player.stop();
    for (const name of SIDES) this.words[name].clear();
    this.sides = {};
    const socket = this.socket;
    this.socket = null;
    socket?.close(1000);
  }

  // A side is quiet when all of it was heard, or nobody wants to hear more of it.
  isQuiet({turn, player, isStopped, hasFailed}) {
    return isStopped || ((turn.isOver || hasFailed) && !player.isPlaying);
  }

  watch() {
    const sides = Object.values(this.sides);
    for (const name of SIDES) {
      const side = this.sides[name];
      if (side) this.words[name].light(side.player.heard());
      stopButton(name).disabled = !side || this.isQuiet(side);
    }
    if (sides.length && sides.every((side) => this.isQuiet(side))) this.setState(this.lastWords(sides));
    requestAnimationFrame(() => this.watch());
  }

  // Written only when it is new: a screen reader would say it again.
  setState(words) {
    if (byId('multi-state').textContent !== words) byId('multi-state').textContent = words;
  }

  lastWords(sides) {
    if (sides.some(({isStopped}) => isStopped)) return 'Stopped';
    if (sides.some(({hasFailed}) => hasFailed)) return '';
    return sides.length > 1 ? 'Both have said all' : 'All was said';
  }
}
