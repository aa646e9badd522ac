"""The commands of docs/operations.md and docs/security.md do what stands there.

Blocks of `sh` are run in their order by one shell, as an operator would type them, and the first
that fails ends the test; the first block of `ini` is the configuration.  operations.md starts and
stops its servers itself.  Blocks that cannot be run here say why (<!-- not run: … -->): of those the
syntax is checked, and the commands and options of ours in them.
"""

import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess

import pages
import pytest
import yaml
from client import Client, Turn
from postgres import Postgres, programs
from program import BUILD, SANITIZER_REPORT, SOURCE, WAIT_S, become_subreaper, companions, \
    environment, free_port, wait_until
from prometheus import Look
from rest import Rest
from test_deploy import check_call

OPERATIONS = pages.Reader(SOURCE / "docs/operations.md").read()
SECURITY = pages.Reader(SOURCE / "docs/security.md").read()

# All that operations.md does not run, by the reason it gives: a new one is a decision.
NOT_RUN = {
    "needs systemd": 2, "needs systemd and two packages": 1,
    "needs root, systemd and a certificate of an authority": 2, "of logrotate": 1,
    "needs root and cron": 1, "changes the machine": 2, "needs root": 1,
    "needs root, changes the firewall": 1,
}


def heading_of(block):
    """The nearest one above."""
    line = int(block.place.rsplit(":", 1)[1])
    return [match[1] for number, text in OPERATIONS.prose
            if number < line and (match := pages.HEADING.fullmatch(text))][-1]


def blocks(page, language):
    return [block for block in page.blocks if block.language == language and not block.reason]


class Place:
    """A directory in which commands are run, by one shell that takes on the processes they leave."""

    def __init__(self, directory):
        self.directory = directory
        self.port = free_port()
        (directory / "build").symlink_to(BUILD)
        self.said = directory / "said"
        self.complaints = directory / "complaints"
        with open(self.said, "wb") as said, open(self.complaints, "wb") as complaints:
            self.shell = subprocess.Popen(
                ["bash", "-euo", "pipefail"], cwd=directory, env=environment({}), text=True,
                stdin=subprocess.PIPE, stdout=said, stderr=complaints, preexec_fn=become_subreaper)

    def text(self, text):
        return text.replace("127.0.0.1:8080", f"127.0.0.1:{self.port}")

    def run(self, script):
        """What it prints."""
        begin = self.said.stat().st_size
        end = f"\n--- end {begin} ---\n"
        (self.directory / "script").write_text(self.text(script) + "\n")
        self.shell.stdin.write(f". ./script </dev/null; printf '%s' {shlex.quote(end)}\n")
        self.shell.stdin.flush()

        def printed():
            return self.said.read_bytes()[begin:].decode()

        def is_over():
            assert self.shell.poll() is None, f"{script}\n{self.complaints.read_text()}"
            return printed().endswith(end)

        wait_until(is_over, f"this is over:\n{script}", 4 * WAIT_S)
        return printed().removesuffix(end)

    def pid(self):
        return int((self.directory / "data/syrinx.pid").read_text().split()[0])

    def log(self):
        return (self.directory / "syrinx.log").read_text()

    def serve(self, *options):
        self.run(f"build/syrinx serve {shlex.join(options)} >>syrinx.log 2>&1 &\n"
                 f"until build/syrinx ready --server http://127.0.0.1:{self.port}; do sleep 0.1; done")

    def stop(self):
        """Ends the server in order, and then the shell; nothing may have gone wrong."""
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            os.kill(self.pid(), signal.SIGTERM)
        self.shell.stdin.write("while wait -n 2>/dev/null; do :; done\n")
        self.shell.stdin.close()
        assert self.shell.wait(WAIT_S) == 0, self.complaints.read_text()
        wait_until(lambda: not self.servers(), "the servers have ended")
        assert not SANITIZER_REPORT.search(self.log()), self.log()

    def servers(self):
        """Processes that use this directory."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.readlink(entry / "cwd") == str(self.directory) and (
                        b"serve" in (entry / "cmdline").read_bytes()):
                    found.append(int(entry.name))
        return found

    def kill(self):
        self.shell.kill()
        self.shell.wait()
        for pid in self.servers():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def place(tmp_path):
    place = Place(tmp_path)
    yield place
    place.kill()


def speak(port, key):
    class Where:
        pass

    Where.port, Where.key = port, key
    with Client(Where) as client:
        return client.speak("Still here.", voice_id=1).samples


# What the commands below a heading must print.
SAID = {
    "Starting": [r"the configuration is valid", r"ready: \d+ voices"],
    "Which configuration and store a command uses": [r"configuration +\S+/syrinx\.conf\b", r"sqlite:\S+/data/syrinx\.db"],
    "Accounts, projects, keys": [r"website", r"kt_", r"kiosk", r'"token"', r'"plan": ?"starter"'],
    "Limits and plans": [r"turns +10\b"],
    "Credit": [r"the balance is 2000 ", r"refund-7"],
    "Usage and the ledger": [r"total", r"cost_microcents", r'"turn_id"', r"all totals match"],
    "Upgrading": [r"ready: \d+ voices"],
    "Backing up": [r"all totals match"],
    "Restoring": [r"renamed to \S+syrinx\.db\.replaced-", r"all totals match", r"ready: \d+ voices"],
    "Sizing": [r"\d+ syrinx\n", r"\d+ syrinx-espeak\n"],
    "Engines": [r"system call filter"],
}


def test_commands_of_operations(place):
    said, pids = {}, []
    place.directory.joinpath("syrinx.conf").write_text(
        place.text(blocks(OPERATIONS, "ini")[0].text + "\n"))
    for block in blocks(OPERATIONS, "sh"):
        heading = heading_of(block)
        if heading == "Moving to PostgreSQL":
            continue
        said[heading] = said.get(heading, "") + place.run(block.text)
        if place.pid() not in pids:
            pids.append(place.pid())
    assert set(SAID) <= set(said)
    for heading, patterns in SAID.items():
        for pattern in patterns:
            assert re.search(pattern, said[heading]), (heading, pattern, said[heading])
    assert len(pids) == 4, pids  # the first, two upgrades, and after the restoration
    wait_until(lambda: not place.servers(), "the last of them has ended")
    assert "SIGHUP: 1 agents" in place.log()
    accounts = place.run("build/syrinx account list")
    assert re.search(r"acme +open", accounts) and re.search(r"deleted-3 +closed", accounts)
    assert "globex" not in accounts and "Jane" not in place.run("build/syrinx key list --json")
    place.serve()
    assert speak(place.port, place.run('echo "$KEY"').strip()) > 0
    place.stop()


@pytest.mark.skipif(not programs(), reason="PostgreSQL is not installed")
def test_move_to_postgresql(place):
    place.run("build/syrinx account create --create --name acme\n"
              "KEY=$(build/syrinx key create --account acme)")
    (move,) = [block.text for block in blocks(OPERATIONS, "sh")
               if heading_of(block) == "Moving to PostgreSQL"]
    with Postgres() as database:
        place.run(f"POSTGRESQL={shlex.quote(database.address)}")
        assert "all totals match" in place.run(move)
        place.run('export SYRINX_STORE_ADDRESS="$POSTGRESQL"')
        place.serve("--listen", f"127.0.0.1:{place.port}")
        assert speak(place.port, place.run('echo "$KEY"').strip()) > 0
        place.stop()


def test_commands_of_security(place):
    place.serve("--listen", f"127.0.0.1:{place.port}")
    said = "".join(place.run(block.text) for block in blocks(SECURITY, "sh"))
    assert re.search(r"^ka_\w{40}$", said, re.M) and re.search(r"\|[0-9A-F]{64}\|visitor", said)
    assert "all totals match" in said and os.listdir(place.directory / "data")
    place.stop()


def test_every_configuration_that_is_shown_is_good(place):
    for number, block in enumerate(blocks(OPERATIONS, "ini")):
        place.directory.joinpath(f"{number}.conf").write_text(block.text + "\n")
        place.run(f"build/syrinx check --config {number}.conf")


def test_log_lines_in_json_are_as_shown(start_server):
    (block,) = blocks(OPERATIONS, "json")
    lines = start_server({"server.log_format": "json"}).log().splitlines()
    shown, first = json.loads(block.text), json.loads(lines[0])
    assert list(first) == list(shown)
    assert re.sub(r"\d+", "0", first["time"]) == re.sub(r"\d+", "0", shown["time"])


def script_of(heading, tmp_path):
    """The script below a heading, in a directory of its own and for whoever runs the tests."""
    (block,) = [block for block in OPERATIONS.blocks
                if heading_of(block) == heading and block.text.startswith("#!/bin/sh")]
    text = block.text.replace("/etc/syrinx", f"{tmp_path}/etc").replace("-o root -g syrinx ", "")
    path = tmp_path / "saved"
    path.write_text(text.replace("/var/backups", str(tmp_path)) + "\n")
    path.chmod(0o755)
    return path


def test_hook_of_certbot_copies_the_certificate_and_reloads(tmp_path):
    lineage = tmp_path / "live" / "voice.example.com"
    lineage.mkdir(parents=True)
    for name in ("fullchain.pem", "privkey.pem"):
        (lineage / name).write_text(name)
    (tmp_path / "systemctl").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "systemctl").chmod(0o755)
    script = script_of("Renewing a certificate", tmp_path)

    def renew(path):
        variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "RENEWED_LINEAGE": str(path)}
        return subprocess.run([script], env=environment({}) | variables, capture_output=True,
                              text=True, timeout=WAIT_S, check=True).stdout

    assert renew(tmp_path / "live" / "other.example.com") == ""
    assert not (tmp_path / "etc").exists()
    assert renew(lineage) == "reload syrinx\n"
    copy = tmp_path / "etc/tls/privkey.pem"
    assert copy.read_text() == "privkey.pem" and copy.stat().st_mode & 0o777 == 0o640


def test_nightly_script_makes_a_backup(place, tmp_path):
    place.run("build/syrinx key create --create")
    script = script_of("Backing up", tmp_path)
    old = tmp_path / "syrinx" / "2020-01-01.db"
    old.parent.mkdir()
    old.touch()
    os.utime(old, (0, 0))
    place.run(f"PATH=$PWD/build:$PATH {script}")
    (copy,) = old.parent.iterdir()
    assert copy != old and "all totals match" in place.run(
        f"build/syrinx account check --store sqlite:{copy}")


def test_what_is_not_run_is_known_and_could_be(capsys):
    counts = {}
    for block in OPERATIONS.blocks:
        if not block.reason:
            assert block.language in ("sh", "ini", "json", "haproxy"), block.place
            continue
        counts[block.reason] = counts.get(block.reason, 0) + 1
        with capsys.disabled():
            print(f"\n{block.place}: not run: {block.reason}", end="")
        if block.language != "sh":
            continue
        done = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True,
                              timeout=WAIT_S, check=False)
        assert done.returncode == 0, f"{block.place}: {done.stderr}"
        for call in re.findall(r"(?:^|&& )(syrinx [^&>|#\n]*)", block.text, re.M):
            check_call(shlex.split(call))
    assert counts == NOT_RUN


def test_alerts_are_those_of_the_page():
    rules = yaml.safe_load((SOURCE / "deploy/prometheus-alerts.yml").read_text(encoding="utf-8"))
    (group,) = rules["groups"]
    shown = [match[1] for _, line in OPERATIONS.prose if (match := re.match(r"\| `(Syrinx\w+)` \|", line))]
    assert shown == [rule["alert"] for rule in group["rules"]]


# The load balancer

class Balancer:
    """HAProxy with the page's configuration, in front of servers of ours and without TLS."""

    def __init__(self, directory, servers):
        self.port, self.key = free_port(), servers[0].key
        (block,) = blocks(OPERATIONS, "haproxy")
        text = re.sub(r"bind :443 .*", f"bind 127.0.0.1:{self.port}", block.text)
        for number, server in enumerate(servers, 11):
            text = text.replace(f"10.0.0.{number}:8080", f"127.0.0.1:{server.port}")
        self.file, self.log = directory / "haproxy.cfg", directory / "haproxy.log"
        self.file.write_text(text + "\n")

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(["haproxy", "-db", "-f", self.file], stdout=log,
                                            stderr=log)
        companions.add(self.process.pid)
        wait_until(self.is_open, "HAProxy listens")
        return self

    def is_open(self):
        assert self.process.poll() is None, self.log.read_text()
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(WAIT_S)
        companions.discard(self.process.pid)


def is_idle(server):
    return Look(server)["connections"] == 0


@pytest.fixture
def haproxy():
    if not shutil.which("haproxy"):
        pytest.skip("there is no HAProxy: Debian's package haproxy")


def test_haproxy_takes_the_configuration_that_is_shown(haproxy, tmp_path):
    (block,) = blocks(OPERATIONS, "haproxy")
    pem = tmp_path / "voice.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=voice.example.com", "-keyout", pem, "-out", tmp_path / "cert"],
                   capture_output=True, timeout=WAIT_S, check=True)
    pem.write_bytes(pem.read_bytes() + (tmp_path / "cert").read_bytes())
    (tmp_path / "haproxy.cfg").write_text(
        block.text.replace("/etc/haproxy/voice.example.com.pem", str(pem)) + "\n")
    done = subprocess.run(["haproxy", "-c", "-f", tmp_path / "haproxy.cfg"], capture_output=True,
                          text=True, timeout=WAIT_S, check=False)
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr


@pytest.mark.skipif(not programs(), reason="PostgreSQL is not installed")
def test_two_servers_behind_haproxy(haproxy, tmp_path, start_server):
    """Both serve; one that is stopped finishes its turn, and new clients get the other."""
    with Postgres() as database:
        servers = [start_server({"store.address": database.address}, port=free_port())
                   for _ in range(2)]
        with Balancer(tmp_path, servers) as balancer:
            assert Rest(balancer, root="").raw("GET", "/metrics")[0] == 403
            with Client(balancer) as first, Client(balancer) as second:
                for client in (first, second):
                    assert client.speak("One.", voice_id=1).samples > 0
                assert not any(map(is_idle, servers))
                turns = {client: Turn() for client in (first, second)}
                for client, turn in turns.items():
                    client.send(text="This is still open. ", voice_id=1)
                    turn.add(client.receive())
                servers[0].terminate()
                for client, turn in turns.items():
                    client.send(flush=True)
                    assert client.read_turn(turn).usage["audio_seconds"] > 0
                wait_until(lambda: "voice1 is DOWN" in balancer.log.read_text(), "HAProxy knows")
                with Client(balancer) as third:
                    assert third.speak("Two.", voice_id=1).samples > 0
            assert servers[0].wait_for_end() == 0
            servers[1].stop()
