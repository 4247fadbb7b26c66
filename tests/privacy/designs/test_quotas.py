"""Quotas in a design: their canonical form, and the answers that no quota can count."""

from typing import Any

import pytest

from privacy.designs import InputError, parse
from privacy.designs.quotas import MOST_QUOTAS
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, design, plain, question, sensitive

TAX = sensitive("0.5", question("tax", *HALF))
SEX: dict[str, Any] = {"name": "sex", "choices": ["f", "m"]}
VERSION = {"name": "version", "form": "drawn", "choices": ["a", "b"], "shares": ["0.5", "0.5"]}


def quota(limit: object = 30, **answers: object) -> dict[str, Any]:
    return {"answers": answers, "limit": limit}


def test_quotas_are_read_again_as_they_are_written() -> None:
    asks = design(plain(SEX, WORK), TAX, quotas=[quota(200, work="employed", sex="m"), quota(sex="f")])
    assert asks.as_json()["quotas"] == [quota(200, sex="m", work="employed"), quota(30, sex="f")]
    assert parse(asks.canonical) == asks
    assert asks.quotas[0].codes == ((0, 1), (1, asks.questions[1].code_names.index("employed")))
    assert asks.mined.quotas == asks.quotas


def test_a_person_is_in_the_cell_with_all_of_its_answers() -> None:
    (first,) = design(plain(SEX, WORK), quotas=[quota(sex="m", work="employed")]).quotas
    at = dict(first.codes)
    assert first.includes([at[0], at[1]])
    assert not first.includes([at[0], 1 - at[1]])
    assert not first.includes([None, at[1]])


def test_a_design_without_quotas_keeps_its_bytes() -> None:
    without = design(plain(SEX), TAX)
    assert design(plain(SEX), TAX, quotas=[]).canonical == without.canonical
    assert "quota" not in without.canonical


def test_what_no_quota_can_count_is_refused_with_the_reason(subtests: pytest.Subtests) -> None:
    cases: list[tuple[tuple[dict[str, Any], ...], list[dict[str, Any]], str, str]] = [
        ((plain(SEX), TAX), [quota(tax="yes")], "quotas[0].answers.tax", "would betray it"),
        ((plain(SEX), TAX, plain(WORK)), [quota(work="employed")], "quotas[0].answers.work", "in vain"),
        (
            (plain(WORK, SEX | IF_EMPLOYED),),
            [quota(sex="f")],
            "quotas[0].answers.sex",
            "not asked of everybody",
        ),
        ((plain(VERSION),), [quota(version="a")], "quotas[0].answers.version", "drawn by the device"),
        ((plain(SEX),), [quota(age="18")], "quotas[0].answers.age", "no question is called 'age'"),
        ((plain(SEX),), [quota(sex="x")], "quotas[0].answers.sex", "'x' is not a choice of 'sex'"),
        ((plain(SEX),), [quota(29, sex="f")], "quotas[0].limit", "must lie between 30 and"),
        ((plain(SEX),), [quota()], "quotas[0].answers", "one or two answers"),
        ((plain(SEX),), [quota(sex="f"), quota(40, sex="f")], "quotas[1]", "the same answers"),
        ((plain(SEX),), [quota(sex="f")] * (MOST_QUOTAS + 1), "quotas[1]", "the same answers"),
        ((plain(SEX),), [{"answers": {"sex": "f"}}], "quotas[0]", "'limit' is missing"),
    ]
    for sections, quotas, path, reason in cases:
        with subtests.test(f"{sections!r:.60} {quotas!r:.60}"):
            with pytest.raises(InputError) as refusal:
                design(*sections, quotas=quotas)
            assert refusal.value.path == path
            assert reason in refusal.value.reason


def test_quotas_look_at_two_question_sets_at_most() -> None:
    asks = plain(*({"name": name, "choices": ["a", "b"]} for name in "xyz"))
    two = [quota(x="a"), quota(x="b"), quota(y="a", x="a"), quota(x="b", y="a")]
    assert len(design(asks, quotas=two).quotas) == 4
    with pytest.raises(InputError, match="a third set of questions is counted") as refusal:
        design(asks, quotas=[*two, quota(z="a")])
    assert refusal.value.path == "quotas[4]"


def test_two_answers_to_names_that_differ_in_capital_letters_only_are_refused() -> None:
    with pytest.raises(InputError, match="differ in capital letters only"):
        design(plain(SEX), quotas=[quota(sex="f", Sex="m")])


def test_three_answers_are_too_many() -> None:
    three = [{"name": name, "choices": ["a", "b"]} for name in "xyz"]
    with pytest.raises(InputError, match="one or two answers"):
        design(plain(*three), quotas=[quota(x="a", y="a", z="a")])


def test_the_bands_of_a_number_and_the_options_of_a_question_of_several_can_be_counted() -> None:
    age = {"name": "age", "choices": ["<18", "18+"], "number": {"low": 0, "high": 120, "limits": [18]}}
    pills = {"name": "pills", "form": "many", "of": "used", "choices": ["no", "yes"]}
    assert len(design(plain(age, pills), quotas=[quota(age="18+", pills="yes")]).quotas) == 1
