"""Rules by brute force: an expression and the rule made of it agree on every combination of answers."""

import time
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from importing.show_if_conditions import (
    DEEPEST,
    HIDDEN,
    LONGEST,
    ConditionQuestion,
    RuleRefused,
    show_if_rule,
)

KNOWN = {
    "age": ConditionQuestion("age", {"young": ["young"], "mid": ["mid"], "old": ["old"]}, False),
    "work": ConditionQuestion("employment", {"1": ["employed"], "2": ["not"]}, True),
    "paid": ConditionQuestion("paid", {}, False, {"cash": ["paid-cash"], "goods": ["paid-goods"]}),
}
WHY_NOT = {"theft": "looks at theft, which is sensitive"}
Answers = Mapping[str, str]
AGES, NO_YES = ["young", "mid", "old"], ["no", "yes"]
EVERY = [
    {"age": age, "work": work, "cash": cash, "goods": goods}
    for age, work, cash, goods in product(AGES, ["1", "2", HIDDEN], NO_YES, NO_YES)
]


def shows(rules: Mapping[str, list[str]], answers: Answers) -> bool:
    ours = {
        "age": answers["age"],
        "employment": {"1": "employed", "2": "not", HIDDEN: None}[answers["work"]],
        "paid-cash": answers["cash"],
        "paid-goods": answers["goods"],
    }
    return all(ours[name] in allowed for name, allowed in rules.items())


# --- an expression and what XLSForm means by it

ATOMS: list[tuple[str, Any]] = [
    *((f"${{age}} {sign} '{age}'", ("age", sign, age)) for sign in ("=", "!=") for age in AGES),
    *((f"${{work}}{sign}{choice}", ("work", sign, choice)) for sign in ("=", "!=") for choice in ("1", "2")),
    ("${work} != ''", ("work", "!=", "")),
    ("selected(${work}, '1')", ("work", "=", "1")),
    ("selected( ${paid} , 'cash' )", ("cash", "=", "yes")),
    ('selected(${paid}, "goods")', ("goods", "=", "yes")),
]


def expressions() -> st.SearchStrategy[tuple[str, Any]]:
    def grown(inner: st.SearchStrategy[tuple[str, Any]]) -> st.SearchStrategy[tuple[str, Any]]:
        pairs = st.tuples(inner, st.sampled_from(["and", "or"]), inner)
        joined = pairs.map(
            lambda found: (f"({found[0][0]} {found[1]} {found[2][0]})", (found[1], found[0][1], found[2][1]))
        )
        return joined | inner.map(lambda found: (f"not({found[0]})", ("not", found[1])))

    return st.recursive(st.sampled_from(ATOMS), grown, max_leaves=6)


def holds(meaning: Any, answers: Answers) -> bool:
    kind = meaning[0]
    if kind == "not":
        return not holds(meaning[1], answers)
    if kind in ("and", "or"):
        both = [holds(part, answers) for part in meaning[1:]]
        return all(both) if kind == "and" else any(both)
    name, sign, value = meaning
    return bool((answers[name] == value) == (sign == "="))


@pytest.mark.page
@settings(max_examples=50)
@given(case=expressions())
def test_a_rule_shows_a_question_to_exactly_those_whom_the_expression_means(case: tuple[str, Any]) -> None:
    written, meaning = case
    try:
        rules = show_if_rule(written, KNOWN, WHY_NOT)
    except RuleRefused:
        return
    assert [shows(rules, answers) for answers in EVERY] == [holds(meaning, answers) for answers in EVERY]


def test_what_a_rule_can_say() -> None:
    for written, rules in {
        "${age} = 'old'": {"age": ["old"]},
        "${ \t age \n} = 'old'": {"age": ["old"]},
        "${age} = 'old' or ${age} = 'mid'": {"age": ["old", "mid"]},
        "${age} != 'old'": {"age": ["young", "mid"]},
        "${work} = 1 and ${age} = 'old'": {"employment": ["employed"], "age": ["old"]},
        "selected(${paid}, 'cash') and not(selected(${paid}, 'goods'))": {"paid-cash": ["yes"], "paid-goods": ["no"]},
        "not(${age} = 'old' or ${age} = 'mid')": {"age": ["young"]},
        "${work} != '' and ${work} != '2'": {"employment": ["employed"]},
        "${age} = 'old' or (${age} = 'old' and ${work} = '1')": {"age": ["old"]},
    }.items():  # fmt: skip
        assert show_if_rule(written, KNOWN, WHY_NOT) == rules, written


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("${theft} = 'yes'", "looks at theft, which is sensitive"),
        ("${later} = 'yes'", "names later, and no earlier question is called that"),
        ("${age} = 'ancient'", "compares age to “ancient”, which is none of its choices"),
        ("${age} = 'old' or ${work} = '1'", "joins different questions by or"),
        ("${age} = 'old' and ${age} = 'mid'", "can never hold"),
        ("${work} != '1'", "would also hold for people who were not asked employment"),
        ("${paid} = 'cash'", "compares paid, where several can be chosen; use selected()"),
        ("selected(${paid}, 'gold')", "compares paid to “gold”"),
        ("${age} > 18", "cannot be read from “> 18” on"),
        ("count-selected(${paid}) = 2", "holds “count-selected”"),
        ("string-length(${age}) = 2", "holds “string-length”"),
        ("${age} = ", "ends too early"),
        ("(${age} = 'old'", "ends too early"),
        ("${age} = 'old')", "holds “)”"),
        ("'old' = ${age}", "holds “'old'”"),
        ("${age} = 'old' ${age} = 'mid'", "holds “age”"),
        ("not ${age} = 'old'", "holds “age”"),
        ("(" * (DEEPEST + 1) + "${age} = 'old'" + ")" * (DEEPEST + 1), "is nested too deeply"),
        ("${age} = 'old'" + " " * LONGEST + "and", "is too long"),
        ("${" + " " * 4_900, "cannot be read"),
    ],
)
def test_what_a_rule_cannot_say_is_refused_with_the_reason(written: str, why: str) -> None:
    began = time.process_time()
    with pytest.raises(RuleRefused) as refused:
        show_if_rule(written, KNOWN, WHY_NOT)
    assert why in str(refused.value)
    assert time.process_time() - began < 1
