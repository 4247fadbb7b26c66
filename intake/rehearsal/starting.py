"""A rehearsal's respondents as background work: asked for on a page, let in by a worker."""

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _, gettext_noop

from accounts.history import log_activity
from intake.rehearsal import simulating
from intake.rehearsal.models import Simulation
from intake.rehearsal.truth import answered
from jobs import wake
from jobs.message import JobFailed, Progress
from jobs.models import FINISHED, Write
from surveys.models import Survey
from surveys.questionnaire.problems import NotAllowed
from ui.numbers import count

if TYPE_CHECKING:
    from accounts.models import Person

MOST = 100_000


def latest(survey: Survey) -> Simulation | None:
    return Simulation.objects.filter(survey=survey).order_by("pk").last()


def start(survey: Survey, person: "Person | None", n: int, now: datetime) -> Simulation:
    """Ask for n more."""
    if not survey.is_rehearsal or survey.state != Survey.State.OPEN:
        raise NotAllowed(_("Answers can be simulated only in an open rehearsal. Open it first."))
    with transaction.atomic():
        Survey.objects.locked(survey.pk)
        if Simulation.objects.filter(survey=survey).exclude(state__in=FINISHED).exists():
            raise NotAllowed(
                _("Simulated respondents are still answering. Wait for them, or cancel the rest.")
            )
        made = Simulation(survey=survey, n=n, until=answered(survey) + n)
        wake.enqueue(made)
        log_activity(person, "intake.rehearsed", survey, note=str(n), when=now)
    return made


def perform(job: Simulation, progress: Progress) -> Write:
    """Stored chunk by chunk, each with its truth: an attempt that died is gone on with, nobody counted twice."""

    def told(stored: int) -> None:
        progress(
            stored / job.n,
            gettext_noop("%(stored)s of %(n)s have answered"),
            stored=count(stored),
            n=count(job.n),
        )

    missing = job.until - answered(job.survey)
    already = job.n - missing
    told(already)
    try:
        simulating.simulate(job.survey, missing, progress=lambda stored, _n: told(already + stored))
    except NotAllowed:
        raise JobFailed(gettext_noop("Answers can be simulated only in an open rehearsal.")) from None
    return partial(int)  # nothing is left to store
