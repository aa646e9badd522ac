// The text that is spoken, with the word lit that is heard now.

export class Words {
  constructor(place) {
    this.place = place;
    this.clear();
  }

  clear() {
    this.place.textContent = '';
    this.shown = new Map(); // chunk → its element
    this.timed = []; // {element, all, from, to} in seconds of the turn, in their order
    this.next = 0; // of them, the first that is not over
  }

  // Draws chunks that are new, and cuts those into words whose times have come.
  update(turn) {
    for (const chunk of turn.chunks) {
      let element = this.shown.get(chunk);
      if (!element) {
        element = document.createElement('span');
        element.textContent = chunk.text;
        this.place.append(element, ' ');
        this.shown.set(chunk, element);
      }
      if (chunk.words && !element.dataset.cut) this.cut(element, chunk);
    }
  }

  cut(element, chunk) {
    const letters = Array.from(chunk.text); // code points, as the server counts
    let at = 0;
    let last = element; // what follows a word, its comma, is said with it
    element.dataset.cut = 'yes';
    element.textContent = '';
    for (const word of chunk.words) {
      const span = document.createElement('span');
      span.textContent = letters.slice(word.char_start, word.char_end).join('');
      last.append(letters.slice(at, word.char_start).join(''));
      last = document.createElement('span');
      last.append(span);
      element.append(last);
      at = word.char_end;
      this.timed.push({element: span, all: last, from: chunk.from + word.start_ms / 1000, to: chunk.from + word.end_ms / 1000});
    }
    last.append(letters.slice(at).join(''));
  }

  // heard only grows, so that a long text costs no more than a short one.
  light(heard) {
    for (; this.next < this.timed.length && heard >= this.timed[this.next].to; ++this.next) {
      this.timed[this.next].element.classList.remove('lit');
      this.timed[this.next].all.classList.add('said');
    }
    const word = this.timed[this.next];
    if (!word || heard < word.from || word.element.classList.contains('lit')) return;
    word.element.classList.add('lit');
    this.follow(word.element);
  }

  // A long text scrolls in its place, and the page stays where it is.
  follow({offsetTop, offsetHeight}) {
    const {scrollTop, clientHeight} = this.place;
    if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight) this.place.scrollTop = offsetTop;
  }
}
