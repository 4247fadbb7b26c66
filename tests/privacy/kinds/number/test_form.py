import json
from fractions import Fraction
from typing import Any

import pytest

from privacy.designs import InputError, parse
from privacy.kinds.number.classes.section import ClassesQuestion, ClassesSection
from privacy.kinds.number.window.section import WindowSection
from privacy.records import DISGUISED, check_codes
from tests.privacy.node import Node, NodeError
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, classes, design, plain, window, written

DEBT = classes("debt", "0.7142", 0, 500, 1000, 2000, 5000, 10000)
INCOME = window("income", 1001, 100)


def test_defaults_are_filled_in_by_the_canonical_form() -> None:
    sections = json.loads(design(DEBT, INCOME).canonical)["sections"]
    common: dict[str, Any] = {"text": {}, "help": {}, "unit": {}, "show_if": {}, "step": 1}
    limits = {"limits": [500, 1000, 2000, 5000, 10000], "cuts": 1, "rest": 0}
    debt = {"name": "debt", "law": "classes", "low": 0, "high": 10000, **limits}
    income = {"name": "income", "law": "window", "low": 0, "values": 1001, "window": 100, "uniform": "0.5000"}
    assert sections == [
        {"kind": "number", "keep": "0.7142", "questions": [common | debt]},
        {"kind": "number", "questions": [common | income]},
    ]


def test_everything_about_a_number_changes_the_fingerprint(subtests: pytest.Subtests) -> None:
    cases: list[dict[str, Any]] = [{"step": 500}, {"cuts": 2}, {"rest": 2}, {"unit": "euros"}, {"help": "x"}]
    for changed in cases:
        with subtests.test(f"{changed!r:.60}"):
            other = classes("debt", "0.7142", 0, 500, 1000, 2000, 5000, 10000, **changed)
            assert design(DEBT).fingerprint != design(other).fingerprint


def test_a_law_states_its_gamma_exactly() -> None:
    first, second = design(DEBT, INCOME).sections
    assert isinstance(first, ClassesSection)
    assert isinstance(second, WindowSection)
    assert first.law.gamma == Fraction(8571, 1429)  # 1 + p(m+1)/(1-p)
    assert second.law.gamma == Fraction(1202, 201)


def test_codes_and_their_width_follow_from_the_law(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], int, int]] = [
        (INCOME, 1001, 4),
        # Six classes, and all intervals of them; with twenty limits 21 * 22 / 2.
        (DEBT, 21, 2),
        (classes("debt", "0.5", *range(0, 42, 2), rest=1), 233, 3),
    ]
    for section, not_asked, width in cases:
        with subtests.test(f"{section!r:.60} {not_asked!r:.60}"):
            (question,) = design(section).questions
            assert (question.not_asked, question.width) == (not_asked, width)


PLACE = "sections[0].questions[0]"


def without(section: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The section, its question without these keys."""
    (question,) = section["questions"]
    return {**section, "questions": [{key: value for key, value in question.items() if key not in keys}]}


REFUSED: list[tuple[dict[str, Any], str]] = [
    (classes("a", "0.5", 0, 2, 2), f"{PLACE}.limits[1]: 2 does not lie above 2"),
    (classes("a", "0.5", 0, 0, 2), f"{PLACE}.limits[0]: 0 does not lie above 0"),
    (classes("a", "0.5", 0, high=5), f"{PLACE}.limits: 0 limits; a number has 1 to 20"),
    (classes("a", "0.5", *range(22)), f"{PLACE}.limits: 21 limits; a number has 1 to 20"),
    (classes("a", "0.5", 0, 10, 25, step=10), f"{PLACE}.limits[1]: 25 is no multiple of the step 10"),
    (classes("a", "0.5", 0, 10, 20, step=10, high=25), f"{PLACE}.high: 25 is no multiple of the step 10"),
    (classes("a", "0.5", 0, 10, 20, high=15), f"{PLACE}.high: 15 lies below the last limit, 20"),
    (classes("a", "0.5", 0, 1, 10**9 + 1), f"{PLACE}.limits[1]: must lie between"),
    (without(classes("a", "0.5", 0, 1, 2), "high"), f"{PLACE}.low: low and high stand both or neither"),
    (without(classes("a", "0.5", 0, 1, 2), "low"), f"{PLACE}.high: low and high stand both or neither"),
    (classes("a", "0.5", 0, 1, 5, cuts=3), f"{PLACE}.cuts: must lie between 1 and 2"),
    (classes("a", "0.5", 0, 1, 5, cuts=0), f"{PLACE}.cuts: must lie between 1 and 2"),
    (classes("a", "0.5", 0, 1, 5, rest=11), f"{PLACE}.rest: must lie between 0 and 10"),
    (classes("a", "0.5", 0, 1, 2, rest=1), f"{PLACE}.rest: every class is one value"),
    (
        without(classes("a", "0.5", 0, 4, 8, rest=1), "low", "high"),
        f"{PLACE}.rest: the mean needs low and high",
    ),
    (classes("a", "1", 0, 1, 2), "sections[0].keep: a probability of 1 is not allowed"),
    (classes("a", "0.5", 0, 4, 8, rest=1, keep_rest="1"), "sections[0].keep_rest: a probability of 1"),
    ({**classes("a", "0.5", 0, 4), "keep_rest": "0.5"}, "sections[0].keep_rest: no record sends the place"),
    (
        {key: value for key, value in classes("a", "0.5", 0, 4, 8, rest=1).items() if key != "keep_rest"},
        "sections[0]: 'keep_rest' is missing",
    ),
    (window("a", 99, 4, "0.5"), f"{PLACE}.window: the 9 numbers of the window and the 99 values share"),
    (window("a", 9, 4, "0.5"), f"{PLACE}.window: must lie between 0 and 3"),
    (window("a", 65_001, 4, "0.5"), f"{PLACE}.values: must lie between 2 and 65000"),
    (window("a", 1001, 475, "0.5"), f"{PLACE}.window: the window is so wide"),
    (window("a", 101, 3, "0.95"), f"{PLACE}.window: the window is so wide"),
    (window("a", 101, 3, "0.5", low=0.5), f"{PLACE}.low: must be an integer"),
    (window("a", 101, 3, "0.5", step=0), f"{PLACE}.step: must lie between 1"),
    (window("a", 101, 3, "0.5", low=10**9), f"{PLACE}.values: the highest number is above 1000000000"),
    (window("a", 101, 3, "0.5", cuts=1), f"{PLACE}: unknown key 'cuts'"),
    (window("a", 101, 3, "0.5", choices=["no", "yes"]), f"{PLACE}: unknown key 'choices'"),
    (window("a", 101, 3, "0.5", form="one"), f"{PLACE}: unknown key 'form'"),
    (
        {**window("a", 101, 3), "keep": "0.5"},
        "sections[0].keep: the law window has no probability of sending the true answers (keep)",
    ),
    ({"kind": "number", "questions": DEBT["questions"]}, "sections[0]: 'keep' is missing"),
    (
        {**DEBT, "questions": DEBT["questions"] * 2},
        "sections[0].questions[1].name: two questions are called 'debt'",
    ),
    (
        {**DEBT, "questions": [*DEBT["questions"], {**DEBT["questions"][0], "name": "other"}]},
        "sections[0].questions: a section of numbers has one question",
    ),
    ({"kind": "number", "questions": [{"name": "a"}]}, f"{PLACE}: 'law' is missing"),
    (
        {"kind": "number", "questions": [{"name": "a", "law": "gauss"}]},
        f"{PLACE}.law: 'gauss' is not a law of numbers (classes, window)",
    ),
]


def test_the_browser_refuses_the_same_numbers(subtests: pytest.Subtests, twin: Node) -> None:
    cases: list[dict[str, Any]] = [
        {"limits": [2, 1]},
        {"limits": [0, 1]},
        {"limits": [1, 6]},
        {"limits": [1, 4], "step": 2},
        {"limits": [], "cuts": 0},
        {"limits": list(range(1, 22)), "high": 30},
        {"cuts": 3},
        {"rest": 1, "limits": [1, 2, 3, 4, 5]},
        {"high": None},
    ]
    for question in cases:
        with subtests.test(f"{question!r:.60}"):
            given = {
                "low": 0,
                "high": 5,
                "limits": [1, 4],
                "step": 1,
                "cuts": 1,
                "rest": 0,
                "law": "classes",
                "name": "a",
            }
            given = {key: value for key, value in (given | question).items() if value is not None}
            section = {
                "kind": "number",
                "keep": "0.5",
                "keep_rest": "0.5",
                "questions": [{**given, "show_if": {}}],
            }
            source = {"open_answers": False, "sections": [section]}
            with pytest.raises(NodeError):
                twin.ask("drawing", design=source, words=[0] * 99, bits=32, modulus=10_000)


def test_numbers_that_no_law_fits_are_refused_with_the_place_and_the_reason(
    subtests: pytest.Subtests,
) -> None:
    for section, said in REFUSED:
        with subtests.test(f"{section!r:.60} {said!r:.60}"):
            with pytest.raises(InputError) as caught:
                parse(json.dumps(written(section)))
            assert str(caught.value).startswith(said)


def test_no_rule_may_name_a_number() -> None:
    after = {"name": "why", "choices": ["a", "b"], "show_if": {"debt": [">=500"]}}
    with pytest.raises(InputError, match="'debt' is sensitive"):
        design(DEBT, plain(after))


HIDDEN = design(plain(WORK), classes("debt", "0.5", 0, 5, 10, **IF_EMPLOYED), window("pay", 5, 1))


def test_a_possible_record_is_accepted(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, ...]] = [(0, 5, 4), (0, 1, 4), (1, 7, 0)]
    for codes in cases:
        with subtests.test(f"{codes}"):
            check_codes(HIDDEN, codes)


def test_a_record_that_no_device_could_have_sent_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[tuple[int, ...], str]] = [
        ((0, 6, 0), "debt: a number is always asked"),
        ((0, 2, 0), "debt: no device sends this answer in its group"),
        ((0, 7, 0), "debt: not applicable, but the answers that are not disguised show it"),
        ((1, 3, 0), "debt: answered, but the answers that are not disguised hide it"),
        ((0, 3, 5), "pay: a number is always asked"),
        ((0, 3, 6), "pay: not applicable, but the answers that are not disguised show it"),
    ]
    for codes, said in cases:
        with subtests.test(f"{codes!r:.60} {said!r:.60}"):
            with pytest.raises(InputError) as caught:
                check_codes(HIDDEN, codes, group=DISGUISED if "group" in said else None)
            assert str(caught.value) == said


def test_a_number_beyond_an_end_counts_as_the_end() -> None:
    (debt, _income) = design(DEBT, INCOME).questions
    assert [debt.true_code_named(str(number)) for number in (-5, 0, 10_000, 10_001)] == [0, 0, 10_000, 10_000]


def test_a_number_without_ends_takes_every_number_and_promises_no_mean() -> None:
    (of,) = design(without(classes("debt", "0.5", 0, 500, 1000, step=500), "low", "high")).questions
    assert isinstance(of, ClassesQuestion)
    assert (of.low, of.high, of.has_mean) == (-(10**9), 10**9, False)
    assert of.class_of(of.number(of.true_code_named("-3000") or 0)) == 0


def test_a_scale_has_a_mean_without_a_rest() -> None:
    (of,) = design(classes("mood", "0.5", *range(11))).questions
    assert isinstance(of, ClassesQuestion)
    assert (of.widest_class_span, of.has_mean, of.classes) == (0, True, 11)
