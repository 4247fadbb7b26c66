"""Models: researchers specify them, reviewers decide and publish, readers get an e-mail and published numbers alone."""

import json
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client

from accounts.models import History, Person
from jobs.models import State
from reports.models import Decision, ModelDecision, ModelPublication, Review
from reports.review import regression_decisions as judging, report_state_changes
from runs.models import Model, ModelJob, Run
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.reports import made
from tests.reports.conftest import (
    SITE,
    Sent,
    bundle,
    desk_page,
    from_csv,
    from_json,
    page_text,
    reader,
    words,
)
from tests.runs import sealed
from tests.runs.sealed import Folder
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]


@pytest.fixture
def reviewer_client(reviewer: Person, signed_in_as: As) -> Client:
    """As `judging`, which is the module of that name here."""
    return signed_in_as(reviewer)


CHOSEN = {"item": "theft=yes", "formula": "linear", "covariate_age": "number", "covariate_sex": "categories"}
CHOSEN |= {"covariate_club": "out", "product1_first": "sex", "product1_second": "age"}


@pytest.fixture
def survey(owner: Person) -> Survey:
    return sealed.model_survey(owner)


@pytest.fixture
def run(survey: Survey, owner: Person, broker: object) -> Run:
    return sealed.model_run(survey, owner)


@pytest.fixture
def published_review(review: Review, reviewer: Person) -> Review:
    """The report with its shares, before any model."""
    made.publish(review, reviewer)
    return review


def page(run: Run) -> str:
    return f"/app/runs/{run.pk}/models"


def specify_model(client: Client, run: Run, **chosen: str) -> Any:
    return client.post(page(run), CHOSEN | chosen)


def test_a_researcher_specifies_a_model_from_lists_and_follows_its_job(reading: Client, run: Run) -> None:
    form = reading.get(page(run)).content.decode()
    assert 'value="theft=yes"' in form
    assert 'name="covariate_theft"' not in form
    # What is no model is said with place and reason.
    wrong: list[tuple[dict[str, str], str]] = [
        ({"covariate_sex": "number"}, ""),
        ({"covariate_age": "out", "covariate_sex": "out"}, "Choose at least one covariate."),
        ({"product1_second": "club"}, "'sex*club' is no product of two covariates: write it as age*sex"),
        ({"product1_second": ""}, "product: 'sex*' is no product of two covariates"),
        ({"item": ""}, "This field is required."),
    ]
    for chosen, said in wrong:
        answer = specify_model(reading, run, **chosen)
        assert answer.status_code == 422, chosen
        assert said in words(answer).replace("&#x27;", "'")
        assert not ModelJob.objects.exists()
    url = specify_model(reading, run, among1="club=no").url
    job = ModelJob.objects.get()
    assert url == f"/app/runs/{run.pk}/models/1"
    specified = {"on": ["age", "sex"], "numbers": ["age"], "products": ["sex*age"], "among": ["club=no"]}
    assert job.specification == {"item": "theft=yes", **specified, "logit": False}
    text = page_text(reading, url)
    assert "Age (as a number), Sex" in text
    assert "Sex × Age" in text
    # Models have a number and no value in Chinese.
    listed = reading.get(page(run), headers={"accept-language": "zh-hans"}).content.decode()
    assert 'class="number">编号</th>' in listed
    url = specify_model(reading, run).url
    before = page_text(reading, url)
    assert "waits for a reviewer" in before
    sealed.perform_one(ModelJob.objects.get(number=2))
    assert page_text(reading, url) == before
    assert "hx-get" not in reading.get(url).content.decode()


def test_model_with_small_cells_or_many_patterns_is_refused(
    owner: Person, reading: Client, reviewer_client: Client, broker: object
) -> None:
    survey = sealed.model_survey(owner, batches=0)
    sealed.seal_for_models(survey, young=40)
    run = sealed.model_run(survey, owner)
    specify_model(reading, run, covariate_age="categories", product1_first="", product1_second="")
    sealed.perform_one(ModelJob.objects.get())
    made.waiting_review(run)
    text = page_text(reviewer_client, f"/app/admin/reports/review/{run.pk}/models").replace("&#x27;", "'")
    merged = "merge 'age=18-39' with 'age=40-59', or leave it out"
    assert f"'age=18-39' has fewer than 50 records: {merged}" in text
    questions = [{"name": f"q{place}", "choices": [f"c{code}" for code in range(21)]} for place in range(3)]
    design = sealed.make_design({"kind": "plain", "questions": questions}, sealed.section("theft"))
    run = sealed.model_run(sealed.survey(owner, design, [300]), owner)
    left_out = {f"covariate_q{place}": "out" for place in range(3)}
    chosen = {"item": "theft=yes", "formula": "linear", **left_out, "covariate_q0": "categories"}
    assert "make 21 coefficients, above 20" in words(reading.post(page(run), chosen))
    wide = chosen | {"covariate_q1": "categories", "covariate_q2": "categories"}
    assert "have 9,261 combinations of choices, above 4,096" in words(reading.post(page(run), wide))


def test_model_pages_are_for_permitted_people(
    client: Client, run: Run, owner: Person, viewer: Person, stranger: Person
) -> None:
    sealed.model(run, owner)
    assert client.get(page(run)).status_code == 302
    for person, seen, posted in ((viewer, 200, 403), (stranger, 404, 404)):
        client.force_login(person)
        assert client.get(page(run)).status_code == seen
        assert client.get(f"{page(run)}/1").status_code == seen
        assert specify_model(client, run).status_code == posted
    client.force_login(owner)
    assert client.get(f"{page(run)}/2").status_code == 404
    assert client.delete(page(run)).status_code == 405
    assert client.post(f"{page(run)}/1").status_code == 405
    client.force_login(viewer)
    assert "Estimate the model" not in page_text(client, page(run))
    # A run under way has no page of models.
    Run.objects.filter(pk=run.pk).update(state="queued", finished=None)
    client.force_login(owner)
    assert client.get(page(run)).status_code == 404


def test_nobody_but_a_reviewer_sees_numbers_before_publication(
    client: Client, run: Run, owner: Person, reviewer: Person, published_review: Review
) -> None:
    job = sealed.model(run, owner)
    records = f"{job.model.numbers['n']:,}"
    client.force_login(owner)
    assert "Read numbers" not in page_text(client, f"{page(run)}/1")
    assert "Specify another model" in page_text(client, f"{page(run)}/1")
    assert client.get(desk_page("models")).status_code in (302, 403)
    # A report without models says nothing of them.
    assert "models" not in from_json(client)
    assert "models.csv" not in bundle(client, "csv").namelist()
    assert "No model was published" in page_text(client, reader("models"))
    assert "Models" not in page_text(client, reader("groups")).split("itemsets)")[1][:60]
    client.force_login(reviewer)
    assert "Specify another model" not in page_text(client, f"{page(run)}/1")
    text = page_text(client, desk_page("models"))
    assert f"Records {records}" in text
    assert "Intercept" in text
    assert "age: 40-59" in text.lower()


def test_a_reviewer_decides_and_publishes_after_the_report(
    client: Client, run: Run, owner: Person, reviewer: Person, partial: Person, published_review: Review
) -> None:
    sealed.model(run, owner)
    for person in (owner, partial):
        client.force_login(person)
        for name in ("models/1/decide", "models/1/publish"):
            assert client.post(desk_page(name), {"verdict": "accept"}).status_code in (302, 403)
    assert not ModelDecision.objects.exists()
    client.force_login(reviewer)
    for name in ("decide", "publish"):
        assert client.get(desk_page(f"models/1/{name}")).status_code == 405
        assert client.post(desk_page(f"models/7/{name}")).status_code == 404
    client.post(desk_page("models/1/publish"))
    assert not ModelPublication.objects.exists()
    assert "Accept this model first" in page_text(client, desk_page("models"))
    client.post(desk_page("models/1/decide"), {"verdict": "accept", "note": "sound"})
    assert ModelDecision.objects.get().note == "sound"
    assert "Publish model" in page_text(client, desk_page("models"))
    client.post(desk_page("models/1/publish"))
    assert ModelPublication.objects.get().by == reviewer
    client.post(desk_page("models/1/decide"), {"verdict": "reject"})
    assert ModelDecision.objects.count() == 1
    client.force_login(owner)
    assert "Intercept" in page_text(client, reader("models"))
    assert "Read numbers" in page_text(client, f"{page(run)}/1")


def test_exported_files_hold_the_model(
    client: Client, run: Run, owner: Person, reviewer: Person, review: Review
) -> None:
    for on in (["age"], ["sex"]):
        sealed.model(run, owner, item="theft=yes", on=on)
    client.force_login(reviewer)
    client.post(desk_page("models/1/decide"), {"verdict": "reject"})
    client.post(desk_page("models/2/decide"), {"verdict": "accept"})
    review.refresh_from_db()
    assert review.state == Review.State.IN_REVIEW
    made.publish(review, reviewer)
    assert [one.model.job.number for one in ModelPublication.objects.all()] == [2]
    client.force_login(owner)
    found = run.models.get(job__number=2).numbers["coefficients"]
    rows = from_csv(client, "model_coefficients")
    coefficients = [("2", one["of"], one["b"]) for one in found]
    assert [(row["model"], row["of"], float(row["b"])) for row in rows] == coefficients
    (listed,) = from_json(client)["models"]
    assert (listed["model"], listed["on"], listed["coefficients"]) == (2, ["sex"], found)
    for kind in ("excel", "parquet"):
        assert client.get(reader(f"files/{kind}")).status_code == 200
    report_state_changes.withdraw(review, reviewer, "wrong", "", NOW)
    assert client.get(reader("models")).status_code == 403


@pytest.fixture
def unfitted_model(published_review: Review, run: Run, owner: Person) -> Model:
    found: Model = sealed.model(run, owner, item="theft=yes", on=["sex"], among=["sex=f"]).model
    return found


def test_a_model_that_could_not_be_fitted_waits_like_any_other_and_is_rejected(
    client: Client, run: Run, owner: Person, reviewer: Person, unfitted_model: Model
) -> None:
    sealed.model(run, owner)
    assert [job.state for job in run.model_jobs.all()] == [State.DONE] * 2
    client.force_login(owner)
    assert page_text(client, page(run)).count("waits for a reviewer") == 2
    client.force_login(reviewer)
    assert "'sex' is constant: all records have 'sex=f'" in page_text(client, desk_page("models")).replace(
        "&#x27;", "'"
    )
    answer = client.post(desk_page("models/1/decide"), {"verdict": "accept"}, follow=True)
    assert "could not be fitted" in words(answer)
    assert not ModelDecision.objects.exists()
    client.post(desk_page("models/1/decide"), {"verdict": "reject"})
    assert ModelDecision.objects.get().model == unfitted_model


def test_editors_see_what_became_of_models_when_the_next_one_is_published(
    client: Client, run: Run, owner: Person, reviewer: Person, published_review: Review, unfitted_model: Model
) -> None:
    for _model in ("fitted", "undecided"):
        sealed.model(run, owner, item="theft=yes", on=["sex"], numbers=[], logit=_model == "fitted")
    client.force_login(owner)
    before = [page_text(client, f"{page(run)}{more}") for more in ("", "/1", "/2")]
    acts = History.objects.about(run.survey).count()
    client.force_login(reviewer)
    client.post(desk_page("models/1/decide"), {"verdict": "reject", "note": "Too narrow."})
    client.post(desk_page("models/2/decide"), {"verdict": "accept"})
    client.force_login(owner)
    assert [page_text(client, f"{page(run)}{more}") for more in ("", "/1", "/2")] == before
    assert History.objects.about(run.survey).count() == acts
    client.force_login(reviewer)
    client.post(desk_page("models/2/publish"))
    client.force_login(owner)
    states = [page_text(client, f"{page(run)}/{number}") for number in (1, 2, 3)]
    said = [
        [word in text for word in ("not published", "Read numbers", "waits for a reviewer")]
        for text in states
    ]
    assert said == [[True, False, False], [False, True, False], [False, False, True]]
    notes = [*History.objects.about(run.survey).order_by("pk").values_list("note", flat=True)[acts:]]
    assert notes == [
        "Model 2 of Run 1.",
        "Model 1 of Run 1: rejected. Too narrow.",
        "Model 2 of Run 1: accepted.",
    ]


def test_a_withdrawn_report_ends_the_wait(
    run: Run, owner: Person, reviewer: Person, published_review: Review, reading: Client
) -> None:
    sealed.model(run, owner)
    report_state_changes.withdraw(published_review, reviewer, "wrong", "", NOW)
    assert "not published" in page_text(reading, f"{page(run)}/1")


def test_model_page_states_its_assumptions(
    client: Client, run: Run, owner: Person, reviewer: Person, review: Review
) -> None:
    sealed.model(run, owner)
    sealed.model(run, owner, **sealed.ON_BOTH, logit=True)
    client.force_login(reviewer)
    text = page_text(client, desk_page("models"))
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


def test_decisions_go_with_their_run(run: Run, owner: Person, reviewer: Person, review: Review) -> None:
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


@pytest.fixture
def model(published_review: Review, run: Run, owner: Person, reviewer: Person) -> Model:
    """Accepted, of a run whose report is published."""
    found: Model = sealed.model(run, owner).model
    judging.decide_model(published_review, reviewer, found, Decision.Verdict.ACCEPT, "", NOW)
    return found


def test_those_who_work_on_the_survey_get_one_email_that_names_the_model_and_leads_to_it(
    emails_sent_by: Sent,
    published_review: Review,
    model: Model,
    reviewer: Person,
    viewer: Person,
    reading: Client,
) -> None:
    viewer.language = "zh-hans"
    viewer.save(update_fields=["language"])

    def publish(of: Model = model) -> None:
        judging.publish_model(published_review, reviewer, of, SITE, NOW)

    email, in_chinese = emails_sent_by(publish)
    assert (email.to, in_chinese.to) == (["owner@example.org"], ["viewer@example.org"])
    assert str(email.subject).startswith("A model is published: ")
    assert str(in_chinese.subject).startswith("模型已发布：")
    assert "Model 1 of Run 1" in email.body
    # It says nothing that the model found.
    for said in ("theft", "sex", "age", f"{model.numbers['n']}", "%"):
        assert said not in f"{email.subject} {email.body}".lower().replace("message", ""), said
    path = f"/app/reports/{published_review.pk}/models"
    assert f"{SITE}{path}#model-1\n" in email.body
    assert 'id="model-1"' in reading.get(path).content.decode()
    # A model that is not published sends none.
    with pytest.raises(NotAllowed, match="is not published again"):
        publish()
    again = sealed.model(model.run, model.run.survey.owner, item="theft=yes", on=["sex"]).model
    with pytest.raises(NotAllowed, match="Accept this model first"):
        publish(again)
    # Withdrawing the report sends one email for it and its models.
    email, _ = emails_sent_by(
        lambda: report_state_changes.withdraw(published_review, reviewer, "Forged records.", SITE, NOW)
    )
    assert "Forged records.\n\nIts models are withdrawn with it.\n\nhttp" in email.body


def test_the_button_sends_it_with_the_sites_address_and_what_is_rolled_back_sends_none(
    emails_sent_by: Sent, published_review: Review, model: Model, reviewer: Person, client: Client
) -> None:
    def roll_back() -> None:
        with transaction.atomic():
            judging.publish_model(published_review, reviewer, model, SITE, NOW)
            transaction.set_rollback(True)

    assert emails_sent_by(roll_back) == []
    client.force_login(reviewer)
    pages: list[str] = []
    (email,) = emails_sent_by(
        lambda: pages.append(client.post(desk_page("models/1/publish"), follow=True).content.decode())
    )
    assert "Model published. The people who work on the survey get an email." in pages[0]
    assert "http://testserver/app/reports/" in email.body


def test_report_and_model_share_one_email(
    run: Run, review: Review, owner: Person, reviewer: Person, emails_sent_by: Sent
) -> None:
    judging.decide_model(review, reviewer, sealed.model(run, owner).model, Decision.Verdict.ACCEPT, "", NOW)
    (email,) = emails_sent_by(lambda: report_state_changes.publish(review, reviewer, [], SITE, NOW))
    assert str(email.subject).startswith("A report is published: ")


def test_a_model_by_arm_has_the_numbers_of_the_command_on_the_same_records(
    owner: Person, run: Run, reading: Client, reviewer_client: Client, folder: Folder
) -> None:
    assert "covariate_arm" not in reading.get(page(run)).content.decode()
    survey = sealed.study_survey(owner, sealed.study(), [500, 300])
    by_arm = sealed.model_run(survey, owner)
    chosen = {"item": "theft=yes", "formula": "linear", "product1_first": "arm", "product1_second": "age"}
    chosen |= {"covariate_age": "categories", "covariate_arm": "categories"}
    chosen |= {"covariate_moon": "out", "covariate_version": "out"}
    assert reading.post(page(by_arm), chosen).status_code == 302
    job = ModelJob.objects.get()
    sealed.perform_one(job)
    job.refresh_from_db()
    assert job.state == State.DONE, job.problem
    sealed.write_files(survey, folder.folder)
    asked = ("--item", "theft=yes", "--on", "age", "--on", "arm", "--product", "arm*age")
    said = folder.run("model", "design.json", "records.csv", *asked).output
    found = json.loads(json.dumps(job.model.numbers))
    assert [one["of"] for one in found["coefficients"]] == ["1", "age=old", "arm", "age=old*arm"]
    assert (found["n"], found["patterns"]) == (said["n"], said["patterns"]) == (800, 4)
    for one, other in zip(found["coefficients"], said["coefficients"], strict=True):
        numbers = {name: other[name] for name in ("b", "se", "low", "high", "p")}
        assert one == other | {name: pytest.approx(n, rel=0, abs=1e-12) for name, n in numbers.items()}
    # The page says in words what it assumes.
    text = page_text(reviewer_client, desk_page("models", made.waiting_review(by_arm)))
    for assumed in (
        "Age, Arm (asked directly or disguised), Arm (asked directly or disguised) × Age",
        "Age: old × Disguised arm",
        "Whether more is truer is an assumption",
    ):
        assert assumed in text, assumed
