from typing import Any

import pytest

from accounts.models import Person
from reports.answer_labels import Labels
from reports.models import Decision, Review
from reports.pages.rule_filter import RuleFilter
from reports.review.rule_decisions import decide_rules, rules_with_verdicts
from runs.models import Rule, Run
from tests.reports import made
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def listed(run: Run, **wanted: Any) -> list[int]:
    """The numbers of the rules that this address lists, in its order."""
    form = RuleFilter(
        Labels(made.design()), {key: str(value) for key, value in wanted.items()}, verdicts=True
    )
    return [row.place + 1 for row in form.filter_rules(rules_with_verdicts(run)).order_by("place")]


@pytest.mark.at_push(3)
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
        ({"association": "shown"}, [1, 2]),
        ({"association": "more"}, [1, 2]),
        ({"association": "less"}, []),
        ({"association": "none"}, [3, 4]),
        ({"item": made.LATE, "confidence": 50, "association": "none"}, [3, 4]),
        ({"verdict": "undecided"}, [1, 2, 3, 4]),
        ({"verdict": "accept"}, []),
    ],
)
def test_a_filter_lists_the_rules_that_fit(run: Run, wanted: dict[str, Any], numbers: list[int]) -> None:
    assert listed(run, **wanted) == numbers


@pytest.mark.parametrize(
    "nonsense",
    [{"support": "much"}, {"lift": "nan"}, {"item": "999"}, {"association": "perhaps"}, {"verdict": "x"}],
)
def test_a_filter_that_makes_no_sense_is_left_out_and_its_field_says_so(
    run: Run, nonsense: dict[str, Any]
) -> None:
    assert len(listed(run, **nonsense)) == 4
    form = RuleFilter(Labels(made.design()), nonsense, verdicts=True)
    form.filter_rules(Rule.objects.all())
    assert list(form.errors) == list(nonsense)


def test_the_last_verdict_is_what_is_filtered_by(review: Review, reviewer: Person) -> None:
    rules = rules_with_verdicts(review.run).filter(place__in=[0, 1])
    for verdict in (Decision.Verdict.REJECT, Decision.Verdict.ACCEPT):
        decide_rules(review, reviewer, rules, verdict, "", NOW)
    assert listed(review.run, verdict="accept") == [1, 2]
    assert listed(review.run, verdict="reject") == []
    assert listed(review.run, verdict="undecided") == [3, 4]


def test_readers_are_not_offered_a_filter_by_decisions() -> None:
    form = RuleFilter(Labels(made.design()), {"verdict": "reject"}, verdicts=False)
    assert "verdict" not in form.fields
