"""Statements of the documents, each with the function that checks it.

A check is given the World and returns evidence: a short text, or two, of which the second has what was
measured and is shown by a run alone, because it is different each time.  It fails by raising an
exception.  A statement that is expected to be missing or different has a check as well, which tries
what the document says: if that ever works, the run fails until the statement has been changed here.
"""

import dataclasses
import threading
import time
import traceback

DOCUMENTS = {
    "000": "Turn lifecycle",
    "001": "Stream input (summary)",
    "002": "Multi-context",
    "003": "Stream input",
    "004": "Speech Engine upstream",
}

# In place of a section of 004: the document leaves it open, and ElevenLabs' SDK decides it.
SDK = "004 SDK"

SATISFIED = "satisfied"
NOT_SATISFIED = "not satisfied"
MISSING = "missing"
DIFFERS = "differs, by decision"
SKIPPED = "skipped"
NOT_RUN = "not run"
UNEXPECTED = "unexpectedly satisfied"

FAILURES = (NOT_SATISFIED, UNEXPECTED)


class Skip(Exception):
    """The check needs something that this machine does not have."""


class NotRun(Exception):
    """The check needs control over the server, and the run was given another one."""


class Different(AssertionError):
    """What was seen is not what the document says; the only failure that DIFFERS and MISSING expect,
    so that a broken check or a server that has died is not taken for them."""


@dataclasses.dataclass
class Statement:
    id: str
    sources: list  # (number of the document, section)
    text: str
    check: object
    waits: float  # seconds that the check spends waiting; it gets a thread of its own
    last: bool  # looks at what the others have seen
    expected: str
    reason: str  # why it differs

    def where(self):
        return "; ".join(f"{number} {section}" for number, section in self.sources)


@dataclasses.dataclass
class Result:
    statement: Statement
    verdict: str
    evidence: str
    measured: str = ""
    seconds: float = 0.0


STATEMENTS = []


def statement(name, sources, text, waits=0, last=False, expected=SATISFIED, reason=""):
    """Registers a check.  `sources` is "000 Section / 003 Section"."""
    pairs = [tuple(source.split(" ", 1)) for source in sources.split(" / ")]
    assert all(number in DOCUMENTS for number, _ in pairs), sources
    assert name not in (known.id for known in STATEMENTS), name

    def add(check):
        STATEMENTS.append(Statement(name, pairs, text, check, waits, last, expected, reason))
        return check

    return add


class Scenario:
    """Something that is played once, and looked at by several statements."""

    def __init__(self, play):
        self.play = play
        self.lock = threading.Lock()
        self.outcome = None

    def __call__(self, world):
        with self.lock:
            if self.outcome is None:
                try:
                    self.outcome = (self.play(world), None)
                except Exception as error:
                    self.outcome = (None, error)
        value, error = self.outcome
        if error:
            raise error
        return value


def scenario(play):
    return Scenario(play)


def describe(error):
    """What an exception says: its text, or the line that was not true."""
    words = str(error).strip()
    if words:
        return words.splitlines()[0][:400]
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {frame.line}"


def judge(statement, world):
    """Runs one check."""
    begun = time.monotonic()
    try:
        found = statement.check(world)
        evidence, measured = found if isinstance(found, tuple) else (found, "")
        is_good = statement.expected == SATISFIED or world.remote  # what is missing or different is ours
        verdict = SATISFIED if is_good else UNEXPECTED
    except Skip as skip:
        verdict, evidence, measured = SKIPPED, str(skip), ""
    except NotRun as reason:
        verdict, evidence, measured = NOT_RUN, str(reason), ""
    except Exception as error:
        is_expected = statement.expected != SATISFIED and isinstance(error, Different)
        verdict = statement.expected if is_expected else NOT_SATISFIED
        evidence, measured = describe(error), ""
    return Result(statement, verdict, evidence, measured, time.monotonic() - begun)
