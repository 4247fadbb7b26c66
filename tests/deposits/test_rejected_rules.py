"""The deposit of a report without the first rule and some in the middle, which a reviewer rejected, passes its own
checks; a changed number of a rule is named."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from django.test import Client

from accounts.models import Person
from mining.parameters import Parameters
from privacy.designs import Design
from reports.models import Review
from reports.review import differencing_check, report_state_changes
from reports.review.rule_decisions import Verdict, rules_with_verdicts
from surveys.lifecycle import reviewer_approvals
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.deposits.conftest import FORM, files_of, list_files
from tests.deposits.test_check import Check, check
from tests.reports.conftest import decide
from tests.runs import sealed
from tests.surveys.conftest import NOW

__all__ = ["check"]
pytestmark = [pytest.mark.page, pytest.mark.django_db]
WANTED = Parameters(min_support=0.02, min_confidence=0.6, max_size=3)
REJECTED = (1, 5, 6)
"""Longer rules fold beneath rule 1, and others beneath rule 2, which is published as rule 1."""
THEFT, LIE, SICK, TIRED = range(1, 5)


def people_with_two_associations(design: Design, rng: np.random.Generator) -> sealed.People:
    """600 people, disguised; two pairs of answers go together, so longer rules fold beneath their rules."""
    true = rng.integers(0, 2, (len(design.questions), 600)).astype(np.uint8)
    true[LIE] = np.where(rng.random(600) < 0.9, true[THEFT], true[LIE])
    true[TIRED] = np.where(rng.random(600) < 0.7, true[SICK], true[TIRED])
    return np.ones(600, np.uint8), true


@pytest.fixture
def deposit(owner: Person, reviewer: Person, signed_in_as: As, tmp_path: Path) -> Path:
    """With records, and all rules but the rejected."""
    survey = sealed.survey(owner, sealed.small_design(), [])
    sealed.seal_people(survey, people_with_two_associations)
    run = sealed.mine_sealed(sealed.finish_survey(survey), owner, WANTED)
    report_state_changes.create_reviews_of_finished_runs(NOW)
    review = Review.objects.get(run=run)
    numbers = [place + 1 for place in rules_with_verdicts(run).values_list("place", flat=True)]
    decide(review, reviewer, Verdict.REJECT, *REJECTED)
    decide(review, reviewer, Verdict.ACCEPT, *(number for number in numbers if number not in REJECTED))
    return deposit_with_records(review, reviewer, signed_in_as(owner), tmp_path / "deposit")


def deposit_with_records(review: Review, reviewer: Person, of_owner: Client, folder: Path) -> Path:
    report_state_changes.publish(review, reviewer, ["age"], "https://x", NOW)
    survey = review.survey
    for matter in ("records", "deposit"):
        reviewer_approvals.decide_approval(
            survey, reviewer, matter, survey.design_id or "", allow=True, reason="", now=NOW
        )
    answer = of_owner.post(f"/app/reports/{review.pk}/deposit", FORM | {"records": "on"})
    for name, content in files_of(answer).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def rules_of(deposit: Path) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = json.loads((deposit / "report.json").read_text())["report"]["rules"]
    return rules


def change_rule(deposit: Path, index: int, **values: Any) -> None:
    document = json.loads((deposit / "report.json").read_text())
    document["report"]["rules"][index] |= values
    (deposit / "report.json").write_text(json.dumps(document))
    list_files(deposit)


def test_deposit_with_rejected_rules_passes_its_python_check(
    check: Check, deposit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = rules_of(deposit)
    assert [rule["number"] for rule in rules] == [*range(1, len(rules) + 1)]
    assert {rule["under"] for rule in rules} == {None, 1}
    assert check(deposit) == 0, capsys.readouterr().out


@pytest.mark.parametrize("change", [{"number": 99}, {"under": 1}])
def test_changed_number_of_a_published_rule_is_named(
    check: Check, deposit: Path, capsys: pytest.CaptureFixture[str], change: dict[str, int]
) -> None:
    index = next(index for index, rule in enumerate(rules_of(deposit)) if index and rule["under"] is None)

    change_rule(deposit, index, **change)
    assert check(deposit) == 1
    (wrong,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("WRONG"))
    (name,) = change
    assert wrong.startswith(f"WRONG: report.rules.{index}.{name} is ")


@pytest.mark.server
def test_deposit_with_rejected_rules_passes_its_r_check(deposit: Path) -> None:
    done = subprocess.run(
        ["Rscript", "check.R"], cwd=deposit, env=dict(os.environ), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_deposit_with_a_withheld_plan_result_passes(
    check: Check,
    owner: Person,
    reviewer: Person,
    signed_in_as: As,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Holm's correction of the others counts it as p = 1."""

    def refuse(*_args: object) -> NoReturn:
        raise NotAllowed("Few people differ.")

    monkeypatch.setattr(differencing_check, "_refuse_differencing_pairs", refuse)
    survey = sealed.study_survey(owner, sealed.study(plan=sealed.PLAN), [600])
    run = sealed.mine_sealed(survey, owner)
    report_state_changes.create_reviews_of_finished_runs(NOW)
    review = Review.objects.get(run=run)
    deposit = deposit_with_records(review, reviewer, signed_in_as(owner), tmp_path / "deposit")
    plan = json.loads((deposit / "report.json").read_text())["report"]["study"]["plan"]
    assert [one["name"] for one in plan["hypotheses"] if one.get("withheld")] == ["older people steal"]
    assert check(deposit) == 0, capsys.readouterr().out
