"""All surveys of the collection with what takes longer: PDF, deposits that check themselves, and twenty seeds each."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.special import bdtrc

from accounts.models import RESEARCHERS, REVIEWERS
from mining.parameters import Parameters
from reports.simulated_reports.first_finding_test_job import surveys_to_simulate
from runs import run_start
from surveys.lifecycle import reviewer_approvals
from tests.cast import As, with_role
from tests.deposits.conftest import FORM, files_of
from tests.deposits.test_demo import NOTHING_WRONG, python, run_in, write_files
from tests.reports.conftest import reader
from tests.runs import sealed
from tests.surveys.conftest import NOW
from tests.zoo.survey_collection import NAMES, TestSurvey
from tests.zoo.test_zoo import TOO_FEW

__all__ = ["python"]
pytestmark = [pytest.mark.server, pytest.mark.night(smaller="zoo/test_zoo.py"), pytest.mark.django_db]
PUBLISHED = [name for name in NAMES if name != TOO_FEW]
SEEDS = 20
LEVEL = 0.05


@pytest.mark.parametrize("name", PUBLISHED)
def test_collection_survey_has_a_pdf_and_a_valid_deposit(
    name: str, broker: Path, python: Path, tmp_path: Path, signed_in_as: As
) -> None:
    owner, reviewer = with_role(RESEARCHERS, "owner"), with_role(REVIEWERS, "reviewer")
    published = TestSurvey(name).publish(owner, reviewer)
    client, survey, review = signed_in_as(owner), published.survey, published.review
    pdf = b"".join(client.get(reader("print.pdf", review)))
    assert pdf.startswith(b"%PDF-")
    for matter in () if survey.is_rehearsal else ("records", "deposit"):
        fingerprint = survey.design_id or ""
        reviewer_approvals.decide_approval(
            survey, reviewer, matter, fingerprint, allow=True, reason="", now=NOW
        )
    files = files_of(client.post(f"/app/reports/{review.pk}/deposit", FORM | {"records": "on"}))
    status, lines = run_in(write_files(files, tmp_path / "whole"), python, "check.py")
    assert (status, lines[-1].endswith(NOTHING_WRONG)) == (0, True), "\n".join(lines)


def test_the_truth_contradicts_no_more_sentences_than_their_level_allows(broker: Path) -> None:
    """Of the first sentences of a report, and of all its first findings; a report counts once in each."""
    owner, counts = with_role(RESEARCHERS, "owner"), Counter[str]()
    for name in PUBLISHED:
        of = TestSurvey(name)
        wanted = Parameters(0.02, 0.1, estimator=of.file.get("estimator", "stratified"), max_size=2)
        run = sealed.work(run_start.start_mining_run(of.ask(owner), owner, wanted, NOW, mlxtend="never"))
        surveys = surveys_to_simulate(run, alike=of.file.get("alike", False))
        for seed in range(SEEDS):
            report = surveys.simulate_report(np.random.default_rng([seed]))
            judged = [is_true for is_true, _compared in surveys._truth_and_comparison_by_sentence(report)]
            counts["reports"] += 1
            counts["begin false"] += judged[:1] == [False]
            counts["sentences"] += sum(is_true is not None for is_true in judged)
            counts["false sentences"] += judged.count(False)
    print(dict(counts))
    for false, of_all in (("begin false", "reports"), ("false sentences", "sentences")):
        # So many or more would come by chance once in a thousand times.
        assert not counts[false] or bdtrc(counts[false] - 1, counts[of_all], LEVEL) > 0.001, counts
