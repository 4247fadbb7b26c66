"""The demonstration's deposit, as it is downloaded, passes its own check where there is Python with numpy alone."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from accounts.models import Person
from config.start import demo
from config.start.demo_people import employees
from config.tour import walk
from intake.rehearsal.made_up import made_up
from intake.rehearsal.simulating import simulate
from privacy.designs import Design
from privacy.simulation.population import Population
from reports.models import Review
from reports.review import deciding, model_decisions as judging, publishing
from runs import modelling, starting
from runs.models import ModelJob, Run
from surveys.draft import Draft
from surveys.lifecycle import states
from tests.cast import As
from tests.deposits.filled import FORM, bytes_of, files_of
from tests.jobs.attempts import attempt

pytestmark = pytest.mark.server
NOW = datetime(2026, 12, 1, tzinfo=UTC)
PLAN = {
    "format": "candor-plan/1",
    "salt": "5c1d8f0a7e3b49264d90be17a2c86f35",
    "hypotheses": [
        {"name": "H1", "kind": "share", "item": "credit=yes", "than": "0.3"},
        {"name": "H2", "kind": "share", "item": "place=city", "than": "0.4"},
    ],
}


def finished(owner: Person, draft: Draft, people: Callable[[Design], Population], n: int) -> Run:
    survey = demo.opened(owner, draft, NOW)
    assert survey.design
    simulate(survey, n, seed=1, population=people(survey.design.content))
    survey.refresh_from_db()
    states.close(survey, owner, NOW)
    states.finish(survey, owner, NOW)
    run = starting.start(survey, owner, demo.WANTED, NOW)
    attempt(run)
    run.refresh_from_db()
    publishing.add_finished_runs(NOW)
    return run


def published(run: Run, reviewer: Person, classes: Sequence[str]) -> str:
    """The page of its deposit; the report has thirty rules, and shares in these classes."""
    report = Review.objects.get(run=run)
    rules = deciding.with_verdicts(run).filter(place__lt=30)
    deciding.decide(report, reviewer, rules, deciding.Verdict.ACCEPT, "", NOW)
    publishing.publish(report, reviewer, classes, "https://x", NOW)
    return f"/reports/{report.pk}/deposit"


def unpacked(files: dict[str, bytes], folder: Path) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def with_numpy_alone(folder: Path) -> dict[str, str]:
    """An environment whose Python finds its own library and numpy."""
    packages, only = Path(np.__file__).parent.parent, folder / "packages"
    only.mkdir()
    for path in packages.glob("numpy*"):
        (only / path.name).symlink_to(path)
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(only), "LANG": "C.UTF-8"}


def check(folder: Path, env: dict[str, str], *more: str) -> tuple[int, str]:
    program = Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    done = subprocess.run(
        [program, "-S", "check.py", *more], cwd=folder, env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, done.stdout


def recomputed(said: str) -> int:
    (line,) = (line for line in said.splitlines() if line.startswith("Recomputed and equal: "))
    return int(line.split()[3])


@pytest.mark.django_db
def test_the_deposit_of_the_demo_passes_its_own_check(
    owner: Person, reviewer: Person, signed_in_as: As, tmp_path: Path
) -> None:
    run = finished(owner, demo.questionnaire(NOW.date()), employees, 3_000)
    job = modelling.start(run, owner, demo.MODEL, NOW)
    attempt(job)
    model = ModelJob.objects.get(pk=job.pk).model
    judging.decide(Review.objects.get(run=run), reviewer, model, judging.Verdict.ACCEPT, "", NOW)
    client, address = signed_in_as(owner), published(run, reviewer, demo.CLASSES)
    content = bytes_of(client.post(address, FORM | {"records": "on"}))
    assert bytes_of(client.post(address, FORM | {"records": "on"})) == content
    env = with_numpy_alone(tmp_path)
    folder = unpacked(files_of(client.post(address, FORM | {"records": "on"})), tmp_path / "whole")
    nothing = subprocess.run([sys.executable, "-S", "-c", "import pandas"], env=env, capture_output=True)
    assert nothing.returncode, "an environment with numpy alone has no pandas"

    status, said = check(folder, env)
    assert (status, recomputed(said) > 5_400) == (0, True), said
    for name in (
        *(
            "shares[].low",
            "groups[].rows[].cells[].high",
            "rules[].lift_low",
            "rules[].heads[]",
            "itemsets[].high_listed",
            "itemsets[].support",
            "places[]",
        ),
        *("numbers[].all_records.mean.value", "study.arms.completion.p", "plan.hypotheses[].holm"),
        *("models[].coefficients[].b", "models[].terms[].p", "models[].fit.p"),
        *("numbers[].all_records.quantiles[].below", "study.arms.items[].smallest_more"),
        *("study.controls.items[].corrected_high", "plan.hypotheses[].p"),
    ):
        assert name in said.partition("Not recomputed:")[0], name
    assert (
        "rules[].q: follows from a list that is not published whole" in said.partition("Not recomputed:")[2]
    )
    assert "needs what is not published" not in said

    status, said = check(folder, env, "--r")
    assert (status, recomputed(said) > 2_200) == (0, True), said

    without = unpacked(files_of(client.post(address, FORM)), tmp_path / "without")
    assert not (without / "records.csv").exists()
    status, said = check(without, env)
    assert (status, recomputed(said) > 300) == (0, True), said
    assert "records.csv is not in this deposit." in said

    # What somebody changes is found: a number by its checksum and by its value, the plan by its hash.
    changed = json.loads((folder / "report.json").read_text())
    changed["report"]["shares"][5]["support"] += 0.01
    (folder / "report.json").write_text(json.dumps(changed))
    (folder / "plan.json").write_text("{}")
    status, said = check(folder, env)
    assert status == 1
    assert "WRONG: report.json has another SHA-256" in said
    assert "WRONG: report.shares.5.support is" in said
    assert "WRONG: plan.json does not have the SHA-256 that the design holds" in said


@pytest.mark.django_db
def test_a_survey_with_open_answers_and_show_if_passes_too(
    owner: Person, reviewer: Person, signed_in_as: As, tmp_path: Path
) -> None:
    """Shares of open and disguised records, and rules among those to whom they apply."""
    run = finished(owner, demo.questionnaire(NOW.date(), walk.QUESTIONNAIRE) | {"plan": PLAN}, made_up, 2_000)
    design = run.content
    plain = [
        question.name
        for section in design.sections
        if not section.sensitive
        for question in section.questions
    ]
    address = published(run, reviewer, plain[:2])
    files = files_of(signed_in_as(owner).post(address, FORM | {"records": "on"}))
    report = json.loads(files["report.json"])["report"]
    assert report["about"]["n_open"] > 100
    assert any(rule["n_shown_all"] < rule["n_asked"] for rule in report["rules"])
    status, said = check(unpacked(files, tmp_path / "whole"), with_numpy_alone(tmp_path))
    assert (status, recomputed(said) > 4_000) == (0, True), said
    assert "2 report.study.plan.hypotheses[].p\n" in said.partition("Not recomputed:")[0]
