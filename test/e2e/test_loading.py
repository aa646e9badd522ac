"""Engines that are loading, not installed, or broken: what callers get from the first moment on.

The engine called vits is the example in Python here, with the names of neural voices.  It loads for as
long as the test wants, and has the voices only where the voices folder has their model.
"""

import contextlib
import os
import signal

import pytest
from client import Client, Turn
from program import BUILD, SOURCE, free_port, syrinx, wait_until
from rest import Rest
from test_upgrade import end, manager, pid_of  # noqa: F401 (a fixture)

VOICES = ("libritts:clara", "libritts:sally", "own:mine")
TEXT = "One two three."

LOADS = '''
import os
import time
FOLDER = os.environ["SYRINX_VOICES"]
while not os.path.exists(FOLDER + "/go"):
    time.sleep(0.01)
INSTALLED = os.path.exists(FOLDER + "/libritts.onnx")
'''

GREETS = f'''
        for name in {VOICES} if INSTALLED else ():
            self.send(VOICE, 0, string(name) + string("en") + string(name.split(":")[1])
                      + struct.pack("<IBB", RATE, 0, 0))
'''


class Machine:
    """Where the server runs: its engines, and its voices folder."""

    def __init__(self, directory):
        self.engines, self.folder = directory / "engines", directory / "voices"
        self.engines.mkdir()
        self.folder.mkdir()
        for engine in ("syrinx-tone", "syrinx-flite", "syrinx-espeak"):
            (self.engines / engine).symlink_to(BUILD / engine)
        program = (SOURCE / "examples/engine.py").read_text()
        program = program.replace("\nRATE =", LOADS + "RATE =", 1)
        program = program.replace('        self.send(VOICE, 0, string("beep")', GREETS
                                  + '        0 and self.send(VOICE, 0, string("beep")', 1)
        program = program.replace('if job.voice != b"beep":', "if False:", 1)
        self.write_engine(program)

    def write_engine(self, text):
        draft = self.engines / ".draft"
        draft.write_text(text)
        draft.chmod(0o755)
        draft.rename(self.engines / "syrinx-vits")

    def install(self):
        (self.folder / "libritts.onnx").touch()
        (self.folder / "own.onnx").touch()

    def let_load(self, loads=True):
        if loads:
            (self.folder / "go").touch()
        else:
            (self.folder / "go").unlink(missing_ok=True)

    def settings(self, **more):
        return {"speech.engines_dir": self.engines, "voices": self.folder} | more


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def speak(server, voice):
    with Client(server) as client:
        return client.speak(TEXT, voice_id=voice)


def availability(server, voice):
    return Rest(server).must(200, Rest(server).get(f"/voices/{voice}"))["availability"]


def refusal(client):
    said = next(frame for frame in iter(client.receive, None) if "error" in frame)
    assert (said["code"], said["error_code"]) == (503, "MODEL_UNAVAILABLE"), said
    assert said["retry_after"] > 0
    return said


def test_a_turn_waits_for_its_engine_and_others_do_not(machine, start_server):
    machine.install()
    server = start_server(machine.settings(), waits=False)
    wait_until(lambda: server.get("/ready")[1].get("reason") == "the engine vits is loading",
               "the others have loaded")
    with Client(server) as waiting:
        waiting.send(text=TEXT, voice_id=1081, flush=True)
        assert speak(server, 2003).samples > 0
        assert availability(server, 1081) == "loading"
        assert server.get("/ready")[0] == 503
        machine.let_load()
        turn = waiting.read_turn()
    assert turn.audio == speak(server, 1081).audio
    server.wait_for_log(r"ready: \d+ voices")
    assert server.get("/ready")[0] == 200
    assert availability(server, 1081) == "ready"


def test_a_turn_that_waits_too_long_is_told_when_to_retry(machine, start_server):
    machine.install()
    server = start_server(machine.settings(**{"speech.start_timeout_ms": 50,
                                              "speech.load_timeout_ms": 100}), waits=False)
    rest = Rest(server)
    with Client(server) as client:
        client.send(text=TEXT, voice_id=1081, flush=True)
        refusal(client)
        assert "session_closed" in client.receive()
        rest.must(503, rest.post("/tts/generate", {"text": TEXT, "voice_id": 1071}))
        assert int(rest.headers["retry-after"]) > 0
        machine.let_load()
        server.wait_for_log(r"ready: \d+ voices")
        assert client.speak(TEXT).samples > 0  # its voice was not forgotten


def test_an_id_that_may_yet_come_is_not_unknown(machine, start_server):
    machine.install()
    server = start_server(machine.settings(), waits=False)
    with Client(server) as client:
        client.send(text=TEXT, voice_id=1999999, flush=True)
        refusal(client)
        rest = Rest(server)
        rest.must(503, rest.get("/voices/1999999"))
        assert int(rest.headers["retry-after"]) > 0
        machine.let_load()
        server.wait_for_log(r"ready: \d+ voices")
        assert "session_closed" in client.receive()
        client.send(text=TEXT, flush=True)
        client.expect_error(404, "NOT_FOUND")


def test_after_a_restart_every_voice_is_known_at_once(machine, start_server):
    machine.install()
    machine.let_load()
    server = start_server(machine.settings())
    mine = Rest(server).must(200, Rest(server).get("/voices/mine"))["id"]
    want = speak(server, mine)
    server.stop()
    machine.let_load(False)
    (machine.folder / "libritts.onnx").unlink()
    again = start_server(machine.settings(), data=server.data, waits=False)
    assert availability(again, mine) == "loading"
    wait_until(lambda: availability(again, 1071) == "stand_in", "flite speaks what has no model")
    with Client(again) as client:
        client.send(text=TEXT, voice_id=mine, flush=True)
        machine.install()
        machine.let_load()
        assert client.read_turn().audio == want.audio


def test_a_stand_in_is_named_and_stays_for_the_connection(machine, start_server):
    machine.let_load()
    server = start_server(machine.settings())
    assert availability(server, 1071) == "stand_in"
    with Client(server) as client:
        stand_in = client.speak(TEXT, voice_id=1071)
        machine.install()
        wait_until(lambda: availability(server, 1071) == "ready", "the voice is installed")
        assert client.speak(TEXT).audio == stand_in.audio
        assert client.speak(TEXT, voice_id=1071).audio == stand_in.audio
        assert client.speak(TEXT, voice_id=1081).audio != stand_in.audio
    assert speak(server, 1071).audio != stand_in.audio


@pytest.mark.parametrize("fallback", ["on", "off"])
def test_an_engine_that_has_failed_for_good(machine, start_server, fallback):
    machine.install()
    machine.write_engine("#!/bin/sh\nexit 1\n")
    server = start_server(machine.settings(**{"speech.fallback": fallback,
                                              "speech.start_timeout_ms": 50,
                                              "speech.load_timeout_ms": 50}))
    assert server.get("/ready")[0] == 200
    assert availability(server, 1081) == "unavailable"
    assert availability(server, 1071) == ("stand_in" if fallback == "on" else "unavailable")
    with Client(server) as client:
        if fallback == "on":
            assert client.speak(TEXT, voice_id=1071).samples > 0
        client.send(text=TEXT, voice_id=1081, flush=True)
        refusal(client)


def test_the_manager_hears_of_readiness_when_every_engine_has_loaded(machine, manager,  # noqa: F811
                                                                     start_server):
    machine.install()
    server = start_server(machine.settings(), waits=False)
    assert speak(server, 2003).samples > 0
    assert "ready:" not in server.log()
    machine.let_load()
    assert manager()["READY"] == "1"
    assert "ready:" in server.log()


def test_a_successor_takes_over_when_it_has_every_engine(machine, manager, start_server):  # noqa: F811
    machine.install()
    machine.let_load()
    server = start_server(machine.settings(), port=free_port())
    manager()
    want = speak(server, 1081)
    machine.let_load(False)
    server.process.send_signal(signal.SIGUSR2)
    server.wait_for_log("takes over when it is ready")
    for _ in range(3):  # by the one that has it
        assert speak(server, 1081).audio == want.audio
    assert server.get("/ready")[0] == 200
    machine.let_load()
    successor = int(manager()["MAINPID"])
    with contextlib.ExitStack() as stack:
        stack.callback(end, successor)
        assert successor != server.pid
        assert server.process.wait() == 0
        assert speak(server, 1081).audio == want.audio


def test_a_successor_without_an_engine_that_worked_changes_nothing(machine, manager,  # noqa: F811
                                                                   start_server):
    machine.install()
    machine.let_load()
    server = start_server(machine.settings(), port=free_port())
    manager()
    want = speak(server, 1081)
    working = (machine.engines / "syrinx-vits").read_text()
    machine.write_engine("#!/bin/sh\nexit 1\n")
    server.process.send_signal(signal.SIGUSR2)
    server.wait_for_log("the engine vits works in the server that is running")
    server.wait_for_log("this process stays")
    assert speak(server, 1081).audio == want.audio
    machine.write_engine(working)
    server.process.send_signal(signal.SIGUSR2)
    successor = int(manager()["MAINPID"])
    with contextlib.ExitStack() as stack:
        stack.callback(end, successor)
        assert server.process.wait() == 0
        assert speak(server, 1081).audio == want.audio


def test_a_successor_serves_at_once_when_its_predecessor_has_died(machine, start_server):
    machine.install()
    machine.let_load()
    server = start_server(machine.settings(), port=free_port())
    machine.let_load(False)
    log = server.log()
    server.process.send_signal(signal.SIGUSR2)
    server.wait_for_log("takes over when it is ready")
    os.kill(server.pid, signal.SIGKILL)
    server.process.wait()
    wait_until(lambda: server.log().count("listening on") > log.count("listening on"), "it listens")
    successor = pid_of(server.data)
    with contextlib.ExitStack() as stack:
        stack.callback(end, successor)
        assert successor != server.pid
        assert speak(server, 2003).samples > 0


def test_a_successor_does_not_cut_the_turns_of_one_that_is_ending(machine, start_server):
    machine.install()
    machine.let_load()
    server = start_server(machine.settings(), port=free_port())
    text = "One two three four five six seven eight. " * 40
    with Client(server) as client:
        want = client.speak(text, voice_id=1073)
    machine.let_load(False)
    with Client(server, receive_buffer=8192) as slow:
        slow.send(text=text, voice_id=1073, flush=True)
        turn = Turn()
        while not turn.frame_samples:
            turn.add(slow.receive())
        server.process.send_signal(signal.SIGUSR2)
        server.wait_for_log("takes over when it is ready")
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: pid_of(server.data) != server.pid, "the successor serves")
        successor = pid_of(server.data)
        with contextlib.ExitStack() as stack:
            stack.callback(end, successor)
            machine.let_load()
            wait_until(lambda: server.get("/ready")[0] == 200, "the successor is ready")
            assert server.process.poll() is None
            slow.read_turn(turn)
            assert turn.audio == want.audio
            assert server.process.wait() == 0


def test_an_address_that_is_taken_is_told_before_anything_loads(server, tmp_path):
    done = syrinx("serve", "--data", tmp_path / "other", "--listen", f"127.0.0.1:{server.port}")
    said = done.stderr.decode()
    assert done.returncode == 1
    assert "cannot listen on" in said and "ddress already in use" in said
    assert " workers: " not in said and " speech: " not in said
    assert not (tmp_path / "other" / "engines").exists()
