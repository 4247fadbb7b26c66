"""The demonstration's deposit passes its own check where there is Python with the packages of the deposit alone."""

import json
import os
import subprocess
import venv
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accounts.models import Person
from config.start import demo_content
from config.start.demo_true_answers import employee_population
from deposits.bundle import PACKAGES
from deposits.recompute_report import contradictions_between_files, count_and_reason_lines
from intake.rehearsal.respondent_simulation import simulate
from intake.rehearsal.simulated_people import default_population
from privacy.designs import Design
from privacy.simulation.population import Population
from reports.models import Review
from reports.review import regression_decisions as judging, report_state_changes, rule_decisions
from runs import regression_job, run_start
from runs.models import ModelJob, Run
from surveys.draft_json import Draft
from surveys.lifecycle import state_changes
from tests.cast import As
from tests.deposits.conftest import FORM, bytes_of, files_in, files_of, list_files
from tests.jobs.conftest import attempt
from tests.surveys.drafts import WORK_HEALTH_HONESTY

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="deposits/test_pages.py")]
NOW = datetime(2026, 12, 1, tzinfo=UTC)
PLAN = {
    "format": "candor-plan/1",
    "salt": "5c1d8f0a7e3b49264d90be17a2c86f35",
    "hypotheses": [
        {"name": "H1", "kind": "share", "item": "credit=yes", "than": "0.3"},
        {"name": "H2", "kind": "share", "item": "place=city", "than": "0.4"},
    ],
}
NOT_ACCEPTED = (0, 4, 11)
NOTHING_WRONG = " numbers recomputed and equal: nothing that could be checked is wrong"
BY_BOTH = (
    *("report.shares.5.support", "report.shares.5.n_asked", "report.shares.20.low", "report.shares.33.se"),
    *("report.itemsets.3.support", "report.itemsets.7.n_asked", "report.numbers.0.all_records.mean.value"),
    *("report.study.arms.items.1.difference", "report.study.arms.items.2.p", "models.0.coefficients.1.b"),
)
"""Ten numbers of the demo that check.py and check.R compute."""
BY_PYTHON = (
    *("report.rules.4.q", "report.pairs.2.lift_low", "report.rules.9.heads.1.3", "report.about.family"),
    *("report.places.0.illustration.2", "report.study.controls.careless", "report.groups.1.rows.0.p"),
)


def finish_demo_survey(owner: Person, draft: Draft, people: Callable[[Design], Population], n: int) -> Run:
    survey = demo_content.open_demo_survey(owner, draft, NOW)
    assert survey.design
    simulate(survey, n, seed=1, population=people(survey.design.content))
    survey.refresh_from_db()
    state_changes.close_survey(survey, owner, NOW)
    state_changes.finish_survey(survey, owner, NOW)
    run = run_start.start_mining_run(survey, owner, demo_content.PARAMETERS, NOW)
    attempt(run)
    run.refresh_from_db()
    report_state_changes.create_reviews_of_finished_runs(NOW)
    return run


def publish_deposit(run: Run, reviewer: Person, classes: Sequence[str]) -> str:
    """The page of its deposit; the report has thirty rules, of the first 33, and shares in these classes."""
    report = Review.objects.get(run=run)
    rules = rule_decisions.rules_with_verdicts(run).filter(place__lt=33).exclude(place__in=NOT_ACCEPTED)
    rule_decisions.decide_rules(report, reviewer, rules, rule_decisions.Verdict.ACCEPT, "", NOW)
    report_state_changes.publish(report, reviewer, classes, "https://x", NOW)
    return f"/app/reports/{report.pk}/deposit"


def write_files(files: dict[str, bytes], folder: Path) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that finds its own library and the packages of requirements.txt."""
    folder = tmp_path_factory.mktemp("python")
    venv.create(folder, symlinks=True)
    (own,) = folder.glob("lib/python*/site-packages")
    for path in Path(np.__file__).parent.parent.iterdir():
        # Of each package its folder, its shared libraries, and what pip says of it.
        name = path.name.partition("-")[0] if path.suffix == ".dist-info" else path.name
        if name.removesuffix(".libs") in PACKAGES:
            (own / path.name).symlink_to(path)
    return folder / "bin" / "python"


def run_in(folder: Path, *words: str | Path) -> tuple[int, list[str]]:
    env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": str(folder.parent)}
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    assert not list(folder.parent.glob("candor-deposit-*"))
    return done.returncode, done.stdout.splitlines()


def count_equal(lines: list[str]) -> int:
    """How many numbers were recomputed and equal, as the last line begins."""
    return int(lines[-1].split()[0])


def change_digit(folder: Path, number: str) -> None:
    """Of this number of report.json."""
    path = folder / "report.json"
    *members, last = (int(part) if part.isdigit() else part for part in number.split("."))
    document = json.loads(path.read_text())
    node: Any = document
    for member in members:
        node = node[member]
    node[last] += 1 if isinstance(node[last], int) else 0.01
    path.write_text(json.dumps(document))


def invent_rule(folder: Path) -> None:
    document = json.loads((folder / "report.json").read_text())
    rules = document["report"]["rules"]
    rules.append({**rules[0], "consequent": ["invented=yes"]})
    (folder / "report.json").write_text(json.dumps(document))


def wrong_files(lines: list[str]) -> set[str]:
    return {line.split()[1] for line in lines if line.startswith("WRONG: ")}


def test_without_records_a_number_that_is_not_recomputed_may_need_them() -> None:
    paths = [("report", "shares", 0, "low"), ("report", "shares", 0, "truth")]
    low, truth = count_and_reason_lines(paths, has_records=False)
    assert low.strip() == "1 report.shares[].low: needs the records, or says what the numbers are about"
    assert truth.endswith("is in no file")
    low, _truth = count_and_reason_lines(paths)
    assert low.endswith(": says what the numbers are about")


@pytest.mark.django_db
def test_demo_deposit_passes_its_check_and_a_changed_digit_is_named(
    owner: Person, reviewer: Person, signed_in_as: As, python: Path, tmp_path: Path
) -> None:
    run = finish_demo_survey(
        owner, demo_content.demo_questionnaire_draft(NOW.date()), employee_population, 3_000
    )
    job = regression_job.start_model_job(run, owner, demo_content.MODEL, NOW)
    attempt(job)
    model = ModelJob.objects.get(pk=job.pk).model
    judging.decide_model(Review.objects.get(run=run), reviewer, model, judging.Verdict.ACCEPT, "", NOW)
    client, address = signed_in_as(owner), publish_deposit(run, reviewer, demo_content.CLASSES)
    content, again = (bytes_of(client.post(address, FORM | {"records": "on"})) for _time in range(2))
    assert again == content
    folder = write_files(files_in(content), tmp_path / "whole")
    for package in ("pandas", "mlxtend", "django"):
        assert subprocess.run([python, "-c", f"import {package}"], capture_output=True).returncode

    status, lines = run_in(folder, python, "check.py")
    assert (status, lines[-1]) == (0, f"4973 of 5335{NOTHING_WRONG}"), "\n".join(lines)
    done, left = "\n".join(lines).split("Not recomputed:")
    for name in (
        *("shares[].low", "groups[].rows[].cells[].high", "itemsets[].high_listed", "itemsets[].support"),
        *("rules[].lift_low", "rules[].heads[]", "rules[].q", "pairs[].lift_low", "itemsets[].coherent"),
        *("places[].illustration", "numbers[].all_records.mean.value", "study.arms.completion.p"),
        *("models[].coefficients[].b", "models[].terms[].p", "models[].fit.p", "plan.hypotheses[].holm"),
        *("numbers[].all_records.quantiles[].below", "study.arms.items[].smallest_more"),
        *("study.controls.items[].corrected_high", "plan.hypotheses[].p"),
    ):
        assert name in done, name
    assert "report.shares[].truth: what simulated respondents truly answered is in no file" in left

    status, lines = run_in(folder, "Rscript", "check.R")
    assert (status, lines[-1].strip()) == (0, f"698 of 5335{NOTHING_WRONG}"), "\n".join(lines)

    without = write_files(files_of(client.post(address, FORM)), tmp_path / "without")
    assert not (without / "records.csv").exists()
    status, lines = run_in(without, python, "check.py")
    assert (status, count_equal(lines) > 350) == (0, True), "\n".join(lines)
    assert "records.csv is not in this deposit." in lines
    status, lines = run_in(without, "Rscript", "check.R")
    assert (status, lines[0]) == (0, "records.csv is not in this deposit.")

    for number in (*BY_BOTH, *BY_PYTHON):
        change_digit(folder, number)
    invent_rule(folder)
    status, lines = run_in(folder, python, "check.py")
    assert (status, lines) == (1, ["Nothing was run: report.json has another SHA-256."])
    list_files(folder)
    status, lines = run_in(folder, python, "check.py")
    assert status == 1
    assert wrong_files(lines) >= {*BY_BOTH, *BY_PYTHON, "report.rules.30.p"}, "\n".join(lines)
    status, lines = run_in(folder, "Rscript", "check.R")
    assert status == 1
    assert wrong_files(lines) >= set(BY_BOTH), "\n".join(lines)
    (folder / "plan.json").write_text("{}")
    contradictions = contradictions_between_files(folder, json.loads((folder / "report.json").read_text()))
    assert list(contradictions) == [
        "report.json does not have the itemsets and rules that were checked (check.rows)",
        "plan.json does not have the SHA-256 that the design holds",
    ]


@pytest.mark.django_db
def test_deposit_with_open_answers_and_rules_passes_its_check(
    owner: Person, reviewer: Person, signed_in_as: As, python: Path, tmp_path: Path
) -> None:
    """Shares of open and disguised records, and rules among those to whom they apply."""
    draft = demo_content.demo_questionnaire_draft(NOW.date(), WORK_HEALTH_HONESTY) | {"plan": PLAN}
    run = finish_demo_survey(owner, draft, default_population, 2_000)
    plain = (section.questions for section in run.content.sections if not section.sensitive)
    address = publish_deposit(run, reviewer, [question.name for question in chain(*plain)][:2])
    files = files_of(signed_in_as(owner).post(address, FORM | {"records": "on"}))
    report = json.loads(files["report.json"])["report"]
    assert report["about"]["n_open"] > 100
    assert any(rule["n_shown_all"] < rule["n_asked"] for rule in report["rules"])
    folder = write_files(files, tmp_path / "whole")
    status, lines = run_in(folder, python, "check.py")
    assert (status, count_equal(lines) > 3_500) == (0, True), "\n".join(lines)
    assert "2 report.study.plan.hypotheses[].p" in "\n".join(lines).partition("Not recomputed:")[0]
    status, lines = run_in(folder, "Rscript", "check.R")
    assert (status, count_equal(lines) > 450) == (0, True), "\n".join(lines)
