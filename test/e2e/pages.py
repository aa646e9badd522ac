"""The documentation as it is written: its pages, and the code, links and headings in them."""

import dataclasses
import re

from program import SOURCE

NOT_RUN = re.compile(r"<!-- not run: (.+?) -->")
FENCE = re.compile(r"(`{3,})(.*)")
HEADING = re.compile(r"#{1,6} +(.*)")
SPAN = re.compile(r"(`+)(.+?)\1")
LINK = re.compile(r"\]\(([^)\s]+)\)")


@dataclasses.dataclass
class Block:
    """Code that stands by itself.  Its language is "" when it is indented, not fenced; `where` is
    what follows the language on the fence; `reason` says why it is not run."""
    place: str
    language: str
    where: str
    text: str
    reason: str


@dataclasses.dataclass
class Page:
    path: object
    blocks: list
    prose: list  # the other lines, (number, text)

    @property
    def name(self):
        return str(self.path.relative_to(SOURCE))

    def headings(self):
        return [match[1] for _, line in self.prose if (match := HEADING.fullmatch(line))]

    def anchors(self):
        """As GitHub makes them of headings; a second of the same name gets a number."""
        seen = {}
        for heading in self.headings():
            words = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            count = seen[words] = seen.get(words, -1) + 1
            yield f"{words}-{count}" if count else words

    def spans(self):
        """Code inside sentences and tables, as (place, text)."""
        for number, line in self.prose:
            for match in SPAN.finditer(line):
                yield f"{self.name}:{number}", match[2].strip()

    def links(self):
        for number, line in self.prose:
            for match in LINK.finditer(SPAN.sub("", line)):
                yield f"{self.name}:{number}", match[1]


class Reader:
    """Takes a page apart, line by line."""

    def __init__(self, path):
        self.page = Page(path, [], [])
        self.lines = path.read_text(encoding="utf-8").splitlines()
        self.at = 0
        self.last = ""  # the last line with something in it that was no code

    def read(self):
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if FENCE.match(line):
                self.read_fenced()
            elif line.startswith("    ") and self.stands_alone():
                self.read_indented()
            else:
                self.page.prose.append((self.at + 1, line))
                self.last = line if line.strip() else self.last
                self.at += 1
        return self.page

    def stands_alone(self):
        """What is indented right behind a sentence belongs to it."""
        before = self.lines[self.at - 1] if self.at else ""
        return not before.strip() or before.endswith("-->")

    def add(self, begin, language, where, lines):
        reason = NOT_RUN.fullmatch(self.last.strip())
        self.page.blocks.append(Block(f"{self.page.name}:{begin + 1}", language, where,
                                      "\n".join(lines).strip("\n"), reason[1] if reason else ""))
        self.last = ""

    def read_fenced(self):
        begin = self.at
        fence, info = FENCE.match(self.lines[begin]).groups()
        self.at += 1
        while self.lines[self.at].rstrip() != fence:
            self.at += 1
        self.at += 1
        language, _, where = info.strip().partition(" ")
        self.add(begin, language, where, self.lines[begin + 1:self.at - 1])

    def read_indented(self):
        begin = self.at
        while self.at < len(self.lines) and (
                not self.lines[self.at].strip() or self.lines[self.at].startswith("    ")):
            self.at += 1
        self.add(begin, "", "", [line[4:] for line in self.lines[begin:self.at]])


def read_all():
    paths = [SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))]
    return [Reader(path).read() for path in paths]
