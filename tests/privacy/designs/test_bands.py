"""A plain number in a design: its bands are its choices, and what does not fit is refused with its place."""

import json
from typing import Any

import pytest

from privacy.designs import Design, InputError, parse
from privacy.grammar.number_range import NumberRange
from privacy.kinds.plain.number_bands import MOST_BANDS, band_names

AGE = {
    "name": "age",
    "choices": ["<18", "18..34", "35..54", "55+"],
    "number": {"low": 0, "high": 120, "step": 1, "limits": [18, 35, 55], "unit": {"en": "years"}},
}


def design(question: dict[str, Any]) -> Design:
    sections = [{"kind": "plain", "questions": [question]}]
    return parse(json.dumps({"format": "candor-design/1", "sections": sections}))


def age(**number: Any) -> dict[str, Any]:
    return {**AGE, "number": {**AGE["number"], **number}}  # type: ignore[dict-item]


def test_what_is_read_is_written_again_with_the_same_fingerprint() -> None:
    read = design(AGE)
    assert parse(read.canonical).fingerprint == read.fingerprint
    assert read.as_json()["sections"][0]["questions"][0]["number"] == AGE["number"]
    assert read.has_bands


def test_to_records_and_to_mining_it_is_a_question_of_its_bands() -> None:
    with_number, without = design(AGE), design({key: AGE[key] for key in ("name", "choices")})
    assert (with_number.width, with_number.questions[0].code_names) == (
        without.width,
        without.questions[0].code_names,
    )
    assert not without.has_bands
    assert "number" not in without.canonical
    assert with_number.fingerprint != without.fingerprint


def test_step_and_unit_may_be_left_out() -> None:
    bare = {"low": 0, "high": 120, "limits": [18, 35, 55]}
    assert (
        design({**AGE, "number": bare}).fingerprint
        == design({**AGE, "number": {**bare, "step": 1}}).fingerprint
    )


def test_the_bands_are_named_by_their_numbers() -> None:
    assert band_names(NumberRange(0, 120), (18, 35, 55)) == ("<18", "18..34", "35..54", "55+")
    assert band_names(NumberRange(0, 1000, 50), (500,)) == ("<500", "500+")
    assert band_names(NumberRange(-40, 60, 5), (-10, 0)) == ("<-10", "-10..-5", "0+")


PLACE = "sections[0].questions[0].number"
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no limit": (age(limits=[]), f"{PLACE}.limits: one limit at least"),
    "ends the wrong way round": (age(low=120, high=0), f"{PLACE}.high: must be above"),
    "ends alike": (age(low=7, high=7), f"{PLACE}.high: must be above"),
    "a limit at the lowest number": (age(limits=[0, 35, 55]), f"{PLACE}.limits[0]: must lie above 0"),
    "limits that fall": (age(limits=[18, 55, 35]), f"{PLACE}.limits[2]: must lie above 55"),
    "a limit twice": (age(limits=[18, 18, 55]), f"{PLACE}.limits[1]: must lie above 18"),
    "a limit beyond the highest number": (age(limits=[18, 35, 121]), f"{PLACE}.limits[2]: must be at most"),
    "a limit between two steps": (age(step=5), f"{PLACE}.limits[0]: lies between two steps of 5"),
    "a step that does not divide": (age(step=7), f"{PLACE}.step: from 0 to 120"),
    "no step": (age(step=0), f"{PLACE}.step: must lie between 1"),
    "more choices than bands": (
        age(limits=[18, 35]),
        f"{PLACE}.limits: 2 limits make 3 bands, and the question has 4",
    ),
    "a thousand bands": (
        age(high=10_000, limits=list(range(1, 1000))),
        f"{PLACE}.limits: at most {MOST_BANDS} bands",
    ),
    "a fraction": (age(low=0.5), f"{PLACE}.low: must be an integer"),
    "a switch": (age(low=False), f"{PLACE}.low: must be an integer"),
    "a text": (age(limits=["18", 35, 55]), f"{PLACE}.limits[0]: must be an integer"),
    "a list": ({**AGE, "number": [0, 120]}, f"{PLACE}: must be an object"),
    "an unknown key": (age(law="classes"), f"{PLACE}: unknown key"),
    "a number far out": (age(high=10**10), f"{PLACE}.high: must lie between"),
    "a unit in another language": (
        age(unit={"de": "Jahre"}),
        f"{PLACE}.unit: 'de' is not one of the languages",
    ),
    "a scale": ({**AGE, "form": "scale"}, f"{PLACE}: only a question of the form one"),
    "random order": ({**AGE, "shuffled": 2}, f"{PLACE}: only a question of the form one"),
    "a line of a table": ({**AGE, "of": "table"}, f"{PLACE}: only a question of the form one"),
}


def test_what_makes_no_bands_is_refused_with_its_place(subtests: pytest.Subtests) -> None:
    for case, (question, refusal) in REFUSED.items():
        with subtests.test(f"{case!r:.60}"):
            with pytest.raises(InputError) as refused:
                design(question)
            assert str(refused.value).startswith(refusal)


def test_a_sensitive_question_takes_no_plain_number() -> None:
    section = {"kind": "unrelated-question", "keep": "0.5", "questions": [{**AGE, "noise": ["0.25"] * 4}]}
    with pytest.raises(InputError, match="unknown key 'number'"):
        parse(json.dumps({"format": "candor-design/1", "sections": [section]}))
