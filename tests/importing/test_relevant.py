"""Rules by brute force: an expression and the rule made of it agree on every combination of answers."""

import time
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from importing.condition_tokens import COMPARISONS, LONGEST, RuleRefused, thresholds, xpath_tokens
from importing.show_if_conditions import DEEPEST, HIDDEN, Band, ConditionQuestion, show_if_rule

BANDS = (Band("<1", 0, 0), Band("1..4", 1, 4), Band("5+", 5, 9))
KNOWN = {
    "kids": ConditionQuestion("kids", {}, False, bands=BANDS),
    "age": ConditionQuestion("age", {"young": ["young"], "mid": ["mid"], "old": ["old"]}, False),
    "work": ConditionQuestion("employment", {"1": ["employed"], "2": ["not"]}, True),
    "paid": ConditionQuestion("paid", {}, False, {"cash": ["paid-cash"], "goods": ["paid-goods"]}),
}
COMPUTED = {
    "old": "if(${age} = 'old', 1, 0)",
    "some": "if(${kids} > 0, 1, 0)",
    "both": "if(${old} = 1, if(${kids} >= 5, 'yes', 'no'), 'no')",
    "either": "if(${old} = 1 or ${kids} >= 5, 1, 0)",
    "sum": "${kids} + 1",
    "me": "${me}",
}
WHY_NOT = {"theft": "looks at theft, which is sensitive"}
Answers = Mapping[str, str]
AGES, NO_YES = ["young", "mid", "old"], ["no", "yes"]
EVERY = [
    {"age": age, "work": work, "cash": cash, "goods": goods}
    for age, work, cash, goods in product(AGES, ["1", "2", HIDDEN], NO_YES, NO_YES)
]


def is_shown_to(rules: Mapping[str, list[str]], answers: Answers) -> bool:
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
    def combine(inner: st.SearchStrategy[tuple[str, Any]]) -> st.SearchStrategy[tuple[str, Any]]:
        pairs = st.tuples(inner, st.sampled_from(["and", "or"]), inner)
        joined = pairs.map(
            lambda found: (f"({found[0][0]} {found[1]} {found[2][0]})", (found[1], found[0][1], found[2][1]))
        )
        return joined | inner.map(lambda found: (f"not({found[0]})", ("not", found[1])))

    return st.recursive(st.sampled_from(ATOMS), combine, max_leaves=6)


def meaning_holds(meaning: Any, answers: Answers) -> bool:
    kind = meaning[0]
    if kind == "not":
        return not meaning_holds(meaning[1], answers)
    if kind in ("and", "or"):
        both = [meaning_holds(part, answers) for part in meaning[1:]]
        return all(both) if kind == "and" else any(both)
    name, sign, value = meaning
    return bool((answers[name] == value) == (sign == "="))


@pytest.mark.page
@settings(max_examples=50)
@given(case=expressions())
def test_rule_shows_a_question_to_exactly_the_people_of_the_expression(case: tuple[str, Any]) -> None:
    written, meaning = case
    try:
        rules = show_if_rule(written, KNOWN, WHY_NOT)
    except RuleRefused:
        return
    assert [is_shown_to(rules, answers) for answers in EVERY] == [
        meaning_holds(meaning, answers) for answers in EVERY
    ]


def test_convertible_expressions_become_rules() -> None:
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
        "'old' = ${age}": {"age": ["old"]},
        "${age} = ’old’ or ${age} = “mid”": {"age": ["old", "mid"]},
        "${age} = 'old’ and selected(${paid}, ‘cash’)": {"age": ["old"], "paid-cash": ["yes"]},
        "${kids} > 0 and ${kids} < 5": {"kids": ["1..4"]},
        "not(${kids} = 0)": {"kids": ["1..4", "5+"]},
        "4.5 <= ${kids}": {"kids": ["5+"]},
        "${work} > 1": {"employment": ["not"]},
        "count-selected(${paid}) = 2": {"paid-cash": ["yes"], "paid-goods": ["yes"]},
        "count-selected(${paid}) < 1": {"paid-cash": ["no"], "paid-goods": ["no"]},
        "count-selected(${age}) = 1 and ${age} != 'old'": {"age": ["young", "mid"]},
        "${old} = 1": {"age": ["old"]},
        "${old} != '1' and ${some} > 0": {"age": ["young", "mid"], "kids": ["1..4", "5+"]},
        "${both} = 'yes'": {"age": ["old"], "kids": ["5+"]},
    }.items():  # fmt: skip
        assert show_if_rule(written, KNOWN, WHY_NOT, calculations=COMPUTED) == rules, written


def test_apostrophe_inside_a_text_does_not_end_it() -> None:
    words = ["don’t know", "it's so", "he said “no”"]
    known = {"q": ConditionQuestion("q", {each: [str(n)] for n, each in enumerate(words)}, False)}
    for n, (word, mark) in enumerate(zip(words, ("''", "“”", "‘’"), strict=True)):
        assert show_if_rule(f"${{q}} = {mark[0]}{word}{mark[1]}", known, {}) == {"q": [str(n)]}, word


def test_comparison_selects_bands_whose_numbers_all_satisfy_it() -> None:
    for sign, number in product(COMPARISONS, range(-1, 11)):
        numbers = {n for n in range(10) if COMPARISONS[sign](Fraction(n), Fraction(number))}
        inside = [band.name for band in BANDS if numbers >= {*range(band.low, band.high + 1)}]
        whole = numbers == {
            n for band in BANDS if band.name in inside for n in range(band.low, band.high + 1)
        }
        try:
            rule = show_if_rule(f"${{kids}} {sign} {number}", KNOWN, {})
        except RuleRefused:
            rule = {}
        assert rule == ({"kids": inside} if whole and inside else {}), (sign, number)


def test_compared_numbers_are_found_also_in_calculations() -> None:
    written = ["${a} > 3 and 7 >= ${a}", "${b} = 'x' or ${b} = '2'", "${c} < 5", "${d} = 1"]
    found = thresholds(written, xpath_tokens, {"c": "int(${e})", "d": "if(${f} >= 2.5, 1, 0)"})
    assert {name: [(str(n), above) for n, above in each] for name, each in found.items()} == {
        "a": [("3", True), ("7", True)],
        "b": [("2", False), ("2", True)],
        "c": [("5", False)],
        "d": [("1", False), ("1", True)],
        "e": [("5", False)],
        "f": [("5/2", False)],
    }


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
        ("${age} > 18", "compares age to “18”, which is none of its choices"),
        ("${kids} > 2", "compares kids to 2, within one of its bands; a number has at most 20"),
        ("${kids} = 'many'", "compares kids to “many”"),
        ("count-selected(${paid}) = 1", "joins different questions by or"),
        ("${either} = 1", "joins different questions by or"),
        ("${sum} = 1", "names sum, which is computed: it cannot be read from “+ 1” on"),
        ("${me} = 1", "names me, which is computed: it names me, and no earlier question is called that"),
        ("${old} = 2", "can never hold"),
        ("${age} = ${work}", "holds “work”"),
        ("if(" * 300 + "${age} = 'old', 1, 0) = 1", "is nested too deeply"),
        ("string-length(${age}) = 2", "holds “string-length”"),
        ("${age} = ", "ends too early"),
        ("(${age} = 'old'", "ends too early"),
        ("${age} = 'old')", "holds “)”"),
        ("${age} = 'old' ${age} = 'mid'", "holds “age”"),
        ("not ${age} = 'old'", "holds “age”"),
        ("(" * (DEEPEST + 1) + "${age} = 'old'" + ")" * (DEEPEST + 1), "is nested too deeply"),
        ("${age} = 'old'" + " " * LONGEST + "and", "is too long"),
        ("${" + " " * 4_900, "cannot be read"),
    ],
)
def test_inexpressible_condition_is_refused_with_the_reason(written: str, why: str) -> None:
    began = time.process_time()
    with pytest.raises(RuleRefused) as refused:
        show_if_rule(written, KNOWN, WHY_NOT, calculations=COMPUTED)
    assert why in str(refused.value)
    assert time.process_time() - began < 1
