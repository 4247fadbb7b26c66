"""Simulates one respondent and the respondent's device, coin by coin, for files and tests.

The answer to a crosswise question depends on a secret of the respondent. Here each secret is one more coin below the
modulus, after all coins of the device; the secret that is asked is true if coin/modulus is below its share.
"""

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from privacy.designs.design import Design
from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value
from privacy.grammar.json_node import PARTS
from privacy.grammar.question import Answers
from privacy.kinds.crosswise.section import DIFFERENT, SAME, CrosswiseQuestion
from privacy.mechanisms.disguise_by_given_coins import (
    arm_from_coins,
    disguised_codes,
    drawn_choices_from_coins,
)
from privacy.mechanisms.permanent_draws import draw_person_code
from privacy.mechanisms.random_draws import Coins, RandomWords, draw_below, draw_coins
from privacy.records.csv_writer import Sink
from privacy.records.record import OPEN
from privacy.records.record_file import RecordRow, read_truth, write_records


def secret_coin_sides(design: Design, modulus: int = PARTS) -> list[int]:
    """Returns for each crosswise question the number of sides of the coin that simulates the respondent's secret."""
    return [modulus for question in design.questions if isinstance(question, CrosswiseQuestion)]


def simulate_respondent(
    design: Design,
    group: int,
    truth: Answers,
    words: RandomWords,
    modulus: int = PARTS,
    code: bytes | None = None,
) -> tuple[int, list[int]]:
    """Simulates a respondent with these true answers; returns the group and the codes of the record.

    `group` counts only if the design has no arms. `code`: the person's, for a disguise that lasts; without one this is
    a first round, with a new code.
    """
    coins = draw_coins(design, words, modulus)
    secrets = [draw_below(n, words) for n in secret_coin_sides(design, modulus)]
    arm = arm_from_coins(design, coins)
    sent = group if arm is None else arm
    answers = (
        answers_with_crosswise_words(design, coins, secrets, truth) if secrets and sent != OPEN else truth
    )
    if code is None and design.lasting_sections:
        code = draw_person_code(words)
    return sent, disguised_codes(design, coins, sent, answers, code)


def answers_with_crosswise_words(
    design: Design, coins: Coins, secrets: Sequence[int], truth: Answers
) -> list[int | None]:
    """Returns a disguised respondent's answers: *same* or *different* to crosswise questions, else true."""
    choices, left = drawn_choices_from_coins(design, coins), iter(secrets)
    answers: list[int | None] = list(truth)
    for index, question in enumerate(design.questions):
        if isinstance(question, CrosswiseQuestion):
            secret = next(left) * PARTS < question.secret_share(question.is_turned(choices)) * coins.modulus
            true = truth[index]
            answers[index] = None if true is None else DIFFERENT if true != secret else SAME
    return answers


def disguise_file(
    design: Design,
    truth: BinaryIO,
    name: str,
    records: Sink,
    words: RandomWords,
    group_column: str | None = None,
) -> None:
    """Writes a disguised record for every row of true answers in the file `truth`.

    A wrong row raises `InputError`, after the records before it are written. In a design with arms the coins
    draw the group, whatever group the rows have.
    """
    write_records(records, design, _disguise_rows(design, truth, name, words, group_column))


def _disguise_rows(
    design: Design, truth: BinaryIO, name: str, words: RandomWords, group_column: str | None
) -> Iterator[RecordRow]:
    if design.has_arms and group_column:
        raise InputError(
            quote_value(group_column),
            _("the random draws of this design choose the group: name no column for it"),
        )
    is_empty = True
    for group, answers in read_truth(truth, name, design, group_column):
        is_empty = False
        sent, codes = simulate_respondent(design, group, answers, words)
        yield RecordRow(sent, tuple(codes))
    if is_empty:
        raise InputError(name, _("holds no record"))
