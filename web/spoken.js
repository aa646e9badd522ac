// The part of the Talk tab that is there with a microphone: its level, who speaks, times, messages.

import {Call} from './call.js';
import {copyText} from './copy.js';
import {Messages} from './messages.js';
import {Strip} from './strip.js';

const byId = (id) => document.getElementById(id);

const SILENT = 0.0003; // of full scale: a room is louder, a microphone that is switched off is not
const SILENT_SECONDS = 4;
const SPEECH = 0.5; // a score that begins speech
const NO_SPEECH = 0.35; // and one that ends it

const STATES = {waiting: 'Waiting for the microphone …', connecting: 'Connecting …', listening: 'Listening',
  thinking: 'Thinking …', speaking: 'Speaking', ended: 'Ended'};

export class Spoken {
  // tab: {bubbles, page, setState(words, canStop, name), failed()}
  constructor(tab) {
    this.tab = tab;
    this.call = null;
    this.answer = null; // the agent's bubble of this turn
    this.strip = new Strip(byId('talk-strip'));
    this.messages = new Messages(byId('talk-messages'), byId('talk-messages-count'));
    byId('talk-mute').addEventListener('click', () => this.mute(!this.isMuted));
    byId('talk-messages-copy').addEventListener('click', () => copyText(this.messages.text(), byId('talk-messages-copy')));
    byId('talk-messages-clear').addEventListener('click', () => this.messages.clear());
    new ResizeObserver(() => this.strip.draw()).observe(byId('talk-strip'));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.strip.draw());
  }

  async begin(settings) {
    const {bubbles} = this.tab;
    const call = new Call(settings, {
      state: (name) => this.showState(name),
      piece: (seconds, level) => this.showLevel(seconds, level),
      score: (score) => this.showScore(score),
      partial: (text) => this.setPartial(text),
      user: (text) => {
        this.setPartial('');
        this.answer = null;
        bubbles.add('user', text);
      },
      began: () => this.begun(),
      part: (text) => bubbles.write(this.begun(), this.begun().content + text, false),
      said: (text) => bubbles.write(this.begun(), text, true),
      took: (times) => this.showTook(times),
      cut: (ms) => this.showCut(ms),
      corrected: (written, heard) => this.correct(written, heard),
      ping: (ms) => { byId('figure-network').textContent = `${Math.round(ms)} ms`; },
      message: (isOut, message) => call === this.call && this.messages.add(isOut, message),
      trouble: (words, {error_event: {error_type: type}}) => {
        this.tab.page.tell(words);
        if (type === 'override_error') this.tab.page.refreshVoices();
      },
      over: (words) => this.finish(call, words),
    });
    this.call = call;
    this.reset();
    try {
      await call.begin();
    } catch (error) {
      call.end(error.message);
    }
    if (!call.isOver) byId('talk-card').scrollIntoView({block: 'nearest'}); // on a phone it is below what there is to choose
  }

  reset() {
    this.answer = null;
    this.quietSince = 0;
    this.messages.clear();
    this.strip.clear();
    this.mute(false);
    byId('talk-live').hidden = false;
    byId('talk-start').ariaDisabled = 'true';
    byId('talk-mute').disabled = false;
    for (const name of ['recognized', 'sound', 'cut', 'network']) byId(`figure-${name}`).textContent = '–';
    this.showFigure(null);
  }

  // The bubble of the answer that the agent gives now.
  begun() {
    this.answer ??= this.tab.bubbles.add('agent', '');
    return this.answer;
  }

  type(text) {
    this.tab.bubbles.add('user', text);
    this.before = this.answer; // is interrupted by it, if it is still heard
    this.answer = null;
    this.call.type(text);
  }

  mute(isMuted) {
    this.isMuted = isMuted;
    this.call?.microphone?.mute(isMuted);
    byId('talk-mute').ariaPressed = String(isMuted);
    byId('talk-mute').textContent = isMuted ? 'Unmute' : 'Mute';
  }

  end() {
    this.call?.end();
  }

  finish(call, words) {
    if (call !== this.call) return;
    this.call = null;
    this.strip.end(this.strip.seconds);
    this.setPartial('');
    if (this.answer) this.answer.element.ariaBusy = null;
    byId('talk-level').value = 0;
    byId('talk-live').hidden = this.strip.seconds === 0; // it has never heard anything
    byId('talk-activity').textContent = '';
    byId('talk-start').ariaDisabled = null;
    byId('talk-mute').disabled = true;
    this.tab.setState(words ? '' : STATES.ended, false, 'ended');
    if (words) this.tab.failed(words);
  }

  showState(name) {
    this.tab.setState(STATES[name], true, name);
    if (name === 'speaking') this.setPartial('');
  }

  // The microphone

  showLevel(seconds, level) {
    this.strip.add(seconds, level);
    byId('talk-level').value = level;
    if (level > SILENT || this.isMuted) this.quietSince = this.strip.seconds;
    this.showActivity();
  }

  showScore(score) {
    if (score >= SPEECH) this.strip.begin(this.strip.seconds);
    if (score < NO_SPEECH) this.strip.end(this.strip.seconds);
    this.showActivity();
  }

  showActivity() {
    const isDead = this.strip.seconds - this.quietSince > SILENT_SECONDS;
    const words = this.isMuted ? 'Muted' : isDead ? 'The microphone is silent: is it muted?' : this.strip.isSpeech ? 'Speech' : 'No speech';
    byId('talk-activity').classList.toggle('speech', this.strip.isSpeech && !this.isMuted);
    if (byId('talk-activity').textContent !== words) byId('talk-activity').textContent = words;
  }

  setPartial(text) {
    byId('talk-partial').textContent = text;
    byId('talk-partial').hidden = !text;
    if (text) byId('talk-partial').scrollIntoView({block: 'nearest'});
  }

  // Times

  showTook(times) {
    this.tab.bubbles.showTook(this.begun(), times);
    byId('figure-recognized').textContent = times.words === null ? 'typed' : `${Math.round(times.words)} ms`;
    byId('figure-sound').textContent = `${Math.round(times.sound)} ms`;
    this.showFigure(times.total);
  }

  // The large one; null while it is not known.
  showFigure(value) {
    byId('talk-figure').classList.toggle('none', value === null);
    byId('talk-figure').textContent = value === null ? '–' : Math.round(value);
  }

  showCut(ms) {
    const answer = this.before ?? this.answer;
    answer?.element.classList.add('cut');
    if (ms === null || !answer) return;
    this.tab.bubbles.showCut(answer, ms);
    byId('figure-cut').textContent = `${Math.round(ms)} ms`;
  }

  correct(written, heard) {
    const answer = this.before ?? this.answer;
    if (answer) this.tab.bubbles.correct(answer, written, heard);
    if (!this.before) this.answer = null; // what follows is another one
    this.before = null;
  }
}
