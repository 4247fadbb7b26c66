"""Each kind of sentence in English by hand, one in German too; test_every_language.py has the numbers of all."""

from typing import Any

import pytest
from django.utils import translation

from mining.nodes.number_nodes import (
    MeanEstimate,
    NumberEstimates,
    NumberNode,
    NumberShare,
    QuantileStatement,
)
from mining.nodes.report_nodes import Cell, ClassDifference, GroupRow, GroupTable
from privacy.designs import Design
from reports.answer_labels import Labels
from reports.pages.first_findings import finding_row
from reports.pages.row_interval_pictures import finding_interval_picture
from reports.sentences.arm_differences import arms_finding
from reports.sentences.association_pairs import (
    detectable_difference_sentence,
    pair_finding,
    pair_finding_without_ratio,
)
from reports.sentences.sensitive_numbers import number_findings
from reports.sentences.sentence_parts import FIRST_STRONG_ISOLATE, POP_ISOLATE, Sentence, as_text
from reports.sentences.shares import class_difference_finding, share_finding
from tests.reports import made_nodes
from tests.reports.made_nodes import (
    DASH,
    LATE,
    OLD,
    SPACE,
    THEFT,
    about_run,
    arms,
    labels_in,
    rule,
    share,
    weak_rule,
)
from ui.interval_pictures import Scale


def sentence_text(sentence: Sentence) -> str:
    return with_usual_spaces(as_text(sentence))


def with_usual_spaces(text: str) -> str:
    """With usual spaces and dashes, and without isolates."""
    text = text.replace(FIRST_STRONG_ISOLATE, "").replace(POP_ISOLATE, "")
    return text.replace(DASH, "–").replace(SPACE, " ")


def test_sentence_for_more_often_is_exact() -> None:
    found = pair_finding(rule(), labels_in())
    assert sentence_text(found.sentence) == (
        "Of people who answered “Age: 40 or older”, at least 1.3 times as many answered “Theft: Yes” as among all. "
        "The estimate is 1.4 times as many (1.3–1.6), and the share 54 % (49–59)."
    )
    assert sentence_text(found.beneath) == "Estimated from 4,002 answers. Among all: 38 % (35–41)."
    assert sentence_text(found.converse) == (
        "Of people who answered “Theft: Yes”, 77 % (70–83) answered “Age: 40 or older”."
    )
    assert (found.verdict, found.is_conclusive, found.is_noise) == (1, True, False)
    # Bold is the near end of the ratio alone; each interval stays in one line.
    assert [part.text for part in found.sentence if part.strong] == ["at least 1.3 times as many"]
    whole = [part.text for part in found.sentence if part.whole]
    assert whole == [f"(1.3{DASH}1.6)", f"(49{DASH}59)"]
    with translation.override("de"):
        found = pair_finding(rule(), labels_in("de"))
        assert sentence_text(found.sentence) == (
            "Von den Personen mit der Antwort „Age: 40 or older“ antworteten mindestens 1,3-mal so viele „Theft: Ja“ "
            "wie unter allen. Geschätzt sind 1,4-mal so viele (1,3–1,6) bei einem Anteil von 54 % (49–59)."
        )
        assert sentence_text(found.beneath) == "Geschätzt aus 4.002 Antworten. Unter allen: 38 % (35–41)."


OLDER = "Of people who answered “Age: 40 or older”, "
THIEVES = "Of people who answered “Theft: Yes”, at least"
MORE = "at least 1.3 times as many answered “Theft: Yes”"
IMPOSSIBLE = {"confidence": -0.02, "confidence_low_listed": 0.0, "confidence_high_listed": 0.04}
ABOVE = {"confidence": 1.2, "confidence_low_listed": 0.9, "confidence_high_listed": 1.0}
LOW_BASE = {"consequent_support": -0.02, "consequent_low": 0.0, "consequent_high": 0.01}


def lift_with_ends(lift: float, low: float | None, high: float | None) -> dict[str, Any]:
    return {"lift": lift, "lift_low_listed": low, "lift_high_listed": high}


FEWER = {"association": -1, "confidence": 0.03, "confidence_low_listed": 0.0, "confidence_high_listed": 0.08}
FEWER |= lift_with_ends(0.084, 0.0, 0.21)
SAID: list[tuple[dict[str, Any], str, str]] = [
    # A ratio has as many decimals as it needs.
    (FEWER, f"{OLDER}at most 0.21 times as many answered “Theft: Yes” as among all. ",
     "The estimate is 0.08 times as many (0.00–0.21), and the share 3 % (0–8)."),
    (lift_with_ends(1.049, 1.012, 1.18), f"{OLDER}at least 1.01 times",
     "1.05 times as many (1.01–1.2), and the share 54 % (49–59)."),
    (lift_with_ends(9.94, 4.0, 12.4), "", "9.9 times as many (4.0–12), and the share 54 % (49–59)."),
    (lift_with_ends(9.96, 4.0, 99.6), "", "10 times as many (4.0–100), and the share 54 % (49–59)."),
    (lift_with_ends(3.0, 2.0, None), f"{OLDER}at least 2.0 times as many", "“Theft: Yes” as among all."),
    (lift_with_ends(1.42, None, None), "",
     "“Theft: Yes”. That is more often than among all; how many times as often cannot be said."),
    # An impossible share is too noisy to say, and one without an interval is not said.
    (IMPOSSIBLE, f"{OLDER}it is too noisy to say how many", "“Theft: Yes”: at most 4 %."),
    (ABOVE, "", "“Theft: Yes”: at least 90 %."),
    ({"confidence_low_listed": None, "confidence_high_listed": None},
     f"{OLDER}it cannot be said how many answered", ": the counts contradict each other."),
    ({"confidence": None}, f"{OLDER}it cannot be said how many answered “Theft: Yes”.", ""),
    # A base rate that is not known leaves no ratio.
    (LOW_BASE, "", "54 % (49–59) answered “Theft: Yes”."),
    ({"consequent_support": None}, "", "54 % (49–59) answered “Theft: Yes”."),
    # Among whom a ratio is.
    ({"disguised_only": True}, f"{OLDER}{MORE} as among all who chose disguise. ", ""),
    ({"n_asked": 4100}, f"{OLDER}{MORE} as among all who were shown these questions. ", ""),
    # The group comes first, else the higher share, and of a publication of one direction this one.
    ({"antecedent": THEFT, "consequent": OLD}, f"{OLDER}{MORE}", "77 % (70–83)."),
    ({"antecedent": LATE}, THIEVES, "77 % (70–83)."),
    ({"said": "converse"}, THIEVES, "77 % (70–83)."),
    ({"antecedent": LATE, "said": "rule"}, "Of people who answered “Late: Yes”, at least", "54 % (49–59)."),
]  # fmt: skip


def test_pair_sentence_starts_and_ends_as_fixed(subtests: pytest.Subtests) -> None:
    for changed, start, end in SAID:
        with subtests.test(str(changed)):
            sentence = sentence_text(pair_finding(rule(**changed), labels_in()).sentence)
            assert sentence.startswith(start)
            assert sentence.endswith(end)


def test_pair_footnote_is_exact_and_noise_is_named() -> None:
    unknown = {"consequent_low": None, "consequent_high": None}
    for changed, said in (
        (LOW_BASE, "Estimated from 4,002 answers. Among all: at most 1 %."),
        (unknown, "Estimated from 4,002 answers. Among all: the counts contradict each other."),
        (
            {"disguised_only": True},
            "Estimated from 4,002 answers of people who chose disguise. Among all who chose disguise: 38 % (35–41).",
        ),
    ):
        assert sentence_text(pair_finding(rule(**changed), labels_in()).beneath) == said
    found = pair_finding(rule(**IMPOSSIBLE), labels_in())
    assert (found.is_noise, found.is_conclusive) == (True, False)
    assert pair_finding(rule(consequent_support=None), labels_in()).is_noise
    # A badge whose interval holds one is not said.
    assert pair_finding(rule(lift_low_listed=0.99), labels_in()).verdict == 0


def test_missing_association_sentence_names_both_directions() -> None:
    found = pair_finding(weak_rule(), labels_in())
    assert sentence_text(found.sentence) == (
        "Of people who answered “Age: 40 or older”, 40 % (30–50) answered “Theft: Yes”. No difference is shown, "
        "compared with all. Less often and more often are both possible, from 0.78 to 1.3 times as often."
    )
    assert (found.verdict, found.is_conclusive) == (0, False)
    assert not any(part.strong for part in found.sentence)


def test_share_sentence_is_exact() -> None:
    noisy = "It is too noisy to say how many answered “Theft: Yes”"
    unknown = "It cannot be said how many answered “Theft: Yes”"
    hidden = share(shown=2000, share_shown=0.76, low_shown=0.7, high_shown=0.82)
    for node, said in (
        (share(), "Of all, 38 % (35–41) answered “Theft: Yes”."),
        # The nearest whole per cent.
        (share(support=0.376, low=0.3449, high=0.4051), "Of all, 38 % (34–41) answered “Theft: Yes”."),
        (hidden, "Of all who were shown the question, 76 % (70–82) answered “Theft: Yes”."),
        (share(support=-0.01, low=0.0, high=0.03), f"{noisy}: at most 3 %."),
        # An end of the range as the estimate says no more than the other end of its interval.
        (share(support=0.0, low=0.0, high=0.28), "Of all, at most 28 % answered “Theft: Yes”."),
        (share(support=0.998, low=0.72, high=1.0), "Of all, at least 72 % answered “Theft: Yes”."),
        (share(support=0.001, low=0.0, high=0.004), "Of all, 0 % (0–0) answered “Theft: Yes”."),
        (share(support=None), f"{unknown}."),
        (share(low=None, high=None), f"{unknown}: the counts contradict each other."),
        (share(low=0.004, high=0.996), f"{noisy}."),
    ):
        assert sentence_text(share_finding(node, labels_in()).sentence) == said
    assert sentence_text(share_finding(share(), labels_in()).beneath) == "Estimated from 4,002 answers."
    assert (
        sentence_text(share_finding(share(n_asked=1, shown=1), labels_in()).beneath)
        == "Estimated from 1 answer."
    )


def test_a_class_of_a_plain_question_is_held_against_all_other_classes() -> None:
    cells = (Cell(400, 0.18, 0.13, 0.23), Cell(600, 0.35, 0.29, 0.41))
    front = ClassDifference("age=40+", 0.17, 0.06, 0.28, 1e-5)
    row = GroupRow("theft=yes", cells, 0.28, 0.0004, 0.25, 0.31, 1000, front)
    table = GroupTable("age", ("age=18-39", "age=40+"), (row,))
    found = class_difference_finding(table, row, labels_in())
    assert sentence_text(found.sentence) == (
        "Of people who answered “Age: 40 or older”, at least 6 percentage points more answered “Theft: Yes” than of "
        "all others. The estimate is 17 percentage points (6–28)."
    )
    assert (sentence_text(found.beneath), found.verdict) == ("Estimated from 600 answers.", 1)


def test_share_with_a_full_interval_gets_no_sentence() -> None:
    pair = pair_finding(weak_rule(confidence_low_listed=0.0, confidence_high_listed=1.0), labels_in())
    assert pair.is_noise
    assert "it is too noisy to say how many answered “Theft: Yes”." in sentence_text(pair.sentence)
    unlimited = pair_finding(weak_rule(lift_low_listed=0.001, lift_high_listed=None), labels_in())
    assert sentence_text(unlimited.sentence).endswith("It is too noisy to say how many times as often.")


def test_arm_sentences_are_exact() -> None:
    directly = "Asked directly, 38 % (35–41) answered “Theft: Yes”"
    for numbers, said, verdict in (
        ((0.38, 0.54, 0.16, 0.08, 0.24, 0.001, 0.002),
         "; with disguise, at least 8 percentage points more. The estimate is 16 percentage points (8–24).", 1),
        ((0.38, 0.37, -0.01, -0.014, -0.006, 0.001, 0.002),
         "; with disguise, at least 1 percentage point fewer. The estimate is 1 percentage point (1–1).", -1),
        ((0.38, 0.376, -0.004, -0.0062, -0.0018, 0.001, 0.002),
         ("; with disguise, at least 0.2 percentage points fewer. The estimate is 0.4 percentage points "
          "(0.2–0.6)."), -1),
        ((0.38, 0.41, 0.03, -0.05, 0.11, 0.4, 0.8),
         (". No difference with disguise is shown; anything between 5 percentage points fewer and 11 percentage points "
          "more is possible."), 0),
        ((0.38, 0.46, 0.08, 0.01, 0.15, 0.03, 0.2),
         ". No difference with disguise is shown; among so many answers, chance alone can do this.", 0),
    ):  # fmt: skip
        found = arms_finding(arms(*numbers), labels_in())
        assert (sentence_text(found.sentence), found.verdict) == (f"{directly}{said}", verdict)
        assert sentence_text(found.beneath) == "1,200 of 4,800 people were asked directly."
    impossible = arms(-0.02, 0.38, 0.4, 0.2, 0.38, 0.001, 0.001, low=0.0, high=0.05)
    assert arms_finding(impossible, labels_in()).is_noise
    nothing = arms_finding(arms(None, None, None, None, None, None), labels_in())
    assert sentence_text(nothing.sentence).startswith("It cannot be said how many more or fewer")


def numbers_said(node: NumberNode, design: Design) -> list[str]:
    return [sentence_text(found.sentence) for found in number_findings(node, Labels(design.mined, "en"))]


def test_number_sentences_are_exact() -> None:
    design = made_nodes.numbers_design(open_answers=False)
    shares = ["70 % (65–75)", "52 % (47–57)", "31 % (26–36)", "12 % (7–17)", "4 % (0–10)"]
    limits = ["500", "1,000", "2,000", "5,000", "10,000"]
    assert numbers_said(made_nodes.number_nodes()[0], design) == [
        "The average of “Debt” is 1,830 euros (1,670–2,000).",
        "The lower quartile of “Debt” is below 500 euros.",
        "The median of “Debt” is at least 500 euros and below 2,000 euros.",
        "The upper quartile of “Debt” is 2,000 euros or more.",
        *(
            f"Of all, {of} answered “Debt: {limit} euros or more”."
            for of, limit in zip(shares, limits, strict=True)
        ),
    ]
    # An average that chance has carried past the ends, and a share above one.
    past = NumberEstimates(900, 0, MeanEstimate(-20.0, 9.0, 0.0, 0.0))
    (found,) = number_findings(NumberNode("debt", "classes", past), Labels(design.mined, "en"))
    assert sentence_text(found.sentence) == "It is too noisy to say what the average of “Debt” is."
    assert found.is_noise
    noisy = NumberEstimates(900, 0, shares=(NumberShare(500, None, 900, 1.03, 0.02, 0.97, 1.0),))
    said = "It is too noisy to say how many answered “Debt: 500 euros or more”: at least 97 %."
    assert numbers_said(NumberNode("debt", "classes", noisy), design) == [said]


def test_a_quantile_of_a_scale_is_said_by_its_values() -> None:
    quantiles = ((0.25, None, 2), (0.5, 3, 4), (0.75, 3, 6))
    estimates = NumberEstimates(900, 0, None, tuple(QuantileStatement(*row) for row in quantiles))
    assert numbers_said(NumberNode("mood", "classes", estimates), made_nodes.scale()) == [
        "The lower quartile of “Mood” is 1 (points) or less.",
        "The median of “Mood” is 3 points.",
        "The upper quartile of “Mood” is at least 3 points and at most 5 points.",
    ]


def test_sentence_on_detectable_differences_is_exact() -> None:
    # (.58 - .5) / 3.92 is .0204; times 1.960 + .842, at .05 and 80 %, 6 points.
    # Of the people whom the pair is about, not of all.
    few = weak_rule(n_shown_all=2500)
    assert sentence_text(detectable_difference_sentence(few, about_run(records=5000, family=1))) == (
        "With 2,500 answers, a difference of 6 percentage points would be found four times out of five."
    )
    assert detectable_difference_sentence(weak_rule(confidence_low=None), about_run()) == ()
    assert (
        detectable_difference_sentence(weak_rule(confidence_low=0.0, confidence_high=1.0), about_run()) == ()
    )


def test_the_picture_of_a_pair_has_the_ratio_that_its_sentence_states() -> None:
    found = pair_finding(rule(), labels_in())
    assert (found.measured.value, found.measured.low, found.measured.high) == (1.42, 1.31, 1.55)
    row = finding_row(found)
    (drawn,) = row.pictures
    assert (drawn.low, drawn.estimate, drawn.high, drawn.base) == (1.31, 1.42, 1.55, 1.0)
    assert (drawn.state, drawn.base_label, drawn.is_endless) == ("filled", "no difference", False)
    # The axis is of ratios, not of percentage points.
    assert row.axis
    assert row.axis.end == 2.0
    # 91 % (22 to 100) of 31 %: the share's interval contains the base, that of the ratio does not.
    wide = {
        "confidence": 0.91,
        "confidence_low_listed": 0.22,
        "confidence_high_listed": 1.0,
    } | lift_with_ends(3.0, 1.3, None)
    (drawn,) = finding_row(pair_finding(rule(**wide), labels_in())).pictures
    assert (drawn.low, drawn.estimate, drawn.base) == (1.3, None, 1.0)
    assert (drawn.state, drawn.is_endless) == ("filled", True)
    # Where the sentence can state no ratio, nothing is drawn.
    assert finding_row(pair_finding(rule(**lift_with_ends(1.42, None, None)), labels_in())).pictures == ()
    # A pair that is not shown states its share: hollow, with the base.
    not_shown = pair_finding(weak_rule(), labels_in())
    (drawn,) = finding_row(not_shown, Scale(end=1.0, step=0.2)).pictures
    assert (drawn.low, drawn.estimate, drawn.high, drawn.base, drawn.state) == (0.3, 0.4, 0.5, 0.38, "hollow")


def test_in_the_list_whose_ratio_has_a_column_the_picture_has_the_share_without_the_base() -> None:
    found = pair_finding_without_ratio(rule(confidence_low_listed=0.2), labels_in())
    drawn = finding_interval_picture(found, Scale(end=1.0, step=0.2))
    assert drawn
    assert (drawn.low, drawn.estimate, drawn.high, drawn.base) == (0.2, 0.54, 0.59, None)
    assert sentence_text(found.sentence).endswith("54 % (20–59) answered “Theft: Yes”.")
