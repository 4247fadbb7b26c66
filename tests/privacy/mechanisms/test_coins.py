import pytest

from privacy.mechanisms.random_draws import (
    Coins,
    RandomWords,
    draw_below,
    draw_coins,
    secure_words,
    seeded_words,
    sides_of_coins,
)
from tests.privacy.questionnaires import HALF, THIRDS, WORK, design, plain, question, sensitive

ROTATING = sensitive(
    "0.3", question("theft", *HALF), question("drink", *THIRDS), question("drugs", *HALF), asked=2
)


def listed(*words: int, bits: int = 32) -> RandomWords:
    return RandomWords(bits, iter(words).__next__)


def test_a_coin_is_its_word_modulo_n_and_words_past_the_last_whole_n_are_thrown_again() -> None:
    # 2^32 = 429,496 * 10,000 + 7,296, so 4,294,960,000 is the first word that does not count.
    assert draw_below(10_000, listed(4_294_959_999)) == 9_999
    assert draw_below(10_000, listed(4_294_960_000, 4_294_967_295, 10_007)) == 7
    assert draw_below(1, listed(4_294_967_295)) == 0


def test_a_coin_that_no_word_can_give_is_refused_instead_of_thrown_for_ever(
    subtests: pytest.Subtests,
) -> None:
    for n in [0, -1, 257]:
        with subtests.test(f"{n}"), pytest.raises(ValueError, match="no word of 8 bits"):
            draw_below(n, listed(1, bits=8))


def test_the_coins_of_a_design_are_the_shuffle_the_keep_coin_and_one_noise_coin_per_question() -> None:
    found = design(plain(WORK), ROTATING, sensitive("0.5", question("gin", *HALF)))
    assert sides_of_coins(found) == [3, 2, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000]
    assert draw_coins(found, listed(5, 4, 3, 20_002, 1, 0, 9, 8)) == Coins((2, 0, 3, 2, 1, 0, 9, 8))


def test_a_plain_design_needs_no_coins() -> None:
    assert draw_coins(design(plain(WORK)), listed()) == Coins(())


def test_a_seed_gives_its_words_again_and_another_seed_others() -> None:
    def first(seed: int) -> list[int]:
        words = seeded_words(seed)
        return [words.draw() for _ in range(3_000)]

    assert first(7) == first(7)
    assert first(7) != first(8)
    assert first(-7) != first(7)
    # No block of words is another one again: 3,000 words of 32 bits hardly ever meet.
    assert len(set(first(7))) > 2_990


def test_the_secure_source_is_never_the_same_and_fills_its_words() -> None:
    one, other = secure_words(), secure_words()
    first = [one.draw() for _ in range(2_000)]
    assert first != [other.draw() for _ in range(2_000)]
    assert one.bits == 32
    assert all(0 <= word < 2**32 for word in first)
    # Each bit is set in some word and clear in another; by chance alone that fails once in 2^1994.
    assert all(len({word >> bit & 1 for word in first}) == 2 for bit in range(32))
