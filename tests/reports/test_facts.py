"""The first sentence of a report: whose records its estimates are from."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from mining.disclosure.attacker import AttackResult, SmallestCount
from reports.answer_labels import Labels
from reports.review.attack_result_texts import smallest_count_text
from reports.texts.report_facts import estimator_error_facts, records_used_text
from tests.reports.test_pictures import ABOUT
from tests.runs.sealed import plain, section, written

BOTH = "From 3,000 people who chose disguise and 1,000 who did not."


def test_a_report_says_whose_answers_it_is_from() -> None:
    nobody = {"disguised": 3_000, "n_open": 0, "rehearsal": False, "disguised_only": False}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"disguised_only": True}, "From 3,000 people who chose disguise. People who chose none are counted"),
        (
            {"disguised_only": True, "finished": True},
            "From 3,000 people who chose disguise. Too few others saw",
        ),
        ({"finished": True}, "From 3,000 people."),
        ({"finished": True, "n_open": 1_000}, BOTH),
        (
            {"finished": True, "n_open": 1_000, "left_out": 52},
            f"{BOTH} 52 people who chose no disguise are left out:",
        ),
        (
            {"finished": True, "n_open": 1_000, "rehearsal": True},
            f"{BOTH} Until the real survey is finished, its reports will show those who chose disguise alone.",
        ),
    ]
    for of, said in cases:
        assert records_used_text(replace(ABOUT, **{**nobody, **of})).startswith(said), of


@pytest.mark.parametrize(("first", "batches"), [(1, "in batches 1 to 2"), (2, "in batch 2")])
def test_the_smallest_count_is_said_with_its_batches(first: int, batches: str) -> None:
    labels = Labels(written(plain("where", "a", "b"), section("theft")).mined, "en")
    found = AttackResult(SmallestCount(14, "disguised", ((0, 1),), first, 2))
    assert smallest_count_text(found, labels) == f"14 (Where: b), of people who chose disguise, {batches}"


@pytest.mark.parametrize(
    ("rehearsal", "n_open", "facts"), [(True, 1_000, 1), (False, 1_000, 0), (True, 0, 0)]
)
def test_a_rehearsal_with_open_records_says_both_errors(rehearsal: bool, n_open: int, facts: int) -> None:
    about = replace(ABOUT, disguised=3_000, n_open=n_open, rehearsal=rehearsal)
    report: Any = SimpleNamespace(about=about, design=written(plain("where", "a", "b"), section("theft")))
    found = estimator_error_facts(report)
    assert len(found) == facts
    assert all(" by “stratified” and " in fact.value for fact in found)
