// The names of languages, in English as the page is.

const NAMES = new Intl.DisplayNames(['en'], {type: 'language', fallback: 'code'});

export function nameOfLanguage(code) {
  try {
    return NAMES.of(code);
  } catch {
    return code; // somebody's own word, which is no code
  }
}

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz');
const CODES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));

// The code of a language that is named in English, which is how OpenAI's answers have it; '' if it is not known.
export function codeOfLanguage(name) {
  return CODES.find((code) => code === name || nameOfLanguage(code).toLowerCase() === name) ?? '';
}
