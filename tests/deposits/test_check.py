"""check.py compares all files of a deposit with their list before it imports or runs anything of them."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from deposits.bundle import BESIDE, PACKAGES, library_requirements, library_zip
from privacy.grammar.json_text import parse_json
from tests.deposits.conftest import list_files
from tests.product import ROOMS

CHECK = Path("deposits/bundled/check.py")
ABOUT = "fingerprint records n_open disguised estimator exact min_support min_confidence max_size absences"
REPORT: dict[str, Any] = {
    "format": "candor-report/1",
    "fingerprint": "0" * 64,
    "design": {},
    "report": {
        "format": "candor-report/1",
        "about": dict.fromkeys(ABOUT.split(), 1),
        "told": {"hidden": [], "questions": []},
        **{name: [] for name in ("shares", "compared", "groups", "itemsets", "pairs", "rules")},
    },
}
NO_LIST = "SHA256SUMS is empty or no list of files"
Check = Callable[[Path], int]
Edit = Callable[[Path], object]


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Check:
    """check.py in this process, whose library is the product's own: it need not be compiled again."""
    monkeypatch.setattr(sys, "path", ["the folder of a script", *sys.path])
    spec = spec_from_file_location("check", CHECK)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    main: Check = module.main
    return main


@pytest.fixture
def deposit(tmp_path: Path) -> Path:
    """Whatever of it is imported or run leaves a file."""
    folder, leave = tmp_path / "deposit", f"open({str(tmp_path / 'run')!r}, 'w')"
    (folder / "tables").mkdir(parents=True)
    library = BytesIO()
    with ZipFile(library, "w") as archive:
        archive.writestr("deposits/__init__.py", leave)
    (folder / "library.zip").write_bytes(library.getvalue())
    (folder / "check.py").write_text(CHECK.read_text())
    (folder / "analysis.py").write_text(leave)
    (folder / "design.json").write_text("{}")
    (folder / "tables" / "shares.csv").write_text("item\n")
    (folder / "report.json").write_text(json.dumps(REPORT))
    list_files(folder)
    return folder


def append_to_file(name: str, text: str) -> Edit:
    return lambda folder: (folder / name).write_text((folder / name).read_text() + text)


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (append_to_file("analysis.py", "#"), "analysis.py has another SHA-256"),
        (append_to_file("check.py", "#"), "check.py has another SHA-256"),
        (lambda folder: (folder / "json.py").touch(), "json.py is not in SHA256SUMS"),
        (lambda folder: (folder / "tables/more.csv").touch(), "tables/more.csv is not in SHA256SUMS"),
        (lambda folder: (folder / "numpy").symlink_to(folder / "tables"), "numpy is not in SHA256SUMS"),
        (lambda folder: (folder / "tables/shares.csv").unlink(), "tables/shares.csv is missing"),
        (lambda folder: (folder / "SHA256SUMS").write_text(""), NO_LIST),
        (lambda folder: (folder / "SHA256SUMS").unlink(), NO_LIST),
        (lambda folder: (folder / "SHA256SUMS").write_bytes(b"\xff"), NO_LIST),
        (append_to_file("SHA256SUMS", "report.json"), NO_LIST),
        (append_to_file("SHA256SUMS", f"{'0' * 64}  report.json\n"), "report.json has another SHA-256"),
        (append_to_file("SHA256SUMS", f"{'0' * 64}  ../run\n"), "../run is missing"),
    ],
)
def test_added_changed_or_removed_file_is_reported_and_nothing_runs(
    check: Check, deposit: Path, capsys: pytest.CaptureFixture[str], edit: Edit, reason: str
) -> None:
    edit(deposit)
    assert check(deposit) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("Nothing was run: ")
    assert reason in line
    assert not (deposit.parent / "run").exists()


@pytest.mark.at_push(1)
@pytest.mark.parametrize(
    "edit",
    [
        lambda folder: (folder / "more.csv").touch(),
        lambda folder: (folder / "tables/shares.csv").unlink(),
        lambda folder: (folder / "SHA256SUMS").write_text(""),
        append_to_file("SHA256SUMS", "report.json\n"),
    ],
    ids=["added", "removed", "emptied", "odd"],
)
@pytest.mark.server
def test_r_check_runs_nothing_if_the_list_names_other_files(deposit: Path, edit: Edit) -> None:
    (deposit / "r/R").mkdir(parents=True)
    (deposit / "check.R").write_text(CHECK.with_suffix(".R").read_text())
    (deposit / "r/R/design.R").write_text(f"file.create({json.dumps(str(deposit.parent / 'run'))})")
    list_files(deposit)
    edit(deposit)
    done = subprocess.run(["Rscript", "--vanilla", "check.R"], cwd=deposit, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout.startswith("Nothing was run: SHA256SUMS does not name exactly these files")
    assert not (deposit.parent / "run").exists()


def report_without_member(part: str, member: str) -> str:
    document = json.loads(json.dumps(REPORT))
    node = document["report"][part]
    document["report"][part] = (
        [{}] if isinstance(node, list) else {name: value for name, value in node.items() if name != member}
    )
    return json.dumps(document)


def with_rules(rules: Any) -> str:
    return json.dumps(REPORT | {"report": {**REPORT["report"], "rules": rules}})


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "null", "[]", "7", '{"report": 7}', "[" * 100_000, "\ufeff{}"),
        *(json.dumps(REPORT)[:-9], json.dumps(REPORT | {"format": "candor-report/2"})),
        *map(with_rules, (7, [7], "x", {})),
        *(
            report_without_member("about", "disguised"),
            report_without_member("told", "hidden"),
            report_without_member("shares", ""),
        ),
    ],
    ids=lambda text: text[:12] or "empty",
)
def test_odd_or_cut_report_is_reported_and_nothing_runs(
    check: Check, deposit: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (deposit / "report.json").write_text(text)
    list_files(deposit)
    assert check(deposit) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("A file is odd or cut, most likely report.json: ")
    assert not (deposit.parent / "run").exists()


@pytest.mark.parametrize(
    ("text", "is_too_deep"),
    [
        *(("[" * 101, True), ("[" * 100, False), ('{"a":' * 101, True), ("[{" * 50 + "]", False)),
        *((f'["{"[" * 200}', False), ("[" * 100 + r'"\"[" ]', False), ("[" * 100 + r'"\\" [', True)),
        ("[] " * 101, False),
    ],
)
def test_report_may_be_nested_as_deep_as_other_foreign_json(
    check: Check, deposit: Path, capsys: pytest.CaptureFixture[str], text: str, is_too_deep: bool
) -> None:
    (deposit / "report.json").write_text(text)
    list_files(deposit)
    assert check(deposit) == 1
    assert ("ValueError, it is nested too deeply." in capsys.readouterr().out) is is_too_deep
    with pytest.raises(ValueError, match="nested too deeply" if is_too_deep else "line 1"):
        parse_json(text, "file")


def test_deposit_files_shadow_no_standard_module(deposit: Path) -> None:
    for name in ("json.py", "csv.py", "hashlib.py", "sitecustomize.py"):
        (deposit / name).write_text((deposit / "analysis.py").read_text())
    done = subprocess.run([sys.executable, "check.py"], cwd=deposit, capture_output=True, text=True)
    assert done.stdout.startswith("Nothing was run: csv.py is not in SHA256SUMS, hashlib.py is not")
    assert not (deposit.parent / "run").exists()
    assert {path.name for path in deposit.iterdir()}.isdisjoint({"__pycache__"})


def test_deposited_library_is_reproducible_and_free_of_django() -> None:
    first = library_zip()
    library_zip.cache_clear()
    assert library_zip() == first
    with ZipFile(BytesIO(first)) as archive:
        names = archive.namelist()
        text = "".join(archive.read(name).decode() for name in names)
    assert names == sorted(names)
    assert {name.partition("/")[0] for name in names} == {"deposits", "mining", "privacy"}
    assert {name for name in names if name.startswith("deposits")} == set(BESIDE)
    assert "import django" not in text
    assert "from django" not in text
    modules = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in names}
    imported = set(re.findall(r"^ *from ([\w.]+) import", text, re.MULTILINE))
    assert {module for module in imported if module.partition(".")[0] in ROOMS} <= modules


def test_deposit_requirements_are_the_locked_packages_of_the_library() -> None:
    lines = library_requirements(Path("requirements.lock").read_text()).splitlines()
    named = [line for line in lines if not line.startswith(" ")]
    assert {line.partition("==")[0] for line in named} == set(PACKAGES)
    assert all("==" in line for line in named)
    assert len(lines) > len(named)
    assert all(line.startswith("    --hash=sha256:") for line in lines if line.startswith(" "))


def test_check_script_is_short_enough_to_read() -> None:
    assert len(CHECK.read_text().splitlines()) <= 150
