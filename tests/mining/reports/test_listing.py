from typing import Any

import pytest

from mining.models import Rule, Run
from mining.reports.deciding import decide, with_verdicts
from mining.reports.listing import RuleFilter
from mining.reports.models import Decision, Review
from mining.reports.naming import Naming
from people.models import Person
from tests.mining.reports import made
from tests.surveys.conftest import NOW


def listed(run: Run, **wanted: Any) -> list[int]:
    """The numbers of the rules that this address lists, in its order."""
    form = RuleFilter(
        Naming(made.design()), 0.5, {key: str(value) for key, value in wanted.items()}, verdicts=True
    )
    return [row.place + 1 for row in form.sorted(form.chosen(with_verdicts(run)))]


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ({}, [1, 2, 4, 3]),
        ({"item": made.THEFT}, [1, 2]),
        ({"item": made.CASH}, [4, 3]),
        ({"item": made.OLD}, []),
        ({"support": 18}, [1, 2]),
        ({"support": 18.1}, []),
        ({"confidence": 55}, [1, 4, 3]),
        ({"lift": 1}, [1, 2]),
        ({"q": 0.02}, [1, 2]),
        ({"q": 0.4}, [1, 2, 4]),
        ({"certain": "yes"}, [1]),
        ({"certain": "no"}, [2, 4, 3]),
        ({"item": made.LATE, "confidence": 50, "q": 1}, [1, 4]),
        ({"verdict": "undecided"}, [1, 2, 4, 3]),
        ({"verdict": "accept"}, []),
    ],
)
def test_a_filter_lists_the_rules_that_fit(run: Run, wanted: dict[str, Any], numbers: list[int]) -> None:
    assert listed(run, **wanted) == numbers


@pytest.mark.parametrize(
    ("sort", "numbers"),
    [
        ("q", [1, 2, 4, 3]),
        ("-q", [4, 2, 1, 3]),
        ("confidence", [2, 4, 1, 3]),
        ("-confidence", [3, 1, 4, 2]),
        ("-lift", [1, 2, 3, 4]),
        ("lift", [3, 4, 1, 2]),
        ("-support", [1, 2, 3, 4]),
        ("-number", [4, 3, 2, 1]),
        ("place", [1, 2, 4, 3]),
        ("--q", [1, 2, 4, 3]),
    ],
)
def test_rules_are_sorted_and_what_cannot_be_estimated_comes_last(
    run: Run, sort: str, numbers: list[int]
) -> None:
    assert listed(run, sort=sort) == numbers


@pytest.mark.parametrize(
    "nonsense", [{"support": "much"}, {"q": "nan"}, {"item": "999"}, {"certain": "perhaps"}, {"verdict": "x"}]
)
def test_a_filter_that_makes_no_sense_is_left_out_and_its_field_says_so(
    run: Run, nonsense: dict[str, Any]
) -> None:
    assert len(listed(run, **nonsense)) == 4
    form = RuleFilter(Naming(made.design()), 0.5, nonsense, verdicts=True)
    form.chosen(Rule.objects.all())
    assert list(form.errors) == list(nonsense)


def test_the_last_verdict_is_what_is_filtered_by(review: Review, reviewer: Person) -> None:
    rules = with_verdicts(review.run).filter(place__in=[0, 1])
    for verdict in (Decision.Verdict.REJECT, Decision.Verdict.ACCEPT):
        decide(review, reviewer, rules, verdict, "", NOW)
    assert listed(review.run, verdict="accept") == [1, 2]
    assert listed(review.run, verdict="reject") == []
    assert listed(review.run, verdict="undecided") == [4, 3]


def test_readers_are_not_offered_a_filter_by_decisions() -> None:
    form = RuleFilter(Naming(made.design()), 0.5, {"verdict": "reject"}, verdicts=False)
    assert "verdict" not in form.fields
