"""What the tables in C have is in the descriptions of the API, without anyone writing it there.

The generator is given tables with a row more or less than those of this build.
"""

import json
import subprocess
import sys

import pytest
from program import BUILD, SOURCE

TABLES = json.loads((BUILD / "docs/api/api-tables.json").read_text(encoding="utf-8"))


def generate(tables, out):
    given = out / "tables.json"
    given.write_text(json.dumps(tables), encoding="utf-8")
    return subprocess.run([sys.executable, SOURCE / "tools/api-docs", given, SOURCE / "docs/api",
                           out], stderr=subprocess.PIPE, text=True)


def documents(tables, out):
    done = generate(tables, out)
    assert done.returncode == 0, done.stderr
    return [json.loads((out / name).read_text(encoding="utf-8"))
            for name in ("openapi.json", "asyncapi.json")]


def copy(tables):
    return json.loads(json.dumps(tables))


def enums(part):
    """All lists of values in a document."""
    if isinstance(part, dict):
        if isinstance(part.get("enum"), list):
            yield part["enum"]
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from enums(inner)


def test_documents_are_those_of_the_build(tmp_path):
    for made, name in zip(documents(TABLES, tmp_path), ("openapi.json", "asyncapi.json")):
        assert made == json.loads((BUILD / "docs/api" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("table, new", [
    ("formats", "au_8000"), ("encodings", "au"), ("socket_formats", "au_8000"),
    ("socket_encodings", "au"), ("socket_rates", 96000), ("rates", 96000), ("models", "kugel-9"),
    ("languages", "xx"), ("openai_formats", "au")])
def test_new_value_of_a_table_is_wherever_the_others_are(tmp_path, table, new):
    tables = copy(TABLES)
    before = [values for values in enums(documents(tables, tmp_path))
              if set(values) == set(tables[table])]
    tables[table].append(new)
    after = [values for values in enums(documents(tables, tmp_path))
             if set(values) == set(tables[table])]
    assert len(before) == len(after) > 0


def test_new_format_is_described_with_no_other_change(tmp_path):
    tables = copy(TABLES)
    tables["formats"].append("au_8000")
    tables["content_types"].append("audio/au")
    http, sockets = documents(tables, tmp_path)
    for path in ("/v1/tts/generate", "/11labs/v1/text-to-speech/{voice_id}"):
        assert "audio/au" in http["paths"][path]["post"]["responses"]["200"]["content"]
    for channel in ("streamInput", "multiStreamInputBelow11labs"):
        query = sockets["channels"][channel]["bindings"]["ws"]["query"]
        assert "au_8000" in query["properties"]["output_format"]["enum"]


def test_new_language_is_accepted_in_settings(tmp_path):
    tables = copy(TABLES)
    tables["languages"].append("xx")
    _, sockets = documents(tables, tmp_path)
    speech = sockets["components"]["schemas"]["Speech"]["properties"]
    assert "|xx)" in speech["language"]["pattern"]


def test_new_error_code_is_in_all_errors(tmp_path):
    tables = copy(TABLES)
    tables["errors"].append({"status": 418, "code": "TEAPOT", "close": 0, "text": "No coffee"})
    http, sockets = documents(tables, tmp_path)
    assert "TEAPOT" in http["components"]["schemas"]["Error"]["properties"]["error_code"]["enum"]
    for channel in ("once", "stream", "multi"):
        error = sockets["channels"][channel]["messages"]["error"]["payload"]
        assert "TEAPOT" in error["properties"]["error_code"]["enum"]


def test_limits_are_those_of_the_tables(tmp_path):
    tables = copy(TABLES)
    tables["limits"]["contexts_max"] = 77
    tables["limits"]["entries_max"] = 78
    tables["settings"]["speed"]["max"] = 79
    tables["bodies"]["entry"]["word"]["max"] = 80
    http, sockets = documents(tables, tmp_path)
    schemas = http["components"]["schemas"]
    assert "77 contexts" in sockets["channels"]["multi"]["description"]
    assert schemas["EntriesBody"]["properties"]["entries"]["maxItems"] == 78
    assert schemas["GenerateBody"]["properties"]["speed"]["maximum"] == 79
    assert schemas["EntryChange"]["properties"]["word"]["maxLength"] == 80


SETTING = {"kind": "boolean", "updatable": True, "min": 0, "max": 0, "default": False}
FIELD = {"kind": "boolean", "min": 0, "max": 0, "nullable": False, "required": False}


@pytest.mark.parametrize("change", [
    lambda tables: tables["settings"].update(brand_new=SETTING),
    lambda tables: tables["bodies"]["entry"].update(brand_new=FIELD),
    lambda tables: tables["bodies"]["voice"].update(brand_new=FIELD),
    lambda tables: tables["bodies"]["openai"].update(brand_new=FIELD),
    lambda tables: tables["keys"]["multi"].append("brand_new"),
    lambda tables: tables["keys"]["elevenlabs"].append("brand_new")],
    ids=["setting", "entry", "voice", "openai", "multi", "elevenlabs"])
def test_key_that_nobody_described_fails(tmp_path, change):
    tables = copy(TABLES)
    change(tables)
    done = generate(tables, tmp_path)
    assert done.returncode != 0
    assert "brand_new is not described" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("change, name", [
    (lambda tables: tables["settings"].pop("seed"), "seed"),
    (lambda tables: tables["bodies"]["entry"].pop("ipa"), "ipa"),
    (lambda tables: tables["keys"]["stream"].remove("report"), "report")],
    ids=["setting", "entry", "stream"])
def test_description_of_a_key_that_is_gone_fails(tmp_path, change, name):
    tables = copy(TABLES)
    change(tables)
    done = generate(tables, tmp_path)
    assert done.returncode != 0
    assert f"{name} is described, but the server has no such key" in done.stderr
