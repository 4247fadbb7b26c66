"""One's own table on the site: uploaded, disguised and mined by a worker, read by its owner alone, gone after a day."""

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from importing.isolated_reader import MachineBusy, ReadersBusy
from intake.models import Sweep
from jobs import job_attempt
from jobs.models import Job, State
from mining.own_table import experiment as experiments_module
from mining.own_table.settings import Settings
from mining.own_table.table import MOST_BYTES, NO, YES
from mining.parameters import Parameters
from own_tables import experiments, reading_process
from own_tables.adult_example import ITEMS, adult_as_own_table
from own_tables.forms import SettingsForm
from own_tables.models import Experiment, OwnTable
from surveys.models import Survey
from surveys.signed_in_view import ROOM
from tests.cast import (
    As,
    cast,
    client,
    db,
    judging,
    owner,
    post_length,
    reading,
    reviewer,
    signed_in_as,
    stranger,
)
from tests.intake import asked
from tests.jobs.conftest import broker
from tests.releases.conftest import read_uploads_here

__all__ = ["broker", "cast", "client", "db", "judging", "owner", "reading"]
__all__ += ["reviewer", "signed_in_as", "stranger"]
pytestmark = [pytest.mark.page, pytest.mark.django_db]
CSV = "theft,lie,age\n" + "yes,yes,18\nyes,no,19\nno,no,20\nno,yes,20\nno,no,18\n" * 60
PARAMETERS = {"keep": "0.5", "open_share": "0.2", "theta": "0.6", "group_size": "2"}
PARAMETERS |= {"min_support": "0.1", "min_confidence": "0.5", "estimator": "pooled"}
TABLES = "/app/surveys/own-tables/"
CURVES = experiments_module.CURVES


def shorten_curves(monkeypatch: pytest.MonkeyPatch, points: int) -> None:
    short = {varied: values[:points] for varied, values in CURVES.items()}
    monkeypatch.setattr(experiments_module, "CURVES", short)


@pytest.fixture(autouse=True)
def read_here(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """All but the tests of the process itself read an upload without one."""
    if not request.node.get_closest_marker("server"):
        read_uploads_here(monkeypatch, reading_process.read_table)


@pytest.fixture(autouse=True)
def short_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Curves of one point, and everything once, for the pages alone; tests/mining/own_table computes them whole."""
    shorten_curves(monkeypatch, 1)
    monkeypatch.setattr(experiments_module, "REPETITIONS", 1)
    monkeypatch.setattr(experiments_module, "POINT_REPETITIONS", 1)


def post_table(client: Client, content: str, **more: str) -> Any:
    file = SimpleUploadedFile("own.csv", content.encode(), "text/csv")
    return client.post(TABLES, {"file": file, **PARAMETERS, **more})


def upload(client: Client, content: str = CSV, **more: str) -> str:
    """The address of the table's page."""
    answer = post_table(client, content, **more)
    assert answer.status_code == 302, answer.text
    return str(answer["Location"])


def refusal(client: Client, content: str, **more: str) -> str:
    answer = post_table(client, content, **more)
    assert answer.status_code == 422
    assert not OwnTable.objects.exists()
    return str(answer.text)


def survey_of(owner: Person, *yes: str) -> Survey:
    """Of sensitive questions with these chances of yes by noise."""
    questions = [
        {"name": f"q{number}", "choices": ["no", "yes"], "noise": [f"{1 - float(of):.2f}", of]}
        for number, of in enumerate(yes)
    ]
    section = {"kind": "unrelated-question", "keep": "0.4", "questions": questions}
    return asked.survey(asked.make_design(section, rehearsal=True, open_answers=True), owner=owner)


def rows_of(client: Client, page: str, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get(f"{page}files/{name}.csv").text)))


def test_own_table_is_disguised_mined_and_shown_with_its_files(
    reading: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorten_curves(monkeypatch, 2)
    page = upload(reading)
    assert reading.get(f"{page}outcome").status_code == 204
    assert "waiting" in reading.get(page).text.lower()
    assert job_attempt.attempt_next_job()
    text = reading.get(page).text
    same = "mlxtend and Candor’s engine find the same"
    words = ("What the disguise keeps", "theft=yes", "gamma is", same)
    assert [each for each in words if each not in text] == []
    assert text.count("<svg") >= 12
    assert reading.get(f"{page}outcome").status_code == 200
    everything = json.loads(reading.get(f"{page}files/result.json").content)
    said = everything["format"], everything["rows"], everything["settings"]["keep"]
    assert said == ("candor-own-table/1", 300, 0.5)
    rules = rows_of(reading, page, "rules")
    assert len(rules) == len(everything["rules"])
    assert {rule["outcome"] for rule in rules} <= {"found", "missed", "false"}
    varied = {line["varied"] for line in rows_of(reading, page, "curves")}
    assert varied == {"keep", "open_share", "theta", "rows"}
    assert reading.get(f"{page}files/other").status_code == 404


def test_only_chosen_columns_of_few_values_are_stored(reading: Client) -> None:
    names = "\n".join(f"{'yes' if row % 2 else 'no'},Person {row}" for row in range(200))
    page = upload(reading, "theft,name\n" + names)
    table = OwnTable.objects.get()
    assert [column["name"] for column in table.columns] == ["theft"]
    assert "Person 7" not in json.dumps([table.columns, table.omitted])
    assert table.as_table().codes[0, :3].tolist() == [0, 1, 0]
    assert "1 column cannot be disguised" in reading.get(page).text
    upload(reading, columns="lie, theft")
    assert [column["name"] for column in OwnTable.objects.latest("pk").columns] == ["theft", "lie"]


def test_new_parameters_replace_the_experiment_and_all_is_deleted_after_a_day(reading: Client) -> None:
    page = upload(reading)
    assert "under way already" in reading.post(f"{page}again", PARAMETERS, follow=True).text
    job_attempt.attempt_next_job()
    assert reading.post(f"{page}again", {**PARAMETERS, "keep": "2"}).status_code == 422
    assert reading.post(f"{page}again", {**PARAMETERS, "keep": "0.7"})["Location"] == page
    job_attempt.attempt_next_job()
    assert Experiment.objects.get().settings["keep"] == 0.7
    assert Job.objects.count() == 1
    experiments.delete_expired_tables(timezone.now())
    assert OwnTable.objects.exists()
    experiments.delete_expired_tables(timezone.now() + timedelta(days=1, minutes=1))
    assert not OwnTable.objects.exists()
    assert not Job.objects.exists()
    swept = set(Sweep.objects.values_list("table", flat=True))
    assert {"own_tables_owntable", "own_tables_experiment", "jobs_job"} <= swept
    assert reading.get(page).status_code == 404


def test_own_table_from_before_the_clock_was_set_back_stays_no_longer(reading: Client) -> None:
    upload(reading)
    now, day = timezone.now(), timedelta(days=1)
    OwnTable.objects.update(created=now + 30 * day)
    experiments.delete_expired_tables(now)
    assert OwnTable.objects.get().created == now
    experiments.delete_expired_tables(now + day)
    assert not OwnTable.objects.exists()


def test_cancelled_experiment_leaves_its_table(reading: Client) -> None:
    page = upload(reading)
    job = Experiment.objects.get()
    assert f'href="{page}"' in reading.get(f"/app/jobs/own_tables.experiment/{job.pk}/progress").text
    reading.post(f"/app/jobs/own_tables.experiment/{job.pk}/cancel")
    job_attempt.attempt_next_job()
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert "Disguise and mine again" in reading.get(page).text


def test_bad_own_table_is_refused_with_a_remedy(reading: Client) -> None:
    assert "write numbers as classes" in refusal(reading, "a\n" + "\n".join(map(str, range(200))))
    assert "nothing can be estimated from fewer than 100" in refusal(reading, "a\nyes\n")
    assert "name columns as the first line does" in refusal(reading, CSV, columns="theft, wage")
    assert "Choose a file" in reading.post(TABLES, PARAMETERS).text


@pytest.mark.parametrize(("reason", "seconds"), [(ReadersBusy, "10"), (MachineBusy, "30")])
def test_own_table_that_cannot_be_read_yet_is_asked_to_return(
    reading: Client, monkeypatch: pytest.MonkeyPatch, reason: type[ReadersBusy], seconds: str
) -> None:
    def raise_busy_reason(*_given: object) -> None:
        raise reason

    monkeypatch.setattr(experiments, "read_upload", raise_busy_reason)
    answer = post_table(reading, CSV)
    assert (answer.status_code, answer["Retry-After"]) == (503, seconds)
    assert "Try again in" in answer.text


def test_too_long_own_table_is_not_read(reading: Client) -> None:
    assert post_length(reading, TABLES, MOST_BYTES + ROOM + 1) == 413
    assert post_length(reading, TABLES, MOST_BYTES + ROOM) == 422


def test_own_table_form_of_another_site_stores_nothing(owner: Person) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert post_table(client, CSV).status_code == 403
    assert not OwnTable.objects.exists()


def test_person_keeps_at_most_five_own_tables_and_may_delete_them(
    reading: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert experiments.MOST_AT_ONCE == 5
    monkeypatch.setattr(experiments, "MOST_AT_ONCE", 1)
    page = upload(reading)
    assert "Delete one first" in reading.post(TABLES, {**PARAMETERS, "adult": "1"}).text
    assert "are deleted" in reading.post(f"{page}delete", follow=True).text
    assert not OwnTable.objects.exists()
    assert not Job.objects.exists()


def test_own_table_is_seen_by_its_owner_only(
    reading: Client, stranger: Person, judging: Client, signed_in_as: As
) -> None:
    page = upload(reading)
    for path in ("", "outcome", "files/result.json"):
        assert signed_in_as(stranger).get(page + path).status_code == 404
        assert judging.get(page + path).status_code == 404
        assert "/app/account/sign-in" in Client().get(page + path)["Location"]
    for path in ("again", "delete"):
        assert signed_in_as(stranger).post(page + path, PARAMETERS).status_code == 404
    assert judging.get(TABLES).status_code == 403
    assert "own.csv" not in Experiment.objects.get().title_among_all()


def test_survey_provides_its_parameters(
    reading: Client, owner: Person, stranger: Person, signed_in_as: As
) -> None:
    survey = survey_of(owner, "0.7", "0.7")
    address = f"{TABLES}?survey={survey.pk}"
    initial = reading.get(address).context["form"].initial
    assert (initial["keep"], initial["theta"], initial["group_size"]) == (0.4, 0.7, 2)
    assert address in reading.get(f"/app/surveys/{survey.pk}/rehearse").text
    assert signed_in_as(stranger).get(address).status_code == 404


def test_adult_table_is_available_as_thirteen_items(reading: Client) -> None:
    reading.post(TABLES, {**PARAMETERS, "adult": "1"})
    table = OwnTable.objects.get().as_table()
    assert (table.rows, len(table.columns)) == (30_162, 13)
    assert {column.values for column in table.columns} == {(NO, YES)}
    shares = dict(zip(ITEMS, adult_as_own_table().codes.mean(axis=1).round(3).tolist(), strict=True))
    assert shares["male"] == 0.676
    assert shares["more than 50K"] == 0.249
    assert min(shares.values()) > 0


@pytest.mark.server
def test_reading_process_reads_the_uploaded_table(reading: Client) -> None:
    upload(reading)
    assert OwnTable.objects.get().rows == 300


def test_settings_default_to_those_of_the_documents(reading: Client, owner: Person) -> None:
    initial = reading.get(TABLES).context["form"].initial
    assert (initial["keep"], initial["open_share"], initial["theta"]) == (0.3, 0.2, 0.6)
    assert Settings().mining_parameters.estimator == "pooled"
    of_survey = reading.get(f"{TABLES}?survey={survey_of(owner, '0.98').pk}").context["form"]
    assert of_survey.initial["theta"] == 0.6


def test_strength_in_words_is_that_of_a_survey_for_the_columns() -> None:
    """From 1 in 20 to 1 in 2 the odds rise 19-fold: p/(1 - p) = 18 · .5² = 4.5 for two yes/no columns."""
    initial = SettingsForm().initial
    assert initial["strength"] == "balanced"
    form = SettingsForm({**initial, "group_size": 2})
    assert form.is_valid()
    assert (form.settings().keep, form.settings().theta) == (0.8182, 0.5)


def test_too_many_itemsets_end_the_experiment_with_a_remedy(
    reading: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a search stops at its limit, recall would count what was never looked for."""
    few = Parameters(0.1, 0.5, "pooled", most=1)
    monkeypatch.setattr(Settings, "mining_parameters", property(lambda _settings: few))
    page = upload(reading)
    job_attempt.attempt_next_job()
    assert "choose a higher smallest support, or fewer columns" in reading.get(page).text
    assert not Experiment.objects.get().result
