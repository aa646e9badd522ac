"""What a turn, a context or a request is said to have used and to cost."""

import contextlib
import json
import sqlite3

import program
from statement import DIFFERS, Different, scenario, statement
from stream_turns import FIRST, SECOND, plain
from wire import audio_of, names_of, shape, shown, the
from world import TONE

MICRO = 1_000_000


@statement("usage-audio-seconds", "000 Per-session usage / 001 Session Closed / 003 Session Closed",
           "audio_seconds is the audio of the turn.")
def check_seconds(world):
    turn = plain(world)
    assert abs(turn.usage["audio_seconds"] - turn.samples / 24000) < 1e-6
    return f"{turn.usage['audio_seconds']:.3f}, {turn.samples} samples at 24000 Hz"


@statement("usage-characters", "000 Per-session usage",
           "characters is the number of characters that were sent in the turn, including spaces.")
def check_characters(world):
    assert plain(world).usage["characters"] == len(FIRST) + 1 + len(SECOND)
    with world.speaking() as client:
        for text in ("One ", " ", " two "):
            client.send(text=text)
        client.send(flush=True)
        blanks = client.turn().usage["characters"]
    assert blanks == 10, blanks
    return f"{plain(world).usage['characters']} for two sentences, 10 for 'One ', ' ' and ' two '"


@statement("usage-characters-not-bytes",
           "000 Per-session usage", "It counts characters, not bytes.")
def check_code_points(world):
    text = "Grüße aus Köln 😀"
    with world.speaking() as client:
        count = client.say(text).usage["characters"]
    assert count == len(text), count
    return f"{count} for {len(text)} characters in {len(text.encode())} bytes"


@statement("usage-characters-leading-blank", "000 Per-session usage",
           "A message of spaces before the first word is counted too.")
def check_leading(world):
    with world.speaking() as client:
        client.send(text=" ")
        count = client.say("Hello. ").usage["characters"]
    assert count == 8, f"{count} for ' ' and 'Hello. '"
    return "8 for ' ' and 'Hello. '"


@statement("usage-currency",
           "000 Per-session usage / 003 Session Closed / 002 Server → Client Messages",
           'currency is "eur" if cost_cents is set.')
def check_currency(world):
    usage = plain(world).usage
    assert usage["currency"] == "eur" and usage["cost_cents"] is not None
    return f"currency {usage['currency']}"


@statement("usage-example-price",
           "000 final vs session_closed / 003 Session Closed / 002 Server → Client Messages",
           "The default price matches the examples: 5.4 s cost 0.49 cents, 4.1 s cost 0.37.")
def check_price(world):
    world.ours("needs to know the server's price")
    usage = plain(world).usage
    cost = usage["audio_seconds"] * 5.4 / 60
    assert abs(usage["cost_cents"] - cost) < 1e-6, (
        f"{usage['audio_seconds']:.3f} s: cost_cents {usage['cost_cents']}, exactly {cost:.6f}")
    return f"{usage['audio_seconds']:.3f} s cost {usage['cost_cents']} cents: 5.4 cents a minute"


@scenario
def charged(world):
    """Forty short turns on an account of their own, and what the ledger has of it."""
    server = world.ours("reads the ledger")
    key = server.new_key("--name", "conformance")
    client = world.stream(key=key)
    with client:
        client.send(voice_id=world.voice)
        usages = [client.say("Hi").usage for _ in range(40)]
    return usages, ledger_sum(server, key)


def ledger_sum(server, key):
    done = program.syrinx("usage", "--data", server.data, "--key", key[:12], "--by", "key", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["total"]["cost_microcents"]


@statement("cost-is-the-charge", "000 Per-session usage / 001 Session Closed / 003 Session Closed",
           "cost_cents is the amount that was charged: the frames of many turns add up to the "
           "ledger.")
def check_charge(world):
    usages, total = charged(world)
    claimed = sum(round(usage["cost_cents"] * MICRO) for usage in usages)
    assert claimed == total, f"40 turns: frames {claimed / MICRO:.6f}, ledger {total / MICRO:.6f} cents"
    return f"40 turns: {claimed / MICRO:.6f} cents in the frames and in the ledger"


@scenario
def cheap(world):
    server = world.server("cheap")
    key = server.new_key("--name", "conformance")
    with world.stream("cheap", key=key) as client:
        client.send(voice_id=world.voice)
        usages = [client.say("Hi there, this costs next to nothing.").usage for _ in range(5)]
    return usages, ledger_sum(server, key)


@statement("turn-is-charged-once", "000 What a turn is / 000 How a turn ends",
           "The turn is the unit of billing: each turn is charged once.")
def check_rows(world):
    server = world.ours("reads the ledger")
    with world.speaking() as client:
        ids = [client.say(text).usage["turn_id"] for text in ("One.", "Two.", "Three.")]
    rows = [row["id"] for row in server.ledger("id")]
    found = [rows.count(name) for name in ids]
    assert len(set(ids)) == 3 and found == [1, 1, 1], (ids, found)
    return "three turns, one row of the ledger for each"


@statement("cost-never-silent-zero",
           "000 Per-session usage / 001 Session Closed / 003 Session Closed",
           "cost_cents is never 0 for a turn that was charged, even at a price of 0.1 cents a "
           "minute.")
def check_not_zero(world):
    usages, total = cheap(world)
    claimed = sum(round(usage["cost_cents"] * MICRO) for usage in usages)
    assert all(usage["cost_cents"] > 0 for usage in usages), (
        f"cost_cents {usages[0]['cost_cents']}, ledger {total / MICRO:.6f}")
    assert claimed == total, (claimed, total)
    return (f"cost_cents {usages[0]['cost_cents']} for {usages[0]['audio_seconds']:.3f} s; "
            "five turns add up to the ledger")


@statement("cost-is-the-charge-context", "002 Server → Client Messages / 000 Per-session usage",
           "cost_cents of a context is the amount that was charged for all of its turns.")
def check_charge_context(world):
    server = world.ours("reads the ledger")
    key = server.new_key("--name", "conformance")
    with world.multi(key=key) as client:
        costs = []
        for name, texts in (("a", ("Hi", "Hi again.")), ("b", ("And a third turn.",))):
            client.open(name, world.voice)
            for text in texts:
                client.speak(name, text)
            costs.append(client.close_context(name)[-1]["usage"]["cost_cents"])
    return adds_up(costs, ledger_sum(server, key), "two contexts with three turns")


@statement("cost-is-the-charge-once", "000 Per-session usage",
           "cost_cents in the final of /ws/tts is the amount that was charged for the request.")
def check_charge_once(world):
    server = world.ours("reads the ledger")
    key = server.new_key("--name", "conformance")
    with world.once(key=key) as client:
        costs = []
        for text in ("One request.", "And another request."):
            client.send(text=text, voice_id=world.voice)
            costs.append(client.until("final")[-1]["usage"]["cost_cents"])
    return adds_up(costs, ledger_sum(server, key), "two requests")


def adds_up(costs, total, what):
    claimed = sum(round(cost * MICRO) for cost in costs)
    assert min(costs) > 0 and claimed == total, (costs, total)
    return f"{what}: {claimed / MICRO:.6f} cents in the frames and in the ledger"


@statement("cost-known", "000 Per-session usage",
           "If the charge is known, usage has no cost_unavailable: not for a turn, a request or a "
           "context.")
def check_known(world):
    with world.multi() as client:
        client.open("a", world.voice)
        client.speak("a", "What is it?")
        context = client.close_context("a")[-1]["usage"]
    for usage in (plain(world).usage, single(world)[0][-1]["usage"], context):
        assert usage["cost_cents"] > 0 and "cost_unavailable" not in usage, usage
    return "cost_cents and no cost_unavailable in each"


def unknown(usage):
    assert usage["cost_cents"] is None and usage["cost_unavailable"] is True, usage
    assert "currency" not in usage and usage["audio_seconds"] > 0, usage
    return shown({"usage": usage})


@statement("cost-unknown", "000 Per-session usage / 001 Session Closed / 003 Session Closed",
           "If the charge is not known, cost_cents is null and cost_unavailable is true; there is no "
           "currency.")
def check_unknown(world):
    world.server("unpriced")
    with world.speaking("unpriced", voice=TONE) as client:
        return unknown(client.say("What is it?").usage)


@statement("cost-unknown-audio-seconds", "000 Per-session usage",
           "audio_seconds is reported even if the charge is not known.")
def check_unknown_seconds(world):
    world.server("unpriced")
    with world.speaking("unpriced", voice=TONE) as client:
        turn = client.say("What is it?")
    assert abs(turn.usage["audio_seconds"] - turn.samples / 24000) < 1e-6
    return f"{turn.usage['audio_seconds']:.3f}, as received"


@statement("cost-unknown-multi", "000 Per-session usage / 002 Server → Client Messages",
           "The same applies to a context: cost_cents is null and cost_unavailable is true.")
def check_unknown_multi(world):
    with world.multi("unpriced") as client:
        client.open("a", TONE)
        client.speak("a", "What is it?")
        return unknown(client.close_context("a")[-1]["usage"])


@statement("cost-unknown-once", "000 Per-session usage",
           "The same applies to a single request.")
def check_unknown_once(world):
    with world.once("unpriced") as client:
        client.send(text="What is it?", voice_id=TONE)
        return unknown(client.until("final")[-1]["usage"])


@statement("cost-billing-error", "000 Per-session usage",
           "A transient billing error does not delay session_closed, which has a known cost, or null "
           "with cost_unavailable.", waits=3)
def check_billing_error(world):
    server = world.server("locked")
    with world.speaking("locked", voice=TONE) as client:
        client.say("Before.")
        with contextlib.closing(sqlite3.connect(server.data / "syrinx.db", timeout=30,
                                                isolation_level=None)) as database:
            database.execute("BEGIN EXCLUSIVE")
            turns = [client.say("The store is locked.") for _ in range(2)]
            database.execute("ROLLBACK")
    late = []
    for turn in turns:
        if turn.usage["cost_cents"] is None:
            unknown(turn.usage)
        else:
            assert turn.usage["cost_cents"] > 0 and turn.usage["currency"] == "eur", turn.usage
        late.append(turn.seen[-1].at - turn.seen[-2].at)
    assert max(late) < 10, late
    return ("two turns while the database was locked: session_closed came, no cost of 0",
            f"{late[0]:.2f} s and {late[1]:.2f} s after final; cost_cents "
            f"{[t.usage['cost_cents'] for t in turns]}")


# The single-request socket


@scenario
def single(world):
    with world.once() as client:
        client.send(text="Hello there, one request.", voice_id=world.voice)
        frames = client.until("final")
        return frames, client.during(0.4), client.is_open


@statement("once-final-has-usage",
           "000 final vs session_closed / 000 Per-session usage / 001 Session Closed / 003 Session "
           "Closed",
           "On /ws/tts, final means that the request is complete, and contains usage with the same "
           "fields.")
def check_once(world):
    frames, _, _ = single(world)
    usage = frames[-1]["usage"]
    documented = {"audio_seconds", "characters", "cost_cents", "currency", "model_id"}
    assert documented <= set(usage), usage
    assert abs(usage["audio_seconds"] - len(audio_of(frames)) / 48000) < 1e-6
    assert usage["characters"] == 25
    return f"{shape(frames)}; {shown({'usage': usage})}"


@statement("once-no-session-closed", "000 final vs session_closed",
           "final is the last frame of a request there: no session_closed follows.")
def check_once_last(world):
    frames, later, is_open = single(world)
    assert not later and is_open and "session_closed" not in names_of(frames)
    return shape(frames) + ", then no frame in 0.4 s"


@statement("once-usage-per-request", "000 Per-session usage",
           "usage is per request there: a second request on the same connection has its own.")
def check_once_again(world):
    with world.once() as client:
        finals = []
        for text in ("One request.", "And another request."):
            client.send(text=text, voice_id=world.voice)
            finals.append(client.until("final")[-1])
    assert [final["usage"]["characters"] for final in finals] == [12, 20]
    return "characters 12, then 20"


# Contexts


@statement("usage-per-context", "000 Per-session usage / 002 Server → Client Messages",
           "On /ws/tts/multi each context_closed contains the usage of its own context: audio_seconds, "
           "cost_cents, currency and model_id.")
def check_contexts(world):
    with world.multi() as client:
        spoken = {}
        for name, text in (("a", "Short."), ("b", "This one is quite a bit longer than that.")):
            client.open(name, world.voice)
            spoken[name] = len(audio_of(client.speak(name, text))) / 48000
        closed = {name: client.close_context(name)[-1] for name in spoken}
    for name, frame in closed.items():
        assert {"audio_seconds", "cost_cents", "currency", "model_id"} <= set(frame["usage"])
        assert abs(frame["usage"]["audio_seconds"] - spoken[name]) < 1e-6
    return ", ".join(f"{name}: {spoken[name]:.3f} s" for name in spoken) + "; " + shown(closed["a"])


@statement("usage-every-context", "000 Per-session usage",
           "Every context_closed has usage, even that of a context that never spoke.")
def check_silent_context(world):
    with world.multi() as client:
        client.open("a", world.voice)
        closed = client.close_context("a")[-1]
    assert "usage" in closed.frame, shown(closed)
    usage = closed["usage"]
    assert usage["audio_seconds"] == 0 and usage["cost_cents"] == 0, usage
    return shown(closed)


@statement("usage-context-characters", "000 Per-session usage",
           "A context's usage does not report characters.", expected=DIFFERS,
           reason="It does: the number is known, the field has the same meaning as on the stream socket, "
                  "and clients that do not expect it ignore it. turn_ids, the rows of the ledger, and "
                  "default_price, if no price is configured, are additional for the same reason.")
def check_no_characters(world):
    with world.multi() as client:
        client.open("a", world.voice)
        client.speak("a", "Hello.")
        usage = client.close_context("a")[-1]["usage"]
    if "characters" in usage:
        raise Different("usage has " + ", ".join(sorted(usage)))
    return "usage has " + ", ".join(sorted(usage))


@statement("usage-not-in-multi-session-closed",
           "000 Per-session usage / 002 Server → Client Messages",
           "The session_closed of /ws/tts/multi only ends the session: it has no usage.")
def check_multi_closed(world):
    with world.multi() as client:
        client.open("a", world.voice)
        client.speak("a", "Hello.")
        client.send(close_socket=True)
        frames, _ = client.closes()
    closed = the(frames, "session_closed")
    assert set(closed.frame) == {"session_closed", "total_audio_seconds"}, closed.frame
    return shown(closed)
