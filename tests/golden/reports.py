"""A rehearsal of each seed survey with simulated respondents: its publication, every export, its record files."""

import io
import json
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyreadstat

from accounts.models import RESEARCHERS, REVIEWERS, Person
from importing import own, xlsform
from importing.faults import FileRefused
from intake.batches import due
from intake.recordfiles import offer
from intake.rehearsal import simulating
from mining.parameters import Parameters
from reports.exports.files import kinds_of
from reports.models import Publication, Review
from reports.review import deciding, model_decisions as judging, publishing
from reports.review.report_page import report_page
from runs import starting
from runs.models import Margins, Run
from surveys.kinds.reading import read_questionnaire
from surveys.lifecycle import opening, review, states as lifecycle
from surveys.models import Survey
from surveys.questionnaire import hypotheses
from tests.cast import with_role
from tests.golden.designs import seeds
from tests.reports import made
from tests.runs import modelled, working
from tests.runs.test_weighting import AGES
from tests.surveys.conftest import NOW

RESPONDENTS, RULES, SEED = 400, 8, 1
DIGITS = 9
"""Significant digits of a number: the last ones differ between processors."""
HYPOTHESES: list[dict[str, Any]] = [
    {"kind": "share", "item": "4=yes", "than": "0.1000"},
    {"kind": "arms", "item": "4=yes"},
    {"kind": "version", "item": "4=yes", "by": "2"},
    {"kind": "association", "antecedent": ["1=2"], "consequent": ["4=yes"]},
]


def files() -> dict[str, bytes]:
    owner, reviewer = with_role(RESEARCHERS, "owner"), with_role(REVIEWERS, "reviewer")
    found: dict[str, bytes] = {}
    for name, draft in seeds().items():
        survey = _opened(name, draft, owner, reviewer)
        simulating.simulate(survey, RESPONDENTS, seed=SEED)
        lifecycle.close(survey, owner, NOW)
        due.tick(NOW)
        run = starting.start(survey, owner, Parameters(min_support=0.02, min_confidence=0.1, max_size=2), NOW)
        found |= _published(name, working.work(run), owner, reviewer)
        found |= _record_files(name, survey, owner)
    found |= _published("by hand", made.run(made.survey(owner)), owner, reviewer)
    return found | _modelled(owner, reviewer)


def _modelled(owner: Person, reviewer: Person) -> dict[str, bytes]:
    """A report with a model and weights."""
    survey = modelled.survey(owner)
    weights = Margins.objects.create(survey=survey, name="Census", csv=AGES)
    run = modelled.run(survey, owner, weights)
    model = modelled.model(run, owner).model
    publishing.add_finished_runs(NOW)
    judging.decide(Review.objects.get(run=run), reviewer, model, judging.Verdict.ACCEPT, "", NOW)
    return _published("modelled", run, owner, reviewer)


def _opened(name: str, draft: dict[str, Any], owner: Person, reviewer: Person) -> Survey:
    planned = {**draft, "rehearsal": True, "least": 100}
    if name == "study":
        for each in HYPOTHESES:
            plan = hypotheses.with_hypothesis(planned.get("plan", {}), each, "01" * 16)
            planned["plan"] = plan
    survey = Survey.objects.create(owner=owner, draft=planned)
    fingerprint = review.current(survey, "weak")
    if fingerprint and not survey.is_rehearsal:
        review.ask(survey, owner, "weak", fingerprint, "1", NOW)
        review.decide(survey, reviewer, "weak", fingerprint, allow=True, reason="1", now=NOW)
    opening.open_now(survey, owner, NOW)
    return survey


def _published(name: str, run: Run, owner: Person, reviewer: Person) -> dict[str, bytes]:
    # A report tells the day of its run.
    Run.objects.filter(pk=run.pk).update(created=NOW)
    publishing.add_finished_runs(NOW)
    report = Review.objects.get(run=run)
    rules = deciding.with_verdicts(run).filter(place__lt=RULES)
    if rules.exists():
        deciding.decide(report, reviewer, rules, deciding.Verdict.ACCEPT, "", NOW)
    groups = [question.name for question in run.content.mined.questions[:1]]
    publication = publishing.publish(report, reviewer, groups, "", NOW)
    publication = Publication.objects.get(pk=publication.pk)
    found = {
        "publication.json": json.dumps(
            {"content": publication.content, "rules": publication.rules}, indent=1
        ).encode()
    }
    page = report_page(owner, report.pk, whole=False)
    for kind, (ending, _type, file) in kinds_of(page).items():
        found |= {f"{kind}/{part}": text for part, text in texts(ending, file(page)).items()}
    return {f"{name}/{file}": steady(text) for file, text in found.items()}


def _record_files(name: str, survey: Survey, owner: Person) -> dict[str, bytes]:
    """The rows of each kind of file in order, since batches are shuffled."""
    found = {"questionnaire.json": own.written(survey.draft)}
    try:
        found |= texts("xlsx", xlsform.written(read_questionnaire(survey.draft), form_id="form"))
    except FileRefused as refusal:
        found["refused.txt"] = _lines(map(str, refusal.faults))
    for kind in ("csv", "parquet", "sav"):
        whole = b"".join(offer.hand_over(survey, owner, kind, "en", NOW))
        for file, text in texts("zip", whole).items():
            header, *rows = text.splitlines()
            found[file] = b"\n".join([header, *sorted(rows)]) if file.startswith("records.") else text
    return {f"{name}/records/{file}": text for file, text in found.items()}


def texts(ending: str, data: bytes) -> dict[str, bytes]:
    """What a file says, by the parts of an archive: the cells of sheets, the columns of tables."""
    if ending == "xlsx":
        sheets = openpyxl.load_workbook(io.BytesIO(data)).worksheets
        return {f"{sheet.title}.txt": _lines(map(str, sheet.iter_rows(values_only=True))) for sheet in sheets}
    if ending == "parquet":
        return {"": pd.read_parquet(io.BytesIO(data)).to_csv(index=False).encode()}
    if ending == "sav":
        return {"": _spss(data)}
    if ending == "zip":
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = {name: archive.read(name) for name in archive.namelist()}
        return {
            name + part: text
            for name, member in members.items()
            for part, text in texts(name.rpartition(".")[2], member).items()
        }
    return {"": data}


def _spss(data: bytes) -> bytes:
    """The rows, then what the file says of its columns."""
    with tempfile.NamedTemporaryFile(suffix=".sav") as file:
        Path(file.name).write_bytes(data)
        table, about = pyreadstat.read_sav(file.name)
    labels = (about.column_names_to_labels, about.variable_value_labels)
    rows: bytes = table.to_csv(index=False).encode()
    return rows + _lines(json.dumps(each, ensure_ascii=False) for each in labels)


def _lines(rows: Any) -> bytes:
    return "\n".join(rows).encode()


def steady(text: bytes) -> bytes:
    """Without the version of the software, and numbers with as many digits as are the same everywhere."""
    said = re.sub(r"-?\d+\.\d{9,}(e-?\d+)?", lambda number: f"{float(number[0]):.{DIGITS}g}", text.decode())
    return re.sub(r"mining \d+[^\"\n]*", "mining", said).encode()
