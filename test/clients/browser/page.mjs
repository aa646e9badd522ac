// page.mjs CASE: does with the playground what a person does, in a real browser, and prints as JSON
// what that person would see (drive.mjs).

import {key, launch, notice, page, parent, picture, run, says, seen, text, url} from './drive.mjs';

async function open({hash = `#key=${key}`, ...options} = {}) {
  await launch(options);
  await page.goto(`${url}/${hash}`);
  if (hash.includes(key)) await voices();
}

const use = async (text) => {
  await page.fill('#key', text);
  await page.click('#key-form button[type=submit]');
};
const voices = () => page.waitForFunction(() => document.querySelectorAll('#voice option').length > 0);
const firstAudio = () => page.waitForFunction(() => /\d/.test(document.getElementById('first-audio').textContent));
const isDone = () => page.waitForFunction(() => document.getElementById('speak-state').textContent === 'Done');
// Waits until something is heard that is no hiss; gives how loud it is.
const loudness = (tab = 'speak') => page.waitForFunction((tab) => {
  const level = window.syrinx[tab].player?.level() ?? 0;
  return level > 0.01 && level;
}, tab).then((level) => level.jsonValue());

const CASES = {
  async speaks() {
    await open();
    await page.fill('#text', 'Hello. This is a sentence of some length, which one can hear.');
    await page.click('#speak');
    await firstAudio();
    seen.level = await loudness();
    seen.lit = await page.waitForSelector('.lit').then((word) => word.textContent());
    await picture();
    await isDone();
    Object.assign(seen, {first: await text('#first-audio'), audio: await text('#figure-audio'),
      cost: await text('#figure-cost'), showsCost: await page.isVisible('#figure-cost'), characters: await text('#figure-characters')});
    seen.events = await page.evaluate(() => [...new Set(window.syrinx.speak.turn.events.map(({kind}) => kind))]);
    seen.holes = await page.evaluate(() => window.syrinx.speak.player.holes);
    seen.said = await page.evaluate(() => document.querySelectorAll('#words .said').length);
    seen.messages = await text('#messages-count');
  },

  async types_at_the_speed_of_a_model() {
    await open();
    await page.fill('#text', `The first sentence is short. ${'The others come a little later. '.repeat(40)}`);
    await page.check('#typed');
    await page.fill('#rate', '20');
    await page.click('#speak');
    await firstAudio();
    seen.sent = await page.evaluate(() => window.syrinx.speak.messages.lines.filter((line) => line.includes('→')));
    await page.click('#stop');
    await says('#speak-state', 'Stopped');
  },

  async stops() {
    await open();
    await page.fill('#text', 'One two three four five six seven eight nine ten. '.repeat(20));
    await page.click('#speak');
    await firstAudio();
    await page.keyboard.press('Escape');
    await says('#figure-stop', '\\d');
    Object.assign(seen, {stop: await text('#figure-stop'), state: await text('#speak-state')});
    Object.assign(seen, await page.evaluate(async () => {
      const {player} = window.syrinx.speak;
      const heard = player.heard();
      const later = player.context.currentTime + 0.2;
      while (player.context.currentTime < later) await new Promise(requestAnimationFrame);
      return {isPlaying: player.isPlaying, sources: player.sources.size, heardSince: player.heard() - heard};
    }));
  },

  async stops_what_is_left_of_a_lost_connection() {
    await open();
    await page.fill('#text', 'One two three four five six seven eight nine ten. '.repeat(200));
    await page.click('#speak');
    await loudness();
    await page.evaluate(() => window.syrinx.speak.socket.socket.close(4000));
    seen.notice = await notice();
    seen.canStop = await page.isEnabled('#stop');
    await page.click('#stop');
    seen.state = await text('#speak-state');
    seen.isPlaying = await page.evaluate(() => window.syrinx.speak.player.isPlaying);
  },

  async speaks_something_else_at_once() {
    await open();
    await page.fill('#text', 'One two three four five six seven eight nine ten. '.repeat(20));
    await page.click('#speak');
    await firstAudio();
    await page.fill('#text', 'Another text.');
    await page.click('#speak');
    await isDone();
    Object.assign(seen, await page.evaluate(() => {
      const {chunks, seconds} = window.syrinx.speak.turn;
      return {texts: chunks.map(({text}) => text), seconds};
    }));
  },

  // The cancel leaves only when the turn's end has come: the two have crossed on their way.
  async stops_what_has_just_ended() {
    await open({script: () => {
      const send = WebSocket.prototype.send;
      WebSocket.prototype.send = function sendOrWait(text) {
        if (!JSON.parse(text).cancel) return send.call(this, text);
        this.addEventListener('message', ({data}) => {
          if (JSON.parse(data).session_closed) setTimeout(() => send.call(this, text));
        });
      };
    }});
    await page.fill('#text', 'Counting from one to ten. '.repeat(3));
    await page.check('#typed');
    await page.click('#speak');
    await firstAudio();
    await page.keyboard.press('Escape');
    seen.state = await text('#speak-state');
    await page.evaluate(() => window.syrinx.speak.socket.send({flush: true}));
    await page.waitForFunction(() => /\d/.test(document.getElementById('figure-stop').textContent));
    await page.uncheck('#typed');
    await page.click('#speak');
    await isDone();
    seen.seconds = await page.evaluate(() => window.syrinx.speak.turn.seconds);
  },

  async speaks_another_voice_format_and_speed() {
    await open();
    await page.fill('#text', 'One two three four five six seven eight nine ten.');
    await page.selectOption('#voice', {index: 1});
    await page.selectOption('#format', 'ulaw_8000');
    await page.fill('#speed', '1.2');
    await page.click('#speak');
    await firstAudio();
    seen.level = await loudness();
    seen.rate = await page.evaluate(() => window.syrinx.speak.turn.rate);
    seen.voice = await page.inputValue('#voice');
    seen.sent = await page.evaluate(() => window.syrinx.speak.messages.lines[0]);
  },

  async says_what_is_wrong_with_the_key() {
    await open({hash: ''});
    seen.without = await notice();
    await page.click('#speak');
    seen.speaking = await notice();
    await use('ka_' + 'x'.repeat(40));
    await says('#notice', 'does not know');
    await picture();
    await use(` "${key}"\t\u200b `);
    await voices();
    seen.isHidden = await page.isHidden('#notice');
    await use('ka_…'); // as the pages show it
    await says('#notice', 'does not know');
    await use(`  API key             ${key}`);
    await says('#notice', '^$');
    seen.key = await page.inputValue('#key');
    await page.evaluate(() => { location.hash = '#key=ka_of_another_day'; });
    await says('#notice', 'does not know');
    seen.fromAddress = await page.inputValue('#key');
    seen.address = page.url();
  },

  async says_that_a_text_is_too_long_or_empty() {
    await open();
    await page.fill('#text', '   ');
    await page.click('#speak');
    seen.empty = await notice();
    await page.fill('#text', 'word '.repeat(20001));
    await page.click('#speak');
    seen.long = await notice();
  },

  async speaks_a_hundred_thousand_characters() {
    await open();
    await page.fill('#text', 'Word word. '.repeat(9090));
    await page.click('#speak');
    seen.level = await loudness();
    await page.waitForFunction(() => window.syrinx.speak.turn.seconds > 40);
    seen.sources = await page.evaluate(() => window.syrinx.speak.player.sources.size);
    seen.height = await page.evaluate(() => document.getElementById('words').offsetHeight);
    await page.click('#stop');
    seen.count = await text('#text-count');
  },

  async says_that_a_voice_is_gone() {
    await open();
    await page.evaluate(() => {
      const option = document.querySelector('#voice').appendChild(new Option('Gone', '999999'));
      option.selected = true;
    });
    await page.click('#speak');
    seen.notice = await notice();
    await page.waitForFunction(() => !document.querySelector('#voice option[value="999999"]'));
    seen.voice = await page.inputValue('#voice');
    await page.click('#tab-talk');
    await page.evaluate(() => document.querySelector('#voice-talk').add(new Option('Gone', '999999', true, true)));
    await page.fill('#talk-text', 'Hello?');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => !document.querySelector('#voice-talk option[value="999999"]'));
    seen.talking = await notice();
  },

  // Asking the page anything counts as a click, so it is left alone until it has tried.
  async says_that_sound_is_blocked() {
    await launch({gesture: true, script: () => window.addEventListener('load', async () => {
      await window.syrinx.speak.speak();
      console.info(document.getElementById('notice').textContent);
    })});
    const told = page.waitForEvent('console', (message) => message.type() === 'info');
    await page.goto(`${url}/#key=${key}`);
    seen.notice = (await told).text();
    await page.evaluate(() => { window.AudioContext = undefined; });
    await page.selectOption('#format', 'pcm_16000');
    await page.click('#tab-multi');
    await page.click('#tab-speak');
    await page.click('#speak');
    seen.without = await notice();
  },

  async waits_for_a_server_that_went_away() {
    await open();
    await page.fill('#text', 'One two three four five six seven eight nine ten. '.repeat(8));
    await page.click('#speak');
    await firstAudio();
    await parent('wait: stop');
    await page.waitForFunction(() => /away/.test(document.getElementById('server-state').textContent));
    seen.heard = await page.evaluate(() => window.syrinx.speak.turn.isOver); // a server that ends finishes its turns
    await picture();
    await parent('wait: start');
    await page.waitForFunction(() => document.getElementById('server-state').textContent === 'Ready');
    await page.click('#speak');
    await firstAudio();
    seen.isBack = await page.isHidden('#notice');
  },

  async lets_two_speak_at_once() {
    await open();
    await page.click('#tab-multi');
    await page.click('#multi-speak');
    await page.waitForFunction(() => /Both have/.test(document.getElementById('multi-state').textContent));
    seen.seconds = await page.evaluate(() => Object.values(window.syrinx.multi.sides).map(({turn}) => turn.seconds));
    await picture();
  },

  async takes_what_people_do_with_two_voices() {
    await open();
    await page.click('#tab-multi');
    await page.evaluate(() => {
      for (let i = 0; i < 3; ++i) document.getElementById('multi-form').requestSubmit();
    });
    await page.waitForFunction(() => Object.values(window.syrinx.multi.sides).filter(({player}) => player.hasBegun).length === 2);
    await page.focus('#multi-speak');
    await page.keyboard.press('Escape');
    await says('#multi-state', 'Stopped');
    await page.waitForFunction(() => window.syrinx.multi.socket.readyState === WebSocket.CLOSED);
    await page.waitForFunction(() => [...document.querySelectorAll('[data-stop]')].every(({disabled}) => disabled));
    seen.notice = await text('#notice');
    await page.fill('#text-left', '');
    await page.fill('#text-right', 'Alone.');
    await page.click('#multi-speak');
    await says('#multi-state', 'All was said');
    await page.evaluate(() => document.querySelector('#voice-right').add(new Option('Gone', '999999', true, true)));
    await page.click('#multi-speak');
    seen.gone = await notice();
    await page.waitForFunction(() => !document.querySelector('#voice-right option[value="999999"]'));
    await says('#multi-state', '^$');
    seen.stillGone = await notice();
  },

  async talks_with_an_agent() {
    await open();
    await page.click('#tab-talk');
    await page.fill('#talk-text', 'Good morning, who are you?');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /Heard/.test(document.getElementById('talk-state').textContent));
    seen.level = await loudness('talk');
    seen.answer = await text('#talk .agent');
    await picture();
  },

  async hears_two_sentences_at_once() {
    await launch();
    seen.sockets = [];
    page.on('websocket', (socket) => seen.sockets.push(new URL(socket.url()).pathname));
    await page.goto(`${url}/#key=${key}`);
    await voices();
    await page.click('#tab-talk');
    await page.evaluate(() => {
      for (const sentence of ['Good morning.', 'I mean: good evening.']) {
        document.getElementById('talk-text').value = sentence;
        document.getElementById('talk-form').requestSubmit();
      }
    });
    seen.level = await loudness('talk');
    await page.waitForFunction(() => document.getElementById('talk-stop').disabled);
    seen.turns = await page.$$eval('#talk li', (lines) => lines.map(({className, textContent}) => [className, textContent]));
    await page.evaluate(() => window.syrinx.talk.agent.close(4000)); // while nobody speaks
    await page.waitForFunction(() => window.syrinx.talk.agent.readyState === WebSocket.CLOSED);
    seen.notice = await text('#notice');
    await page.fill('#talk-text', 'Are you there?');
    await page.keyboard.press('Enter');
    await loudness('talk');
    await page.route('**/ready', (route) => route.fulfill({status: 503, json: {reason: 'the server is ending'}}));
    await page.waitForFunction(() => window.syrinx.talk.agent === null); // it is not what a server waits for that ends
    seen.last = await text('#talk li:last-child');
  },

  async stops_an_agent_that_writes() {
    await open();
    await page.click('#tab-talk');
    await page.fill('#talk-text', 'Go on for ever.');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#talk .agent');
    await page.keyboard.press('Escape');
    seen.state = await text('#talk-state');
    seen.stopped = await page.isDisabled('#talk-stop');
    await parent('wait: closed');
    await page.fill('#talk-text', 'Again.');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelectorAll('#talk .agent').length === 2);
    seen.turns = await page.$$eval('#talk li', (lines) => lines.map(({className}) => className));
    await page.click('#talk-stop');
  },

  async says_that_an_agent_is_gone() {
    await open();
    await page.click('#tab-talk');
    await page.waitForFunction(() => document.querySelectorAll('#agent option').length > 0);
    await parent('wait: reload');
    await page.fill('#talk-text', 'Hello?');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /configuration any more/.test(document.getElementById('notice').textContent));
    seen.agents = await page.$$eval('#agent option', (options) => options.map(({value}) => value));
    seen.state = await text('#talk-state');
  },

  async says_that_a_key_may_not() {
    await open();
    await page.click('#speak');
    await page.waitForFunction(() => /scope/.test(document.getElementById('notice').textContent));
    seen.notice = await notice();
  },

  async says_why_a_connection_is_refused() {
    await open();
    await page.click('#speak');
    await firstAudio();
    await page.click('#tab-multi');
    await page.click('#multi-speak');
    seen.notice = await notice();
  },

  async lists_voices_by_language() {
    await open();
    seen.lists = await page.evaluate(() => ['voice', 'voice-left', 'voice-right', 'voice-talk'].map((id) =>
      [...document.getElementById(id).children].map((group) =>
        [group.label, [...new Set([...group.children].map((option) => option.dataset.language))], group.children.length])));
    seen.right = await page.inputValue('#voice-right');
    seen.left = await page.inputValue('#voice-left');
    seen.names = await page.$$eval('#voice option', (options) => options.map(({value, text}) => [value, text]));
  },

  async can_be_used_by_keyboard_alone() {
    await open();
    await page.focus('#tab-speak');
    await page.keyboard.press('ArrowRight');
    seen.tab = await page.evaluate(() => document.activeElement.id);
    await page.keyboard.press('ArrowLeft');
    await page.click('text=Code with these settings');
    await page.focus('[data-code=python]');
    await page.keyboard.press('ArrowLeft');
    seen.codeTab = await page.evaluate(() => document.activeElement.dataset.code);
    seen.code = await text('#code');
    await page.focus('#text');
    await page.keyboard.press('Control+Enter');
    await firstAudio();
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.getElementById('speak-state').textContent === 'Stopped');
    seen.unnamed = await page.evaluate(() => [...document.querySelectorAll('input, select, textarea, button')]
      .filter((element) => !element.labels?.length && !element.textContent.trim() && !element.ariaLabel).map(({id}) => id));
  },

  async fits_a_phone_and_the_dark() {
    await open({viewport: {width: 360, height: 740}, colorScheme: 'dark'});
    await page.click('#speak');
    await firstAudio();
    seen.overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    seen.ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await picture();
  },

  async shows_code_that_can_be_pasted() {
    await open();
    await page.fill('#text', "It's “quoted” \\ here.");
    await page.click('text=Code with these settings');
    seen.code = {};
    for (const language of ['python', 'javascript', 'curl']) {
      await page.click(`[data-code=${language}]`);
      seen.code[language] = await text('#code');
    }
    await page.selectOption('#format', 'pcm_8000');
    seen.code.telephone = await text('#code');
  },
};

await run(CASES);
