"""Deposits of small odd reports pass their own check, and a deposit that was tampered with is named."""

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from accounts.models import RESEARCHERS, REVIEWERS
from tests.cast import with_role
from tests.deposits.conftest import FORM, files_of, list_files
from tests.deposits.test_check import Check, check
from tests.jobs.conftest import broker
from tests.zoo.survey_collection import TestSurvey

__all__ = ["broker", "check"]
pytestmark = [pytest.mark.server, pytest.mark.django_db]
ODD = (
    "open_and_disguised",
    "arms_with_plan",
    "rules_hide",
    "number_nine_cuts",
    "several_of_many",
    "plain_only",
)
NOTHING_WRONG = "numbers recomputed and equal: nothing that could be checked is wrong"


def deposit_of(name: str, folder: Path) -> Path:
    owner, reviewer = with_role(RESEARCHERS, "owner"), with_role(REVIEWERS, "reviewer")
    of = TestSurvey(name).publish(owner, reviewer)
    answer = of.owner_client.post(f"/app/reports/{of.review.pk}/deposit", FORM | {"records": "on"})
    for path, content in files_of(answer).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def run_check(folder: Path, check: Check) -> tuple[int, list[str]]:
    with redirect_stdout(StringIO()) as said:
        status = check(folder)
    return status, said.getvalue().splitlines()


def checked_by_r(folder: Path) -> tuple[int, list[str]]:
    done = subprocess.run(
        ["Rscript", "--vanilla", "check.R"], cwd=folder, capture_output=True, text=True, timeout=120
    )
    return done.returncode, [line.strip() for line in done.stdout.splitlines()]


@pytest.mark.at_push(1)
@pytest.mark.parametrize("name", ODD)
def test_deposit_of_an_odd_report_passes_its_check_in_python_and_r(
    name: str, broker: Path, tmp_path: Path, check: Check
) -> None:
    folder = deposit_of(name, tmp_path / "deposit")
    assert (folder / "records.csv").is_file()
    for status, lines in (run_check(folder, check), checked_by_r(folder)):
        assert status == 0, "\n".join(lines)
        equal, of, every, rest = lines[-1].split(maxsplit=3)
        assert (of, rest) == ("of", NOTHING_WRONG)
        assert 0 < int(equal) <= int(every)


Edit = Callable[[Any], object]
TAMPERED: dict[str, tuple[Edit, str]] = {
    "a share": (lambda report: report["shares"][0].update(support=0.9), "report.shares.0.support"),
    "an interval": (lambda report: report["shares"][0].update(low=0.01), "report.shares.0.low"),
    "people asked": (lambda report: report["shares"][1].update(n_asked=7), "report.shares.1.n_asked"),
    "an itemset": (lambda report: report["itemsets"][0].update(support=0.9), "report.itemsets.0.support"),
    "an expected error": (
        lambda report: report["itemsets"][0].update(expected_w=0.5),
        "itemsets.0.expected_w",
    ),
    "a confidence": (lambda report: report["rules"][0].update(confidence=0.05), "report.rules.0.confidence"),
    "a lift": (lambda report: report["rules"][0].update(lift=9.99), "report.rules.0.lift"),
    "an interval of a lift": (
        lambda report: report["rules"][0].update(lift_low=9),
        "report.rules.0.lift_low",
    ),
    "a p": (lambda report: report["rules"][0].update(p=0.5), "report.rules.0.p"),
    "a rule's base": (lambda report: report["rules"][0].update(n_shown_all=33), "report.rules.0.n_shown_all"),
    "an invented rule": (
        lambda report: report["rules"].append({**report["rules"][0], "consequent": ["invented=yes"]}),
        "report.rules.",
    ),
}


@pytest.mark.night
def test_tampered_deposit_part_is_named(broker: Path, tmp_path: Path, check: Check) -> None:
    """Somebody who changes a number and knows of the list of files writes that anew."""
    folder = deposit_of("open_and_disguised", tmp_path / "deposit")
    honest = (folder / "report.json").read_text()
    for kind, (edit, named) in TAMPERED.items():
        document = json.loads(honest)
        edit(document["report"])
        (folder / "report.json").write_text(json.dumps(document))
        status, lines = run_check(folder, check)
        assert (status, lines) == (1, ["Nothing was run: report.json has another SHA-256."]), kind
        list_files(folder)
        status, lines = run_check(folder, check)
        assert (status, lines[-1].endswith(" WRONG")) == (1, True), kind
        assert any(named in line for line in lines if line.startswith("WRONG: ")), (kind, lines)


def test_check_without_packages_verifies_files_and_names_what_it_skipped(
    broker: Path, tmp_path: Path
) -> None:
    """By a Python that finds its own library alone."""
    folder = deposit_of("plain_only", tmp_path / "deposit")
    words = [sys.executable, "-I", "-S", "check.py"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)
    lines = done.stdout.splitlines()
    assert done.returncode == 1, done.stderr
    assert lines[0] == "All files are as SHA256SUMS lists them."
    assert (
        "Not recomputed, 0 of all numbers of report.json: a package is missing (No module named 'numpy')."
        in lines
    )
    (folder / "codebook.xml").write_text("")
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.stdout == "Nothing was run: codebook.xml has another SHA-256.\n"
