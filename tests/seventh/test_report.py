"""A rehearsal with the seventh kind: simulated, sealed, mined, reported, published, and its files."""

import io
import zipfile

import pytest

from accounts.models import Person
from intake.batches import automatic_sealing
from intake.recordfiles import as_csv
from intake.recordfiles.analysis_scripts import R
from intake.rehearsal import respondent_simulation, true_counts
from mining.parameters import Parameters
from privacy.designs import Design
from privacy.records import RecordRow
from reports.exports.file_format_writers import available_file_formats
from reports.models import Review
from reports.review import report_state_changes
from reports.review.report_page_data import report_page
from runs import run_start
from runs.models import Run
from surveys.lifecycle import state_changes as lifecycle
from tests.cast import As
from tests.intake import asked as surveys
from tests.intake.asked import codebook
from tests.privacy.questionnaires import read_records
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("kind")]
THEFT, DRUGS = 1, 2
PEOPLE = 2_000


@pytest.fixture
def run(owner: Person, design_of_kind: Design) -> Run:
    survey = surveys.survey(design_of_kind, owner=owner)
    respondent_simulation.simulate(survey, PEOPLE, seed=7)
    lifecycle.close_survey(survey, owner, NOW)
    automatic_sealing.on_tick(NOW)
    parameters = Parameters(min_support=0.02, min_confidence=0.1, max_size=2)
    return sealed.work(run_start.start_mining_run(survey, owner, parameters, NOW, mlxtend="never"))


@pytest.mark.every_python
def test_forced_shares_are_reported_beside_the_truth_and_exported(
    run: Run, reviewer: Person, signed_in_as: As
) -> None:
    report_state_changes.create_reviews_of_finished_runs(NOW)
    report = Review.objects.get(run=run)
    known = true_counts.read_true_counts(report.run.survey)
    assert known
    counts = known.everybody.counts
    found = {row.items[0]: row for row in report_page(reviewer, report.pk, whole=True).content.shares}
    for name, place in (("theft", THEFT), ("drugs", DRUGS)):
        row = found[f"{name}=yes"]
        true = counts[((place, 1),)] / PEOPLE
        assert row.truth == pytest.approx(true)
        assert row.support is not None
        assert row.se
        assert abs(row.support - true) < 4 * row.se
    client = signed_in_as(reviewer)
    report_state_changes.publish(report, reviewer, [], "", NOW)
    page = client.get(f"/app/reports/{report.pk}/").text
    assert "Have you stolen?" in page
    for kind in available_file_formats(report_page(reviewer, report.pk, whole=False)):
        answer = client.get(f"/app/reports/{report.pk}/files/{kind}")
        assert answer.status_code == 200, kind
        if kind == "csv":
            with zipfile.ZipFile(io.BytesIO(answer.content)) as bundle:
                assert any(b"theft=yes" in bundle.read(name) for name in bundle.namelist())


def test_record_files_and_codebook_cover_the_forced_question(design_of_kind: Design) -> None:
    rows = [RecordRow(1, (0, 1, 0)), RecordRow(1, (1, 0, 3)), RecordRow(0, (0, 0, 1))]
    data = b"".join(as_csv.write_csv(surveys.used_rows(design_of_kind, rows)))
    assert data.decode().splitlines()[0] == "group,work,theft,drugs"
    assert sorted(read_records(io.BytesIO(data), "records.csv", design_of_kind)) == sorted(
        surveys.told_rows(design_of_kind, rows)
    )
    said = codebook(surveys.used_rows(design_of_kind, rows), "records.csv", "Theft", "en")
    for words in ("Have you stolen?", "keep p = 0.6000", "keep p = 0.5000", "| yes | Yes | 0.5000 |"):
        assert words in said
    assert b"0.6" in R.script(design_of_kind, "records.csv", "Theft").encode()
