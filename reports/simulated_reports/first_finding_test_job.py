"""Tests the first findings of a report, the sentences it begins with (docs/mathematics.md, The front of a report).

A job simulates surveys, and counts those whose report begins with a false sentence.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _, gettext_noop

from intake.rehearsal.simulated_people import default_population
from jobs import job_queue
from jobs.models import Write
from jobs.progress_messages import Progress
from reports.models import FrontTest, Review
from reports.review import build_content
from reports.simulated_reports.simulated_surveys import SimulatedSurveys
from runs.models import Run
from surveys.lifecycle.earlier_designs import design_before
from surveys.lifecycle.opening import load_frozen_plan
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

MOST, SECONDS = 200, 60.0
"""Largest number of simulated surveys for each kind of people, and the seconds after which no more are simulated."""


def start_first_finding_test(review: Review, person: "Person") -> FrontTest:
    """Starts the test of a rehearsal's first findings; raises NotAllowed if one is under way.

    An earlier test is replaced, even one that is done: a newer program may find something else.
    """
    review.require_reviewer(person)
    if not review.run.content.rehearsal:
        raise NotAllowed(_("Only in a rehearsal are the people known."))
    with transaction.atomic():
        Review.objects.get_locked(review.pk)
        before = FrontTest.objects.filter(run=review.run_id).first()
        if before and before.live:
            raise NotAllowed(_("Surveys are drawn already. Wait for them, or cancel them."))
        if before:
            before.delete()
        job = FrontTest(run=review.run)
        job_queue.enqueue(job)
    return job


def perform(job: FrontTest, progress: Progress) -> Write:
    """Simulates surveys of two kinds of people, each for half of the progress; returns the function that stores the
    result."""
    result = {}
    for half, name in enumerate(("alike", "simulated")):

        def report_drawn(drawn: int, share: float, half: int = half) -> None:
            text = gettext_noop("Surveys drawn, with their reports: %(drawn)s")
            progress((half + share) / 2, text, drawn=drawn)

        result[name] = count_surveys_beginning_false(
            surveys_to_simulate(job.run, alike=name == "alike"), report_drawn
        )
    return partial(store_result, job, result)


def surveys_to_simulate(run: Run, *, alike: bool) -> SimulatedSurveys:
    """Returns the simulator of surveys like the run's; `alike`: all simulated people answer by the same
    probabilities."""
    # The run's key is the seed, so that its test can be repeated.
    return SimulatedSurveys(
        run.content,
        run.search_parameters,
        run.records,
        load_frozen_plan(run.survey),
        build_content.build_report_head(run),
        default_population(run.content, alike=alike),
        run.pk,
        alike,
        design_before(run.content),
    )


def count_surveys_beginning_false(
    surveys: SimulatedSurveys, watch: Callable[[int, float], object]
) -> dict[str, int]:
    """Simulates surveys and counts them: all, those whose report begins with a false sentence, those whose report
    states something true."""
    began, many = time.monotonic(), {"surveys": 0, "false": 0, "true": 0}
    for number in range(MOST):
        spent = (time.monotonic() - began) / SECONDS
        watch(number, min(max(number / MOST, spent), 1.0))
        if number and spent >= 1:
            break
        front = surveys.simulate_headlines(number)
        many["surveys"] += 1
        many["false"] += front.begins_false
        many["true"] += front.finds_true
    return many


def store_result(job: FrontTest, result: dict[str, dict[str, int]]) -> None:
    """Stores the result in the transaction that makes the job done."""
    FrontTest.objects.filter(pk=job.pk).update(result=result)
