// The third tab: an agent of the server's configuration.  Its words come over the speech
// engine's protocol and go, as they come, into a turn that is spoken here.

import {Player, SoundBlocked} from './player.js';
import {explainClose, getJson, socketAddress} from './server.js';
import {StreamSocket} from './stream.js';
import {decode} from './decode.js';

const byId = (id) => document.getElementById(id);

export class TalkTab {
  constructor(page) {
    this.page = page;
    this.history = []; // {role, content}
    this.event = 0;
    byId('talk-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.say();
    });
    byId('talk-stop').addEventListener('click', () => this.interrupt());
    byId('agent').addEventListener('input', () => this.leave());
  }

  async loadAgents() {
    const {agents} = await getJson('/v1/agents', this.page.key());
    byId('agent').replaceChildren(...agents.map(({name}) => new Option(name, name)));
  }

  leave() {
    this.interrupt();
    this.agent?.close(1000);
    this.agent = null;
    this.history = [];
    byId('talk').replaceChildren();
  }

  connect() {
    if (this.agent && this.agent.readyState <= WebSocket.OPEN) return;
    const agent = new WebSocket(socketAddress(`/ws/talk/${encodeURIComponent(byId('agent').value)}`, this.page.key()));
    let wasOpen = false;
    this.agent = agent;
    this.opened = new Promise((done, failed) => {
      agent.onopen = () => {
        wasOpen = true;
        agent.send(JSON.stringify({type: 'init', conversation_id: `page_${crypto.randomUUID?.() ?? Date.now()}`}));
        done();
      };
      agent.onclose = (event) => {
        const words = explainClose(event.code, wasOpen);
        failed(new Error(words));
        if (agent === this.agent && event.code !== 1000) this.page.tell(words);
      };
    });
    this.opened.catch(() => {});
    agent.onmessage = (event) => this.hear(JSON.parse(event.data));
  }

  async say() {
    const text = byId('talk-text').value.trim();
    if (!text) return;
    if (!this.page.key()) return this.page.tell('A key is needed: paste the one that “make run” printed into the field at the top.');
    this.page.tell(null);
    this.interrupt();
    this.add('user', text);
    byId('talk-text').value = '';
    try {
      this.player = await Player.open(24000);
      this.connect();
      this.openVoice();
      await Promise.all([this.opened, this.voice.opened]);
    } catch (error) {
      return this.page.tell(error instanceof SoundBlocked
        ? 'The browser keeps the page silent. Click Send once more, or allow sound for this page.' : error.message);
    }
    this.event += 1;
    this.asked = performance.now();
    this.voice.send({voice_id: Number(byId('voice-talk').value), output_format: 'pcm_24000'});
    this.agent.send(JSON.stringify({type: 'user_transcript', user_transcript: this.history, event_id: this.event}));
    byId('talk-stop').disabled = false;
    byId('talk-state').textContent = 'The agent thinks …';
  }

  openVoice() {
    if (this.voice?.isOpen) return;
    this.voice = new StreamSocket(this.page.key(), {
      message: (message) => {
        if (!message.audio || !this.player) return;
        if (this.asked) {
          byId('talk-state').textContent = `Heard after ${Math.round(performance.now() - this.asked)} ms`;
          this.asked = null;
        }
        this.player.add(decode(message));
      },
      sent: () => {},
      error: (words) => this.page.tell(words),
      gone: () => {},
    });
  }

  hear(message) {
    if (message.type !== 'agent_response' || message.event_id !== this.event) return;
    if (message.is_final) {
      this.voice.send({flush: true});
      this.answer = null;
      return;
    }
    if (!this.answer) this.answer = this.add('agent', '');
    this.answer.content += message.content;
    this.answer.element.textContent = this.answer.content;
    this.voice.send({text: message.content});
  }

  add(role, content) {
    const element = document.createElement('li');
    const turn = {role, content};
    element.className = role;
    element.textContent = content;
    byId('talk').append(element);
    element.scrollIntoView({block: 'nearest'});
    Object.defineProperty(turn, 'element', {value: element}); // not part of the history's JSON
    this.history.push(turn);
    return turn;
  }

  interrupt() {
    if (this.player?.isPlaying || this.answer) {
      this.voice?.send({cancel: true});
      const last = this.history.at(-1);
      if (last?.role === 'agent') last.element.classList.add('cut');
    }
    this.player?.stop();
    this.player = null;
    this.answer = null;
    this.event += 1; // what still comes is of a turn that is over
    byId('talk-stop').disabled = true;
  }
}
