"""Disguises one respondent's answers with given random coins, as `disguise.js` does on the device.

`privacy/kinds` defines the coins of a section, `random_draws.py` those of the whole design. See docs/mathematics.md,
Disguise.
"""

from collections.abc import Sequence
from itertools import chain, islice
from operator import lt

from privacy.designs.design import Design
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.grammar.question import Answers
from privacy.mechanisms import random_draws
from privacy.mechanisms.permanent_draws import coins_with_permanent_rotation, permanent_answers
from privacy.mechanisms.random_draws import Coins, coin_sides_by_section
from privacy.records.record import DISGUISED, OPEN, Record, encode_answers


def disguise(design: Design, coins: Coins, group: int, answers: Answers, code: bytes | None = None) -> Record:
    """Disguises one respondent's answers; returns the record that leaves the device.

    `coins`: those of `draw_coins`, used once. `group`: OPEN or DISGUISED; in a design with a direct arm the coins
    decide, and another group is refused. `answers`: for each question of the design the code of the true answer, None
    if it is not asked or does not apply. `code`: the person's code, for a disguise that lasts.
    """
    codes = disguised_codes(design, coins, group, answers, code)
    return Record(design.fingerprint, group, encode_answers(design, codes))


def disguised_codes(
    design: Design, coins: Coins, group: int, answers: Answers, code: bytes | None = None
) -> list[int]:
    """Disguises answers like `disguise`, with the same arguments; returns the codes of the record.

    Every question that is drawn and applies must have an answer. A design with lasting sections needs
    the person's code.
    """
    numbers = coin_sides_by_section(design, coins.modulus)
    _check_input(design, coins, group, answers, numbers)
    arm = arm_from_coins(design, coins)
    if group != arm and arm is not None:
        raise InputError("group", _("the random draws chose the other arm"))
    choices = drawn_choices_from_coins(design, coins)
    if choices:
        answers = [choices.get(index, answer) for index, answer in enumerate(answers)]
    if group == DISGUISED and design.lasting_sections:
        if code is None:
            raise InputError("code", _("is missing: the disguise of this design lasts"))
        coins = coins_with_permanent_rotation(design, coins, code)
        answers = permanent_answers(design, coins, answers, code)
    codes: list[int] = []
    thrown = iter(coins.values)
    for section, of_section in zip(design.sections, numbers, strict=True):
        section_coins = list(islice(thrown, len(of_section)))
        section.disguise(section_coins, coins.modulus, group == OPEN, answers, codes)
    return codes


def arm_from_coins(design: Design, coins: Coins) -> int | None:
    """Returns the group that the coins draw, 0 asked directly or 1 disguised; None if the design has no direct arm."""
    return (
        random_draws.drawn_arm(design, _coins_after_sections(design, coins), coins.modulus)
        if design.has_arms
        else None
    )


def drawn_choices_from_coins(design: Design, coins: Coins) -> dict[int, int]:
    """Returns the answer codes that the coins draw for questions that the device answers at random, by question
    index."""
    return (
        random_draws.drawn_choices(design, _coins_after_sections(design, coins), coins.modulus)
        if design.drawn
        else {}
    )


def _coins_after_sections(design: Design, coins: Coins) -> tuple[int, ...]:
    """Returns the coins that belong to no section: for arm, drawn questions and random orders."""
    return coins.values[len(coins.values) - len(random_draws.sides_of_other_coins(design, coins.modulus)) :]


def _check_input(
    design: Design, coins: Coins, group: int, answers: Answers, section_coin_sides: Sequence[Sequence[int]]
) -> None:
    if group not in (OPEN, DISGUISED):
        raise InputError("group", _("must be 0 or 1"))
    if len(answers) != len(design.questions):
        raise InputError(
            "answers",
            _("%(given)s answers to %(questions)s questions"),
            given=len(answers),
            questions=len(design.questions),
        )
    numbers = [
        *chain.from_iterable(section_coin_sides),
        *random_draws.sides_of_other_coins(design, coins.modulus),
    ]
    least = min(coins.values, default=0)
    if least < 0 or len(coins.values) != len(numbers) or not all(map(lt, coins.values, numbers)):
        raise InputError("coins", _("are not the random draws of this design"))
