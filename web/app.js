// The playground: key, voices, tabs.

import {nameOfLanguage} from './languages.js';
import {ListenTab} from './listen.js';
import {MultiTab} from './multi.js';
import {cleanKey, getJson, keyOfAddress, loadKey, saveKey} from './server.js';
import {SpeakTab} from './speak.js';
import {watchTabs} from './tabs.js';
import {TalkTab} from './talk.js';

const byId = (id) => document.getElementById(id);
const VOICE_LISTS = ['voice', 'voice-left', 'voice-right', 'voice-talk'];
const CHECK_MS = 3000; // how soon a server that went away or came back is noticed
const ENDING = 'the server is ending'; // its reason not to be ready
const VOICES_EVERY = 5; // checks, until the voices are asked for again while some have a stand-in
const ANSWER_MS = 10000; // a server that takes longer to say that it is there is not

let key = loadKey();
let isUp = null;
let shown = ''; // the voices in the lists
let isIncomplete = false; // some of them are loading, or have a stand-in
let checks = 0;
let reading = 0; // of the voices: what an earlier one brings is of another key, or old

const page = {
  key: () => key,
  tell(words) {
    byId('notice').hidden = !words;
    byId('notice').textContent = words || '';
    if (words) byId('notice').scrollIntoView({block: 'nearest'}); // on a phone it is far from the buttons
  },
  refreshVoices() {
    shown = ''; // one of the lists is wrong
    loadVoices();
  },
  hush() {
    tabs.speak.hush();
    tabs.multi.hush();
    tabs.talk.hush();
  },
};

const tabs = {speak: new SpeakTab(page), listen: new ListenTab(page), multi: new MultiTab(page), talk: new TalkTab(page)};

// What a list says of a voice that is not ready. A stand-in is another speaker, until the voice itself is installed.
const AVAILABILITIES = {loading: ['loading'], stand_in: ['stand-in'], unavailable: ['unavailable']};

// A group for each language, in the order in which the server has their first voices: the best come first.
function groupVoices(voices) {
  const groups = new Map();
  for (const voice of voices) {
    const [language = '', ...others] = voice.supported_languages || [];
    const details = [voice.id, ...others, ...(AVAILABILITIES[voice.availability] || [])];
    const option = new Option(`${voice.name} (${details.join(', ')})`, voice.id);
    option.dataset.language = language;
    if (!groups.has(language)) {
      const group = document.createElement('optgroup');
      group.label = language ? nameOfLanguage(language) : 'Other';
      groups.set(language, group);
    }
    groups.get(language).append(option);
  }
  return groups.values();
}

function fillVoices(voices) {
  VOICE_LISTS.forEach((id, i) => {
    const list = byId(id);
    const chosen = list.value;
    list.replaceChildren(...groupVoices(voices));
    if (voices.some((voice) => String(voice.id) === chosen)) list.value = chosen;
    else if (i === 2 && voices.length > 1) list.selectedIndex = 1;
  });
  const languages = [...new Set(voices.flatMap((voice) => voice.supported_languages || []))].sort();
  const chosen = byId('language').value;
  byId('language').replaceChildren(new Option('the voice’s', ''), ...languages.map((code) => new Option(nameOfLanguage(code), code)));
  byId('language').value = chosen;
}

const PAGE_OF_VOICES = 100; // as many as the server gives at once

async function allVoices() {
  const all = [];
  for (;;) {
    const {voices} = await getJson(`/v1/voices?limit=${PAGE_OF_VOICES}&offset=${all.length}`, key);
    all.push(...voices);
    if (voices.length < PAGE_OF_VOICES) return all;
  }
}

async function loadVoices() {
  const mine = ++reading;
  if (!key) return;
  try {
    const voices = await allVoices();
    if (mine !== reading) return;
    isIncomplete = voices.some(({availability}) => availability === 'loading' || availability === 'stand_in');
    if (JSON.stringify(voices) !== shown) fillVoices(voices); // a list that is open would close
    shown = JSON.stringify(voices);
    tabs.speak.showChoices();
    await tabs.talk.loadAgents().catch(() => {});
  } catch (error) {
    if (mine === reading) page.tell(error.message);
  }
}

function showServer(state, words) {
  byId('server-state').className = `state ${state}`;
  byId('server-state').textContent = words;
}

async function checkServer() {
  try {
    const answer = await fetch('/ready', {signal: AbortSignal.timeout(ANSWER_MS)});
    if (answer.ok) showServer('good', 'Ready');
    else {
      const {reason = 'the server is starting or ending'} = await answer.json().catch(() => ({}));
      showServer('bad', reason[0].toUpperCase() + reason.slice(1));
      if (reason === ENDING) tabs.talk.letGo();
    }
    if (answer.ok && isUp === false) {
      page.tell(null);
      loadVoices(); // it was away: its voices may be others
    } else if (answer.ok && isIncomplete && ++checks % VOICES_EVERY === 0) {
      loadVoices(); // some may have been installed
    }
    if (answer.ok && !byId('panel-listen').hidden) loadModels();
    isUp = answer.ok;
  } catch {
    showServer('bad', 'The server is away; waiting for it');
    isUp = false;
  }
  setTimeout(checkServer, CHECK_MS);
}

// Until there are some.
function loadModels() {
  if (key && !tabs.listen.models.all.length) tabs.listen.load().catch(() => {}); // Listen tells what is wrong
}

function useKey(text) {
  key = cleanKey(text);
  byId('key').value = key;
  saveKey(key);
  page.tell(key ? null : 'Paste the key that “make run” printed, and press Use.');
  tabs.talk.leave(); // its connections are those of the key before
  tabs.listen.leave();
  tabs.speak.showChoices();
  loadVoices();
}

// Also when the address of a server that was started again is pasted over the one of this page.
function useAddress() {
  const given = keyOfAddress();
  if (given) useKey(given);
  return given;
}

function showTab(tab) {
  const name = tab.id.slice('tab-'.length);
  for (const other of Object.keys(tabs)) byId(`panel-${other}`).hidden = other !== name;
  if (name !== 'listen') tabs.listen.leave();
  else loadModels();
  if (name !== 'talk') tabs.talk.leaveSight();
  if (name === 'talk' && key) tabs.talk.loadAgents().catch(() => {}); // the configuration may have been read again
}

byId('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  useKey(byId('key').value);
});
byId('key-show').addEventListener('click', () => {
  const isShown = byId('key').type === 'text';
  byId('key').type = isShown ? 'password' : 'text';
  byId('key-show').setAttribute('aria-pressed', String(!isShown));
  byId('key-show').textContent = isShown ? 'Show' : 'Hide';
});
window.addEventListener('hashchange', useAddress);
watchTabs(Object.keys(tabs).map((name) => byId(`tab-${name}`)), showTab);
checkServer();
if (!useAddress()) useKey(key);

// For tests and for the curious: what the page holds.
window.syrinx = tabs;
