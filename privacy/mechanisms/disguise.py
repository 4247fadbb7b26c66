"""Disguises answers with given coins. The twin of this module is `disguise.js`.

In each sensitive section the shuffle coins draw the questions that are asked (a Fisher-Yates shuffle that stops after
s places: coin i swaps places i and i + coin, the first s are drawn). If keep coin/modulus < keep, the section's true
answers are sent. Otherwise the answer to question j is the first choice whose cumulative noise probability is above
its noise coin/modulus. All comparisons are between integers.
"""

from bisect import bisect_right
from collections.abc import Sequence

from privacy.designs.design import Design
from privacy.designs.record import DISGUISED, OPEN, Record, encode
from privacy.grammar.node import PARTS
from privacy.grammar.question import Question
from privacy.grammar.refusal import Refusal, marked as _
from privacy.kinds.grouped.form import UnrelatedQuestionSection
from privacy.kinds.plain.form import PlainSection
from privacy.mechanisms.coins import Coins, section_sides, sides

Answers = Sequence[int | None]
"""The true code of every question of the design; None if it is not asked or does not apply."""


def disguise(design: Design, coins: Coins, group: int, answers: Answers) -> Record:
    """The record that leaves the device."""
    return Record(design.fingerprint, group, encode(design, disguised_codes(design, coins, group, answers)))


def disguised_codes(design: Design, coins: Coins, group: int, answers: Answers) -> list[int]:
    """The codes of that record; every question that is drawn and applies must have an answer."""
    _check(design, coins, group, answers)
    codes: list[int] = []
    thrown = 0
    for section in design.sections:
        match section:
            case PlainSection():
                _plain(section, answers, codes)
            case UnrelatedQuestionSection():
                count = len(section_sides(section, coins.modulus))
                section_coins = coins.values[thrown : thrown + count]
                _sensitive(section, section_coins, coins.modulus, group, answers, codes)
                thrown += count
    return codes


def drawn(section: UnrelatedQuestionSection, shuffle: Sequence[int]) -> list[bool]:
    """Which questions the shuffle coins draw; all of them where the section does not rotate."""
    order = list(range(len(section.questions)))
    for place, coin in enumerate(shuffle):
        order[place], order[place + coin] = order[place + coin], order[place]
    asked = set(order[: section.asked])
    return [place in asked for place in range(len(order))]


def _plain(section: PlainSection, answers: Answers, codes: list[int]) -> None:
    for question in section.questions:
        if question.applies(codes):
            codes.append(_answer(question, answers[len(codes)]))
        else:
            codes.append(question.not_applicable)


def _sensitive(
    section: UnrelatedQuestionSection,
    coins: Sequence[int],
    modulus: int,
    group: int,
    answers: Answers,
    codes: list[int],
) -> None:
    *shuffle, keep = coins[: -len(section.questions)]
    noise = coins[-len(section.questions) :]
    kept = group == OPEN or keep * PARTS < section.keep_parts * modulus
    for question, asked, coin in zip(section.questions, drawn(section, shuffle), noise, strict=True):
        if not asked:
            codes.append(question.not_asked)
        elif not question.applies(codes):
            codes.append(question.not_applicable)
        else:
            true = _answer(question, answers[len(codes)])
            drawn_answer = bisect_right(question.cumulative, coin * PARTS // modulus)
            codes.append(true if kept else drawn_answer)


def _answer(question: Question, code: int | None) -> int:
    if code is None or not 0 <= code < question.codes:
        raise Refusal(question.name, _("is not answered"))
    return code


def _check(design: Design, coins: Coins, group: int, answers: Answers) -> None:
    if group not in (OPEN, DISGUISED):
        raise Refusal("group", _("must be 0 or 1"))
    if len(answers) != len(design.questions):
        raise Refusal(
            "answers",
            _("%(given)s answers to %(questions)s questions"),
            given=len(answers),
            questions=len(design.questions),
        )
    numbers = sides(design, coins.modulus)
    if len(coins.values) != len(numbers) or not all(map(_between, coins.values, numbers)):
        raise Refusal("coins", _("are not the coins of this design"))


def _between(coin: int, side_count: int) -> bool:
    return 0 <= coin < side_count
