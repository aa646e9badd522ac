"""Word errors between a text and what was understood of it.

Both are reduced to words first: lower case, no punctuation, digits as words.
The table of spellings is kept short on purpose: it holds forms that sound the
same and mean the same, never a word that was understood as another one.
"""

import re

SPELLINGS = {
    "all right": "alright",
    "to day": "today",
    "o k": "okay",
    "ok": "okay",
    "neighbour": "neighbor",
    "dr": "doctor",
    "cheque": "check",
    "a m": "am",
    "p m": "pm",
    "e mail": "email",
    "voice mail": "voicemail",
    "log in": "login",
    "mr": "mister",
}

SMALL_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()

TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()

ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
            "nine": "ninth", "twelve": "twelfth"}


def say_number(value):
    """A number below a million, in words."""
    if value < 20:
        return SMALL_NUMBERS[value]
    if value < 100:
        return f"{TENS[value // 10 - 2]} {say_number(value % 10) if value % 10 else ''}".strip()
    base, name = (100, "hundred") if value < 1000 else (1000, "thousand")
    return f"{say_number(value // base)} {name} {say_number(value % base) if value % base else ''}".strip()


def say_ordinal(value):
    *before, last = say_number(value).split()
    last = ORDINALS.get(last) or (last[:-1] + "ie" if last.endswith("y") else last) + "th"
    return " ".join([*before, last])


def number_word(match):
    digits, ending = match.group(1), match.group(2)
    if len(digits) > 6 or (len(digits) > 1 and digits[0] == "0"):
        return " ".join(SMALL_NUMBERS[int(digit)] for digit in digits)
    return (say_ordinal if ending else say_number)(int(digits))


def words(text):
    """The words of a text, as they are compared."""
    text = re.sub(r"(\d+)(st|nd|rd|th)?\b", number_word, text.lower().replace("\u2019", "'"))
    text = re.sub(r"[^a-z0-9']+", " ", text).strip()
    for spelling, same in SPELLINGS.items():
        text = re.sub(rf"\b{spelling}\b", same, text)
    return text.split()


def errors(wanted, heard):
    """The fewest words to replace, add or leave out that make one list the other."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(wanted, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            best = min(row[j] + 1, row[j - 1] + 1, before + (word != other))
            before, row[j] = row[j], best
    return row[-1]
