// The words of a conversation, the caller's and the agent's, and how long each answer took.

const FULL_MS = 2000; // a bar of the full width
const byId = (id) => document.getElementById(id);

function make(name, className, ...content) {
  const element = document.createElement(name);
  element.className = className;
  element.append(...content);
  return element;
}

const rounded = (ms) => Math.max(0, Math.round(ms));

// A part of a bar, as long as what it stands for.
function stretch(className, ms) {
  const part = make('span', className);
  part.style.width = `${Math.max(0, Math.min(ms, FULL_MS)) / FULL_MS * 100}%`;
  return part;
}

function bar(words, ...parts) {
  const track = make('span', 'track', ...parts);
  const line = make('div', 'took', track, make('span', '', words));
  track.ariaHidden = 'true'; // the words say it
  line.ariaLive = 'off'; // the answer is what is to be read out
  return line;
}

export class Bubbles {
  constructor(list) {
    this.list = list;
    this.clear();
  }

  clear() {
    this.turns = []; // {role, content}, as agents take it
    this.list.replaceChildren();
    byId('talk-empty').hidden = false;
  }

  add(role, content) {
    const said = make('span', 'said', content);
    const element = make('li', role, said);
    const turn = {role, content};
    said.dir = 'auto';
    Object.defineProperties(turn, {element: {value: element}, said: {value: said}}); // not part of its JSON
    this.list.append(element);
    this.turns.push(turn);
    byId('talk-empty').hidden = true;
    element.scrollIntoView({block: 'nearest'});
    return turn;
  }

  // While more words may come, a screen reader waits.
  write(turn, content, isWhole) {
    turn.content = content;
    turn.said.textContent = content;
    turn.element.ariaBusy = isWhole ? null : 'true';
    turn.element.scrollIntoView({block: 'nearest'});
  }

  // What was not heard is struck through, and is not what an agent is told that it has said.
  correct(turn, written, heard) {
    const same = written.startsWith(heard) ? heard.length : 0;
    const rest = make('del', '', make('span', 'hidden', 'not heard: '), written.slice(same));
    turn.content = heard;
    turn.element.ariaBusy = null;
    turn.element.classList.add('cut');
    turn.said.replaceChildren(written.slice(0, same), ...(same < written.length ? [rest] : []));
  }

  append(turn, line) {
    turn.element.append(line);
    this.list.lastElementChild.scrollIntoView({block: 'nearest'});
  }

  // words: null if they were typed.
  showTook(turn, {words, sound, total}) {
    if (words === null) return this.append(turn, bar(`sound ${rounded(sound)} ms after Send`, stretch('k-sound', sound)));
    this.append(turn, bar(`words ${rounded(words)} + sound ${rounded(sound)} = ${rounded(total)} ms`, stretch('k-words', words), stretch('k-sound', sound)));
  }

  showCut(turn, ms) {
    this.append(turn, bar(`silent ${rounded(ms)} ms after you began`, stretch('k-cut', ms)));
  }
}
