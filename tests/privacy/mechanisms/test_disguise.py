import pytest

from privacy.designs import InputError
from privacy.mechanisms.disguise import disguise, disguised_codes
from privacy.mechanisms.random_draws import Coins
from privacy.records import Record
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, THIRDS, WORK, design, plain, question, sensitive

ASKED = design(
    plain(WORK),
    sensitive(
        "0.3",
        question("theft", "0.4", "0.6", **IF_EMPLOYED),
        question("drink", *THIRDS),
        question("drugs", *HALF),
        asked=2,
    ),
)
OPEN, DISGUISED = 0, 1


def coins(*values: int) -> Coins:
    """Two of the shuffle, keep, three of noise."""
    return Coins(values)


def test_a_record_carries_the_fingerprint_the_group_and_the_answer_text() -> None:
    record = disguise(ASKED, coins(0, 0, 0, 0, 0, 0), DISGUISED, [0, 1, 2, None])
    assert record == Record(ASKED.fingerprint, 1, "0122")


def test_below_keep_the_truth_is_sent_and_from_keep_on_the_noise(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, tuple[int, int, int], list[int]]] = [
        (2999, (0, 0, 0), [0, 1, 2, 2]),
        (3000, (0, 0, 0), [0, 0, 0, 2]),
        (3000, (3999, 1999, 0), [0, 0, 0, 2]),
        (3000, (4000, 2000, 0), [0, 1, 1, 2]),
        (9999, (9999, 7000, 0), [0, 1, 2, 2]),
        (9999, (9999, 6999, 0), [0, 1, 1, 2]),
    ]
    for keep, noise, sent in cases:
        with subtests.test(f"{keep!r:.60} {noise!r:.60}"):
            assert disguised_codes(ASKED, coins(0, 0, keep, *noise), DISGUISED, [0, 1, 2, None]) == sent


def test_the_shuffle_swaps_a_place_with_one_at_or_after_it() -> None:
    # Coin 2 brings drugs to the front: drugs, drink, theft. Then coin 1 brings theft second.
    assert disguised_codes(ASKED, coins(2, 1, 0, 0, 0, 0), DISGUISED, [0, 1, 2, 1]) == [0, 1, 3, 1]


def test_an_open_answer_is_sent_as_it_is_but_only_for_the_questions_drawn() -> None:
    assert disguised_codes(ASKED, coins(0, 0, 9999, 0, 0, 0), OPEN, [0, 1, 2, 1]) == [0, 1, 2, 2]


@pytest.mark.parametrize("group", [OPEN, DISGUISED])
def test_a_hidden_question_is_not_applicable_unless_it_was_not_asked_at_all(group: int) -> None:
    assert disguised_codes(ASKED, coins(0, 0, 9999, 0, 0, 0), group, [1, None, 2, 1])[1] == 3
    assert disguised_codes(ASKED, coins(2, 0, 9999, 0, 0, 0), group, [1, None, 2, 1])[1] == 2


def test_a_question_that_is_drawn_and_shown_must_be_answered_whatever_the_keep_coin(
    subtests: pytest.Subtests,
) -> None:
    cases_of_answer: list[int | None] = [None, -1, 2]
    for answer in cases_of_answer:
        for keep in [0, 9999]:
            with (
                subtests.test(f"{answer!r:.60} {keep}"),
                pytest.raises(InputError, match="theft: is not answered"),
            ):
                disguised_codes(ASKED, coins(0, 0, keep, 0, 0, 0), DISGUISED, [0, answer, 2, None])


def test_a_plain_question_must_be_answered() -> None:
    with pytest.raises(InputError, match="work: is not answered"):
        disguised_codes(ASKED, coins(0, 0, 0, 0, 0, 0), DISGUISED, [None, 1, 2, None])


def test_coins_of_another_design_or_edited_ones_are_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, ...]] = [
        (),
        (0,) * 5,
        (0,) * 7,
        (3, 0, 0, 0, 0, 0),
        (0, 0, 0, 0, 0, 10_000),
        (0, -1, 0, 0, 0, 0),
    ]
    for values in cases:
        with (
            subtests.test(f"{values}"),
            pytest.raises(InputError, match="coins: are not the random draws of this design"),
        ):
            disguise(ASKED, Coins(values), DISGUISED, [0, 1, 2, 1])


def test_a_group_that_is_neither_or_too_few_answers_are_refused() -> None:
    with pytest.raises(InputError, match="group: must be 0 or 1"):
        disguise(ASKED, coins(0, 0, 0, 0, 0, 0), 2, [0, 1, 2, 1])
    with pytest.raises(InputError, match="answers: 3 answers to 4 questions"):
        disguise(ASKED, coins(0, 0, 0, 0, 0, 0), DISGUISED, [0, 1, 2])


def test_two_truths_whose_coins_choose_noise_leave_the_same_record() -> None:
    thrown = coins(1, 1, 3000, 4000, 7777, 123)
    assert disguise(ASKED, thrown, DISGUISED, [0, 1, 2, 1]) == disguise(
        ASKED, thrown, DISGUISED, [0, 0, 0, 0]
    )
