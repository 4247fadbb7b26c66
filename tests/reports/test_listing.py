from typing import Any

import pytest

from people.models import Person
from reports.deciding import decide, with_verdicts
from reports.listing import RuleFilter
from reports.models import Decision, Review
from reports.naming import Naming
from runs.models import Itemset, Rule, Run
from tests.reports import made
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def listed(run: Run, **wanted: Any) -> list[int]:
    """The numbers of the rules that this address lists, in its order."""
    form = RuleFilter(
        Naming(made.design()), {key: str(value) for key, value in wanted.items()}, verdicts=True
    )
    return [row.place + 1 for row in form.sorted(form.chosen(with_verdicts(run)))]


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ({}, [1, 2, 3, 4]),
        ({"item": made.THEFT}, [1, 2]),
        ({"item": made.CASH}, [3, 4]),
        ({"item": made.OLD}, []),
        ({"support": 18}, [1, 2]),
        ({"support": 18.1}, []),
        ({"confidence": 55}, [1, 3, 4]),
        ({"lift": 1}, [1, 2]),
        ({"q": 0.02}, [1, 2]),
        ({"q": 0.4}, [1, 2, 4]),
        ({"holds": "yes"}, [1]),
        ({"holds": "no"}, [2, 3, 4]),
        ({"item": made.LATE, "confidence": 50, "q": 1}, [1, 4]),
        ({"verdict": "undecided"}, [1, 2, 3, 4]),
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
        ("-confidence", [1, 4, 2, 3]),
        ("-lift", [1, 2, 3, 4]),
        ("lift", [1, 2, 3, 4]),
        ("-support", [1, 2, 3, 4]),
        ("-number", [4, 3, 2, 1]),
        ("place", [1, 2, 3, 4]),
        ("--q", [1, 2, 3, 4]),
    ],
)
def test_rules_are_sorted_and_what_has_no_lower_end_comes_last(
    run: Run, sort: str, numbers: list[int]
) -> None:
    """By lower ends after the search: of confidence .55, .3, none and .46, of lift 1.35, 1.35, none and none."""
    assert listed(run, sort=sort) == numbers


def more(run: Run, place: int, **values: Any) -> None:
    """One more rule, like the first but for these values."""
    kept = list(Itemset.objects.filter(run=run).order_by("place"))
    row = made.rule(run, place, kept, **made.RULES[0])
    for name, value in values.items():
        setattr(row, name, value)
    Rule.objects.bulk_create([row])


def test_a_list_is_sorted_by_the_lower_end_after_the_search_and_not_by_the_estimate(run: Run) -> None:
    more(run, 4, lift=9.0, lift_low=2.0, lift_low_after=1.1)
    more(run, 5, lift=1.7, lift_low=1.6, lift_low_after=1.5)
    assert listed(run) == [6, 1, 2, 5, 3, 4]
    more(run, 6, confidence=0.99, confidence_low=0.7, confidence_low_after=0.31)
    assert listed(run, sort="-confidence")[-3:] == [7, 2, 3]


def test_of_equal_lower_ends_the_estimate_decides_and_of_none_too(run: Run) -> None:
    more(run, 4, lift=1.9, lift_low_after=1.35)
    more(run, 5, lift=0.7, lift_low_after=None)
    assert listed(run) == [5, 1, 2, 6, 3, 4]


@pytest.mark.parametrize(
    "nonsense", [{"support": "much"}, {"q": "nan"}, {"item": "999"}, {"holds": "perhaps"}, {"verdict": "x"}]
)
def test_a_filter_that_makes_no_sense_is_left_out_and_its_field_says_so(
    run: Run, nonsense: dict[str, Any]
) -> None:
    assert len(listed(run, **nonsense)) == 4
    form = RuleFilter(Naming(made.design()), nonsense, verdicts=True)
    form.chosen(Rule.objects.all())
    assert list(form.errors) == list(nonsense)


def test_the_last_verdict_is_what_is_filtered_by(review: Review, reviewer: Person) -> None:
    rules = with_verdicts(review.run).filter(place__in=[0, 1])
    for verdict in (Decision.Verdict.REJECT, Decision.Verdict.ACCEPT):
        decide(review, reviewer, rules, verdict, "", NOW)
    assert listed(review.run, verdict="accept") == [1, 2]
    assert listed(review.run, verdict="reject") == []
    assert listed(review.run, verdict="undecided") == [3, 4]


def test_readers_are_not_offered_a_filter_by_decisions() -> None:
    form = RuleFilter(Naming(made.design()), {"verdict": "reject"}, verdicts=False)
    assert "verdict" not in form.fields
