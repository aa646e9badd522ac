// react.mjs CASE: a developer's page on which people talk with an agent, with ElevenLabs' library for React, in a real
// browser; prints what the page has shown as JSON (drive.mjs).  The environment is that of conversation.mjs.
//
// There is no bundler: the browser itself loads the library's modules.  React 18 is not made of modules, so its two
// are written here.

import {createRequire} from 'node:module';
import {page, picture, run, seen, text} from './drive.mjs';
import {openSite, packaged} from './site.mjs';

const {APP: app, AGENT: agent} = process.env;
const exportsOf = (name) => Object.keys(createRequire(import.meta.url)(name)).filter((key) => !key.startsWith('__'));

const IMPORTS = {
  'react': '/react.mjs',
  'react/jsx-runtime': '/react-jsx.mjs',
  '@elevenlabs/react': '/@elevenlabs/react/dist/index.js',
  '@elevenlabs/client': '/@elevenlabs/client/dist/platform/web/index.js',
  '@elevenlabs/client/internal': '/@elevenlabs/client/dist/internal.js',
  'livekit-client': '/livekit-client/dist/livekit-client.esm.mjs',
};

// What the developer has written.
const APP_SCRIPT = `
import {createElement, useState} from 'react';
import {ConversationProvider, useConversation} from '@elevenlabs/react';

function Agent() {
  const [lines, setLines] = useState([]);
  const add = (line) => setLines((lines) => [...lines, line]);
  const conversation = useConversation({
    onMessage: ({role, message}) => add(role + ': ' + message),
    onError: (message) => add('error: ' + message),
    onDisconnect: ({reason}) => add('over: ' + reason),
  });
  window.conversation = conversation;
  return createElement('div', null,
    createElement('p', {id: 'status'}, conversation.status),
    createElement('p', {id: 'mode'}, conversation.isSpeaking ? 'speaking' : 'listening'),
    createElement('button', {onClick: () => conversation.startSession({signedUrl: window.signedUrl})}, 'Start'),
    createElement('pre', null, lines.join('\\n')));
}

window.ReactDOM.createRoot(document.getElementById('root')).render(
  createElement(ConversationProvider, null, createElement(Agent)));
`;

const PAGE = `<!doctype html><title>React</title><div id="root"></div>
<script type="importmap">${JSON.stringify({imports: IMPORTS})}</script>
<script src="/react/umd/react.production.min.js"></script>
<script src="/react-dom/umd/react-dom.production.min.js"></script>
<script type="module" src="/app.mjs"></script>`;

function find(path) {
  switch (path) {
    case '/app.mjs': return APP_SCRIPT;
    case '/react.mjs': return `export default window.React; export const {${exportsOf('react')}} = window.React;`;
    case '/react-jsx.mjs': return `const exports = {}; const require = () => window.React;
      ${packaged('react/cjs/react-jsx-runtime.production.min.js')}; export const {jsx, jsxs, Fragment} = exports;`;
    case '/favicon.ico': return '';
    default: return packaged(path.slice(1));
  }
}

const shows = (selector, words) => page.waitForFunction(([selector, words]) =>
  new RegExp(words, 'i').test(document.querySelector(selector)?.textContent), [selector, words]);

const CASES = {
  async talks() {
    await openSite(PAGE, find);
    await page.waitForSelector('button');
    const {signedUrl} = await (await fetch(`${app}/signed-url?agent=${agent}`)).json();
    await page.evaluate((signedUrl) => { window.signedUrl = signedUrl; }, signedUrl);
    await page.click('button');
    await shows('#status', '^connected$');
    await shows('pre', 'user: .*story[^]*agent: ');
    await shows('#mode', 'speaking');
    await page.evaluate(() => window.conversation.setMuted(true));
    await page.evaluate(() => window.conversation.sendUserMessage('Good night.'));
    await shows('pre', 'agent: You said: Good night');
    await picture('react');
    await page.evaluate(() => window.conversation.endSession());
    await shows('#status', '^disconnected$');
    await shows('pre', 'over: ');
    seen.lines = (await text('pre')).split('\n');
  },
};

await run(CASES);
