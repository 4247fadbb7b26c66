"""Simulates respondents of a rehearsal: their records pass the same parsing and intake as real ones.

Where a disguise lasts, the respondents of each round are the same persons (`persons`).
"""

import secrets
from collections.abc import Callable, Sequence

import numpy as np
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from intake.batches import due, sweeping
from intake.endpoint.accept import Outcome, PublicSurvey, count_received, receive, survey_at
from intake.endpoint.limits import Limits
from intake.invitations import making as tokens
from intake.rehearsal import persons, truth
from intake.rehearsal.made_up import made_up
from privacy.designs import Design
from privacy.kinds.codes import Codes
from privacy.mechanisms.draws import seeded_words
from privacy.records import Envelope, Record
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Population, Respondents
from surveys.lifecycle.invitation_keys import signed_tokens
from surveys.lifecycle.waves import earlier_designs
from surveys.models import Survey
from surveys.questionnaire.problems import NotAllowed

CHUNK = 500
"""Respondents stored in one transaction, with what they truly answered; others send meanwhile and wait for it."""

Progress = Callable[[int, int], object]
Ask = Callable[[int, np.random.Generator], tuple[Respondents, Codes]]
"""Gives n respondents and the codes of their records."""


def simulate(
    survey: Survey,
    n: int,
    *,
    population: Population | None = None,
    seed: int | None = None,
    progress: Progress = lambda _stored, _n: None,
) -> int:
    """Let n simulated respondents answer an open rehearsal; how many did before it closed at its cap or was paused.

    `progress(stored, n)` is called after every few hundred and may raise to stop.
    """
    public = _rehearsal(survey)
    if public.state != Survey.State.OPEN:
        raise NotAllowed(_("Answers can be simulated only in an open rehearsal. Open it first."))
    if public.paused:
        raise NotAllowed(_("This rehearsal is paused. Resume it first."))
    rng = np.random.default_rng(seed)
    asks = _asker(survey, public.design, population, seed)
    stored = 0
    while stored < n and public.state == Survey.State.OPEN and not public.paused:
        chunk = min(CHUNK, n - stored, _room(public))
        _answer(survey, public, asks, chunk, rng)
        due.seal_or_close(public, count_received(public.survey))
        stored += chunk
        progress(stored, n)
        public = _rehearsal(survey)
    sweeping.sweep()
    return stored


def _rehearsal(survey: Survey) -> PublicSurvey:
    public = survey_at(survey.slug)
    if public is None or not public.design.rehearsal:
        raise NotAllowed(
            _("Answers can be simulated only in a rehearsal. Make a rehearsal of this survey first.")
        )
    return public


def _room(public: PublicSurvey) -> int:
    """How many more the cap lets in; at least one, which closes a survey that is full."""
    return CHUNK if public.cap is None else max(1, public.cap - count_received(public.survey).received)


def _asker(survey: Survey, design: Design, population: Population | None, seed: int | None) -> Ask:
    """Asks the next n respondents of this survey."""
    if not design.lasting_sections:
        everybody = population or made_up(design)

        def strangers(n: int, rng: np.random.Generator) -> tuple[Respondents, Codes]:
            people = everybody.draw(design, n, rng)
            return people, disguise(design, people.group, people.truth, rng)

        return strangers
    rounds = [*reversed(earlier_designs(design.follows)), design]

    def same_persons(n: int, rng: np.random.Generator) -> tuple[Respondents, Codes]:
        people = persons.persons(rounds, truth.answered(survey), n, seed or 0, population)
        codes = persons.sent(design, people, seeded_words(int(rng.integers(2**63))))
        return people.respondents, codes

    return same_persons


def _answer(survey: Survey, public: PublicSurvey, asks: Ask, n: int, rng: np.random.Generator) -> None:
    (group, true), codes = asks(n, rng)
    with transaction.atomic():
        invited = _tokens(survey, public, n)
        limits = Limits()
        for record, token in zip(_records(public.design, group, codes), invited, strict=True):
            envelope = Envelope(secrets.token_hex(16), record, token)
            outcome = receive(public, envelope.json.encode(), timezone.now(), limits)
            if outcome is not Outcome.STORED:
                raise AssertionError(f"a simulated record was refused: {outcome.word}")
        truth.add(survey, public.design, group, true)


def _tokens(survey: Survey, public: PublicSurvey, n: int) -> Sequence[str | None]:
    """What lets their records in: invitations, or what these are exchanged for."""
    if public.design.invitation_key:
        return signed_tokens(survey.pk, n, secrets.token_bytes)
    return tokens.generate(survey, n) if public.invited else [None] * n


def _records(design: Design, group: NDArray[np.uint8], codes: Codes) -> list[Record]:
    """The records that the devices send, from the codes of all respondents."""
    digits = np.empty((len(group), design.width), np.uint8)
    at = 0
    for question, row in zip(design.questions, codes, strict=True):
        for digit in range(question.width):
            digits[:, at + digit] = row // 10 ** (question.width - 1 - digit) % 10
        at += question.width
    texts = (digits + ord("0")).tobytes().decode()
    return [
        Record(design.fingerprint, g, texts[start : start + design.width])
        for g, start in zip(group.tolist(), range(0, len(texts), design.width), strict=True)
    ]
