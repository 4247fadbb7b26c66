"""The device of subset selection: its coins, and what they decide.

A section's coins, always all: a keep coin below the modulus; d shuffle coins, the l-th (from 0) below K-1-l. It swaps
places l and l + coin of the list of the other choices in increasing order. The set is the true choice and the first d-1
places if keep coin/modulus < keep, else the first d places.
"""

from collections.abc import Sequence

from privacy.grammar.node import PARTS
from privacy.grammar.question import Answers, given_code
from privacy.kinds.subset.section import SubsetSection
from privacy.kinds.subset.sets import rank


def sides(section: SubsetSection, modulus: int) -> list[int]:
    others = len(section.question.choices) - 1
    return [modulus, *(others - place for place in range(section.question.size))]


def disguise(
    section: SubsetSection,
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
    true = given_code(question, answers[len(codes)])
    if is_open:
        codes.append(question.sets + true)
        return
    keep, *shuffle = coins
    choices = len(question.choices)
    others = [choice for choice in range(choices) if choice != true]
    for place, coin in enumerate(shuffle):
        others[place], others[place + coin] = others[place + coin], others[place]
    kept = keep * PARTS < section.keep_parts * modulus
    members = [true, *others[: question.size - 1]] if kept else others[: question.size]
    codes.append(rank(sorted(members), choices))
