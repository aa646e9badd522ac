// Sends a text as a language model writes it: token by token, so many a second.

// Tokens are about four letters, and a word takes the blank before it along.
export function tokensOf(text) {
  return text.match(/\s*\S{1,5}|\s+$/gu) || [];
}

export class Typist {
  constructor(text, perSecond, send, done) {
    const tokens = tokensOf(text);
    const begun = performance.now();
    let next = 0;
    const step = () => {
      const due = Math.floor((performance.now() - begun) * perSecond / 1000) + 1;
      while (next < Math.min(due, tokens.length)) send(tokens[next++]);
      if (next < tokens.length) return;
      this.stop();
      done();
    };
    this.timer = setInterval(step, Math.max(1000 / perSecond, 4));
    step();
  }

  stop() {
    clearInterval(this.timer);
  }
}
