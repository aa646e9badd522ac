"""What README.md and the pages of docs/ show is true.

Every block of code is run, or says right above itself why it cannot be (<!-- not run: … -->).
Commands and options exist, messages are taken by the socket that they are for, links lead
somewhere, tables are those of the program.
"""

import http.client
import json
import re
import subprocess

import pages
import pytest
import yaml
from client import Client, Closed
from program import SOURCE, SYRINX, WAIT_S, environment, syrinx
from snippets import Desk, is_command, read_commands

PAGES = {page.name: page for page in pages.read_all()}
DRAWN = ("mermaid",)  # generated from tables of the program, which other tests see to
# Pages whose commands need a store of their own, and the test that runs them in their order.
HELD_ELSEWHERE = dict.fromkeys(["docs/operations.md", "docs/security.md"], "test_operations.py")
TREE = re.compile(r"(src|test|tools|docs|examples|deploy|man|conf|web)/[\w./-]*\w")
BYTES = re.compile(r"(?:[0-9a-f]{2}(?:  ?|$))+(?= |$)")


@pytest.fixture
def desk(tmp_path):
    desk = Desk(tmp_path)
    yield desk
    desk.stop()


# Blocks

def kind_of(block):
    """Who tries it; None: nobody can."""
    if block.language in TRIALS:
        return block.language
    first = block.text.splitlines()[0]
    if block.language:
        return None
    if re.match(r"(ws|http)s?://", first):
        return "addresses"
    if re.match(r"\[\w", first):
        return "ini"
    if BYTES.match(first):
        return "bytes"
    return "sh" if all(map(is_command, read_commands(block.text))) else None


def try_shell(desk, block):
    for command in read_commands(block.text):
        desk.try_command(command)


def try_configuration(desk, block):
    """The first of a page lies there as syrinx.conf, for its commands."""
    path = desk.folder / "syrinx.conf"
    path = desk.folder / "shown.conf" if path.exists() else path
    text = desk.put_in(block.text)
    if "tls_certificate = /" in text:  # check reads it; TLS has tests of its own
        text = re.sub(r"(?m)^tls_\w+ = .*\n?", "", text)
    path.write_text(text + "\n", encoding="utf-8")
    done = desk.run(["syrinx", "check", "--config", path])
    assert done.returncode == 0, done.stderr.decode()


def try_addresses(desk, block):
    """Sockets can be opened, and pages read."""
    for line in block.text.splitlines():
        scheme, rest = desk.put_in(line.split()[0]).split("://")
        _, slash, path = rest.partition("/")
        if scheme == "ws":
            with Socket(desk.server, slash + path):
                pass
            continue
        connection = http.client.HTTPConnection("127.0.0.1", desk.server.port, timeout=WAIT_S)
        connection.request("GET", slash + path.partition("#")[0])
        assert connection.getresponse().status == 200, line
        connection.close()


def try_json(desk, block):
    """It can be read, alone or as a member; lines go to the socket that the fence names."""
    text = desk.put_in(block.text)
    if block.where:
        for line in filter(None, text.splitlines()):
            json.loads(line)
        converse(desk.server, block.where, filter(None, text.splitlines()))
        return
    try:
        json.loads(text)
    except ValueError:
        json.loads("{" + text + "}")


def try_bytes(_desk, block):
    """Messages of workers: a header says how long the rest is."""
    for paragraph in block.text.split("\n\n"):
        shown = b"".join(bytes.fromhex(match[0]) for line in paragraph.splitlines()
                         if (match := BYTES.match(line)))
        if not shown or any(line.startswith("…") for line in paragraph.splitlines()):
            continue
        assert int.from_bytes(shown[:4], "little") == len(shown) - 12, paragraph


def try_source(_desk, block):
    """Lines that stand in our sources."""
    sources = "".join(path.read_text() for path in (SOURCE / "src").rglob("*.[ch]"))
    for line in block.text.splitlines():
        assert line.strip().rstrip(",") in sources, line


def try_yaml(_desk, block):
    """Settings of another program: they can be read."""
    assert yaml.safe_load(block.text)


TRIALS = {
    "sh": try_shell,
    "console": try_shell,
    "ini": try_configuration,
    "addresses": try_addresses,
    "json": try_json,
    "yaml": try_yaml,
    "bytes": try_bytes,
    "python": lambda desk, block: desk.try_python(block.text),
    "js": lambda desk, block: desk.try_javascript(block.text),
    "c": try_source,
}


def is_tried(page, block):
    return not (block.reason or block.language in DRAWN or page in HELD_ELSEWHERE)


@pytest.mark.parametrize("page", [name for name, page in PAGES.items() if any(
    is_tried(name, block) for block in page.blocks)])
def test_code_of_a_page_runs_in_its_order(page, desk, capsys):
    for block in PAGES[page].blocks:
        if not is_tried(page, block):
            continue
        kind = kind_of(block)
        assert kind, (f"{block.place}: nobody knows how to run this; put "
                      f"<!-- not run: REASON --> above it\n{block.text}")
        try:
            TRIALS[kind](desk, block)
        except AssertionError as error:
            raise AssertionError(f"{block.place}: {error}") from error
    with capsys.disabled():
        for note in desk.notes:
            print(f"\n{page}: {note}", end="")


def test_pages_that_are_held_elsewhere_are():
    for page, test in HELD_ELSEWHERE.items():
        if page in PAGES:
            assert page.removeprefix("docs/") in (SOURCE / "test/e2e" / test).read_text()


def test_what_is_not_run_says_why(capsys):
    with capsys.disabled():
        for page in PAGES.values():
            for block in page.blocks:
                if block.reason:
                    print(f"\n{block.place}: not run: {block.reason}", end="")


def test_greeting_is_the_one_that_is_shown(tmp_path):
    (shown,) = [block.text for block in PAGES["docs/quick-start.md"].blocks
                if "Syrinx listens on" in block.text]
    with subprocess.Popen([SYRINX, "serve", "--greet", "--listen", "127.0.0.1:0"], cwd=tmp_path,
                          env=environment({}), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as process:
        said = "".join(iter(process.stdout.readline, "  Hear it:\n"))
        process.terminate()
    said = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:8080", re.sub(r"ka_\w+", "ka_…", said))
    assert said.strip() == shown.strip()


# A few words of each language that no other of them has.
TELLING = {"de": "guten wie ihnen und der ist nicht sie", "fr": "bonjour vous est le comment et une",
           "es": "hola usted está el cómo y una buenos", "it": "ciao lei è il come buongiorno sono",
           "en": "hello the from this is are you and same"}


def language_of(text):
    words = re.findall(r"\w+", text.lower())
    scores = {language: sum(word in telling.split() for word in words)
              for language, telling in TELLING.items()}
    best = max(scores, key=scores.get)
    return best if scores[best] else None


def test_texts_are_spoken_by_voices_of_their_language():
    """A voice speaks every text, so that a run of the command does not tell."""
    rows = syrinx("voices").stdout.decode().split("\n\n")[0].splitlines()[1:]
    languages = {row.split()[0]: row.split()[1] for row in rows}
    heard = set()
    for page in PAGES.values():
        for block in page.blocks:
            for text, voice in re.findall(r'say "([^"]+)".*?--voice (\d+)', block.text):
                language = language_of(text)
                if language and voice in languages:
                    assert languages[voice] == language, f"{block.place}: {text}"
                    heard.add(language)
    assert "de" in heard


def test_playground_has_what_the_quick_start_names():
    html = (SOURCE / "web/index.html").read_text(encoding="utf-8")
    text = (SOURCE / "docs/quick-start.md").read_text(encoding="utf-8")
    section = text.split("## Hear it in the browser")[1].split("\n## ")[0].replace("\n", " ")
    names = re.findall(r"\*+([^*]+)\*+", section)
    assert len(names) > 4
    for name in names:
        assert name in html, name


def test_playground_says_what_its_page_tells():
    section = (SOURCE / "docs/playground.md").read_text(encoding="utf-8").split("## What it says")[1]
    scripts = "".join(path.read_text(encoding="utf-8") for path in (SOURCE / "web").glob("*.js"))
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert len(rows) > 10
    for words in (span[2] for row in rows for span in pages.SPAN.finditer(row)):
        assert words in scripts, words


def test_playground_has_what_its_page_names():
    html = (SOURCE / "web/index.html").read_text(encoding="utf-8")
    text = (SOURCE / "docs/playground.md").read_text(encoding="utf-8")
    for name in re.findall(r"\*+([^*]+)\*+", text.split("## Speak")[1].split("## Talk")[0]):
        assert name in html + (SOURCE / "web/speak.js").read_text(encoding="utf-8"), name


# Messages

class Socket(Client):
    """At any path; the key is in it, or else in a header."""

    def __init__(self, server, path):
        self.path = path
        super().__init__(server, key=None if "api_key=" in path else "")


# What ends a conversation, so that a client knows that no error follows.
LAST = {
    "/ws/tts": ('{"cancel":true}', lambda frame: frame.get("interrupted")),
    "/ws/tts/stream": ('{"close":true}', lambda frame: frame.get("session_closed")),
    "/ws/tts/multi": ('{"close_socket":true}', lambda frame: frame.get("session_closed")),
    "stream-input": ('{"text":""}', lambda frame: frame.get("isFinal")),
    "multi-stream-input": ('{"close_socket":true}', lambda frame: False),
}


def converse(server, path, messages):
    """Says all of it, and hears no error."""
    last, is_last = LAST[path.rsplit("/", 1)[-1] if "text-to-speech" in path else path]
    with Socket(server, path) as client:
        for message in messages:
            client.send_text(message)
        client.send_text(last)
        try:
            while not is_last(frame := client.receive()):
                assert "error" not in frame, frame
        except Closed as closed:
            assert closed.code == 1000, closed


# The tables of protocol.md: under which headings, for which socket, after which first message.
SENT = [
    ("/ws/tts/multi", "What you can send", "/ws/tts/multi",
     '{"text":"One.","context_id":"a","voice_settings":{"voice_id":2003}}'),
    ("/ws/tts", None, "/ws/tts", None),
    ("ElevenLabs' sockets", None, "/v1/text-to-speech/2003/stream-input", '{"text":" "}'),
]


def shown_messages(first, second, head="| message | meaning"):
    """What stands in the left column of such tables below these headings."""
    page, above, in_table = PAGES["docs/protocol.md"], ["", ""], False
    for _, line in page.prose:
        if match := re.match(r"(#+) (.*)", line):
            above = [match[2], ""] if len(match[1]) <= 2 else [above[0], match[2]]
        in_table = line.startswith(head) or (in_table and line.startswith("|"))
        if in_table and above[0] == first and second in (None, above[1]):
            cell = re.split(r"(?<!\\)\|", line)[1]
            yield from (span[2] for span in pages.SPAN.finditer(cell) if span[2].startswith("{"))


def fill_in(message):
    """… of a text is some words, … of an object is nothing in it."""
    return message.replace("{…}", "{}").replace("…", "Some words.")


@pytest.mark.parametrize("first,second,path,opening", SENT)
def test_messages_of_the_protocol_are_taken(shared_server, first, second, path, opening):
    messages = list(shown_messages(first, second))
    assert len(messages) >= 3, messages
    for message in map(fill_in, messages):
        json.loads(message)
        many = path.endswith("stream-input") and ("context" in message or "socket" in message)
        converse(shared_server, path.replace("/stream", "/multi-stream") if many else path,
                 [opening, message] if opening and not many else [message])


def keys_of(value):
    """All of them, at every depth."""
    if isinstance(value, list):
        return {key for item in value for key in keys_of(item)}
    return {key for name in value for key in {name} | keys_of(value[name])} if isinstance(
        value, dict) else set()


def test_replies_of_the_stream_socket_have_the_keys_that_are_shown(shared_server):
    shown = {}
    for message in shown_messages("/ws/tts/stream", "What comes back", "| message | when"):
        keys = re.findall(r'"(\w+)":', message)
        shown[keys[0]] = set(keys)
    del shown["warning"]  # which comes after five seconds
    with Client(shared_server) as client:
        client.send(voice_id=2003, word_timestamps=True, update_settings={"speed": 1})
        client.send(text=5)
        client.send(text="Hello there.", flush=True)
        frames = []
        while not frames or "session_closed" not in frames[-1]:
            frames.append(client.receive())
        client.send(cancel=True)
        frames.append(client.receive())
    for name, keys in shown.items():
        (frame, *_) = [frame for frame in frames if name in frame] or [{}]
        assert keys <= keys_of(frame), (name, frame)


# Commands, files and links in sentences

def sections_of_manual(text):
    """{command: what man/syrinx.1 says of it and its verbs}."""
    _, *parts = re.split(r"^\.TP\n\.B ([a-z][a-z-]*).*\n", text.split(".SH COMMANDS")[1], flags=re.M)
    sections = {}
    for name, said in zip(parts[::2], parts[1::2], strict=True):
        sections[name] = sections.get(name, "") + said
    return sections


def test_manual_has_every_command_and_option():
    text = (SOURCE / "man/syrinx.1").read_text(encoding="utf-8").replace("\\-", "-")
    sections = sections_of_manual(text)
    names = re.findall(r"^  ([a-z-]+)  ", syrinx("help").stdout.decode(), re.M)
    assert len(names) > 10
    for name in names:
        said = syrinx("help", name).stdout.decode()
        for option in re.findall(r"^  (?:-\w, )?(--[a-z-]+)", said, re.M):
            assert option in sections[name], (name, option)
    measurements = re.search(r"\[([a-z|]+)\]", syrinx("help", "bench").stdout.decode())[1]
    assert measurements.replace("|", " | ") in text



def test_versions_of_clients_are_the_ones_that_are_installed():
    """As the table of docs/compatibility.md has them."""
    table = (SOURCE / "docs/compatibility.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^\| `(\S+)` \| ([\d.]+) \|", table, re.M))
    pinned = {}
    for folder in (".", "node22", "livekit", "browser"):
        path = SOURCE / "test/clients" / folder / "package.json"
        pinned |= json.loads(path.read_text(encoding="utf-8"))["dependencies"]
    # Needed by the clients or to run them.
    for name in ("@livekit/rtc-node", "playwright-core", "react", "react-dom"):
        del pinned[name]
    assert shown == pinned


def test_commands_in_sentences_exist():
    known = {}
    for page in PAGES.values():
        for place, span in page.spans():
            match = re.fullmatch(r"(?:build/)?syrinx ([a-z-]+)(.*)", span)
            if not match:
                continue
            name, rest = match.groups()
            if name not in known:
                done = syrinx("help", name)
                known[name] = done.stdout.decode() if done.returncode == 0 else None
            assert known[name], f"{place}: there is no syrinx {name}"
            for option in re.findall(r" (--[a-z][a-z-]*)", rest):
                assert re.search(rf"^  (-\w, )?{option}\b", known[name], re.M), (
                    f"{place}: syrinx {name} has no {option}")


def test_targets_of_make_in_sentences_exist():
    for page in PAGES.values():
        for place, span in page.spans():
            if match := re.fullmatch(r"make ([a-z-]+)( .*)?", span):
                done = subprocess.run(["make", "-n", match[1]], cwd=SOURCE, capture_output=True,
                                      text=True, timeout=WAIT_S, check=False)
                assert done.returncode == 0, f"{place}: {done.stderr}"


def test_files_in_sentences_exist():
    for page in PAGES.values():
        for place, span in page.spans():
            if TREE.fullmatch(span) and not re.search(r"[A-Z]{2,}", span.replace("README", "")):
                assert (SOURCE / span).exists(), f"{place}: {span}"


def test_links_lead_to_pages_and_headings():
    for page in PAGES.values():
        for place, link in page.links():
            if re.match(r"\w+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.path.parent / path).resolve() if path else page.path
            assert target.exists(), f"{place}: {link}"
            if anchor:
                there = PAGES[str(target.relative_to(SOURCE))]
                assert anchor in there.anchors(), f"{place}: {link}: no such heading"


def test_every_page_is_reached_from_the_front():
    """By way of others, from docs/README.md."""
    found, left = set(), ["docs/README.md"]
    while left:
        name = left.pop()
        if name in found or name not in PAGES:
            continue
        found.add(name)
        for _, link in PAGES[name].links():
            if not re.match(r"\w+:", link) and link.partition("#")[0]:
                target = (PAGES[name].path.parent / link.partition("#")[0]).resolve()
                left.append(str(target.relative_to(SOURCE)))
    assert found >= {name for name in PAGES if name.startswith("docs/")}


# Tables of the program

def metrics_of_the_program():
    """{name: (kind, label)} of the table in metrics.h."""
    text = (SOURCE / "src/metrics/metrics.h").read_text()
    table = text[text.index("#define METRICS(X)"):text.index("enum metric")]
    table = re.sub(r"\s*\\\n\s*", " ", table)
    rows = re.findall(r'X\(\w+, (\w+), \w+, "(\w+)", (NULL|"\w+"),', table)
    return {"syrinx_" + name: (kind.lower(), "" if label == "NULL" else label.strip('"'))
            for kind, name, label in rows}


def metrics_of_the_page():
    rows = {}
    for _, line in PAGES["docs/metrics.md"].prose:
        match = re.match(r"\| `(syrinx_\w+)`(?: by `(\w+)`)? \| (\w+) \|", line)
        if match:
            rows[match[1]] = (match[3], match[2] or "")
    return rows


def test_metrics_page_has_every_metric_and_no_other():
    assert metrics_of_the_page() == metrics_of_the_program()


def test_server_has_the_metrics_of_the_page(shared_server):
    connection = http.client.HTTPConnection("127.0.0.1", shared_server.port, timeout=WAIT_S)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M))
    assert kinds == {name: kind for name, (kind, _) in metrics_of_the_page().items()}


def test_dashboard_shows_metrics_that_exist():
    text = (SOURCE / "deploy/grafana-dashboard.json").read_text()
    known = metrics_of_the_program()
    for name in set(re.findall(r"syrinx_\w+", text)):
        plain = re.sub(r"_(bucket|sum|count)$", "", name)
        assert name in known or known.get(plain, ("",))[0] == "histogram", name


def test_metrics_in_sentences_exist():
    known = metrics_of_the_program()
    for page in PAGES.values():
        for place, span in page.spans():
            for name in re.findall(r"\bsyrinx_[a-z_]+", span):
                assert re.sub(r"_(bucket|sum|count)$", "", name) in known, f"{place}: {name}"


def test_settings_in_sentences_exist():
    """Those that are written with their section."""
    sample, section, known = syrinx("check", "--sample").stdout.decode(), "", set()
    for line in sample.splitlines():
        if match := re.fullmatch(r"#?\[(\w+).*\]", line):
            section = match[1]
        elif match := re.match(r"#?(\w+) =", line):
            known.add(f"{section}.{match[1]}")
    for page in PAGES.values():
        for place, span in page.spans():
            match = re.match(r"((?:server|speech|prices|store)\.[a-z_]+)( =.*)?$", span)
            assert not match or match[1] in known, f"{place}: {span}"


def texts_of_the_program():
    """What they say: neighbouring literals joined, … for what formats put in."""
    joined = []
    for path in [*(SOURCE / "src").rglob("*.[ch]"), *(SOURCE / "web").glob("*.js"),
                 SOURCE / "tools/setup"]:
        text = re.sub(r'"\s*(\\\n)?\s*"', "", path.read_text(encoding="utf-8"))
        joined.append(re.sub(r"%[-.*0-9]*(?:ll|z)?[a-z]", "…", text).replace('\\"', '"'))
    return "\n".join(joined)


def rows_of_troubleshooting(heading):
    """The left column of the table below a heading."""
    above = ""
    for _, line in PAGES["docs/troubleshooting.md"].prose:
        above = line[3:] if line.startswith("## ") else above
        if above == heading and line.startswith("| "):
            yield re.split(r"(?<!\\)\|", line)[1].strip()


def poor_key(server):
    """Of a prepaid account that nobody has paid for."""
    done = syrinx("account", "create", "--name", "poor", "--prepaid", "yes", "--data", server.data)
    assert done.returncode == 0, done.stderr
    return server.new_key("--account", "poor")


def busy_key(server):
    """That has asked as often in this minute as it may."""
    key = server.new_key("--requests-per-minute", "1")
    assert server.get("/v1/voices", {"X-API-Key": key})[0] == 200
    return key


REFUSALS = {
    "no key": ("GET", "/v1/voices", lambda server: {}),
    "no credit": ("POST", "/v1/tts/generate", lambda server: {"X-API-Key": poor_key(server)}),
    "a wrong key": ("GET", "/v1/voices", lambda server: {"X-API-Key": "ka_wrong"}),
    "no scope": ("GET", "/v1/usage",
                 lambda server: {"X-API-Key": server.new_key("--scopes", "speak")}),
    "another host": ("GET", "/health", lambda server: {"Host": "voice.example.com"}),
    "another page": ("GET", "/health", lambda server: {"Origin": "https://app.example.com"}),
    "no path": ("GET", "/nowhere", lambda server: {}),
    "too much text": ("POST", "/v1/tts/generate", lambda server: {
        "X-API-Key": server.new_key("--text-max", "3")}),
    "too many requests": ("GET", "/v1/voices", lambda server: {"X-API-Key": busy_key(server)}),
}


@pytest.mark.parametrize("why", REFUSALS)
def test_refusal_is_found_in_troubleshooting(shared_server, why):
    method, path, headers = REFUSALS[why]
    body = json.dumps({"text": "Hello there.", "voice_id": 2003}) if method == "POST" else None
    connection = http.client.HTTPConnection("127.0.0.1", shared_server.port, timeout=WAIT_S)
    connection.request(method, path, body=body, headers=headers(shared_server))
    answer = connection.getresponse()
    said = json.loads(answer.read())["error"]
    connection.close()
    cells = [cell for cell in rows_of_troubleshooting("Refused")
             if cell.startswith(f"{answer.status} `")]
    assert any(re.search(re.escape(cell.split("`")[1]).replace("…", ".+"), said)
               for cell in cells), (answer.status, said)


def test_codes_in_troubleshooting_are_those_of_the_program():
    known = set()
    for header in ("src/net/ws_codec.h", "src/session/session.h"):
        known |= set(re.findall(r"_CLOSE_\w+ = (\d{4})", (SOURCE / header).read_text()))
    shown = {code for cell in rows_of_troubleshooting("Connections that close")
             for code in re.findall(r"\d{4}", cell)}
    assert shown == known - {"1001", "1005", "1011"}  # which no server of ours sends


def test_messages_in_troubleshooting_are_those_of_the_program():
    """In its tables' left column; … stands for what differs."""
    program = texts_of_the_program()
    count = 0
    for number, line in PAGES["docs/troubleshooting.md"].prose:
        if not line.startswith("| "):
            continue
        for span in pages.SPAN.finditer(re.split(r"(?<!\\)\|", line)[1]):
            if span[2].startswith("syrinx_"):
                continue
            shown = re.sub(r"server\.\w+", "…", span[2])  # its own name is put in, too
            for part in filter(None, (part.strip() for part in shown.split("…"))):
                count += 1
                assert part in program, f"docs/troubleshooting.md:{number}: {part}"
    assert count > 10
