"""Fetches the files that are not ours, by name and version: `python -m look.vendoring.fetch`.

vendor.json names each package with the SHA-512 that npm publishes for it, and each file taken from it with
its SHA-256. Nothing is written unless both agree, and a test compares what is committed with the latter.
"""

import base64
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = Path(__file__).with_name("vendor.json")


@dataclass(frozen=True)
class Vendored:
    name: str
    version: str
    integrity: str
    member: str
    target: str
    sha256: str


class VendorMismatch(Exception):
    """A fetched file differs from the manifest."""


def manifest() -> list[Vendored]:
    return [Vendored(**row) for row in json.loads(MANIFEST.read_text())]


def integrity(package: bytes) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(package).digest()).decode()


def extract(package: Path, wanted: Vendored) -> bytes:
    """Return the wanted file of a packed package, or refuse it with what differs."""
    found = integrity(package.read_bytes())
    if found != wanted.integrity:
        raise VendorMismatch(
            f"{wanted.name} {wanted.version}: the package is {found}, not {wanted.integrity}"
        )
    with tarfile.open(package) as archive:
        member = archive.extractfile(wanted.member)
        content = member.read() if member else b""
    digest = hashlib.sha256(content).hexdigest()
    if digest != wanted.sha256:
        raise VendorMismatch(
            f"{wanted.name} {wanted.version}: {wanted.member} has the SHA-256 {digest}, not {wanted.sha256}"
        )
    return content


def fetch(wanted: Vendored) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["npm", "pack", "--silent", f"{wanted.name}@{wanted.version}"],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        (package,) = Path(folder).glob("*.tgz")
        return extract(package, wanted)


def main() -> int:
    for wanted in manifest():
        try:
            content = fetch(wanted)
        except VendorMismatch as difference:
            print(difference, file=sys.stderr)
            return 1
        target = ROOT / wanted.target
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        print(f"{wanted.target}: {wanted.name} {wanted.version}, {len(content):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
