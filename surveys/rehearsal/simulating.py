"""Simulates respondents of a rehearsal: their records pass the same parsing and intake as real ones."""

import json
import secrets
from collections.abc import Callable
from hashlib import sha256

import numpy as np
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from privacy.designs import Design, Envelope, Record
from privacy.kinds.codes import Codes
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, LatentClasses, Population
from surveys.intake import due, sweeping
from surveys.intake.accept import Outcome, PublicSurvey, count_received, receive, survey_at
from surveys.intake.limits import Limits
from surveys.invitations import making as tokens
from surveys.models import Survey
from surveys.refused import Refused
from surveys.rehearsal import truth

CHUNK = 500
"""Respondents stored in one transaction, with what they truly answered; others send meanwhile and wait for it."""

Progress = Callable[[int, int], object]


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
        raise Refused(_("Only an open rehearsal takes simulated respondents. Open it first."))
    if public.paused:
        raise Refused(_("This rehearsal is paused. Resume it first."))
    rng = np.random.default_rng(seed)
    everybody = population or made_up(public.design)
    stored = 0
    while stored < n and public.state == Survey.State.OPEN and not public.paused:
        chunk = min(CHUNK, n - stored, _room(public))
        _answer(survey, public, everybody, chunk, rng)
        due.seal_or_close(public, count_received(public.survey))
        stored += chunk
        progress(stored, n)
        public = _rehearsal(survey)
    sweeping.sweep()
    return stored


def _rehearsal(survey: Survey) -> PublicSurvey:
    public = survey_at(survey.slug)
    if public is None or not public.design.rehearsal:
        raise Refused(_("Only a rehearsal takes simulated respondents. Make one from this survey."))
    return public


def _room(public: PublicSurvey) -> int:
    """How many more the cap lets in; at least one, which closes a survey that is full."""
    return CHUNK if public.cap is None else max(1, public.cap - count_received(public.survey).received)


def _answer(
    survey: Survey, public: PublicSurvey, everybody: Population, n: int, rng: np.random.Generator
) -> None:
    group, true = everybody.draw(public.design, n, rng)
    codes = disguise(public.design, group, true, rng)
    with transaction.atomic():
        invited = tokens.generate(survey, n) if public.invited else [None] * n
        limits = Limits()
        for record, token in zip(_records(public.design, group, codes), invited, strict=True):
            envelope = Envelope(secrets.token_hex(16), record, token)
            outcome = receive(public, envelope.json.encode(), timezone.now(), limits)
            if outcome is not Outcome.STORED:
                raise AssertionError(f"a simulated record was refused: {outcome.word}")
        truth.add(survey, public.design, group, true)


def _records(design: Design, group: NDArray[np.uint8], codes: Codes) -> list[Record]:
    """The records that the devices send, from the codes of all respondents."""
    digits = np.empty((len(group), design.width), np.uint8)
    at = 0
    for question, row in zip(design.questions, codes, strict=True):
        for place in range(question.width):
            digits[:, at + place] = row // 10 ** (question.width - 1 - place) % 10
        at += question.width
    texts = (digits + ord("0")).tobytes().decode()
    return [
        Record(design.fingerprint, g, texts[start : start + design.width])
        for g, start in zip(group.tolist(), range(0, len(texts), design.width), strict=True)
    ]


# --- the default population ----------------------------------------------------------------------------

DO = 0.25
SHARES = (0.5, 0.85), (0.02, 0.12)
"""Two classes of people, the first of which are few: between which shares a sensitive question is not denied."""
EVEN = 12.0
"""How evenly the choices of a question are taken: the parameter of a symmetric Dirichlet distribution."""


def made_up(design: Design) -> Population:
    """People fit for any questionnaire, always the same for the same questions, whatever else its design says.

    People with something to hide answer openly less often, as in life, so that the groups are not alike.
    """
    asked = json.dumps(design.as_json()["sections"], sort_keys=True)
    rng = np.random.default_rng(int.from_bytes(sha256(asked.encode()).digest()[:8], "big"))
    sensitive = [section.sensitive for section in design.sections for _question in section.questions]
    usual = [rng.dirichlet(np.full(question.codes, EVEN)) for question in design.questions]
    classes = tuple(
        Independent(
            tuple(
                _shares(ordinary, rng.uniform(*between) if hidden else None)
                for ordinary, hidden in zip(usual, sensitive, strict=True)
            )
        )
        for between in SHARES
    )
    return Population(
        disguised=LatentClasses((DO, 1 - DO), classes),
        open=LatentClasses((DO / 3, 1 - DO / 3), classes),
        open_share=0.25 if design.open_answers else 0.0,
    )


def _shares(ordinary: NDArray[np.float64], admitted: float | None) -> tuple[float, ...]:
    """The usual shares; of a sensitive question those of all choices but the first, together `admitted`."""
    if admitted is None:
        return tuple(ordinary.tolist())
    rest = ordinary[1:] / ordinary[1:].sum() * admitted
    return (1 - admitted, *rest.tolist())
