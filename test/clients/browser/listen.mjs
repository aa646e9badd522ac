// listen.mjs CASE: does with the playground's Listen tab what a person does, in a real browser, and prints as JSON
// what that person would see (drive.mjs).  SOUND is the file that the microphone hears.

import {readFileSync} from 'node:fs';
import {key, launch, MICROPHONE, notice, page, parent, picture, run, says, seen, text, url} from './drive.mjs';

const {READER: reader, SOUND: sound} = process.env;

async function open({flags = MICROPHONE, address = url, ...options} = {}) {
  await launch({flags, ...options});
  await page.goto(`${address}/#key=${key}`);
  await page.click('#tab-listen');
}

const lines = () => page.$$eval('#listen-text p', (all) => all.map((line) => line.lastChild.textContent));
const hasLines = (count) => page.waitForFunction((count) => document.querySelectorAll('#listen-text p').length >= count, count);
const isDone = () => says('#listen-state', '^Done$');
const drop = (name, type, base64) => page.evaluate(async ([name, type, base64]) => {
  const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], name, {type}));
  document.body.dispatchEvent(new DragEvent('dragover', {dataTransfer, bubbles: true, cancelable: true}));
  document.body.dispatchEvent(new DragEvent('drop', {dataTransfer, bubbles: true, cancelable: true}));
}, [name, type, base64]);

async function outputs() {
  const all = {};
  for (const name of ['text', 'srt', 'vtt', 'json']) {
    await page.click(`[data-output=${name}]`);
    all[name] = await text('#output');
  }
  return all;
}

const words = (line) => line.split(' ').map((word) => word.split('@')).map(([word, start, end]) => ({word, start: Number(start), end: Number(end)}));
const ENGLISH = {task: 'transcribe', language: 'english', duration: 9.5, text: 'Good morning. Tea & <milk>?',
  segments: [{id: 0, start: 0.5, end: 1.4, text: ' Good morning.'}, {id: 1, start: 8, end: 9, text: ' Tea & <milk>?'}],
  words: words('Good@0.5@0.8 morning@0.9@1.4 Tea@8@8.3 milk@8.6@9')};
const HEBREW = {language: 'hebrew', duration: 2, text: 'שלום, עולם.', segments: [{start: 0.2, end: 1.5, text: 'שלום, עולם.'}],
  words: words('שלום@0.2@0.7 עולם@0.8@1.5')};
// One segment: a sentence's end, and a pause that is longer than a subtitle is shown.
const LONG = {language: 'english', duration: 13, text: '', segments: [{start: 0, end: 13, text: 'One two three four five six. Seven eight nine ten'}],
  words: words('One@0@0.4 two@0.5@0.9 three@1@1.4 four@1.5@1.9 five@2@2.4 six@2.5@2.9 Seven@3@3.4 eight@11@11.4 nine@12@12.4 ten@12.5@12.9')};

const CASES = {
  async hears_the_microphone() {
    await open();
    page.on('websocket', (socket) => { seen.query = Object.fromEntries(new URL(socket.url()).searchParams); });
    await page.waitForFunction(() => document.querySelectorAll('#listen-model option').length > 1);
    seen.models = await page.$$eval('#listen-model option', (options) => options.map((option) => option.textContent));
    await page.selectOption('#listen-model', {index: 1});
    await page.fill('#listen-pause', '0.5');
    await page.check('#listen-times');
    await page.click('#listen');
    await says('#listen-partial', '\\S');
    seen.partial = await text('#listen-partial');
    await says('#listen-activity', '^Speech$');
    seen.level = await page.waitForFunction(() => document.getElementById('listen-level').value > 0.01 && document.getElementById('listen-level').value)
      .then((level) => level.jsonValue());
    await picture('listen-partial');
    await hasLines(1);
    seen.spans = await page.evaluate(() => window.syrinx.listen.strip.spans.length);
    await says('#listen-figure', '\\d');
    seen.figure = await text('#listen-figure');
    await says('#listen-partial', '\\S');
    await page.click('#listen-stop'); // in the middle of a sentence
    await isDone();
    seen.lines = await lines();
    seen.times = await page.$$eval('#listen-text p:first-child .word', (words) => words.map(({dataset, textContent}) => [textContent, dataset.at]));
    seen.outputs = await outputs();
    seen.messages = await page.$$eval('#listen-messages li', (all) => all.map((line) => line.lastChild.data));
    seen.isReleased = await page.evaluate(() => window.syrinx.listen.microphone === null);
    await picture('listen');
  },

  // What a server answers with a model that is not installed here.
  async transcribes_files() {
    let answer = {json: ENGLISH};
    await open();
    await page.route('**/v1/audio/transcriptions', (route) => route.fulfill(answer));
    await page.setInputFiles('#listen-file', {name: 'talk.wav', mimeType: 'audio/wav', buffer: readFileSync(sound)});
    await isDone();
    seen.lines = await lines();
    seen.outputs = await outputs();
    seen.language = await text('#figure-language');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#output-download')]);
    seen.name = download.suggestedFilename();
    seen.downloaded = readFileSync(await download.path(), 'utf8');
    await picture('listen-file');
    seen.cues = await page.evaluate(async (answer) => {
      const {Transcript} = await import('/web/transcript.js');
      const cues = Transcript.ofJson(answer).srt().trim().split('\n\n').map((cue) => cue.split('\n'));
      const seconds = (time) => Number(time.slice(6).replace(',', '.'));
      return cues.map(([, times, words]) => [words, ...times.split(' --> ').map(seconds)]);
    }, LONG);
    answer = {json: HEBREW};
    await drop('שלום.ogg', 'audio/ogg', 'T2dnUw==');
    await isDone();
    await page.check('#listen-times');
    seen.direction = await page.$eval('#listen-text p', (line) => getComputedStyle(line).direction);
    seen.dropped = await lines();
    await page.click('[data-output=srt]');
    await picture('listen-right-to-left');
    answer = {status: 400, json: {error: {message: 'the file is not audio that can be decoded', type: 'invalid_request_error'}}};
    await drop('bad.mp3', 'audio/mpeg', 'SUQz');
    seen.notice = await notice();
    seen.state = await text('#listen-state');
    await page.evaluate(() => window.syrinx.listen.transcribe(new File([new ArrayBuffer(26 << 20)], 'long.wav')));
    seen.long = await notice();
  },

  async uploads_a_file() {
    await open();
    await page.setInputFiles('#listen-file', {name: 'talk.wav', mimeType: 'audio/wav', buffer: readFileSync(sound)});
    await isDone();
    seen.lines = await lines();
    seen.outputs = await outputs();
  },

  async says_why_it_cannot_listen() {
    await open();
    await says('#listen-hint', '\\S'); // there are no models
    seen.hint = await text('#listen-hint');
    await picture('listen-no-models');
    await page.click('#listen');
    seen.without = await notice();
    await parent('wait: fetched');
    await page.waitForFunction(() => document.querySelectorAll('#listen-model option').length > 1); // and is noticed
    await page.fill('#key', reader);
    await page.click('#key-form button[type=submit]');
    await page.click('#listen');
    await says('#notice', 'scope');
    seen.refused = await notice();
    seen.state = await text('#listen-state');
    seen.canStop = await page.isEnabled('#listen-stop');
  },

  // Without the flag that grants it nobody answers, and a headless browser takes that for a no.
  async says_that_the_microphone_is_not_allowed() {
    await open({flags: ['--use-fake-device-for-media-stream', '--deny-permission-prompts']});
    await page.click('#listen');
    seen.notice = await notice();
    seen.state = await text('#listen-state');
  },

  async says_that_a_page_without_tls_has_no_microphone() {
    const other = url.replace('127.0.0.1', 'syrinx.test');
    await open({address: other, flags: ['--host-resolver-rules=MAP syrinx.test 127.0.0.1']});
    await page.click('#listen');
    seen.notice = await notice();
    seen.foreign = seen.foreign.filter((address) => !address.startsWith(other));
    seen.complaints = seen.complaints.filter((words) => !words.includes('Cross-Origin-Opener-Policy')); // browsers want https for it
    await picture('listen-no-tls');
  },

  async stops_when_another_tab_is_shown() {
    await open();
    await page.focus('#tab-listen');
    await page.keyboard.press('Tab');
    seen.first = await page.evaluate(() => document.activeElement.id);
    await page.keyboard.press('Enter');
    await says('#listen-state', '^Listening$');
    await page.waitForFunction(() => window.syrinx.listen.strip.seconds > 0.2);
    const track = await page.evaluateHandle(() => window.syrinx.listen.microphone.stream.getTracks()[0]);
    await page.focus('#tab-listen');
    await page.keyboard.press('End');
    seen.tab = await page.evaluate(() => document.activeElement.id);
    seen.isLive = await track.evaluate(({readyState}) => readyState === 'live');
    seen.state = await text('#listen-state');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.click('#listen');
    await says('#listen-state', '^Listening$');
    await page.keyboard.press('Escape');
    await says('#listen-state', 'Nothing was said|Done');
    seen.unnamed = await page.evaluate(() => [...document.querySelectorAll('input, select, textarea, button, meter')]
      .filter((element) => !element.labels?.length && !element.textContent.trim() && !element.ariaLabel).map(({id}) => id));
  },

  // Its microphone is like Firefox's: it has its own rate, and no other.
  async fits_a_phone_and_the_dark() {
    await open({viewport: {width: 360, height: 740}, colorScheme: 'dark', script: () => {
      const create = AudioContext.prototype.createMediaStreamSource;
      AudioContext.prototype.createMediaStreamSource = function createAtItsRate(stream) {
        if (this.sampleRate === 16000) throw new DOMException('another rate', 'NotSupportedError');
        return create.call(this, stream);
      };
    }});
    await page.click('#listen');
    await hasLines(1);
    seen.rate = await page.evaluate(() => window.syrinx.listen.socket.rate);
    seen.line = (await lines())[0];
    seen.isInSight = await page.evaluate(() => document.getElementById('listen-partial').getBoundingClientRect().bottom <= window.innerHeight &&
      document.getElementById('listen-stop').getBoundingClientRect().top >= 0);
    seen.overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await picture('listen-phone');
    await page.emulateMedia({forcedColors: 'active', colorScheme: 'light'});
    await page.setViewportSize({width: 1200, height: 1000});
    await picture('listen-forced-colors');
  },
};

await run(CASES);
