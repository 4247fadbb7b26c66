import hashlib
import io
import json
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from look.vendoring import fetch, land, vega as bundle


@pytest.fixture
def package(tmp_path: Path) -> Path:
    path = tmp_path / "thing-1.0.0.tgz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("package/thing.js")
        member.size = 5
        archive.addfile(member, io.BytesIO(b"hello"))
    return path


@pytest.fixture
def wanted(package: Path) -> fetch.Vendored:
    return fetch.Vendored(
        "thing",
        "1.0.0",
        fetch.integrity(package.read_bytes()),
        "package/thing.js",
        "thing.js",
        "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",  # of "hello"
    )


@pytest.mark.parametrize("row", fetch.manifest(), ids=lambda row: row.target)
def test_a_committed_script_is_the_one_that_the_manifest_names(row: fetch.Vendored) -> None:
    assert hashlib.sha256((fetch.ROOT / row.target).read_bytes()).hexdigest() == row.sha256


def test_nothing_vendored_is_missing_from_the_manifest() -> None:
    named = {fetch.ROOT / target for target in (bundle.TARGET, land.TARGET)}
    named |= {fetch.ROOT / row.target for row in fetch.manifest() if "/vendor/" in row.target}
    found = {
        *(settings.BASE_DIR / "static/vendor").rglob("*"),
        *(settings.BASE_DIR / "tests").rglob("*.min.js"),
    }
    # What the type checker has to know of a vendored script stands beside it.
    assert {path for path in found if path.is_file() and not path.match("*.d.ts")} == named


def test_a_package_as_named_gives_its_file(package: Path, wanted: fetch.Vendored) -> None:
    assert fetch.extract(package, wanted) == b"hello"


def test_another_package_under_the_same_name_is_refused(package: Path, wanted: fetch.Vendored) -> None:
    package.write_bytes(package.read_bytes() + b"\0")
    with pytest.raises(fetch.VendorMismatch, match="the package is sha512-"):
        fetch.extract(package, wanted)


def test_another_file_in_the_package_is_refused(package: Path, wanted: fetch.Vendored) -> None:
    with pytest.raises(fetch.VendorMismatch, match="has the SHA-256 2cf24"):
        fetch.extract(package, replace(wanted, sha256="0" * 64))


def test_the_manifest_names_exact_versions() -> None:
    for row in json.loads(fetch.MANIFEST.read_text()):
        assert all(part.isdigit() for part in row["version"].split("."))
        assert row["integrity"].startswith("sha512-")
