"""Golden files: what the product makes of fixed input, to compare before and after a change that must change nothing.

A stored file holds the files of one folder as texts: each begins with a line `=== name`. Of one longer than LONGEST
there is the beginning and the SHA-256 of the whole. `files/sources.json` holds a digest of the sources that each part
was made by: at a push the parts are made whose sources changed, of reports those of one survey, at night all of them.
`./run golden` makes all of them again and compares, or stores them with the digests: it runs these tests with
GOLDEN=write.
"""

import difflib
import hashlib
import io
import json
import os
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyreadstat
import pytest
from jsonschema import Draft202012Validator

from accounts.models import RESEARCHERS, REVIEWERS, Person
from importing import candor_format, xlsform
from importing.faults import FileRefused
from intake.batches import automatic_sealing
from intake.recordfiles import download
from intake.rehearsal import respondent_simulation
from mining.nodes.report_nodes import report_from_json, report_to_json
from mining.parameters import Parameters
from releases.lifecycle import download_zip
from reports.exports.file_format_writers import available_file_formats
from reports.models import Publication, Review
from reports.review import regression_decisions as judging, report_state_changes, rule_decisions
from reports.review.report_page_data import report_page
from runs import run_start
from runs.models import Margins, Run
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import opening, reviewer_approvals, state_changes as lifecycle
from surveys.models import Survey
from surveys.questionnaire import hypotheses
from tests import servers
from tests.cast import with_role
from tests.golden import designs
from tests.jobs.conftest import broker
from tests.releases.conftest import approved_release
from tests.reports import made
from tests.runs import sealed
from tests.runs.test_weighting import AGES
from tests.surveys.conftest import NOW

__all__ = ["broker"]
pytestmark = pytest.mark.proof
FOLDER = Path(__file__).parent / "files"
SOURCES = FOLDER / "sources.json"
SCHEMA = json.loads((servers.ROOT / "mining/nodes/candor-report-1.schema.json").read_text())
MODE = os.environ.get("GOLDEN")
LONGEST = 5_000
SHOWN = 40
"""Lines of a difference that are printed."""

RESPONDENTS, RULES, SEED = 400, 8, 1
DIGITS = 9
"""Significant digits of a number: the last ones differ between processors."""
HYPOTHESES: list[dict[str, Any]] = [
    {"kind": "share", "item": "4=yes", "than": "0.1000"},
    {"kind": "arms", "item": "4=yes"},
    {"kind": "version", "item": "4=yes", "by": "2"},
    {"kind": "association", "antecedent": ["1=2"], "consequent": ["4=yes"]},
]


AT_EACH_PUSH = "study"


def small_reports() -> dict[str, bytes]:
    """What no rehearsal of another seed survey has: one of a study, a report by hand, and one with a model."""
    owner, reviewer = _people()
    found = _files_of_rehearsals({AT_EACH_PUSH: designs.seeds()[AT_EACH_PUSH]}, owner, reviewer)
    found |= _files_of_publication("by hand", made.run(made.survey(owner)), owner, reviewer)
    return found | _files_of_model(owner, reviewer)


def reports() -> dict[str, bytes]:
    """A rehearsal of each other seed survey."""
    others = {name: draft for name, draft in designs.seeds().items() if name != AT_EACH_PUSH}
    return _files_of_rehearsals(others, *_people())


def _people() -> tuple[Person, Person]:
    """The owner and the reviewer of both parts, who may be made together."""
    there = {person.username: person for person in Person.objects.filter(username__in=["owner", "reviewer"])}
    return (
        there.get("owner") or with_role(RESEARCHERS, "owner"),
        there.get("reviewer") or with_role(REVIEWERS, "reviewer"),
    )


def _files_of_rehearsals(
    drafts: dict[str, dict[str, Any]], owner: Person, reviewer: Person
) -> dict[str, bytes]:
    """The publication of each, every export, its record files."""
    found: dict[str, bytes] = {}
    for name, draft in drafts.items():
        survey = _open_survey(name, draft, owner, reviewer)
        respondent_simulation.simulate(survey, RESPONDENTS, seed=SEED)
        lifecycle.close_survey(survey, owner, NOW)
        automatic_sealing.on_tick(NOW)
        run = run_start.start_mining_run(
            survey, owner, Parameters(min_support=0.02, min_confidence=0.1, max_size=2), NOW
        )
        found |= _files_of_publication(name, sealed.work(run), owner, reviewer)
        found |= _record_files(name, survey, owner)
    return found


def _files_of_model(owner: Person, reviewer: Person) -> dict[str, bytes]:
    """A report with a model and weights."""
    survey = sealed.model_survey(owner)
    weights = Margins.objects.create(survey=survey, name="Census", csv=AGES)
    run = sealed.model_run(survey, owner, weights)
    model = sealed.model(run, owner).model
    report_state_changes.create_reviews_of_finished_runs(NOW)
    judging.decide_model(Review.objects.get(run=run), reviewer, model, judging.Verdict.ACCEPT, "", NOW)
    return _files_of_publication("modelled", run, owner, reviewer)


def _open_survey(name: str, draft: dict[str, Any], owner: Person, reviewer: Person) -> Survey:
    planned = {**draft, "rehearsal": True, "least": 100}
    if name == "study":
        for each in HYPOTHESES:
            plan = hypotheses.add_hypothesis(planned.get("plan", {}), each, "01" * 16)
            planned["plan"] = plan
    survey = Survey.objects.create(owner=owner, draft=planned)
    fingerprint = reviewer_approvals.current_fingerprint(survey, "weak")
    if fingerprint and not survey.is_rehearsal:
        reviewer_approvals.request_approval(survey, owner, "weak", fingerprint, "1", NOW)
        reviewer_approvals.decide_approval(
            survey, reviewer, "weak", fingerprint, allow=True, reason="1", now=NOW
        )
    opening.open_survey_now(survey, owner, NOW)
    return survey


def _files_of_publication(name: str, run: Run, owner: Person, reviewer: Person) -> dict[str, bytes]:
    # A report tells the day of its run.
    Run.objects.filter(pk=run.pk).update(created=NOW)
    report_state_changes.create_reviews_of_finished_runs(NOW)
    report = Review.objects.get(run=run)
    rules = rule_decisions.rules_with_verdicts(run).filter(place__lt=RULES)
    if rules.exists():
        rule_decisions.decide_rules(report, reviewer, rules, rule_decisions.Verdict.ACCEPT, "", NOW)
    groups = [question.name for question in run.content.mined.questions[:1]]
    publication = report_state_changes.publish(report, reviewer, groups, "", NOW)
    publication = Publication.objects.get(pk=publication.pk)
    found = {
        "publication.json": json.dumps(
            {"content": publication.content, "rules": publication.rules}, indent=1
        ).encode()
    }
    page = report_page(owner, report.pk, whole=False)
    for kind, (ending, _type, file) in available_file_formats(page).items():
        found |= {f"{kind}/{part}": text for part, text in texts_by_part(ending, file(page)).items()}
    return {f"{name}/{file}": normalise_text(text) for file, text in found.items()}


def _record_files(name: str, survey: Survey, owner: Person) -> dict[str, bytes]:
    """The rows of each kind of file in order, since batches are shuffled."""
    found = {"questionnaire.json": candor_format.write(survey.draft)}
    try:
        found |= texts_by_part("xlsx", xlsform.write(read_questionnaire(survey.draft), form_id="form"))
    except FileRefused as refusal:
        found["refused.txt"] = _lines(map(str, refusal.faults))
    for kind in ("csv", "parquet", "sav"):
        whole = b"".join(download.hand_over_file(survey, owner, kind, "en", NOW))
        for file, text in texts_by_part("zip", whole).items():
            header, *rows = text.splitlines()
            found[file] = b"\n".join([header, *sorted(rows)]) if file.startswith("records.") else text
    return {f"{name}/records/{file}": text for file, text in found.items()}


def texts_by_part(ending: str, data: bytes) -> dict[str, bytes]:
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
            for part, text in texts_by_part(name.rpartition(".")[2], member).items()
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


def normalise_text(text: bytes) -> bytes:
    """Without the version of the software, and numbers with as many digits as are the same everywhere."""
    rounded = re.sub(
        r"-?\d+\.\d{9,}(e-?\d+)?", lambda number: f"{float(number[0]):.{DIGITS}g}", text.decode()
    )
    return re.sub(r"mining \d+[^\"\n]*", "mining", rounded).encode()


def releases() -> dict[str, bytes]:
    """A release of an uploaded table: every file of its zip, in both kinds."""
    owner, reviewer = with_role(RESEARCHERS, "publisher"), with_role(REVIEWERS, "judge")
    release = approved_release(owner, reviewer)
    found = {}
    for kind in download_zip.KINDS:
        for name, pieces in download_zip.zip_members(release, kind):
            data = b"".join(pieces)
            if name == "report.json":
                data = json.dumps({**json.loads(data), "release": 0, "seconds": 0}, indent=1).encode()
            for part, text in texts_by_part("parquet" if name.endswith(".parquet") else "", data).items():
                found[f"release {kind}/{name}{part}"] = text
    for name in ("release csv/release.csv", "release parquet/release.parquet"):
        header, *rows = found[name].splitlines()  # in the order of a draw
        found[name] = b"\n".join([header, *sorted(rows)])
    return {name: normalise_text(text) for name, text in found.items()}


# --- files and their sources ------------------------------------------------------------------------------


def files_as_texts(files: Mapping[str, bytes]) -> dict[str, str]:
    """The stored files by name."""
    found: dict[str, str] = {}
    for name, data in sorted(files.items()):
        folder, _slash, inner = name.rpartition("/") if name.count("/") < 2 else name.partition("/")
        stored = f"{folder or name.partition('.')[0]}.txt".replace(" ", "-")
        text = data.decode()
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}\n… SHA-256 of the whole: {hashlib.sha256(data).hexdigest()}"
        found[stored] = found.get(stored, "") + f"=== {inner or name}\n{text.rstrip()}\n"
    return found


@dataclass(frozen=True)
class Part:
    """The golden files with such names, and the files and folders of the repository that they depend on."""

    files: Callable[[], dict[str, bytes]]
    patterns: tuple[str, ...]
    sources: tuple[str, ...]
    at_night: bool = False

    def digest(self, root: Path = servers.ROOT) -> str:
        """SHA-256 of all the sources with their names, without what Python compiled and what only browsers load."""
        whole = hashlib.sha256()
        for path in sorted(path for source in self.sources for path in files_in(root / source)):
            whole.update(
                f"{path.relative_to(root)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
            )
        return whole.hexdigest()


def files_in(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    else:
        apart = {"__pycache__", "static"}
        yield from (file for file in path.rglob("*") if file.is_file() and not apart & set(file.parts))


QUESTIONNAIRES = (
    *("privacy", "surveys", "importing", "config/start", "requirements.lock"),
    "tests/golden/designs.py",
    "tests/surveys/work_health_honesty.json",
)
OWN = "tests/golden/test_golden.py"
OF_REPORTS = (*QUESTIONNAIRES, "mining", "intake", "runs", "reports", "ui", OWN)
SMALL = (f"{AT_EACH_PUSH}.txt", "by-hand.txt", "modelled.txt")
PARTS = {
    "designs": Part(designs.canonical_texts, ("designs.txt",), QUESTIONNAIRES),
    "batches": Part(designs.batches, ("batches.txt",), QUESTIONNAIRES),
    "releases": Part(
        releases, ("release-*.txt",), ("privacy/anonymity", "releases", "requirements.lock", OWN)
    ),
    "small reports": Part(small_reports, SMALL, OF_REPORTS),
    "reports": Part(reports, ("*.txt",), OF_REPORTS, at_night=True),
}


def golden_paths(part: str) -> dict[str, Path]:
    """The golden files of this part: a name that several patterns match is of the first."""
    names = {
        path.name: next(
            name
            for name, part in PARTS.items()
            if any(fnmatch(path.name, pattern) for pattern in part.patterns)
        )
        for path in FOLDER.glob("*.txt")
    }
    return {name: FOLDER / name for name, its_part in names.items() if its_part == part}


def changed_parts() -> set[str]:
    """Those to make at a push; all of them where somebody asks for golden files."""
    known = json.loads(SOURCES.read_text())
    return {
        name
        for name, part in PARTS.items()
        if MODE or (not part.at_night and part.digest() != known.get(name))
    }


def differing_files(made: Mapping[str, str], there: Mapping[str, Path]) -> Iterator[str]:
    """For each stored file that is not as it is made now: its name and how it differs."""
    for name in sorted({*there, *made}):
        before = there[name].read_text().splitlines() if name in there else []
        after = made.get(name, "").splitlines()
        if before != after:
            lines = [*difflib.unified_diff(before, after, "stored", "made now", lineterm="", n=1)]
            yield "\n".join([f"{name} differs:", *(line[:200] for line in lines[:SHOWN])])


def compare(names: set[str]) -> None:
    files = {name: data for part in sorted(names) for name, data in PARTS[part].files().items()}
    for name, data in files.items():
        if name.endswith("/publication.json"):
            publication = json.loads(data)
            published = {**publication["content"], "rules": publication["rules"]}
            Draft202012Validator(SCHEMA).validate(published)
            assert json.dumps(report_to_json(report_from_json(published))) == json.dumps(published)
    made = files_as_texts(files)
    there = {name: path for part in names for name, path in golden_paths(part).items()}
    found = [*differing_files(made, there)]
    if MODE == "write":
        for name in there.keys() - made.keys():
            there[name].unlink()
        for name, text in made.items():
            (FOLDER / name).write_text(text)
        SOURCES.write_text(json.dumps({name: part.digest() for name, part in PARTS.items()}, indent=1) + "\n")
    assert not found, "\n\n".join(found)


def test_golden_files_with_changed_sources_are_reproduced(db: None, broker: None) -> None:
    compare(changed_parts())


@pytest.mark.night
def test_all_other_golden_files_are_reproduced(db: None, broker: None) -> None:
    compare(PARTS.keys() - changed_parts())


def test_each_part_has_golden_files_and_sources() -> None:
    for name, part in PARTS.items():
        assert golden_paths(name), name
        assert all([*files_in(servers.ROOT / source)] for source in part.sources), name
    assert json.loads(SOURCES.read_text()).keys() == PARTS.keys()


def test_changed_source_makes_its_golden_part_again(tmp_path: Path) -> None:
    part = Part(dict, ("*.txt",), ("room", "lock"))
    for name in ("room/a.py", "room/inner/b.json", "lock"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    digests = [part.digest(tmp_path)]
    (tmp_path / "room/static").mkdir()
    (tmp_path / "room/static/a.js").touch()
    assert part.digest(tmp_path) == digests[0]
    changes: list[Callable[[], object]] = [
        partial((tmp_path / "lock").write_text, "other"),
        (tmp_path / "room/c.py").touch,
        partial((tmp_path / "room/c.py").rename, tmp_path / "room/d.py"),
        (tmp_path / "room/a.py").unlink,
    ]
    for change in changes:
        change()
        digests.append(part.digest(tmp_path))
    assert len({*digests}) == 5


def test_differing_or_missing_golden_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("=== 1\none\n")
    there = {"a.txt": tmp_path / "a.txt"}
    assert [*differing_files({"a.txt": "=== 1\none\n"}, there)] == []
    found = [*differing_files({"a.txt": "=== 1\ntwo\n", "b.txt": "new\n"}, there)]
    assert [text.partition(" ")[0] for text in found] == ["a.txt", "b.txt"]
    assert "-one" in found[0]
    assert "+two" in found[0]
