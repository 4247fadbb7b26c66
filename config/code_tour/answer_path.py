"""Follows the answer to one question from a device to the report."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from django.test import Client
from django.utils import timezone

from accounts.models import Person
from config.code_tour.call_trace import ROOT, Step, Trace
from config.start import demo_content
from intake.endpoint.epochs import epoch_at
from intake.rehearsal.respondent_simulation import simulate
from jobs import job_attempt
from reports.models import Review
from reports.review import report_state_changes
from runs import run_start
from surveys.lifecycle import opening
from surveys.lifecycle.record_counts import records_that_fill_a_batch
from surveys.models import Survey

QUESTIONNAIRE = Path(__file__).with_name("questionnaire.json")
YES = 1
Stages = dict[str, list[Step]]


def trace_answer(node: str, owner: Person, reviewer: Person, now: datetime) -> Stages:
    """Traces one answer from a device to the report; returns the steps of each stage.

    `node`: the program that runs the device.
    """
    stages: Stages = {}

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        """Context manager: records the calls in the block as the steps of a stage."""
        trace = Trace()
        with trace.record_calls():
            yield
        stages[name] = trace.steps

    # The questionnaire of the tour with the first of its sensitive questions alone.
    draft = demo_content.demo_questionnaire_draft(now.date(), QUESTIONNAIRE)
    section = next(section for section in draft["sections"] if section["kind"] != "plain")
    section = {**section, "asked": 1, "questions": section["questions"][:1]}
    survey = Survey.objects.create(owner=owner, draft={**draft, "sections": [section]})
    opening.open_survey_now(survey, owner, now)
    survey.refresh_from_db()
    # The answer that is followed completes the first batch.
    simulate(survey, records_that_fill_a_batch(survey.least) - 1, seed=1)
    respondent, reader = Client(), Client()
    reader.force_login(reviewer)
    # At its first request a client loads what every page passes.
    respondent.get(survey_url := f"/a/{survey.slug}/")
    stages["The device disguises the answer"], body = trace_disguise(node, survey)
    with stage("The endpoint stores the record, which completes a batch"):
        headers = {"Sec-Fetch-Site": "same-origin"}
        respondent.post(f"{survey_url}record", body, content_type="application/json", headers=headers)
    with stage("A run counts the batch and estimates"):
        run = run_start.start_mining_run(survey, owner, demo_content.PARAMETERS, now)
        job_attempt.attempt_next_job()
    with stage("Its report waits for a reviewer"):
        report_state_changes.create_reviews_of_finished_runs(now)
    report_url = Review.objects.get(run=run).get_absolute_url()
    reader.get("/")
    with stage("The reviewer reads the page of the report"):
        reader.get(report_url)
    return stages


def trace_disguise(node: str, survey: Survey) -> tuple[list[Step], str]:
    """Runs the device's program to disguise the answer yes; returns the traced steps and the request body.

    `node`: the program that runs it.
    """
    design = survey.design
    assert design
    content = {
        "design": json.loads(design.json),
        "fingerprint": design.fingerprint,
        "answers": [YES],
        "epoch": epoch_at(timezone.now()),
    }
    command = [node, str(ROOT / "config" / "code_tour" / "device.js")]
    output = subprocess.run(
        command, input=json.dumps(content), check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    result: dict[str, Any] = json.loads(output)
    trace = Trace()
    for call in result["calls"]:
        folder = call["file"].rpartition("/")[0]
        trace.add(call["file"], Step(folder, call["name"], call["file"], call["line"]))
    return trace.steps, result["body"]
