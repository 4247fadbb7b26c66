"""The rows of the desk: a sentence without its ratio; the interval and truth of one direction; one scale for all."""

from dataclasses import replace

import pytest

from mining.report.report_nodes import Rule
from reports.pages.reviewer_rule_rows import ReviewerRuleRow, reviewer_rule_rows
from reports.sentences.sentence_parts import as_text
from tests.reports.made_nodes import DASH, SPACE, about, labels_in, rule, weak


def rows(*rules: Rule) -> list[ReviewerRuleRow]:
    found, _scale = reviewer_rule_rows([(one, "") for one in rules], labels_in(), about())
    return list(found)


def test_the_ratio_stands_beside_the_sentence() -> None:
    (row,) = rows(rule())
    text = as_text(row.sentence).replace(DASH, "–").replace(SPACE, " ")
    assert "54 % (49–59)" in text
    assert "38 % did" in text
    assert "times" not in text


def test_the_interval_is_of_the_direction_that_is_said() -> None:
    strong = rule()
    (row,) = rows(strong)
    (drawn,) = row.intervals
    assert (drawn.low, drawn.estimate, drawn.high) == (
        strong.confidence_low_listed,
        strong.confidence,
        strong.confidence_high_listed,
    )
    assert (drawn.base, drawn.state) == (strong.consequent_support, "filled")


@pytest.mark.parametrize(("said", "truth"), [("rule", 0.52), ("converse", 0.71)])
def test_the_diamond_is_of_the_direction_that_is_said(said: str, truth: float) -> None:
    (row,) = rows(replace(rule(), truth=0.52, truth_converse=0.71, said=said))
    assert row.intervals[0].truth == truth


def test_a_pair_that_shows_nothing_is_hollow_and_says_what_the_design_can_find() -> None:
    (row,) = rows(weak())
    assert row.intervals[0].state == "hollow"
    assert row.finding.power


def test_an_impossible_estimate_is_not_drawn_and_the_scale_holds_all_others() -> None:
    far = rule(confidence=0.93, confidence_low_listed=0.88, confidence_high_listed=0.97)
    impossible = rule(confidence=1.2, confidence_low_listed=0.7, confidence_high_listed=1.0)
    found, scale = reviewer_rule_rows([(one, "") for one in (far, impossible, rule())], labels_in(), about())
    assert [len(row.intervals) for row in found] == [1, 0, 1]
    assert scale.end >= 0.97
