"""Creates the content of ./run demo: two people, and a survey answered by simulated people, with its run,
model, report and release.

Arms are compared once their survey is finished, so visitors answer a copy that stays open.
"""

import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import count
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from accounts import demo_accounts as cast
from accounts.models import Person
from config.start.demo_true_answers import employee_population
from intake.batches.sealing import last_batch_number
from intake.rehearsal import true_counts
from intake.rehearsal.models import Simulation
from intake.rehearsal.respondent_simulation import simulate
from jobs.models import FINISHED, Job, State, Worker
from mining.parameters import Parameters
from mining.queries_and_counters import Numbering
from papers.publishing.adult_data import SPECIFICATION, adult_csv_bytes
from privacy.guarantee.presets import DEFAULT
from releases import uploads
from releases.lifecycle import making_job
from releases.models import Release
from releases.specification.save_specification import save_specification
from reports.models import Review
from reports.review import (
    public_page_switch,
    regression_decisions as judging,
    report_state_changes,
    rule_decisions,
)
from reports.review.rule_decisions import Verdict
from runs import regression_job, rehearsal_truth, run_start
from runs.models import ModelJob, Rule, Run
from surveys.draft_json import PRESET, Draft
from surveys.lifecycle import opening, state_changes
from surveys.models import Survey
from surveys.questionnaire.hypotheses import KEY as PLAN
from surveys.questionnaire.problems_and_refusals import NotAllowed

QUESTIONNAIRE = Path(__file__).with_name("demo.json")
RESPONDENTS = 20_000
RETENTION = timedelta(days=4 * 365)
PARAMETERS = Parameters(min_support=0.02, min_confidence=0.1, max_size=2)
"""Parameters of the run whose report is published."""
REVIEWERS_PARAMETERS = Parameters(min_support=0.1, min_confidence=0.3, max_size=2, errors=0)
"""Parameters of the run that is left for the visitor to review."""
LEFT = 60
"""Number of rules in the visitor's run that stay undecided."""
MOST_Q, LEAST_LIFT = 0.01, 0.1
"""Limits for accepting a rule: q at most MOST_Q, and a true lift at least LEAST_LIFT away from 1."""
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
POLLS_BETWEEN_WORDS = 7  # two seconds
RESPONDENTS_BETWEEN_WORDS = 5_000
SECONDS_BETWEEN_WORDS = 5.0
"""Seconds between two progress lines, also without progress, so that a slow machine does not seem dead."""

Say = Callable[[str], None]


class TourStopped(Exception):
    """Raised to end the demo's automatic steps before the last one; the next start continues them."""


@dataclass(frozen=True)
class Seeded:
    """The people and surveys of the demo, as created at its start.

    `survey` is simulated and published, `yours` is for the visitor to answer; both None in an empty demo.
    `has_earlier_surveys`: whether an empty demo found surveys, since its folder had been used before.
    """

    people: dict[str, Person]
    passwords: dict[str, tuple[str, str]]
    survey: Survey | None
    yours: Survey | None
    has_earlier_surveys: bool = False

    def print_welcome(self, address: str, var: Path, seconds: float, say: Say) -> None:
        say(f"\n  Candor is ready: {address}/   ({seconds:.1f} s)\n")
        self.print_accounts(say)
        if self.yours:
            say(f"\n  A survey to answer: {address}{self.yours.address}")
        if self.has_earlier_surveys:
            say("\n  This instance is not empty: it has surveys of earlier starts. To begin an empty one:")
            say("  VAR=/another/folder ./run demo --empty")
        say(f"\n  Press Ctrl-C to stop. Data and sent emails are stored in {var}.\n")

    def print_accounts(self, say: Say) -> None:
        for role, (username, password) in self.passwords.items():
            say(f"  {role:<11} {username:<16} {password}")

    def start_tour(self, address: str, say: Say) -> Callable[[], None]:
        """Runs the demo's tour (`Tour`) in a thread; returns the function that stops it."""
        stop = Event()
        thread = Thread(target=Tour(self, address, say, stop).run, daemon=True)
        thread.start()

        def end() -> None:
            stop.set()
            thread.join(5)

        return end


def create_demo_content(now: datetime, *, empty: bool = False) -> Seeded:
    """Creates and returns the demo's people and surveys, once; each start sets new passwords."""
    passwords = {part: secrets.token_urlsafe(12) for part in cast.CAST}
    people = cast.create_or_reset_demo_accounts(now, passwords)
    shown = {part: (people[part].username, password) for part, password in passwords.items()}
    if empty:
        return Seeded(people, shown, None, None, Survey.objects.exists())
    draft = demo_questionnaire_draft(timezone.localdate(now))
    yours = {key: value for key, value in draft.items() if key != PLAN} | {"title": YOURS}
    owner = people["researcher"]
    return Seeded(people, shown, open_demo_survey(owner, draft, now), open_demo_survey(owner, yours, now))


def open_demo_survey(owner: Person, draft: Draft, now: datetime) -> Survey:
    """Returns the open survey with the draft's title; creates and opens it if it does not exist."""
    survey = Survey.objects.filter(owner=owner, draft__title=draft["title"]).order_by("pk").first()
    if survey is None:
        survey = Survey.objects.create(owner=owner, draft=draft)
    if survey.state == Survey.State.DRAFT:
        opening.open_survey_now(survey, owner, now)
    return survey


def demo_questionnaire_draft(today: date, path: Path = QUESTIONNAIRE) -> dict[str, Any]:
    """Returns the demo's questionnaire as the draft of a survey, with the default strength of disguise."""
    draft = json.loads(path.read_text())
    plain, *sensitive = draft["sections"]
    sections = [plain, *({**section, PRESET: DEFAULT.name} for section in sensitive)]
    retention = (today + RETENTION).isoformat()
    return {**draft, "sections": sections, "retention": retention, "expected": RESPONDENTS}


@dataclass
class Tour:
    """Answers, mines, reviews and publishes the demonstration survey; skips steps that the database shows as done."""

    seeded: Seeded
    address: str
    print_line: Say
    stop: Event

    def __post_init__(self) -> None:
        self.began = self.said = monotonic()
        self.researcher, self.reviewer = (self.seeded.people[part] for part in ("researcher", "reviewer"))

    def say(self, words: str) -> None:
        """Prints a line with the seconds since the start."""
        self.said = monotonic()
        self.print_line(f"  {words}   ({self.said - self.began:.0f} s)")

    def _is_silent(self) -> bool:
        """Returns True if nothing was printed for some time."""
        return monotonic() - self.said > SECONDS_BETWEEN_WORDS

    def run(self) -> None:
        if self.seeded.survey is None:
            return
        try:
            self._run_steps(self.seeded.survey)
        except TourStopped:
            pass
        except NotAllowed as refusal:
            self.say(f"The tour ends here: {refusal}")
        finally:
            connection.close()

    def _run_steps(self, survey: Survey) -> None:
        if survey.state != Survey.State.FINISHED:
            self._simulate(survey)
            # Somebody who closed it before has ended the tour.
            survey.refresh_from_db()
            if survey.state == Survey.State.OPEN:
                state_changes.close_survey(survey, self.researcher, timezone.now())
            state_changes.finish_survey(survey, self.researcher, timezone.now())
        self.say(f"{RESPONDENTS:,} have answered, and the survey is finished.")
        run = self._get_or_start_run(survey, PARAMETERS)
        self._wait_and_create_review(run)
        self._publish(run, self._get_or_fit_model(run))
        self.say("The first report is published.")
        reviewers_run = self._get_or_start_run(survey, REVIEWERS_PARAMETERS)
        self._wait_and_create_review(reviewers_run)
        release = self._get_or_start_release()
        waits = "waits" if release.state == Release.State.CHECKED else "is being made, and then waits"
        address = f"{self.address}{release.get_absolute_url()}"
        self.say(f"A release of Adult, a public table, {waits} for the reviewer: {address}")
        review = self._review_in_part(reviewers_run)
        self.say(
            f"Another run is reviewed in part, the rest is yours as the reviewer: {self.address}{review.reviewer_url}"
        )
        page = self._open_public_page(Review.objects.get(run=run))
        self.print_line(f"\n  The report is published, for everybody to read: {self.address}{page}\n")
        self.seeded.print_accounts(self.print_line)

    def _simulate(self, survey: Survey) -> None:
        """Lets simulated people answer until the survey has enough records; waits for running simulations."""
        while (before := true_counts.respondent_count(survey)) < RESPONDENTS:
            running = Simulation.objects.filter(survey=survey).exclude(state__in=FINISHED).first()
            if running is not None:
                self._wait(running)
                continue
            assert survey.design
            # In this process: the worker compiles meanwhile what it counts with.
            simulate(
                survey,
                RESPONDENTS - before,
                population=employee_population(survey.design.content),
                progress=lambda stored, _n: self._say_answered(before + stored),
            )

    def _say_answered(self, answered: int) -> None:
        """Prints now and then how many people have answered; ends the tour if it is to stop."""
        if answered % RESPONDENTS_BETWEEN_WORDS == 0 or self._is_silent():
            self.say(f"… {answered:,} of {RESPONDENTS:,} have answered")
        if self.stop.is_set():
            raise TourStopped

    def _get_or_start_run(self, survey: Survey, parameters: Parameters) -> Run:
        """Returns the tour's run with these parameters, or starts a new one.

        A finished survey gets no more records, so all its runs use the same ones.
        """
        runs = Run.objects.filter(
            survey=survey,
            parameters=run_start.stored_parameters(parameters),
            through=last_batch_number(survey.pk),
        )
        run = runs.exclude(state__in=(State.FAILED, State.CANCELLED)).order_by("pk").first()
        return run or run_start.start_mining_run(survey, self.researcher, parameters, timezone.now())

    def _wait_and_create_review(self, run: Run) -> None:
        """Waits for a run and hands it to the reviewers."""
        self._wait(run)
        report_state_changes.create_reviews_of_finished_runs(
            timezone.now()
        )  # as the tick would, a few seconds later

    def _get_or_fit_model(self, run: Run) -> ModelJob:
        job = ModelJob.objects.filter(run=run, specification=MODEL).order_by("pk").first()
        job = job or regression_job.start_model_job(run, self.researcher, MODEL, timezone.now())
        self._wait(job)
        return job

    def _publish(self, run: Run, job: ModelJob) -> None:
        """Accepts the model and the correct rules, and publishes the report with its shares by class."""
        review, now = Review.objects.get(run=run), timezone.now()
        if not review.is_open:
            return
        model = judging.models_with_verdicts(run).get(job=job)
        if model.verdict is None:
            judging.decide_model(review, self.reviewer, model, Verdict.ACCEPT, "Specified beforehand.", now)
        strong = (
            rule_decisions.rules_with_verdicts(run).exclude(association=0).filter(under=None, q__lt=MOST_Q)
        )
        true = rule_decisions.rules_with_verdicts(run).filter(pk__in=list(true_rules(run, strong)))
        self._decide(review, true, Verdict.ACCEPT, "Clear of chance, and true of the simulated people.")
        report_state_changes.publish(review, self.reviewer, CLASSES, self.address, now)

    def _open_public_page(self, review: Review) -> str:
        """Returns the address of the public page of a report; opens the page if needed."""
        if not review.public_token:
            public_page_switch.open_page(review, self.researcher, timezone.now())
            review.refresh_from_db()
        return reverse("public:page", args=[review.public_token])

    def _review_in_part(self, run: Run) -> Review:
        """Reviews a part of a run's rules, the least informative ones; LEFT rules stay for the visitor."""
        review = Review.objects.get(run=run)
        if review.state == Review.State.WAITING:
            rules = rule_decisions.rules_with_verdicts(run)
            waiting = (
                rules.filter(rule_decisions.needs_decision_condition())
                .order_by("place")
                .values_list("pk", flat=True)
            )
            rest = rules.filter(pk__in=list(waiting[LEFT:]))
            self._decide(
                review,
                rest,
                Verdict.MORE_DATA,
                f"{review.run.disguised:,} answers do not tell it from chance.",
            )
        return review

    def _decide(self, review: Review, rules: QuerySet[Rule], verdict: Verdict, note: str) -> None:
        if rules.exists():
            rule_decisions.decide_rules(review, self.reviewer, rules, verdict, note, timezone.now())

    def _get_or_start_release(self) -> Release:
        """Starts an anonymised release of a public table, without waiting for its end.

        Its code may have to be compiled first. A release of the survey's own answers would be refused, because its
        report has disclosed counts of them.
        """
        release = Release.objects.filter(source__owner=self.researcher).order_by("pk").first()
        if release is None:
            now = timezone.now()
            with transaction.atomic():
                release = uploads.store_upload(self.researcher, "adult.csv", adult_csv_bytes(), now)
                save_specification(release, self.researcher, SPECIFICATION.read_text(), now)
                making_job.start_release_making(release, self.researcher, now)
        return release

    def _wait(self, job: Job) -> None:
        """Waits for a job and prints its progress; ends the tour if the job fails."""
        last = ""
        for poll in count(1):
            if job.state in FINISHED:
                break
            if poll % POLLS_BETWEEN_WORDS == 0 and (
                (words := job_progress_line(job)) != last or self._is_silent()
            ):
                self.say(words)
                last = words
            if self.stop.wait(POLL_SECONDS):
                raise TourStopped
            job.refresh_from_db()
        if job.state != State.DONE:
            self.say(f"{job.title()}: {str(job.problem) or job.state}. {self.address}/jobs/ says more.")
            raise TourStopped


def true_rules(run: Run, rules: QuerySet[Rule]) -> Iterator[int]:
    """Yields the ids of the rules about a sensitive answer that hold in the simulated true answers.

    Their true lift is clearly on the reported side of 1. Rules about the control item are left out: it is associated
    with careless answering.
    """
    true = rehearsal_truth.read_truth(run)
    assert true is not None
    people, item = true.for_population(disguised_only=True), Numbering(run.mined_design).item
    questions = [
        (question, section.sensitive)
        for section in run.mined_design.sections
        for question in section.questions
    ]
    for rule in rules:
        a, c = (tuple(item(number) for number in side) for side in rule.sides)
        asked = [questions[index] for index, _code in (*a, *c)]
        if any(is_sensitive for _question, is_sensitive in asked) and all(
            question.known_parts is None for question, _is_sensitive in asked
        ):
            lift = people.share((*a, *c), given=a, shown=True) / people.share(c, shown=True)
            if (lift - 1) * rule.association > LEAST_LIFT:
                yield rule.pk


def job_progress_line(job: Job) -> str:
    """Returns a line about the progress of a job; it says if the worker still compiles its code."""
    is_warm = Worker.objects.with_recent_heartbeat(timezone.now()).filter(warm=True).exists()
    compiling = "" if is_warm else ", while the worker compiles, once after an installation"
    return f"… {job.title()}: {str(job.progress_message) or job.get_state_display()}{compiling}"
