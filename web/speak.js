// The first tab: one text, one turn, everything about it.

import {codeFor} from './code.js';
import {copyText} from './copy.js';
import {drawTimeline, drawWaveform} from './draw.js';
import {Messages} from './messages.js';
import {Player} from './player.js';
import {TEXT_MAX} from './server.js';
import {StreamSocket} from './stream.js';
import {watchTabs} from './tabs.js';
import {Turn} from './turn.js';
import {Typist} from './typist.js';
import {Words} from './words.js';

const byId = (id) => document.getElementById(id);

const RATES = {pcm_24000: 24000, pcm_16000: 16000, pcm_8000: 8000, ulaw_8000: 8000, alaw_8000: 8000};

const DARK = matchMedia('(prefers-color-scheme: dark)');

export class SpeakTab {
  // page: {key(), tell(words), refreshVoices()}
  constructor(page) {
    this.page = page;
    this.socket = null;
    this.turn = null;
    this.player = null;
    this.typist = null;
    this.stopAsked = null;
    this.attempt = 0; // to speak: one that is not the last any more is given up
    this.cancelled = []; // turns whose cancel is still to be answered, in order
    this.words = new Words(byId('words'));
    byId('words').textContent = 'Words light up as they are spoken.';
    this.messages = new Messages(byId('messages'), byId('messages-count'));
    this.code = 'python';
    this.listen();
    this.showChoices();
    this.draw();
  }

  listen() {
    byId('speak-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.speak();
    });
    byId('text').addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.speak();
    });
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !byId('stop').disabled) this.stop();
    });
    byId('stop').addEventListener('click', () => this.stop());
    for (const id of ['text', 'voice', 'language', 'format', 'speed', 'typed', 'rate'])
      byId(id).addEventListener('input', () => this.showChoices());
    byId('messages-copy').addEventListener('click', () => copyText(this.messages.text(), byId('messages-copy')));
    byId('messages-clear').addEventListener('click', () => this.messages.clear());
    byId('code-copy').addEventListener('click', () => copyText(byId('code').textContent, byId('code-copy')));
    watchTabs([...document.querySelectorAll('[data-code]')], (tab) => {
      this.code = tab.dataset.code;
      this.showChoices();
    });
  }

  choices() {
    return {
      text: byId('text').value,
      voice: byId('voice').value,
      language: byId('language').value,
      format: byId('format').value,
      speed: Number(byId('speed').value),
      key: this.page.key(),
    };
  }

  showChoices() {
    const choices = this.choices();
    const count = Array.from(choices.text).length;
    byId('text-count').textContent = `${count.toLocaleString('en')} characters${count > TEXT_MAX ? `: more than the ${TEXT_MAX.toLocaleString('en')} that are spoken at once` : ''}`;
    byId('speed-shown').textContent = choices.speed.toFixed(2);
    byId('rate-shown').textContent = byId('rate').value;
    byId('rate-row').hidden = !byId('typed').checked;
    byId('code').textContent = codeFor(this.code, {...choices, key: choices.key ? 'KEY' : ''});
  }

  open() {
    if (this.socket?.isAlive && this.socket.key === this.page.key()) return this.socket;
    this.socket?.close();
    const socket = new StreamSocket(this.page.key(), {
      message: (message) => this.take(message),
      sent: (message) => this.messages.add(true, message),
      error: (words, message) => this.fail(words, message),
      gone: (words) => this.lose(socket, words),
    });
    socket.key = this.page.key();
    this.socket = socket;
    this.cancelled = [];
    return socket;
  }

  async speak() {
    const choices = this.choices();
    if (!choices.key) return this.page.tell('A key is needed: paste the one that “make run” printed into the field at the top.');
    if (!choices.text.trim()) return this.page.tell('There is nothing to say yet: write something first.');
    if (Array.from(choices.text).length > TEXT_MAX)
      return this.page.tell(`The text is longer than ${TEXT_MAX.toLocaleString('en')} characters: say it in several turns.`);
    this.page.tell(null);
    this.end();
    this.setState('Connecting …', true);
    const attempt = ++this.attempt;
    try {
      const player = await Player.open(RATES[choices.format]);
      await this.open().opened;
      if (attempt !== this.attempt) return;
      this.player = player;
    } catch (error) {
      if (attempt !== this.attempt) return;
      this.setState('', false);
      return this.page.tell(error.message);
    }
    this.begin(choices);
  }

  begin(choices) {
    this.turn = new Turn();
    this.playedFrom = null;
    this.stopAsked = null;
    this.words.clear();
    byId('words').lang = choices.language || document.querySelector(`#voice option[value="${choices.voice}"]`)?.dataset.language || 'en';
    this.messages.clear();
    this.showFigures();
    this.setState('Speaking', true);
    const send = (message) => {
      this.turn.note('sent');
      this.socket.send(message);
    };
    this.socket.send({voice_id: Number(choices.voice), output_format: choices.format, speed: choices.speed,
      word_timestamps: true, ...(choices.language ? {language: choices.language} : {})});
    if (byId('typed').checked) {
      this.typist = new Typist(choices.text, Number(byId('rate').value),
        (token) => send({text: token}), () => send({flush: true}));
    } else {
      send({text: choices.text, flush: true});
    }
  }

  take(message) {
    this.messages.add(false, message);
    // What comes before a cancel's answer is still of the turn that was cancelled.
    const turn = this.cancelled[0] ?? this.turn;
    if (message.interrupted) this.cancelled.shift();
    if (!turn || turn !== this.turn) return;
    if (message.interrupted && this.stopAsked !== null)
      byId('figure-stop').textContent = `${(performance.now() - this.stopAsked).toFixed(1)} ms`;
    const samples = turn.take(message);
    if (samples && this.stopAsked === null) {
      if (this.playedFrom === null) this.playedFrom = turn.now() + 30;
      this.player.add(samples);
    }
    if (message.warning) this.page.tell(message.warning);
    if (!samples) this.words.update(turn);
    this.showFigures();
  }

  stop() {
    this.attempt += 1;
    this.setState('Stopped', false);
    if (!this.turn) return;
    const heard = Math.round(this.player.heard() * 1000);
    this.typist?.stop();
    this.player.stop();
    this.stopAsked = performance.now();
    this.cancel({report: true, playback_offset_ms: heard});
  }

  hush() {
    if (!byId('stop').disabled) this.stop();
  }

  cancel(more = {}) {
    if (!this.socket?.isOpen) return;
    this.socket.send({cancel: true, ...more});
    this.cancelled.push(this.turn);
  }

  // What still plays of the turn before.
  end() {
    this.typist?.stop();
    if (this.turn && !this.turn.isOver && this.stopAsked === null) this.cancel();
    this.turn = null;
    this.player?.stop();
  }

  // The first is what happened; what follows of the turn follows from it.
  fail(words, message) {
    if (this.cancelled.length) return; // of a turn that nobody waits for
    if (this.turn?.hasFailed) return;
    this.giveUp(words);
    if (message.error_code === 'NOT_FOUND') this.page.refreshVoices();
  }

  lose(socket, words) {
    if (socket !== this.socket) return;
    this.socket = null;
    if (this.turn && !this.turn.isOver && !this.turn.hasFailed && this.stopAsked === null && words) this.giveUp(words);
  }

  // What has come of the turn is still heard, and can be stopped.
  giveUp(words) {
    this.typist?.stop();
    if (this.turn) this.turn.hasFailed = true;
    this.setState('', Boolean(this.player?.isPlaying));
    this.page.tell(words);
  }

  setState(words, isSpeaking) {
    byId('speak-state').textContent = words;
    byId('stop').disabled = !isSpeaking;
  }

  showFigures() {
    const turn = this.turn;
    const usage = turn.usage;
    byId('first-audio').textContent = turn.firstAudio === null ? '…' : turn.firstAudio < 10 ? turn.firstAudio.toFixed(1) : Math.round(turn.firstAudio);
    byId('figure-audio').textContent = `${turn.seconds.toFixed(2)} s`;
    byId('figure-chunks').textContent = String(turn.chunks.length);
    byId('figure-characters').textContent = usage ? usage.characters.toLocaleString('en') : '–';
    this.showCost(usage);
    if (this.stopAsked === null) byId('figure-stop').textContent = '–';
  }

  // A server that has no prices charges nobody, so there is no cost to show.
  showCost(usage) {
    const isKnown = typeof usage?.cost_cents === 'number';
    if (isKnown) byId('cost').hidden = usage.default_price === true;
    byId('figure-cost').textContent = !usage ? '–' : isKnown ? `${usage.cost_cents} ${usage.currency.toUpperCase()} cents` : 'not known';
  }

  draw() {
    const heard = this.player && this.turn ? this.player.heard() : 0;
    const width = byId('timeline').clientWidth; // none while another tab is shown
    const view = [width, devicePixelRatio, DARK.matches, this.turn?.begun, this.turn?.events.length, heard].join();
    if (width && view !== this.view) {
      this.view = view;
      drawWaveform(byId('waveform'), this.turn, heard);
      drawTimeline(byId('timeline'), this.turn, this.turn ? this.playedFrom : null, heard);
      if (this.turn) this.words.light(heard);
    }
    if ((this.turn?.isOver || this.turn?.hasFailed) && !byId('stop').disabled && !this.player.isPlaying)
      this.setState(this.turn.hasFailed ? '' : 'Done', false);
    requestAnimationFrame(() => this.draw());
  }
}
