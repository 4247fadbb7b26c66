"""The files of deploy/ start what is there, shut in and without a secret. What needs a container runtime is read."""

import json
import os
import re
import shlex
import shutil
import subprocess
import time
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from config import web_server
from jobs import database
from jobs.worker import write_worker_heartbeat
from papers.pages_folder import sources_digest
from proof import run_checks
from tests import servers
from tests.product import NGINX_CONNECTIONS, ROOMS
from tests.test_documents import missing_commands, variables
from ui import cookie_and_log_paths

DEPLOY = servers.ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
CONTAINERFILE = (DEPLOY / "Containerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
PROJECT: dict[str, Any] = tomllib.loads((servers.ROOT / "pyproject.toml").read_text())
VERSION: str = PROJECT["project"]["version"]
OPERATIONS = (servers.ROOT / "docs/operations.md").read_text()
NGINX = (DEPLOY / "nginx.conf").read_text()
SERVICES = ("web", "worker", "database", "queue")
READ_FILES = """
from deposits.bundle import bundled_files
from intake.recordfiles.analysis_scripts import r_package_source
from proof.run_checks import program_hash
from ui.statements import find_promise_tests
from ui.references import read_references
from papers.pages_folder import sources_digest
print(all([bundled_files(), r_package_source(), find_promise_tests(), read_references()]), program_hash())
print(sources_digest())
"""
EXPOSURE = 3.0
CONFINED = {
    "User=candor",
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "PrivateTmp=yes",
    "PrivateDevices=yes",
    "RestrictNamespaces=yes",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
    "SystemCallFilter=@system-service",
    "UMask=0077",
}


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_systemd_unit_is_confined_and_names_existing_commands_and_settings(
    unit: Path, run: ModuleType
) -> None:
    text = unit.read_text()
    assert set(text.splitlines()) >= CONFINED
    assert list(missing_commands(text)) == []
    assert set(re.findall(r"/opt/candor/run (\w+)", text)) <= set(run.COMMANDS)
    assert re.search(r"/opt/candor/run \w+|manage\.py \w+", text)
    assert set(re.findall(r"^Environment=(\w+)=", text, re.MULTILINE)) <= variables()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze on this machine")
@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_systemd_security_analysis_finds_little_exposed(unit: Path) -> None:
    words = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", said)
    assert exposure, said
    assert float(exposure[1]) <= EXPOSURE


def test_each_timer_starts_a_service() -> None:
    timers = {path.stem for path in DEPLOY.glob("*.timer")}
    assert timers == {"candor-backup", "candor-drill"} < {path.stem for path in UNITS}


def test_backup_of_fourteen_days_is_deleted(tmp_path: Path) -> None:
    unit = (DEPLOY / "candor-backup.service").read_text()
    (line,) = re.findall(r"^ExecStartPost=(.+)$", unit, re.MULTILINE)
    for days in (13, 14):
        (tmp_path / f"{days}.backup").touch()
        made = time.time() - days * 86_400 - 60
        os.utime(tmp_path / f"{days}.backup", (made, made))
    subprocess.run(shlex.split(line.replace("/var/backups/candor", str(tmp_path))), check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["13.backup"]


def test_environment_example_names_settings_and_holds_no_secret() -> None:
    lines = [line for line in (DEPLOY / "candor.env").read_text().splitlines() if line[:1] not in ("#", "")]
    values = dict(line.split("=", 1) for line in lines)
    assert values.keys() - {"DATABASE_PASSWORD"} <= variables()
    assert values["SECRET_KEY"] == values["DATABASE_PASSWORD"] == ""
    # Commands have no other way to know that the site is a real one.
    assert values["PRODUCTION"] == "yes"


# --- the guide -----------------------------------------------------------------------------------------


def location(path: str) -> str:
    """What nginx is told about these addresses."""
    found = re.search(rf"^location {re.escape(path)} {{\n(.*?)^}}", NGINX, re.MULTILINE | re.DOTALL)
    assert found, path
    return found[1]


def test_nginx_logs_no_respondent_and_tells_candor_nothing_about_them() -> None:
    paths = (cookie_and_log_paths.RESPONDENTS, cookie_and_log_paths.PUBLIC, cookie_and_log_paths.STATIC)
    theirs = [location(f"^~ {path}") for path in paths]
    for block in theirs:
        assert "access_log off;" in block
        assert "error_log /dev/null" in block
        assert "X-Forwarded-For" not in block
    assert "X-Forwarded-For $remote_addr" in location("/")
    for block in (*theirs, location("/")):
        # The port too: the form's origin has it. A name that a request makes up is no allowed host.
        assert "proxy_set_header Host $http_host;" in block
        assert "proxy_set_header X-Forwarded-Proto $scheme;" in block


def test_nginx_has_enough_connections_and_is_trusted_where_it_runs() -> None:
    """Each request takes two: from the browser, and to Candor."""
    line = OPERATIONS.index("BEHIND_PROXY=yes ./run serve")
    assert line < OPERATIONS.index("nginx.conf") < OPERATIONS.index("## Backup and restore")
    assert f"`worker_connections {NGINX_CONNECTIONS};`" in OPERATIONS
    assert f"`worker_rlimit_nofile {2 * NGINX_CONNECTIONS};`" in OPERATIONS
    assert NGINX_CONNECTIONS >= 2 * web_server.CONNECTIONS


def test_every_file_unit_and_command_of_the_guides_exists(run: ModuleType) -> None:
    upgrade, debian = OPERATIONS.partition("## Upgrade\n")[2].split("\n## ")[:2]
    for text in (upgrade, debian):
        assert set(re.findall(r"/opt/candor/run (\w+)", text)) == {"install"}
        assert "install" in run.COMMANDS
        for path in re.findall(r"/opt/candor/(deploy/\S*\w)", text):
            assert list(servers.ROOT.glob(path)), path
        for units in re.findall(r"systemctl (?:start|stop|enable --now) (.+)", text):
            for unit in units.split():
                name = unit if "." in unit else f"{unit}.service"
                assert (servers.ROOT / "deploy" / name).is_file(), name
    block = debian.partition("server {")[2].partition("}")[0]
    assert "include /opt/candor/deploy/nginx.conf;" in block
    # The list for a release names commands, too.
    releasing = (servers.ROOT / "CONTRIBUTING.md").read_text().partition("## Releasing\n")[2]
    assert list(missing_commands(releasing)) == [] != re.findall(r"`\./run bench (\w+)", releasing)


# --- containers --------------------------------------------------------------------------------------


def steps() -> list[tuple[str, str]]:
    """Each instruction and its words; a step goes on after a backslash."""
    text = re.sub(r"\\\n\s*", "", CONTAINERFILE)
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


def test_image_holds_every_package_and_file_of_the_product() -> None:
    copies = [words.split() for name, words in steps() if name == "COPY" and not words.startswith("--from")]
    copied = {path for words in copies for path in words[:-1]}
    assert [path for path in copied if not (servers.ROOT / path).exists()] == []
    assert copied >= {*ROOMS, "r/R", "templates", "static", "locale", "run", "manage.py", "requirements.lock"}
    assert not copied & {".", "var", "tests", ".git"}
    (compiled,) = [words for name, words in steps() if name == "RUN" and "compileall" in words]
    assert set(compiled.split()) >= set(ROOMS)


@pytest.mark.night
def test_readers_of_product_files_find_them_in_the_image(tmp_path: Path) -> None:
    for name, words in steps():
        if name == "COPY" and not words.startswith("--from"):
            *copied, to = words.split()
            for path in copied:
                source, target = servers.ROOT / path, tmp_path / "image" / to
                if source.is_dir():
                    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    target = target / source.name if to.endswith("/") else target
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(source, target)
    env = servers.environment(VAR=str(tmp_path / "var"))
    found = servers.manage(env, "shell", "--verbosity=0", "-c", READ_FILES, root=tmp_path / "image")
    assert found.split() == ["True", run_checks.program_hash(), sources_digest()]


def test_image_builds_the_document_pages() -> None:
    (made,) = [at for at, (name, words) in enumerate(steps()) if name == "RUN" and "reproduce all" in words]
    assert "COPY" not in [name for name, _words in steps()[made:]]


def test_image_is_pinned_unprivileged_and_health_checked(run: ModuleType) -> None:
    named = dict(steps())
    assert named["USER"] == "10001"
    assert "--uid 10001" in CONTAINERFILE
    instructions = [name for name, _words in steps()]
    last = max(index for index, name in enumerate(instructions) if name in ("RUN", "COPY"))
    assert instructions.index("USER") > last
    for name, words in steps():
        if name == "FROM":
            assert re.search(r":\d+\.\d+\.\d+-", words), words
        if name == "RUN" and words.startswith("./run"):
            assert words.split()[1] in run.COMMANDS
    assert not re.search(r"PASSWORD|SECRET|TOKEN", CONTAINERFILE)
    assert named["ENTRYPOINT"] == '["./run", "serve"]'
    *_options, check = named["HEALTHCHECK"].split(" CMD ")
    assert json.loads(check)[:2] == [".venv/bin/python", "-c"]
    assert f"http://127.0.0.1:8000{cookie_and_log_paths.HEALTH}" in check
    # Python's own words in it are a program.
    compile(json.loads(check)[2], "HEALTHCHECK", "exec")


def test_worker_health_check_needs_a_warm_worker(db: None) -> None:
    *_words, program = COMPOSE["services"]["worker"]["healthcheck"]["test"]
    write_worker_heartbeat(database.now(), warm=False, slots=1)
    with pytest.raises(AssertionError):
        exec(program, {})
    write_worker_heartbeat(database.now(), warm=True, slots=1)
    exec(program, {})


@pytest.mark.parametrize("name", SERVICES)
def test_container_is_confined_pinned_and_health_checked(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert "/tmp" in service["tmpfs"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "healthcheck" in service or name == "web"  # that of its image
    # Not as root, and with nothing of the machine's.
    assert service.get("user") not in ("root", "0")
    if not service["image"].startswith("candor:"):
        assert service["user"] == {"database": "postgres", "queue": "redis"}[name]
    opened = {"privileged", "cap_add", "devices", "network_mode", "pid", "ipc", "userns_mode"}
    assert not service.keys() & opened
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    image, _colon, tag = service["image"].rpartition(":")
    assert tag == VERSION if image == "candor" else re.match(r"\d+\.\d+", tag)
    for volume in service.get("volumes", []):
        assert volume.partition(":")[0] in COMPOSE["volumes"] or volume.endswith(":ro")


SCHEMA = Draft202012Validator(
    json.loads((Path(__file__).parent / "compose_schema/compose-spec.json").read_text())
)
"""The Compose specification's own (compose-spec/compose-spec, as the package check-jsonschema 0.39.0 carries it)."""


def test_compose_file_follows_the_specification_schema() -> None:
    assert [f"{error.json_path}: {error.message}" for error in SCHEMA.iter_errors(COMPOSE)] == []


@pytest.mark.parametrize("service", [{"volume": ["web:/x"]}, {"read_only": ["/"]}, {"tmpfs": 1}])
def test_compose_schema_refuses_unknown_keys(service: dict[str, Any]) -> None:
    web = COMPOSE["services"]["web"] | service
    assert not SCHEMA.is_valid(COMPOSE | {"services": COMPOSE["services"] | {"web": web}})


def test_compose_file_passes_every_setting_and_takes_secrets_from_outside() -> None:
    services = COMPOSE["services"]
    assert set(services) == set(SERVICES)
    of_the_image = set(re.search(r"^ENV (.+)$", CONTAINERFILE, re.MULTILINE)[1].split())  # type: ignore[index]
    assert of_the_image == {"PRODUCTION=yes", "VAR=/var/lib/candor"}
    # DEBUG is refused in production.
    assert services["web"]["environment"].keys() == variables() - {"PRODUCTION", "VAR", "DEBUG"}
    assert services["worker"]["environment"] == services["web"]["environment"]
    own = {"DATABASE_URL", "REDIS_URL", "BEHIND_PROXY", "BACKUP_LIST", "SIGN_IN_PROVIDERS"}
    for name in services["web"]["environment"].keys() - own:
        assert services["web"]["environment"][name] in (f"${{{name}:-}}", f"${{{name}:?}}")
    for service in services.values():
        for name, value in service.get("environment", {}).items():
            if re.search("KEY|PASSWORD|TOKEN|DATABASE_URL", name):
                assert re.search(r"\$\{\w+:[?-]\}", value), name


def test_provider_file_is_mounted_in_both_containers_at_its_setting() -> None:
    for name in ("web", "worker"):
        service = COMPOSE["services"][name]
        (volume,) = [each for each in service["volumes"] if "providers" in each]
        path = re.fullmatch(r"\$\{SIGN_IN_PROVIDERS:-/dev/null\}:(\S+):ro", volume)
        assert path
        assert service["environment"]["SIGN_IN_PROVIDERS"] == f"${{SIGN_IN_PROVIDERS:+{path[1]}}}"


def test_versions_agree_wherever_named() -> None:
    readme, changes = ((servers.ROOT / name).read_text() for name in ("README.md", "CHANGELOG.md"))
    written = "".join(path.read_text() for path in sorted(DEPLOY.iterdir()))
    assert set(re.findall(r"\bcandor:(\d[\w.]*)", written)) == {VERSION}
    assert re.findall(r"^## (\S+)", changes, re.MULTILINE)[0] == VERSION
    images = re.findall(r"docker\.io/library/(\w+):([\d.]+)-(\S+)", written)
    tags = {name: {tag for image, tag, _debian in images if image == name} for name, _tag, _debian in images}
    assert all(len(of_one) == 1 for of_one in tags.values()), tags
    assert {debian.removeprefix("slim-") for *_image, debian in images} == {"bookworm"}
    assert "Debian 12" in readme
    (python,) = tags["python"]
    minor = python.rpartition(".")[0]
    assert PROJECT["project"]["requires-python"] == f">={minor}"
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{minor.replace('.', '')}"
    assert f"Python {minor}" in readme
