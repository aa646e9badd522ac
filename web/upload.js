// A file to /v1/audio/transcriptions.  An XMLHttpRequest, because fetch does not tell how much was sent.

import {explainListening} from './server.js';

export const FILE_MAX = 25 * 1024 * 1024; // bytes; the server refuses more, and would do so in the middle of the upload

export class Upload {
  // settings: {model, language}; on: {sent(share), done(json), failed(words)}
  constructor(key, file, {model, language}, on) {
    const form = new FormData();
    const request = new XMLHttpRequest();
    form.append('model', model);
    if (language) form.append('language', language);
    form.append('response_format', 'verbose_json');
    form.append('timestamp_granularities[]', 'word');
    form.append('timestamp_granularities[]', 'segment');
    form.append('file', file); // last: the server knows what to do with it when it comes
    request.upload.onprogress = ({loaded, total}) => on.sent(loaded / total);
    request.onload = () => {
      const body = request.response ?? {};
      if (request.status === 200) on.done(body);
      else on.failed(explainListening({...body, code: request.status}));
    };
    request.onerror = () => on.failed('The connection was lost while the file was sent. Is the server running?');
    request.open('POST', '/v1/audio/transcriptions');
    request.setRequestHeader('X-API-Key', key);
    request.responseType = 'json';
    request.send(form);
    this.request = request;
  }

  stop() {
    this.request.abort();
  }
}
