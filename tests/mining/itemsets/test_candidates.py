"""Which itemsets are looked at next."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.itemsets import candidates
from mining.itemsets.candidates import Routing, next_candidates, single_items, states_absence
from mining.queries_and_counters import Numbering, Numbers
from privacy.designs import Design
from tests.privacy.questionnaires import HALF, THIRDS, WORK, classes, design, plain, question, sensitive

MANY = 10**6


def form() -> Design:
    """Items: employed 0, not 1; drink 2, 3, 4; theft no 5, yes 6; drugs no 7, yes 8."""
    return design(
        plain(WORK),
        sensitive("0.5", question("drink", *THIRDS), question("theft", *HALF), question("drugs", *HALF)),
    )


def made_of(kept: Numbers, of: Design, most: int = MANY) -> Numbers | None:
    numbering = Numbering(of)
    return next_candidates(kept, numbering, most, Routing(of, numbering))


def test_a_yes_no_question_gives_the_item_yes() -> None:
    assert single_items(form(), Numbering(form()), absences=False).tolist() == [
        [0],
        [1],
        [2],
        [3],
        [4],
        [6],
        [8],
    ]


def test_absences_are_items_if_asked_for() -> None:
    assert single_items(form(), Numbering(form()), absences=True).tolist() == [
        [number] for number in range(9)
    ]


def with_choices(*choices: str) -> Design:
    return design(plain({"name": "seen", "choices": list(choices)}))


def test_an_absence_is_no_beside_yes_and_whatever_is_not_told(subtests: pytest.Subtests) -> None:
    cases: list[tuple[tuple[str, ...], list[int]]] = [
        (("no", "yes"), [0]),
        (("yes", "no"), [1]),
        # Whatever the question's form.
        (("yes", "no", "not sure"), [1]),
        (("no", "yes", "prefer-not-to-say"), [0, 2]),
        # No answers something else where there is no yes.
        (("no", "a little", "a lot"), []),
        (("never", "often", "prefer-not-to-say"), [2]),
        (("No", "Yes"), []),
    ]
    for choices, absences in cases:
        with subtests.test(f"{choices!r:.60} {absences!r:.60}"):
            found = with_choices(*choices)
            every = range(len(choices))
            assert [code for code in every if states_absence(found.questions[0], code)] == absences
            singles = {
                asked_for: single_items(found, Numbering(found), absences=asked_for)[:, 0].tolist()
                for asked_for in (False, True)
            }
            assert singles == {False: [code for code in every if code not in absences], True: list(every)}


def test_of_a_group_of_options_only_those_that_were_chosen_are_items() -> None:
    options = [
        {"name": name, "form": "many", "of": "habits", "choices": ["no", "yes"], "noise": list(HALF)}
        for name in ("smoke", "drink")
    ]
    found = design(sensitive("0.5", *options))
    assert single_items(found, Numbering(found), absences=False).tolist() == [[1], [3]]


def test_items_of_one_question_are_never_combined() -> None:
    pairs = made_of(np.array([[0], [1], [2], [3]], np.int32), form())
    assert pairs is not None
    assert pairs.tolist() == [[0, 2], [0, 3], [1, 2], [1, 3]]


def test_below_a_limit_is_an_absence() -> None:
    # The items are >=5, >=10, >=5 <10, <5, <10; their squares and touches are none.
    found = design(classes("debt", "0.5", 0, 5, 10)).mined
    assert [states_absence(found.questions[0], code) for code in range(5)] == [
        False,
        False,
        False,
        True,
        True,
    ]
    assert single_items(found, Numbering(found), absences=False).tolist() == [[0], [1], [2]]
    assert single_items(found, Numbering(found), absences=True).tolist() == [[0], [1], [2], [3], [4]]


def test_items_of_one_number_are_never_combined() -> None:
    # Employed 0, not 1; debt at least 5: 2, at least 10: 3; pay, behind three times five items, 17 and 18.
    found = design(plain(WORK), classes("debt", "0.5", 0, 5, 10), classes("pay", "0.5", 0, 1, 2)).mined
    pairs = made_of(np.array([[0], [2], [3], [17], [18]], np.int32), found)
    assert pairs is not None
    assert pairs.tolist() == [[0, 2], [0, 3], [0, 17], [0, 18], [2, 17], [2, 18], [3, 17], [3, 18]]
    triples = made_of(pairs, found)
    assert triples is not None
    assert triples.tolist() == [[0, 2, 17], [0, 2, 18], [0, 3, 17], [0, 3, 18]]


def test_a_candidate_needs_all_its_subsets() -> None:
    kept = np.array([[0, 2], [0, 6], [0, 8], [2, 6], [6, 8]], np.int32)
    triples = made_of(kept, form())
    assert triples is not None
    # 0, 2, 8 lacks the pair 2, 8.
    assert triples.tolist() == [[0, 2, 6], [0, 6, 8]]


def test_nothing_comes_of_one_itemset() -> None:
    triples = made_of(np.array([[0, 2]], np.int32), form())
    assert triples is not None
    assert triples.shape == (0, 3)


def test_nothing_comes_of_nothing() -> None:
    triples = made_of(np.empty((0, 2), np.int32), form())
    assert triples is not None
    assert triples.shape == (0, 3)


def test_a_level_past_the_cap_is_not_made() -> None:
    kept = np.array([[0], [1], [2], [3]], np.int32)
    assert made_of(kept, form(), 3) is None
    assert made_of(kept, form(), 4) is not None


@pytest.mark.proof
def test_more_pairs_than_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "PAIRS_AT_ONCE", 1_000)
    names = [f"q{place}" for place in range(70)]
    many = design(plain(*[{"name": name, "choices": ["no", "yes"]} for name in names]))
    pairs = made_of(single_items(many, Numbering(many), absences=False), many)
    assert pairs is not None
    assert pairs.tolist() == [[2 * one + 1, 2 * other + 1] for one, other in combinations(range(70), 2)]


@pytest.mark.proof
@given(st.sets(st.sampled_from(list(combinations(range(6), 3)))))
def test_what_is_made_is_what_has_all_its_subsets(kept: set[tuple[int, ...]]) -> None:
    names = [f"q{place}" for place in range(6)]
    six = design(plain(*[{"name": name, "choices": ["no", "yes"]} for name in names]))
    # Item of question j: 2j + 1.
    rows = np.array([[2 * place + 1 for place in itemset] for itemset in sorted(kept)], np.int32).reshape(
        -1, 3
    )
    made = made_of(rows, six)
    assert made is not None
    expected = [four for four in combinations(range(6), 4) if set(combinations(four, 3)) <= kept]
    assert made.tolist() == [[2 * place + 1 for place in four] for four in expected]
