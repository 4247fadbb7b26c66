"""No sentence and no page states an estimate beyond its range, or outside of its own interval, as noise can make it."""

from typing import Any

import pytest
from django.template.loader import render_to_string

from mining.nodes.number_nodes import MeanEstimate, NumberEstimates, NumberNode
from mining.nodes.report_nodes import Cell, ClassDifference, Estimate, GroupRow, GroupTable
from mining.nodes.study_nodes import HypothesisResult
from mining.studies.group_comparisons import strongest_class_differences
from reports import estimate_texts
from reports.answer_labels import Labels
from reports.kinds.number import mean_and_quantile_texts
from reports.kinds.number.shown_number import ShownNumber
from reports.pages.row_evidence import share_evidence
from reports.pictures.picture import PictureColumn
from reports.review.question_shares import QuestionShares
from reports.sentences.association_pairs import smallest_detectable_difference
from reports.sentences.finding import MeasuredValue
from reports.sentences.first_finding_sentences import headline_findings
from reports.sentences.hypotheses import hypothesis_finding
from reports.sentences.shares import class_difference_finding
from reports.templatetags.reports import cell as cell_text
from reports.texts.hypothesis_texts import hypothesis_estimate
from tests.reports import made_nodes
from tests.reports.made_nodes import labels_in, report, rule
from tests.reports.sentences.test_fixed_sentences import sentence_text

CLASSES = ("age=18-39", "age=40+", "age=60+")
KEEP, CHANCE = 0.2, 0.4
"""A received share of .4 estimates 0, one of .6 estimates 1."""


def cell(n: int, having: int) -> Cell:
    """A class of n disguised records, so many of which sent the answer."""
    share = (having / n - CHANCE) / KEEP
    return Cell(n, share, 0.0, 1.0, received=(0, n, 0, having, KEEP, CHANCE))


def table_of(*cells: Cell, front: ClassDifference | None = None) -> GroupTable:
    row = GroupRow("theft=yes", cells, 0.1, 1e-5, 0.05, 0.15, 100, front)
    return GroupTable("age", CLASSES[: len(cells)], (row,), part=0.05)


def test_surest_class_with_a_possible_difference_is_chosen() -> None:
    """42 of 60 estimate 1.5; less the .1 of all others that is 1.4, with the smallest p."""
    (front,) = strongest_class_differences(table_of(cell(60, 42), cell(4000, 1600), cell(4000, 1760)))
    assert front
    assert front.of_class == "age=40+"
    # (1600/4000 - 1802/4060) / .2
    assert front.difference == pytest.approx(-0.21921, abs=1e-5)
    assert front.low < front.difference < front.high < 0


def test_impossible_class_differences_give_no_finding() -> None:
    """Of two classes both differences are 1.4, one with a minus."""
    assert strongest_class_differences(table_of(cell(60, 42), cell(4000, 1680))) == [None]


def test_the_limit_of_the_front_is_divided_by_the_classes_that_could_be_chosen() -> None:
    """540 and two times 500 of 1,000 give p .039, 560 and two times 500 give .0019: of .05 a third is .017."""
    same = cell(1000, 500)
    assert strongest_class_differences(table_of(same, same, cell(1000, 540))) == [None]
    (front,) = strongest_class_differences(table_of(same, same, cell(1000, 560)))
    assert front
    assert front.p == pytest.approx(0.0019, abs=1e-4)


def test_a_difference_beyond_its_interval_is_too_noisy_to_say_and_stands_on_no_front() -> None:
    table = table_of(Cell(60), Cell(4000), front=ClassDifference("age=40+", 1.4, 0.24, 1.0, 1e-6))
    found = class_difference_finding(table, table.rows[0], labels_in())
    assert found.is_noise
    assert sentence_text(found.sentence).startswith(
        "It is too noisy to say how many more or fewer people answered"
    )
    assert "140" not in sentence_text(found.sentence)
    said = headline_findings(report(groups=(table,)), labels_in())
    assert "group" not in [finding.kind for finding in said]


def hypothesis(kind: str, **members: Any) -> HypothesisResult:
    sides = {"antecedent": ("age=40+",), "consequent": ("theft=yes",)} if kind == "association" else {}
    values: dict[str, Any] = {"item": "theft=yes", "by": "version", "p": 1e-6, "holm": 1e-6, "met": True}
    return HypothesisResult("H1", kind, **values | sides | members)


@pytest.mark.parametrize(
    ("result", "sentence", "cell_text"),
    [
        (
            hypothesis("association", estimate=-0.3, low=0.0, high=0.8),
            "go together less often than by chance; how many times as often cannot be said.",
            "lift too noisy to say: at most 0.80",
        ),
        (
            hypothesis("association", estimate=1.2, low=1.5, high=None),
            "go together more often than by chance; how many times as often cannot be said.",
            "lift too noisy to say",
        ),
        (
            hypothesis("arms", estimate=1.4, low=0.24, high=1.0),
            "A difference is shown, but it is too noisy to say how large it is.",
            "too noisy to say: at least +24.0 points",
        ),
        (
            hypothesis("share", estimate=1.2, than="0.5000"),
            "The share of people who answered “Theft: Yes” is above 50 %.",
            "too noisy to say",
        ),
    ],
    ids=["less often", "more often", "difference", "share"],
)
def test_a_hypothesis_whose_estimate_is_impossible_is_said_without_it(
    result: HypothesisResult, sentence: str, cell_text: str
) -> None:
    assert sentence_text(hypothesis_finding(result, labels_in()).sentence).endswith(sentence)
    assert hypothesis_estimate(result) == cell_text


def test_an_average_outside_its_interval_is_given_nowhere() -> None:
    """An end of the range cuts the interval, and the estimate lies beyond it."""
    mean = MeanEstimate(-20.0, 30.0, 0.0, 39.0)
    design = made_nodes.numbers_design()
    labels = Labels(design.mined, "en")
    node = NumberNode("debt", "classes", NumberEstimates(900, 0, mean))
    question: Any = design.questions[2]
    debt = ShownNumber(1, question, labels, node)
    assert mean_and_quantile_texts.mean_text(debt, mean).startswith("No average can be given")
    assert mean_and_quantile_texts.mean_cells_or_empty(mean) == ("", "")


def test_bound_is_never_rounded_to_an_excluded_value() -> None:
    nearly_none, nearly_all = MeasuredValue(-0.05, 0.0, 0.003), MeasuredValue(1.04, 0.997, 1.0)
    assert (nearly_none.bound_text, nearly_all.bound_text) == ("at most 1\xa0%", "at least 99\xa0%")


def test_a_pooled_share_above_one_is_too_noisy_to_say() -> None:
    share = Estimate(("theft=yes",), 100, 0, 0.9, 0.9, 0.1, 0.8, 1.0, pooled=1.04, shown=100)
    facts = share_evidence(
        share,
        QuestionShares("theft", (share,), may_be_hidden=False, is_asked_if_shown=False, is_sensitive=True),
    )
    assert [fact.value for fact in facts if fact.label == "Pooled"] == ["too noisy to say"]


def test_a_lift_below_zero_and_a_difference_above_one_are_too_noisy_to_say_without_an_interval() -> None:
    assert estimate_texts.lift_text(-0.3, None, None) == "too noisy to say"
    assert estimate_texts.difference_or_too_noisy_text(-1.2) == "too noisy to say"
    assert estimate_texts.difference_or_too_noisy_text(-0.12) == "−12.0"


def test_the_design_finds_no_difference_that_is_larger_than_a_share_can_be() -> None:
    """The base rate is estimated as 1.3; a difference of 1.12 would be found."""
    weak = rule(confidence_low=0.0, confidence_high=1.0, consequent_support=1.3)
    # (1.960 + .842) * 1 / 3.92 is .715
    assert smallest_detectable_difference(weak, 1) == pytest.approx(0.715, abs=1e-3)
    wide = rule(confidence_low=-0.3, confidence_high=1.3, consequent_support=1.3)
    assert smallest_detectable_difference(wide, 1) is None


def test_tables_of_places_say_that_a_share_below_zero_is_too_noisy() -> None:
    assert cell_text(PictureColumn("share", "Share", "estimate"), -0.02) == "too noisy to say"
    outside = [("Block C2", {"share": -0.02, "low": 0.0, "high": 0.03})]
    page = render_to_string("reports/outside-table.html", {"place": {"text": "Home"}, "outside": outside})
    assert "too noisy to say: at most 3.0 %" in page
