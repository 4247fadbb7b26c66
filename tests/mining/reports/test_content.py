import json
from dataclasses import replace

import pytest

from mining.models import Run
from mining.reports import gathering
from mining.reports.content import Content, LeftOut, as_json, from_json, outside
from mining.reports.deciding import with_verdicts
from mining.reports.naming import Naming
from people.models import Person
from surveys.intake import truth
from surveys.models import Survey
from tests.mining.reports import made


@pytest.mark.parametrize(
    ("share", "is_noise"),
    [
        (0.0, False),
        (1.0, False),
        (None, False),
        (-0.0004, False),
        (-0.0006, True),
        (1.0004, False),
        (1.0006, True),
    ],
)
def test_noise_is_what_no_share_can_be(share: float | None, is_noise: bool) -> None:
    assert outside(share) is is_noise


def whole(run: Run) -> Content:
    """With the itemsets."""
    naming = Naming(run.content)
    true = gathering.true_shares(run, naming)
    rows = run.itemsets.order_by("place")
    itemsets = tuple(gathering.itemsets(rows, run, naming, true))
    return replace(gathering.whole(run, naming, true), itemsets=itemsets)


def test_a_report_comes_back_whole_from_json(run: Run) -> None:
    found = whole(run)
    rules = gathering.rules(
        with_verdicts(run).select_related("itemset"),
        found.about,
        Naming(run.content),
        lambda names: 0.5,
        {0: 0.8},
    )
    content = replace(found, rules=tuple(rules), left_out=LeftOut(1, 2, 3))
    assert from_json(json.loads(json.dumps(as_json(content), allow_nan=False))) == content


def test_another_format_is_refused(run: Run) -> None:
    with pytest.raises(ValueError, match="candor-report/1"):
        from_json({**as_json(whole(run)), "format": "candor-report/2"})


def test_a_run_is_read_with_its_numbers_by_name(run: Run) -> None:
    found = whole(run)
    theft = next(share for share in found.shares if share.items == ("theft=yes",))
    assert (theft.support, theft.low, theft.high, theft.base, theft.opened) == (0.25, 0.21, 0.29, 1000, 200)
    assert (theft.forged_low, theft.forged_high) == (0.1, 0.5)
    assert [one.items for one in found.itemsets][2] == ("theft=yes", "late=yes")
    assert found.pairs[1].items == ("late=yes", "cash=yes")
    assert found.pairs[1].may_be_chance
    assert not found.pairs[0].may_be_chance
    assert (found.about.k, found.about.records, found.about.through) == (0.2, 1000, 2)
    assert [row.item for row in found.compared] == ["theft=yes", "late=yes"]


def test_a_rule_is_certain_where_both_lower_ends_reach_what_was_asked(run: Run) -> None:
    found = whole(run)
    rows = with_verdicts(run).select_related("itemset").order_by("place")
    rules = gathering.rules(rows, found.about, Naming(run.content), lambda names: None, {})
    assert [rule.certain for rule in rules] == [True, False, False, False]
    assert (rules[0].support_low, rules[0].support_high) == (0.14, 0.22)


def test_a_run_from_before_a_finding_was_made_is_still_read(survey: Survey) -> None:
    found = whole(made.run(survey, findings={}))
    assert (found.shares, found.groups, found.pairs, found.compared) == ((), (), (), ())


def test_a_rehearsal_brings_the_truth_beside_the_estimates(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = {((0, 0),): 400, ((1, 1),): 240, ((2, 1),): 410, ((1, 1), (2, 1)): 120, ((0, 0), (1, 1)): 100}
    monkeypatch.setattr(truth, "read", lambda survey: truth.Known(1000, counts))
    run = made.run(made.survey(owner, rehearsal=True))
    found = whole(run)
    by_name = {share.items: share.truth for share in [*found.shares, *found.itemsets]}
    assert by_name["theft=yes",] == 0.24
    assert by_name["theft=yes", "late=yes"] == 0.12
    assert by_name["cash=yes",] is None
    assert found.groups[0].rows[0].cells[0].truth == 0.25
    row = with_verdicts(run).select_related("itemset").get(place=0)
    (rule,) = gathering.rules(
        [row],
        found.about,
        Naming(run.content),
        gathering.true_shares(run, Naming(run.content)),
        {},
    )
    assert rule.truth == 0.5


def test_a_survey_that_is_no_rehearsal_has_no_truth(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(truth, "read", lambda survey: truth.Known(1000, {((1, 1),): 240}))
    assert not whole(run).knows_truth
