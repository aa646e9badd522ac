"""The ledger while the server is killed: a short run of test/crash, which has the long one."""

import sys

import program
import pytest

sys.path.insert(0, str(program.SOURCE / "test" / "crash"))
import crash  # noqa: E402  pylint: disable=wrong-import-position

KILLS = 50


def run(tmp_path, *arguments):
    """What happened; enough of it to mean something."""
    try:
        counts = crash.run(tmp_path, crash.parse(arguments))
    except SystemExit as left:
        pytest.skip(f"this machine cannot do it: {left}")
    print(counts)
    assert counts["promised"] > 0 and counts["lost"] > 0 and counts["cancelled"] > 0, counts
    return counts


def test_money_3_what_a_client_was_told_is_booked_once_whenever_the_server_is_killed(tmp_path):
    run(tmp_path, "--kills", str(KILLS))


def test_rows_wait_while_the_disk_is_full(tmp_path):
    counts = run(tmp_path, "--kills", "6", "--disk")
    assert counts["times the disk was full"] > 0


def test_rows_wait_while_the_database_is_away(tmp_path):
    counts = run(tmp_path, "--kills", "10", "--store", "postgresql")
    assert counts["lives with a store that failed"] > 0
