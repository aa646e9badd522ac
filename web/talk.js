// The tab that talks with an agent of the server's configuration, by microphone (spoken.js) or by typing.  What is typed
// while nobody listens needs no model that does: the agent's words come over the speech engine's protocol and go, as
// they come, into a turn that is spoken here.

import {Bubbles} from './bubbles.js';
import {Player} from './player.js';
import {explainClose, getJson, socketAddress} from './server.js';
import {Spoken} from './spoken.js';
import {StreamSocket} from './stream.js';
import {decode} from './decode.js';

const byId = (id) => document.getElementById(id);

const NO_KEY = 'A key is needed: paste the one that “make run” printed into the field at the top.';

export class TalkTab {
  constructor(page) {
    this.page = page;
    this.bubbles = new Bubbles(byId('talk'));
    this.spoken = new Spoken(this);
    this.event = 0;
    this.cancels = 0; // of the voice's turns whose `interrupted` is still to come
    byId('talk-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.say();
    });
    byId('talk-start').addEventListener('click', () => this.call());
    byId('talk-stop').addEventListener('click', () => this.stop());
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !byId('panel-talk').hidden && !byId('talk-stop').disabled) this.stop();
    });
    byId('agent').addEventListener('input', () => this.leave());
    byId('voice-talk').addEventListener('input', () => this.spoken.call && this.leave()); // it has the voice that it began with
  }

  // The microphone

  async call() {
    if (this.spoken.call) return;
    if (!this.page.key()) return this.page.tell(NO_KEY);
    this.page.tell(null);
    this.page.hush(); // it would hear the other tabs
    this.leave();
    try {
      if (!byId('agent').value) await this.loadAgents();
    } catch (error) {
      return this.failed(error.message);
    }
    await this.spoken.begin({key: this.page.key(), agent: byId('agent').value, voice: byId('voice-talk').value});
  }

  failed(words) {
    this.page.tell(words);
    this.loadAgents().catch(() => {}); // perhaps it is the agent that is gone
  }

  // A microphone that nobody sees is not listened to.
  leaveSight() {
    this.spoken.end();
  }

  // The agents, and conversations

  async loadAgents() {
    const {agents} = await getJson('/v1/agents', this.page.key());
    const chosen = byId('agent').value;
    byId('agent').replaceChildren(...agents.map(({name}) => new Option(name, name)));
    if (agents.some(({name}) => name === chosen)) byId('agent').value = chosen;
    else if (this.bubbles.turns.length) {
      this.leave();
      this.page.tell(`The agent “${chosen}” is not in the server’s configuration any more. The list was read again: choose another one.`);
    }
  }

  // Another agent, or another key: a new conversation.
  leave() {
    this.spoken.end();
    this.interrupt();
    this.hangUp();
    this.voice?.close();
    this.bubbles.clear();
    this.setState('', false);
  }

  // The protocol has no word for it: an agent whose connection ends gives its answer up.
  hangUp() {
    const agent = this.agent;
    this.agent = null;
    agent?.close(1000);
  }

  // A server that ends waits for conversations, and this one need not be waited for.
  letGo() {
    if (byId('talk-stop').disabled) this.hangUp(); // nothing goes on
    else if (this.spoken.call?.state === 'listening') this.spoken.end();
  }

  stop() {
    if (this.spoken.call) return this.spoken.end();
    if (this.isAnswering) this.hangUp();
    this.interrupt();
    this.setState('Stopped', false);
  }

  hush() {
    if (!byId('talk-stop').disabled) this.stop();
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
      agent.onclose = async (event) => {
        const words = await explainClose(event.code, wasOpen, this.page.key());
        failed(new Error(words));
        if (agent === this.agent && this.isAnswering) this.fail(words); // else the next sentence connects again
      };
    });
    this.opened.catch(() => {});
    agent.onmessage = (event) => this.hear(JSON.parse(event.data));
  }

  async say() {
    const text = byId('talk-text').value.trim();
    if (!text) return;
    if (!this.page.key()) return this.page.tell(NO_KEY);
    this.page.tell(null);
    if (this.spoken.call && !this.spoken.call.isOpen) return this.page.tell('The agent is not there yet.');
    byId('talk-text').value = '';
    if (this.spoken.call) return this.spoken.type(text);
    this.interrupt();
    this.bubbles.add('user', text);
    this.setState('Connecting …', true);
    const begun = this.event;
    try {
      if (!byId('agent').value) await this.loadAgents();
      this.player = await Player.open(24000);
      this.player.onEmpty = () => this.rest();
      if (begun !== this.event) return;
      this.connect();
      this.openVoice();
      await Promise.all([this.opened, this.voice.opened]);
    } catch (error) {
      return begun === this.event ? this.fail(error.message) : null;
    }
    if (begun !== this.event) return; // it was stopped meanwhile, or another sentence came
    this.event += 1;
    this.asked = performance.now();
    this.voice.send({voice_id: Number(byId('voice-talk').value), output_format: 'pcm_24000'});
    this.agent.send(JSON.stringify({type: 'user_transcript', user_transcript: this.bubbles.turns, event_id: this.event}));
    this.isAnswering = true;
    this.setState('The agent thinks …', true);
  }

  fail(words) {
    this.isAnswering = false;
    this.isSpeaking = false;
    this.setState('', Boolean(this.player?.isPlaying)); // what has come is still heard
    this.failed(words);
  }

  openVoice() {
    if (this.voice?.isAlive) return;
    const voice = new StreamSocket(this.page.key(), {
      message: (message) => this.listen(message),
      sent: () => {},
      error: (words, message) => {
        if (this.cancels || this.hasFailed) return; // nobody waits for it, or it follows from the first
        this.hasFailed = true;
        this.fail(words);
        if (message.error_code === 'NOT_FOUND') this.page.refreshVoices();
      },
      gone: (words) => voice === this.voice && this.isSpeaking && this.fail(words),
    });
    this.voice = voice;
    this.cancels = 0;
  }

  // What was on its way when its turn was cancelled is not heard in the next one.
  listen(message) {
    if (message.interrupted) this.cancels -= 1;
    if (message.session_closed && this.cancels === 0) this.end();
    if (!message.audio || !this.player || this.cancels > 0) return;
    if (this.asked) {
      this.setState(`Heard after ${Math.round(performance.now() - this.asked)} ms`, true);
      this.asked = null;
    }
    this.player.add(decode(message));
  }

  // All of an answer has come; of one without a word that can be said nothing was heard.
  end() {
    this.isSpeaking = false;
    if (this.asked) this.setState('There was nothing to say aloud', false);
    this.asked = null;
    this.rest();
  }

  hear(message) {
    if (message.event_id !== this.event) return;
    if (message.type === 'error') this.fail(message.error); // a limit, or no credit; a final follows
    if (message.type !== 'agent_response' || !this.isAnswering) return;
    if (message.is_final) {
      this.voice.send({flush: true});
      if (!this.answer) this.end();
      else this.bubbles.write(this.answer, this.answer.content, true);
      this.answer = null;
      this.isAnswering = false;
      return;
    }
    if (!this.answer) {
      this.answer = this.bubbles.add('agent', '');
      this.setState('The agent writes …', true);
    }
    this.bubbles.write(this.answer, this.answer.content + message.content, false);
    this.isSpeaking = this.voice.isOpen;
    this.voice.send({text: message.content});
  }

  interrupt() {
    if (this.voice?.isOpen) {
      this.voice.send({cancel: true});
      this.cancels += 1;
    }
    if (this.player?.isPlaying || this.answer) {
      const last = this.bubbles.turns.at(-1);
      if (last?.role === 'agent') last.element.classList.add('cut');
    }
    if (this.answer) this.answer.element.ariaBusy = null;
    this.player?.stop();
    this.player = null;
    this.answer = null;
    this.asked = null;
    this.isAnswering = false; // the agent
    this.isSpeaking = false; // the voice
    this.hasFailed = false;
    this.event += 1; // what still comes is of a turn that is over
  }

  // Written only when it is new: a screen reader would say it again.  name: of a state of a conversation by microphone.
  setState(words, canStop, name = '') {
    if (byId('talk-state').textContent !== words) byId('talk-state').textContent = words;
    byId('talk-state').dataset.state = words ? name : '';
    byId('talk-stop').disabled = !canStop;
  }

  // There is nothing to stop any more when all that was said has been heard.
  rest() {
    if (this.player?.hasBegun && !this.isAnswering && !this.isSpeaking && !this.player.isPlaying)
      byId('talk-stop').disabled = true;
  }
}
