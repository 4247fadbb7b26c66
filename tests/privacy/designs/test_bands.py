"""A plain number in a design: its bands are its choices, and what does not fit is refused with its place."""

from typing import Any

from privacy.designs import Design, parse_design
from privacy.grammar.number_range import NumberRange
from privacy.kinds.plain.number_bands import MOST_BANDS, band_names
from tests.privacy import questionnaires as q
from tests.privacy.questionnaires import refusal, refused_otherwise, sensitive

AGE = {
    "name": "age",
    "choices": ["<18", "18..34", "35..54", "55+"],
    "number": {"low": 0, "high": 120, "step": 1, "limits": [18, 35, 55], "unit": {"en": "years"}},
}


def design(question: dict[str, Any]) -> Design:
    return q.design(q.plain(question))


def age(**number: Any) -> dict[str, Any]:
    return {**AGE, "number": {**AGE["number"], **number}}  # type: ignore[dict-item]


def test_to_records_and_to_mining_it_is_a_question_of_its_bands() -> None:
    with_number, without = design(AGE), design({key: AGE[key] for key in ("name", "choices")})
    assert parse_design(with_number.canonical).fingerprint == with_number.fingerprint != without.fingerprint
    assert with_number.as_json()["sections"][0]["questions"][0]["number"] == AGE["number"]
    assert (with_number.has_banded_numbers, without.has_banded_numbers) == (True, False)
    assert "number" not in without.canonical
    for own in ("width", "code_names"):
        assert getattr(with_number.questions[0], own) == getattr(without.questions[0], own)
    # Step and unit may be left out.
    bare = {"low": 0, "high": 120, "limits": [18, 35, 55]}
    one, stepped = (design({**AGE, "number": of}) for of in (bare, {**bare, "step": 1}))
    assert one.fingerprint == stepped.fingerprint


def test_the_bands_are_named_by_their_numbers() -> None:
    assert band_names(NumberRange(0, 120), (18, 35, 55)) == ("<18", "18..34", "35..54", "55+")
    assert band_names(NumberRange(0, 1000, 50), (500,)) == ("<500", "500+")
    assert band_names(NumberRange(-40, 60, 5), (-10, 0)) == ("<-10", "-10..-5", "0+")


PLACE = "sections[0].questions[0].number"
ONLY_ONE = f"{PLACE}: only a question of the form one"
REFUSED: list[tuple[dict[str, Any], str]] = [
    (age(limits=[]), f"{PLACE}.limits: one limit at least"),
    (age(low=120, high=0), f"{PLACE}.high: must be above"),
    (age(low=7, high=7), f"{PLACE}.high: must be above"),
    (age(limits=[0, 35, 55]), f"{PLACE}.limits[0]: must lie above 0"),
    (age(limits=[18, 55, 35]), f"{PLACE}.limits[2]: must lie above 55"),
    (age(limits=[18, 18, 55]), f"{PLACE}.limits[1]: must lie above 18"),
    (age(limits=[18, 35, 121]), f"{PLACE}.limits[2]: must be at most"),
    (age(step=5), f"{PLACE}.limits[0]: lies between two steps of 5"),
    (age(step=7), f"{PLACE}.step: from 0 to 120"),
    (age(step=0), f"{PLACE}.step: must lie between 1"),
    (age(limits=[18, 35]), f"{PLACE}.limits: 2 limits make 3 bands, and the question has 4"),
    (age(high=10_000, limits=list(range(1, 1000))), f"{PLACE}.limits: at most {MOST_BANDS} bands"),
    (age(low=0.5), f"{PLACE}.low: must be an integer"),
    (age(low=False), f"{PLACE}.low: must be an integer"),
    (age(limits=["18", 35, 55]), f"{PLACE}.limits[0]: must be an integer"),
    ({**AGE, "number": [0, 120]}, f"{PLACE}: must be an object"),
    (age(law="classes"), f"{PLACE}: unknown key"),
    (age(high=10**10), f"{PLACE}.high: must lie between"),
    (age(unit={"de": "Jahre"}), f"{PLACE}.unit: 'de' is not one of the languages"),
    *(({**AGE, **more}, ONLY_ONE) for more in ({"form": "scale"}, {"shuffled": 2}, {"of": "table"})),
]


def test_what_makes_no_bands_is_refused_with_its_place() -> None:
    assert refused_otherwise(design, REFUSED) == []
    assert "unknown key 'number'" in refusal(q.design, sensitive("0.5", {**AGE, "noise": ["0.25"] * 4}))
