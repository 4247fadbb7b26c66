"""Respondents who disguise: sets of choices and itemsets in one survey, and a disguise that lasts over two rounds."""

import secrets
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils import timezone

from intake.models import Batch
from mining.parameters import Parameters
from privacy.designs import Design, parse_design
from privacy.mechanisms.permanent_draws import LENGTH
from privacy.mechanisms.random_draws import secure_words
from privacy.mechanisms.simulated_device import simulate_respondent
from privacy.records import Record
from privacy.records.batch_bit_columns import pack_batch
from privacy.records.record import DISGUISED, decode_answers, encode_answers
from runs import run_start
from surveys.lifecycle import state_changes
from surveys.models import Survey
from tests.intake import asked
from tests.privacy.questionnaires import HALF, crosswise, plain, question, sensitive, subset
from tests.soak.actors import Actor, Visitor
from tests.soak.load import Check, none
from tests.soak.system import Console

DIGITS = 6
"""Plain questions of eight choices, which say the number of a person."""
LEAST, SUPPORT = 20, 0.1


def numbers() -> dict[str, Any]:
    choices = list("01234567")
    return plain(*({"name": f"d{place}", "choices": choices} for place in range(DIGITS)))


def sets() -> list[Design]:
    itemsets = sensitive("0.6", *(question(name, *HALF) for name in ("theft", "lie", "late")), asked=2)
    return [asked.written(numbers(), subset(6, 2, "0.5"), itemsets, crosswise("cash", "0.2"), least=LEAST)]


def rounds() -> list[Design]:
    """The second round follows the first, with the same section that lasts."""
    lasting = sensitive("0.6", *(question(name, *HALF) for name in ("theft", "lie")), lasting="0.8")
    first = asked.written(numbers(), lasting, least=LEAST)
    chain = {"follows": first.fingerprint, "study": first.fingerprint}
    return [first, asked.written(numbers(), lasting, least=LEAST, **chain)]


def open_surveys(designs: list[str]) -> list[tuple[int, str]]:
    opened = [asked.survey(parse_design(design)) for design in designs]
    return [(survey.pk, survey.slug) for survey in opened]


def start_run(survey: Survey, support: float) -> int:
    parameters = Parameters(min_support=support, min_confidence=0.3)
    return int(run_start.start_mining_run(survey, survey.owner, parameters, timezone.now()).pk)


def mine(pk: int, support: float) -> int:
    """Closes the survey, which seals what waits, and starts a run."""
    survey = Survey.objects.get(pk=pk)
    if survey.state == Survey.State.OPEN:
        state_changes.close_survey(survey, survey.owner, timezone.now())
    return start_run(survey, support)


def mine_anew(design: str, answers: list[str], support: float) -> int:
    """Starts a run on a survey that never was under any load: of these answers, in one batch."""
    asks = parse_design(design)
    survey = asked.survey(asks, state=Survey.State.CLOSED)
    codes = np.array([decode_answers(asks, each) for each in sorted(answers)]).T
    packed = pack_batch(asks, np.full(len(answers), DISGUISED, np.uint8), codes)
    Batch.objects.create(survey=survey, first=1, last=1, n=len(answers), columns=packed)
    return start_run(survey, support)


class Disguising(Actor):
    """Each person answers one survey after the other, with one code of theirs and the same true answers."""

    def __init__(self, what: str, designs: list[Design], port: int, asking: Console, seed: int) -> None:
        self.what, self.designs, self.visitor = what, designs, Visitor(port)
        super().__init__(seed, self.visitor)
        self.opened = asking.call(open_surveys, [design.canonical for design in designs])
        self.acknowledged: list[list[str]] = [[] for _design in designs]
        self.refused: list[str] = []

    def turn(self) -> None:
        digits = [self.turns // 8**place % 8 for place in reversed(range(DIGITS))]
        sensitive = [self.random.randrange(2) for _question in self.designs[0].questions[DIGITS:]]
        code, words = secrets.token_bytes(LENGTH), secure_words()
        for design, (_pk, slug), told in zip(self.designs, self.opened, self.acknowledged, strict=True):
            _group, codes = simulate_respondent(design, DISGUISED, digits + sensitive, words, code=code)
            record = Record(design.fingerprint, DISGUISED, encode_answers(design, codes))
            page = self.visitor.get(f"/a/{slug}")
            if page.status != 200 or design.fingerprint not in page.text:
                self.refused.append(f"the page: {page.status}")
            if self.visitor.record(slug, asked.sent(record)):
                told.append(record.answers)
            else:
                self.refused.append(record.answers)

    def checks(self, asking: Console) -> Iterator[Check]:
        """Besides, the run that all these records went into gives the digits of one on a product at rest."""
        lost, more, differing = Counter[str](), Counter[str](), []
        for design, (pk, _slug), told in zip(self.designs, self.opened, self.acknowledged, strict=True):
            run = asking.call(mine, pk, SUPPORT)
            stored = asking.stored(pk)
            lost += Counter(told) - Counter(stored.all)
            more += Counter(stored.all) - Counter(told)
            sealed = [answers for batch in stored.sealed for answers in batch]
            again = asking.call(mine_anew, design.canonical, sealed, SUPPORT)
            runs = asking.wait_for_runs()
            if not runs[run].digest or runs[run].digest != runs[again].digest:
                differing.append(f"run {run} ({runs[run].state}), {again} ({runs[again].state})")
        total = sum(map(len, self.acknowledged))
        yield none(
            f"{self.what}: acknowledged records that are not stored as they were sent",
            list(lost),
            f" of {total:,}",
        )
        yield none(f"{self.what}: records stored more than once, or never acknowledged", list(more))
        yield none(f"{self.what}: pages and records refused", self.refused)
        yield none(
            f"{self.what}: runs with other digits than of the same records at rest",
            differing,
            f" of {len(self.designs)}",
        )
