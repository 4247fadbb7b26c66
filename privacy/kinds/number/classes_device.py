"""The device of `classes`: its coins, and what they decide.

A section's coins:

1. only if m < N: m shuffle coins, the l-th (from 0) below N - l: it swaps the places l and l + coin of the list of the
   limits, and the first m places are drawn;
2. a keep coin below the modulus, and a class coin below m + 1;
3. only if R > 0: a kind coin below 20, a move coin below D, a keep coin of the rest below the modulus, a noise coin
   below 2.

If the kind coin is below R, what goes out is whether the move coin is below the number's distance from where its class
begins; or the noise coin, unless the rest is kept. Otherwise it is the class between the limits drawn that holds the
number, or the one of the class coin, unless the class is kept.
"""

from collections.abc import Sequence

from privacy.grammar.node import PARTS
from privacy.grammar.question import Answers, given_code
from privacy.kinds.number.classes import interval_code
from privacy.kinds.number.section import REST_PARTS, ClassesQuestion, ClassesSection


def sides(section: ClassesSection, modulus: int) -> list[int]:
    question = section.question
    rest = [REST_PARTS, question.span, modulus, 2] if question.rest else []
    return [*_shuffle(question), modulus, question.cuts + 1, *rest]


def disguise(
    section: ClassesSection,
    coins: Sequence[int],
    modulus: int,
    is_open: bool,
    answers: Answers,
    codes: list[int],
) -> None:
    question = section.question
    if not question.applies(codes):
        codes.append(question.not_applicable)
        return
    number = question.number(given_code(question, answers[len(codes)]))
    true = question.class_of(number)
    drawn, (keep, other, *rest) = _drawn(question, coins), coins[len(_shuffle(question)) :]
    if rest and rest[0] < question.rest:
        _kind, move, keep_rest, noise = rest
        assert section.rest_keep_parts is not None
        kept = is_open or keep_rest * PARTS < section.rest_keep_parts * modulus
        codes.append(question.n_intervals + (int(move < number - question.starts[true]) if kept else noise))
        return
    if is_open:
        codes.append(interval_code(question.classes, true, true + 1))
        return
    bounds = [0, *drawn, question.classes]
    kept = keep * PARTS < section.keep_parts * modulus
    sent = sum(limit <= true for limit in drawn) if kept else other
    codes.append(interval_code(question.classes, bounds[sent], bounds[sent + 1]))


def _shuffle(question: ClassesQuestion) -> list[int]:
    n = len(question.limits)
    return [n - place for place in range(question.cuts)] if question.cuts < n else []


def _drawn(question: ClassesQuestion, coins: Sequence[int]) -> list[int]:
    """The numbers of the limits drawn, 1 .. N, ascending."""
    limits = list(range(1, len(question.limits) + 1))
    for place, _sides in enumerate(_shuffle(question)):
        other = place + coins[place]
        limits[place], limits[other] = limits[other], limits[place]
    return sorted(limits[: question.cuts])
