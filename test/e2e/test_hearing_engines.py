"""Engines that listen: the example in Python beside engines that speak, while it loads, when it is
killed, and when it does not start."""

import contextlib
import os
import pathlib
import signal

import pytest
from client import Client
from program import BUILD, SOURCE, wait_until

LOADS = '''
import os
import time
while not os.path.exists(os.environ["SYRINX_MODELS"] + "/go"):
    time.sleep(0.01)
'''


class Machine:
    """Where the server runs: its engines, and its models folder."""

    def __init__(self, directory):
        self.engines, self.models = directory / "engines", directory / "models"
        self.engines.mkdir()
        self.models.mkdir()
        (self.engines / "syrinx-tone").symlink_to(BUILD / "syrinx-tone")

    def add_listener(self, name="hear-beeps", before=""):
        program = (SOURCE / "examples/listener.py").read_text()
        engine = self.engines / f"syrinx-{name}"
        engine.write_text(program.replace("\nRATE,", before + "\nRATE,", 1))
        engine.chmod(0o755)

    def settings(self, **more):
        return {"speech.engines_dir": self.engines, "models": self.models} | more


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def listeners(server):
    """The processes of the example: its interpreter, with the script as an argument."""
    found = []
    for pid in server.workers():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            if b"syrinx-hear-beeps" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


def test_a_server_is_ready_when_its_listeners_have_loaded(machine, start_server):
    machine.add_listener(before=LOADS)
    server = start_server(machine.settings(), waits=False)
    reason = "the engine hear-beeps is loading"
    wait_until(lambda: server.get("/ready")[1].get("reason") == reason, "the tone engine has loaded")
    with Client(server) as client:  # it speaks meanwhile
        assert client.speak("One two three.", voice_id=1).samples > 0
    (machine.models / "go").touch()
    server.wait_for_log(r"hear-beeps: models: beeps")
    server.wait_for_log(r"ready: \d+ voices, 1 models that recognize speech")
    assert server.get("/ready")[0] == 200


def test_a_server_without_listeners_is_ready(machine, start_server):
    server = start_server(machine.settings())
    assert "0 models that recognize speech" in server.log()
    assert server.get("/ready")[0] == 200


def test_a_listener_that_does_not_start_keeps_nobody_from_speaking(machine, start_server):
    machine.add_listener(before='\nraise SystemExit("no")\n')
    server = start_server(machine.settings())
    server.wait_for_log(r"the models of hear-beeps are missing until it starts")
    assert server.get("/ready")[0] == 200
    with Client(server) as client:
        assert client.speak("One two three.", voice_id=1).samples > 0


def test_an_idle_listener_stands_by_and_is_replaced_when_it_is_killed(machine, start_server):
    machine.add_listener()
    server = start_server(machine.settings())
    wait_until(lambda: len(listeners(server)) == 2, "one of them stands by")
    killed = listeners(server)[0]
    os.kill(killed, signal.SIGKILL)
    server.wait_for_log(r"worker of hear-beeps ended: signal 9|worker of hear-beeps .* lost")
    wait_until(lambda: len(listeners(server)) == 2 and killed not in listeners(server),
               "there are two again")


def test_a_change_of_the_models_folder_starts_a_new_listener(machine, start_server):
    machine.add_listener()
    server = start_server(machine.settings(**{"hearing.workers": 1}))
    (before,) = wait_until(lambda: listeners(server), "it runs")
    (machine.models / "new-model").mkdir()
    server.wait_for_log(r"models has changed")
    wait_until(lambda: listeners(server) and before not in listeners(server), "another one runs")


def test_a_listener_may_not_be_called_like_an_engine_that_speaks(machine, start_server):
    machine.add_listener(name="beeps")
    server = start_server(machine.settings())
    assert "beeps does not speak: its program needs another name" in server.log()
    assert server.get("/ready")[0] == 200
