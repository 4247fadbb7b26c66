import hashlib
import json
from pathlib import Path

import pytest

from look.vendoring import vega as bundle


def test_the_committed_bundle_is_the_one_that_is_named() -> None:
    assert hashlib.sha256((bundle.ROOT / bundle.TARGET).read_bytes()).hexdigest() == bundle.SHA256


def test_another_bundle_is_refused() -> None:
    with pytest.raises(bundle.BundleMismatch, match="has the SHA-256 2cf24"):
        bundle.verified(b"hello")


def test_exact_versions_and_their_hashes_are_named() -> None:
    wanted = json.loads((bundle.HERE / "package.json").read_text())["dependencies"]
    assert all(part.isdigit() for version in wanted.values() for part in version.split("."))
    locked = json.loads((bundle.HERE / "package-lock.json").read_text())["packages"]
    assert all(about["integrity"].startswith("sha512-") for path, about in locked.items() if path)


def test_no_package_says_where_it_was_fetched() -> None:
    assert '"resolved"' not in (bundle.HERE / "package-lock.json").read_text()


def test_the_bundle_names_what_it_holds_and_whose_it_is(tmp_path: Path) -> None:
    package = tmp_path / "node_modules" / "thing"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "thing", "version": "1.2.3", "license": "ISC"}')
    (package / "LICENSE").write_text("Copyright 2020 Somebody\n\nPermission to use …\n")
    said = bundle.licences(tmp_path, ["vega.js", "node_modules/thing/index.js", "node_modules/thing/more.js"])
    assert said == (
        "/*!\n * What this file holds, and whose it is:\n * thing 1.2.3, ISC\n *   Copyright 2020 Somebody\n */\n"
    )


def test_the_committed_bundle_says_so_too() -> None:
    said = (bundle.ROOT / bundle.TARGET).read_text().rpartition("/*!")[2]
    for name in ("vega-lite", "vega-interpreter", "vega-view", "d3-scale"):
        assert f" * {name} " in said
