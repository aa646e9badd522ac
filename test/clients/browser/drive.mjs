// A real browser that does what a person does, and the run of one case.  SYRINX_URL, SYRINX_KEY; PICTURES is a
// folder for screenshots.
//
// "wait" on standard output asks whoever started this for a line on standard input before it goes on.

import {createInterface} from 'node:readline';
import {chromium} from 'playwright-core';

export const {SYRINX_URL: url, SYRINX_KEY: key} = process.env;
const {PICTURES: pictures, CHROMIUM: executablePath = '/usr/bin/chromium'} = process.env;
const name = process.argv[2];
const lines = createInterface({input: process.stdin})[Symbol.asyncIterator]();

const {SOUND: sound, LOOPS: loops} = process.env;

// A microphone that hears a file, again and again if it LOOPS, or beeps if there is none; the page may use it.
export const MICROPHONE = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream',
  ...(sound ? [`--use-file-for-fake-audio-capture=${sound}${loops ? '' : '%noloop'}`] : [])];

export const seen = {complaints: [], foreign: []};
export let page;
let browser;

// For whatever is waited for: a machine may be slow, and other tests run beside this one.
const PATIENCE_MS = 120000;

export async function launch({gesture = false, flags = [], script, site = new URL(url).host,
  viewport = {width: 1200, height: 1400}, ...options} = {}) {
  browser = await chromium.launch({executablePath, args: ['--no-sandbox',
    `--autoplay-policy=${gesture ? 'document-user-activation-required' : 'no-user-gesture-required'}`, ...flags]});
  page = await browser.newPage({viewport, ...options});
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(message.text())) seen.complaints.push(message.text());
  });
  page.on('pageerror', (error) => seen.complaints.push(error.message));
  page.on('request', (request) => {
    const {protocol, host} = new URL(request.url());
    if (protocol !== 'blob:' && host !== site) seen.foreign.push(request.url());
  });
  if (script) await page.addInitScript(script);
}

export const text = (selector) => page.textContent(selector);
export const notice = () => page.textContent('#notice:not([hidden])');
export const says = (selector, words) => page.waitForFunction(([selector, words]) =>
  new RegExp(words).test(document.querySelector(selector).textContent), [selector, words]);

export async function picture(of = name) {
  if (pictures) await page.screenshot({path: `${pictures}/${of}.png`, fullPage: true});
}

export async function parent(word) {
  console.log(word);
  await lines.next();
}

// Runs the case that the command names, and prints as JSON what was seen.
export async function run(cases) {
  try {
    await cases[name]();
    console.log(JSON.stringify(seen));
  } catch (error) {
    await picture(`${name}-failed`).catch(() => {});
    console.error(error.message, JSON.stringify(seen));
    process.exitCode = 1;
  } finally {
    await browser?.close();
    process.exit();
  }
}
