"""Reports: everything that is told sums to the ledger, to the micro-cent."""

import csv
import datetime
import io
import json
from decimal import Decimal

import pytest
from client import Client
from multi import MultiClient
from program import Server, syrinx
from rest import Rest

VOICES = (1, 2)
FIGURES = ("turns", "characters", "cost_microcents")
# Figures of other kinds than speech, all zero here.
OTHERS = ("heard_seconds", "model_answers", "input_tokens", "output_tokens", "estimated_tokens")


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A server that has spoken with two keys and voices, one turn cut short; and what clients were
    told of each turn."""
    server = Server(tmp_path_factory.mktemp("usage"), {"speech.test_hooks": "on"})
    usages = []
    keys = [server.key, server.new_key("--name", "second")]
    for key in keys:
        with Client(server, key=key) as client:
            for voice in VOICES:
                for text in ("A short turn.", "Another, which takes a little longer to say."):
                    usages.append(client.speak(text, voice_id=voice).usage)
    with Client(server) as client:
        client.send({"text": "[[slow:50]] Never heard to its end.", "voice_id": 1, "flush": True})
        while "audio" not in client.receive():
            pass
        client.send({"cancel": True})
        while not client.receive().get("interrupted"):
            pass
    server.wait_for_ledger(len(usages) + 1)
    server.keys, server.usages = keys, usages
    yield server
    server.stop()


@pytest.fixture
def rest(told):
    with Rest(told) as client:
        yield client


def microcents(usage):
    """A cost as it was written: the shortest decimal that is read as this double."""
    return int((Decimal(repr(usage["cost_cents"])) * 10**6).to_integral_exact())


def sums_of(rows):
    return {name: sum(row[name] for row in rows) for name in FIGURES}


def ledger_sums(server):
    (row,) = server.ledger("count(*) AS turns, sum(characters) AS characters, "
                           "sum(amount_microcents) AS cost_microcents")
    return {name: row[name] for name in FIGURES}


@pytest.mark.parametrize("by", ["day", "key", "voice", "model", "kind",
                                "day,key,voice,model,kind", "model,voice"])
def test_rows_of_a_report_sum_to_the_ledger(told, rest, by):
    report = rest.must(200, rest.get("/usage?by=" + by))
    assert sums_of(report["rows"]) == ledger_sums(told)
    assert {name: report["total"][name] for name in FIGURES} == ledger_sums(told)
    assert report["by"] == [b for b in ("day", "key", "voice", "model", "kind")
                            if b in by.split(",")]
    names = {"day": "day", "key": "key", "voice": "voice_id", "model": "model_id", "kind": "kind"}
    for row in report["rows"]:
        assert set(row) == {names[b] for b in report["by"]} | {*FIGURES, "audio_seconds", *OTHERS}
        assert not any(row[name] for name in OTHERS)


def test_audio_is_that_which_was_handed_over(told, rest):
    rows = told.ledger("samples, sample_rate")
    seconds = sum(row["samples"] / row["sample_rate"] for row in rows)
    total = rest.must(200, rest.get("/usage"))["total"]
    assert abs(total["audio_seconds"] - seconds) <= len(rows) * 0.5e-6


def test_csv_says_the_same(told, rest):
    report = rest.must(200, rest.get("/usage?by=key,voice"))
    status, body = rest.raw("GET", "/usage?by=key,voice", headers={"Accept": "text/csv"})
    assert status == 200 and rest.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(body.decode(), newline="")))
    assert [(r["key"], int(r["voice_id"]), int(r["turns"]), float(r["audio_seconds"]),
             int(r["characters"]), int(r["cost_microcents"])) for r in rows] \
        == [(r["key"], r["voice_id"], r["turns"], r["audio_seconds"], r["characters"],
             r["cost_microcents"]) for r in report["rows"]]
    for accept in ("application/json, text/csv", "*/*", ""):
        rest.raw("GET", "/usage", headers={"Accept": accept})
        assert rest.headers["content-type"] == "application/json"


def test_report_is_of_the_time_that_is_asked_for(told, rest):
    today = datetime.datetime.now(datetime.timezone.utc).date()
    tomorrow = today + datetime.timedelta(days=1)
    everything = rest.must(200, rest.get("/usage"))["total"]
    day = rest.must(200, rest.get(f"/usage?from={today - datetime.timedelta(days=1)}&to={tomorrow}"))
    assert day["total"] == everything
    none = rest.must(200, rest.get(f"/usage?from={tomorrow}"))
    assert none["rows"] == [] and none["total"]["turns"] == 0
    (moment,) = told.ledger("min(at_ms) AS ms, max(at_ms) AS last")
    at = datetime.datetime.fromtimestamp(moment["ms"] / 1000, datetime.timezone.utc)
    first = rest.must(200, rest.get("/usage?to=" + at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")))
    assert first["total"]["turns"] == 0
    rest_of = rest.must(200, rest.get("/usage?from=" + at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")))
    assert rest_of["total"] == everything


def turns_of(rest, query=""):
    turns, after = [], ""
    while True:
        page = rest.must(200, rest.get(f"/usage/turns?limit=3{after}{query}"))
        assert len(page["turns"]) <= 3
        turns += page["turns"]
        if page["next"] is None:
            return turns
        after = "&after=" + page["next"]


def test_turns_are_those_that_clients_were_told_of(told, rest):
    turns = {turn["turn_id"]: turn for turn in turns_of(rest)}
    assert len(turns) == len(told.ledger()) == len(told.usages) + 1
    for usage in told.usages:
        turn = turns[usage["turn_id"]]
        assert turn["status"] == "finished"
        assert turn["audio_seconds"] == usage["audio_seconds"]
        assert turn["characters"] == usage["characters"]
        assert turn["model_id"] == usage["model_id"]
        assert turn["cost_microcents"] == microcents(usage)
    (cut,) = [turn for turn in turns.values() if turn["status"] == "cancelled"]
    assert set(cut) == {"turn_id", "at", "status", "audio_seconds", "heard_seconds",
                        "characters", "cost_microcents", "voice_id", "model_id", "kind", "quantity", "unit",
                        "estimated"}
    samples = {row["id"]: row["samples"] for row in told.ledger("id, samples")}
    for turn in turns.values():
        assert (turn["kind"], turn["unit"], turn["estimated"]) == ("speech", "samples", False)
        assert turn["quantity"] == samples[turn["turn_id"]]


def test_turns_come_oldest_first_and_each_once(told, rest):
    assert [t["turn_id"] for t in turns_of(rest)] == [row["id"] for row in told.ledger("id")]
    whole = rest.must(200, rest.get("/usage/turns?limit=1000"))
    assert whole["next"] is None and len(whole["turns"]) == len(told.ledger())
    assert {name: sum(t[name] for t in whole["turns"]) for name in FIGURES[1:]} \
        == {name: ledger_sums(told)[name] for name in FIGURES[1:]}


def test_one_key_may_be_asked_about(told, rest):
    both = [rest.must(200, rest.get("/usage?by=voice&key=" + key[:8])) for key in told.keys]
    assert both[1]["total"]["turns"] == 4
    assert both[0]["total"]["turns"] == 5
    everything = rest.must(200, rest.get("/usage"))["total"]
    assert both[0]["total"]["cost_microcents"] + both[1]["total"]["cost_microcents"] \
        == everything["cost_microcents"]
    assert len(turns_of(rest, "&key=" + told.keys[1][:8])) == 4


def test_key_sees_its_own_account_alone(told, rest):
    account = rest.must(201, rest.post("/admin/accounts", {"name": "Silent"}))
    made = rest.must(201, rest.post("/admin/keys", {"account_id": account["id"]}))
    told.secrets.append(made["key"])
    with Rest(told, made["key"]) as silent:
        assert silent.must(200, silent.get("/usage"))["total"]["turns"] == 0
        assert silent.must(200, silent.get("/usage/turns")) == {"turns": [], "next": None}
        assert silent.get("/usage?account_id=1")[0] == 403
        assert silent.get("/usage/turns?account_id=0")[0] == 403
        assert silent.get("/usage?key=" + told.keys[0][:8])[0] == 404
    assert rest.must(200, rest.get(f"/usage?account_id={account['id']}"))["total"]["turns"] == 0
    assert rest.must(200, rest.get("/usage?account_id=0"))["total"]["turns"] \
        == ledger_sums(told)["turns"]


@pytest.mark.parametrize("query, reason", [
    ("/usage?project_id=x", "project_id must be"),
    ("/usage?by=week", "by must be some of"), ("/usage?by=day,", "by must be some of"),
    ("/usage?from=yesterday", "from must be a date"), ("/usage?to=2026-02-30", "to must be a date"),
    ("/usage?account_id=x", "account_id must be"), ("/usage?key=ka_123456789", "at most 8 bytes"),
    ("/usage/turns?limit=0", "from 1 to 1000"), ("/usage/turns?limit=1001", "from 1 to 1000"),
    ("/usage/turns?after=7", "after must be"), ("/usage/turns?after=tx", "after must be"),
    ("/usage/turns?after=tffffffffffffffff", "after must be")])
def test_wrong_question_is_refused_with_the_reason(rest, query, reason):
    status, answer = rest.get(query)
    assert status == 400 and reason in answer["error"], answer


def test_sums_of_accounts_and_keys_are_those_of_the_rows(told, rest):
    account = rest.must(200, rest.get("/admin/accounts/1"))
    assert account["spent_microcents"] == ledger_sums(told)["cost_microcents"]
    assert account["balance_microcents"] == -account["spent_microcents"]
    for key in told.keys:
        spent = rest.must(200, rest.get("/admin/keys/" + key[:8]))["spent_microcents"]
        report = rest.must(200, rest.get("/usage?key=" + key[:8]))
        assert report["total"]["cost_microcents"] == spent > 0
    done = syrinx("account", "check", "--data", told.data)
    assert done.returncode == 0 and b"all totals match" in done.stdout


def test_command_says_what_rest_says(told, rest):
    def run(*arguments):
        done = syrinx("usage", "--data", told.data, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    asked = rest.must(200, rest.get("/usage?by=key,model"))
    # The command has read no configuration, and does not guess the currency.
    assert json.loads(run("--by", "key,model", "--json", "--account", "1")) \
        == asked | {"currency": None}
    _, body = rest.raw("GET", "/usage?by=key,model", headers={"Accept": "text/csv"})
    assert run("--by", "key,model", "--csv", "--account", "default").encode() == body
    table = run("--by", "key,voice", "--key", told.keys[1][:8]).splitlines()
    assert table[0].split() == ["KEY", "VOICE", "TURNS", "AUDIO", "S", "CHARACTERS", "CENTS",
                                "HEARD", "S", "ANSWERS", "TOKENS", "IN", "TOKENS", "OUT"]
    assert len(table) == 2 + len(VOICES) and table[-1].split()[:2] == ["total", "4"]
    assert run("--from", "1h").splitlines()[-1].split()[1] == str(ledger_sums(told)["turns"])
    assert run("--to", "2001-01-01").splitlines()[-1].split()[1] == "0"


def test_one_project_may_be_asked_about(told, rest):
    account = rest.must(201, rest.post("/admin/accounts", {"name": "Two projects"}))
    second = rest.must(201, rest.post("/admin/projects",
                                      {"account_id": account["id"], "name": "second"}))
    made = rest.must(201, rest.post("/admin/keys", {"project_id": second["id"]}))
    told.secrets.append(made["key"])
    with Client(told, key=made["key"]) as client:
        spoken = client.speak("Of the second project.", voice_id=1).usage
    turns = rest.must(200, rest.get(f"/usage/turns?project_id={second['id']}"))["turns"]
    assert [turn["turn_id"] for turn in turns] == [spoken["turn_id"]]
    total = rest.must(200, rest.get(f"/usage?project_id={second['id']}"))["total"]
    assert total["cost_microcents"] == turns[0]["cost_microcents"] and total["turns"] == 1
    said = syrinx("usage", "--data", told.data, "--project", str(second["id"]), "--json")
    assert json.loads(said.stdout)["total"] == total
    with Rest(told, made["key"]) as own:
        first = own.must(200, own.get("/usage"))["total"]
        assert first == total  # the account has no other turns
        assert own.get("/usage?project_id=1")[0] == 404  # of another account
    assert rest.get("/usage?project_id=999")[0] == 404
    assert rest.get(f"/usage?account_id=1&project_id={second['id']}")[0] == 404
    named = syrinx("usage", "--data", told.data, "--project", second["name"], "--json")
    assert json.loads(named.stdout)["total"] == total
    for which in ("999", "no such project"):
        wrong = syrinx("usage", "--data", told.data, "--project", which)
        assert wrong.returncode == 1 and f"there is no project {which}" in wrong.stderr.decode()


# Costs on the wire

@pytest.mark.parametrize("price", ["5.4", "0.1"])
def test_the_costs_of_forty_short_turns_add_up_to_the_ledger(start_server, price):
    """None of them is 0, however small the price, and none is rounded."""
    server = start_server(config=f"[prices]\ncents_per_minute = {price}\n")
    with Client(server) as client:
        costs = [microcents(client.speak("Hi", voice_id=1).usage) for _ in range(40)]
    assert min(costs) > 0
    rows = server.ledger("amount_microcents")
    assert sorted(row["amount_microcents"] for row in rows) == sorted(costs)
    done = syrinx("usage", "--data", server.data, "--config", server.config_path)
    titles, day, *_ = done.stdout.decode().splitlines()
    assert "CENTS" in titles
    assert str(Decimal(sum(costs)).scaleb(-6).normalize()) in day.split()


def test_the_cost_of_a_context_is_the_sum_of_its_rows(start_server):
    server = start_server({"prices.cents_per_minute": "0.7"})
    with MultiClient(server) as client:
        client.send(text=" ", context_id="a", voice_settings={"voice_id": 1})
        for _ in range(5):
            client.send(text="Hi", context_id="a", flush=True)
        client.send(close_context=True, context_id="a")
        while not (closed := client.receive()).get("context_closed"):
            pass
    rows = server.ledger("id, amount_microcents")
    assert sorted(row["id"] for row in rows) == sorted(closed["usage"]["turn_ids"])
    assert microcents(closed["usage"]) == sum(row["amount_microcents"] for row in rows) > 0
