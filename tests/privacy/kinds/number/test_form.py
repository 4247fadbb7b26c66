import json
from fractions import Fraction
from typing import Any

import pytest

from privacy.kinds.number.classes.section import ClassesQuestion, ClassesSection
from privacy.kinds.number.window.section import WindowSection
from privacy.kinds.scored_items import ScoredItems
from privacy.records import DISGUISED, check_codes
from tests.privacy import questionnaires as q
from tests.privacy.conftest import Node, NodeError

DEBT = q.classes("debt", "0.7142", 0, 500, 1000, 2000, 5000, 10000)
INCOME = q.window("income", 1001, 100)


def test_defaults_are_filled_in_by_the_canonical_form() -> None:
    sections = json.loads(q.design(DEBT, INCOME).canonical)["sections"]
    common: dict[str, Any] = {"text": {}, "help": {}, "unit": {}, "show_if": {}, "step": 1}
    limits = {"limits": [500, 1000, 2000, 5000, 10000], "cuts": 1, "rest": 0}
    debt = {"name": "debt", "law": "classes", "low": 0, "high": 10000, **limits}
    income = {"name": "income", "law": "window", "low": 0, "values": 1001, "window": 100, "uniform": "0.5000"}
    assert sections == [
        {"kind": "number", "keep": "0.7142", "questions": [common | debt]},
        {"kind": "number", "questions": [common | income]},
    ]


def test_everything_about_a_number_changes_the_fingerprint() -> None:
    changes: list[dict[str, Any]] = [
        {"step": 500},
        {"cuts": 2},
        {"rest": 2},
        {"unit": "euros"},
        {"help": "x"},
    ]
    changed = (q.classes("debt", "0.7142", 0, 500, 1000, 2000, 5000, 10000, **each) for each in changes)
    assert len({q.design(section).fingerprint for section in (DEBT, *changed)}) == 1 + len(changes)


def test_gamma_codes_and_their_width_follow_from_the_law() -> None:
    first, second = q.design(DEBT, INCOME).sections
    assert isinstance(first, ClassesSection)
    assert isinstance(second, WindowSection)
    # 1 + p(m+1)/(1-p)
    assert (first.law.gamma, second.law.gamma) == (Fraction(8571, 1429), Fraction(1202, 201))
    # Six classes, and all intervals of them; with twenty limits 21 * 22 / 2.
    twenty = q.classes("debt", "0.5", *range(0, 42, 2), rest=1)
    found = [q.design(section).questions[0] for section in (INCOME, DEBT, twenty)]
    assert [(question.not_asked, question.width) for question in found] == [(1001, 4), (21, 2), (233, 3)]


PLACE = "sections[0].questions[0]"


def without_keys(section: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The section, its question without these keys."""
    (question,) = section["questions"]
    return {**section, "questions": [{key: value for key, value in question.items() if key not in keys}]}


WITH_REST = q.classes("a", "0.5", 0, 4, 8, rest=1)
REFUSED: list[tuple[dict[str, Any], str]] = [
    (q.classes("a", "0.5", 0, 2, 2), f"{PLACE}.limits[1]: 2 does not lie above 2"),
    (q.classes("a", "0.5", 0, 0, 2), f"{PLACE}.limits[0]: 0 does not lie above 0"),
    (q.classes("a", "0.5", 0, high=5), f"{PLACE}.limits: 0 limits; a number has 1 to 20"),
    (q.classes("a", "0.5", *range(22)), f"{PLACE}.limits: 21 limits; a number has 1 to 20"),
    (q.classes("a", "0.5", 0, 10, 25, step=10), f"{PLACE}.limits[1]: 25 is no multiple of the step 10"),
    (q.classes("a", "0.5", 0, 10, 20, step=10, high=25), f"{PLACE}.high: 25 is no multiple of the step 10"),
    (q.classes("a", "0.5", 0, 10, 20, high=15), f"{PLACE}.high: 15 lies below the last limit, 20"),
    (q.classes("a", "0.5", 0, 1, 10**9 + 1), f"{PLACE}.limits[1]: must lie between"),
    (
        without_keys(q.classes("a", "0.5", 0, 1, 2), "high"),
        f"{PLACE}.low: low and high stand both or neither",
    ),
    (
        without_keys(q.classes("a", "0.5", 0, 1, 2), "low"),
        f"{PLACE}.high: low and high stand both or neither",
    ),
    (q.classes("a", "0.5", 0, 1, 5, cuts=3), f"{PLACE}.cuts: must lie between 1 and 2"),
    (q.classes("a", "0.5", 0, 1, 5, cuts=0), f"{PLACE}.cuts: must lie between 1 and 2"),
    (q.classes("a", "0.5", 0, 1, 5, rest=11), f"{PLACE}.rest: must lie between 0 and 10"),
    (q.classes("a", "0.5", 0, 1, 2, rest=1), f"{PLACE}.rest: every class is one value"),
    (without_keys(WITH_REST, "low", "high"), f"{PLACE}.rest: the mean needs"),
    (q.classes("a", "1", 0, 1, 2), "sections[0].keep: a probability of 1 is not allowed"),
    (q.classes("a", "0.5", 0, 4, 8, rest=1, keep_rest="1"), "sections[0].keep_rest: a probability of 1"),
    ({**q.classes("a", "0.5", 0, 4), "keep_rest": "0.5"}, "sections[0].keep_rest: no record sends the place"),
    ({key: WITH_REST[key] for key in ("kind", "keep", "questions")}, "sections[0]: 'keep_rest' is missing"),
    (q.window("a", 99, 4, "0.5"), f"{PLACE}.window: the 9 numbers of the window and the 99 values share"),
    (q.window("a", 9, 4, "0.5"), f"{PLACE}.window: must lie between 0 and 3"),
    (q.window("a", 65_001, 4, "0.5"), f"{PLACE}.values: must lie between 2 and 65000"),
    (q.window("a", 1001, 475, "0.5"), f"{PLACE}.window: the window is so wide"),
    (q.window("a", 101, 3, "0.95"), f"{PLACE}.window: the window is so wide"),
    (q.window("a", 101, 3, "0.5", step=0), f"{PLACE}.step: must lie between 1"),
    (q.window("a", 101, 3, "0.5", low=10**9), f"{PLACE}.values: the highest number is above 1000000000"),
    (q.window("a", 101, 3, "0.5", choices=["no", "yes"]), f"{PLACE}: unknown key 'choices'"),
    ({**q.window("a", 101, 3), "keep": "0.5"}, "sections[0].keep: the law window has no probability"),
    ({"kind": "number", "questions": DEBT["questions"]}, "sections[0]: 'keep' is missing"),
    ({**DEBT, "questions": DEBT["questions"] * 2}, "sections[0].questions[1].name: two questions are"),
    (
        {**DEBT, "questions": [*DEBT["questions"], {**DEBT["questions"][0], "name": "other"}]},
        "sections[0].questions: a section of numbers has one question",
    ),
    ({"kind": "number", "questions": [{"name": "a"}]}, f"{PLACE}: 'law' is missing"),
    ({"kind": "number", "questions": [{"name": "a", "law": "gauss"}]}, f"{PLACE}.law: 'gauss' is not a law"),
]


def test_numbers_that_no_law_fits_are_refused_with_the_place_and_the_reason(disguise_js: Node) -> None:
    assert q.refused_otherwise(q.design, REFUSED) == []
    after = {"name": "why", "choices": ["a", "b"], "show_if": {"debt": [">=500"]}}
    assert "'debt' is sensitive" in q.refusal(q.design, DEBT, q.plain(after))
    # The browser refuses the same numbers.
    five = q.classes("a", "0.5", 0, 1, 4, 5, limits=[1, 4], rest=0, show_if={})["questions"][0]
    for changed in (
        {"limits": [2, 1]},
        {"limits": [0, 1]},
        {"limits": [1, 6]},
        {"limits": [1, 4], "step": 2},
        {"limits": [], "cuts": 0},
        {"limits": list(range(1, 22)), "high": 30},
        {"cuts": 3},
        {"rest": 1, "limits": [1, 2, 3, 4, 5]},
        {"high": None},
    ):
        given = {key: value for key, value in ({"step": 1} | five | changed).items() if value is not None}
        section = {"kind": "number", "keep": "0.5", "keep_rest": "0.5", "questions": [given]}
        source = {"open_answers": False, "sections": [section]}
        with pytest.raises(NodeError):
            disguise_js.ask("drawing", design=source, words=[0] * 99, bits=32, modulus=10_000)


HIDDEN = q.design(q.plain(q.WORK), q.classes("debt", "0.5", 0, 5, 10, **q.IF_EMPLOYED), q.window("pay", 5, 1))


def test_a_record_that_no_device_could_have_sent_is_refused_and_any_other_taken() -> None:
    shows, hides = (f"the answers that are not disguised {what} it" for what in ("show", "hide"))
    refused = {
        (0, 6, 0): "debt: a number is always asked",
        (0, 2, 0): "debt: no device sends this answer in its group",
        (0, 7, 0): f"debt: not applicable, but {shows}",
        (1, 3, 0): f"debt: answered, but {hides}",
        (0, 3, 5): "pay: a number is always asked",
        (0, 3, 6): f"pay: not applicable, but {shows}",
    }
    for codes, said in refused.items():
        assert q.refusal(check_codes, HIDDEN, codes, group=DISGUISED if "group" in said else None) == said
    for codes in ((0, 5, 4), (0, 1, 4), (1, 7, 0)):
        check_codes(HIDDEN, codes)


def test_a_number_beyond_an_end_counts_as_the_end() -> None:
    (debt, _income) = q.design(DEBT, INCOME).questions
    assert [debt.true_code_named(str(number)) for number in (-5, 0, 10_000, 10_001)] == [0, 0, 10_000, 10_000]


def test_a_number_without_ends_takes_every_number_and_promises_no_mean() -> None:
    (of,) = q.design(without_keys(q.classes("debt", "0.5", 0, 500, 1000, step=500), "low", "high")).questions
    assert isinstance(of, ClassesQuestion)
    assert (of.low, of.high, of.has_mean) == (-(10**9), 10**9, False)
    assert of.class_of(of.number(of.true_code_named("-3000") or 0)) == 0


def test_a_scale_has_a_mean_without_a_rest() -> None:
    (of,) = q.design(q.classes("mood", "0.5", *range(11))).questions
    assert isinstance(of, ClassesQuestion)
    assert (of.widest_class_span, of.has_mean, of.classes) == (0, True, 11)


# --- what mining sees

WHOLE = q.design(
    q.window("income", 101, 3),
    q.plain(q.WORK),
    q.classes("debt", "0.5", 0, 5, 10, 20, **q.IF_EMPLOYED),
    q.sensitive("0.5", q.question("theft", *q.HALF, **q.IF_EMPLOYED)),
)


def test_every_question_keeps_its_place_and_the_design_its_fingerprint() -> None:
    mined = WHOLE.mined
    assert [question.name for question in mined.questions] == ["income", "work", "debt", "theft"]
    assert mined is not WHOLE
    assert (mined.fingerprint, mined.canonical) == (WHOLE.fingerprint, WHOLE.canonical)
    assert mined.mined is mined
    # A window has no items but its rules; without numbers a design is mined as it is.
    assert (mined.questions[0].name, mined.questions[0].codes) == ("income", 0)
    found = q.design(q.plain(q.WORK), q.sensitive("0.5", q.question("theft", *q.HALF)))
    assert found.mined is found


def test_the_items_of_a_number_are_its_limits_its_inner_classes_and_their_absences() -> None:
    items = WHOLE.mined.questions[2]
    assert isinstance(items, ScoredItems)
    names = [choice.name for choice in items.choices]
    assert names == [">=5", ">=10", ">=20", ">=5 <10", ">=10 <20", "<5", "<10", "<20"]
    assert [names[item] for item in items.listed_codes] == names[:5]
    assert [names[item] for item in items.class_items] == ["<5", ">=5 <10", ">=10 <20", ">=20"]


def test_some_records_have_no_score_where_some_send_the_rest_or_a_rule_hides_it() -> None:
    for rest, rule, rotates in ((0, {}, False), (2, {}, True), (0, q.IF_EMPLOYED, True)):
        found = q.design(q.plain(q.WORK), q.classes("debt", "0.5", 0, 5, 10, rest=rest, **rule))
        assert found.mined.sections[1].rotates is rotates, (rest, rule)
