"""Floods: what one client sends and does not read, or sends before it has said who it is, costs the
server little and keeps nobody else from being served.  `make floods` has more of them, for longer."""

import pytest
from client import Client
from flood import COMMANDS, command_flooder, drive, last_close_code
from program import SANITIZER, WAIT_S, Server, tone_alone

SETTINGS = tone_alone()
FLOOD_MAX_KIB = 1024  # for one client


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("floods"), SETTINGS)
    with Client(server) as client:
        client.speak("To begin with.", voice_id=1)
    yield server
    server.stop()


@pytest.mark.parametrize("kind", COMMANDS)
def test_replies_that_nobody_reads_close_the_connection_with_1008(server, kind):
    before = server.resident_kib()
    peak = before
    closed = server.log().count("closed with 1008")

    def look():
        nonlocal peak
        peak = max(peak, server.resident_kib())

    flooder = command_flooder(server, kind)
    drive([flooder], WAIT_S, until=lambda: server.log().count("closed with 1008") > closed,
          each=look)
    look()
    assert last_close_code(flooder.read_to_end()) == 1008
    flooder.close()
    lines = [line for line in server.log().splitlines() if "closed with 1008" in line]
    assert len(lines) == closed + 1
    assert "bytes=26" in lines[-1] and "key=" in lines[-1], lines[-1]
    if SANITIZER == "none":
        assert peak - before <= FLOOD_MAX_KIB, f"{peak - before} KiB for one client"
    with Client(server) as other:
        assert other.speak("Somebody else.", voice_id=1).samples > 0
