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
}

SMALL_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
).split()


def number_word(match):
    value = int(match.group())
    return SMALL_NUMBERS[value] if value < len(SMALL_NUMBERS) else match.group()


def words(text):
    """The words of a text, as they are compared."""
    text = re.sub(r"\d+", number_word, text.lower().replace("\u2019", "'"))
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
