"""Simulates respondents of a rehearsal; their records are parsed and accepted like real ones.

A page requests them, and a worker simulates them. Where a disguise lasts, the respondents of each round are
the same persons.
"""

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_noop
from numpy.typing import NDArray

from accounts.activity_log import log_activity
from intake.batches import automatic_sealing, overwrite_deleted
from intake.endpoint.accept_record import (
    Outcome,
    PublicSurvey,
    count_received,
    find_public_survey,
    receive_record,
)
from intake.endpoint.rate_limits import RequestLimits
from intake.invitations import tokens
from intake.rehearsal import true_counts
from intake.rehearsal.models import Simulation
from intake.rehearsal.simulated_people import default_population, disguise_and_complete_answers, draw_persons
from jobs import job_queue
from jobs.models import FINISHED, Write
from jobs.progress_messages import JobFailed, Progress
from privacy.designs import Design
from privacy.kinds.answer_code_array_type import Codes
from privacy.mechanisms.random_draws import seeded_words
from privacy.records import Envelope, Record
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Population, Respondents
from surveys.lifecycle import opening, survey_creation
from surveys.lifecycle.earlier_designs import earlier_designs
from surveys.lifecycle.record_counts import records_that_fill_a_batch, shown_counts_of_survey
from surveys.lifecycle.token_signing_key import make_tokens_for_simulation
from surveys.models import Design as StoredDesign, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from ui.number_format import format_count

if TYPE_CHECKING:
    from accounts.models import Person

MOST = 100_000
"""Highest number of respondents that one job simulates."""
USUAL, MOST_AT_FIRST = 5_000, 20_000
"""Numbers of respondents at the first try: the usual number if the survey expects none, and the highest, so
that nobody waits long."""
CHUNK = 500
"""Number of respondents stored in one transaction, with their true answers; real senders wait for it meanwhile."""

NOT_OPEN = gettext_noop("Answers can be simulated only in an open rehearsal. Open it first.")
PAUSED = gettext_noop("This rehearsal is paused. Resume it first.")

tried_out = Signal()
"""Signal, sent with `survey` and `now` inside the transaction that ends a job with `then_run`."""


class NotAnswerable(NotAllowed):
    """Raised if nobody can answer a survey by simulation; `text` is the reason, untranslated, for a job's failure."""

    def __init__(self, text: str) -> None:
        super().__init__(_(text))
        self.text = text


def start_rehearsal(survey: Survey, person: "Person", now: datetime) -> Survey:
    """Opens a rehearsal of this draft and starts simulated respondents; returns the rehearsal.

    A draft that is a rehearsal already is opened itself. If InputRefused or NotAllowed is raised, nothing has changed.
    """
    with transaction.atomic():
        if survey.is_rehearsal and survey.state == Survey.State.DRAFT:
            if not survey.may(person, "open"):
                raise NotAllowed(
                    _("Only its owner opens this rehearsal. Make one of your own: “Test or copy”.")
                )
            rehearsal = survey
        else:
            rehearsal = survey_creation.duplicate_survey(survey, person, now, rehearsal=True)
        opening.open_survey_now(rehearsal, person, now)
        usual = people_of_round_before(rehearsal) or min(rehearsal.expected or USUAL, MOST_AT_FIRST)
        n = min(usual, MOST, rehearsal.cap or MOST)
        if rehearsal.least <= n < records_that_fill_a_batch(rehearsal.least):
            # Only its end lets so few be counted.
            Survey.objects.filter(pk=rehearsal.pk).update(cap=n)
        start_simulation(rehearsal, person, n, now, then_run=True)
    return rehearsal


def people_of_round_before(survey: Survey) -> int:
    """Returns how many people answered the survey that this one repeats, as far as that is shown; 0 if none."""
    follows = StoredDesign.load_parsed(survey.design_id).follows if survey.design_id else ""
    earlier = Survey.objects.filter(design=follows) if follows else ()
    counts = (
        true_counts.respondent_count(each) or shown_counts_of_survey(each).sealed or 0 for each in earlier
    )
    return max(counts, default=0)


def start_simulation(
    survey: Survey, person: "Person | None", n: int, now: datetime, *, then_run: bool = False
) -> Simulation:
    """Enqueues and returns a job that adds n simulated respondents to a rehearsal."""
    with transaction.atomic():
        locked = Survey.objects.get_locked(survey.pk)
        if not locked.is_rehearsal or locked.state != Survey.State.OPEN:
            raise NotAnswerable(NOT_OPEN)
        if locked.is_paused:
            raise NotAnswerable(PAUSED)
        if Simulation.objects.filter(survey=survey).exclude(state__in=FINISHED).exists():
            raise NotAllowed(
                _("Simulated respondents are still answering. Wait for them, or cancel the rest.")
            )
        until = true_counts.respondent_count(survey) + n
        job = Simulation(survey=survey, n=n, until=until, then_run=then_run)
        job_queue.enqueue(job)
        log_activity(person, "intake.rehearsed", survey, note=str(n), when=now)
    return job


def perform(job: Simulation, progress: Progress) -> Write:
    """Performs the job: simulates the respondents that are still missing.

    Records are stored in chunks together with their true answers, so a repeated job counts nobody twice.
    Returns a function that finishes the job in its last transaction.
    """
    missing = max(0, job.until - true_counts.respondent_count(job.survey))
    already = job.n - missing

    def report_stored(stored: int, _n: int) -> None:
        done = already + stored
        message = gettext_noop("%(stored)s of %(n)s have answered")
        progress(done / job.n, message, stored=format_count(done), n=format_count(job.n))

    report_stored(0, missing)
    # An earlier attempt may have stored all of them, and the last one closed a rehearsal with a cap.
    if missing:
        try:
            simulate(job.survey, missing, progress=report_stored)
        except NotAnswerable as refusal:
            raise JobFailed(refusal.text) from None
    if job.then_run:
        return partial(tried_out.send, Simulation, survey=job.survey, now=timezone.now())
    return partial(int)  # nothing is left to store


def simulate(
    survey: Survey,
    n: int,
    *,
    population: Population | None = None,
    seed: int | None = None,
    progress: Callable[[int, int], object] = lambda _stored, _n: None,
) -> int:
    """Lets n simulated respondents answer an open rehearsal; returns how many did before it closed at its cap or was
    paused.

    Raises `NotAnswerable` if the rehearsal is not open or is paused at the beginning, or before the first answer is
    stored. `progress(stored, n)` is called after every few hundred and may raise to stop.
    """
    public = _find_open_rehearsal(survey)
    rng, draw = np.random.default_rng(seed), _make_respondent_drawer(survey, public.design, population, seed)
    stored = 0
    while stored < n and public.state == Survey.State.OPEN and not public.paused:
        chunk = min(CHUNK, n - stored)
        if public.cap is not None:
            # At least one, which closes a survey that is full.
            chunk = min(chunk, max(1, public.cap - count_received(public.survey).received))
        if not _store_respondents(survey, public, *draw(chunk, rng)):
            break
        automatic_sealing.seal_or_close_count_missing(public, count_received(public.survey))
        stored += chunk
        progress(stored, n)
        public = _find_rehearsal(survey)
    overwrite_deleted.overwrite_deleted_rows()
    if n and not stored:
        # It was closed or paused before the first answer: the same is said as if it had been so before.
        _find_open_rehearsal(survey)
    return stored


def _find_open_rehearsal(survey: Survey) -> PublicSurvey:
    public = _find_rehearsal(survey)
    if public.state != Survey.State.OPEN:
        raise NotAnswerable(NOT_OPEN)
    if public.paused:
        raise NotAnswerable(PAUSED)
    return public


def _find_rehearsal(survey: Survey) -> PublicSurvey:
    public = find_public_survey(survey.slug)
    if public is None or not public.design.rehearsal:
        raise NotAnswerable(
            gettext_noop(
                "Answers can be simulated only in a rehearsal. Make a rehearsal of this survey first."
            )
        )
    return public


def _make_respondent_drawer(
    survey: Survey, design: Design, population: Population | None, seed: int | None
) -> "Callable[[int, np.random.Generator], tuple[Respondents, Codes]]":
    """Returns a function that draws the next n respondents, with the codes of their records."""
    if not design.lasting_sections:
        everybody = population or default_population(design)

        def draw_strangers(n: int, rng: "np.random.Generator") -> tuple[Respondents, Codes]:
            people = everybody.draw(design, n, rng)
            return people, disguise(design, people.group, people.truth, rng)

        return draw_strangers
    rounds = [*reversed(earlier_designs(design.follows)), design]

    def draw_same_persons(n: int, rng: "np.random.Generator") -> tuple[Respondents, Codes]:
        people = draw_persons(rounds, true_counts.respondent_count(survey), n, seed or 0, population)
        return people.respondents, disguise_and_complete_answers(
            design, people, seeded_words(int(rng.integers(2**63)))
        )

    return draw_same_persons


def _store_respondents(survey: Survey, public: PublicSurvey, people: Respondents, codes: Codes) -> bool:
    """Sends a record of each respondent and counts their true answers, in one transaction.

    Returns False, with nothing sent, if the rehearsal was closed, paused or deleted meanwhile.
    """
    n, design, limits = len(people.group), public.design, RequestLimits()
    with transaction.atomic():
        locked = Survey.objects.get_locked_while_records_arrive(survey.pk)
        if locked.state != Survey.State.OPEN or locked.is_paused:
            return False
        own_tokens: Sequence[str | None] = [None] * n
        if design.invitation_key:
            own_tokens = make_tokens_for_simulation(survey.pk, n, secrets.token_bytes)
        elif public.invited:
            own_tokens = tokens.create_tokens(survey, n)
        for record, token in zip(_build_records(design, people.group, codes), own_tokens, strict=True):
            now = timezone.now()
            envelope = Envelope(secrets.token_hex(16), record, token, public.get_page_epoch(now))
            outcome = receive_record(public, envelope.json.encode(), now, limits)
            if outcome is not Outcome.STORED:
                raise AssertionError(f"a simulated record was refused: {outcome.word}")
        true_counts.add_to_true_counts(survey, design, people.group, people.truth)
    return True


def _build_records(design: Design, group: NDArray[np.uint8], codes: Codes) -> list[Record]:
    """Builds the records that devices would send from the codes of all respondents."""
    digits = np.empty((len(group), design.width), np.uint8)
    at = 0
    for question, row in zip(design.questions, codes, strict=True):
        for digit in range(question.width):
            digits[:, at + digit] = row // 10 ** (question.width - 1 - digit) % 10
        at += question.width
    texts = (digits + ord("0")).tobytes().decode()
    starts = range(0, len(texts), design.width)
    return [
        Record(design.fingerprint, own_group, texts[start : start + design.width])
        for own_group, start in zip(group.tolist(), starts, strict=True)
    ]


def latest_simulation(survey: Survey) -> Simulation | None:
    return Simulation.objects.filter(survey=survey).order_by("pk").last()
