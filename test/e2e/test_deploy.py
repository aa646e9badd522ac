"""What is in deploy/, held against the program, with no engine that could run it: the dashboard's
expressions, the container's files by rules of our own, the service, and every shell script."""

import itertools
import json
import re
import shlex
import shutil
import subprocess

import prometheus
import pytest
import yaml
from program import SOURCE, syrinx
from prometheus import Look

DEPLOY = SOURCE / "deploy"


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=SOURCE)


def options_of(command):
    """The options that a command of the program has."""
    done = syrinx("help", command)
    assert done.returncode == 0, f"there is no command {command}"
    return set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", done.stdout.decode(), re.M))


def check_call(words):
    """That a command line of ours can be called so."""
    program, command, *rest = words
    assert program.removeprefix("/usr/bin/") == "syrinx"
    given = {word for word in rest if word.startswith("--")}
    assert given <= options_of(command), given - options_of(command)


# The dashboard

DASHBOARD = json.loads((DEPLOY / "grafana-dashboard.json").read_text(encoding="utf-8"))
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
TARGETS = [(panel, target) for panel in PANELS for target in panel["targets"]]
OURS = re.compile(r"(rate\()?\b(syrinx_\w+)(\{[^}]*\})?(\[[^\]]*\])?")
OF_PROMETHEUS = {"instance", "job"}  # labels that it adds itself
FUNCTIONS = {"sum", "rate", "histogram_quantile", "by", "label_values", "time"}


def family_of(families, name):
    """The metric of a sample's name."""
    for suffix in ("_bucket", "_sum", "_count", ""):
        family = families.get(name.removesuffix(suffix)) if name.endswith(suffix) else None
        if family and family.owns(name):
            return family
    raise AssertionError(f"the server has no {name}")


def values_of(family):
    """{label: its values}, of all samples."""
    found = {}
    for _, labels in family.samples:
        for label, value in labels:
            found.setdefault(label, set()).add(value)
    return found


def check_expression(families, expression):
    """Gives the labels that its results have."""
    for opening, closing in ("()", "{}", "[]"):
        assert expression.count(opening) == expression.count(closing)
    bare = re.sub(r'"[^"]*"|\[[^\]]*\]|\{[^}]*\}', "", expression)
    assert set(re.findall(r"([a-z_]+) ?\(", bare)) <= FUNCTIONS
    used = OURS.findall(expression)
    assert used, "it shows nothing of ours"
    grouped = set(itertools.chain(*(re.split(r",\s*", group)
                                    for group in re.findall(r"by \(([^)]*)\)", expression))))
    for rate, name, matchers, window in used:
        family = family_of(families, name)
        known = values_of(family)
        assert bool(rate) == bool(window) == (family.type in ("counter", "histogram")), name
        for label, how, value in re.findall(r'(\w+)(=~|!~|!=|=)"([^"]*)"', matchers):
            assert label in set(known) | OF_PROMETHEUS, f"{name} has no {label}"
            if label in known and how in ("=", "!="):
                assert value in known[label], f"{name} has no {label}={value}"
        assert grouped <= set(known) | OF_PROMETHEUS, f"{name} has no {grouped}"
        if name.endswith("_bucket"):
            assert "histogram_quantile(" in expression and "le" in grouped
    return grouped - {"le"}


@pytest.fixture(scope="module")
def families(shared_server):
    return Look(shared_server).families


@pytest.mark.parametrize("panel, target", TARGETS,
                         ids=[f"{p['id']}{t['refId']}" for p, t in TARGETS])
def test_the_dashboard_shows_what_the_server_has(families, panel, target):
    labels = check_expression(families, target["expr"])
    assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) == labels


def test_the_dashboard_s_variables_are_of_the_server_s_metrics(families):
    variables = {v["name"]: v for v in DASHBOARD["templating"]["list"]}
    name, label = re.fullmatch(r"label_values\((\w+), (\w+)\)",
                               variables["instance"]["query"]["query"]).groups()
    assert family_of(families, name).type == "gauge" and label in OF_PROMETHEUS
    named = set(re.findall(r"\$\{?([a-z]\w*)", json.dumps(DASHBOARD)))
    assert named == set(variables)


@pytest.mark.parametrize("wrong", [
    "sum(syrinx_nothing)", "sum(rate(syrinx_voices[5m]))", "sum(syrinx_cancels_total)",
    'sum(syrinx_voices{room="1"})', 'sum(rate(syrinx_turns_total{status="lazy"}[5m]))',
    "sum by (why) (rate(syrinx_turns_total[5m]))", "sum(up)", "sum(syrinx_voices",
    "avg(syrinx_voices)", "rate(syrinx_first_audio_seconds_bucket[5m])"])
def test_the_rules_for_expressions_find_mistakes(families, wrong):
    with pytest.raises(AssertionError):
        check_expression(families, wrong)


def test_panels_are_told_apart_and_do_not_overlap():
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    cells = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        own = set(itertools.product(range(place["x"], place["x"] + place["w"]),
                                    range(place["y"], place["y"] + place["h"])))
        assert not own & cells, panel["title"]
        cells |= own
    assert all(p["datasource"] == {"type": "prometheus", "uid": "${source}"} for p in PANELS)


def test_what_an_operator_must_see_is_on_the_dashboard():
    shown = " ".join(target["expr"] for _, target in TARGETS)
    missing = {name for name in prometheus.table() if name not in shown}
    assert missing <= {  # what is only of use beside others, or hardly ever changes
        "syrinx_connections_opened_total", "syrinx_chunks_total", "syrinx_frames_total",
        "syrinx_characters_total", "syrinx_cancels_total", "syrinx_workers", "syrinx_voices",
        "syrinx_objects", "syrinx_start_time_seconds", "syrinx_agent_conversations_total",
        "syrinx_agent_cancels_total", "syrinx_agent_tokens_total", "syrinx_agent_llm_errors_total"}


# The alerts

ALERTS = yaml.safe_load((DEPLOY / "prometheus-alerts.yml").read_text(encoding="utf-8"))
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]


@pytest.mark.parametrize("rule", RULES, ids=[rule["alert"] for rule in RULES])
def test_alerts_are_about_what_the_server_has(families, rule):
    if "syrinx_" in rule["expr"]:
        check_expression(families, rule["expr"])
    else:  # which Prometheus itself knows
        assert rule["expr"] == 'up{job="syrinx"} == 0'
    assert re.search(r" [<>=]=? [\de.]+$", rule["expr"]), "there is no threshold"
    assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
    assert rule["labels"]["severity"] in ("critical", "warning", "info")
    assert re.findall(r"\{\{ *\$labels\.(\w+) *\}\}", rule["annotations"]["summary"]) == ["instance"]


def test_alerts_have_names_of_their_own():
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    if shutil.which("promtool"):
        done = run("promtool", "check", "rules", str(DEPLOY / "prometheus-alerts.yml"))
        assert done.returncode == 0, done.stdout + done.stderr


# The container

INSTRUCTIONS = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL",
                "HEALTHCHECK", "ENTRYPOINT", "CMD"}
SECRET = re.compile(r"key|secret|password|token", re.I)


def packages():
    lines = (SOURCE / "tools/packages.txt").read_text(encoding="utf-8").splitlines()
    return {line.split("|")[0].strip() for line in lines if "|" in line and line[0] != "#"}


def read_dockerfile(text):
    """[(instruction, arguments)] by stages."""
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.M)
    lines = [line for line in re.sub(r"\\\n\s*", " ", text).split("\n") if line.strip()]
    stages = []
    for line in lines:
        name, _, arguments = line.partition(" ")
        if name == "FROM":
            stages.append([])
        assert stages, "nothing stands before FROM"
        stages[-1].append((name, arguments.strip()))
    return stages


def arguments_of(stage, name):
    return [arguments for instruction, arguments in stage if instruction == name]


def check_copy(arguments, names):
    words = shlex.split(arguments)
    options = [word for word in words if word.startswith("--")]
    *sources, _ = [word for word in words if not word.startswith("--")]
    if options:
        assert options[0].removeprefix("--from=") in names, options
        return
    for source in sources:
        assert (SOURCE / source).exists(), f"there is no {source}"


def check_run(command):
    for call in re.findall(r"apt-get(?: -\S+)* install\b([^&|;]*)", command):
        words = shlex.split(call)
        assert "--yes" in words and "--no-install-recommends" in words
        named = {word for word in words if word[0] not in "-/"}
        assert named <= packages(), named - packages()


def check_dockerfile(stages):
    names = [arguments.partition(" AS ")[2] for ((_, arguments), *_) in stages]
    for stage in stages:
        assert {name for name, _ in stage} <= INSTRUCTIONS
        image, _, tag = stage[0][1].partition(" ")[0].partition(":")
        assert image and tag and tag != "latest"
        for arguments in arguments_of(stage, "COPY"):
            check_copy(arguments, names)
        for command in arguments_of(stage, "RUN"):
            check_run(command)
    last = stages[-1]
    assert arguments_of(last, "USER")[-1] not in ("root", "0")
    assert "rm -rf /var/lib/apt/lists/*" in " ".join(arguments_of(last, "RUN"))
    assert all(len(arguments_of(last, name)) == 1
               for name in ("ENTRYPOINT", "CMD", "HEALTHCHECK", "EXPOSE", "VOLUME"))


DOCKERFILE = read_dockerfile((DEPLOY / "Dockerfile").read_text(encoding="utf-8"))
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICE = COMPOSE["services"]["syrinx"]


def words_of(name):
    """Of an instruction in its exec form."""
    return json.loads(re.sub(r"^.*?CMD (?=\[)", "", arguments_of(DOCKERFILE[-1], name)[0]))


def test_the_dockerfile_is_as_it_should_be():
    check_dockerfile(DOCKERFILE)


@pytest.mark.parametrize("good, bad", [
    ("FROM debian:bookworm-slim\n", "FROM debian\n"),
    ("FROM debian:bookworm-slim\n", "FROM debian:latest\n"),
    ("USER syrinx", "USER root"),
    ("USER syrinx", ""),
    ("USER syrinx", "USER syrinx\nADD http://example.com/x /x"),
    ("USER syrinx", "USER syrinx\nENV KEY=x"),
    ("COPY tools/setup", "COPY tools/no-such"),
    ("--from=build", "--from=built"),
    (" ca-certificates ", " ca-certificates emacs "),
    ("--no-install-recommends /tmp", "/tmp"),
    ("/var/lib/apt/lists/*", ""),
    ("EXPOSE 8080", "")])
def test_the_rules_for_a_dockerfile_find_mistakes(good, bad):
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert good in text
    with pytest.raises((AssertionError, IndexError)):
        check_dockerfile(read_dockerfile(text.replace(good, bad)))


def test_the_container_calls_commands_that_there_are():
    check_call(words_of("ENTRYPOINT") + words_of("CMD"))
    check_call(words_of("HEALTHCHECK"))
    assert words_of("HEALTHCHECK")[1] == "ready"


def test_no_secret_and_nothing_of_this_machine_goes_into_an_image():
    for stage in DOCKERFILE:
        for _, arguments in stage:
            assert not SECRET.search(arguments)
    ignored = (SOURCE / ".dockerignore").read_text(encoding="utf-8").split()
    assert {".git", "build*", "data"} <= set(ignored)
    assert "environment" not in SERVICE and "secrets" not in COMPOSE


def package_config():
    """The keys that the package's configuration sets."""
    sample = (SOURCE / "conf/syrinx.conf").read_text(encoding="utf-8")
    done = subprocess.run([SOURCE / "tools/package-config"], input=sample, capture_output=True,
                          text=True, timeout=60, check=True)
    return dict(re.findall(r"^(\w+) = (.*)$", done.stdout, re.M))


def test_compose_and_dockerfile_agree():
    exposed = arguments_of(DOCKERFILE[-1], "EXPOSE")[0]
    command = words_of("ENTRYPOINT") + words_of("CMD")
    assert command[command.index("--listen") + 1] == "0.0.0.0:" + exposed
    assert words_of("HEALTHCHECK")[-1].endswith(":" + exposed)
    for port in SERVICE["ports"]:
        host, _, inside = re.fullmatch(r"([\d.]+):(\d+):(\d+)", port).groups()
        assert (host, inside) == ("127.0.0.1", exposed)
    volume = arguments_of(DOCKERFILE[-1], "VOLUME")[0]
    assert SERVICE["volumes"] == [f"syrinx:{volume}"] and "syrinx" in COMPOSE["volumes"]
    # The rest is what the package's file says.
    assert command[command.index("--config") + 1] == "/etc/syrinx/syrinx.conf"
    assert package_config()["data"] == volume
    assert package_config()["voices_dir"].startswith(volume)
    assert package_config()["models_dir"].startswith(volume)
    build = SERVICE["build"]
    assert (DEPLOY / build["context"]).resolve() == SOURCE
    assert (SOURCE / build["dockerfile"]).is_file()


def test_compose_has_known_keys_and_gives_no_more_than_is_needed():
    assert set(COMPOSE) == {"services", "volumes"}
    assert set(SERVICE) <= {"build", "ports", "volumes", "stop_grace_period", "restart",
                            "read_only", "tmpfs", "cap_drop", "security_opt"}
    assert SERVICE["read_only"] is True and SERVICE["cap_drop"] == ["ALL"]
    assert SERVICE["security_opt"] == ["no-new-privileges:true"]


def drain_seconds():
    """How long turns are waited for, unless it is configured otherwise."""
    sample = syrinx("check", "--sample").stdout.decode()
    return int(re.search(r"^#?drain_seconds = (\d+)", sample, re.M)[1])


def test_who_stops_the_server_waits_for_its_turns():
    service = (DEPLOY / "syrinx.service").read_text(encoding="utf-8")
    assert int(SERVICE["stop_grace_period"].removesuffix("s")) > drain_seconds()
    assert int(re.search(r"^TimeoutStopSec=(\d+)$", service, re.M)[1]) > drain_seconds()


@pytest.mark.parametrize("command", [
    ("docker", "compose", "-f", "deploy/compose.yaml", "config", "--quiet"),
    ("docker", "build", "--check", "-f", "deploy/Dockerfile", ".")],
    ids=["compose config", "build --check"])
def test_docker_itself_finds_nothing_wrong(command):
    if not shutil.which("docker"):
        pytest.skip("there is no docker")
    if command[1] == "compose" and run("docker", "compose", "version").returncode != 0:
        pytest.skip("docker has no compose here")
    if command[1] == "build" and (run("docker", "info").returncode != 0 or
                                  run("docker", "buildx", "version").returncode != 0):
        pytest.skip("no engine of docker is running here, or it has no buildx")
    done = run(*command)
    assert done.returncode == 0, done.stderr


# The service

def test_the_package_s_configuration_has_the_package_s_paths():
    """And the service none of its own, which other commands would not know."""
    assert package_config() == {"data": "/var/lib/syrinx", "voices_dir": "/var/lib/syrinx/voices",
                                "models_dir": "/var/lib/syrinx/models"}
    service = (DEPLOY / "syrinx.service").read_text(encoding="utf-8")
    assert re.search(r"^ExecStart=.*serve --config /etc/syrinx/syrinx.conf$", service, re.M)
    assert re.search(r"^StateDirectory=syrinx$", service, re.M)


def test_the_service_calls_commands_that_there_are():
    service = (DEPLOY / "syrinx.service").read_text(encoding="utf-8")
    check_call(re.search(r"^ExecStart=(.*)$", service, re.M)[1].split())


def systemd_analyze(*arguments):
    if not shutil.which("systemd-analyze"):
        pytest.skip("there is no systemd-analyze")
    return run("systemd-analyze", *arguments)


def test_systemd_finds_nothing_wrong_with_the_service():
    done = systemd_analyze("verify", "--man=no", str(DEPLOY / "syrinx.service"))
    told = [line for line in done.stderr.splitlines() if "syrinx" in line]
    # It is not installed here.
    assert [line for line in told if "/usr/bin/syrinx is not executable" not in line] == []


def test_the_service_may_do_little():
    done = systemd_analyze("security", "--offline=true", "--no-pager",
                           str(DEPLOY / "syrinx.service"))
    exposure = re.search(r"exposure level for syrinx\.service: ([\d.]+)", done.stdout)
    assert exposure, done.stderr
    assert float(exposure[1]) <= 2.0  # of 10


# Scripts

def scripts():
    tracked = run("git", "ls-files", "-z").stdout.split("\0")
    if len(tracked) < 2:  # not a checkout
        tracked = [str(p.relative_to(SOURCE)) for folder in ("tools", "deploy", "test")
                   for p in (SOURCE / folder).rglob("*") if p.is_file()]
    for name in tracked:
        path = SOURCE / name
        if name and path.is_file() and path.read_bytes()[:64].startswith(b"#!"):
            if re.match(rb"#!/bin/(ba|da)?sh\b", path.read_bytes()):
                yield name


def test_every_shell_script_can_be_read_by_a_shell():
    found = list(scripts())
    assert "deploy/debian/postinst" in found and "tools/setup" in found
    for name in found:
        shell = (SOURCE / name).read_text(encoding="utf-8").split("\n")[0].removeprefix("#!")
        done = run(*shell.split()[:1], "-n", name)
        assert done.returncode == 0, done.stderr
