"""The content of ./run demo: two people; a survey that simulated people answer, its run, model, report, and release.

Arms are compared once their survey is finished, so a reader answers a copy that stays open.
"""

import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import count
from pathlib import Path
from threading import Event, Thread
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts import demo as cast
from accounts.models import Person
from config.start.demo_people import employees
from intake.batches.sealing import last_sealed
from intake.rehearsal import truth
from intake.rehearsal.models import Simulation
from intake.rehearsal.simulating import simulate
from jobs.models import FINISHED, Job, State
from mining.counts import Numbering
from mining.parameters import Parameters
from privacy.guarantee.presets import DEFAULT
from releases.making import creation
from releases.models import Release
from releases.survey_tables import start_from_survey
from reports.models import Review
from reports.review import deciding, model_decisions as judging, publishing
from reports.review.deciding import Verdict
from runs import modelling, rehearsal_truth, starting
from runs.models import ModelJob, Rule, Run
from surveys.draft import PRESET, Draft
from surveys.lifecycle import opening, states
from surveys.models import Survey
from surveys.questionnaire.hypotheses import KEY as PLAN
from surveys.questionnaire.problems import NotAllowed

QUESTIONNAIRE = Path(__file__).with_name("demo.json")
RESPONDENTS = 20_000
DAYS_KEPT = 4 * 365
WANTED = Parameters(min_support=0.02, min_confidence=0.1, max_size=2)
FURTHER = Parameters(min_support=0.1, min_confidence=0.3, max_size=2, errors=0)
"""Of the run that the reader reviews."""
LEFT = 60
"""How many of its rules are left to decide on."""
SURE, TRUE_LIFT = 0.01, 0.1
"""What is accepted: below which q, and how far the true lift is from 1 at least."""
CLASSES = ("age", "sector")
MODEL = {
    "item": "supplies=yes",
    "on": ["age", "sector"],
    "numbers": [],
    "products": [],
    "among": [],
    "logit": False,
}
YOURS = {"en": "Work and honesty: your answers", "zh-hans": "工作与诚实：您的答案"}
POLL_SECONDS = 0.3
TURNS_BETWEEN_WORDS = 7
"""Two seconds."""
RESPONDENTS_BETWEEN_WORDS = 5_000

Say = Callable[[str], None]


class TourStopped(Exception):
    """The demo ends before everything was shown; the next start goes on."""


@dataclass(frozen=True)
class Seeded:
    """`survey` is the one of the tour, `yours` the one that is left to answer; None of an empty demo."""

    people: dict[str, Person]
    passwords: dict[str, tuple[str, str]]
    survey: Survey | None
    yours: Survey | None

    def introduce(self, address: str, var: Path, seconds: float, say: Say) -> None:
        say(f"\n  Candor is ready: {address}/   ({seconds:.1f} s)\n")
        for role, (username, password) in self.passwords.items():
            say(f"  {role:<11} {username:<16} {password}")
        if self.yours:
            say(f"\n  A survey to answer: {address}{self.yours.address}")
        say(f"\n  Press Ctrl-C to stop. Data and sent emails are stored in {var}.\n")

    def start_tour(self, address: str, say: Say) -> Callable[[], None]:
        """Run the tour in a thread; return the function that stops it."""
        stop = Event()
        walking = Thread(target=Tour(self, address, say, stop).walk, daemon=True)
        walking.start()

        def end() -> None:
            stop.set()
            walking.join(5)

        return end


def seed(now: datetime, *, empty: bool = False) -> Seeded:
    """Each start gives new passwords; the surveys are made once, at the first."""
    chosen = {part: secrets.token_urlsafe(12) for part in cast.CAST}
    people = cast.seed(now, chosen)
    passwords = {part: (people[part].username, chosen[part]) for part in cast.CAST}
    if empty:
        return Seeded(people, passwords, None, None)
    draft = questionnaire(timezone.localdate(now))
    yours = {key: value for key, value in draft.items() if key != PLAN} | {"title": YOURS}
    owner = people["researcher"]
    return Seeded(people, passwords, opened(owner, draft, now), opened(owner, yours, now))


def opened(owner: Person, draft: Draft, now: datetime) -> Survey:
    """The survey of this title, opened at the first start."""
    survey = Survey.objects.filter(owner=owner, draft__title=draft["title"]).order_by("pk").first()
    if survey is None:
        survey = Survey.objects.create(owner=owner, draft=draft)
    if survey.state == Survey.State.DRAFT:
        opening.open_now(survey, owner, now)
    return survey


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
        except NotAllowed as refused:
            self.say(f"  The tour ends here: {refused}")
        finally:
            connection.close()

    def _walk(self, survey: Survey) -> None:
        if survey.state != Survey.State.FINISHED:
            self._answered(survey)
            self._finish(survey)
        self.say(f"  {RESPONDENTS:,} have answered, and the survey is finished.")
        run = self._mined(survey, WANTED)
        further = self._run(survey, FURTHER)
        self._publish(run, self._modelled(run))
        self._mined(survey, FURTHER)
        release = self._release(survey)
        is_made = release.state == Release.State.CHECKED
        waits = "waits" if is_made else "is being made, and then waits"
        self.say(
            f"  A release of the plain answers {waits} for the reviewer: {self.address}{release.get_absolute_url()}"
        )
        left = self._review(further)
        self.say(
            f"  Another run is reviewed in part, the rest is yours as the reviewer: {self.address}{left.desk_url}"
        )
        self.say(f"  The report is published:\n  {self._at(run)}")

    def _answered(self, survey: Survey) -> None:
        """Wait for simulations that somebody else has asked for, then let the missing respondents answer."""
        while (already := truth.respondent_count(survey)) < RESPONDENTS:
            coming = Simulation.objects.filter(survey=survey).exclude(state__in=FINISHED).first()
            if coming is not None:
                self._wait(coming)
                continue
            assert survey.design
            # In this process: the worker compiles meanwhile what it counts with.
            simulate(
                survey,
                RESPONDENTS - already,
                population=employees(survey.design.content),
                progress=lambda stored, _n: self._told(already + stored),
            )

    def _told(self, answered: int) -> None:
        if answered % RESPONDENTS_BETWEEN_WORDS == 0:
            self.say(f"  … {answered:,} of {RESPONDENTS:,} have answered")
        if self.stop.is_set():
            raise TourStopped

    def _finish(self, survey: Survey) -> None:
        """Somebody who closed it before has ended the tour."""
        survey.refresh_from_db()
        researcher, now = self.seeded.people["researcher"], timezone.now()
        if survey.state == Survey.State.OPEN:
            states.close(survey, researcher, now)
        states.finish(survey, researcher, now)

    def _run(self, survey: Survey, wanted: Parameters) -> Run:
        return run_of(survey, wanted) or starting.start(
            survey, self.seeded.people["researcher"], wanted, timezone.now()
        )

    def _mined(self, survey: Survey, wanted: Parameters) -> Run:
        run = self._run(survey, wanted)
        self._wait(run)
        publishing.add_finished_runs(timezone.now())  # as the tick would, a few seconds later
        return run

    def _modelled(self, run: Run) -> ModelJob:
        job = ModelJob.objects.filter(run=run, specification=MODEL).order_by("pk").first()
        job = job or modelling.start(run, self.seeded.people["researcher"], MODEL, timezone.now())
        self._wait(job)
        return job

    def _publish(self, run: Run, job: ModelJob) -> None:
        """Accept the model and the rules that hold, and publish the report with its shares by class."""
        review, reviewer = Review.objects.get(run=run), self.seeded.people["reviewer"]
        if not review.is_open:
            return
        now = timezone.now()
        model = judging.with_verdicts(run).get(job=job)
        if model.verdict is None:
            judging.decide(review, reviewer, model, Verdict.ACCEPT, "Specified beforehand.", now)
        strong = deciding.with_verdicts(run).exclude(association=0).filter(under=None, q__lt=SURE)
        true = deciding.with_verdicts(run).filter(pk__in=list(true_rules(run, strong)))
        self._decide(review, true, Verdict.ACCEPT, "Clear of chance, and true of the simulated people.")
        publishing.publish(review, reviewer, CLASSES, self.address, now)

    def _review(self, run: Run) -> Review:
        """Decide on the rules that say least, so that some are left."""
        review = Review.objects.get(run=run)
        if review.state == Review.State.WAITING:
            rules = deciding.with_verdicts(run)
            waiting = rules.filter(deciding.needs_decision()).order_by("place").values_list("pk", flat=True)
            rest = rules.filter(pk__in=list(waiting[LEFT:]))
            self._decide(
                review, rest, Verdict.MORE_DATA, f"{RESPONDENTS:,} answers do not tell it from chance."
            )
        return review

    def _decide(self, review: Review, rules: QuerySet[Rule], verdict: Verdict, note: str) -> None:
        if rules.exists():
            deciding.decide(review, self.seeded.people["reviewer"], rules, verdict, note, timezone.now())

    def _release(self, survey: Survey) -> Release:
        """That of the plain answers; in a new installation its search is compiled first, and nobody waits for that."""
        researcher, now = self.seeded.people["researcher"], timezone.now()
        release = Release.objects.filter(source__survey=survey).order_by("pk").first()
        if release is None:
            with transaction.atomic():
                release = start_from_survey(survey, researcher, with_sensitive=False, now=now)
                creation.start(release, researcher, now)
        return release

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

    def _at(self, run: Run) -> str:
        return self.address + Review.objects.get(run=run).get_absolute_url()


def run_of(survey: Survey, wanted: Parameters) -> Run | None:
    """The tour's own among all that somebody may have started: the first that asks for what it asks.

    No record comes to a finished survey, so all runs of it are over the same ones.
    """
    runs = Run.objects.filter(
        survey=survey, parameters=starting.stored_parameters(wanted), through=last_sealed(survey.pk)
    )
    return runs.exclude(state__in=(State.FAILED, State.CANCELLED)).order_by("pk").first()


def true_rules(run: Run, rules: QuerySet[Rule]) -> Iterator[int]:
    """Those of these rules about a sensitive answer whose true lift is clearly on the side of 1 that they say.

    None about the control item, whose associations are with carelessness.
    """
    true = rehearsal_truth.true_shares(run)
    assert true is not None
    people, item = true.of(disguised_only=True), Numbering(run.mined).item
    sections = [
        (section.sensitive, question) for section in run.mined.sections for question in section.questions
    ]
    for rule in rules:
        a, c = (tuple(item(number) for number in side) for side in rule.sides)
        asked = [sections[index] for index, _code in (*a, *c)]
        if any(sensitive for sensitive, _of in asked) and all(
            sensitive_question.known_parts is None for _s, sensitive_question in asked
        ):
            lift = people.share((*a, *c), given=a, shown=True) / people.share(c, shown=True)
            if (lift - 1) * rule.association > TRUE_LIFT:
                yield rule.pk


def progress(job: Job) -> str:
    """How far a job is, always on the same kind of line."""
    return f"  … {job.title()}: {str(job.saying) or job.get_state_display()}"
