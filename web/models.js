// The models that listen, and the languages that they know.

import {nameOfLanguage} from './languages.js';
import {getJson} from './server.js';

const byId = (id) => document.getElementById(id);
const TASK = 'automatic-speech-recognition';

function fill(list, options) {
  const chosen = list.value;
  list.replaceChildren(...options);
  if ([...list.options].some(({value}) => value === chosen)) list.value = chosen;
}

export class Models {
  constructor() {
    this.all = []; // {id, name, languages, partials}: without languages it knows any
    byId('listen-model').addEventListener('input', () => this.fit());
    this.fit();
  }

  async load(key) {
    const {data = []} = await getJson('/v1/models', key);
    const all = data.filter(({task}) => task === TASK).map(({id, name, language, partials}) => ({id, name, languages: language, partials}));
    if (JSON.stringify(all) === JSON.stringify(this.all)) return; // a list that is open would close
    this.all = all;
    fill(byId('listen-model'), [new Option('Automatic', ''), ...all.map(({id, name}) => new Option(name, id))]);
    this.fit();
  }

  // The languages are those of the model that is chosen, or of all.
  fit() {
    const chosen = byId('listen-model').value;
    const models = this.all.filter(({id}) => !chosen || id === chosen);
    const codes = models.flatMap(({languages}) => languages);
    const named = [...new Set(codes)].map((code) => [nameOfLanguage(code), code]).sort(([a], [b]) => a.localeCompare(b));
    byId('listen-empty').textContent = models.length && !models[0].partials ? 'Words appear here at each pause.'
      : 'Words appear here while they are said, and become final at a pause.';
    fill(byId('listen-language'), [new Option('Automatic', ''), ...named.map(([name, code]) => new Option(name, code))]);
  }
}
