// scribe.mjs CASE: a developer's page with ElevenLabs' own client, in a real browser; prints the events that the
// page receives as JSON (drive.mjs).  SOUND is the file that the microphone hears.
//
// The page is of another origin than the server, as a developer's page is, and its token is from the developer's
// own server, which has the key.

import {readFileSync} from 'node:fs';
import {key, page, picture, run, seen, url} from './drive.mjs';
import {openSite, packaged} from './site.mjs';

const {SOUND: sound} = process.env;
const PAGE = '<!doctype html><title>Scribe</title><pre></pre><script src="/client.js"></script>';
const WAV_HEADER = 44;

async function newToken() {
  const answer = await fetch(`${url}/v1/single-use-token/realtime_scribe`, {method: 'POST', headers: {'xi-api-key': key}});
  return (await answer.json()).token;
}

const open = () => openSite(PAGE, () => packaged('@elevenlabs/client/dist/lib.iife.js'));

// Connects and records all events as [name, data].
function connect(token, options) {
  return page.evaluate(([token, baseUri, options]) => {
    const {RealtimeEvents, Scribe} = window.ElevenLabsClient;
    window.events = [];
    window.connection = Scribe.connect({token, baseUri, modelId: 'scribe_v2_realtime', ...options});
    for (const name of Object.values(RealtimeEvents)) window.connection.on(name, (data = {}) => {
      window.events.push([name, name === 'close' ? {code: data.code} : data]);
      document.querySelector('pre').textContent += `${name} ${data.text ?? ''}\n`;
    });
  }, [token, url.replace('http', 'ws'), options]);
}

const events = () => page.evaluate(() => window.events);

async function hasEvents(wanted, count = 1) {
  await page.waitForFunction(([wanted, count]) => window.events.some(([name]) => name === 'close') ||
    window.events.filter(([name]) => name === wanted).length >= count, [wanted, count]);
  const all = await events();
  if (all.filter(([name]) => name === wanted).length < count) throw new Error(`no ${wanted} among ${JSON.stringify(all)}`);
}

const CASES = {
  async hears_the_microphone() {
    await open();
    await connect(await newToken(), {microphone: {echoCancellation: true, noiseSuppression: false}, commitStrategy: 'vad',
      vadSilenceThresholdSecs: 0.5, includeTimestamps: true});
    await hasEvents('committed_transcript_with_timestamps');
    await picture('scribe');
    // Something is being said again, and then no more.
    await hasEvents('partial_transcript', (await events()).filter(([name]) => name === 'partial_transcript').length + 1);
    await page.evaluate(() => window.connection.mute());
    await hasEvents('committed_transcript_with_timestamps', 2);
    await page.evaluate(() => window.connection.close());
    await hasEvents('close');
    seen.events = await events();
  },

  async sends_a_file_and_commits() {
    const samples = readFileSync(sound).subarray(WAV_HEADER);
    await open();
    await connect(await newToken(), {audioFormat: 'pcm_16000', sampleRate: 16000});
    await hasEvents('open');
    for (let at = 0; at < 16000 * 2 * 3; at += 16000) {
      await page.evaluate((audioBase64) => window.connection.send({audioBase64}), samples.subarray(at, at + 16000).toString('base64'));
    }
    await page.evaluate(() => window.connection.commit());
    await hasEvents('committed_transcript');
    seen.events = await events();
  },

  async uses_a_token_twice() {
    const token = await newToken();
    await open();
    await connect(token, {audioFormat: 'pcm_16000', sampleRate: 16000});
    await hasEvents('session_started');
    await connect(token, {audioFormat: 'pcm_16000', sampleRate: 16000});
    await hasEvents('close');
    seen.events = await events();
    seen.complaints = seen.complaints.filter((complaint) => !/^WebSocket/.test(complaint));
  },
};

await run(CASES);
