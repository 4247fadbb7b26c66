"""Models of runs as jobs, and margins: chosen for a run, with weighted shares beside the others in its report."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.test import Client

from accounts.models import History, Person
from jobs import job_state_changes
from jobs.models import State
from jobs.progress_messages import Message
from mining.counting import MinedRecords
from mining.json_codec import dump_brief
from mining.studies.answer_counts_by_plain_pattern import PatternCounts
from mining.studies.model_fits import fit_model, read_request_allowing_arm
from mining.studies.population_weights import weighted_answers
from mining.studies.single_answer_score_moments import answer_law
from privacy.designs import InputError, parse_design
from reports.review import report_state_changes
from runs import margin_weights, regression_job, run_start
from runs.margin_weights import read_stored_margins
from runs.models import Margins, Model, ModelJob, Run
from runs.pages.run_page import RunPage
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import ROOM
from tests.cast import As, add_collaborator, kept_row, post_length
from tests.reports import made
from tests.reports.conftest import from_csv, from_json, page_text, words
from tests.runs import sealed
from tests.runs.test_unpublished import NO_REVIEWERS, what_it_says
from tests.runs.test_views import page
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]
HALVES = "sex,share\nf,0.7\nm,0.3\n"
UNMET = "sex,share\nf,0.01\nm,0.99\n"
"""Too much for a few men."""
AGES = "age,sex,share\n18-39,,0.2\n40-59,,0.3\n60+,,0.5\n,f,0.7\n,m,0.3\n"


@pytest.fixture
def survey(owner: Person) -> Survey:
    return sealed.model_survey(owner)


def weights(survey: Survey, content: str = AGES, name: str = "Census") -> Margins:
    step = ("margins", survey.pk, content, name)
    return kept_row(step, lambda: Margins.objects.create(survey=survey, name=name, csv=content))


def upload(client: Client, survey: Survey, content: str, name: str = "Census") -> Any:
    file = SimpleUploadedFile("margins.csv", content.encode())
    return client.post(f"/app/surveys/{survey.pk}/margins", {"name": name, "file": file})


def test_weights_are_uploaded_and_chosen_for_a_run(reading: Client, survey: Survey, broker: object) -> None:
    assert "No weights" not in page_text(reading, f"/app/surveys/{survey.pk}/runs")
    page = reading.get(f"/app/surveys/{survey.pk}/margins").content.decode()
    table = page[page.index("Names in this survey") : page.index("Example of a file")]
    assert re.findall(r">([^<>]+)</code>", table) == ["age", "18-39", "40-59", "60+", "sex", "f", "m"]
    assert upload(reading, survey, AGES).status_code == 302
    margins = Margins.objects.get()
    assert margins.csv == AGES
    assert "Census age, sex" in page_text(reading, f"/app/surveys/{survey.pk}/margins")
    chosen = {"min_support": "10", "min_confidence": "50", "max_size": "1", "estimator": "stratified"}
    chosen |= {"mlxtend": "never", "standard_errors": "3", "margins": str(margins.pk)}
    answer = reading.post(f"/app/surveys/{survey.pk}/runs", chosen)
    assert answer.status_code == 302, words(answer)
    assert Run.objects.get().margins == margins
    assert "Weights Census" in page_text(reading, answer["Location"])


def test_a_wrong_file_and_a_second_of_a_name_are_refused(reading: Client, survey: Survey) -> None:
    """The reasons are those of tests/mining/studies/test_margins.py."""
    for content, said in (
        ("sex,share\nf,0.5\nx,0.5\n", "margins.csv:3: 'sex' has no choice 'x'"),
        ("", "no"),
    ):
        answer = upload(reading, survey, content)
        assert answer.status_code == 422
        assert said in words(answer).replace("&#x27;", "'")
        assert not Margins.objects.exists()
    upload(reading, survey, AGES)
    assert "of that name already" in words(upload(reading, survey, HALVES))
    assert Margins.objects.get().csv == AGES
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE runs_margins SET csv = ''")


def test_weights_are_uploaded_by_permitted_people_only(
    client: Client, survey: Survey, viewer: Person, stranger: Person
) -> None:
    page = f"/app/surveys/{survey.pk}/margins"
    assert client.get(page).status_code == 302
    for person, seen, posted in ((viewer, 200, 403), (stranger, 404, 404)):
        client.force_login(person)
        assert client.get(page).status_code == seen
        assert upload(client, survey, AGES).status_code == posted
    assert client.delete(page).status_code == 405
    client.force_login(viewer)
    client.raise_request_exception = False
    assert client.post(page, {"name": "x" * 1_100_000}).status_code in (403, 413)


def test_a_long_file_and_another_site_are_refused(reading: Client, owner: Person, survey: Survey) -> None:
    page = f"/app/surveys/{survey.pk}/margins"
    assert post_length(reading, page, margin_weights.MOST_BYTES + ROOM + 1) == 413
    assert post_length(reading, page, margin_weights.MOST_BYTES + ROOM) == 422
    other_site = Client(enforce_csrf_checks=True)
    other_site.force_login(owner)
    assert upload(other_site, survey, AGES).status_code == 403
    assert not Margins.objects.exists()


def test_a_run_has_the_shares_of_the_command(owner: Person, survey: Survey, broker: object) -> None:
    margins = weights(survey)
    run = sealed.model_run(survey, owner, margins)
    assert run.state == State.DONE, run.error
    found = run.findings["weighted"]
    assert found["margins"] == "Census"
    assert found["questions"] == ["age", "sex"]
    # The answers of theft, lie and sick, and no plain one: its weighted share would tell small counts.
    items = [f"{question}={choice}" for question in ("theft", "lie", "sick") for choice in ("no", "yes")]
    assert [row["item"] for row in found["shares"]] == items
    records = MinedRecords(run.mined_design, sealed.columns(survey, run.through))
    theft = weighted_answers(records, [(3, 1)], read_stored_margins(margins, run.mined_design))[3, 1]
    assert theft
    assert [found["shares"][1][name] for name in ("share", "se")] == [theft.share, theft.se]
    # A weighted share is told only beside the share.
    left = margin_weights.weighted_shares(
        run, run.stored_verdict, ["lie=yes"], lambda *_said, **_values: None
    )
    assert left
    assert [one.item for one in left.shares] == ["lie=yes"]


def test_an_empty_class_and_a_large_weight(owner: Person, judging: Client, broker: object) -> None:
    alone, few = sealed.model_survey(owner, batches=0), sealed.model_survey(owner, batches=0)
    sealed.seal_for_models(alone, men=0)
    sealed.seal_for_models(few, men=16)
    empty = sealed.model_run(alone, owner, weights(alone, HALVES))
    assert empty.state == State.DONE
    assert "weighted" not in empty.findings
    refused = sealed.model_run(few, owner, weights(few, UNMET, "first"))
    assert refused.state == State.DONE
    assert "weighted" not in refused.findings
    large = sealed.model_run(few, owner, weights(few, HALVES, "second"))
    assert all(row["is_large"] for row in large.findings["weighted"]["shares"])
    report_state_changes.create_reviews_of_finished_runs(NOW)
    none = "No share is weighted to “Census”: too few disguised records are in a class of these margins"
    for run, said in (
        (empty, none),
        (refused, none.replace("Census", "first")),
        (large, "A weight is above 5 times the mean"),
        (large, "Weighted to “second”"),
    ):
        assert said in page_text(judging, f"/app/admin/reports/review/{run.pk}/report")


def test_only_a_reviewer_reads_why_nothing_is_weighted_and_to_others_the_run_is_as_any(
    owner: Person, signed_in_as: As, request: pytest.FixtureRequest, broker: object
) -> None:
    """Whoever chooses the shares could count the men by which ones are refused, even without a reason.

    They are 11 of 267 disguised records: .99 of 267 / 11 is 24.
    """
    few = sealed.model_survey(owner, batches=0)
    sealed.seal_for_models(few, men=16)
    for role in ("viewer", "editor"):
        add_collaborator(few, request.getfixturevalue(role), may_edit=role == "editor")
    met, unmet = (
        sealed.model_run(few, owner, weights(few, *margins))
        for margins in ((HALVES, "met"), (UNMET, "unmet"))
    )
    few.runs.update(finished=F("started"))
    assert unmet.error == {}
    reason = "a weight is 24.0 times the mean, above 20: merge choices with few records"
    assert reason in page_text(signed_in_as(request.getfixturevalue("reviewer")), f"/app/runs/{unmet.pk}/")
    for role in NO_REVIEWERS:
        person = request.getfixturevalue(role)
        client = signed_in_as(person)
        for address in ("/app/runs/%s/", "/app/runs/%s/outcome", "/app/jobs/runs.run/%s/progress"):
            said = {what_it_says(page(client, address % run.pk), run, person) for run in (met, unmet)}
            assert len(said) == 1, (role, said)
            assert reason not in page(client, address % unmet.pk)


def test_runs_with_other_weights_are_not_the_same_run(owner: Person, survey: Survey, broker: object) -> None:
    first = sealed.model_run(survey, owner)
    second = sealed.model_run(survey, owner, weights(survey))
    again = sealed.work(run_start.repeat_run(second, owner, NOW))
    assert again.margins == second.margins
    assert (first.digest == second.digest, again.digest == second.digest) == (False, True)


def test_weighted_shares_are_published_beside_the_others(
    client: Client, owner: Person, reviewer: Person, survey: Survey, broker: object
) -> None:
    run = sealed.model_run(survey, owner, weights(survey))
    review = made.waiting_review(run)
    made.publish(review, reviewer)
    client.force_login(owner)
    text = page_text(client, f"/app/reports/{run.pk}/")
    assert "Weighted shares" in text
    assert text.count("Theft: Yes") > text.count("Theft: No")
    assert "A weight is above 5 times" not in text
    assert from_json(client)["report"]["weighted"]["margins"] == "Census"
    rows = from_csv(client, "weighted")
    assert [row["item"] for row in rows][:2] == ["theft=no", "theft=yes"]
    assert float(rows[1]["share"]) == run.findings["weighted"]["shares"][1]["share"]
    assert client.get(f"/app/reports/{run.pk}/files/excel").status_code == 200


@pytest.fixture
def run(survey: Survey, owner: Person, broker: object) -> Run:
    return sealed.model_run(survey, owner)


def model_by_columns(run: Run, specification: Mapping[str, Any]) -> dict[str, Any]:
    """The same model as the command fits it."""
    request = read_request_allowing_arm(run.mined_design, **specification)
    parts = sealed.columns(run.survey, run.through)
    asked = (request.item, request.questions, request.among)
    counts = PatternCounts.count_records(run.mined_design, parts, *asked)
    found = fit_model(request, counts, answer_law(run.mined_design, request.item))
    read: dict[str, Any] = json.loads(json.dumps(dump_brief(found)))
    return read


def test_a_worker_fits_the_model_of_the_command(run: Run, owner: Person) -> None:
    product = {"numbers": ["age"], "products": ["age*sex"]}
    for more in ({}, product, {"among": ["sex=f"], "on": ["age"]}, {"logit": True}):
        job = sealed.model(run, owner, **sealed.ON_BOTH | more)
        assert job.state == State.DONE, job.error
        found = Model.objects.get(job=job)
        assert found.numbers == model_by_columns(run, sealed.ON_BOTH | more), more
        assert found.specification == sealed.ON_BOTH | more
        assert found.run == run
    # Later batches are not in the model of a run.
    before = run.models.order_by("pk")[0]
    sealed.seal_for_models(run.survey)
    after = sealed.model(run, owner, **sealed.ON_BOTH, among=[])
    assert before.numbers == after.model.numbers


def test_models_are_numbered_recorded_and_written_once(run: Run, owner: Person) -> None:
    numbers = [sealed.model(run, owner, item="theft=yes", on=[name]).number for name in ("age", "sex")]
    assert numbers == [1, 2]
    assert History.objects.filter(what="mining.modelled", who=owner).count() == 2
    with pytest.raises(NotAllowed, match="specified already"):
        regression_job.start_model_job(run, owner, {"item": "theft=yes", "on": ["sex"]}, NOW)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE runs_model SET numbers = '{}'")
    Run.objects.filter(pk=run.pk).delete()
    assert not Model.objects.exists()
    assert not ModelJob.objects.exists()


def test_invalid_model_starts_no_job(run: Run, owner: Person) -> None:
    with pytest.raises(InputError, match="'theft' is sensitive"):
        regression_job.start_model_job(run, owner, {"item": "theft=yes", "on": ["theft"]}, NOW)
    Run.objects.filter(pk=run.pk).update(state="queued", finished=None)
    run.refresh_from_db()
    with pytest.raises(NotAllowed, match="not finished"):
        regression_job.start_model_job(run, owner, sealed.ON_BOTH, NOW)
    assert not ModelJob.objects.exists()


def why_not_fitted(job: ModelJob) -> str:
    """Why there are no numbers, as a reviewer reads it. The job is done all the same."""
    assert job.state == State.DONE, job.error
    assert (job.model.numbers, job.error) == ({}, {})
    return str(Message.from_json(job.model.problem or {}))


def test_a_model_below_the_floor_has_no_numbers_and_tells_not_how_many_records_it_has(
    run: Run, owner: Person
) -> None:
    """Filters could count people by it."""
    sealed.seal_for_models(run.survey, 300, old=40)
    later = sealed.model_run(run.survey, owner)
    few = sealed.model(later, owner, item="theft=yes", on=["sex"], among=["age=18-39", "club=yes"])
    assert why_not_fitted(few) == "fewer than 50 records answer the item and all covariates: choose others"


def test_a_full_product_below_the_floor_names_the_cell_to_a_reviewer(owner: Person, broker: object) -> None:
    survey = sealed.model_survey(owner, batches=0)
    sealed.seal_for_models(survey, men=120)
    run = sealed.model_run(survey, owner)
    alone = sealed.model(run, owner)
    assert alone.model.numbers["n"] > 0
    product = sealed.model(run, owner, **sealed.ON_BOTH, products=["age*sex"])
    assert "sex=m' has fewer than 50 records: merge choices, or leave it out" in why_not_fitted(product)


def test_only_a_reviewer_follows_the_job_of_a_model(
    run: Run, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    job = regression_job.start_model_job(run, owner, sealed.ON_BOTH, NOW)
    address = f"/app/jobs/runs.modeljob/{job.pk}"
    for person, status in ((reviewer, 200), (owner, 403)):
        assert signed_in_as(person).get(f"{address}/progress").status_code == status
    for person in (reviewer, owner):
        assert signed_in_as(person).post(f"{address}/cancel").status_code == 403


def test_a_reviewer_who_works_on_the_survey_is_none_there(
    run: Run, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    job = regression_job.start_model_job(run, owner, sealed.ON_BOTH, NOW)
    add_collaborator(run.survey, reviewer, may_edit=False)
    assert signed_in_as(reviewer).get(f"/app/jobs/runs.modeljob/{job.pk}/progress").status_code == 403


def test_at_most_twenty_models_of_a_survey_wait(
    run: Run, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of them could be fitted or are rejected already."""
    monkeypatch.setattr(regression_job, "MOST_WAITING", 2)
    for specification in ({"on": ["sex"], "among": ["sex=f"]}, {"on": ["sex"]}):
        sealed.model(run, owner, item="theft=yes", **specification)
    later = sealed.model_run(run.survey, owner)
    with pytest.raises(NotAllowed, match="2 models of this survey wait for a reviewer"):
        regression_job.start_model_job(later, owner, sealed.ON_BOTH, NOW)
    ModelJob.objects.filter(number=1).update(told=True)
    regression_job.start_model_job(later, owner, sealed.ON_BOTH, NOW)


def test_of_what_could_not_be_fitted_a_model_is_specified_already_too(run: Run, owner: Person) -> None:
    women = {"item": "theft=yes", "on": ["sex"], "among": ["sex=f"]}
    sealed.model(run, owner, **women)
    with pytest.raises(NotAllowed, match="specified already"):
        regression_job.start_model_job(run, owner, women, NOW)


def test_a_model_whose_job_crashed_waits_for_a_reviewer(run: Run, owner: Person) -> None:
    job = regression_job.start_model_job(run, owner, sealed.ON_BOTH, NOW)
    claimed = job_state_changes.claim(job.pk, token="c", worker="w", now=NOW)
    assert claimed
    job_state_changes.fail(claimed, Message("Something unforeseen went wrong."), NOW)
    for _tick in range(2):
        regression_job.store_models_of_failed_jobs(NOW)
    model = Model.objects.get(job=job)
    assert (model.numbers, str(Message.from_json(model.problem or {}))) == (
        {},
        "Something unforeseen went wrong.",
    )


def test_in_a_rehearsal_everybody_who_works_on_it_reads_why(owner: Person, broker: object) -> None:
    real = sealed.model_design().as_json()
    survey = sealed.model_survey(owner, 0, parse_design(json.dumps({**real, "rehearsal": True})))
    sealed.seal_for_models(survey, men=16)
    run = sealed.model_run(survey, owner, weights(survey, UNMET))
    assert "times the mean" in dict(RunPage(run, owner).parameter_labels)["Why nothing is weighted"]
    women = sealed.model(run, owner, item="theft=yes", on=["sex"], among=["sex=f"])
    assert women.state == State.FAILED
    assert "is constant" in str(women.problem)
    for action in ("see", "cancel"):
        assert women.may(owner, action)
    sealed.model(run, owner, item="theft=yes", on=["age"])
    with pytest.raises(NotAllowed, match="specified already"):
        regression_job.start_model_job(run, owner, {"item": "theft=yes", "on": ["age"]}, NOW)
    regression_job.start_model_job(run, owner, {"item": "theft=yes", "on": ["sex"], "among": ["sex=f"]}, NOW)
    regression_job.store_models_of_failed_jobs(NOW)
    assert Model.objects.count() == 1
