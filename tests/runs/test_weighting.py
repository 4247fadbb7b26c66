"""Margins of a survey: uploaded, chosen for a run, and weighted shares beside the others in its report."""

import csv
import io
import json
import re
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, connection, transaction
from django.test import Client

from accounts.models import Person
from intake.batches import batch_reader
from jobs.models import State
from mining.counting import MinedRecords
from mining.studies.population_weights import weighted_answers
from reports.review import publishing
from runs import margin_weights, run_start
from runs.margin_weights import read_stored_margins
from runs.models import Margins, Run
from surveys.models import Survey
from tests.kept_rows import kept_row
from tests.reports import made
from tests.reports.paged import shown, words
from tests.runs import sealed, working
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]
HALVES = "sex,share\nf,0.7\nm,0.3\n"
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


def test_a_researcher_uploads_weights_and_chooses_them_for_a_run(
    client: Client, owner: Person, survey: Survey, broker: object
) -> None:
    client.force_login(owner)
    assert "No weights" not in shown(client, f"/app/surveys/{survey.pk}/runs")
    assert upload(client, survey, AGES).status_code == 302
    assert Margins.objects.get().csv == AGES
    assert "Census age, sex" in shown(client, f"/app/surveys/{survey.pk}/margins")
    chosen = {
        "min_support": "10",
        "min_confidence": "50",
        "max_size": "1",
        "estimator": "stratified",
        "mlxtend": "never",
        "standard_errors": "3",
        "margins": str(Margins.objects.get().pk),
    }
    answer = client.post(f"/app/surveys/{survey.pk}/runs", chosen)
    assert answer.status_code == 302, words(answer)
    assert Run.objects.get().margins == Margins.objects.get()
    assert "Weights Census" in shown(client, answer["Location"])


def test_the_page_names_the_columns_and_choices_that_a_file_can_have(
    client: Client, owner: Person, survey: Survey
) -> None:
    client.force_login(owner)
    page = client.get(f"/app/surveys/{survey.pk}/margins").content.decode()
    table = page[page.index("Names in this survey") : page.index("Example of a file")]
    assert re.findall(r">([^<>]+)</code>", table) == ["age", "18-39", "40-59", "60+", "sex", "f", "m"]


def test_a_wrong_file_and_a_second_of_a_name_are_refused(
    client: Client, owner: Person, survey: Survey
) -> None:
    """The reasons are those of tests/mining/studies/test_margins.py."""
    client.force_login(owner)
    for content, said in (
        ("sex,share\nf,0.5\nx,0.5\n", "margins.csv:3: 'sex' has no choice 'x'"),
        ("", "no"),
    ):
        answer = upload(client, survey, content)
        assert answer.status_code == 422
        assert said in words(answer).replace("&#x27;", "'")
        assert not Margins.objects.exists()
    upload(client, survey, AGES)
    assert "of that name already" in words(upload(client, survey, HALVES))
    assert Margins.objects.get().csv == AGES


def test_who_may_upload(client: Client, survey: Survey, viewer: Person, stranger: Person) -> None:
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


def test_weights_are_never_changed(survey: Survey) -> None:
    weights(survey)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE runs_margins SET csv = ''")


def test_the_run_has_the_weighted_shares_of_the_command(
    owner: Person, survey: Survey, broker: object
) -> None:
    margins = weights(survey)
    run = sealed.model_run(survey, owner, margins)
    assert run.state == State.DONE, run.error
    found = run.findings["weighted"]
    assert found["margins"] == "Census"
    # The answers of theft, lie and sick, and no plain one: its weighted share would tell small counts.
    assert [row["item"] for row in found["shares"]] == [
        f"{question}={choice}" for question in ("theft", "lie", "sick") for choice in ("no", "yes")
    ]
    parts = [batch.columns for batch in batch_reader.read_all_batches(survey, run.through)]
    expected = weighted_answers(
        MinedRecords(run.mined_design, parts), [(3, 1)], read_stored_margins(margins, run.mined_design)
    )
    theft = expected[3, 1]
    assert theft
    assert found["shares"][1]["share"] == theft.share
    assert found["shares"][1]["se"] == theft.se
    # A weighted share is told only beside the share.
    left = margin_weights.weighted_shares(
        run, run.stored_verdict, ["lie=yes"], lambda *_said, **_values: None
    )
    assert left
    assert [one.item for one in left.shares] == ["lie=yes"]


def test_where_a_class_of_the_margins_is_empty_nothing_is_weighted(
    client: Client, owner: Person, reviewer: Person, broker: object
) -> None:
    alone = sealed.model_survey(owner, batches=0)
    sealed.seal_for_models(alone, men=0)
    run = sealed.model_run(alone, owner, weights(alone, HALVES))
    assert run.state == State.DONE
    assert "weighted" not in run.findings
    publishing.create_reviews_of_finished_runs(NOW)
    client.force_login(reviewer)
    text = shown(client, f"/app/admin/reports/review/{run.pk}/report")
    assert (
        "No share is weighted to “Census”: too few disguised records are in a class of these margins" in text
    )


def test_a_weight_above_twenty_is_refused_and_one_above_five_said(
    client: Client, owner: Person, reviewer: Person, broker: object
) -> None:
    survey = sealed.model_survey(owner, batches=0)
    sealed.seal_for_models(survey, men=16)
    refused = sealed.model_run(survey, owner, weights(survey, "sex,share\nf,0.01\nm,0.99\n", "first"))
    assert "times the mean, above 20" in str(refused.problem)
    said = sealed.model_run(survey, owner, weights(survey, HALVES, "second"))
    assert all(row["is_large"] for row in said.findings["weighted"]["shares"])
    publishing.create_reviews_of_finished_runs(NOW)
    client.force_login(reviewer)
    text = shown(client, f"/app/admin/reports/review/{said.pk}/report")
    assert "A weight is above 5 times the mean" in text
    assert "Weighted to “second”" in text


def test_runs_with_other_weights_are_not_the_same_run(owner: Person, survey: Survey, broker: object) -> None:
    first = sealed.model_run(survey, owner)
    second = sealed.model_run(survey, owner, weights(survey))
    again = working.work(run_start.repeat(second, owner, NOW))
    assert again.margins == second.margins
    assert (first.digest == second.digest, again.digest == second.digest) == (False, True)


def test_weighted_shares_are_published_beside_the_others(
    client: Client, owner: Person, reviewer: Person, survey: Survey, broker: object
) -> None:
    run = sealed.model_run(survey, owner, weights(survey))
    review = made.waiting(run)
    made.publish(review, reviewer)
    client.force_login(owner)
    text = shown(client, f"/app/reports/{run.pk}/")
    assert "Weighted shares" in text
    assert text.count("Theft: Yes") > text.count("Theft: No")
    assert "A weight is above 5 times" not in text
    content = json.loads(client.get(f"/app/reports/{run.pk}/files/json").content)
    assert content["report"]["weighted"]["margins"] == "Census"
    with zipfile.ZipFile(io.BytesIO(client.get(f"/app/reports/{run.pk}/files/csv").content)) as bundle:
        rows = list(csv.DictReader(io.StringIO(bundle.read("weighted.csv").decode())))
    assert [row["item"] for row in rows][:2] == ["theft=no", "theft=yes"]
    assert float(rows[1]["share"]) == run.findings["weighted"]["shares"][1]["share"]
    assert client.get(f"/app/reports/{run.pk}/files/excel").status_code == 200
