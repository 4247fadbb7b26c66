"""The persons of a rehearsal whose disguise lasts: in each round the same, with a code of their own.

Person k of a study has always the same code and the same group. In each further round a few answer everything again,
so that a difference of rounds has a true value. Nothing of it is stored: it follows from the study's fingerprint.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from intake.rehearsal.made_up import made_up
from privacy.designs import Design
from privacy.kinds.codes import Codes
from privacy.mechanisms.draws import RandomWords
from privacy.mechanisms.permanent import LENGTH
from privacy.mechanisms.simulated import simulated_codes
from privacy.records import DISGUISED, OPEN
from privacy.simulation.population import Population, Respondents

CHANGED = 0.05
"""The share of persons who answer again in each further round."""
BLOCK = 500
"""Persons who are drawn together, so that nobody depends on how many are asked at once."""


class Persons(NamedTuple):
    respondents: Respondents
    codes: tuple[bytes, ...]


def persons(
    rounds: Sequence[Design], first: int, n: int, seed: int = 0, population: Population | None = None
) -> Persons:
    """n persons from number `first`, as they are in the last of these rounds.

    Lasting sections are the same in all rounds: their answers are those of the first design's persons.
    """
    study, design = rounds[0], rounds[-1]
    people, began = population or made_up(design), population or made_up(study)
    start = first // BLOCK * BLOCK
    blocks = [
        _block(people, began, rounds, [int(study.fingerprint[:16], 16), seed, number])
        for number in range(start // BLOCK, (first + n - 1) // BLOCK + 1)
    ]
    window = slice(first - start, first - start + n)
    group = np.concatenate([block.respondents.group for block in blocks])[window]
    truth = np.concatenate([block.respondents.truth for block in blocks], axis=1)[:, window]
    return Persons(Respondents(group, truth), tuple(code for block in blocks for code in block.codes)[window])


def _block(people: Population, began: Population, rounds: Sequence[Design], source: list[int]) -> Persons:
    study, design = rounds[0], rounds[-1]
    now = _answered(people, design, len(rounds), source)
    lasting = _answered(began, study, len(rounds), source).truth[_lasting_rows(study)]
    now.truth[_lasting_rows(design)] = lasting
    codes = np.random.default_rng(source).bytes(BLOCK * LENGTH)
    return Persons(now, tuple(codes[at : at + LENGTH] for at in range(0, len(codes), LENGTH)))


def _answered(people: Population, design: Design, rounds: int, source: list[int]) -> Respondents:
    """As they are in this round, the first being 1."""
    group, truth = people.draw(design, BLOCK, np.random.default_rng([*source, 1]))
    for number in range(2, rounds + 1):
        rng = np.random.default_rng([*source, number])
        others = people.draw(design, BLOCK, rng)
        again = rng.random(BLOCK) < CHANGED
        for each in (OPEN, DISGUISED):
            pool = np.flatnonzero(others.group == each)
            mine = np.flatnonzero(again & (group == each))[: len(pool)]
            truth[:, mine] = others.truth[:, pool[: len(mine)]]
    return Respondents(group, truth)


def _lasting_rows(design: Design) -> list[int]:
    names = {question.name for section in design.lasting_sections for question in section.questions}
    return [index for index, question in enumerate(design.questions) if question.name in names]


def sent(design: Design, people: Persons, words: RandomWords) -> Codes:
    """The codes of their records, disguised as a device does it; writes what devices draw into the truth."""
    records = np.array(list(_records(design, people, words)), np.uint32).T
    for row, question in enumerate(design.questions):
        if question.share_parts:
            people.respondents.truth[row] = records[row]
    return records


def _records(design: Design, people: Persons, words: RandomWords) -> Iterator[list[int]]:
    (group, truth), codes = people
    hidden = [question.true_hidden for question in design.questions]
    for each, answers, code in zip(group.tolist(), truth.T.tolist(), codes, strict=True):
        known = [None if answer == none else answer for answer, none in zip(answers, hidden, strict=True)]
        yield simulated_codes(design, each, known, words, code=code)[1]
