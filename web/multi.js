// The second tab: two contexts on one connection of /ws/tts/multi.

import {Player, SoundBlocked} from './player.js';
import {explain, explainClose, socketAddress} from './server.js';
import {Turn} from './turn.js';
import {Words} from './words.js';

const SIDES = {left: -1, right: 1};
const byId = (id) => document.getElementById(id);

export class MultiTab {
  constructor(page) {
    this.page = page;
    this.sides = {};
    this.words = {left: new Words(byId('words-left')), right: new Words(byId('words-right'))};
    byId('multi-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.speak();
    });
    for (const button of document.querySelectorAll('[data-stop]'))
      button.addEventListener('click', () => this.stop(button.dataset.stop));
    this.light();
  }

  async speak() {
    const key = this.page.key();
    if (!key) return this.page.tell('A key is needed: paste the one that “make run” printed into the field at the top.');
    if (Object.keys(SIDES).every((side) => !byId(`text-${side}`).value.trim()))
      return this.page.tell('There is nothing to say yet: write something first.');
    this.page.tell(null);
    this.close();
    try {
      for (const side of Object.keys(SIDES))
        this.sides[side] = {turn: new Turn(), player: await Player.open(24000, SIDES[side])};
    } catch (error) {
      if (!(error instanceof SoundBlocked)) throw error;
      return this.page.tell('The browser keeps the page silent. Click once more, or allow sound for this page.');
    }
    const socket = new WebSocket(socketAddress('/ws/tts/multi', key));
    this.socket = socket;
    let wasOpen = false;
    socket.onopen = () => {
      wasOpen = true;
      byId('multi-state').textContent = 'Both are speaking';
      for (const side of Object.keys(SIDES)) this.begin(side);
    };
    socket.onmessage = (event) => this.take(JSON.parse(event.data));
    socket.onclose = async (event) => {
      const words = await explainClose(event.code, wasOpen, key);
      if (socket !== this.socket || event.code === 1000) return;
      byId('multi-state').textContent = '';
      this.page.tell(words);
    };
  }

  begin(side) {
    const send = (message) => this.socket.send(JSON.stringify({...message, context_id: side}));
    this.words[side].clear();
    send({text: ' ', voice_settings: {voice_id: Number(byId(`voice-${side}`).value)}, word_timestamps: true});
    send({text: byId(`text-${side}`).value, flush: true});
    send({close_context: true});
    document.querySelector(`[data-stop=${side}]`).disabled = false;
  }

  take(message) {
    const side = this.sides[message.context_id];
    if (message.error) return this.page.tell(explain(message));
    if (!side) return;
    const samples = side.turn.take(message);
    if (samples && !side.isStopped) side.player.add(samples);
    this.words[message.context_id].update(side.turn);
    if (message.context_closed && Object.values(this.sides).every(({turn}) => turn.isOver)) {
      this.isOver = true;
      this.socket.send(JSON.stringify({close_socket: true}));
    }
  }

  stop(name) {
    const side = this.sides[name];
    side.isStopped = true;
    side.player.stop();
    if (this.socket.readyState === WebSocket.OPEN && !side.turn.isOver)
      this.socket.send(JSON.stringify({cancel: true, context_id: name}));
    document.querySelector(`[data-stop=${name}]`).disabled = true;
  }

  close() {
    for (const {player} of Object.values(this.sides)) player.stop();
    this.sides = {};
    this.isOver = false;
    const socket = this.socket;
    this.socket = null;
    socket?.close(1000);
  }

  light() {
    for (const [name, {turn, player}] of Object.entries(this.sides)) {
      this.words[name].light(player.heard());
      if (turn.isOver && !player.isPlaying) document.querySelector(`[data-stop=${name}]`).disabled = true;
    }
    if (this.isOver && Object.values(this.sides).every(({player}) => !player.isPlaying)) {
      byId('multi-state').textContent = 'Both have said all';
      this.isOver = false;
    }
    requestAnimationFrame(() => this.light());
  }
}
