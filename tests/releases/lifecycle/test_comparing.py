"""Methods and numbers of k compared on the source of a release."""

import csv
import io
import json
from collections import Counter

import numpy as np
import pytest

from accounts.models import Person
from intake.batches import sealed_batch_reader
from intake.disclosure import ledger
from intake.disclosure.ledger import ProposedDisclosure
from intake.disclosure.models import DisclosureKind, Population
from jobs.models import State as JobState
from releases import source_tables
from releases.lifecycle import method_comparison_job
from releases.models import Comparison, Release, Upload
from releases.specification import save_specification
from releases.specification.criteria_conversion import METHOD_NAMES
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.releases.conftest import NOW, SPEC, draft_of_survey, draft_of_upload, finish_job

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("read_here")]


@pytest.fixture
def two_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    two = {name: METHOD_NAMES[name] for name in ("bottom-up", "tree")}
    monkeypatch.setattr(method_comparison_job, "METHOD_NAMES", two)


def compare_methods(release: Release, person: Person) -> Comparison:
    comparison = method_comparison_job.start_comparison(release, person, NOW)
    finish_job(comparison)
    assert comparison.state == JobState.DONE
    return comparison


@pytest.mark.usefixtures("two_methods")
def test_comparison_tries_every_method_and_k(owner: Person) -> None:
    release = draft_of_upload(owner, k=7)
    rows = compare_methods(release, owner).rows
    assert [(row["method"], row["k"]) for row in rows] == [
        (method, k) for method in ("bottom-up", "tree") for k in (2, 5, 7, 10, 20, 50)
    ]
    tree = [row for row in rows if row["method"] == "tree"]
    keys = {"method", "k", "ncp", "discernibility", "hasr", "max_frequency", "classes", "smallest", "seconds"}
    assert all(set(row) == keys for row in tree)
    losses = [row["ncp"] for row in tree]
    assert losses == sorted(losses)
    # A comparison goes with the columns and criteria that it compared.
    method_comparison_job.choose_method(release, owner, "bottom-up", 20, NOW)
    assert release.comparisons.exists()
    alone = {**SPEC, "quasi_identifiers": SPEC["quasi_identifiers"][:1]}
    save_specification.save_specification(release, owner, json.dumps(alone), NOW)
    assert not release.comparisons.exists()


def test_choosing_a_row_changes_only_method_and_k_of_ones_own_draft(
    upload: Release, owner: Person, reviewer: Person
) -> None:
    before = upload.specification
    with pytest.raises(NotAllowed):
        method_comparison_job.choose_method(upload, reviewer, "datafly", 20, NOW)
    upload.refresh_from_db()
    assert upload.specification == before
    method_comparison_job.choose_method(upload, owner, "datafly", 20, NOW)
    assert json.loads(upload.specification) == json.loads(before) | {"method": "datafly", "k": 20}


@pytest.mark.usefixtures("two_methods")
def test_failed_method_is_a_row_with_its_reason(owner: Person) -> None:
    rows = compare_methods(draft_of_upload(owner, l={"kind": "distinct", "value": 3}), owner).rows
    assert {row["refusal"] for row in rows} == {"l is 3, and there are fewer values"}


@pytest.mark.usefixtures("two_methods")
def test_comparison_of_a_survey_reads_no_record(
    survey: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Losses of the real table tell how many are in a cell: the one that is compared is invented."""

    def fail_if_record_is_read(*_of: object, **_more: object) -> None:
        raise AssertionError("a record was read")

    monkeypatch.setattr(sealed_batch_reader, "read_batches_until_most", fail_if_record_is_read)
    monkeypatch.setattr(sealed_batch_reader, "read_batches", fail_if_record_is_read)
    comparison = compare_methods(draft_of_survey(survey, owner, "age", "town"), owner)
    assert [row["k"] for row in comparison.rows] == [10, 20, 50] * 2
    assert {"ncp", "classes"} <= set(comparison.rows[0])


def test_the_invented_table_has_the_published_shares(survey: Survey, owner: Person) -> None:
    """Two withheld classes have equal parts of what both have."""
    table = {"questions": [0], "counts": [150, 100, 20]}
    tables = {"hidden": {"0": [1, 2]}, "tables": [table], "told": [[0]]}
    telling = ProposedDisclosure(DisclosureKind.REPORT, "run 1", "Run 1", 1, Population.DISGUISED, tables)
    ledger.write_disclosure(survey, telling, owner, NOW)
    release = draft_of_survey(survey, owner, "age", "town")
    invented = method_comparison_job.simulated_csv(release.source, np.random.default_rng(1)).decode()
    rows = list(csv.DictReader(io.StringIO(invented)))
    ages = Counter(row["age"] for row in rows)
    assert len(rows) == 360
    shares = [ages[age] / 360 for age in ("young", "grown", "old")]
    assert shares == pytest.approx([150 / 270, 60 / 270, 60 / 270], abs=0.1)


def test_one_comparison_runs_at_a_time_by_editors(upload: Release, owner: Person, reviewer: Person) -> None:
    with pytest.raises(NotAllowed, match="Only people with edit access"):
        method_comparison_job.start_comparison(upload, reviewer, NOW)
    method_comparison_job.start_comparison(upload, owner, NOW)
    with pytest.raises(NotAllowed, match="under way already"):
        method_comparison_job.start_comparison(upload, owner, NOW)


def test_a_table_that_cannot_be_read_fails_the_comparison(upload: Release, owner: Person) -> None:
    comparison = method_comparison_job.start_comparison(upload, owner, NOW)
    Upload.objects.all().delete()
    finish_job(comparison)
    assert comparison.state == JobState.FAILED
    assert "cannot be read" in str(comparison.problem)


def test_progress_names_the_choice_at_every_step(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method_comparison_job, "METHOD_NAMES", {"tree": METHOD_NAMES["tree"]})
    monkeypatch.setattr(method_comparison_job, "NUMBERS", (10, 20))
    told: list[tuple[float | None, str]] = []

    def progress(fraction: float | None, text: str = "", **values: str | int | float) -> None:
        told.append((fraction, text % values))

    release = draft_of_upload(owner, seconds="0.2")
    method_comparison_job.perform(method_comparison_job.start_comparison(release, owner, NOW), progress)
    words = dict.fromkeys(text for _share, text in told)
    assert list(words) == [f"Choice {number} of 2: Tree with k = {number}0" for number in (1, 2)]
    shares = [share for share, _text in told if share is not None]
    assert len(shares) == len(told) > 2
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) <= (0, 1)


def allows_single_value(release: Release) -> bool:
    return method_comparison_job.allows_single_value(source_tables.get_specification(release))


def test_a_draft_without_a_limit_asks_for_two_values_and_compares_anew(owner: Person) -> None:
    release = draft_of_upload(owner, max_frequency=None)
    assert allows_single_value(release)
    method_comparison_job.set_two_sensitive_values_per_class(release, owner, NOW)
    said = source_tables.get_specification(release)
    assert said.criteria.diversity
    assert said.criteria.diversity.least == 2
    assert not allows_single_value(release)
    # A cap on the most frequent value is a limit, and so is no sensitive column.
    assert not allows_single_value(draft_of_upload(owner))
    assert not allows_single_value(draft_of_upload(owner, max_frequency=None, sensitive=[]))
