"""docs/operations.md from an empty Debian: its commands run in a fresh folder of debootstrap, in the page's order.

systemd is there but does not run: `systemctl` links the units and starts nothing, so that what a unit would start is
started from its own lines, as its account; the units are verified as systemd reads them. PostgreSQL, Redis and nginx
are started as Debian's units do. `editor` is a person. The containers' commands are read by test_deploy. Only packages
are fetched from the network; what follows has a network of its own, so that no port is in anybody's way.
"""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import servers


def has_debootstrap() -> bool:
    """Whether it is installed, and this account may give a process folders and a network of its own."""
    own = ["unshare", "--mount", "--pid", "--fork", "--net", "true"]
    return bool(shutil.which("debootstrap")) and subprocess.run(own).returncode == 0


pytestmark = [
    pytest.mark.server,
    pytest.mark.apart,
    pytest.mark.night(smaller="config/test_deploy.py"),
    pytest.mark.skipif(not has_debootstrap(), reason="no debootstrap here, or not for this account"),
]
PAGE = (servers.ROOT / "docs/operations.md").read_text()
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NETWORK = ("PIP_CERT", "PIP_INDEX_URL", "http_proxy", "https_proxy", "no_proxy")
"""How this machine reaches packages, which is no matter of the page."""
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


def started(name: str) -> str:
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
                yield f"({started(name)}) > /root/{name}.log 2>&1 &" if lasts else started(name)
    if word == "systemctl" and rest[0] == "stop":
        yield "pkill -TERM -u candor; while pgrep -u candor > /dev/null; do sleep 1; done"
    if line == "systemctl reload nginx":
        yield "nginx"


class Debian:
    """A fresh Debian in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        words = ["debootstrap", "--variant=minbase", "--include=systemd,procps", "bookworm", str(root)]
        self._say(words)
        for own in ("/etc/resolv.conf", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt"):
            if Path(own).exists():
                shutil.copy(own, root / own[1:]) if (root / own[1:]).parent.exists() else None
        # Whom this machine trusts besides: the Debian makes its bundle of them as soon as it has the package.
        trusted = Path("/usr/local/share/ca-certificates")
        if trusted.exists():
            shutil.copytree(trusted, root / trusted.relative_to("/"), dirs_exist_ok=True)
        self._publish(root / "srv/candor")

    def _publish(self, folder: Path) -> None:
        """The product as it is here, as a repository."""
        listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=servers.ROOT, text=True)
        for name in filter(None, listed.split("\0")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(servers.ROOT / name, folder / name)
        git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org"]
        for words in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-q", "-m", "As it is"]):
            self._say([*git, *words])

    def run(self, lines: list[str], *, network: bool = False) -> str:
        script = "\n".join(["set -e", *lines])
        (self.root / "root/page.sh").write_text(script)
        kept = [f"{name}={os.environ[name]}" for name in NETWORK if network and name in os.environ]
        kept += [f"PATH={PATH}", "HOME=/root", "DEBIAN_FRONTEND=noninteractive", "SYSTEMD_OFFLINE=1"]
        mounts = f"mount -t proc proc {self.root}/proc; mount -t tmpfs tmpfs {self.root}/dev/shm 2> /dev/null || true"
        own = "" if network else "ip link set lo up; "
        words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *([] if network else ["--net"])]
        enter = shlex.join(["chroot", str(self.root), "env", "-i", *kept, "sh", "-x", "/root/page.sh"])
        return self._say([*words, "sh", "-c", f"{own}{mounts}; {enter}; exit $?"])

    def _say(self, words: list[str]) -> str:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout[-4000:]
        return done.stdout


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Debian]:
    root = tmp_path_factory.mktemp("debian")
    root.chmod(0o755)
    try:
        yield Debian(root)
    finally:
        shutil.rmtree(root)


def test_the_page_leads_from_an_empty_debian_to_a_backed_up_and_upgraded_instance(debian: Debian) -> None:
    install, site, _containers = blocks("From an empty Debian to a working instance")
    lines = commands(install)
    packages = 1 + next(place for place, line in enumerate(lines) if line == "/opt/candor/run install")
    fetching = [line.replace("ADDRESS-OF-CANDOR", "/srv/candor") for line in lines[:packages]]
    debian.run(fetching, network=True)
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
    base = ["pg_ctlcluster 15 main start", redis]
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
    assert (done.returncode, done.stderr) == (0, "")
