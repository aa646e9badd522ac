// What the page knows of its server: addresses, the key, and errors in a person's words.

const KEY_PLACE = 'syrinx-key';

// More than this is refused by the server, and is told before it is sent.
export const TEXT_MAX = 100000;

// A pasted key often has blanks, quotes or a line's end around it or in it, or signs that nobody sees; or it is
// in the middle of the line in which it was printed.
export function cleanKey(text) {
  const key = text.replace(/[^!-~]|["'`]/g, '');
  return key.startsWith('ka_') ? key : /\bka_\w{20,}/.exec(text)?.[0] ?? key;
}

// The key of an address as “make run” prints it; it does not stay there.
export function keyOfAddress() {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (given) history.replaceState(null, '', location.pathname);
  return given;
}

// A browser that keeps no cookies has no place for it either; then it is the page's alone.
export function loadKey() {
  try {
    return sessionStorage.getItem(KEY_PLACE) || '';
  } catch {
    return '';
  }
}

export function saveKey(key) {
  try {
    sessionStorage.setItem(KEY_PLACE, key);
  } catch {
    // nothing depends on it
  }
}

export function socketAddress(path, key, settings = {}) {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
  return `${scheme}//${location.host}${path}?${new URLSearchParams({api_key: key, ...settings})}`;
}

// Samples of 16 bits, as the sockets that listen take them.
export function base64Of(samples) {
  return btoa(String.fromCharCode(...new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)));
}

export class ServerError extends Error {}

export async function getJson(path, key) {
  let answer;
  try {
    answer = await fetch(path, {headers: key ? {'X-API-Key': key} : {}});
  } catch {
    throw new ServerError('The server cannot be reached. Is it running?');
  }
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new ServerError(explain({...body, code: answer.status}));
  return body;
}

const CODES = {
  UNAUTHORIZED: 'The server does not know this key, or it was revoked. Paste the one that “make run” printed, or make one with “syrinx key create”.',
  INSUFFICIENT_CREDITS: 'The account of this key has no credit left. “syrinx account top-up” adds some.',
  RATE_LIMITED: 'The limits of this key or its account are reached. Wait a moment and try again.',
  MODEL_UNAVAILABLE: 'No engine could take it in time. Try again, or choose another voice.',
  MISSING_VOICE_ID: 'Choose a voice first.',
};

// An error as the server sends it, in words that say what to do.
export function explain(error) {
  if (error.error_code === 'NOT_FOUND' && /voice/i.test(error.error || ''))
    return 'This voice is not there any more. The list was read again: choose another one.';
  const scope = /lacks the scope (\w+)/.exec(error.error || '');
  if (scope) return `This key may not do that: it lacks the scope “${scope[1]}”. Make another one with “syrinx key create”.`;
  if (error.code === 401) return CODES.UNAUTHORIZED; // there was one: the page asks nothing without
  if (error.code === 413) return 'The text is too long for one turn. Send it in smaller parts.';
  return CODES[error.error_code] || error.error || `The server answered with an error (${error.code}).`;
}

// An error of an endpoint that listens, in any vendor's shape.  The server's own words are kept: they say what is
// missing, how much is too much, and what to fetch.
export function explainListening(error) {
  const said = error.error?.message ?? error.detail?.message ?? error.error ?? error.detail;
  const words = typeof said === 'string' ? said : '';
  const wait = error.retry_after ?? error.error?.retry_after;
  if (error.code === 401 || error.code === 403 || error.message_type === 'auth_error') return explain({...error, error: words, error_code: 'UNAUTHORIZED'});
  if (!words) return `The server answered with an error (${error.code}).`;
  return `${words[0].toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}${wait ? ` Try again in ${wait} s.` : ''}`;
}

// Why a WebSocket of this address is refused: an ordinary request for it is told.  null: not because of the request.
export async function refusalOf(address) {
  try {
    const answer = await fetch(address.replace(/^ws/, 'http'));
    return answer.status === 426 ? null : explainListening({...await answer.json().catch(() => ({})), code: answer.status});
  } catch {
    return 'The server cannot be reached. Is it running?';
  }
}

const CLOSES = {
  1006: 'The connection was lost. Try again when “Ready” is shown at the top.',
  1009: 'The text was too long for one message.',
  1012: 'The server is restarting. Try again in a moment.',
  1013: 'The server is restarting. Try again in a moment.',
  4001: CODES.UNAUTHORIZED,
  4003: CODES.INSUFFICIENT_CREDITS,
  4029: CODES.RATE_LIMITED,
};

// A browser does not say why a WebSocket was refused, so an ordinary request asks.
async function explainRefusal(key) {
  try {
    await getJson('/v1/agents', key); // wants the same scope as a socket
    return 'The server refused the connection. Perhaps too many are open with this key: try again in a moment.';
  } catch (error) {
    return error.message;
  }
}

export async function explainClose(code, wasOpen, key) {
  if (!wasOpen && code === 1006) return explainRefusal(key);
  return CLOSES[code] || `The connection was closed (${code}).`;
}
