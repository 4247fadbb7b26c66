"""The image of deploy/Containerfile is built, and web and worker of deploy/compose.yaml run from it.

buildah builds and runs without a daemon and without a root that it may not change: `--isolation chroot`, storage by
copies. A bare Debian with the Python of its own at the path of the official image stands for the base. PostgreSQL and
Redis are the tests' own. Only packages are fetched from the network.
"""

import http.client
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import servers
from tests.debian import Debian, has_debootstrap, network, output_of, publish
from tests.intake import asked
from tests.product import nginx

pytestmark = [
    pytest.mark.server,
    pytest.mark.apart,
    pytest.mark.night(smaller="config/test_deploy.py"),
    pytest.mark.skipif(
        not (has_debootstrap() and shutil.which("buildah")),
        reason="no debootstrap or buildah here, or not for this account",
    ),
]
COMPOSE: dict[str, Any] = yaml.safe_load((servers.ROOT / "deploy/compose.yaml").read_text())
CONTAINERFILE = (servers.ROOT / "deploy/Containerfile").read_text()
OPERATIONS = (servers.ROOT / "docs/operations.md").read_text()
(BASE,) = {*re.findall(r"^FROM (\S+)", CONTAINERFILE, re.MULTILINE)}
IMAGE: str = COMPOSE["services"]["web"]["image"]
ACCOUNT = "10001"
MEGABYTE = 1_000_000
MOST_MEGABYTES = 1_200
"""Of the image without its base."""
LARGE_MEGABYTES = 50
"""From here on docs/operations.md says of a package what needs it."""
SHARED = {"/tmp", "/var/tmp", "/run/lock"}
"""Where every account of a Debian may write; compose.yaml closes all but /tmp."""
DESIGN = asked.make_design(
    {"kind": "plain", "questions": [{"name": name, "choices": ["no", "yes"]} for name in ("tea", "milk")]},
    least=20,
)
WITHOUT_BROWSER = {"coins", "law", "twin", "submission", "receipt"}
"""What `prove` cannot check without node and Chromium."""
OPENED = f"""
from accounts import role_assignment
from accounts.models import RESEARCHERS, REVIEWERS, Person
from privacy.designs import parse_design
from surveys.models import Design, Survey
for name, role in {{"researcher": RESEARCHERS, "reviewer": REVIEWERS}}.items():
    person, _is_new = Person.objects.get_or_create(username=name, email=name + "@example.org")
    role_assignment.give_role(person, role, by=None)
asks = parse_design({DESIGN.canonical!r})
row, _is_new = Design.objects.get_or_create(fingerprint=asks.fingerprint, json=asks.canonical)
survey = Survey.objects.create(owner=Person.objects.get(username="researcher"), design=row, state=Survey.State.OPEN)
print("slug", survey.slug)
"""
PUBLISHED = """
import time
from django.urls import reverse
from django.utils.timezone import now
from accounts.models import Person
from jobs.models import FINISHED
from mining.parameters import Parameters
from reports.models import Review
from reports.review import public_page_switch, report_state_changes
from runs import run_start
from surveys.lifecycle import state_changes
from surveys.models import Survey
survey = Survey.objects.get(slug={slug!r})
state_changes.close_survey(survey, survey.owner, now())
state_changes.finish_survey(survey, survey.owner, now())
parameters = Parameters(min_support=0.1, min_confidence=0.1, max_size=2)
run = run_start.start_mining_run(survey, survey.owner, parameters, now())
while run.state not in FINISHED:
    time.sleep(0.5)
    run.refresh_from_db(fields=["state"])
report_state_changes.create_reviews_of_finished_runs(now())
review = Review.objects.get(run=run)
report_state_changes.publish(review, Person.objects.get(username="reviewer"), (), "http://127.0.0.1", now())
public_page_switch.open_page(review, survey.owner, now())
review.refresh_from_db()
print("page", reverse("public:page", args=[review.public_token]))
"""
HOUR = 3600
SIZES = """
import json
from importlib import metadata
print(json.dumps({
    each.name.lower(): sum(path.stat().st_size for path in map(each.locate_file, each.files) if path.exists())
    for each in metadata.distributions()
}))
"""
DPKG = "${Package} ${Installed-Size}\\n"


def interpolate(text: str, values: Mapping[str, str]) -> str:
    """A value of compose.yaml, as compose reads it from the environment."""

    def value(match: re.Match[str]) -> str:
        name, rule, other = match.groups()
        given = values.get(name, "")
        assert given or rule != ":?", f"{name} is not set"
        return other if bool(given) == (rule == ":+") else given

    return re.sub(r"\$\{(\w+)(:[-?+])([^}]*)\}", value, text)


@dataclass(frozen=True)
class Buildah:
    """Images and containers in a folder of their own."""

    storage: Path

    def words(self, *words: str) -> list[str]:
        where = ["--root", str(self.storage / "root"), "--runroot", str(self.storage / "run")]
        return ["buildah", *where, "--storage-driver", "vfs", *words]

    def __call__(self, *words: str) -> str:
        return output_of(self.words(*words))

    @contextmanager
    def container(self, image: str) -> Iterator[str]:
        """The name of a new one."""
        name = self("from", "--pull-never", image).split()[-1]
        try:
            yield name
        finally:
            self("rm", name)

    def import_base(self, folder: Path) -> None:
        """An image of this folder under the name that the Containerfile asks for."""
        archive = self.storage / "base.tar"
        output_of(["tar", "-C", str(folder), "-cf", str(archive), "."])
        variables = {"PATH": "/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin", **network()}
        with self.container("scratch") as name:
            self("add", "--quiet", name, str(archive), "/")
            for variable, value in variables.items():
                self("config", "--env", f"{variable}={value}", name)
            self("commit", "--quiet", name, BASE)
        archive.unlink()

    def settings(self, image: str) -> dict[str, Any]:
        """What the image tells a container runtime."""
        told: dict[str, Any] = json.loads(self("inspect", "--type", "image", image))
        settings: dict[str, Any] = told["Docker"]["config"]
        return settings

    def run(self, image: str, *command: str, user: str = "root") -> str:
        """What a command prints in a new container."""
        with self.container(image) as name:
            options = ["--isolation", "chroot", "--user", user]
            return output_of(self.words("run", *options, name, "--", *command))

    def size(self, image: str) -> int:
        """Megabytes of its files."""
        with self.container(image) as name:
            root = self("mount", name).split()[-1]
            return int(output_of(["du", "-s", "--apparent-size", "-B1", root]).split()[0]) // MEGABYTE


@dataclass
class Container:
    """One service of compose.yaml: its container, its volumes in folders of this machine, its environment."""

    buildah: Buildah
    name: str
    volumes: dict[str, Path]
    env: dict[str, str]
    process: subprocess.Popen[bytes] | None = None

    def words(self, *command: str) -> list[str]:
        options = ["--isolation", "chroot", "--user", ACCOUNT, "--cap-drop", "all"]
        for name, value in self.env.items():
            options += ["--env", f"{name}={value}"]
        for inside, outside in self.volumes.items():
            options += ["--volume", f"{outside}:{inside}"]
        return self.buildah.words("run", *options, self.name, "--", *command)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.words(*command), capture_output=True, text=True)

    def shell(self, code: str) -> str:
        done = self.run(".venv/bin/python", "manage.py", "shell", "--verbosity=0", "-c", code)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def start(self, log: Path, *command: str) -> None:
        with log.open("wb") as written:
            self.process = subprocess.Popen(self.words(*command), stdout=written, stderr=written)

    def stop(self) -> None:
        """Asks the first process of the container to end, as a container runtime does."""
        if self.process:
            for pid in servers.family(self.process.pid):
                if Path(f"/proc/{pid}/status").read_text().partition("\nUid:\t")[2].startswith(ACCOUNT):
                    os.kill(pid, signal.SIGTERM)
                    break
            self.process.wait(servers.PATIENCE)


@pytest.fixture(scope="module")
def buildah(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Buildah]:
    """With the image, built."""
    folder = tmp_path_factory.mktemp("image")
    made = Buildah(folder / "storage")
    made.storage.mkdir()
    try:
        packages = ["ca-certificates", "netbase", "tzdata", "python3", "python3-venv"]
        base = Debian.bootstrapped(folder / "base", "bookworm", *packages)
        base.run(["update-ca-certificates", "ln -s /usr/bin/python3 /usr/local/bin/python3", "apt-get clean"])
        made.import_base(base.root)
        shutil.rmtree(base.root)
        publish(folder / "candor")
        # Of the other format HEALTHCHECK is no part.
        words = ["build", "--isolation", "chroot", "--format", "docker", "--pull-never", "--tag"]
        file = folder / "candor/deploy/Containerfile"
        made(*words, IMAGE, "--file", str(file), str(folder / "candor"))
        yield made
    finally:
        subprocess.run(made.words("rm", "--all"), capture_output=True)
        subprocess.run(made.words("rmi", "--all", "--force"), capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def service(buildah: Buildah, name: str, folder: Path, env: Mapping[str, str]) -> Iterator[Container]:
    """A service of compose.yaml; its volumes are folders of its account. `env` goes before what compose sets."""
    settings = COMPOSE["services"][name]
    volumes = {}
    for volume in settings["volumes"]:
        outside, _colon, inside = interpolate(volume, env).partition(":")
        if outside in COMPOSE["volumes"]:
            (folder / outside).mkdir(mode=0o700, exist_ok=True)
            os.chown(folder / outside, int(ACCOUNT), int(ACCOUNT))
            volumes[inside] = folder / outside
    written = {key: interpolate(value, env) for key, value in settings["environment"].items()}
    with buildah.container(IMAGE) as made:
        container = Container(buildah, made, volumes, {**written, **env})
        try:
            yield container
        finally:
            container.stop()


@dataclass
class Site:
    """Web and worker at work behind nginx at `front`; `port` is that of staff, without nginx."""

    web: Container
    worker: Container
    port: int
    front: int
    certificate: Path
    began: float = field(default_factory=time.monotonic)

    def ask(self, path: str, body: str = "") -> tuple[int, str]:
        anything = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.front, timeout=servers.PATIENCE, context=anything
        )
        headers = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"} if body else {}
        try:
            connection.request("POST" if body else "GET", path, body or None, headers)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def is_well(self) -> bool:
        for container in (self.web, self.worker):
            assert container.process
            assert container.process.poll() is None, "a container has ended"
        return is_healthy(self.port)

    def answered_survey(self) -> str:
        """The slug of one that 80 people have answered."""
        slug = self.web.shell(OPENED).split()[-1]
        for number in range(80):
            body = asked.envelope_of(DESIGN, "11" if number % 4 else "00").json
            assert self.ask(f"/a/{slug}/record", body)[0] == 201
        return slug

    def not_held(self, slug: str) -> dict[str, str]:
        """What `prove` saw where a check does not hold, by the check."""
        folder = self.web.volumes["/var/lib/candor"]
        shutil.copy(self.certificate, folder / "authority.pem")
        options = ["--address", f"https://127.0.0.1:{self.front}", "--ca", "/var/lib/candor/authority.pem"]
        self.web.run(".venv/bin/python", "manage.py", "prove", slug, *options)
        report = max((folder / "proofs").glob("*.json"), key=lambda path: path.stat().st_mtime)
        checks = json.loads(report.read_text())["checks"]
        return {check["name"]: check["seen"] for check in checks if check["result"] != "held"}


def is_healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=servers.PATIENCE) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.fixture(scope="module")
def site(
    buildah: Buildah,
    postgres: servers.Postgres,
    redis: servers.Redis,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    tmp_path = tmp_path_factory.mktemp("site")
    # An account without rights goes through this folder.
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    env = {"DATABASE_URL": postgres.create("image"), "REDIS_URL": redis.url, "DATABASE_PASSWORD": "x"}
    env |= {"SECRET_KEY": os.urandom(32).hex(), "ALLOWED_HOSTS": "127.0.0.1"}
    port, respondents_port = servers.free_port(), servers.free_port()
    (tmp_path / "nginx").mkdir()
    respondents = (respondents_port, respondents_port)
    with (
        nginx(tmp_path / "nginx", port, port, respondents=respondents) as front,
        service(buildah, "web", tmp_path, env) as web,
        service(buildah, "worker", tmp_path, env) as worker,
    ):
        settings = buildah.settings(IMAGE)
        entry, words = settings["Entrypoint"], settings["Cmd"]
        words = [str(respondents_port) if word == "8100" else word for word in words]
        web.start(tmp_path / "web.log", *entry, *words, "--port", str(port))
        worker.start(tmp_path / "worker.log", *entry, *COMPOSE["services"]["worker"]["command"])
        site = Site(web, worker, port, front, tmp_path / "nginx/cert.pem")
        servers.wait(site.is_well, "web and worker being well", pause=0.5)
        yield site


def test_image_runs_a_survey_from_answers_to_proof_and_report(site: Site) -> None:
    # As a container runtime asks.
    _kind, *words = site.web.buildah.settings(IMAGE)["Healthcheck"]["Test"]
    words = [word.replace(":8000", f":{site.port}") for word in words]
    assert site.web.run(*words).returncode == 0
    assert site.worker.run(*COMPOSE["services"]["worker"]["healthcheck"]["test"][1:]).returncode == 0
    slug = site.answered_survey()
    assert site.not_held(slug).keys() == WITHOUT_BROWSER
    page = site.web.shell(PUBLISHED.format(slug=slug)).split()[-1]
    status, text = site.ask(page)
    assert status == 200
    assert "75" in text
    # Nothing was written where compose.yaml lets nothing be written.
    for container in (site.web, site.worker):
        written = container.run("sh", "-c", "find / -xdev -user 10001 2> /dev/null; true").stdout.splitlines()
        assert [
            path for path in written if not path.startswith(("/var/lib/candor", "/backups", "/tmp"))
        ] == []


def test_proof_in_the_image_holds_an_hour_later(site: Site) -> None:
    slug = site.answered_survey()
    servers.wait(lambda: time.monotonic() > site.began + HOUR, "an hour having passed", HOUR + 60, pause=5)
    assert site.is_well()
    assert site.not_held(slug).keys() == WITHOUT_BROWSER


def test_image_account_can_write_only_its_folders(buildah: Buildah) -> None:
    pruned = " -o ".join(f"-path {path}" for path in ("/proc", "/sys", "/dev"))
    find = f"find / \\( {pruned} \\) -prune -o ! -type l -writable -print 2> /dev/null; id -u"
    *writable, account = buildah.run(IMAGE, "sh", "-c", find, user=ACCOUNT).split()
    assert account == ACCOUNT
    assert {path for path in writable if path not in SHARED} == {"/var/lib/candor", "/backups"}


def test_image_has_all_kernels_compiled(buildah: Buildah) -> None:
    code = "from mining import compile_kernels; print(compile_kernels.are_all_kernels_compiled())"
    assert buildah.run(IMAGE, ".venv/bin/python", "-c", code, user=ACCOUNT) == "True\n"


def test_image_size_is_bounded_and_large_packages_are_explained(buildah: Buildah) -> None:
    assert buildah.size(IMAGE) - buildah.size(BASE) <= MOST_MEGABYTES
    table = OPERATIONS.partition("\n| package | MB | needed by |\n")[2].partition("\n\n")[0]
    named = set(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE))
    assert set(large_packages(buildah)) == named


def large_packages(buildah: Buildah) -> dict[str, int]:
    """Of the image without its base: Python's by their files, Debian's as dpkg says; in megabytes."""
    sizes = json.loads(buildah.run(IMAGE, ".venv/bin/python", "-c", SIZES))
    debian, of_base = (
        dict(line.split() for line in buildah.run(image, "dpkg-query", "-W", "-f", DPKG).splitlines())
        for image in (IMAGE, BASE)
    )
    sizes |= {name: int(size) * 1024 for name, size in debian.items() if name not in of_base}
    return {name: size // MEGABYTE for name, size in sizes.items() if size >= LARGE_MEGABYTES * MEGABYTE}
