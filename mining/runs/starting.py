"""Starting a run, and starting the same one again."""

from dataclasses import asdict
from datetime import datetime
from importlib.metadata import version as installed
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Max, Sum
from django.utils.translation import gettext as _

from jobs import queue
from jobs.models import State
from mining.models import Run
from mining.parameters import Parameters
from mining.runs import access
from people.history import record
from surveys.intake import sealing
from surveys.intake.models import Batch
from surveys.models import Survey
from surveys.refused import Refused

if TYPE_CHECKING:
    from people.models import Person

VERSION = 5
"""Raised whenever the same records and parameters would give another digit."""


def version(engine: str) -> str:
    """What the digits of a run depend on besides the records."""
    packages = ["numpy", "scipy", *(["pandas", "mlxtend"] if engine == "mlxtend" else [])]
    parts = {"mining": str(VERSION)} | {name: installed(name) for name in packages}
    return ", ".join(f"{name} {number}" for name, number in parts.items())


def obstacle(survey: Survey) -> str:
    """Why no run can start, and what would change that; empty where one can."""
    if survey.state == Survey.State.DESTROYED:
        return _("The answers of this survey have been destroyed.")
    if survey.state == Survey.State.DRAFT or survey.design_id is None:
        return _("Nobody has answered yet: open the survey first.")
    if not sealing.last_sealed(survey.pk):
        return _(
            "No answers are sealed yet, and only sealed ones are counted. The first batch is sealed when "
            "%(many)s have come, or when the survey closes with at least %(least)s."
        ) % {"many": 2 * survey.least, "least": survey.least}
    return ""


def start(survey: Survey, person: "Person", wanted: Parameters, now: datetime) -> Run:
    """A run over all that is sealed by now."""
    with transaction.atomic():
        # Held, so that no merging passes by the number before the row that keeps it is there.
        locked = Survey.objects.locked_beside_records(survey.pk)
        if why := obstacle(locked):
            raise Refused(why)
        run = _run(locked, sealing.last_sealed(survey.pk), wanted, access.ever_published(survey.pk))
        record(person, "mining.started", survey, note=str(run), when=now)
    return run


def repeat(run: Run, person: "Person", now: datetime) -> Run:
    """The same once more: the same batches and parameters."""
    with transaction.atomic():
        locked = Survey.objects.locked_beside_records(run.survey_id)
        if why := obstacle(locked):
            raise Refused(why)
        again = _run(locked, run.through, run.wanted, run.earlier)
        note = _("%(run)s, a repetition of %(first)s") % {"run": again, "first": run}
        record(person, "mining.started", locked, note=note, when=now)
    return again


def _run(survey: Survey, through: int, wanted: Parameters, earlier: list[int]) -> Run:
    parameters = asdict(wanted)
    engine = parameters.pop("engine")
    same = Run.objects.filter(
        survey=survey, through=through, engine=engine, parameters=parameters, earlier=earlier
    )
    if same.filter(state__in=(State.QUEUED, State.RUNNING)).exists():
        raise Refused(_("The same run is on its way already. Wait for it, or cancel it first."))
    # The survey is held: of two who start a run, the second finds the first's number.
    last = Run.objects.filter(survey=survey).aggregate(last=Max("number"))["last"]
    sealed = Batch.objects.filter(survey=survey, last__lte=through)
    run = Run(
        survey=survey,
        number=(last or 0) + 1,
        through=through,
        records=sealed.aggregate(n=Sum("n"))["n"],
        design=survey.design_id or "",
        parameters=parameters,
        earlier=earlier,
        engine=engine,
        version=version(engine),
    )
    queue.enqueue(run)
    return run
