import json
from fractions import Fraction
from typing import Any

import pytest

from privacy.designs import Refusal, parse
from privacy.kinds.number.form import ThresholdsSection, WindowSection
from privacy.records import check_codes
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, design, plain, thresholds, window, written

DEBT = thresholds("debt", "0.7142", 0, 500, 1000, 2000, 5000, 10000)
INCOME = window("income", 1001, 100)


def test_defaults_are_filled_in_by_the_canonical_form() -> None:
    sections = json.loads(design(DEBT, INCOME).canonical)["sections"]
    common: dict[str, Any] = {"text": {}, "help": {}, "unit": {}, "show_if": {}, "step": 1}
    debt = {
        "name": "debt",
        "law": "thresholds",
        "thresholds": [0, 500, 1000, 2000, 5000, 10000],
        "mean": False,
    }
    income = {"name": "income", "law": "window", "low": 0, "values": 1001, "window": 100, "uniform": "0.5000"}
    assert sections == [
        {"kind": "number", "keep": "0.7142", "questions": [common | debt]},
        {"kind": "number", "questions": [common | income]},
    ]


@pytest.mark.parametrize("changed", [{"step": 500}, {"mean": True}, {"unit": "euros"}, {"help": "x"}])
def test_everything_about_a_number_changes_the_fingerprint(changed: dict[str, Any]) -> None:
    other = thresholds("debt", "0.7142", 0, 500, 1000, 2000, 5000, 10000, **changed)
    assert design(DEBT).fingerprint != design(other).fingerprint


def test_a_law_states_its_gamma_exactly() -> None:
    first, second = design(DEBT, INCOME).sections
    assert isinstance(first, ThresholdsSection)
    assert isinstance(second, WindowSection)
    assert first.law.gamma == Fraction(8571, 1429)  # (1 + p) / (1 - p), as in the vectors
    assert second.law.gamma == Fraction(1202, 201)


@pytest.mark.parametrize(
    ("section", "not_asked", "width"),
    [
        (INCOME, 1001, 4),
        (DEBT, 10, 2),
        (thresholds("debt", "0.5", *range(21)), 40, 2),
    ],
)
def test_codes_and_their_width_follow_from_the_law(
    section: dict[str, Any], not_asked: int, width: int
) -> None:
    (question,) = design(section).questions
    assert (question.not_asked, question.width) == (not_asked, width)


PLACE = "sections[0].questions[0]"
REFUSED: list[tuple[dict[str, Any], str]] = [
    (thresholds("a", "0.5", 0, 2, 2), f"{PLACE}.thresholds[2]: 2 does not lie above 2"),
    (thresholds("a", "0.5", 0, 5), f"{PLACE}.thresholds: 2 numbers; the two ends"),
    (thresholds("a", "0.5", *range(22)), f"{PLACE}.thresholds: 22 numbers; the two ends"),
    (thresholds("a", "0.5", 0, 10, 25, step=10), f"{PLACE}.thresholds[2]: 25 is no multiple of the step 10"),
    (
        thresholds("a", "0.5", 0, 65537, 65537 + 65539, mean=True),
        f"{PLACE}.thresholds: the least common multiple of the gaps is 4295229443",
    ),
    (thresholds("a", "0.5", 0, 1, 10**9 + 1), f"{PLACE}.thresholds[2]: must lie between"),
    (thresholds("a", "1", 0, 1, 2), "sections[0].keep: a probability of 1 is not allowed"),
    (window("a", 99, 4, "0.5"), f"{PLACE}.window: the 9 numbers of the window and the 99 values share"),
    (window("a", 9, 4, "0.5"), f"{PLACE}.window: must lie between 0 and 3"),
    (window("a", 65_001, 4, "0.5"), f"{PLACE}.values: must lie between 2 and 65000"),
    (window("a", 1001, 475, "0.5"), f"{PLACE}.window: the window is so wide"),
    (window("a", 101, 3, "0.95"), f"{PLACE}.window: the window is so wide"),
    (window("a", 101, 3, "0.5", low=0.5), f"{PLACE}.low: must be an integer"),
    (window("a", 101, 3, "0.5", step=0), f"{PLACE}.step: must lie between 1"),
    (window("a", 101, 3, "0.5", low=10**9), f"{PLACE}.values: the highest number is above 1000000000"),
    (window("a", 101, 3, "0.5", mean=True), f"{PLACE}: unknown key 'mean'"),
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
        f"{PLACE}.law: 'gauss' is not a law of numbers (window, thresholds)",
    ),
]


@pytest.mark.parametrize(("section", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_numbers_that_no_law_fits_are_refused_with_the_place_and_the_reason(
    section: dict[str, Any], said: str
) -> None:
    with pytest.raises(Refusal) as caught:
        parse(json.dumps(written(section)))
    assert str(caught.value).startswith(said)


def test_no_rule_may_name_a_number() -> None:
    after = {"name": "why", "choices": ["a", "b"], "show_if": {"debt": [">=500"]}}
    with pytest.raises(Refusal, match="'debt' is sensitive"):
        design(DEBT, plain(after))


HIDDEN = design(plain(WORK), thresholds("debt", "0.5", 0, 5, 10, **IF_EMPLOYED), window("pay", 5, 1))


@pytest.mark.parametrize("codes", [(0, 3, 4), (1, 5, 0)])
def test_a_possible_record_is_accepted(codes: tuple[int, ...]) -> None:
    check_codes(HIDDEN, codes)


@pytest.mark.parametrize(
    ("codes", "said"),
    [
        ((0, 4, 0), "debt: a number is always asked"),
        ((0, 5, 0), "debt: not applicable, but the answers that are not disguised show it"),
        ((1, 3, 0), "debt: answered, but the answers that are not disguised hide it"),
        ((0, 3, 5), "pay: a number is always asked"),
        ((0, 3, 6), "pay: not applicable, but the answers that are not disguised show it"),
    ],
)
def test_a_record_that_no_device_could_have_sent_is_refused(codes: tuple[int, ...], said: str) -> None:
    with pytest.raises(Refusal) as caught:
        check_codes(HIDDEN, codes)
    assert str(caught.value) == said
