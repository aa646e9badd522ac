// The tab that listens: the microphone or a file in, words out while they are said.

import {copyText} from './copy.js';
import {watchFiles} from './files.js';
import {Heard} from './heard.js';
import {nameOfLanguage} from './languages.js';
import {Messages} from './messages.js';
import {Microphone} from './microphone.js';
import {Models} from './models.js';
import {ScribeSocket, whyDeaf} from './scribe.js';
import {Strip} from './strip.js';
import {Transcript} from './transcript.js';
import {FILE_MAX, Upload} from './upload.js';

const byId = (id) => document.getElementById(id);

const SILENT = 0.0003; // of full scale: a room is louder, a microphone that is switched off is not
const SILENT_SECONDS = 4;
const MICROPHONE = {seconds: 0.064, isExact: false, button: 'Listen', instead: 'A file can be transcribed without one.'};
const ENDING_MS = 10000; // how long the last words are waited for

export class ListenTab {
  // page: {key(), tell(words), hush()}
  constructor(page) {
    this.page = page;
    this.attempt = 0; // to listen: one that is not the last any more is given up
    this.microphone = null;
    this.socket = null;
    this.upload = null;
    this.models = new Models();
    this.heard = new Heard();
    this.strip = new Strip(byId('listen-strip'));
    this.messages = new Messages(byId('listen-messages'), byId('listen-messages-count'));
    this.watch();
  }

  watch() {
    byId('listen').addEventListener('click', () => this.listen());
    byId('listen-stop').addEventListener('click', () => this.stop());
    byId('listen-pause').addEventListener('input', () => this.showPause());
    byId('listen-messages-copy').addEventListener('click', () => copyText(this.messages.text(), byId('listen-messages-copy')));
    byId('listen-messages-clear').addEventListener('click', () => this.messages.clear());
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !byId('listen-stop').disabled) this.stop();
    });
    new ResizeObserver(() => this.strip.draw()).observe(byId('listen-strip'));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.strip.draw());
    watchFiles(byId('panel-listen'), (file) => this.transcribe(file));
    this.showPause();
  }

  // Which models there are; without any, why, in the server's words.  Asked again until there are some: they may be
  // being fetched.
  async load() {
    const key = this.page.key();
    await this.models.load(key);
    const words = this.models.all.length ? null : await whyDeaf(key);
    if (key !== this.page.key()) return;
    byId('listen-hint').hidden = !words || words === byId('notice').textContent; // said once
    byId('listen-hint').textContent = words ?? '';
  }

  showPause() {
    byId('listen-pause-shown').textContent = `${Number(byId('listen-pause').value).toFixed(1)} s`;
  }

  choices() {
    return {model: byId('listen-model').value, language: byId('listen-language').value, pause: Number(byId('listen-pause').value)};
  }

  // Forgets what was heard before; false without a key.
  begin(name) {
    if (!this.page.key()) {
      this.page.tell('A key is needed: paste the one that “make run” printed into the field at the top.');
      return false;
    }
    this.page.tell(null);
    this.end();
    this.heard.clear(name);
    this.messages.clear();
    this.strip.clear();
    return true;
  }

  // The microphone

  async listen() {
    if (!this.begin()) return;
    const {attempt} = this;
    this.showLive(true);
    this.page.hush(); // it would hear the other tabs
    this.setState('Waiting for the microphone …', true);
    this.quietSince = 0;
    try {
      const reason = this.models.all.length ? null : await whyDeaf(this.page.key());
      if (reason && attempt === this.attempt) this.fail(reason); // before anybody is asked for a microphone
      if (attempt !== this.attempt) return;
      const microphone = await Microphone.open(MICROPHONE, {
        piece: (samples, level) => attempt === this.attempt && this.hearPiece(samples, level),
        lost: (words) => attempt === this.attempt && this.fail(words),
      });
      if (attempt !== this.attempt) return microphone.release();
      this.microphone = microphone;
      this.connect(attempt, microphone.rate);
      this.setState('Listening', true);
      byId('listen-card').scrollIntoView({block: 'nearest'}); // on a phone it is below what there is to choose
    } catch (error) {
      if (attempt === this.attempt) this.fail(error.message);
    }
  }

  connect(attempt, rate) {
    const isMine = () => attempt === this.attempt;
    this.socket = new ScribeSocket(this.page.key(), {...this.choices(), rate}, {
      message: (message) => isMine() && this.take(message),
      sent: (message) => isMine() && this.messages.add(true, message),
      error: (words, message) => isMine() && this.takeError(words, message),
      gone: (words) => isMine() && (this.isEnding ? this.finish() : this.fail(words ?? 'The server has ended the connection.')),
    });
    this.isEnding = false;
    this.partialSince = null; // when the first words of a segment came, for models that do not tell more
    this.hasActivity = false; // the server tells when somebody speaks
  }

  hearPiece(samples, level) {
    this.socket.sendAudio(samples);
    this.strip.add(samples.length / this.microphone.rate, level);
    this.heardAt = performance.now();
    this.heard.transcript.seconds = this.strip.seconds;
    byId('listen-level').value = level;
    byId('figure-heard').textContent = `${this.strip.seconds.toFixed(1)} s`;
    if (level > SILENT) this.quietSince = this.strip.seconds;
    if (this.socket.isTooSlow) return this.fail('The connection is too slow for the sound of the microphone.');
    this.showActivity();
  }

  showActivity() {
    const isMuted = this.strip.seconds - this.quietSince > SILENT_SECONDS;
    const words = isMuted ? 'The microphone is silent: is it muted?' : this.strip.isSpeech ? 'Speech' : 'No speech';
    byId('listen-activity').classList.toggle('speech', this.strip.isSpeech);
    if (byId('listen-activity').textContent !== words) byId('listen-activity').textContent = words;
  }

  // Messages

  take(message) {
    this.messages.add(false, message);
    if (message.message_type === 'voice_activity') this.takeActivity(message);
    if (message.message_type === 'partial_transcript') this.takePartial(message.text);
    if (message.message_type === 'committed_transcript_with_timestamps') this.takeCommitted(message);
  }

  takeActivity({speech, at}) {
    if (speech) this.strip.begin(at);
    else this.strip.end(at);
    this.hasActivity = true;
    this.showActivity();
  }

  takePartial(text) {
    this.partialSince ??= this.strip.seconds;
    if (text && !this.hasActivity) this.strip.begin(this.strip.seconds);
    this.heard.setPartial(text);
  }

  takeCommitted(message) {
    const now = this.strip.seconds;
    if (!this.hasActivity) this.strip.end(now);
    this.heard.setPartial('');
    if (message.text.trim()) {
      const {transcript} = this.heard;
      const segment = transcript.addCommitted(message, this.partialSince ?? now, now);
      this.heard.add(segment);
      this.heard.showOutput();
      this.showCounts();
      if (segment.words.length && !this.isEnding) this.showFigure(performance.now() - this.heardAt + (now - segment.end) * 1000);
    }
    this.partialSince = null;
    if (!this.isEnding) return;
    if (message.text.trim()) this.socket.commit(); // that was a pause’s; the one that Stop asked for comes behind it
    else this.finish();
  }

  takeError(words, message) {
    this.messages.add(false, message);
    if (message.message_type === 'commit_throttled') return this.isEnding ? this.finish() : null;
    this.fail(words);
  }

  // What was said until now still becomes words.
  async stop() {
    if (this.isEnding) return;
    if (!this.microphone) return this.leave();
    const {attempt, microphone} = this;
    this.isEnding = true;
    this.setState('The last words …', false);
    await microphone.stop();
    if (attempt !== this.attempt) return;
    this.socket.commit();
    setTimeout(() => attempt === this.attempt && this.finish(), ENDING_MS);
  }

  finish() {
    const {segments} = this.heard.transcript;
    this.end();
    this.setState(segments.length ? 'Done' : 'Nothing was said', false);
  }

  fail(words) {
    this.end();
    this.setState('', false);
    this.page.tell(words);
    if (words === byId('listen-hint').textContent) byId('listen-hint').hidden = true;
    this.models.load(this.page.key()).catch(() => {}); // perhaps it is the model that is gone
  }

  // Another tab, or another key: a microphone that nobody sees is not listened to.
  leave() {
    if (byId('listen-stop').disabled && !this.isEnding) return;
    this.end();
    this.setState('Stopped', false);
  }

  // Ends whatever goes on; what was heard stays.
  end() {
    const {microphone, socket, upload} = this;
    this.attempt += 1;
    this.microphone = this.socket = this.upload = null;
    this.isEnding = false;
    microphone?.release();
    socket?.close();
    upload?.stop();
    this.strip.end(this.strip.seconds);
    this.heard.setPartial('');
    byId('listen-level').value = 0;
    byId('listen-activity').textContent = '';
    byId('listen-progress').hidden = true;
  }

  // A file

  transcribe(file) {
    if (file.size > FILE_MAX)
      return this.page.tell(`“${file.name}” has ${Math.ceil(file.size / 1048576)} MB, and the server takes at most ${FILE_MAX / 1048576}. Compress it, for example to Opus or MP3, or cut it.`);
    if (!this.begin(file.name.replace(/\.[^.]*$/, ''))) return;
    const {attempt} = this;
    const begun = performance.now();
    const isMine = () => attempt === this.attempt;
    this.showLive(false);
    this.setState(`Sending “${file.name}” …`, true);
    this.upload = new Upload(this.page.key(), file, this.choices(), {
      sent: (share) => isMine() && this.showSent(share, file.name),
      failed: (words) => isMine() && this.fail(words),
      done: (json) => {
        if (!isMine()) return;
        const transcript = Transcript.ofJson(json);
        this.messages.add(false, json);
        this.heard.show(transcript);
        this.showFigure(transcript.seconds / (performance.now() - begun) * 1000);
        this.showCounts();
        this.finish();
      },
    });
  }

  showSent(share, name) {
    if (share < 1) byId('listen-progress').value = share;
    else byId('listen-progress').removeAttribute('value'); // how long it takes is not known
    if (share === 1) this.setState(`Listening to “${name}” …`, true);
  }

  // Figures

  // What only a microphone has; a file has a length, and a progress.
  showLive(isLive) {
    byId('listen-live').hidden = byId('listen-waited').hidden = !isLive;
    byId('listen-progress').hidden = isLive;
    byId('listen-unit').textContent = isLive ? 'ms from the last word to its text' : 'times as fast as it was spoken';
    byId('figure-pause').textContent = `${Math.round(this.choices().pause * 1000)} ms`;
    this.showFigure(null);
    this.showCounts();
  }

  // The large one; null while it is not known.
  showFigure(value) {
    byId('listen-figure').classList.toggle('none', value === null);
    byId('listen-figure').textContent = value === null ? '–' : value < 10 ? value.toFixed(1) : Math.round(value);
  }

  showCounts() {
    const {seconds, wordCount, language} = this.heard.transcript;
    byId('figure-heard').textContent = seconds ? `${seconds.toFixed(1)} s` : '–';
    byId('figure-words').textContent = wordCount ? wordCount.toLocaleString('en') : '–';
    byId('figure-language').textContent = language ? nameOfLanguage(language) : '–';
  }

  // Written only when it is new: a screen reader would say it again.
  setState(words, isBusy) {
    if (byId('listen-state').textContent !== words) byId('listen-state').textContent = words;
    byId('listen-stop').disabled = !isBusy;
  }
}
