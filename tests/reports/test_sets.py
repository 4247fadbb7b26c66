"""A rehearsal with a question that sends sets of choices: its people, their truth, the report and its files."""

import numpy as np
import pytest
from django.test import Client

from accounts.models import Person
from intake.batches import automatic_sealing
from intake.rehearsal import respondent_simulation, true_counts
from intake.rehearsal.simulated_people import default_population
from mining.parameters import Parameters
from reports.exports.file_formats import file_kinds
from reports.models import Review
from reports.review import publishing
from reports.review.report_page_data import report_page
from runs.models import Run
from surveys.lifecycle import state_changes as lifecycle
from tests.intake import asked
from tests.kept_rows import kept_row
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, plain, question, sensitive, subset
from tests.reports import made
from tests.runs import working
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]
CHOICES = ("a", "b", "c", "d", "e", "f", "g", "h", "i")
ASKED = asked.written(
    plain(WORK),
    sensitive("0.6", question("theft", "0.4", "0.6")),
    subset(9, 2, "0.8", text="Which drug?", **IF_EMPLOYED),
    least=20,
    rehearsal=True,
    open_answers=True,
)
PLACE = 2


@pytest.fixture
def run(owner: Person) -> Run:
    def make() -> Run:
        survey = asked.survey(ASKED, owner=owner)
        respondent_simulation.simulate(survey, 1_500, seed=5)
        lifecycle.close_survey(survey, owner, NOW)
        automatic_sealing.on_tick(NOW)
        parameters = Parameters(min_support=0.02, min_confidence=0.1, max_size=2)
        return working.mined(survey, owner, parameters)

    return kept_row(("sets of choices",), make, is_computed=True)


def test_made_up_people_choose_all_choices() -> None:
    respondents = default_population(ASKED).draw(ASKED, 5_000, np.random.default_rng(1))
    chosen = respondents.truth[PLACE]
    assert set(chosen[chosen != ASKED.questions[PLACE].true_hidden_code]) == set(range(9))


def test_the_report_has_the_share_of_every_choice_with_the_truth_beside_it(
    run: Run, reviewer: Person
) -> None:
    known = true_counts.read_truth(run.survey)
    assert known
    counts = known.everybody.counts
    shown = sum(counts[((PLACE, code),)] for code in range(9))
    publishing.create_reviews_of_finished_runs(NOW)
    shares = report_page(reviewer, Review.objects.get(run=run).pk, whole=True).content.shares
    found = {row.items[0]: row for row in shares}
    for code, name in enumerate(CHOICES):
        row, true = found[f"drug={name}"], counts[((PLACE, code),)] / shown
        assert row.truth == pytest.approx(true)
        assert row.support is not None
        assert row.se is not None
        assert abs(row.support - true) < 4.5 * row.se


def test_the_report_lists_choices_as_of_any_question_and_its_files_leave(
    run: Run, reviewer: Person, judging: Client
) -> None:
    publishing.create_reviews_of_finished_runs(NOW)
    client: Client = judging
    report = Review.objects.get(run=run)
    made.publish(report, reviewer)
    page = client.get(f"/app/reports/{report.pk}/").text
    assert "Which drug?" in page
    assert "a+b" not in page
    for kind in file_kinds(report_page(reviewer, report.pk, whole=False)):
        answer = client.get(f"/app/reports/{report.pk}/files/{kind}")
        assert answer.status_code == 200, kind
