"""The content of ./run demo: two people, two rehearsals with simulated respondents, their runs and reviews."""

import json
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from intake.rehearsal import starting as rehearsing
from intake.rehearsal.models import Simulation
from jobs.models import FINISHED, Job, State
from mining.parameters import Parameters
from people import demo as cast
from people.models import Person
from privacy.guarantee.presets import DEFAULT
from reports import deciding, publishing
from reports.deciding import Verdict
from reports.models import Review
from runs import starting
from runs.models import Rule, Run
from surveys.draft import PRESET
from surveys.lifecycle import opening
from surveys.models import Survey
from surveys.refused import Refused

QUESTIONNAIRE, NUMBER = (Path(__file__).with_name(f"{name}.json") for name in ("demo", "demo_number"))
FIRST, RESPONDENTS = 5_000, 20_000
DAYS_KEPT = 4 * 365
WANTED = Parameters(min_support=0.02, min_confidence=0.1, max_size=2)
POLL_SECONDS = 0.3
TURNS_BETWEEN_WORDS = 7
"""Two seconds."""

Say = Callable[[str], None]


class TourStopped(Exception):
    """The demo ends before everything was shown; the next start goes on."""


@dataclass(frozen=True)
class Seeded:
    people: dict[str, Person]
    passwords: dict[str, tuple[str, str]]
    survey: Survey | None


def seed(now: datetime, *, empty: bool = False) -> Seeded:
    """Each start gives new passwords; the survey is made once, at the first."""
    chosen = {part: secrets.token_urlsafe(12) for part in cast.CAST}
    people = cast.seed(now, chosen)
    survey = None if empty else demo_survey(people["researcher"], now)
    return Seeded(people, {part: (people[part].username, chosen[part]) for part in cast.CAST}, survey)


def demo_survey(owner: Person, now: datetime) -> Survey:
    survey, is_new = opened(owner, QUESTIONNAIRE, now)
    if is_new:
        rehearsing.start(survey, owner, FIRST, now)
    return survey


def opened(owner: Person, path: Path, now: datetime) -> tuple[Survey, bool]:
    """The survey of this questionnaire, and whether it is new."""
    draft = questionnaire(timezone.localdate(now), path)
    found = Survey.objects.filter(owner=owner, draft__title=draft["title"]).order_by("pk").first()
    if found:
        return found, False
    survey = Survey.objects.create(owner=owner, draft=draft)
    opening.open_now(survey, owner, now)
    return survey, True


def questionnaire(today: date, path: Path = QUESTIONNAIRE) -> dict[str, Any]:
    """The questionnaire as a draft of the usual protection, with a retention of some years from today."""
    retention = today + timedelta(days=DAYS_KEPT)
    asked = json.loads(path.read_text())
    plain, *sensitive = asked["sections"]
    sections = [plain, *({**section, PRESET: DEFAULT.name} for section in sensitive)]
    return {**asked, "sections": sections, "retention": retention.isoformat(), "expected": RESPONDENTS}


@dataclass
class Tour:
    """Answers, mines, reviews and publishes the demonstration survey; skips the steps that the rows show as done."""

    seeded: Seeded
    address: str
    say: Say
    stop: Event

    def walk(self) -> None:
        survey = self.seeded.survey
        if survey is None:
            return
        try:
            self._walk(survey)
        except TourStopped:
            pass
        except Refused as refused:
            self.say(f"  The tour ends here: {refused}")
        finally:
            connection.close()

    def _walk(self, survey: Survey) -> None:
        first = self._reported(survey, FIRST)
        self.say(f"  {FIRST:,} have answered; a first report waits beside the truth: {self._at(first)}")
        second = self._reported(survey, RESPONDENTS)
        self._review(first, second)
        self.say(f"  {RESPONDENTS:,} have answered. Published for the researcher: {self._at(second)}")
        self.say(f"  Reviewed in part, the rest is yours as the reviewer: {self._at(first)}")
        # After all else, so that the tour of the first survey takes no longer.
        asking, _is_new = opened(self.seeded.people["researcher"], NUMBER, timezone.now())
        number = self._reported(asking, FIRST)
        self._publish(number, ("age",))
        self.say(f"  Another survey asks a number; its shares and average are published: {self._at(number)}")

    def _reported(self, survey: Survey, respondents: int) -> Review:
        """The review that stands beside the tour's run over so many."""
        self._answered(survey, respondents)
        run = run_over(survey, respondents)
        run = run or starting.start(survey, self.seeded.people["researcher"], WANTED, timezone.now())
        self._wait(run)
        publishing.add_finished_runs(timezone.now())  # as the tick would, a few seconds later
        return Review.objects.get(run=run)

    def _answered(self, survey: Survey, respondents: int) -> None:
        """Wait for simulations that run already, then start one for the missing respondents."""
        while (already := rehearsing.answered(survey)) < respondents:
            coming = Simulation.objects.filter(survey=survey).exclude(state__in=FINISHED).first()
            if coming is None:
                missing, researcher = respondents - already, self.seeded.people["researcher"]
                coming = rehearsing.start(survey, researcher, missing, timezone.now())
            self._wait(coming)

    def _review(self, first: Review, second: Review) -> None:
        """Decide on at most half of the first review's rules; accept and publish the strong rules of the second."""
        if first.state == Review.State.WAITING:
            rules = deciding.with_verdicts(first.run)
            weak = rules.filter(q__gte=0.5).order_by("-p").values_list("pk", flat=True)
            half = rules.filter(pk__in=list(weak[: rules.count() // 2]))
            self._decide(first, half, Verdict.MORE_DATA, "5,000 answers do not tell it from chance.")
        self._publish(second, ("age", "work", "place"))

    def _publish(self, review: Review, classes: tuple[str, ...]) -> None:
        """Accept the strong rules, and publish the report with its shares by the classes of these questions."""
        if review.is_open:
            strong = deciding.with_verdicts(review.run).exclude(association=0).filter(redundant=False)
            self._decide(review, strong, Verdict.ACCEPT, "Clear of chance.")
            reviewer = self.seeded.people["reviewer"]
            publishing.publish(review, reviewer, classes, self.address, timezone.now())

    def _decide(self, review: Review, rules: QuerySet[Rule], verdict: Verdict, note: str) -> None:
        if rules.exists():
            deciding.decide(review, self.seeded.people["reviewer"], rules, verdict, note, timezone.now())

    def _wait(self, job: Job) -> None:
        told = ""
        for turn in count():
            if job.state in FINISHED:
                break
            if turn % TURNS_BETWEEN_WORDS == TURNS_BETWEEN_WORDS - 1 and (now := progress(job)) != told:
                self.say(now)
                told = now
            if self.stop.wait(POLL_SECONDS):
                raise TourStopped
            job.refresh_from_db()
        if job.state != State.DONE:
            self.say(f"  {job.title()}: {str(job.problem) or job.state}. {self.address}/jobs/ says more.")
            raise TourStopped

    def _at(self, review: Review) -> str:
        return self.address + review.get_absolute_url()


def run_over(survey: Survey, respondents: int) -> Run | None:
    """The tour's own among all that somebody may have started: asked for what it asks, of at least so many.

    What still waits to be sealed is always less than twice `least`.
    """
    parameters = asdict(WANTED)
    engine = parameters.pop("engine")
    sealed = respondents - 2 * survey.least
    found = Run.objects.filter(survey=survey, engine=engine, parameters=parameters, records__gt=sealed)
    return found.exclude(state__in=(State.FAILED, State.CANCELLED)).order_by("pk").first()


def progress(job: Job) -> str:
    """How far a job is, always on the same kind of line."""
    return f"  … {job.title()}: {str(job.saying) or job.get_state_display()}"
