// talk.mjs CASE: does with the microphone of the playground's Talk tab what a person does, in a real browser, and
// prints as JSON what that person would see (drive.mjs).  SOUND is the file that the microphone hears.

import {key, launch, MICROPHONE, notice, page, picture, run, says, seen, text, url} from './drive.mjs';

// Every state that was shown, and whatever the browser was asked to play, is noted.
function watch() {
  window.states = [];
  document.addEventListener('DOMContentLoaded', () => {
    const state = document.getElementById('talk-state');
    new MutationObserver(() => window.states.push(state.textContent)).observe(state, {childList: true});
  });
}

async function open({flags = MICROPHONE, address = url, script = watch, ...options} = {}) {
  await launch({flags, script, ...options});
  await page.goto(`${address}/#key=${key}`);
  await page.waitForFunction(() => document.querySelectorAll('#agent option').length > 0);
  await page.click('#tab-talk');
}

const turns = () => page.$$eval('#talk li', (all) => all.map(({className, firstChild}) => [className, firstChild.textContent]));
const level = () => page.waitForFunction(() => {
  const level = window.syrinx.talk.spoken.call?.player?.level() ?? 0;
  return level > 0.01 && level;
}).then((found) => found.jsonValue());
const states = () => page.evaluate(() => window.states);
const type = async (words) => {
  await page.fill('#talk-text', words);
  await page.keyboard.press('Enter');
};

const CASES = {
  async talks() {
    await open();
    await page.focus('#talk-start');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#talk-partial:not([hidden])');
    seen.partial = await text('#talk-partial');
    await says('#talk-activity', '^Speech$');
    await page.waitForSelector('#talk .agent .took');
    seen.level = await level();
    seen.took = await text('#talk .agent .took');
    seen.figure = await text('#talk-figure');
    seen.stretches = await page.$$eval('#talk .agent .track span', (parts) => parts.map(({className, offsetWidth}) => [className, offsetWidth]));
    await picture('talk-by-microphone');
    seen.turns = await turns();
    await page.keyboard.press('Escape');
    seen.states = await states();
    seen.isReleased = await page.evaluate(() => window.syrinx.talk.spoken.call === null);
    seen.messages = await page.$$eval('#talk-messages li', (all) => all.map((line) => line.lastChild.data));
    await type('And in writing?'); // goes on where it was, without a microphone
    await page.waitForFunction(() => [...document.querySelectorAll('#talk .agent')].at(-1).textContent.includes('And in writing?'));
    seen.last = (await turns()).at(-1)[1];
  },

  // The agent greets at length, and the microphone speaks over it.
  async interrupts() {
    await open();
    await page.click('#talk-start');
    await level();
    await page.waitForSelector('#talk .agent del');
    await page.waitForSelector('#talk .agent .k-cut');
    seen.cut = await page.$eval('#talk .agent', ({className, firstChild: said}) =>
      [className, said.firstChild.data ?? '', said.querySelector('del').lastChild.data]);
    seen.silent = await text('#talk .agent .took');
    seen.figure = await text('#figure-cut');
    await picture('talk-interrupted');
    await page.click('#talk-mute');
    seen.mute = await page.getAttribute('#talk-mute', 'aria-pressed');
    await says('#talk-activity', '^Muted$');
    const before = await page.$$eval('#talk .agent', ({length}) => length);
    await type('Are you there?'); // in the same conversation
    await page.waitForFunction((before) => document.querySelectorAll('#talk .agent').length > before, before);
    await page.waitForFunction(() => [...document.querySelectorAll('#talk .agent')].at(-1).querySelector('.took'));
    await type('Stop it.'); // which interrupts it too
    await page.waitForFunction(() => /Stop it/.test([...document.querySelectorAll('#talk .agent .said')].at(-1).textContent));
    seen.turns = await turns();
    seen.sent = await page.$$eval('#talk-messages .out', (all) => all.map((line) => line.lastChild.data));
    const track = await page.evaluateHandle(() => window.syrinx.talk.spoken.call.microphone.stream.getTracks()[0]);
    await page.click('#tab-speak'); // a microphone that nobody sees is not listened to
    seen.isLive = await track.evaluate(({readyState}) => readyState === 'live');
    seen.state = await text('#talk-state');
    seen.unnamed = await page.evaluate(() => [...document.querySelectorAll('input, select, textarea, button, meter')]
      .filter((element) => !element.labels?.length && !element.textContent.trim() && !element.ariaLabel).map(({id}) => id));
  },

  async is_denied() {
    await open({flags: ['--use-fake-device-for-media-stream', '--deny-permission-prompts']});
    await page.click('#talk-start');
    seen.notice = await notice();
    seen.state = await text('#talk-state');
    seen.canStart = await page.getAttribute('#talk-start', 'aria-disabled');
    await type('Then I type.');
    await says('#talk-state', 'Heard after');
    seen.turns = await turns();
  },

  async has_no_tls() {
    const other = url.replace('127.0.0.1', 'syrinx.test');
    await open({address: other, flags: ['--host-resolver-rules=MAP syrinx.test 127.0.0.1']});
    await page.click('#talk-start');
    seen.notice = await notice();
    seen.foreign = seen.foreign.filter((address) => !address.startsWith(other));
    seen.complaints = seen.complaints.filter((words) => !words.includes('Cross-Origin-Opener-Policy')); // browsers want https for it
  },

  async is_told_what_is_missing() {
    await open();
    await page.click('#talk-start');
    seen.notice = await notice();
    await says('#talk-state', '^Ended$');
  },

  // Its microphone is like Firefox's: it has its own rate, and no other.
  async fits_a_phone_and_the_dark() {
    await open({viewport: {width: 390, height: 844}, colorScheme: 'dark', script: () => {
      const create = AudioContext.prototype.createMediaStreamSource;
      AudioContext.prototype.createMediaStreamSource = function createAtItsRate(stream) {
        if (this.sampleRate === 16000) throw new DOMException('another rate', 'NotSupportedError');
        return create.call(this, stream);
      };
    }});
    await page.click('#talk-start');
    await page.waitForSelector('#talk .user');
    await page.waitForSelector('#talk .agent .took');
    seen.rate = await page.evaluate(() => window.syrinx.talk.spoken.call.microphone.rate);
    seen.words = await text('#talk .user .said');
    seen.inSight = await page.evaluate(() => ['talk-stop', 'talk-text'].map((id) => {
      const {top, bottom} = document.getElementById(id).getBoundingClientRect();
      return top >= 0 && bottom <= window.innerHeight;
    }));
    seen.overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await picture('talk-phone');
  },
};

await run(CASES);
