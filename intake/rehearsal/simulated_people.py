"""Simulates the people of a rehearsal: a population for any questionnaire, and the same persons in all rounds
of a study.

Where a disguise lasts, each round has the same persons, each with a code and a group of their own. In each
further round a few answer everything again, so that a difference of rounds has a true value. Nothing of the
persons is stored: they are computed from the study's fingerprint.
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from privacy.designs import Design
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.simulation import ControlShares, Shares, SkewedNumbers, UsualAnswers, UsualShares
from privacy.mechanisms.permanent_draws import LENGTH
from privacy.mechanisms.random_draws import RandomWords
from privacy.mechanisms.simulated_device import simulate_respondent
from privacy.records import DISGUISED, OPEN
from privacy.simulation.population import Independent, LatentClasses, Population, Respondents
from privacy.simulation.simulation_registry import find_simulation

DO = 0.25
SHARES = (0.5, 0.85), (0.02, 0.12)
"""For the smaller class of people, then for the larger one: the range of the share who have what a sensitive
question asks."""
CARELESS = 0.04
"""Share of people who answer at random, in surveys with a control item: without any, the report would show no
such share."""
CHANGED = 0.05
"""Share of persons who give new answers in each further round."""
BLOCK = 500
"""Number of persons drawn together, so that a person's answers do not depend on how many are simulated at once."""


def default_population(design: Design, *, alike: bool = False) -> Population:
    """Returns a population for any questionnaire; the same questions always give the same people.

    As in reality, people with something to hide choose disguise more often, so that the groups differ. `alike`: all
    persons have the same distribution, so that no two answers are associated and no groups differ.
    """
    asked = json.dumps(design.as_json()["sections"], sort_keys=True)
    rng = np.random.default_rng(int.from_bytes(sha256(asked.encode()).digest()[:8], "big"))
    usual = [
        (answers, section.sensitive)
        for section in design.sections
        for answers in find_simulation(section).usual_answers(section, rng)
    ]
    open_share = 0.25 if design.offers_choice else 0.0
    if alike:
        share = DO * sum(SHARES[0]) / 2 + (1 - DO) * sum(SHARES[1]) / 2
        answers = tuple(
            ordinary.distribution_if_admitted(share if hidden else None) for ordinary, hidden in usual
        )
        return Population(Independent(answers), open_share=open_share)
    classes = tuple(
        Independent(
            tuple(
                ordinary.distribution_if_admitted(rng.uniform(*between) if hidden else None)
                for ordinary, hidden in usual
            )
        )
        for between in SHARES
    )
    careless = CARELESS if any(question.known_parts is not None for question in design.questions) else 0.0
    if careless:
        classes += (Independent(tuple(_equal_shares(ordinary) for ordinary, _hidden in usual)),)

    def latent_classes_with_share(do: float) -> LatentClasses:
        attentive = 1 - careless
        weights = (attentive * do, attentive * (1 - do), *((careless,) if careless else ()))
        return LatentClasses(weights, classes)

    return Population(
        disguised=latent_classes_with_share(DO), open=latent_classes_with_share(DO / 3), open_share=open_share
    )


def _equal_shares(ordinary: UsualAnswers) -> Shares | SkewedNumbers:
    """Returns equal shares for all choices; numbers and places keep their usual distribution."""
    if isinstance(ordinary, UsualShares | ControlShares):
        return (1 / len(ordinary.shares),) * len(ordinary.shares)
    return ordinary.distribution_if_admitted(None)


# --- the persons of a study in rounds


class StudyPersons(NamedTuple):
    respondents: Respondents
    codes: tuple[bytes, ...]


def draw_persons(
    rounds: Sequence[Design], first: int, n: int, seed: int = 0, population: Population | None = None
) -> StudyPersons:
    """Draws the n persons of a study from number `first` on, with their answers in the last of its `rounds`; each
    number always gives the same person.

    Lasting sections are the same in all rounds, so their answers are drawn from the population of the first design.
    """
    study, design = rounds[0], rounds[-1]
    people, first_people = population or default_population(design), population or default_population(study)
    start = first // BLOCK * BLOCK
    groups, truths, codes = [], [], b""
    for number in range(start // BLOCK, (first + n - 1) // BLOCK + 1):
        source = [int(study.fingerprint[:16], 16), seed, number]
        group, truth = _answers_after_rounds(people, design, len(rounds), source)
        lasting = _answers_after_rounds(first_people, study, len(rounds), source).truth[
            _lasting_question_indexes(study)
        ]
        truth[_lasting_question_indexes(design)] = lasting
        groups.append(group)
        truths.append(truth)
        codes += np.random.default_rng(source).bytes(BLOCK * LENGTH)
    window = slice(first - start, first - start + n)
    respondents = Respondents(np.concatenate(groups)[window], np.concatenate(truths, axis=1)[:, window])
    own_codes = tuple(codes[at : at + LENGTH] for at in range(0, len(codes), LENGTH))
    return StudyPersons(respondents, own_codes[window])


def _answers_after_rounds(people: Population, design: Design, rounds: int, source: list[int]) -> Respondents:
    """Draws a block of people, with their answers in round number `rounds`."""
    group, truth = people.draw(design, BLOCK, np.random.default_rng([*source, 1]))
    for number in range(2, rounds + 1):
        rng = np.random.default_rng([*source, number])
        replacements = people.draw(design, BLOCK, rng)
        answers_again = rng.random(BLOCK) < CHANGED
        for own_group in (OPEN, DISGUISED):
            pool = np.flatnonzero(replacements.group == own_group)
            changed = np.flatnonzero(answers_again & (group == own_group))[: len(pool)]
            truth[:, changed] = replacements.truth[:, pool[: len(changed)]]
    return Respondents(group, truth)


def _lasting_question_indexes(design: Design) -> list[int]:
    names = {question.name for section in design.lasting_sections for question in section.questions}
    return [index for index, question in enumerate(design.questions) if question.name in names]


def disguise_and_complete_answers(design: Design, people: StudyPersons, words: RandomWords) -> Codes:
    """Returns the codes of the persons' records as a device makes them; also writes the answers that devices
    draw themselves into `people`'s true answers."""
    (group, truth), person_codes = people
    hidden = [question.true_hidden_code for question in design.questions]
    records = []
    for own_group, answers, code in zip(group.tolist(), truth.T.tolist(), person_codes, strict=True):
        known = [None if answer == none else answer for answer, none in zip(answers, hidden, strict=True)]
        records.append(simulate_respondent(design, own_group, known, words, code=code)[1])
    codes = np.array(records, np.uint32).T
    for row, question in enumerate(design.questions):
        if question.share_parts:
            truth[row] = codes[row]
    return codes
