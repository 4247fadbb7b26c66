"""Runs are numbered survey by survey; addresses hold the primary key, in which a crash of PostgreSQL leaves gaps."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client

from accounts.models import Person
from reports.models import Backtest
from reports.review import build_content
from runs import run_start
from runs.models import Run
from surveys.models import Survey
from tests.runs import sealed
from tests.runs.conftest import Ran
from tests.runs.test_starting import WANTED
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def leave_a_gap() -> None:
    """As a crash of PostgreSQL does, which takes 33 numbers in advance."""
    last = Run.objects.order_by("-pk").values_list("pk", flat=True)[0]
    with connection.cursor() as cursor:
        cursor.execute("UPDATE sqlite_sequence SET seq = %s WHERE name = 'jobs_job'", [last + 33])


def test_each_survey_counts_its_runs_from_one(survey: Survey, owner: Person, ran: Ran) -> None:
    other = sealed.survey(owner, sealed.small(), [300])
    numbers = []
    for of in (survey, other, survey, survey, other):
        run = ran(of)
        numbers.append((run.survey_id == survey.pk, run.number, str(run)))
        leave_a_gap()
    assert [number for _ours, number, _title in numbers] == [1, 1, 2, 3, 2]
    assert numbers[3] == (True, 3, "Run 3")
    assert Run.objects.latest("pk").pk > 100


def test_a_repetition_has_the_next_number(owner: Person, ran: Ran) -> None:
    again = run_start.repeat(ran(), owner, NOW)
    assert again.number == 2


def test_no_number_is_given_twice(survey: Survey, owner: Person) -> None:
    run = run_start.start(survey, owner, WANTED, NOW)
    given = {"created": NOW, "queued": NOW, "parameters": {}}
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.create(survey=survey, number=run.number, through=1, records=1, **given)


def test_pages_letters_and_files_say_the_number_and_addresses_the_key(
    survey: Survey, ran: Ran, reading: Client
) -> None:
    ran()
    leave_a_gap()
    run = ran()
    assert (run.number, run.get_absolute_url()) == (2, f"/app/runs/{run.pk}/")
    page = reading.get(run.get_absolute_url()).content.decode()
    assert "Run 2" in page
    assert f"Run {run.pk}" not in page
    assert build_content.build_about(run).run == 2
    assert Backtest(run=run).title() == "Backtest of Run 2"


def test_where_runs_of_all_surveys_stand_together_they_are_told_apart(
    survey: Survey, ran: Ran, superuser: Person, client: Client
) -> None:
    run = ran()
    assert run.title_among_all() == f"Run 1 of “{survey}”"
    client.force_login(superuser, "django.contrib.auth.backends.ModelBackend")
    Run.objects.update(created=NOW + timedelta(days=1))
    assert f"Run 1 of “{survey}”" in client.get("/app/jobs/").content.decode()
