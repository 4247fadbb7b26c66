"""Quotas and the check of understanding in a design: their canonical form, and what is refused."""

from typing import Any

import pytest

from privacy.designs import InputError, parse_design
from privacy.designs.quotas import MOST_QUOTAS
from tests.privacy import questionnaires as q

TAX = q.sensitive("0.5", q.question("tax", *q.HALF))
SEX: dict[str, Any] = {"name": "sex", "choices": ["f", "m"]}
VERSION = {"name": "version", "form": "drawn", "choices": ["a", "b"], "shares": ["0.5", "0.5"]}


def quota(limit: object = 30, **answers: object) -> dict[str, Any]:
    return {"answers": answers, "limit": limit}


def test_quotas_are_read_again_as_they_are_written() -> None:
    asks = q.design(q.plain(SEX, q.WORK), TAX, quotas=[quota(200, work="employed", sex="m"), quota(sex="f")])
    assert asks.as_json()["quotas"] == [quota(200, sex="m", work="employed"), quota(30, sex="f")]
    assert parse_design(asks.canonical) == asks
    assert asks.quotas[0].codes == ((0, 1), (1, asks.questions[1].code_names.index("employed")))
    assert asks.mined.quotas == asks.quotas


def test_a_person_is_in_the_cell_with_all_of_its_answers() -> None:
    (first,) = q.design(q.plain(SEX, q.WORK), quotas=[quota(sex="m", work="employed")]).quotas
    at = dict(first.codes)
    people = ([at[0], at[1]], [at[0], 1 - at[1]], [None, at[1]])
    assert [first.includes(codes) for codes in people] == [True, False, False]
    without = q.design(q.plain(SEX), TAX)
    assert q.design(q.plain(SEX), TAX, quotas=[]).canonical == without.canonical
    assert "quota" not in without.canonical


def test_what_no_quota_can_count_is_refused_with_the_reason() -> None:
    xyz = q.plain(*({"name": name, "choices": ["a", "b"]} for name in "xyz"))
    female, at = quota(sex="f"), "quotas[0].answers"
    cases: list[tuple[tuple[dict[str, Any], ...], list[dict[str, Any]], str, str]] = [
        ((q.plain(SEX), TAX), [quota(tax="yes")], f"{at}.tax", "would betray it"),
        ((q.plain(SEX), TAX, q.plain(q.WORK)), [quota(work="employed")], f"{at}.work", "in vain"),
        ((q.plain(q.WORK, SEX | q.IF_EMPLOYED),), [female], f"{at}.sex", "not asked of everybody"),
        ((q.plain(VERSION),), [quota(version="a")], f"{at}.version", "drawn by the device"),
        ((q.plain(SEX),), [quota(age="18")], f"{at}.age", "no question is called 'age'"),
        ((q.plain(SEX),), [quota(sex="x")], f"{at}.sex", "'x' is not a choice of 'sex'"),
        ((q.plain(SEX),), [quota(29, sex="f")], "quotas[0].limit", "must lie between 30 and"),
        ((q.plain(SEX),), [quota()], at, "one or two answers"),
        ((xyz,), [quota(x="a", y="a", z="a")], at, "one or two answers"),
        ((q.plain(SEX),), [quota(sex="f", Sex="m")], "", "differ in capital letters only"),
        ((q.plain(SEX),), [female, quota(40, sex="f")], "quotas[1]", "the same answers"),
        ((q.plain(SEX),), [female] * (MOST_QUOTAS + 1), "quotas[1]", "the same answers"),
        ((q.plain(SEX),), [{"answers": {"sex": "f"}}], "quotas[0]", "'limit' is missing"),
    ]
    for sections, quotas, path, reason in cases:
        with pytest.raises(InputError) as refused:
            q.design(*sections, quotas=quotas)
        assert path in ("", refused.value.path), reason
        assert reason in refused.value.reason, reason


def test_quotas_look_at_two_question_sets_at_most() -> None:
    xyz = q.plain(*({"name": name, "choices": ["a", "b"]} for name in "xyz"))
    two = [quota(x="a"), quota(x="b"), quota(y="a", x="a"), quota(x="b", y="a")]
    assert len(q.design(xyz, quotas=two).quotas) == 4
    refused = q.refusal(q.design, xyz, quotas=[*two, quota(z="a")])
    assert refused.startswith("quotas[4]: a third set of questions is counted")


def test_the_bands_of_a_number_and_the_options_of_a_question_of_several_can_be_counted() -> None:
    age = {"name": "age", "choices": ["<18", "18+"], "number": {"low": 0, "high": 120, "limits": [18]}}
    pills = {"name": "pills", "form": "many", "of": "used", "choices": ["no", "yes"]}
    assert len(q.design(q.plain(age, pills), quotas=[quota(age="18+", pills="yes")]).quotas) == 1


# --- the check of understanding


def test_the_check_is_the_last_question_and_the_design_is_read_again_as_it_is_written() -> None:
    checked = q.design(q.plain(q.WORK), TAX, q.UNDERSTOOD, understanding=True)
    assert checked.understanding_index == checked.mined.understanding_index == 2
    assert checked.as_json()["understanding"] is True
    assert parse_design(checked.canonical) == checked
    off = q.design(q.plain(q.WORK), TAX)
    assert q.design(q.plain(q.WORK), TAX, understanding=False).canonical == off.canonical
    assert ("understanding" in off.canonical, off.understanding_index) == (False, None)


def test_what_is_no_check_is_refused() -> None:
    check, must = q.UNDERSTOOD["questions"][0], "the last section must be the plain question 'understood'"
    for sections in (
        (q.UNDERSTOOD, TAX),
        (TAX, q.plain(q.WORK)),
        (TAX, q.plain(q.WORK, check)),
        (q.plain(q.WORK), TAX, q.plain(check | q.IF_EMPLOYED)),
        (TAX, q.plain(check | {"choices": ["at-once", "not"]})),
        (TAX, q.plain(check | {"name": "clear"})),
        (q.plain(q.WORK), q.sensitive("0.5", q.question("understood", "0.2", "0.5", "0.3"))),
    ):
        assert must in q.refusal(q.design, *sections, understanding=True), sections
    assert "nothing is disguised" in q.refusal(q.design, q.plain(q.WORK), q.UNDERSTOOD, understanding=True)
    assert "must be true or false" in q.refusal(q.design, TAX, q.UNDERSTOOD, understanding="yes")
