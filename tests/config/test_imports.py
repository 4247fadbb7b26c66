"""The rooms import one another only as the design says, and the tool that holds this would notice."""

import re
import shutil
import tomllib
from pathlib import Path

import pytest

from tests import servers
from tests.config.conftest import Done, python
from tests.product import ROOMS

LINT = "from importlinter.cli import lint_imports_command as c; c()"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of all rooms; whoever plants something into it removes it again."""
    folder = tmp_path_factory.mktemp("rooms")
    left = shutil.ignore_patterns("__pycache__", "static")
    for room in ROOMS:
        shutil.copytree(servers.ROOT / room, folder / room, ignore=left)
    shutil.copy(servers.ROOT / "pyproject.toml", folder)
    return folder


def lint_with(copy: Path, planted: list[tuple[str, str]]) -> tuple[Done, list[str]]:
    """What the tool says where each of these lines is a new module of its room, and the names of these modules."""
    files = [copy / room / f"planted_{place}.py" for place, (room, _line) in enumerate(planted)]
    try:
        for file, (_room, line) in zip(files, planted, strict=True):
            file.write_text(line + "\n")
        done = python("-c", LINT, "--no-cache", env=servers.environment(PYTHONPATH=str(copy)), folder=copy)
    finally:
        for file in files:
            file.unlink()
    return done, [str(file.relative_to(copy).with_suffix("")).replace("/", ".") for file in files]


LAYERS = "Layers"
PURE = "The mathematics knows no Django"
KINDS = "Kinds know no design, designs no record, and records no mechanism"
STAND = "Life and study of a survey stand on the kinds, and these on what they share"
APART = "The kinds of questions know nothing of one another"
PATH = "The path of a record knows nothing of what is made of records"
REPORTS = "Pages and files of a report are made of what was reviewed"
FINDINGS = "Findings are made of studies, these of estimates, and these of counts"
DOOR = "Records are handed out by one door"
PLANTED = [
    (LAYERS, "jobs", "import surveys"),
    (LAYERS, "accounts", "from jobs import models"),
    (LAYERS, "ui", "import accounts.models"),
    (LAYERS, "privacy", "import surveys"),
    (LAYERS, "privacy", "import ui.cookie_and_log_paths"),
    (LAYERS, "surveys", "from config import settings"),
    (LAYERS, "surveys", "import runs.models"),
    (LAYERS, "surveys", "import intake.models"),
    (LAYERS, "importing", "import intake.models"),
    (LAYERS, "intake", "import importing.candor_format"),
    (LAYERS, "intake", "import runs.models"),
    (FINDINGS, "mining/nodes", "import mining.findings.compute_findings"),
    (LAYERS, "mining", "import papers"),
    (LAYERS, "mining/counting", "import runs"),
    (LAYERS, "runs", "import reports.models"),
    (LAYERS, "releases", "import reports.models"),
    (LAYERS, "reports/review", "import releases.lifecycle.making_job"),
    (PURE, "privacy", "import django"),
    (PURE, "mining/rules", "import django.utils.translation"),
    (KINDS, "privacy/kinds/grouped", "import privacy.records.record"),
    (KINDS, "privacy/designs", "import privacy.records.batch_bit_columns"),
    (KINDS, "privacy/guarantee", "import privacy.anonymity.tables.table"),
    (STAND, "surveys/kinds", "import surveys.lifecycle.opening"),
    (STAND, "surveys/questionnaire", "import surveys.kinds.registry"),
    (APART, "surveys/kinds/place", "import surveys.kinds.number.draft"),
    (REPORTS, "reports/review", "import reports.pages.rule_filter_form"),
    (REPORTS, "reports/exports", "from reports.pages import named_pictures"),
    (REPORTS, "reports/pages", "from reports.exports import file_format_writers"),
    (REPORTS, "reports/kinds/number", "import reports.texts.report_facts"),
    (REPORTS, "reports/pictures", "import reports.review.report_page_data"),
    (DOOR, "runs", "from intake.batches import sealed_batch_reader"),
    (DOOR, "reports/review", "import intake.batches.sealed_batch_reader"),
    (DOOR, "releases", "from intake.batches.sealed_batch_reader import read_batches_until_most"),
    (DOOR, "intake/recordfiles", "from intake.batches import sealed_batch_reader"),
    (PATH, "intake/endpoint", "import intake.rehearsal.models"),
    (PATH, "intake/invitations", "import intake.recordfiles.record_file_rows"),
]


def broken_contracts(done: Done) -> set[str]:
    return set(re.findall(r"^(.+) BROKEN", done.stdout, re.MULTILINE))


def test_every_import_contract_has_a_planted_violation() -> None:
    tool = tomllib.loads((servers.ROOT / "pyproject.toml").read_text())["tool"]
    contracts = tool["importlinter"]["contracts"]
    assert {contract["name"] for contract in contracts} == {name for name, _, _ in PLANTED}


@pytest.mark.night
@pytest.mark.page
@pytest.mark.parametrize("contract", dict.fromkeys(name for name, _, _ in PLANTED))
def test_planted_import_violations_are_found(copy: Path, contract: str) -> None:
    """Nothing imports what is planted, so one wrong import leads to no other."""
    planted = [(room, line) for name, room, line in PLANTED if name == contract]
    done, modules = lint_with(copy, planted)
    assert done.returncode == 1
    assert broken_contracts(done) == {contract}
    assert [name for name in modules if f"{name} -> " not in done.stdout] == []


@pytest.mark.night
@pytest.mark.page
def test_new_reports_folder_needs_a_layer(copy: Path) -> None:
    assert broken_contracts(lint_with(copy, [("reports", "import reports.models")])[0]) == {REPORTS}


@pytest.mark.page
def test_allowed_imports_pass(copy: Path) -> None:
    allowed = [
        ("jobs", "import accounts.models"),
        ("intake/rehearsal", "import intake.invitations.tokens"),
        ("papers", "import intake.models, reports.models"),
        ("runs", "import intake.models, mining.rules.rules_from_frequent_itemsets"),
        ("releases", "import intake.models, privacy.anonymity.tables.table"),
    ]
    done, _modules = lint_with(copy, allowed)
    assert done.returncode == 0, done.stdout
