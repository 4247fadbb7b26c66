"""Copies that no disguise makes: bounds against brute force, false alarms, what is found."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import chain, combinations_with_replacement, permutations, product
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom  # type: ignore[attr-defined]

from mining.error import copied_record_lower_bound as module
from mining.error.copied_record_lower_bound import (
    CopyCount,
    IdenticalSets,
    SectionParts,
    bounds_of_first_parts,
    count_excess_copies,
    distinct_section_parts,
)
from privacy.designs import Design, UnrelatedQuestionSection
from privacy.kinds.grouped.law import NOT_ASKED
from privacy.records.mined_code_conversion import mined_codes
from privacy.simulation.disguise import disguise
from tests.mining.listed import vector_file
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    THIRDS,
    WORK,
    classes,
    design,
    place_in_row as place_section,
    plain,
    question,
    sensitive,
    window,
)
from tests.privacy.strategies import matrix_of, records_of

pytestmark = pytest.mark.proof
YES_NO_5 = design(sensitive("0.36", *(question(f"q{place}", *HALF) for place in range(5))))
ROTATING = design(
    sensitive("0.7", *(question(f"q{place}", *HALF) for place in range(6)), asked=2),
    sensitive("0.5", question("drink", *THIRDS)),
)
HIDING = design(
    plain(WORK),
    sensitive("0.6", question("drink", *THIRDS), question("theft", "0.4", "0.6", **IF_EMPLOYED), asked=1),
)
FEW = design(plain(WORK), sensitive("0.5", question("theft", "0.4", "0.6")))
KEPT = design(sensitive("0.9", question("theft", "0.3", "0.7")))
PAY = window("pay", 7, 1, "0.5", **IF_EMPLOYED)
NUMBERS = design(plain(WORK), classes("debt", "0.5", *range(6), **IF_EMPLOYED), PAY)
DESIGNS = {"five": YES_NO_5, "rotating": ROTATING, "hiding": HIDING, "few": FEW}
DESIGNS |= {"kept": KEPT, "numbers": NUMBERS}
HOMES = design(
    place_section("home", {"north": [0, 1, 2], "south": [4, 5]}, 7, 2, "6"),
    sensitive("0.5", *(question(name, *HALF) for name in "abcde")),
)
each_design = pytest.mark.parametrize("asks", DESIGNS.values(), ids=DESIGNS)


def disguise_all(
    asks: Design, truths: NDArray[np.uint8], rng: np.random.Generator
) -> NDArray[np.unsignedinteger]:
    return disguise(asks, np.ones(truths.shape[1], np.uint8), truths, rng)


def count_copies(asks: Design, codes: NDArray[np.unsignedinteger], level: float) -> CopyCount:
    return count_excess_copies(asks, np.ones(codes.shape[1], np.uint8), codes.__getitem__, level)


def bound_of(sections: Sequence[SectionParts]) -> float:
    """Of all these parts together."""
    return bounds_of_first_parts(sections)[-1]


def copies(one: NDArray[np.unsignedinteger], n: int) -> NDArray[np.unsignedinteger]:
    return np.repeat(one[:, :1], n, axis=1)


# --- the bounds, against the law itself ---------------------------------------------------------------


@cache
def all_records_with_odds(asks: Design) -> tuple[list[tuple[int, ...]], NDArray[np.float64]]:
    """The sensitive parts that can be sent, and for each truth how likely each is; nothing is hidden."""
    laws = [section.law for section in asks.sections if isinstance(section, UnrelatedQuestionSection)]
    parts = [tuple(chain.from_iterable(of)) for of in product(*map(records_of, laws))]
    rows: NDArray[np.float64] = np.ones((1, 1))
    for law in laws:
        rows = np.asarray(np.kron(rows, matrix_of(law).astype(np.float64)))
    return parts, rows


def as_codes(asks: Design, parts: list[tuple[int, ...]]) -> NDArray[np.uint8]:
    not_asked = [question_.not_asked for question_ in asks.questions]
    return np.where(np.array(parts) == NOT_ASKED, not_asked, parts).astype(np.uint8).T.copy()


def test_no_record_set_is_likelier_than_its_bound() -> None:
    for asks in (YES_NO_5, ROTATING, KEPT):
        parts, rows = all_records_with_odds(asks)
        sections = distinct_section_parts(asks, as_codes(asks, parts))
        for place in range(len(parts)):
            bound = bound_of([section.take([place]) for section in sections])
            assert bound == pytest.approx(rows[:, place].max())
        rng = np.random.default_rng(1)
        for _ in range(150 if len(parts) > 2 else 0):
            chosen = rng.choice(len(parts), rng.integers(2, min(17, len(parts))), replace=False).tolist()
            bound = bound_of([section.take(chosen) for section in sections])
            truth = rows[:, chosen].sum(axis=1).max()
            assert bound >= truth - 1e-12
            # One section, all asked: the truth can be any of the set.
            assert asks is not YES_NO_5 or bound == pytest.approx(truth)


def test_copy_bounds_by_hand() -> None:
    # Two of 32 records: .36 if the truth is one of them, and .64 * 2/32 by chance.
    sections = distinct_section_parts(YES_NO_5, np.array([[0, 1]] * 5, np.uint8))
    assert bound_of(sections) == pytest.approx(0.36 + 0.64 / 16)
    # One pair of six questions in fifteen, kept together: (.7 + .3/4)/15; the other section: .5 + .5 * .3.
    one = as_codes(ROTATING, [(0, 1, -1, -1, -1, -1, 2)])
    assert bound_of(distinct_section_parts(ROTATING, one)) == pytest.approx((0.7 + 0.3 / 4) / 15 * 0.65)
    # Numbers by classes are left out.
    said = np.array([[0, 1], [3, NUMBERS.questions[1].not_applicable], [2, 8]], np.uint8)
    assert distinct_section_parts(NUMBERS.mined, mined_codes(NUMBERS, said)) == []
    # With many sections the bound is the sum.
    number = module.MOST_SECTIONS + 1
    many = design(*(sensitive("0.5", question(f"q{place}", *HALF)) for place in range(number)))
    sections = distinct_section_parts(many, np.array([[0, 1]] * number, np.uint8))
    assert bound_of(sections) == pytest.approx(2 * 0.75**number)
    # A part with elsewhere is at most as likely as b.
    codes = np.array([[0, 2], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], np.uint8)
    home, answers = distinct_section_parts(HOMES.mined, codes)
    assert (home.keep + (1 - home.keep) * home.q).tolist() == pytest.approx([2 / 3 + 1 / 5, 2 / 3])
    assert len(answers.q) == 2


def test_every_repeated_record_is_considered() -> None:
    for width in [1, 8, 11, 40]:
        rows = np.random.default_rng(width).integers(0, 3, (width, 2_000), np.uint8)
        rows[:, 1_500:1_510] = rows[:, :10]
        texts = [column.tobytes() for column in rows.T]
        times = Counter(texts)
        found = module.find_repeated_records(module.pack_codes(rows, 4)).tolist()
        assert {index for index, text in enumerate(texts) if times[text] > 1} <= {*found}, width
        assert width < 40 or len(found) < 30


def test_records_are_grouped_by_their_codes() -> None:
    rows = np.random.default_rng(1).integers(0, 3, (40, 500), np.uint8)
    rows[4:] = 1
    texts = [column.tobytes() for column in rows.T]
    first, group, counts = module.group_identical_records(module.pack_codes(rows, 4))
    assert [texts[index] for index in first.tolist()] == sorted({*texts})
    assert [texts[first[index]] for index in group.tolist()] == texts
    assert counts.tolist() == [texts.count(texts[index]) for index in first.tolist()]


def test_packed_codes_are_those_of_the_records() -> None:
    codes = np.random.default_rng(1).integers(0, 5, (40, 300), np.uint8)
    words = module.pack_codes(codes, 3)
    assert words.shape == (2, 300)
    assert (np.array([*module.unpack_codes(words, 3)][:40]) == codes).all()


# --- false alarms -------------------------------------------------------------------------------------

PAIR = design(sensitive("0.5", question("a", "0.3", "0.7"), question("b", *HALF)))


@pytest.mark.at_push(3)
@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("level", [0.5, 0.2, 0.05])
def test_false_alarms_stay_within_the_level_for_any_truth(n: int, level: float) -> None:
    """By enumeration of every outcome under every combination of truths; an alarm does not depend on the order."""
    parts, laws = all_records_with_odds(PAIR)
    codes, rng = as_codes(PAIR, parts), np.random.default_rng(n)
    chance = np.zeros((len(parts),) * n)
    assert len(parts) == 4
    for outcome in combinations_with_replacement(range(len(parts)), n):
        alarm = count_copies(PAIR, codes[:, outcome], level).excess > 0
        assert (count_copies(PAIR, codes[:, rng.permutation(outcome)], level).excess > 0) is alarm
        chance[tuple(np.array([*permutations(outcome)]).T)] = alarm
    # These examples raise alarms at all.
    assert n < 5 or level < 0.5 or chance[(0,) * 5] == 1
    for _person in range(n):
        chance = np.tensordot(chance, laws, (0, 1))
    assert chance.max() <= level


def worst_truths(asks: Design, n: int) -> list[NDArray[np.uint8]]:
    """All the same, the likeliest; two camps; four; everybody their own."""
    rng = np.random.default_rng(7)
    last = np.array([question.true_codes - 1 for question in asks.questions], np.uint8)
    same = np.zeros((len(last), n), np.uint8)
    own = np.array([rng.integers(0, most + 1, n) for most in last], np.uint8)
    likeliest = np.repeat(last[:, None], n, axis=1)
    return [same, likeliest, np.where(np.arange(n) < n // 2, same, likeliest), own[:, np.arange(n) % 4], own]


def hide_by_rules(asks: Design, truths: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What the rules hide of these answers."""
    truths = truths.copy()
    for place, question_ in enumerate(asks.questions):
        for rule in question_.show_if:
            shown = np.isin(truths[rule.place], list(rule.codes))
            truths[place, ~shown] = question_.true_hidden_code
    return truths


@pytest.mark.night
@each_design
@pytest.mark.parametrize("n", [100, 1_000])
def test_simulated_false_alarms_stay_below_the_level_for_worst_truths(asks: Design, n: int) -> None:
    rng, level, times = np.random.default_rng(3), 0.05, 120
    for truths in worst_truths(asks, n):
        shown = hide_by_rules(asks, truths)
        alarms = sum(
            count_copies(asks, disguise_all(asks, shown, rng), level).excess > 0 for _ in range(times)
        )
        # At the level itself more than this come once in ten thousand.
        assert alarms <= binom.ppf(0.9999, times, level)


@pytest.mark.night
def test_ignoring_the_union_bound_raises_false_alarms() -> None:
    """The same batches with p = P(Bin(n, m) >= c) of the record that is most over: what the test does not do."""
    rng, level = np.random.default_rng(3), 0.05
    alarms = 0
    for _ in range(100):
        codes = disguise_all(ROTATING, np.zeros((7, 100), np.uint8), rng)
        first, _kind, counts = module.group_identical_records(module.pack_codes(codes, 4))
        sections = distinct_section_parts(ROTATING, codes[:, first])
        chance = [bound_of([section.take([place]) for section in sections]) for place in range(len(first))]
        alarms += bool((binom.sf(counts - 1, 100, chance) <= level).any())
    assert alarms > 20


# --- what is found --------------------------------------------------------------------------------------


@pytest.mark.night
@each_design
def test_stated_excess_is_never_more_than_was_forged(asks: Design) -> None:
    """A lower bound at the level: more than the level's share of false ones would show here."""
    rng, level, times, too_many = np.random.default_rng(11), 0.05, 100, 0
    for _ in range(times):
        n, forged = 100, int(rng.integers(1, 90))
        honest = hide_by_rules(asks, np.zeros((len(asks.questions), n - forged), np.uint8))
        made_up = copies(disguise_all(asks, honest, rng), forged)
        codes = np.concatenate([disguise_all(asks, honest, rng), made_up], axis=1)
        too_many += count_copies(asks, codes[:, rng.permutation(n)], level).excess > forged
    assert too_many <= binom.ppf(0.9999, times, level)


def test_flood_of_one_record_is_detected() -> None:
    cases = [(YES_NO_5, 100, 85), (YES_NO_5, 70, 20), (ROTATING, 100, 95), (ROTATING, 20, 5), (FEW, 100, 60)]
    for asks, forged, at_least in cases:
        rng = np.random.default_rng(5)
        honest = np.array([rng.integers(0, len(of.choices), 100) for of in asks.questions], np.uint8)
        codes = disguise_all(asks, honest, rng)
        codes[:, :forged] = copies(disguise_all(asks, honest, rng), forged)
        assert at_least <= count_copies(asks, codes, 0.001).excess <= forged, (forged, at_least)


def test_flood_of_several_records_is_detected_together() -> None:
    """Nineteen each of five records: each alone is within what is allowed, all together are not."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, (5, 100)).astype(np.uint8)
    codes[:, :95] = np.eye(5, dtype=np.uint8)[:, np.arange(95) % 5]
    _first, _kind, counts = module.group_identical_records(module.pack_codes(codes, 4))
    alone = IdenticalSets(counts, np.full(len(counts), 0.36 + 0.64 / 32), np.zeros(len(counts), np.int64))
    assert module.count_excess_records(alone, np.array([100]), 0.001) == 0
    assert 20 < count_copies(YES_NO_5, codes, 0.001).excess <= 95


def test_copies_among_few_equal_plain_answers_are_detected_sooner() -> None:
    rng = np.random.default_rng(5)
    where = plain({"name": "where", "choices": [f"place {number}" for number in range(10)]})
    asks = design(where, sensitive("0.36", *(question(f"q{place}", *HALF) for place in range(5))))
    truths = np.concatenate([np.arange(200)[None] % 10, np.zeros((5, 200), np.int64)]).astype(np.uint8)
    codes = disguise_all(asks, truths, rng)
    # 45 more from one place, all the same: no more than everybody might truly be, but not of that place.
    codes = np.concatenate([codes, copies(codes[:, 3:], 45)], axis=1)
    assert 0 < count_copies(asks, codes, 0.001).excess <= 45
    assert count_copies(YES_NO_5, codes[1:], 0.001).excess == 0


def test_small_class_is_ignored() -> None:
    rng = np.random.default_rng(5)
    asks = design(plain(WORK), sensitive("0.3", *(question(f"q{place}", *HALF) for place in range(5))))
    codes = rng.integers(0, 2, (6, 1_000)).astype(np.uint8)
    for size in (module.SMALL_CLASS - 1, module.SMALL_CLASS):
        codes[0] = np.arange(1_000) < size
        codes[1:, :size] = 1
        assert (count_copies(asks, codes, 0.2).excess > 0) is (size == module.SMALL_CLASS)


def test_common_truths_open_records_and_plain_answers_raise_no_alarm() -> None:
    # 90 of 100 the same at a keep of .9 and a noise of .7: .97 would be possible.
    codes = np.ones((1, 100), np.uint8)
    codes[0, :10] = 0
    assert count_copies(KEPT, codes, 0.001) == CopyCount(100, 0)
    # Open records are not looked at.
    same = np.ones((5, 300), np.uint8)
    group = np.zeros(300, np.uint8)
    assert count_excess_copies(YES_NO_5, group, same.__getitem__, 0.001) == CopyCount(0, 0)
    group[:100] = 1
    assert count_excess_copies(YES_NO_5, group, same.__getitem__, 0.001) == count_copies(
        YES_NO_5, same[:, :100], 0.001
    )
    asks = design(plain(WORK))
    assert count_copies(asks, np.zeros((1, 100), np.uint8), 0.001) == CopyCount(100, 0)


def test_p_of_a_record_set_by_hand() -> None:
    def p_value_of(copies: int, records: int, parts: int) -> float:
        return float(module._p_value(np.array([copies]), np.array([records]), np.array([0.5]), 10, parts)[0])

    # Ten records, three of a pair of parts with u = .5: C(10, 2)/2 * P(Bin(8, .5) >= 1) is above 1.
    assert p_value_of(3, 10, 2) == 1
    # Ten of ten: C(10, 2)/9 * 2^-8. Five of a class of five among ten, one part: 10/5 * .5^4.
    assert p_value_of(10, 10, 2) == pytest.approx(comb(10, 2) / 9 / 2**8)
    assert p_value_of(5, 5, 1) == pytest.approx(10 / 5 / 2**4)


@pytest.mark.night
def test_hundreds_of_thousands_of_records_are_checked() -> None:
    rng = np.random.default_rng(1)
    asks = design(*(sensitive("0.5", *(question(f"s{s}q{q}", *HALF) for q in range(5))) for s in range(4)))
    codes = rng.integers(0, 2, (20, 200_000), np.uint8)
    codes[:, :30_000] = 0
    # All might truly be the same, and (.5 + .5/32)^4 of two hundred thousand would then be sent alike.
    assert 15_000 < count_copies(asks, codes, 0.001).excess <= 30_000


def test_copies_of_a_record_with_a_place_are_detected() -> None:
    rng = np.random.default_rng(1)
    honest = disguise_all(HOMES, rng.integers(0, 2, (6, 1_000)).astype(np.uint8), rng)
    assert count_copies(HOMES, honest, 1e-3).excess == 0
    for cell in (0, 6):
        one = np.array([[cell], [1], [0], [1], [0], [1]], honest.dtype)
        assert count_copies(HOMES, np.concatenate([honest, copies(one, 3_000)], axis=1), 1e-3).excess > 100, (
            cell
        )


def test_smallest_detectable_number_of_copies_matches_the_vectors() -> None:
    for vector in vector_file("corrections")["copies"]:
        n, least = vector["n"], vector["least_found"]
        for count in range(1, n + 1) if least is None else (least - 1, least):
            one = IdenticalSets(np.array([count]), np.array([vector["m"]]), np.array([0]))
            excess = module.count_excess_records(one, np.array([n]), vector["a"])
            assert (excess > 0) is (count == least), vector
