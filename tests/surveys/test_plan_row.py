"""A frozen plan stays: neither the model nor the database changes or removes it."""

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.insert_only import WrittenOnce
from accounts.models import Person
from surveys.models import Plan, Survey

pytestmark = [pytest.mark.django_db, pytest.mark.page]

ATTACKS = {
    "change": "UPDATE surveys_plan SET json = '{}'",
    "give it to another survey": "UPDATE surveys_plan SET survey_id = survey_id + 1",
    "delete": "DELETE FROM surveys_plan",
    "replace": "INSERT OR REPLACE INTO surveys_plan (survey_id, json) SELECT survey_id, '{}' FROM surveys_plan",
    "upsert": """INSERT INTO surveys_plan (survey_id, json) SELECT survey_id, '{}' FROM surveys_plan WHERE 1
        ON CONFLICT (survey_id) DO UPDATE SET json = '{}'""",
}


@pytest.fixture
def plan(opened: Survey) -> Plan:
    return Plan.objects.create(survey=opened, json="{frozen}")


@pytest.mark.parametrize("statement", ATTACKS.values(), ids=ATTACKS)
def test_the_database_refuses(plan: Plan, statement: str) -> None:
    with (
        pytest.raises(IntegrityError, match="insert-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert Plan.objects.get().json == "{frozen}"


def test_the_model_refuses(plan: Plan) -> None:
    for change in (plan.save, plan.delete, Plan.objects.all().delete, lambda: Plan.objects.update(json="{}")):
        with pytest.raises(WrittenOnce):
            change()


def test_a_survey_has_no_plan_or_one(plan: Plan, owner: Person) -> None:
    assert plan.survey.plan == plan
    assert not hasattr(Survey.objects.create(owner=owner), "plan")
    with pytest.raises(IntegrityError), transaction.atomic():
        Plan.objects.create(survey=plan.survey, json="{other}")
