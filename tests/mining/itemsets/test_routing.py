"""Which itemsets are looked at next, what the show-if rules make impossible, and the family that is looked through."""

import json
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.disclosure.verdict import Verdict
from mining.engines import candor_engine
from mining.itemsets import candidates
from mining.itemsets.candidates import ShowIfRouting, next_candidates, single_items, states_absence
from mining.itemsets.itemset_intervals import count_itemsets_by_size, count_splits
from mining.parameters import Parameters
from mining.queries_and_counters import NONE, Item, Numbering, Numbers, pad_rows
from privacy.designs import Design, PlainSection, parse_design
from proof.record_probabilities import hidden_questions
from tests.mining.listed import allowed_choices, is_settled, plain_places, stepped_up, subsets_of
from tests.mining.strategies import questionnaires, survey_answered
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    THIRDS,
    WORK,
    classes,
    design,
    make_design,
    plain,
    question,
    sensitive,
)


@st.composite
def routed_questionnaires(draw: st.DrawFn) -> dict[str, Any]:
    """Plain questions in chains of rules, some of two rules, and two sensitive questions behind them."""
    known: dict[str, int] = {}
    questions = []
    for number in range(draw(st.integers(1, 4))):
        choices = draw(st.integers(2, 3))
        one = {"name": f"p{number}", "choices": [f"c{code}" for code in range(choices)]}
        questions.append(one | draw(rules(known)))
        known[f"p{number}"] = choices
    behind = [question(f"s{number}", *HALF, **draw(rules(known))) for number in range(2)]
    return make_design(plain(*questions), sensitive("0.5", *behind))


@st.composite
def rules(draw: st.DrawFn, known: dict[str, int]) -> dict[str, Any]:
    """Of up to two earlier questions, each with fewer choices than it has."""
    names = draw(st.lists(st.sampled_from(sorted(known)), unique=True, max_size=2)) if known else []
    some = {name: draw(st.sets(st.integers(0, known[name] - 1), min_size=1, max_size=2)) for name in names}
    shown = {name: [f"c{code}" for code in sorted(codes)] for name, codes in some.items()}
    return {"show_if": shown} if shown else {}


def every_itemset(found: Design, most: int = 3) -> Iterator[tuple[Item, ...]]:
    items = [[(at, code) for code in range(len(of.choices))] for at, of in enumerate(found.questions)]
    for size in range(1, most + 1):
        for of in combinations(items, size):
            yield from product(*of)


def shown_all(source: dict[str, Any], questions: list[int]) -> list[tuple[int | None, ...]]:
    """Every pattern of plain answers whose respondent is shown all of these questions."""
    asked = [question for section in source["sections"] for question in section["questions"]]
    plain_ones = source["sections"][0]["questions"]
    found = []
    for codes in product(*(range(len(one["choices"])) for one in plain_ones)):
        answers = (*codes, *[0] * (len(asked) - len(codes)))
        hidden = hidden_questions(asked, answers)
        if not hidden & set(questions):
            found.append(tuple(None if place in hidden else code for place, code in enumerate(answers)))
    return found


def settled_among(found: Design, itemsets: list[tuple[Item, ...]]) -> list[bool]:
    routing = ShowIfRouting(found, Numbering(found))
    settled: list[bool] = routing.impossible_or_implied(numbers_of(found, itemsets)).tolist()
    return settled


def numbers_of(found: Design, itemsets: list[tuple[Item, ...]]) -> np.ndarray:
    numbering = Numbering(found)
    return pad_rows([sorted(map(numbering.number, itemset)) for itemset in itemsets])


@pytest.mark.proof
@given(routed_questionnaires())
def test_routing_matches_following_the_rules_by_hand(source: dict[str, Any]) -> None:
    """Impossible: nobody who is shown all its questions has its plain items. Implied: all of them have one of these.

    The definition looks at one question of S at a time. It differs where nobody is shown all questions of S because
    their rules contradict each other about a question that is not in S: then everything could be said of nobody, and
    S, no choice of which is excluded, is left to the floors ("too few asked"). The definition wins.
    """
    found = parse_design(json.dumps(source))
    itemsets = list(every_itemset(found))
    settled = settled_among(found, itemsets)
    assert settled == [is_settled(found, itemset) for itemset in itemsets]
    out, plain_ones = dict(zip(itemsets, settled, strict=True)), plain_places(found)
    for itemset, is_out in out.items():
        # Whatever contains a settled itemset is settled.
        assert is_out >= any(out[part] for part in subsets_of(itemset))
        places = dict(itemset).keys()
        patterns = shown_all(source, list(places))
        if not patterns:
            assert is_out or any(not allowed_choices(found, place, places) for place in plain_ones - places)
            continue
        items = [item for item in itemset if item[0] in plain_ones]
        impossible = not any(all(pattern[place] == code for place, code in items) for pattern in patterns)
        implied = any(all(pattern[place] == code for pattern in patterns) for place, code in items)
        assert is_out == (impossible or implied), itemset


CHAIN = design(
    # Work 0 employed, 1 not; shift 2 day, 3 night; bonus 4 no, 5 yes; theft 6 no, 7 yes; drink 8 no, 9 yes.
    plain(
        WORK,
        {"name": "shift", "choices": ["day", "night"], **IF_EMPLOYED},
        {"name": "bonus", "choices": ["no", "yes"], "show_if": {"shift": ["day", "night"]}},
    ),
    sensitive("0.5", question("theft", *HALF, show_if={"bonus": ["yes"]}), question("drink", *HALF)),
)


def test_chain_of_rules_by_hand() -> None:
    of = ShowIfRouting(CHAIN, Numbering(CHAIN))
    assert of.restricts_itemsets
    # Who is asked about the bonus has a shift, and so works: said twice, and the opposite. Theft is asked of those
    # with a bonus, who work.
    settled = [(0, 5), (1, 5), (0, 2), (1, 2), (5, 7), (4, 7), (0, 7), (0, 7, 9)]
    # Either shift has its bonus and its theft; drink is asked of everybody, and changes nothing.
    others = [(2, 5), (3, 5), (2, 7), (0, 9), (7, 9), (2, 7, 9), (0,), (7,)]
    for itemset in (*settled, *others):
        found = of.impossible_or_implied(np.array([itemset], np.int32)).tolist()
        assert found == [itemset in settled], itemset
    free = design(plain(WORK), sensitive("0.5", question("theft", *HALF)))
    nothing = ShowIfRouting(free, Numbering(free))
    assert not nothing.restricts_itemsets
    assert not nothing.impossible_or_implied(np.array([[0, 3], [1, 3]], np.int32)).any()


def test_rows_of_several_widths_and_chunks_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "CHUNK", 3)
    itemsets = list(every_itemset(CHAIN))
    settled = settled_among(CHAIN, itemsets)
    assert settled == [is_settled(CHAIN, itemset) for itemset in itemsets]
    assert 0 < sum(settled) < len(itemsets)


def test_implied_item_is_no_candidate_nor_any_superset() -> None:
    numbering = Numbering(CHAIN)
    of = ShowIfRouting(CHAIN, numbering)
    singles = single_items(CHAIN, numbering, absences=True)
    pairs = next_candidates(singles, numbering, 10**6, of)
    assert pairs is not None
    triples = next_candidates(pairs, numbering, 10**6, of)
    assert triples is not None
    free = [of for of in every_itemset(CHAIN) if not any(is_settled(CHAIN, part) for part in subsets_of(of))]
    for size, made in ((2, pairs), (3, triples)):
        expected = [itemset for itemset in free if len(itemset) == size]
        assert made.tolist() == sorted(numbers_of(CHAIN, expected).tolist())


def test_implied_itemset_is_not_reported_but_counted_in_the_family() -> None:
    records = survey_answered(CHAIN, 3_000, 0.0, 3).records()
    found = candor_engine.mine_rules(records.counter(), Parameters(0.02, 0.1, absences=True))
    numbers = ([number for number in row if number != NONE] for row in found.frequent.itemsets.tolist())
    rows = [tuple(map(Numbering(CHAIN).item, row)) for row in numbers]
    assert any(len(row) == 2 for row in rows)
    assert not any(is_settled(CHAIN, row) for row in rows)
    # The family of a list is all that the items make, settled or not: pairs of one split, triples of three.
    items = {item for row in rows for item in row}
    family = [one for one in every_itemset(CHAIN) if len(one) > 1 and set(one) <= items]
    assert any(is_settled(CHAIN, itemset) for itemset in family)
    splits, size = found.rules.splits, np.array([len(row) for row in rows])[found.rules.splits.itemset]
    for of_list, is_of_list in ((size == 2, {2}), (size > 2, {3})):
        many = sum(2 ** (len(itemset) - 1) - 1 for itemset in family if len(itemset) in is_of_list)
        expected = stepped_up(np.sort(splits.p[of_list]).tolist(), many)
        assert np.sort(splits.q[of_list]) == pytest.approx(expected, rel=1e-9)


MANY = 10**6
FORM = design(
    plain(WORK),
    sensitive("0.5", question("drink", *THIRDS), question("theft", *HALF), question("drugs", *HALF)),
)
"""Items: employed 0, not 1; drink 2, 3, 4; theft no 5, yes 6; drugs no 7, yes 8."""


def made_of(
    kept: Sequence[Sequence[int]] | Numbers, of: Design = FORM, most: int = MANY
) -> list[list[int]] | None:
    numbering = Numbering(of)
    found = next_candidates(np.array(kept, np.int32), numbering, most, ShowIfRouting(of, numbering))
    return None if found is None else found.tolist()


def single_item_numbers(of: Design, *, absences: bool = False) -> list[int]:
    found: list[int] = single_items(of, Numbering(of), absences=absences)[:, 0].tolist()
    return found


def test_absences_are_items_on_request() -> None:
    """No beside yes, and whatever is not told."""
    assert single_item_numbers(FORM) == [0, 1, 2, 3, 4, 6, 8]
    assert single_item_numbers(FORM, absences=True) == list(range(9))
    cases: list[tuple[list[str], list[int]]] = [
        (["no", "yes"], [0]),
        (["yes", "no"], [1]),
        # Whatever the question's form.
        (["yes", "no", "not sure"], [1]),
        (["no", "yes", "prefer-not-to-say"], [0, 2]),
        # No answers something else where there is no yes.
        (["no", "a little", "a lot"], []),
        (["never", "often", "prefer-not-to-say"], [2]),
        (["No", "Yes"], []),
    ]
    for choices, absences in cases:
        of, every = design(plain({"name": "seen", "choices": choices})), range(len(choices))
        assert [code for code in every if states_absence(of.questions[0], code)] == absences, choices
        assert single_item_numbers(of) == [code for code in every if code not in absences], choices
        assert single_item_numbers(of, absences=True) == list(every), choices
    # Of a group of options only those that were chosen are items.
    many: dict[str, Any] = {"form": "many", "of": "habits", "choices": ["no", "yes"], "noise": list(HALF)}
    assert single_item_numbers(
        design(sensitive("0.5", many | {"name": "smoke"}, many | {"name": "drink"}))
    ) == [1, 3]
    # Below a limit is an absence: >=5, >=10, >=5 <10, <5, <10; their squares and touches are no items.
    of = design(classes("debt", "0.5", 0, 5, 10)).mined
    assert [states_absence(of.questions[0], code) for code in range(5)] == [False, False, False, True, True]
    assert (single_item_numbers(of), single_item_numbers(of, absences=True)) == ([0, 1, 2], [0, 1, 2, 3, 4])


def test_items_of_one_question_or_number_are_never_combined() -> None:
    assert made_of([[0], [1], [2], [3]]) == [[0, 2], [0, 3], [1, 2], [1, 3]]
    # Employed 0, not 1; debt at least 5: 2, at least 10: 3; pay, behind three times five items, 17 and 18.
    numbers = design(plain(WORK), classes("debt", "0.5", 0, 5, 10), classes("pay", "0.5", 0, 1, 2)).mined
    pairs = made_of([[0], [2], [3], [17], [18]], numbers)
    assert pairs == [[0, 2], [0, 3], [0, 17], [0, 18], [2, 17], [2, 18], [3, 17], [3, 18]]
    assert made_of(pairs, numbers) == [[0, 2, 17], [0, 2, 18], [0, 3, 17], [0, 3, 18]]


def test_candidate_needs_all_subsets_and_a_level_past_the_cap_is_not_made() -> None:
    # 0, 2, 8 lacks the pair 2, 8.
    assert made_of([[0, 2], [0, 6], [0, 8], [2, 6], [6, 8]]) == [[0, 2, 6], [0, 6, 8]]
    numbering = Numbering(FORM)
    for nothing in (np.array([[0, 2]], np.int32), np.empty((0, 2), np.int32)):
        triples = next_candidates(nothing, numbering, MANY, ShowIfRouting(FORM, numbering))
        assert triples is not None
        assert triples.shape == (0, 3)
    assert made_of([[0], [1], [2], [3]], most=3) is None
    assert made_of([[0], [1], [2], [3]], most=4) is not None


@pytest.mark.proof
def test_more_pairs_than_a_chunk_are_considered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "PAIRS_AT_ONCE", 1_000)
    pairs = made_of([[2 * place + 1] for place in range(70)], yes_no(70))
    assert pairs == [[2 * one + 1, 2 * other + 1] for one, other in combinations(range(70), 2)]


def yes_no(questions: int) -> Design:
    """Item *yes* of question j: 2j + 1."""
    return design(plain(*[{"name": f"q{place}", "choices": ["no", "yes"]} for place in range(questions)]))


@pytest.mark.proof
@given(st.sets(st.sampled_from(list(combinations(range(6), 3)))))
def test_candidates_are_exactly_those_with_all_subsets(kept: set[tuple[int, ...]]) -> None:
    rows = np.array([[2 * place + 1 for place in itemset] for itemset in sorted(kept)], np.int32)
    expected = [four for four in combinations(range(6), 4) if set(combinations(four, 3)) <= kept]
    assert made_of(rows.reshape(-1, 3), yes_no(6)) == [[2 * place + 1 for place in four] for four in expected]


def list_itemsets(found: Design, items: list[Item], max_size: int) -> list[list[tuple[Item, ...]]]:
    """Every itemset of each size written out."""
    return [
        [itemset for itemset in combinations(items, size) if askable(found, [place for place, _ in itemset])]
        for size in range(max_size + 1)
    ]


def askable(found: Design, questions: list[int]) -> bool:
    """Whether they are different questions that one device may ask."""
    if len(set(questions)) < len(questions):
        return False
    start = 0
    for section in found.sections:
        of = sum(start <= place < start + len(section.questions) for place in questions)
        if not isinstance(section, PlainSection) and of > section.asked:
            return False
        start += len(section.questions)
    return True


def number_of_splits(itemset: tuple[Item, ...]) -> int:
    """Unordered pairs of sides, each with an item at least."""
    return sum(1 for side in product((0, 1), repeat=len(itemset)) if 0 < sum(side) < len(itemset)) // 2


@pytest.mark.proof
@given(data=st.data(), max_size=st.integers(1, 5))
def test_family_size_equals_listing_it(data: st.DataObject, max_size: int) -> None:
    found = parse_design(json.dumps(data.draw(questionnaires(numbers=True)))).mined
    every = [(place, code) for place, q in enumerate(found.questions) for code in range(len(q.choices))]
    items = data.draw(st.lists(st.sampled_from(every), unique=True))
    by_size = list_itemsets(found, items, max_size)
    counted = count_itemsets_by_size(Verdict(found), items, max_size)
    # Sizes at the end that no itemset has are left out.
    largest = max(size for size, of in enumerate(by_size) if of)
    assert counted == [len(of) for of in by_size[: largest + 1]]
    assert count_splits(counted) == sum(number_of_splits(itemset) for of in by_size for itemset in of)


def test_families_and_splits_by_hand() -> None:
    """Pairs have one split each, triples three; questions that are never asked together are in no itemset."""
    forty = design(sensitive("0.5", *(question(f"q{place}", *HALF) for place in range(40))))
    counted = count_itemsets_by_size(Verdict(forty), [(place, 1) for place in range(40)], 3)
    assert counted == [1, 40, 780, 9_880]
    assert count_splits(counted) == 780 + 3 * 9_880
    three = sensitive("0.5", *(question(f"q{place}", *HALF) for place in range(3)), asked=1)
    rotating = Verdict(design(plain(WORK), three))
    counted = count_itemsets_by_size(rotating, [(place, 1) for place in range(4)], 3)
    assert counted == [1, 4, 3]
    cases = [([1], 0), ([1, 5], 0), ([1, 4, 3], 3), ([1, 5, 2], 2), ([1, 0, 0, 1, 1], 3 + 7)]
    assert [count_splits(by_size) for by_size, _splits in cases] == [splits for _by_size, splits in cases]
