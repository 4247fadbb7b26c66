"""What the show-if rules make impossible, or part of another itemset, is no candidate."""

import json
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.counting.mined_records import MinedRecords
from mining.engines import candor_engine
from mining.itemsets import candidates
from mining.itemsets.candidates import Routing, next_candidates, single_items
from mining.parameters import Parameters
from mining.queries_and_counters import NONE, Item, Numbering, pad_rows
from privacy.designs import Design, parse
from proof.record_probabilities import hidden_questions
from tests.mining.counting.by_hand import allowed, is_settled, plain_places
from tests.mining.strategies import survey_answered
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, design, plain, question, sensitive, written


@st.composite
def routed(draw: st.DrawFn) -> dict[str, Any]:
    """Plain questions in chains of rules, some of two rules, and two sensitive questions behind them."""
    known: dict[str, int] = {}
    questions = []
    for number in range(draw(st.integers(1, 4))):
        choices = draw(st.integers(2, 3))
        one = {"name": f"p{number}", "choices": [f"c{code}" for code in range(choices)]}
        questions.append(one | draw(rules(known)))
        known[f"p{number}"] = choices
    behind = [question(f"s{number}", *HALF, **draw(rules(known))) for number in range(2)]
    return written(plain(*questions), sensitive("0.5", *behind))


@st.composite
def rules(draw: st.DrawFn, known: dict[str, int]) -> dict[str, Any]:
    """Of up to two earlier questions, each with fewer choices than it has."""
    names = draw(st.lists(st.sampled_from(sorted(known)), unique=True, max_size=2)) if known else []
    some = {name: draw(st.sets(st.integers(0, known[name] - 1), min_size=1, max_size=2)) for name in names}
    return (
        {"show_if": {name: [f"c{code}" for code in sorted(codes)] for name, codes in some.items()}}
        if some
        else {}
    )


def every_itemset(found: Design, most: int = 3) -> Iterator[tuple[Item, ...]]:
    places = range(len(found.questions))
    for size in range(1, most + 1):
        for of in combinations(places, size):
            for codes in product(*(range(len(found.questions[place].choices)) for place in of)):
                yield tuple(zip(of, codes, strict=True))


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


def numbers_of(found: Design, itemsets: list[tuple[Item, ...]]) -> np.ndarray:
    numbering = Numbering(found)
    return pad_rows([sorted(map(numbering.number, itemset)) for itemset in itemsets])


@pytest.mark.proof
@given(routed())
def test_it_is_what_following_the_rules_by_hand_gives(source: dict[str, Any]) -> None:
    found = parse(json.dumps(source))
    itemsets = list(every_itemset(found))
    settled = Routing(found, Numbering(found)).impossible_or_implied(numbers_of(found, itemsets))
    assert settled.tolist() == [is_settled(found, itemset) for itemset in itemsets]


@pytest.mark.proof
@given(routed())
def test_it_is_what_listing_all_plain_answers_gives(source: dict[str, Any]) -> None:
    """Impossible: nobody who is shown all its questions has its plain items. Implied: all of them have one of these.

    The definition looks at one question of S at a time. It differs where nobody is shown all questions of S because
    their rules contradict each other about a question that is not in S: then everything could be said of nobody, and
    S, no choice of which is excluded, is left to the floors ("too few asked"). The definition wins.
    """
    found = parse(json.dumps(source))
    itemsets = list(every_itemset(found))
    settled = Routing(found, Numbering(found)).impossible_or_implied(numbers_of(found, itemsets))
    plain_ones = plain_places(found)
    for itemset, is_out in zip(itemsets, settled, strict=True):
        patterns = shown_all(source, [place for place, _ in itemset])
        items = [item for item in itemset if item[0] in plain_ones]
        if not patterns:
            outside = [
                place
                for place in plain_ones - dict(itemset).keys()
                if not allowed(found, place, dict(itemset).keys())
            ]
            assert is_out or outside
            continue
        having = [all(pattern[place] == code for place, code in items) for pattern in patterns]
        impossible = not any(having)
        implied = any(all(pattern[place] == code for pattern in patterns) for place, code in items)
        assert is_out == (impossible or implied), itemset


@pytest.mark.proof
@given(routed())
def test_whatever_contains_a_settled_itemset_is_settled(source: dict[str, Any]) -> None:
    found = parse(json.dumps(source))
    itemsets = list(every_itemset(found))
    settled = Routing(found, Numbering(found)).impossible_or_implied(numbers_of(found, itemsets))
    out = dict(zip(itemsets, settled.tolist(), strict=True))
    for itemset, is_out in out.items():
        assert is_out >= any(out[part] for part in parts(itemset))


CHAIN = design(
    # Work 0 employed, 1 not; shift 2 day, 3 night; bonus 4 no, 5 yes; theft 6 no, 7 yes; drink 8 no, 9 yes.
    plain(
        WORK,
        {"name": "shift", "choices": ["day", "night"], **IF_EMPLOYED},
        {"name": "bonus", "choices": ["no", "yes"], "show_if": {"shift": ["day", "night"]}},
    ),
    sensitive("0.5", question("theft", *HALF, show_if={"bonus": ["yes"]}), question("drink", *HALF)),
)


def test_a_chain_of_rules_by_hand(subtests: pytest.Subtests) -> None:
    cases: list[tuple[tuple[int, ...], bool]] = [
        # Who is asked about the bonus has a shift, and so works: said twice, and the opposite.
        ((0, 5), True),
        ((1, 5), True),
        ((0, 2), True),
        ((1, 2), True),
        # Either shift has its bonus.
        ((2, 5), False),
        ((3, 5), False),
        # Theft is asked of those with a bonus, who work; of either shift.
        ((5, 7), True),
        ((4, 7), True),
        ((0, 7), True),
        ((2, 7), False),
        # Drink is asked of everybody, and changes nothing.
        ((0, 9), False),
        ((7, 9), False),
        ((2, 7, 9), False),
        ((0, 7, 9), True),
        ((0,), False),
        ((7,), False),
    ]
    for itemset, settled in cases:
        with subtests.test(f"{itemset!r:.60} {settled!r:.60}"):
            of = Routing(CHAIN, Numbering(CHAIN))
            assert of.is_needed
            assert of.impossible_or_implied(np.array([itemset], np.int32)).tolist() == [settled]


def test_rows_of_several_widths_and_of_many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "CHUNK", 3)
    itemsets = list(every_itemset(CHAIN))
    settled = Routing(CHAIN, Numbering(CHAIN)).impossible_or_implied(numbers_of(CHAIN, itemsets))
    assert settled.tolist() == [is_settled(CHAIN, itemset) for itemset in itemsets]
    assert 0 < settled.sum() < len(itemsets)


def test_where_no_rule_hides_anything_nothing_is_settled() -> None:
    found = design(plain(WORK), sensitive("0.5", question("theft", *HALF)))
    of = Routing(found, Numbering(found))
    assert not of.is_needed
    assert not of.impossible_or_implied(np.array([[0, 3], [1, 3]], np.int32)).any()


def test_what_is_settled_is_no_candidate_nor_is_anything_that_contains_it() -> None:
    numbering = Numbering(CHAIN)
    of = Routing(CHAIN, numbering)
    singles = single_items(CHAIN, numbering, absences=True)
    pairs = next_candidates(singles, numbering, 10**6, of)
    assert pairs is not None
    triples = next_candidates(pairs, numbering, 10**6, of)
    assert triples is not None
    for size, made in ((2, pairs), (3, triples)):
        expected = [
            itemset
            for itemset in every_itemset(CHAIN)
            if len(itemset) == size and not any(is_settled(CHAIN, part) for part in parts(itemset))
        ]
        assert made.tolist() == sorted(numbers_of(CHAIN, expected).tolist())


def parts(itemset: tuple[Item, ...]) -> Iterator[tuple[Item, ...]]:
    for size in range(1, len(itemset) + 1):
        yield from combinations(itemset, size)


def test_a_search_reports_none_of_it_and_counts_it_into_the_family() -> None:
    survey = survey_answered(CHAIN, 3_000, 0.0, 3)
    records: MinedRecords = survey.records()
    found = candor_engine.mine_rules(records.counter(), Parameters(0.02, 0.1, absences=True))
    rows = [
        tuple(map(Numbering(CHAIN).item, (number for number in row if number != NONE)))
        for row in found.frequent.itemsets.tolist()
    ]
    assert any(len(row) == 2 for row in rows)
    assert not any(is_settled(CHAIN, row) for row in rows)
    # The family is all that the items make, settled or not: pairs of one split, triples of three.
    items = {item for row in rows for item in row}
    family = [one for one in every_itemset(CHAIN) if len(one) > 1 and set(one) <= items]
    assert any(is_settled(CHAIN, itemset) for itemset in family)
    splits = sum(2 ** (len(itemset) - 1) - 1 for itemset in family)
    p = np.sort(found.rules.splits.p)
    steps = p * splits / np.arange(1, len(p) + 1)
    expected = [min(1.0, steps[rank:].min()) for rank in range(len(p))]
    assert np.sort(found.rules.splits.q) == pytest.approx(expected, rel=1e-9)
