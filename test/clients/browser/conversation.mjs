// conversation.mjs CASE: a developer's page on which people talk with an agent, with ElevenLabs' own client, in a
// real browser; prints what the page was told as JSON (drive.mjs).  SOUND is the file that the microphone hears, APP
// the developer's server (../voice_app.mjs), and AGENT, SHORT and CLOSED are its engines.

import {page, parent, picture, run, seen, url} from './drive.mjs';
import {openSite, packaged} from './site.mjs';

const {APP: app, AGENT: agent, SHORT: short, CLOSED: closed} = process.env;
const PAGE = '<!doctype html><title>Conversation</title><pre></pre><script src="/client.js"></script>';
const origin = url.replace('http', 'ws');

const open = () => openSite(PAGE, () => packaged('@elevenlabs/client/dist/lib.iife.js'));

async function signedUrl(of = agent, once = '') {
  const answer = await (await fetch(`${app}/signed-url?agent=${of}&once=${once}`)).json();
  if (!answer.signedUrl) throw new Error(JSON.stringify(answer));
  return answer.signedUrl;
}

// Starts a session and records what the page is told as [name, data]; returns why it has failed, or ''.  The `first`
// message is sent as soon as that is possible.
function start(options, first) {
  return page.evaluate(async ([options, first]) => {
    const note = (name, data) => {
      window.events.push([name, data ?? {}]);
      document.querySelector('pre').textContent += `${name} ${JSON.stringify(data ?? {}).slice(0, 100)}\n`;
    };
    window.events = [];
    const on = {};
    for (const name of ['Connect', 'Message', 'ModeChange', 'Interruption', 'AgentResponseCorrection', 'StatusChange',
      'AgentChatResponsePart', 'Disconnect', 'Ping', 'Debug']) on[`on${name}`] = (data) => note(name, data);
    on.onAudio = () => note('Audio', {});
    on.onDisconnect = ({reason, message, closeCode, closeReason}) => note('Disconnect', {reason, message, closeCode, closeReason});
    on.onError = (message, context) => note('Error', {message, context});
    try {
      window.conversation = await window.ElevenLabsClient.Conversation.startSession({...options, ...on});
      if (first) window.conversation.sendUserMessage(first);
      return '';
    } catch (error) {
      return error.message ?? JSON.stringify({code: error.code, reason: error.reason});
    }
  }, [options, first]);
}

const events = () => page.evaluate(() => window.events);
const call = (method, ...options) => page.evaluate(([method, options]) => window.conversation[method](...options), [method, options]);

// Waits for an event whose data match, after that many of its kind; returns how many events there are up to it.
async function until(name, words = '', after = 0) {
  const found = await page.waitForFunction(([name, words, after]) => {
    const at = window.events.findIndex((event, i) => i >= after && event[0] === name && new RegExp(words, 'i').test(JSON.stringify(event[1])));
    const isOver = window.events.some((event) => event[0] === 'Disconnect');
    return at >= 0 ? at + 1 : isOver ? -1 : 0;
  }, [name, words, after]);
  const at = await found.jsonValue();
  if (at < 0) throw new Error(`no ${name} ${words} among ${JSON.stringify((await events()).filter(([name]) => name !== 'Audio'))}`);
  return at;
}

const CASES = {
  async talks_and_interrupts() {
    await open();
    const why = await start({signedUrl: await signedUrl(agent, 'true'), overrides: {agent: {firstMessage: 'Welcome.'}}});
    if (why) throw new Error(why);
    let at = await until('Message', 'Welcome');
    at = await until('Message', '"role":"user".*story', at);
    at = await until('Interruption', '', at);
    // The caller has asked again.
    at = await until('Message', '"role":"user".*story', at);
    await call('setMicMuted', true);
    at = await until('Audio', '', at);
    await picture('conversation');
    await call('sendUserMessage', 'Good evening.');
    at = await until('Message', 'You said: Good evening', at);
    await until('Audio', '', at);
    await call('sendContextualUpdate', 'The user looks at the prices.');
    await call('sendUserMessage', 'What do you see?');
    at = await until('Message', 'You said: What do you see', at);
    await until('Audio', '', at);
    seen.id = await call('getId');
    await call('endSession');
    await until('Disconnect');
    seen.events = await events();
  },

  async writes() {
    await open();
    const why = await start({signedUrl: await signedUrl(), textOnly: true, overrides: {agent: {firstMessage: 'Hello in writing.'}}},
      'At once.');
    if (why) throw new Error(why);
    let at = await until('Message', 'You said: At once');
    await call('sendContextualUpdate', 'It rains.');
    await call('sendUserMessage', 'And now?');
    at = await until('Message', 'You said: And now', at);
    await call('sendUserMessage', 'Please fail.');
    at = await until('Error', 'custom_llm_error', at);
    await call('sendUserMessage', 'Still there?');
    await until('Message', 'You said: Still there', at);
    await call('endSession');
    await until('Disconnect');
    seen.events = await events();
    seen.complaints = seen.complaints.filter((complaint) => !/custom_llm_error/.test(complaint));
  },

  async is_ended_by_the_server() {
    await open();
    seen.why = await start({signedUrl: await signedUrl(short), textOnly: true});
    await until('Disconnect');
    seen.events = await events();
  },

  async is_refused() {
    await open();
    const once = await signedUrl(agent, 'true');
    seen.why = {first: await start({signedUrl: once, textOnly: true})};
    await call('endSession');
    seen.why.again = await start({signedUrl: once, textOnly: true});
    seen.why.forged = await start({signedUrl: (await signedUrl()).replace(/.{6}$/, 'AAAAAA'), textOnly: true});
    seen.why.unknown = await start({agentId: 'seng_01234567890123456789012345', origin, textOnly: true});
    seen.why.override = await start({signedUrl: await signedUrl(closed), textOnly: true,
      overrides: {agent: {firstMessage: 'Mine.'}}});
    seen.why.prompt = await start({signedUrl: await signedUrl(), textOnly: true, overrides: {agent: {prompt: {prompt: 'Mine.'}}}});
    seen.why.webrtc = await start({agentId: agent, origin: url});
    seen.foreign = seen.foreign.filter((address) => !address.startsWith(`${url}/v1/convai/conversation/token?`));
    seen.complaints = seen.complaints.filter((complaint) => !/^WebSocket|ElevenLabs|conversation token/.test(complaint));
  },

  // The developer's server is restarted.
  async outlives_the_developers_server() {
    await open();
    const why = await start({signedUrl: await signedUrl(), textOnly: true});
    if (why) throw new Error(why);
    await call('sendUserMessage', 'Before.');
    let at = await until('Message', 'You said: Before');
    await parent('wait: restart');
    await call('sendUserMessage', 'After.');
    at = await until('Message', 'You said: After', at);
    await call('endSession');
    await until('Disconnect');
    seen.events = await events();
  },
};

await run(CASES);
