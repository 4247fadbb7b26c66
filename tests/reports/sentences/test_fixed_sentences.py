"""Each kind of sentence in English by hand, one in German too; test_every_language.py has the numbers of all."""

import pytest
from django.utils import translation

from mining.report.number_nodes import (
    MeanEstimate,
    NumberEstimates,
    NumberNode,
    NumberShare,
    QuantileStatement,
)
from mining.report.report_nodes import Cell, ClassDifference, GroupRow, GroupTable
from reports.answer_labels import Labels
from reports.sentences.arm_differences import arms_finding
from reports.sentences.association_pairs import detectable_difference_sentence, pair_finding
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
    about,
    arms,
    labels_in,
    rule,
    share,
    weak,
)


def plain(sentence: Sentence) -> str:
    return with_usual_spaces(as_text(sentence))


def with_usual_spaces(text: str) -> str:
    """With usual spaces and dashes, and without isolates."""
    text = text.replace(FIRST_STRONG_ISOLATE, "").replace(POP_ISOLATE, "")
    return text.replace(DASH, "–").replace(SPACE, " ")


def test_more_often() -> None:
    found = pair_finding(rule(), labels_in())
    assert plain(found.sentence) == (
        "Of people who answered “Age: 40 or older”, 54 % (49–59) answered “Theft: Yes”; of all, 38 % did: "
        "1.4 times as many (1.3–1.6)."
    )
    assert plain(found.beneath) == "Of 4,002 people who were shown these questions: 38 % (35–41)."
    assert plain(found.converse) == (
        "Of people who answered “Theft: Yes”, 77 % (70–83) answered “Age: 40 or older”; of all, 54 % did."
    )
    assert (found.verdict, found.is_shown, found.is_noise) == (1, True, False)


def test_more_often_in_german() -> None:
    with translation.override("de"):
        found = pair_finding(rule(), labels_in("de"))
        assert plain(found.sentence) == (
            "Von den Personen mit der Antwort „Age: 40 or older“ antworteten 54 % (49–59) „Theft: Ja“; von allen "
            "waren es 38 %: 1,4-mal so viele (1,3–1,6)."
        )
        assert (
            plain(found.beneath)
            == "Von 4.002 Personen, die alle diese Antworten geben konnten: 38 % (35–41)."
        )


FEWER = {
    "association": -1,
    "confidence": 0.03,
    "confidence_low_listed": 0.0,
    "confidence_high_listed": 0.08,
    "lift": 0.084,
    "lift_low_listed": 0.0,
    "lift_high_listed": 0.21,
}


def test_less_often() -> None:
    assert plain(pair_finding(rule(**FEWER), labels_in()).sentence) == (
        "Of people who answered “Age: 40 or older”, 3 % (0–8) answered “Theft: Yes”; of all, 38 % did: "
        "0.08 times as many (0.00–0.21)."
    )


@pytest.mark.parametrize(
    ("lift", "low", "high", "said"),
    [
        (1.049, 1.012, 1.18, "1.05 times as many (1.01–1.2)."),
        (9.94, 4.0, 12.4, "9.9 times as many (4.0–12)."),
        (9.96, 4.0, 99.6, "10 times as many (4.0–100)."),
        (3.0, 2.0, None, "3.0 times as many (2.0 or more)."),
    ],
)
def test_a_ratio_has_as_many_decimals_as_it_needs(
    lift: float, low: float, high: float | None, said: str
) -> None:
    found = pair_finding(rule(lift=lift, lift_low_listed=low, lift_high_listed=high), labels_in())
    assert plain(found.sentence).endswith(f"of all, 38 % did: {said}")


def test_a_badge_without_a_ratio_says_so() -> None:
    found = pair_finding(rule(lift_low_listed=None, lift_high_listed=None), labels_in())
    assert plain(found.sentence).endswith(
        "of all, 38 % did. That is more often than among all; how many times as often cannot be said."
    )


def test_an_association_that_is_not_shown_leaves_both_directions() -> None:
    found = pair_finding(weak(), labels_in())
    assert plain(found.sentence) == (
        "No association is shown between “Age: 40 or older” and “Theft: Yes”: of people who gave the first answer, "
        "40 % (30–50) gave the second; of all, 38 % did. Less often and more often are both possible: anything "
        "between 0.78 and 1.3 times as often."
    )
    assert (found.verdict, found.is_shown) == (0, False)


def test_a_badge_whose_interval_holds_one_is_not_said() -> None:
    assert pair_finding(rule(lift_low_listed=0.99), labels_in()).verdict == 0


def test_an_impossible_share_is_too_noisy_to_say() -> None:
    found = pair_finding(
        rule(confidence=-0.02, confidence_low_listed=0.0, confidence_high_listed=0.04), labels_in()
    )
    assert plain(found.sentence) == (
        "Of people who answered “Age: 40 or older”, it is too noisy to say how many answered “Theft: Yes”: "
        "at most 4 %; of all, 38 % did."
    )
    assert (found.is_noise, found.is_shown) == (True, False)
    above = rule(confidence=1.2, confidence_low_listed=0.9, confidence_high_listed=1.0)
    assert plain(pair_finding(above, labels_in()).sentence).endswith(
        "“Theft: Yes”: at least 90 %; of all, 38 % did."
    )


def test_a_share_without_an_interval_is_not_said() -> None:
    start = "Of people who answered “Age: 40 or older”, it cannot be said how many answered “Theft: Yes”"
    found = pair_finding(rule(confidence_low_listed=None, confidence_high_listed=None), labels_in())
    assert plain(found.sentence) == f"{start}: the counts contradict each other; of all, 38 % did."
    found = pair_finding(rule(confidence=None), labels_in())
    assert plain(found.sentence) == f"{start}; of all, 38 % did."


def test_a_base_rate_that_is_not_known_says_so_in_the_sentence_and_beneath() -> None:
    found = pair_finding(
        rule(consequent_support=-0.02, consequent_low=0.0, consequent_high=0.01), labels_in()
    )
    assert plain(found.sentence).endswith("54 % (49–59) answered “Theft: Yes”; of all, at most 1 % did.")
    assert plain(found.beneath) == "Of 4,002 people who were shown these questions: at most 1 %."
    found = pair_finding(rule(consequent_low=None, consequent_high=None), labels_in())
    assert plain(found.beneath).endswith("these questions: the counts contradict each other.")
    found = pair_finding(rule(consequent_support=None), labels_in())
    assert plain(found.sentence).endswith("; of all, an unknown share did.")
    assert found.is_noise


def test_whole_per_cent_are_the_nearest() -> None:
    found = share_finding(share(support=0.376, low=0.3449, high=0.4051), labels_in())
    assert plain(found.sentence) == "Of all, 38 % (34–41) answered “Theft: Yes”."


def test_shares_of_those_who_chose_disguise_say_so() -> None:
    found = pair_finding(rule(disguised_only=True), labels_in())
    assert "; of all who chose disguise, 38 % did: 1.4 times" in plain(found.sentence)
    assert plain(found.beneath) == (
        "Of 4,002 people who chose disguise and were shown these questions: 38 % (35–41)."
    )


def test_shares_of_those_to_whom_no_rule_hides_a_question_say_so() -> None:
    found = pair_finding(rule(n_asked=4100), labels_in())
    assert "; of all who were shown these questions, 38 % did: 1.4 times" in plain(found.sentence)


def test_the_group_comes_first_else_the_higher_share() -> None:
    first = "Of people who answered “Age: 40 or older”, 77 % (70–83) answered “Theft: Yes”"
    turned = rule(antecedent=THEFT, consequent=OLD)
    assert plain(pair_finding(turned, labels_in()).sentence).startswith(first)
    sensitive = rule(antecedent=LATE)
    assert plain(pair_finding(sensitive, labels_in()).sentence).startswith(
        "Of people who answered “Theft: Yes”, 77 %"
    )


def test_a_publication_of_one_direction_says_this_one_first() -> None:
    turned = rule(said="converse")
    assert plain(pair_finding(turned, labels_in()).sentence).startswith(
        "Of people who answered “Theft: Yes”, 77 %"
    )
    stated = rule(antecedent=LATE, said="rule")
    assert plain(pair_finding(stated, labels_in()).sentence).startswith(
        "Of people who answered “Late: Yes”, 54 %"
    )


def test_bold_are_the_estimate_and_the_ratio_alone() -> None:
    strong = [part.text for part in pair_finding(rule(), labels_in()).sentence if part.strong]
    assert strong == [f"54{SPACE}%", "1.4 times as many"]
    assert not any(part.strong for part in pair_finding(weak(), labels_in()).sentence)


def test_the_base_rate_and_each_interval_stay_in_one_line() -> None:
    whole = [part.text for part in pair_finding(rule(), labels_in()).sentence if part.whole]
    assert whole == [f"(49{DASH}59)", f"of all, 38{SPACE}% did", f"(1.3{DASH}1.6)"]


def test_a_share() -> None:
    found = share_finding(share(), labels_in())
    assert plain(found.sentence) == "Of all, 38 % (35–41) answered “Theft: Yes”."
    assert plain(found.beneath) == "Estimated from 4,002 answers."
    assert plain(share_finding(share(n_asked=1, shown=1), labels_in()).beneath) == "Estimated from 1 answer."


def test_a_share_behind_a_rule_is_that_of_those_who_were_shown_the_question() -> None:
    hidden = share(shown=2000, share_shown=0.76, low_shown=0.7, high_shown=0.82)
    assert plain(share_finding(hidden, labels_in()).sentence) == (
        "Of all who were shown the question, 76 % (70–82) answered “Theft: Yes”."
    )


def test_an_impossible_share_has_no_number_of_its_own() -> None:
    found = share_finding(share(support=-0.01, low=0.0, high=0.03), labels_in())
    assert plain(found.sentence) == "It is too noisy to say how many answered “Theft: Yes”: at most 3 %."
    found = share_finding(share(support=None), labels_in())
    assert plain(found.sentence) == "It cannot be said how many answered “Theft: Yes”."
    found = share_finding(share(low=None, high=None), labels_in())
    assert plain(found.sentence) == (
        "It cannot be said how many answered “Theft: Yes”: the counts contradict each other."
    )


def test_a_class_of_a_plain_question_is_held_against_all_other_classes() -> None:
    cells = (Cell(400, 0.18, 0.13, 0.23), Cell(600, 0.35, 0.29, 0.41))
    front = ClassDifference("age=40+", 0.17, 0.06, 0.28, 1e-5)
    row = GroupRow("theft=yes", cells, 0.28, 0.0004, 0.25, 0.31, 1000, front)
    table = GroupTable("age", ("age=18-39", "age=40+"), (row,))
    found = class_difference_finding(table, row, labels_in())
    assert plain(found.sentence) == (
        "Of people who answered “Age: 40 or older”, 17 percentage points (6–28) more answered “Theft: Yes” than of all "
        "others."
    )
    assert (plain(found.beneath), found.verdict) == ("Estimated from 600 answers.", 1)


def test_an_interval_of_everything_says_nothing() -> None:
    everything = share(low=0.004, high=0.996)
    assert plain(share_finding(everything, labels_in()).sentence) == (
        "It is too noisy to say how many answered “Theft: Yes”."
    )
    pair = pair_finding(weak(confidence_low_listed=0.0, confidence_high_listed=1.0), labels_in())
    assert pair.is_noise
    assert "it is too noisy to say how many answered “Theft: Yes”; of all, 38 % did." in plain(pair.sentence)
    assert plain(
        pair_finding(weak(lift_low_listed=0.001, lift_high_listed=None), labels_in()).sentence
    ).endswith("It is too noisy to say how many times as often.")


def test_arms() -> None:
    more = arms(0.38, 0.54, 0.16, 0.08, 0.24, 0.001, 0.002)
    found = arms_finding(more, labels_in())
    assert plain(found.sentence) == (
        "Asked directly, 38 % (35–41) answered “Theft: Yes”; with disguise, 16 percentage points (8–24) more."
    )
    assert plain(found.beneath) == "1,200 of 4,800 people were asked directly."


def test_arms_with_fewer() -> None:
    fewer = arms(0.38, 0.37, -0.01, -0.014, -0.006, 0.001, 0.002)
    found = arms_finding(fewer, labels_in())
    assert plain(found.sentence).endswith("; with disguise, 1 percentage point (1–1) fewer.")
    small = arms(0.38, 0.376, -0.004, -0.0062, -0.0018, 0.001, 0.002)
    found = arms_finding(small, labels_in())
    assert plain(found.sentence).endswith("; with disguise, 0.4 percentage points (0.2–0.6) fewer.")
    assert found.verdict == -1


def test_arms_without_a_difference_that_is_shown() -> None:
    none = arms(0.38, 0.41, 0.03, -0.05, 0.11, 0.4, 0.8)
    assert plain(arms_finding(none, labels_in()).sentence) == (
        "Asked directly, 38 % (35–41) answered “Theft: Yes”. No difference with disguise is shown: anything between "
        "5 percentage points fewer and 11 percentage points more is possible."
    )
    among_many = arms(0.38, 0.46, 0.08, 0.01, 0.15, 0.03, 0.2)
    found = arms_finding(among_many, labels_in())
    assert plain(found.sentence).endswith("is shown: among so many answers, chance alone can do this.")
    assert found.verdict == 0


def test_arms_of_which_nothing_can_be_said() -> None:
    impossible = arms(-0.02, 0.38, 0.4, 0.2, 0.38, 0.001, 0.001, low=0.0, high=0.05)
    assert arms_finding(impossible, labels_in()).is_noise
    nothing = arms(None, None, None, None, None, None)
    assert plain(arms_finding(nothing, labels_in()).sentence).startswith(
        "It cannot be said how many more or fewer"
    )


def test_a_number() -> None:
    labels = Labels(made_nodes.numbers_design(open_answers=False).mined, "en")
    told = [plain(found.sentence) for found in number_findings(made_nodes.numbers()[0], labels)]
    assert told == [
        "The average of “Debt” is 1,835 euros (1,671–1,998).",
        "The lower quartile of “Debt” is below 500 euros.",
        "The median of “Debt” is at least 500 euros and below 2,000 euros.",
        "The upper quartile of “Debt” is 2,000 euros or more.",
        "Of all, 70 % (65–75) answered “Debt: 500 euros or more”.",
        "Of all, 52 % (47–57) answered “Debt: 1,000 euros or more”.",
        "Of all, 31 % (26–36) answered “Debt: 2,000 euros or more”.",
        "Of all, 12 % (7–17) answered “Debt: 5,000 euros or more”.",
        "Of all, 4 % (0–10) answered “Debt: 10,000 euros or more”.",
    ]


def test_an_average_that_chance_has_carried_past_the_ends() -> None:
    labels = Labels(made_nodes.numbers_design(open_answers=False).mined, "en")
    node = NumberNode("debt", "classes", NumberEstimates(900, 0, MeanEstimate(-20.0, 9.0, 0.0, 0.0)))
    (found,) = number_findings(node, labels)
    assert plain(found.sentence) == "It is too noisy to say what the average of “Debt” is."
    assert found.is_noise


def test_a_quantile_of_a_scale_is_said_by_its_values() -> None:
    labels = Labels(made_nodes.scale().mined, "en")
    quantiles = (
        QuantileStatement(0.25, None, 2),
        QuantileStatement(0.5, 3, 4),
        QuantileStatement(0.75, 3, 6),
    )
    node = NumberNode("mood", "classes", NumberEstimates(900, 0, None, quantiles))
    assert [plain(found.sentence) for found in number_findings(node, labels)] == [
        "The lower quartile of “Mood” is 1 (points) or less.",
        "The median of “Mood” is 3 points.",
        "The upper quartile of “Mood” is at least 3 points and at most 5 points.",
    ]


def test_what_the_design_can_find() -> None:
    # (.58 - .5) / 3.92 is .0204; times 1.960 + .842, at .05 and 80 %, 6 points.
    assert plain(detectable_difference_sentence(weak(), about(records=5000, family=1))) == (
        "With 5,000 answers, a difference of 6 percentage points would be found four times out of five."
    )
    assert detectable_difference_sentence(weak(confidence_low=None), about()) == ()
    assert detectable_difference_sentence(weak(confidence_low=0.0, confidence_high=1.0), about()) == ()


def test_a_number_share_alone() -> None:
    labels = Labels(made_nodes.numbers_design(open_answers=False).mined, "en")
    noisy = NumberShare(500, None, 900, 1.03, 0.02, 0.97, 1.0)
    (found,) = number_findings(
        NumberNode("debt", "classes", NumberEstimates(900, 0, shares=(noisy,))), labels
    )
    assert plain(found.sentence) == (
        "It is too noisy to say how many answered “Debt: 500 euros or more”: at least 97 %."
    )
