"""Accounts, projects, keys and tokens: by command and over REST, and who may do what."""

import contextlib
import re
import sqlite3

import pytest
from client import Client, Refused
from program import WAIT_S, syrinx, tone_alone, wait_until
from rest import Rest

SETTINGS = tone_alone()

LIMITS = {"turns": None, "connections": None, "requests_per_minute": None,
          "characters_per_minute": None, "text_max": None, "heard_seconds_per_minute": None}
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")


def run(server, *arguments, status=0):
    """Standard output of a command on the server's store."""
    done = syrinx(*arguments, "--data", server.data)
    assert done.returncode == status, done.stderr
    return done.stdout.decode() if status == 0 else done.stderr.decode()


def wait_until_refused(server, key):
    """Keys in use are looked at again when they have changed; what others wait for is seconds."""
    def is_refused():
        try:
            Client(server, key=key).__exit__()
        except Refused as refused:
            return refused.status
        return None

    assert wait_until(is_refused, "the key is refused") in (401, 403)


@pytest.fixture
def master(server):
    """The local key may do everything."""
    with Rest(server) as rest:
        yield rest


def make_key(rest, **body):
    made = rest.must(201, rest.post("/admin/keys", body))
    rest.server.secrets.append(made["key"])
    return made


@pytest.fixture
def tenant(master):
    """An account of its own, and a client with an admin key of it."""
    account = master.must(201, master.post("/admin/accounts", {"name": "Tenant"}))
    key = make_key(master, account_id=account["id"], scopes=["admin", "speak", "read"])
    with Rest(master.server, key["key"]) as rest:
        rest.account_id = account["id"]
        yield rest


# Accounts

def test_account_is_made_shown_changed_and_closed(master):
    made = master.must(201, master.post("/admin/accounts", {
        "name": "Ärzte GmbH", "prepaid": True, "limits": {"turns": 4, "connections": -1}}))
    assert MOMENT.fullmatch(made.pop("created_at"))
    assert made == {"id": made["id"], "name": "Ärzte GmbH", "plan": None, "prepaid": True,
                    "limits": LIMITS | {"turns": 4, "connections": -1}, "credit_microcents": 0,
                    "spent_microcents": 0, "balance_microcents": 0, "currency": "eur",
                    "closed_at": None}
    path = f"/admin/accounts/{made['id']}"
    changed = master.must(200, master.patch(path, {"limits": {"turns": None, "text_max": 500},
                                                   "prepaid": False}))
    assert changed["limits"] == LIMITS | {"connections": -1, "text_max": 500}
    assert changed["prepaid"] is False and changed["name"] == "Ärzte GmbH"
    closed = master.must(200, master.patch(path, {"closed": True}))
    assert MOMENT.fullmatch(closed["closed_at"])
    again = master.must(200, master.patch(path, {"closed": True}))
    assert again["closed_at"] == closed["closed_at"]
    assert master.must(200, master.patch(path, {"closed": False}))["closed_at"] is None
    assert master.must(200, master.get(path))["id"] == made["id"]
    assert master.must(200, master.patch(path, {})) == master.must(200, master.get(path))


def test_wrong_accounts_are_refused_with_the_reason(master):
    master.must(201, master.post("/admin/accounts", {"name": "Once"}))
    for body, reason in (({"name": "Once"}, "another account has this name"),
                         ({"name": "default"}, "another account has this name"),
                         ({}, "name is required"),
                         ({"name": "1001"}, "name must not be a number"),
                         ({"name": "x", "limits": {"turns": 0}}, "turns must be at least 1"),
                         ({"name": "x", "plan": "platinum"}, "plan must be one of"),
                         ({"name": "x", "spent_microcents": 0}, "a key must be a known one")):
        status, answer = master.post("/admin/accounts", body)
        assert status == 400 and reason in answer["error"], answer
    assert master.get("/admin/accounts/987")[0] == 404
    assert master.get("/admin/accounts/x")[0] == 404
    status, answer = master.patch("/admin/accounts/1", {"closed": True})
    assert status == 400 and "stays open" in answer["error"]


def test_lists_come_in_pages(master):
    names = [f"Account {i}" for i in range(5)]
    for name in names:
        master.must(201, master.post("/admin/accounts", {"name": name}))
    seen, after = [], 0
    while after is not None:
        page = master.must(200, master.get(f"/admin/accounts?limit=2&after={after}"))
        assert len(page["accounts"]) <= 2
        seen += [account["name"] for account in page["accounts"]]
        after = page["next"]
    assert seen == ["default", *names]
    for query in ("limit=0", "limit=1001", "limit=x", "after=-1"):
        assert master.get("/admin/accounts?" + query)[0] == 400


def test_closed_account_speaks_no_more(master, tenant):
    with Client(master.server, key=tenant.key) as client:
        assert client.speak("Open.", voice_id=1).samples > 0
    master.must(200, master.patch(f"/admin/accounts/{tenant.account_id}", {"closed": True}))
    wait_until_refused(master.server, tenant.key)


# Top-ups

def test_top_up_of_one_id_is_booked_once(master):
    account = master.must(201, master.post("/admin/accounts", {"name": "Payer"}))
    path = f"/admin/accounts/{account['id']}"
    body = {"id": "invoice-7", "amount_microcents": 500_000_001, "note": "May"}
    first = master.must(201, master.post(path + "/top-ups", body))
    assert MOMENT.fullmatch(first["at"])
    assert first == body | {"account_id": account["id"], "at": first["at"]}
    assert master.must(201, master.post(path + "/top-ups", body)) == first
    master.must(201, master.post(path + "/top-ups", {"id": "back", "amount_microcents": -1}))
    assert master.must(200, master.get(path))["balance_microcents"] == 500_000_000
    listed = master.must(200, master.get(path + "/top-ups"))["top_ups"]
    assert [(t["id"], t["amount_microcents"]) for t in listed] == [("invoice-7", 500_000_001),
                                                                  ("back", -1)]
    assert "all totals match the ledger" in run(master.server, "account", "check")


def test_top_up_that_says_something_else_is_refused(master):
    path = "/admin/accounts/1/top-ups"
    master.must(201, master.post(path, {"id": "a", "amount_microcents": 5}))
    other = master.must(201, master.post("/admin/accounts", {"name": "Other"}))
    for where, amount in ((path, 6), (f"/admin/accounts/{other['id']}/top-ups", 5)):
        status, answer = master.post(where, {"id": "a", "amount_microcents": amount})
        assert status == 400 and "nothing was changed" in answer["error"]
    for amount in (0, 1.5, "5", 2 ** 53, None):
        assert master.post(path, {"id": "b", "amount_microcents": amount})[0] == 400
    assert master.must(200, master.get("/admin/accounts/1"))["credit_microcents"] == 5
    assert master.post("/admin/accounts/987/top-ups", {"id": "c", "amount_microcents": 5})[0] == 404


# Projects and keys

def test_project_belongs_to_an_account(master, tenant):
    made = master.must(201, master.post("/admin/projects", {"name": "Site",
                                                            "account_id": tenant.account_id}))
    assert made["account_id"] == tenant.account_id
    assert tenant.post("/admin/projects", {"name": "Site"})[0] == 400
    mine = tenant.must(201, tenant.post("/admin/projects", {"name": "Phone"}))
    names = {p["name"] for p in tenant.must(200, tenant.get("/admin/projects"))["projects"]}
    assert names == {"default", "Site", "Phone"}
    assert mine["account_id"] == tenant.account_id
    assert master.post("/admin/projects", {"name": "x", "account_id": 987})[0] == 404


def test_an_account_has_100_projects_and_the_operator_may_add_more(master, tenant):
    listed = tenant.must(200, tenant.get("/admin/projects"))["projects"]
    for number in range(100 - len(listed)):
        tenant.must(201, tenant.post("/admin/projects", {"name": f"p{number}"}))
    refused = tenant.must(400, tenant.post("/admin/projects", {"name": "one more"}))
    assert "an account may have 100 projects" in refused["error"]
    assert refused["error_code"] == "VALIDATION_ERROR"
    run(master.server, "project", "create", "--account", "Tenant", "--name", "one more")
    assert "one more" in run(master.server, "project", "list", "--account", "Tenant")
    tenant.must(400, tenant.post("/admin/projects", {"name": "and one more"}))


def test_an_account_has_1000_keys_and_the_operator_may_add_more(master, tenant):
    server = master.server
    with contextlib.closing(sqlite3.connect(server.data / "syrinx.db", timeout=WAIT_S)) as database:
        database.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 998)"
            " INSERT INTO key (prefix, hash, name, credit_cents, connections, created_ms,"
            "  revoked_ms, project_id, scopes)"
            " SELECT printf('kx%06d', i), zeroblob(32), '', -1, -2, 1, 0,"
            "  (SELECT min(id) FROM project WHERE account_id = ?), 1 FROM n",
            (tenant.account_id,))
        database.commit()
    last = make_key(tenant, scopes=["speak"])
    refused = tenant.must(400, tenant.post("/admin/keys", {"scopes": ["speak"]}))
    assert "an account may have 1000 keys in force" in refused["error"]
    run(server, "key", "create", "--account", "Tenant")
    tenant.must(400, tenant.post("/admin/keys", {"scopes": ["speak"]}))
    for prefix in (last["prefix"], "kx000001"):
        run(server, "key", "revoke", prefix)
    make_key(tenant, scopes=["speak"])


def test_key_is_shown_once_and_works_at_once(master):
    made = make_key(master, name="phone", scopes=["speak"], credit_cents=250,
                    limits={"requests_per_minute": 60}, expires_in=3600)
    assert re.fullmatch(r"ka_\w{40}", made["key"]) and made["key"].startswith(made["prefix"])
    assert made["limits"] == LIMITS | {"requests_per_minute": 60}
    assert made["scopes"] == ["speak"] and made["credit_cents"] == 250
    assert made["project_id"] == made["account_id"] == 1
    assert made["last_used_at"] is None and made["revoked_at"] is None
    shown = master.must(200, master.get("/admin/keys/" + made["prefix"]))
    assert shown == {name: value for name, value in made.items() if name != "key"}
    with Client(master.server, key=made["key"]) as client:
        assert client.speak("At once.", voice_id=1).samples > 0


def test_key_is_changed(master):
    made = make_key(master)
    assert made["scopes"] == ["speak", "read", "dictionaries", "voices"]
    path = "/admin/keys/" + made["prefix"]
    changed = master.must(200, master.patch(path, {
        "name": "new", "scopes": ["read"], "credit_cents": 1, "limits": {"turns": 2},
        "expires_at": "2099-01-01T00:00:00Z"}))
    assert (changed["name"], changed["scopes"], changed["credit_cents"]) == ("new", ["read"], 1)
    assert changed["limits"] == LIMITS | {"turns": 2}
    assert changed["expires_at"] == "2099-01-01T00:00:00+00:00"
    back = master.must(200, master.patch(path, {"credit_cents": None, "expires_at": None,
                                                "limits": {"turns": None}, "name": None}))
    assert (back["credit_cents"], back["expires_at"], back["name"]) == (None, None, "")
    assert back["limits"] == LIMITS and back["scopes"] == ["read"]


def test_wrong_keys_are_refused_with_the_reason(master):
    for body, reason in (({"scopes": ["sing"]}, "scopes must be some of"),
                         ({"scopes": []}, "scopes must be some of"),
                         ({"scopes": "speak"}, "a list of names"),
                         ({"expires_at": "soon"}, "a moment to come"),
                         ({"expires_at": "2001-01-01"}, "a moment to come"),
                         ({"expires_in": 0}, "expires_in must be"),
                         ({"expires_in": 5, "expires_at": None}, "cannot both be given"),
                         ({"name": "x" * 65}, "name must have 0 to 64 characters"),
                         ({"name": "a\nb"}, "no control characters"),
                         ({"hash": "00"}, "a key must be a known one")):
        status, answer = master.post("/admin/keys", body)
        assert status == 400 and reason in answer["error"], answer
    assert master.post("/admin/keys", {"project_id": 987})[0] == 404
    assert master.post("/admin/keys", {"account_id": 987})[0] == 404
    for prefix in ("ka_00000", "x", "ka_000000000"):
        for method in ("GET", "PATCH", "DELETE"):
            assert master.ask(method, "/admin/keys/" + prefix, {})[0] == 404


def test_revoked_key_is_refused(master):
    made = make_key(master)
    revoked = master.must(200, master.delete("/admin/keys/" + made["prefix"]))
    assert MOMENT.fullmatch(revoked["revoked_at"])
    again = master.must(200, master.delete("/admin/keys/" + made["prefix"]))
    assert again["revoked_at"] == revoked["revoked_at"]
    wait_until_refused(master.server, made["key"])


# Who may do what

def test_key_without_the_scope_administers_nothing(master):
    key = make_key(master)["key"]
    with Rest(master.server, key) as rest:
        for path in ("accounts", "accounts/1", "accounts/1/top-ups", "projects", "keys"):
            assert rest.get("/admin/" + path)[0] == 403
        assert rest.post("/admin/keys", {"scopes": ["admin"]})[0] == 403


def test_admin_of_an_account_sees_and_changes_its_own_alone(master, tenant):
    other = make_key(master)
    own = tenant.must(200, tenant.get("/admin/accounts"))["accounts"]
    assert [account["id"] for account in own] == [tenant.account_id]
    assert tenant.must(200, tenant.get(f"/admin/accounts/{tenant.account_id}"))
    assert tenant.get("/admin/accounts/1")[0] == 404
    assert tenant.get("/admin/accounts/1/top-ups")[0] == 404
    assert {k["account_id"] for k in tenant.must(200, tenant.get("/admin/keys"))["keys"]} \
        == {tenant.account_id}
    assert tenant.get("/admin/keys?account_id=1")[0] == 404
    for method in ("GET", "PATCH", "DELETE"):
        assert tenant.ask(method, "/admin/keys/" + other["prefix"], {})[0] == 404
    assert tenant.post("/admin/keys", {"account_id": 1})[0] == 404
    assert tenant.post("/admin/keys", {"project_id": 1})[0] == 404
    assert tenant.post("/admin/projects", {"name": "x", "account_id": 1})[0] == 404
    mine = make_key(tenant, scopes=["admin"])
    assert mine["account_id"] == tenant.account_id


def test_admin_of_an_account_gives_itself_no_credit_and_no_room(tenant):
    path = f"/admin/accounts/{tenant.account_id}"
    assert tenant.patch(path, {"limits": {"turns": -1}})[0] == 403
    assert tenant.patch(path, {"prepaid": False})[0] == 403
    assert tenant.post(path + "/top-ups", {"id": "gift", "amount_microcents": 1})[0] == 403
    assert tenant.post("/admin/accounts", {"name": "Second"})[0] == 403


def test_admin_of_an_account_reaches_no_dictionary_of_another(master, tenant):
    made = master.must(201, master.post("/dictionaries", {"name": "Secret"}))
    key = make_key(tenant, scopes=["admin", "dictionaries"])["key"]
    with Rest(master.server, key) as rest:
        assert rest.get("/dictionaries?project_id=1")[0] == 403
        assert rest.get(f"/dictionaries/{made['id']}?project_id=1")[0] == 403
        assert rest.post("/dictionaries/1/invalidate")[0] == 403


# Tokens

def test_token_opens_one_connection(master):
    answer = master.must(201, master.post("/tokens", {"path": "/ws/tts/stream"}))
    assert set(answer) == {"token", "expires_at"} and MOMENT.fullmatch(answer["expires_at"])
    master.server.secrets.append(answer["token"])
    with Client(master.server, key=None, query="token=" + answer["token"]) as client:
        assert client.speak("Once.", voice_id=1).samples > 0
        with pytest.raises(Refused) as refused:
            Client(master.server, key=None, query="token=" + answer["token"])
        assert refused.value.status == 403


def test_token_opens_no_other_door(master):
    token = master.must(201, master.post("/tokens", {"path": "/ws/tts/multi"}))["token"]
    with pytest.raises(Refused):
        Client(master.server, key=None, query="token=" + token)
    with Rest(master.server, token) as rest:
        assert rest.get("/voices")[0] == 401
        assert rest.post("/tokens", {"path": "/ws/tts/multi"})[0] == 401


def test_wrong_tokens_are_refused_with_the_reason(master):
    for body, reason in (({}, "path is required"),
                         ({"path": "ws"}, "one to speak through"),
                         ({"path": "/v1/tokens"}, "one to speak through"),
                         ({"path": "/v1/admin/keys"}, "one to speak through"),
                         ({"path": "/" + "x" * 127}, "1 to 127 characters"),
                         ({"path": "/ws/tts", "expires_in": 0}, "from 1 to 3600"),
                         ({"path": "/ws/tts", "expires_in": 3601}, "from 1 to 3600")):
        status, answer = master.post("/tokens", body)
        assert status == 400 and reason in answer["error"], answer


@pytest.mark.parametrize("socket", ["stream-input", "multi-stream-input"])
def test_elevenlabs_token_opens_their_sockets(master, socket):
    answer = master.must(200, master.post("/single-use-token/tts_websocket"))
    assert set(answer) == {"token"}
    master.server.secrets.append(answer["token"])

    class Theirs(Client):
        path = f"/11labs/v1/text-to-speech/1/{socket}"

    with Theirs(master.server, key=None, query="single_use_token=" + answer["token"]) as client:
        client.send({"text": " "})
    status, refused = master.post("/single-use-token/unheard_of")
    assert status == 422 and "tts_websocket" in refused["detail"]["message"]


# By command

def test_commands_and_rest_are_about_the_same_things(master):
    server = master.server
    account = run(server, "account", "create", "--name", "By command", "--prepaid", "yes",
                  "--turns", "3", "--text-max", "none").strip()
    row = master.must(200, master.get("/admin/accounts/" + account))
    assert row["prepaid"] and row["limits"] == LIMITS | {"turns": 3, "text_max": -1}
    run(server, "account", "change", "By command", "--turns", "plan", "--prepaid", "no")
    row = master.must(200, master.get("/admin/accounts/" + account))
    assert not row["prepaid"] and row["limits"] == LIMITS | {"text_max": -1}
    assert "balance is 12.000001 cents" in run(server, "account", "top-up", account, "--cents",
                                               "12.000001", "--id", "a")
    assert re.fullmatch(r"a was already recorded at [-\d]+ [:\d]+; nothing was added, "
                        r"the balance is 12\.000001 cents\n",
                        run(server, "account", "top-up", account, "--cents", "12.000001",
                            "--id", "a"))
    assert "nothing was changed" in run(server, "account", "top-up", account, "--cents", "13",
                                        "--id", "a", status=1)
    project = run(server, "project", "create", "--account", account, "--name", "site").strip()
    assert "site" in run(server, "project", "list", "--account", "By command")
    key = run(server, "key", "create", "--account", account, "--project", project, "--expires",
              "30d", "--scopes", "speak", "--name", "phone").strip()
    server.secrets.append(key)
    row = master.must(200, master.get("/admin/keys/" + key[:8]))
    assert row["project_id"] == int(project) and row["expires_at"] is not None
    assert "phone" in run(server, "key", "list", "--account", account)
    run(server, "key", "change", key, "--expires", "never", "--connections", "2")
    row = master.must(200, master.get("/admin/keys/" + key[:8]))
    assert row["expires_at"] is None and row["limits"] == LIMITS | {"connections": 2}
    shown = run(server, "account", "show", account)
    assert "12.000001" in shown and "site" in shown and "By command" in shown
    run(server, "account", "close", account)
    assert "closed" in run(server, "account", "list")
    run(server, "account", "reopen", account)
    assert master.must(200, master.get("/admin/accounts/" + account))["closed_at"] is None
    run(server, "key", "revoke", key)
    assert master.must(200, master.get("/admin/keys/" + key[:8]))["revoked_at"]


def test_account_shows_the_limits_that_hold_and_whose_they_are(tmp_path):
    config = tmp_path / "syrinx.conf"
    config.write_text(f"[server]\ndata = {tmp_path}/data\n"
                      "[plan default]\nturns = 2\n[plan pro]\nturns = 30\ntext_max = 900\n")

    def limits(name, *where):
        done = syrinx("account", "show", name, *where)
        assert done.returncode == 0, done.stderr
        return dict(re.findall(r"^(turns|connections|text-max) +(.*?) *$", done.stdout.decode(),
                               re.M))

    for name, more in (("small", []), ("large", ["--plan", "pro", "--text-max", "none"])):
        assert syrinx("account", "create", "--create", "--name", name, *more, "--config",
                      config).returncode == 0
    assert limits("small", "--config", config) == {
        "turns": "2  plan default", "connections": "none  plan default",
        "text-max": "none  plan default"}
    assert limits("large", "--config", config) == {
        "turns": "30  plan pro", "connections": "none  plan pro", "text-max": "none  account"}
    assert limits("large", "--data", tmp_path / "data") == {
        "turns": "?  plan pro (use --config to show it)",
        "connections": "?  plan pro (use --config to show it)", "text-max": "none  account"}
    config.write_text("[plan default]\nturns = 2\n")
    assert limits("large", "--config", config, "--data", tmp_path / "data")["turns"] == \
        "2  plan default (there is no pro in the configuration)"


def test_token_made_by_command_opens_one_connection(server):
    token = run(server, "token", "create", "--key", server.key[:8], "--path",
                "/ws/tts/stream", "--seconds", "30").strip()
    server.secrets.append(token)
    with Client(server, key=None, query="token=" + token) as client:
        assert client.speak("Once.", voice_id=1).samples > 0


@pytest.mark.parametrize("arguments, status, reason", [
    (["account"], 2, "is missing"),
    (["account", "frobnicate"], 2, "it must be create, list"),
    (["account", "create"], 2, "needs --name"),
    (["account", "create", "--name", ""], 2, "must not be empty"),
    (["account", "create", "--name", "x" * 65], 2, "longer than 64 bytes"),
    (["account", "create", "--name", "a\nb"], 2, "one line of text"),
    (["account", "create", "--name", b"caf\xe9"], 2, "in UTF-8"),
    (["account", "create", "--name", "1001"], 2, "must not be a number"),
    (["account", "change", "2", "--name", "1"], 2, "must not be a number"),
    (["account", "create", "--name", "default"], 1, "already an account"),
    (["account", "create", "--name", "x", "--turns", "0"], 2, "none or plan"),
    (["account", "create", "--name", "x", "--prepaid", "maybe"], 2, "yes or no"),
    (["account", "create", "--name", "x", "--plan", "gold"], 1, "no plan gold"),
    (["account", "show"], 2, "needs an account"),
    (["account", "show", "nobody"], 1, "no account nobody"),
    (["account", "show", "99999999999999999999"], 1, "no account"),
    (["account", "change", "1"], 2, "nothing to change"),
    (["account", "close", "1"], 1, "cannot be closed"),
    (["account", "top-up", "1"], 2, "needs --cents"),
    (["account", "top-up", "1", "--cents", "0"], 2, "other than 0"),
    (["account", "top-up", "1", "--cents", "1.1234567"], 2, "six decimals"),
    (["account", "top-up", "1", "--cents", "1e3"], 2, "six decimals"),
    (["account", "top-up", "1", "--cents", "5", "--id", ""], 2, "must not be empty"),
    (["account", "top-up", "1", "--cents", "5", "--id", "x" * 41], 2, "longer than 40 bytes"),
    (["account", "top-up", "1", "--cents", "5", "--note", "\t"], 2, "one line of text"),
    (["account", "list", "extra"], 2, "unexpected argument"),
    (["project", "create"], 2, "needs --name"),
    (["project", "create", "--name", b"\xff"], 2, "in UTF-8"),
    (["project", "create", "--name", "default"], 1, "already has a project"),
    (["project", "list", "--account", "nobody"], 1, "no account nobody"),
    (["key", "create", "--name", b"\xff"], 2, "in UTF-8"),
    (["key", "create", "--project", "987"], 1, "no project 987"),
    (["key", "create", "--account", "nobody"], 1, "no account nobody"),
    (["key", "create", "--expires", "2001-01-01"], 2, "is in the past"),
    (["key", "create", "--expires", "soon"], 2, "must be a lifetime"),
    (["key", "change", "ka_absent"], 1, "no key"),
    (["token", "create"], 2, "needs --path and a key"),
    (["token", "create", "--key", "ka_absent", "--path", "/v1/voices"], 2, "an endpoint that speaks"),
    (["token", "create", "--key", "ka_absent", "--path", "/ws/tts"], 1, "no key"),
    (["token", "create", "--key", "k", "--path", "/ws/tts", "--seconds", "3601"], 2, "3600"),
    (["usage", "--by", "week"], 2, "day, key, voice, model"),
    (["usage", "--from", "yesterday"], 2, "a date"),
    (["usage", "--key", "ka_absent"], 1, "no key"),
    (["usage", "--csv", "--json"], 2, "--csv or --json"),
])
def test_wrong_command_says_what_is_wrong(tmp_path, arguments, status, reason):
    data = tmp_path / "data"
    assert syrinx("account", "create", "--create", "--name", "Some", "--data", data).returncode == 0
    done = syrinx(*arguments, "--data", data)
    assert done.returncode == status, done.stderr
    assert reason in done.stderr.decode() and done.stdout == b""


def test_command_makes_no_token_for_a_key_that_cannot_use_it(tmp_path):
    def make_key(*options):
        return syrinx("key", "create", "--create", *options, "--data", tmp_path).stdout.decode()[:8]

    def refusal(key):
        done = syrinx("token", "create", "--key", key, "--path", "/ws/tts", "--data", tmp_path)
        return done.stderr.decode() if done.returncode == 1 and done.stdout == b"" else None

    assert "does not have the scope speak" in refusal(make_key("--scopes", "read"))
    brief = make_key("--expires", "1s")
    assert "has expired or was revoked" in wait_until(lambda: refusal(brief), "the key has expired")
    revoked = make_key()
    assert syrinx("key", "revoke", revoked, "--data", tmp_path).returncode == 0
    assert "has expired or was revoked" in refusal(revoked)


def test_store_that_is_not_there_is_not_made_by_looking(tmp_path):
    for command in (["account", "list"], ["key", "list"], ["project", "list"], ["usage"]):
        done = syrinx(*command, "--data", tmp_path / "nowhere")
        assert done.returncode == 1 and b"there is no store in" in done.stderr
    assert not (tmp_path / "nowhere").exists()
    done = syrinx("account", "list", "--store", "memory:", "--data", tmp_path / "nowhere")
    assert done.returncode == 1 and b"only by its server" in done.stderr
