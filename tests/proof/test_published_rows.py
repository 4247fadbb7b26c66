"""The proof computes the published rows anew from the sealed records, and says what is not as it was checked."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.db import connection

from accounts.models import RESEARCHERS, REVIEWERS
from proof.checks.stored_data import check_published_rows, compare_published_rows
from proof.outcome import Outcome, Result
from proof.proof_context import ProofContext
from reports.review.report_page_data import ReportPage
from runs import run_start
from runs.models import Itemset, Rule
from surveys.models import Survey
from tests.cast import with_role
from tests.jobs.conftest import broker
from tests.zoo.survey_collection import PublishedSurvey, TestSurvey

__all__ = ["broker"]
pytestmark = [pytest.mark.proof, pytest.mark.django_db]
NAME = "open_and_disguised"


def publish_test_survey() -> PublishedSurvey:
    return TestSurvey(NAME).publish(with_role(RESEARCHERS, "owner"), with_role(REVIEWERS, "reviewer"))


def prove_rows(survey: Survey) -> Outcome:
    return check_published_rows(cast("ProofContext", SimpleNamespace(survey=survey)))


def plant_wrong_value(model: type[Any], column: str, value: float) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f'UPDATE "{model._meta.db_table}" SET "{column}" = %s', [value])


def test_published_rows_are_recomputed_and_any_change_reported(broker: Path) -> None:
    of = publish_test_survey()
    outcome = prove_rows(of.survey)
    assert (outcome.result, "Checked. " in outcome.seen) == (Result.HELD, True), outcome.seen
    compared = compare_published_rows(ReportPage(of.review, whole=False))
    report = of.json
    assert (compared.itemsets, compared.rules) == (len(report["itemsets"]), len(report["rules"]))
    assert compared.rules > 3
    plant_wrong_value(Rule, "lift_low", 9.0)
    outcome = prove_rows(of.survey)
    assert (outcome.result, "Changed since it was checked" in outcome.seen) == (Result.FAILED, True)


def test_wrong_published_numbers_are_found_without_a_check(
    broker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = run_start.start_mining_run

    def without_check(*args: Any) -> Any:
        return start(*args, mlxtend="never")

    monkeypatch.setattr(run_start, "start_mining_run", without_check)
    publish = ReportPage.published_content_with_rules.func  # type: ignore[attr-defined]
    of = publish_test_survey()
    assert prove_rows(of.survey).result == Result.UNCHECKED
    rows = Itemset.objects.filter(run=of.review.run)
    assert rows.exists()

    def publish_wrong_number(report: ReportPage) -> Any:
        content = publish(report)
        (first, *others) = content.itemsets
        return content.__class__(
            **{**vars(content), "itemsets": (first.__class__(**{**vars(first), "support": 0.9}), *others)}
        )

    monkeypatch.setattr(ReportPage, "published_content_with_rules", property(publish_wrong_number))
    outcome = prove_rows(of.survey)
    assert (outcome.result, "numbers that differ: 1" in outcome.seen) == (Result.FAILED, True), outcome.seen
