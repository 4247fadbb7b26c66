"""Pages of models: researchers specify them, reviewers decide and publish, and readers see published numbers alone."""

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client

from accounts.models import Person
from reports.models import Decision, ModelDecision, ModelPublication, Review
from reports.review import publishing, regression_decisions as judging
from runs.models import ModelJob, Run
from surveys.models import Survey
from tests.reports import made
from tests.reports.paged import bundle, desk, from_csv, from_json, reader, shown, words
from tests.runs import sealed, working
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]

CHOSEN = {
    "item": "theft=yes",
    "formula": "linear",
    "covariate_age": "number",
    "covariate_sex": "categories",
    "covariate_club": "out",
    "product1_first": "sex",
    "product1_second": "age",
}


def page(run: Run) -> str:
    return f"/app/runs/{run.pk}/models"


def specify(client: Client, run: Run, **chosen: str) -> Any:
    return client.post(page(run), CHOSEN | chosen)


def test_a_researcher_specifies_a_model_from_lists_and_follows_its_job(
    client: Client, owner: Person, run: Run
) -> None:
    client.force_login(owner)
    form = client.get(page(run)).content.decode()
    assert 'value="theft=yes"' in form
    assert 'name="covariate_theft"' not in form
    # What is no model is said with place and reason.
    wrong: list[tuple[dict[str, str], str]] = [
        ({"covariate_sex": "number"}, ""),
        ({"covariate_age": "out", "covariate_sex": "out"}, "Choose at least one covariate."),
        (
            {"product1_second": "club"},
            "product: 'sex*club' is no product of two covariates: write it as age*sex",
        ),
        ({"product1_second": ""}, "product: 'sex*' is no product of two covariates"),
        ({"item": ""}, "This field is required."),
    ]
    for chosen, said in wrong:
        answer = specify(client, run, **chosen)
        assert answer.status_code == 422, chosen
        assert said in words(answer).replace("&#x27;", "'")
        assert not ModelJob.objects.exists()
    url = specify(client, run, among1="club=no").url
    job = ModelJob.objects.get()
    assert url == f"/app/runs/{run.pk}/models/1"
    assert job.specification == {
        "item": "theft=yes",
        "on": ["age", "sex"],
        "numbers": ["age"],
        "products": ["sex*age"],
        "among": ["club=no"],
        "logit": False,
    }
    text = shown(client, url)
    assert "Age (as a number), Sex" in text
    assert "Sex × Age" in text
    # Models have a number and no value in Chinese.
    listed = client.get(page(run), headers={"accept-language": "zh-hans"}).content.decode()
    assert 'class="number">编号</th>' in listed
    url = specify(client, run).url
    assert client.get(f"{url}/outcome").status_code == 204
    working.one(ModelJob.objects.get(number=2))
    assert "A reviewer reads its numbers first." in shown(client, f"{url}/outcome")


def test_more_coefficients_or_patterns_than_there_may_be_are_refused(
    client: Client, owner: Person, broker: object
) -> None:
    questions = [{"name": f"q{place}", "choices": [f"c{code}" for code in range(21)]} for place in range(3)]
    design = sealed.written({"kind": "plain", "questions": questions}, sealed.section("theft"))
    run = sealed.model_run(sealed.survey(owner, design, [300]), owner)
    client.force_login(owner)
    left_out = {f"covariate_q{place}": "out" for place in range(3)}
    chosen = {"item": "theft=yes", "formula": "linear", **left_out, "covariate_q0": "categories"}
    assert "make 21 coefficients, above 20" in words(client.post(page(run), chosen))
    wide = chosen | {"covariate_q1": "categories", "covariate_q2": "categories"}
    assert "have 9,261 combinations of choices, above 4,096" in words(client.post(page(run), wide))


def test_a_cell_below_the_floor_is_said_with_what_to_merge(
    client: Client, owner: Person, broker: object
) -> None:
    survey = sealed.model_survey(owner, batches=0)
    sealed.seal_for_models(survey, young=40)
    run = sealed.model_run(survey, owner)
    client.force_login(owner)
    specify(client, run, covariate_age="categories", product1_first="", product1_second="")
    working.one(ModelJob.objects.get())
    text = shown(client, f"{page(run)}/1").replace("&#x27;", "'")
    assert (
        "'age=18-39' has fewer than 50 records: merge 'age=18-39' with 'age=40-59', or leave it out" in text
    )


def test_who_may_specify_and_see_models(
    client: Client, run: Run, owner: Person, viewer: Person, stranger: Person
) -> None:
    sealed.model(run, owner)
    assert client.get(page(run)).status_code == 302
    for person, seen, posted in ((viewer, 200, 403), (stranger, 404, 404)):
        client.force_login(person)
        assert client.get(page(run)).status_code == seen
        assert client.get(f"{page(run)}/1").status_code == seen
        assert specify(client, run).status_code == posted
    client.force_login(owner)
    assert client.get(f"{page(run)}/2").status_code == 404
    assert client.delete(page(run)).status_code == 405
    assert client.post(f"{page(run)}/1").status_code == 405
    client.force_login(viewer)
    assert "Estimate the model" not in shown(client, page(run))


def test_nobody_but_a_reviewer_sees_numbers_before_publication(
    client: Client, run: Run, owner: Person, reviewer: Person, published: Review
) -> None:
    job = sealed.model(run, owner)
    records = f"{job.model.numbers['n']:,}"
    client.force_login(owner)
    assert "Read numbers" not in shown(client, f"{page(run)}/1")
    assert client.get(desk("models")).status_code in (302, 403)
    assert "No model was published" in shown(client, reader("models"))
    assert "Models" not in shown(client, reader("groups")).split("Itemsets")[1][:60]
    client.force_login(reviewer)
    text = shown(client, desk("models"))
    assert f"Records {records}" in text
    assert "Intercept" in text
    assert "age: 40-59" in text.lower()


def test_a_reviewer_decides_and_publishes_after_the_report(
    client: Client, run: Run, owner: Person, reviewer: Person, partial: Person, published: Review
) -> None:
    sealed.model(run, owner)
    for person in (owner, partial):
        client.force_login(person)
        for name in ("models/1/decide", "models/1/publish"):
            assert client.post(desk(name), {"verdict": "accept"}).status_code in (302, 403)
    assert not ModelDecision.objects.exists()
    client.force_login(reviewer)
    for name in ("decide", "publish"):
        assert client.get(desk(f"models/1/{name}")).status_code == 405
        assert client.post(desk(f"models/7/{name}")).status_code == 404
    client.post(desk("models/1/publish"))
    assert not ModelPublication.objects.exists()
    assert "Accept this model first" in shown(client, desk("models"))
    client.post(desk("models/1/decide"), {"verdict": "accept", "note": "sound"})
    assert ModelDecision.objects.get().note == "sound"
    assert "Publish model" in shown(client, desk("models"))
    client.post(desk("models/1/publish"))
    assert ModelPublication.objects.get().by == reviewer
    client.post(desk("models/1/decide"), {"verdict": "reject"})
    assert ModelDecision.objects.count() == 1
    client.force_login(owner)
    assert "Intercept" in shown(client, reader("models"))
    assert "Read numbers" in shown(client, f"{page(run)}/1")


def test_an_accepted_model_is_published_with_the_report_and_stands_in_its_files(
    client: Client, run: Run, owner: Person, reviewer: Person, review: Review
) -> None:
    for on in (["age"], ["sex"]):
        sealed.model(run, owner, item="theft=yes", on=on)
    client.force_login(reviewer)
    client.post(desk("models/1/decide"), {"verdict": "reject"})
    client.post(desk("models/2/decide"), {"verdict": "accept"})
    review.refresh_from_db()
    assert review.state == Review.State.IN_REVIEW
    made.publish(review, reviewer)
    assert [one.model.job.number for one in ModelPublication.objects.all()] == [2]
    client.force_login(owner)
    found = run.models.get(job__number=2).numbers["coefficients"]
    rows = from_csv(client, "model_coefficients")
    assert [(row["model"], row["of"], float(row["b"])) for row in rows] == [
        ("2", one["of"], one["b"]) for one in found
    ]
    (listed,) = from_json(client)["models"]
    assert (listed["model"], listed["on"], listed["coefficients"]) == (2, ["sex"], found)
    for kind in ("excel", "parquet"):
        assert client.get(reader(f"files/{kind}")).status_code == 200
    publishing.withdraw(review, reviewer, "wrong", "", NOW)
    assert client.get(reader("models")).status_code == 403


def test_the_page_says_whose_coefficients_they_are_and_what_is_assumed(
    client: Client, run: Run, owner: Person, reviewer: Person, review: Review
) -> None:
    sealed.model(run, owner)
    sealed.model(run, owner, **sealed.ON_BOTH, logit=True)
    client.force_login(reviewer)
    text = shown(client, desk("models"))
    for said in (
        "These coefficients are of people who chose disguise, not of all respondents.",
        "Records without disguise are left out",
        "Random answers make every difference look smaller.",
        "Test of fit: adding Age × Sex (2 coefficients)",
        "Age (2 coefficients), p",
        "Coefficient (percentage points)",
        "Coefficient (log odds)",
    ):
        assert said in text, said


def test_a_report_without_models_says_nothing_of_them(
    client: Client, owner: Person, published: Review
) -> None:
    client.force_login(owner)
    assert "models" not in from_json(client)
    assert "models.csv" not in bundle(client, "csv").namelist()


def test_a_run_under_way_has_no_page_of_models(
    client: Client, owner: Person, survey: Survey, run: Run
) -> None:
    Run.objects.filter(pk=run.pk).update(state="queued", finished=None)
    client.force_login(owner)
    assert client.get(page(run)).status_code == 404


def test_decisions_and_publications_go_with_their_run(
    run: Run, owner: Person, reviewer: Person, review: Review
) -> None:
    job = sealed.model(run, owner)
    judging.decide_model(review, reviewer, job.model, Decision.Verdict.ACCEPT, "", NOW)
    made.publish(review, reviewer)
    assert ModelPublication.objects.exists()
    for table in ("reports_modeldecision", "reports_modelpublication"):
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE {table} SET model_id = 7")
    Run.objects.filter(pk=run.pk).delete()
    assert not ModelDecision.objects.exists()
    assert not ModelPublication.objects.exists()
