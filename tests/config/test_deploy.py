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

from tests import servers
from tests.rooms import ROOMS
from tests.test_documents import missing_commands, variables
from ui import url_path_classes

DEPLOY = servers.ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
CONTAINERFILE = (DEPLOY / "Containerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
PROJECT: dict[str, Any] = tomllib.loads((servers.ROOT / "pyproject.toml").read_text())
VERSION: str = PROJECT["project"]["version"]
OPERATIONS = (servers.ROOT / "docs/operations.md").read_text()
SERVICES = ("web", "worker", "database", "queue")
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
class TestUnit:
    def test_it_is_shut_in(self, unit: Path) -> None:
        assert set(unit.read_text().splitlines()) >= CONFINED

    @pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze on this machine")
    def test_systemd_finds_little_exposed(self, unit: Path) -> None:
        words = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", said)
        assert exposure, said
        assert float(exposure[1]) <= EXPOSURE

    def test_what_it_starts_is_there(self, unit: Path, run: ModuleType) -> None:
        text = unit.read_text()
        assert list(missing_commands(text)) == []
        for command in re.findall(r"/opt/candor/run (\w+)", text):
            assert command in run.COMMANDS
        assert re.search(r"/opt/candor/run \w+|manage\.py \w+", text)

    def test_it_sets_what_the_settings_read(self, unit: Path) -> None:
        assert set(re.findall(r"^Environment=(\w+)=", unit.read_text(), re.MULTILINE)) <= variables()


def test_each_timer_starts_a_service() -> None:
    assert {path.stem for path in DEPLOY.glob("*.timer")} == {"candor-backup", "candor-drill"}
    assert {path.stem for path in DEPLOY.glob("*.timer")} < {path.stem for path in UNITS}


def test_a_backup_of_fourteen_days_is_deleted(tmp_path: Path) -> None:
    unit = (DEPLOY / "candor-backup.service").read_text()
    (line,) = re.findall(r"^ExecStartPost=(.+)$", unit, re.MULTILINE)
    for days in (13, 14):
        (tmp_path / f"{days}.backup").touch()
        made = time.time() - days * 86_400 - 60
        os.utime(tmp_path / f"{days}.backup", (made, made))
    subprocess.run(shlex.split(line.replace("/var/backups/candor", str(tmp_path))), check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["13.backup"]


def test_the_environment_has_names_of_settings_and_no_secret() -> None:
    lines = [line for line in (DEPLOY / "candor.env").read_text().splitlines() if line[:1] not in ("#", "")]
    values = dict(line.split("=", 1) for line in lines)
    assert values.keys() - {"DATABASE_PASSWORD"} <= variables()
    assert values["SECRET_KEY"] == values["DATABASE_PASSWORD"] == ""


# --- containers --------------------------------------------------------------------------------------


def steps() -> list[tuple[str, str]]:
    """Each instruction and its words; a step goes on after a backslash."""
    text = re.sub(r"\\\n\s*", "", CONTAINERFILE)
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


def test_the_image_holds_every_package_and_file_of_the_product() -> None:
    copied: set[str] = set()
    for name, words in steps():
        if name == "COPY" and not words.startswith("--from"):
            copied |= set(words.split()[:-1])
    assert [path for path in copied if not (servers.ROOT / path).exists()] == []
    assert copied >= {*ROOMS, "r/R", "templates", "static", "locale", "run", "manage.py", "requirements.lock"}
    assert not copied & {".", "var", "tests", ".git"}
    (compiled,) = [words for name, words in steps() if name == "RUN" and "compileall" in words]
    assert set(compiled.split()) >= set(ROOMS)


def test_the_image_is_pinned_and_runs_for_an_account_of_its_own(run: ModuleType) -> None:
    named = dict(steps())
    assert named["USER"] == "10001"
    assert "--uid 10001" in CONTAINERFILE
    instructions = [name for name, _words in steps()]
    assert "HEALTHCHECK" in instructions
    assert instructions.index("USER") > max(
        i for i, name in enumerate(instructions) if name in ("RUN", "COPY")
    )
    for name, words in steps():
        if name == "FROM":
            assert re.search(r":\d+\.\d+\.\d+-", words), words
        if name == "RUN" and words.startswith("./run"):
            assert words.split()[1] in run.COMMANDS
    assert not re.search(r"PASSWORD|SECRET|TOKEN", CONTAINERFILE)
    (serve,) = [words for name, words in steps() if name == "ENTRYPOINT"]
    assert serve == '["./run", "serve"]'


def test_the_image_is_looked_after_at_the_address_of_health() -> None:
    (check,) = [words for name, words in steps() if name == "HEALTHCHECK"]
    *_options, command = re.split(r" CMD ", check)
    assert json.loads(command)[:2] == [".venv/bin/python", "-c"]
    assert f"http://127.0.0.1:8000{url_path_classes.HEALTH}" in command
    # Python's own words in it are a program.
    compile(json.loads(command)[2], "HEALTHCHECK", "exec")


def test_the_documents_name_every_setting_that_the_files_pass_on() -> None:
    rows = re.findall(r"^\| (`[A-Z_`, ]+`) \|", OPERATIONS, re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"[A-Z_]+", row)}
    assert documented >= COMPOSE["services"]["web"]["environment"].keys()


def test_the_services_are_those_of_this_test() -> None:
    assert set(COMPOSE["services"]) == set(SERVICES)


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_is_shut_in_pinned_and_looked_after(name: str) -> None:
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
    assert not service.keys() & {
        "privileged",
        "cap_add",
        "devices",
        "network_mode",
        "pid",
        "ipc",
        "userns_mode",
    }
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    image, _colon, tag = service["image"].rpartition(":")
    assert tag == VERSION if image == "candor" else re.match(r"\d+\.\d+", tag)
    for volume in service.get("volumes", []):
        assert volume.partition(":")[0] in COMPOSE["volumes"] or volume.endswith(":ro")


def test_the_compose_file_passes_every_setting_on_and_takes_secrets_from_outside() -> None:
    services = COMPOSE["services"]
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


def test_the_file_of_providers_is_in_both_containers_where_the_setting_says() -> None:
    for name in ("web", "worker"):
        service = COMPOSE["services"][name]
        (volume,) = [each for each in service["volumes"] if "providers" in each]
        path = re.fullmatch(r"\$\{SIGN_IN_PROVIDERS:-/dev/null\}:(\S+):ro", volume)
        assert path
        assert service["environment"]["SIGN_IN_PROVIDERS"] == f"${{SIGN_IN_PROVIDERS:+{path[1]}}}"


def test_a_version_is_the_same_wherever_it_is_named() -> None:
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


def has_containers() -> bool:
    """Whether a daemon answers, not only its client is there."""
    if not shutil.which("docker"):
        return False
    return subprocess.run(["docker", "info"], capture_output=True).returncode == 0


@pytest.mark.night
@pytest.mark.server
def test_the_image_is_built_and_starts_on_a_root_that_nobody_can_write() -> None:
    if not has_containers():
        pytest.skip("no container runtime on this machine; the steps of the files were read instead")
    image = f"candor:{VERSION}"
    build = ["docker", "build", "--quiet", "-f", "deploy/Containerfile", "-t", image, "."]
    subprocess.run(build, cwd=servers.ROOT, check=True)
    start = ["docker", "run", "--rm", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", image, "--help"]
    assert "--workers" in subprocess.run(start, check=True, capture_output=True, text=True).stdout
