"""Draws, one record of a section by hand, and the law of a section."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, strategies as st

from privacy.kinds.grouped.law import NOT_APPLICABLE, NOT_ASKED, SectionLaw
from privacy.mechanisms import random_draws
from privacy.mechanisms.disguise_by_given_coins import disguise, disguised_codes
from privacy.records import Record
from tests.privacy import questionnaires as q

OPEN, DISGUISED = 0, 1
ASKED = q.design(q.plain(q.WORK), q.sensitive("0.3", q.THEFT_RULED, q.DRINK, q.DRUGS, asked=2))


def words_of(*words: int, bits: int = 32) -> random_draws.RandomWords:
    return random_draws.RandomWords(bits, iter(words).__next__)


def test_coin_is_its_word_modulo_n_with_rejection() -> None:
    # 2^32 = 429,496 * 10,000 + 7,296, so 4,294,960,000 is the first word that does not count.
    assert random_draws.draw_below(10_000, words_of(4_294_959_999)) == 9_999
    assert random_draws.draw_below(10_000, words_of(4_294_960_000, 4_294_967_295, 10_007)) == 7
    assert random_draws.draw_below(1, words_of(4_294_967_295)) == 0
    for n in (0, -1, 257):
        with pytest.raises(ValueError, match="no word of 8 bits"):
            random_draws.draw_below(n, words_of(1, bits=8))


def test_design_coins_are_shuffle_keep_and_noise_per_question() -> None:
    found = q.design(
        q.plain(q.WORK),
        q.sensitive("0.3", q.question("theft", *q.HALF), q.DRINK, q.DRUGS, asked=2),
        q.sensitive("0.5", q.question("gin", *q.HALF)),
    )
    assert random_draws.sides_of_coins(found) == [3, 2, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000]
    coins = random_draws.Coins((2, 0, 3, 2, 1, 0, 9, 8))
    assert random_draws.draw_coins(found, words_of(5, 4, 3, 20_002, 1, 0, 9, 8)) == coins
    assert random_draws.draw_coins(q.design(q.plain(q.WORK)), words_of()) == random_draws.Coins(())


def test_seeded_words_repeat_and_secure_ones_do_not() -> None:
    seeded = map(random_draws.seeded_words, (7, 7, 8, -7))
    first, again, other, below = ([words.draw() for _ in range(3_000)] for words in seeded)
    assert first == again
    assert first not in (other, below)
    # No block of words is another one again: 3,000 words of 32 bits hardly ever meet.
    assert len(set(first)) > 2_990
    one, another = random_draws.secure_words(), random_draws.secure_words()
    first, other = ([words.draw() for _ in range(2_000)] for words in (one, another))
    assert first != other
    assert one.bits == 32
    assert all(0 <= word < 2**32 for word in first)
    # Each bit is set in some word and clear in another; by chance alone that fails once in 2^1994.
    assert all(len({word >> bit & 1 for word in first}) == 2 for bit in range(32))


# --- one record: two coins of the shuffle, keep, three of noise


def sent_codes(coins: tuple[int, ...], answers: list[int | None], group: int = DISGUISED) -> list[int]:
    return list(disguised_codes(ASKED, random_draws.Coins(coins), group, answers))


def test_coin_below_keep_sends_the_truth_else_the_noise() -> None:
    cases = {
        (2999, 0, 0, 0): [0, 1, 2, 2],
        (3000, 0, 0, 0): [0, 0, 0, 2],
        (3000, 3999, 1999, 0): [0, 0, 0, 2],
        (3000, 4000, 2000, 0): [0, 1, 1, 2],
        (9999, 9999, 7000, 0): [0, 1, 2, 2],
        (9999, 9999, 6999, 0): [0, 1, 1, 2],
    }
    assert {coins: sent_codes((0, 0, *coins), [0, 1, 2, None]) for coins in cases} == cases
    record = disguise(ASKED, random_draws.Coins((0,) * 6), DISGUISED, [0, 1, 2, None])
    assert record == Record(ASKED.fingerprint, 1, "0122")
    # Two truths whose coins choose noise leave the same record.
    thrown = random_draws.Coins((1, 1, 3000, 4000, 7777, 123))
    one, other = (disguise(ASKED, thrown, DISGUISED, truth) for truth in ([0, 1, 2, 1], [0, 0, 0, 0]))
    assert one == other


def test_shuffle_draws_questions_for_open_people_and_hides_inapplicable_ones() -> None:
    # Coin 2 brings drugs to the front: drugs, drink, theft. Then coin 1 brings theft second.
    assert sent_codes((2, 1, 0, 0, 0, 0), [0, 1, 2, 1]) == [0, 1, 3, 1]
    assert sent_codes((0, 0, 9999, 0, 0, 0), [0, 1, 2, 1], OPEN) == [0, 1, 2, 2]
    # A hidden question is not applicable unless it was not asked at all.
    for group in (OPEN, DISGUISED):
        assert sent_codes((0, 0, 9999, 0, 0, 0), [1, None, 2, 1], group)[1] == 3
        assert sent_codes((2, 0, 9999, 0, 0, 0), [1, None, 2, 1], group)[1] == 2


def test_foreign_answers_coins_and_groups_are_refused() -> None:
    # A question that is drawn and shown must be answered, whatever the keep coin.
    for answer, keep in product((None, -1, 2), (0, 9999)):
        assert "theft: is not answered" in q.refusal(sent_codes, (0, 0, keep, 0, 0, 0), [0, answer, 2, None])
    assert "work: is not answered" in q.refusal(sent_codes, (0,) * 6, [None, 1, 2, None])
    wrong = ((), (0,) * 5, (0,) * 7, (3, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 10_000), (0, -1, 0, 0, 0, 0))
    coins = map(random_draws.Coins, wrong)
    refused = {q.refusal(disguise, ASKED, each, DISGUISED, [0, 1, 2, 1]) for each in coins}
    assert refused == {"coins: are not the random draws of this design"}
    assert q.refusal(sent_codes, (0,) * 6, [0, 1, 2, 1], 2) == "group: must be 0 or 1"
    assert q.refusal(sent_codes, (0,) * 6, [0, 1, 2]) == "answers: 3 answers to 4 questions"


# --- the law of a section

F = Fraction
EVEN, SKEWED, THIRDS = (F(1, 2), F(1, 2)), (F(2, 5), F(3, 5)), (F(1, 5), F(1, 2), F(3, 10))
UNASKED, HIDDEN = NOT_ASKED, NOT_APPLICABLE


def test_record_probabilities_by_hand() -> None:
    keep, redraw = F(3, 10), F(7, 10)
    one, two = SectionLaw(keep, (SKEWED,), 1), SectionLaw(keep, (SKEWED, EVEN), 2)
    three = SectionLaw(keep, (SKEWED, EVEN, THIRDS), 2)
    for law, truth, record, probability in (
        # yes -> yes: .3 + .7 * .6; yes -> no: .7 * .4
        (one, (1,), (1,), F(72, 100)),
        (one, (1,), (0,), F(28, 100)),
        # One keep decides for all, and noise is drawn for each: a record that is half true can only be noise.
        (two, (1, 0), (1, 0), keep + redraw * F(3, 5) * F(1, 2)),
        (two, (1, 0), (1, 1), redraw * F(3, 5) * F(1, 2)),
        # One subset in three, then keep or noise on the two that were drawn.
        (three, (1, 0, 2), (1, UNASKED, 2), F(1, 3) * (keep + redraw * F(3, 5) * F(3, 10))),
        (three, (1, 0, 2), (1, 0, 2), 0),
        (three, (1, 0, 2), (1, UNASKED, UNASKED), 0),
        # A question that does not apply says so and costs nothing.
        (two, (HIDDEN, 1), (HIDDEN, 1), keep + redraw * F(1, 2)),
        (two, (HIDDEN, 1), (1, 1), 0),
        (two, (0, 1), (HIDDEN, 1), 0),
    ):
        assert law.probability(truth, record) == probability, (truth, record)


def test_the_probabilities_of_all_records_sum_to_one() -> None:
    for truth, asked in product([(1, 0, 2), (HIDDEN, 1, 0), (HIDDEN,) * 3], (1, 2, 3)):
        law = SectionLaw(F(3, 10), (SKEWED, EVEN, THIRDS), asked)
        records = product(*([UNASKED, HIDDEN, *range(len(noise))] for noise in law.noise))
        assert sum(law.probability(truth, record) for record in records) == 1, (truth, asked)


@st.composite
def laws(draw: st.DrawFn) -> SectionLaw:
    weights = st.lists(st.integers(1, 9), min_size=2, max_size=3)
    rows = draw(st.lists(weights, min_size=1, max_size=3))
    noise = tuple(tuple(F(weight, sum(row)) for weight in row) for row in rows)
    keep = draw(st.fractions(F(1, 20), F(19, 20), max_denominator=40))
    return SectionLaw(keep, noise, draw(st.integers(1, len(noise))))


@pytest.mark.proof
@given(law=laws(), open_share=st.fractions(0, 1, max_denominator=9), data=st.data())
def test_inverting_the_law_of_a_distribution_gives_the_distribution_back(
    law: SectionLaw, open_share: Fraction, data: st.DataObject
) -> None:
    truths = list(product(*(range(len(noise)) for noise in law.noise)))
    weights = data.draw(st.lists(st.integers(0, 9), min_size=len(truths), max_size=len(truths)).filter(any))
    prior = {x: F(weight, sum(weights)) for x, weight in zip(truths, weights, strict=True)}
    size = data.draw(st.integers(1, law.asked))
    questions = data.draw(st.permutations(range(len(law.noise))))[:size]
    items = [(place, data.draw(st.integers(0, len(law.noise[place]) - 1))) for place in questions]
    holding = {x for x in truths if all(x[place] == code for place, code in items)}
    all_asked = SectionLaw(law.keep, law.noise, len(law.noise))
    support = sum((prior[x] for x in holding), start=F(0))
    disguised = sum((prior[x] * all_asked.probability(x, y) for x in truths for y in holding), start=F(0))
    observed = open_share * support + (1 - open_share) * disguised
    assert law.observed(support, open_share, items) == observed
    # And back by the inverse of docs/mathematics.md, Inversion.
    replaced = (1 - open_share) * (1 - law.keep)
    assert (observed - replaced * law.noise_probability(items)) / (1 - replaced) == support
