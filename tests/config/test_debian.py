"""README's two commands and docs/operations.md from an empty Debian 12 and 13, in fresh folders of debootstrap.

The commands of the page run in its order.

systemd is there but does not run: `systemctl` links the units and starts nothing, so that what a unit would start is
started from its own lines, as its account; the units are verified as systemd reads them. PostgreSQL, Redis and nginx
are started as Debian's units do. `editor` is a person. The containers' commands are read by test_deploy. Only packages
are fetched from the network; what follows has a network of its own, so that no port is in anybody's way.
"""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import servers
from tests.debian import PATH, Debian, has_debootstrap, publish

pytestmark = [
    pytest.mark.server,
    pytest.mark.apart,
    pytest.mark.night(smaller="config/test_deploy.py"),
    pytest.mark.skipif(not has_debootstrap(), reason="no debootstrap here, or not for this account"),
]
PAGE = (servers.ROOT / "docs/operations.md").read_text()
AS_CANDOR = f"runuser -u candor -- env -i PATH={PATH} $(grep -v '^#' /etc/candor/candor.env)"
SETTINGS = r"""
sed -i "s/^SECRET_KEY=.*/SECRET_KEY=$(openssl rand -hex 32)/; s/^ALLOWED_HOSTS=.*/ALLOWED_HOSTS=survey.example.org/" \
    /etc/candor/candor.env
"""
CERTIFICATE = """
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=survey.example.org -keyout /etc/ssl/private/candor.key \
    -out /etc/ssl/candor.pem
"""
FRONT = "https://survey.example.org/"


def blocks(name: str) -> list[str]:
    """The fenced blocks of a chapter."""
    chapter = PAGE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    return re.findall(r"^```\n(.*?)^```$", chapter, re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[str]:
    return block.replace("\\\n", " ").splitlines()


def of_unit(name: str, key: str) -> list[str]:
    text = (servers.ROOT / "deploy" / name).read_text()
    return re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)


def start_service(name: str) -> str:
    """What systemd would do for this service."""
    folders = [f"/var/lib/{folder}" for words in of_unit(name, "StateDirectory") for folder in words.split()]
    (line,) = of_unit(name, "ExecStart")
    environment = " ".join(of_unit(name, "Environment"))
    command = line.replace("$$", "$").replace("%%", "%")
    place = " ".join(folders)
    return f"install -d -o candor -g candor -m 700 {place}; {AS_CANDOR} {environment} {command}"


def carried_out(line: str) -> Iterator[str]:
    """A command of the page as it runs here."""
    word, *rest = shlex.split(line)
    if word == "editor":
        yield SETTINGS
    elif word == "systemd-run":
        # The account, the environment and the folder that its options name.
        places = {"EnvironmentFile=/etc/candor/candor.env", "WorkingDirectory=/opt/candor"}
        assert {"--uid=candor", *places} <= set(rest)
        variable = next(place for place, word in enumerate(rest) if word == "-E") + 1
        command = " ".join(rest[variable:])
        account = "--noinput --username robin --email robin@example.org"
        yield f"{AS_CANDOR} DJANGO_SUPERUSER_PASSWORD=a-long-password-1 {command} {account}"
    else:
        # A busy machine takes many times as long as a quiet one.
        line = line.replace("--retry 200", "--retry 1000")
        yield line.replace("systemctl enable --now", "systemctl enable")
    if word == "systemctl" and rest[0] in ("start", "enable"):
        for unit in rest[1:]:
            if not unit.startswith("-") and not unit.endswith(".timer"):
                name = unit if "." in unit else f"{unit}.service"
                lasts = not of_unit(name, "Type")
                yield f"({start_service(name)}) > /root/{name}.log 2>&1 &" if lasts else start_service(name)
    if word == "systemctl" and rest[0] == "stop":
        yield "pkill -TERM -u candor; while pgrep -u candor > /dev/null; do sleep 1; done"
    if line == "systemctl reload nginx":
        yield "nginx"


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def fresh_debian(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Debian]:
    """A Debian as it is installed, with the product as a repository in /srv/candor."""
    root = tmp_path_factory.mktemp("empty") / request.param
    try:
        made = Debian.bootstrapped(root, request.param, "systemd", "procps")
        publish(root / "srv/candor")
        yield made
    finally:
        shutil.rmtree(root, ignore_errors=True)


@pytest.fixture
def debian(fresh_debian: Debian, tmp_path: Path) -> Iterator[Debian]:
    """A copy of it."""
    # An account without rights goes through this folder.
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    try:
        yield fresh_debian.copied_to(tmp_path / "debian")
    finally:
        shutil.rmtree(tmp_path / "debian", ignore_errors=True)


# --- README ------------------------------------------------------------------------------------------


OUR_UNIT = re.compile(r"\bcandor[\w-]*\.(service|timer)\b")
BY_SUDO = """
apt-get install -y sudo
useradd --create-home robin
echo 'Defaults env_keep += "http_proxy https_proxy no_proxy"' > /etc/sudoers.d/robin
echo 'robin ALL=(ALL) NOPASSWD: ALL' >> /etc/sudoers.d/robin
git clone -q /srv/candor /home/robin/candor
chown -R robin:robin /home/robin
"""
DEMO = """
./run demo --port {port} > demo.log 2>&1 &
until grep -q 'The report is published' demo.log; do kill -0 $! || {{ cat demo.log; exit 1; }}; sleep 1; done
address=$(sed -n 's/.*The report is published.*: //p' demo.log)
python3 -c "from urllib.request import urlopen; print('the report', urlopen('$address').status)"
kill -TERM $!
wait $! || true
"""
TESTS = """
./run test --fast
./run test -- tests/test_imports.py
"""
"""The suite takes the better part of an hour: here it is a file of it, with all that it installs and checks."""


@pytest.mark.parametrize("account", ["root", "robin"])
def test_readme_commands_work_in_an_empty_debian(account: str, debian: Debian) -> None:
    """`root`, or an account whose sudo asks for no password."""
    readme = (servers.ROOT / "README.md").read_text().partition("## Two commands")[2]
    assert re.findall(r"^\./run (\w+)", readme, re.MULTILINE) == ["demo", "test"]
    home = "/root" if account == "root" else "/home/robin"
    written = debian.root / "srv/two.sh"
    written.write_text(f"set -e\ncd {home}/candor\n{DEMO.format(port=servers.free_port())}{TESTS}")
    begin = ["apt-get update", "apt-get install -y git python3 ca-certificates"]
    begin += ["git clone -q /srv/candor /root/candor"] if account == "root" else [BY_SUDO]
    line = f"runuser -u {account} -- env HOME={home} sh -x /srv/two.sh"
    said = debian.run([*begin, line], network_of_machine=True)
    assert "the report 200" in said, said[-3000:]
    assert len(re.findall(r"^\d+ passed", said, re.MULTILINE)) == 2, said[-3000:]


# --- the page ----------------------------------------------------------------------------------------


def test_operations_guide_leads_from_an_empty_debian_to_a_backed_up_instance(debian: Debian) -> None:
    install, site, _containers = blocks("From an empty Debian to a working instance")
    lines = commands(install)
    packages = 1 + next(place for place, line in enumerate(lines) if line == "/opt/candor/run install")
    fetching = [line.replace("ADDRESS-OF-CANDOR", "/srv/candor") for line in lines[:packages]]
    debian.run(fetching, network_of_machine=True)
    lines = [part for line in lines[packages:] for part in carried_out(line)]
    (debian.root / "etc/nginx/sites-enabled/candor").write_text(site)
    proxied = [CERTIFICATE, *carried_out("systemctl reload nginx")]
    proxied += [f"curl --fail --insecure --resolve survey.example.org:443:127.0.0.1 {FRONT} > /dev/null"]
    plain = f"{FRONT.replace('https', 'http')}a/abcdef"
    proxied += [f"curl --silent --resolve survey.example.org:80:127.0.0.1 {plain} | grep 301"]
    proxied += ["test ! -s /var/log/nginx/access.log"]
    upgrade = [part for line in commands(blocks("Upgrade")[0]) for part in carried_out(line)]
    backup, check, restore = (line.partition("#")[0] for line in commands(blocks("Backup and restore")[0]))
    kept = [f"{AS_CANDOR} VAR=/var/lib/candor {line}" for line in (backup, check)]
    emptied = ["systemctl stop candor candor-worker", "runuser -u postgres -- createdb --owner=candor empty"]
    elsewhere = "DATABASE_URL='postgres://candor@/empty?host=/var/run/postgresql'"
    emptied = [*carried_out(emptied[0]), emptied[1], f"{AS_CANDOR} VAR=/var/lib/candor {elsewhere} {restore}"]
    proven = [f"{AS_CANDOR} VAR=/var/lib/candor .venv/bin/python manage.py prove nowhere || test $? = 1"]
    healthy = [part for line in commands(install) if line.startswith("curl") for part in carried_out(line)]
    redis = "redis-server /etc/redis/redis.conf --daemonize yes --supervised no"
    base = ["pg_ctlcluster $(ls /etc/postgresql) main start", redis]
    said = debian.run(
        [*base, "cd /opt/candor", *lines, *proxied, *proven, *kept, *upgrade, *healthy, *emptied]
    )
    assert said.count('"ok": true') >= 2, said[-3000:]
    assert "failed       address: there is no survey nowhere" in said, said[-3000:]
    # As systemd reads the units where the page has put them.
    folder = debian.root / "etc/systemd/system"
    units = [str(path) for kind in ("service", "timer") for path in sorted(folder.glob(f"candor*.{kind}"))]
    assert len(units) == 6
    words = ["systemd-analyze", "verify", f"--root={debian.root}", "--man=no", *units]
    done = subprocess.run(words, capture_output=True, text=True)
    # Units that a newer Debian brings have keys and values that this machine's systemd does not know.
    said_of_ours = [line for line in done.stderr.splitlines() if OUR_UNIT.search(line)]
    assert (done.returncode, said_of_ours) == (0, [])
