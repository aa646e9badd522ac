"""The text format of Prometheus, version 0.0.4, read strictly, and the table of metrics that the
server has (src/metrics/metrics.h).

`read` raises on what Prometheus refuses, and on what its rules call wrong: lines of a metric that
are not together, a type behind a sample, a sample twice, a histogram that is none.
"""

import collections
import contextlib
import http.client
import math
import re

from program import SOURCE, WAIT_S

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")
COMMENT = re.compile(rf"# (HELP|TYPE) ({NAME}) (.+)")
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
TYPES = ("counter", "gauge", "histogram", "summary", "untyped")


def fetch(server, path, headers=None, method="GET", body=None):
    """(status, headers, bytes) of one request."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
    with contextlib.closing(connection):
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()


Row = collections.namedtuple("Row", "kind label values")


def table():
    """name: (kind, label or None, values) of every metric that there is.  A label without values has
    those that the server knows at the moment."""
    text = (SOURCE / "src/metrics/metrics.h").read_text(encoding="utf-8")
    text = re.sub(r"\\\n", " ", text[text.index("#define METRICS(X)"):])
    text = re.sub(r'"\s+"', "", text[:text.index("\n")])
    rows = re.findall(r'X\(\w+, (\w+), \w+, "(\w+)",\s*(NULL|"\w+"),\s*(NULL|"[^"]*"),'
                      r'\s*"[^"]+"\)', text)
    assert len(rows) == len(re.findall(r"\bX\(", text))
    found = {}
    for kind, name, label, values in rows:
        found["syrinx_" + name] = Row(
            kind.lower(), None if label == "NULL" else label.strip('"'),
            tuple(filter(None, values.strip('"').replace("NULL", "").split("|"))))
    return found


def number(text):
    if text in ("+Inf", "-Inf", "NaN"):
        return float(text.replace("Inf", "inf"))
    assert NUMBER.fullmatch(text), f"no number: {text}"
    return float(text)


def unquote(value):
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], value)


class Family:
    """A metric: its type and its samples, {(suffix, labels): number}."""

    def __init__(self, name):
        self.name = name
        self.help = self.type = None
        self.samples = {}

    def comment(self, what, text):
        assert not self.samples, f"{what} of {self.name} behind a sample"
        if what == "HELP":
            assert self.help is None
            self.help = text
        else:
            assert self.type is None and text in TYPES
            self.type = text

    def owns(self, name):
        """Whether a sample of this name is one of it."""
        if self.type in ("histogram", "summary"):
            return name in (self.name + "_sum", self.name + "_count", self.name + "_bucket")
        return name == self.name

    def add(self, name, labels, value):
        place = name[len(self.name):], labels
        assert place not in self.samples, f"{name}{labels} comes twice"
        self.samples[place] = value

    def check(self):
        assert self.type and self.help, self.name
        values = list(self.samples.values())
        if self.type == "counter":
            assert self.name.endswith("_total") and all(v >= 0 for v in values)
        if self.type == "histogram":
            self.check_histogram()

    def check_histogram(self):
        buckets = [(number(dict(labels)["le"]), count)
                   for (suffix, labels), count in self.samples.items() if suffix == "_bucket"]
        bounds, counts = zip(*buckets)
        assert list(bounds) == sorted(set(bounds)) and bounds[-1] == math.inf
        assert list(counts) == sorted(counts)
        assert counts[-1] == self.samples["_count", ()]
        assert self.samples["_sum", ()] >= 0


def read(text):
    """{name: Family}"""
    assert text.endswith("\n") and "\r" not in text
    families = {}
    current = None
    for line in text[:-1].split("\n"):
        comment = COMMENT.fullmatch(line)
        sample = SAMPLE.fullmatch(line)
        assert comment or sample, f"no line of the format: {line!r}"
        if comment and (not current or current.name != comment[2]):
            assert comment[2] not in families, f"{comment[2]} comes again"
            current = families[comment[2]] = Family(comment[2])
        if comment:
            current.comment(comment[1], comment[3])
            continue
        assert current and current.owns(sample[1]), f"a sample that is not of its group: {line}"
        labels = tuple((pair.split("=", 1)[0], unquote(pair.split("=", 1)[1][1:-1]))
                       for pair in re.findall(LABEL, sample[2] or ""))
        assert len(dict(labels)) == len(labels) and not any(n.startswith("__") for n, _ in labels)
        current.add(sample[1], labels, number(sample[3]))
    for family in families.values():
        family.check()
    return families


class Look:
    """/metrics of a server at one moment; figures by their names without the prefix."""

    taken = 0

    def __init__(self, server, headers=None):
        status, _, body = fetch(server, "/metrics", headers)
        assert status == 200, body
        Look.taken += 1
        self.index = Look.taken
        self.families = read(body.decode())
        self.numbers = {
            " ".join([family.name.removeprefix("syrinx_") + suffix, *(v for _, v in labels)]): value
            for family in self.families.values()
            for (suffix, labels), value in family.samples.items()}

    def __getitem__(self, name):
        """"voices", "turns_total finished", "first_audio_seconds_count"."""
        return self.numbers[name]

    def since(self, before):
        """What was counted since another look of the same server: {name: difference}, without what
        stands still, the looks themselves, and bytes and sums, which are not the same each time."""
        counted = {}
        for name, value in self.numbers.items():
            family = next(f for f in self.families.values()
                          if f.owns("syrinx_" + name.split()[0]))
            if family.type == "gauge" or re.search(r"_bucket|_sum|sent_bytes", name):
                continue
            difference = value - before.numbers.get(name, 0)
            if name == "http_requests_total 2xx":
                difference -= self.index - before.index
            if difference:
                counted[name] = difference
        return counted
