"""A fresh Debian in a folder, by debootstrap, for what is tried as on an empty machine.

Only packages are fetched, in the way in which this machine reaches them: its proxy, its certificates, its settings of
pip and npm.
"""

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests import servers

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NETWORK = (
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "PIP_INDEX_URL",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "npm_config_registry",
)
"""Variables that say how this machine reaches packages."""
NAMESPACES = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]


def has_debootstrap() -> bool:
    """Whether it is installed, and this account may give a process folders and a network of its own."""
    own = [*NAMESPACES, "--net", "true"]
    return bool(shutil.which("debootstrap")) and subprocess.run(own).returncode == 0


def network() -> dict[str, str]:
    return {name: os.environ[name] for name in NETWORK if name in os.environ}


def output_of(words: Sequence[str]) -> str:
    """What a command prints; it fails with the end of that."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{shlex.join(words)}: {done.stdout[-4000:]}"
    return done.stdout


def publish(folder: Path) -> None:
    """The product as it is here, as a repository."""
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=servers.ROOT, text=True)
    for name in filter(None, listed.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(servers.ROOT / name, folder / name)
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-q", "-m", "As it is"]):
        output_of([*git, *words])


class Debian:
    """A folder with a release of Debian."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def bootstrapped(cls, root: Path, release: str, *packages: str) -> "Debian":
        include = f"--include={','.join(packages)}"
        output_of(["debootstrap", "--variant=minbase", include, release, str(root)])
        for own in ("/etc/resolv.conf", "/etc/pip.conf"):
            if Path(own).exists():
                shutil.copy(own, root / own[1:])
        # Whom this machine trusts besides: the Debian makes its bundle of them as soon as it has the package.
        trusted = Path("/usr/local/share/ca-certificates")
        if trusted.exists():
            shutil.copytree(trusted, root / trusted.relative_to("/"), dirs_exist_ok=True)
        # It is thrown away: nothing waits until the disk has it.
        (root / "etc/dpkg/dpkg.cfg.d/unsafe-io").write_text("force-unsafe-io\n")
        return cls(root)

    def copied_to(self, root: Path) -> "Debian":
        """The same in another folder."""
        output_of(["cp", "-a", "--reflink=auto", str(self.root), str(root)])
        return Debian(root)

    def run(self, lines: list[str], *, network_of_machine: bool = False) -> str:
        """What these lines of a shell print, the first that fails being the last; without a network but loopback,
        unless they fetch packages."""
        (self.root / "root/lines.sh").write_text("\n".join(["set -e", *lines]))
        kept = {"PATH": PATH, "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive", "SYSTEMD_OFFLINE": "1"}
        kept |= network() if network_of_machine else {}
        variables = [f"{name}={value}" for name, value in kept.items()]
        mounts = f"mount -t proc proc {self.root}/proc; mount -t tmpfs tmpfs {self.root}/dev/shm 2> /dev/null || true"
        own = "" if network_of_machine else "ip link set lo up; "
        enter = shlex.join(["chroot", str(self.root), "env", "-i", *variables, "sh", "-x", "/root/lines.sh"])
        words = [*NAMESPACES, *([] if network_of_machine else ["--net"])]
        return output_of([*words, "sh", "-c", f"{own}{mounts}; {enter}; exit $?"])
