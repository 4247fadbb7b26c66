"""No change gets through to what was opened: not by the model, not by the database, not behind its triggers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from accounts.insert_only_tables import WrittenOnce
from accounts.models import Person
from surveys import triggers
from surveys.models import Design, DesignChanged, Plan, Survey
from tests import servers
from tests.cast import As
from tests.intake.live_survey import shell

pytestmark = [pytest.mark.django_db, pytest.mark.page]

# What a determined person at the database's prompt would try. Each names its refusal.
ATTACKS = {
    "change the design": ("UPDATE surveys_design SET json = '{}'", "insert-only"),
    "change its name": ("UPDATE surveys_design SET fingerprint = 'f'", "insert-only"),
    "delete the design": ("DELETE FROM surveys_design", "insert-only"),
    "replace the design": (
        "INSERT OR REPLACE INTO surveys_design (fingerprint, json) SELECT fingerprint, '{}' FROM surveys_design",
        "insert-only",
    ),
    "replace it by its hidden row": (
        "INSERT OR REPLACE INTO surveys_design (rowid, fingerprint, json) SELECT rowid, 'f', '' FROM surveys_design",
        "insert-only",
    ),
    "upsert the design": (
        """INSERT INTO surveys_design (fingerprint, json) SELECT fingerprint, '{}' FROM surveys_design WHERE 1
        ON CONFLICT (fingerprint) DO UPDATE SET json = '{}'""",
        "insert-only",
    ),
    "point to another": ("UPDATE surveys_survey SET design_id = 'f'", "gets its design once"),
    "take it away": ("UPDATE surveys_survey SET design_id = NULL, state = 'draft'", "gets its design once"),
    "change the draft": ("UPDATE surveys_survey SET draft = '{}'", "what an opened survey asks stays"),
    "ask others": ("UPDATE surveys_survey SET invited = 1", "what an opened survey asks stays"),
    "change when": ("UPDATE surveys_survey SET opens = '2026-01-01'", "what an opened survey asks stays"),
    "give another code": (
        "UPDATE surveys_survey SET completion = 'OTHER'",
        "what an opened survey asks stays",
    ),
    "move the address": ("UPDATE surveys_survey SET slug = 'elsewhere'", "address stay"),
    "give it away": ("UPDATE surveys_survey SET owner_id = owner_id + 1", "address stay"),
    "put destruction back": ("UPDATE surveys_survey SET destroy_on = '2100-01-01'", "never put back"),
    "forget destruction": ("UPDATE surveys_survey SET destroy_on = NULL", "never put back"),
    "delete the survey": ("DELETE FROM surveys_survey", "leaves a row behind"),
    "replace the survey": (
        """INSERT OR REPLACE INTO surveys_survey (id, owner_id, draft, state, invited, slug)
        SELECT id, owner_id, '{}', 'draft', 0, 'other' FROM surveys_survey""",
        "there already",
    ),
    "replace it by its address": (
        """INSERT OR REPLACE INTO surveys_survey (owner_id, draft, state, invited, slug)
        SELECT owner_id, '{}', 'draft', 0, slug FROM surveys_survey""",
        "there already",
    ),
}


def rows() -> list[object]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM surveys_design")
        found = cursor.fetchall()
        cursor.execute("SELECT * FROM surveys_survey ORDER BY id")
        return [*found, *cursor.fetchall()]


def execute(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize(("statement", "reason"), ATTACKS.values(), ids=ATTACKS)
def test_the_database_refuses(opened: Survey, statement: str, reason: str) -> None:
    before = rows()
    with pytest.raises(IntegrityError, match=reason):
        execute(statement)
    assert rows() == before


def test_an_update_that_replaces_cannot_push_an_opened_survey_out(opened: Survey, owner: Person) -> None:
    other = Survey.objects.create(owner=owner)
    before = rows()
    for column in ("slug", "id"):
        statement = (
            f"UPDATE OR REPLACE surveys_survey SET {column} = (SELECT {column} FROM surveys_survey"
            f" WHERE id = {opened.pk}) WHERE id = {other.pk}"
        )
        with pytest.raises(IntegrityError, match="address stay"):
            execute(statement)
    assert rows() == before


def test_a_tombstone_stays_as_it_is(destroyed: Survey) -> None:
    with pytest.raises(IntegrityError, match="destroyed survey stays"):
        execute("UPDATE surveys_survey SET state = 'open'")


def test_what_may_change_can(opened: Survey) -> None:
    execute(
        "UPDATE surveys_survey SET state = 'closed', cap = 500, closes = '2027-01-01 00:00:00', "
        "destroy_on = '2099-12-30'"
    )
    opened.refresh_from_db()
    assert (opened.state, opened.cap, str(opened.destroy_on)) == ("closed", 500, "2099-12-30")


@pytest.mark.parametrize("state", ["open", "closed", "finished"])
def test_no_survey_is_opened_without_a_design(draft: Survey, state: str) -> None:
    with pytest.raises(IntegrityError, match="surveys_opened_with_a_design"), transaction.atomic():
        Survey.objects.filter(pk=draft.pk).update(state=state)


def test_no_draft_has_a_design(draft: Survey) -> None:
    design = Design.objects.create(fingerprint="f" * 64, json="")
    with pytest.raises(IntegrityError, match="surveys_opened_with_a_design"), transaction.atomic():
        Survey.objects.filter(pk=draft.pk).update(design=design.pk)


@pytest.mark.parametrize(
    "change",
    [
        lambda design: design.save(),
        lambda design: design.delete(),
        lambda design: Design.objects.all().delete(),
        lambda design: Design.objects.update(json="{}"),
        lambda design: Design.objects.bulk_update([design], ["json"]),
        lambda design: Design.objects.update_or_create(pk=design.pk, defaults={"json": "{}"}),
        lambda design: Design(fingerprint=design.pk, json="{}").save(),
    ],
    ids=["save", "delete", "delete all", "update", "bulk update", "update or create", "another of its name"],
)
def test_the_model_refuses_to_change_a_design(opened: Survey, change: Callable[[Design], object]) -> None:
    assert opened.design is not None
    opened.design.json = "{}"
    with pytest.raises((WrittenOnce, IntegrityError)), transaction.atomic():
        change(opened.design)
    assert rows()[0] == (opened.design_id, Design.objects.get().json)


def test_the_model_refuses_to_change_what_an_opened_survey_asks(opened: Survey) -> None:
    opened.draft = {}
    with pytest.raises(IntegrityError), transaction.atomic():
        opened.save()


@pytest.fixture
def plan(opened: Survey) -> Plan:
    return Plan.objects.create(survey=opened, json="{frozen}")


PLAN_ATTACKS = {
    "change": "UPDATE surveys_plan SET json = '{}'",
    "give it to another survey": "UPDATE surveys_plan SET survey_id = survey_id + 1",
    "delete": "DELETE FROM surveys_plan",
    "replace": "INSERT OR REPLACE INTO surveys_plan (survey_id, json) SELECT survey_id, '{}' FROM surveys_plan",
    "upsert": """INSERT INTO surveys_plan (survey_id, json) SELECT survey_id, '{}' FROM surveys_plan WHERE 1
        ON CONFLICT (survey_id) DO UPDATE SET json = '{}'""",
}


@pytest.mark.parametrize("statement", PLAN_ATTACKS.values(), ids=PLAN_ATTACKS)
def test_the_database_refuses_to_change_a_plan(plan: Plan, statement: str) -> None:
    with pytest.raises(IntegrityError, match="insert-only"):
        execute(statement)
    assert Plan.objects.get().json == "{frozen}"


def test_the_model_refuses_to_change_a_plan(plan: Plan) -> None:
    for change in (plan.save, plan.delete, Plan.objects.all().delete, lambda: Plan.objects.update(json="{}")):
        with pytest.raises(WrittenOnce):
            change()


def test_a_survey_has_no_plan_or_one(plan: Plan, owner: Person) -> None:
    assert plan.survey.plan == plan
    assert not hasattr(Survey.objects.create(owner=owner), "plan")
    with pytest.raises(IntegrityError), transaction.atomic():
        Plan.objects.create(survey=plan.survey, json="{other}")


class TestBehindTheTriggers:
    """Whoever can drop a trigger can change a row; nothing then uses the row."""

    @pytest.fixture
    def forged(self, opened: Survey) -> Survey:
        with connection.cursor() as cursor:
            cursor.execute("DROP TRIGGER surveys_design_no_update")
            cursor.execute("UPDATE surveys_design SET json = replace(json, '0.5000', '0.9999')")
            assert cursor.rowcount == 1
        return Survey.objects.get(pk=opened.pk)

    def test_every_load_notices(self, forged: Survey) -> None:
        loads: list[Callable[[], object]] = [
            lambda: forged.design,
            Design.objects.get,
            lambda: list(Design.objects.all()),
            lambda: Design.objects.only("fingerprint").get().json,
            lambda: Survey.objects.select_related("design").get(),
        ]
        for load in loads:
            with pytest.raises(DesignChanged, match="changed after the survey was opened"):
                load()

    def test_its_pages_say_what_happened_and_what_to_do(
        self, forged: Survey, owner: Person, signed_in_as: As
    ) -> None:
        response = signed_in_as(owner).get(f"/app/surveys/{forged.pk}/")
        assert response.status_code == 500
        assert "The stored design is not the one that was opened" in response.text
        assert str(forged.design_id)[:12] in response.text

    def test_the_list_of_surveys_still_works(self, forged: Survey, owner: Person, signed_in_as: As) -> None:
        assert signed_in_as(owner).get("/app/surveys/").status_code == 200

    def test_the_check_names_the_missing_trigger_and_its_cure(self, forged: Survey) -> None:
        [found] = triggers.check_triggers_exist(None, databases=["default"])
        assert found.id == "surveys.E001"
        assert found.msg == "Without its triggers surveys_design_no_update, surveys_design can be changed."
        assert "restore_triggers" in (found.hint or "")

    def test_the_cure_works(self, forged: Survey) -> None:
        call_command("restore_triggers")
        assert triggers.check_triggers_exist(None, databases=["default"]) == []
        with pytest.raises(IntegrityError, match="insert-only"):
            execute("UPDATE surveys_design SET json = '{}'")


def test_after_all_migrations_no_trigger_is_missing() -> None:
    assert triggers.check_triggers_exist(None, databases=["default"]) == []


def test_the_check_asks_no_database_it_was_not_given() -> None:
    assert triggers.check_triggers_exist(None, databases=None) == []


CHECK = """
from django.core.management import call_command
call_command("check", databases=["default"])
"""
RESTORE = """
from django.core.management import call_command
call_command("restore_triggers")
"""
REBUILD = """
from django.db import connection, models
from surveys.models import Design, Survey
for model, name, new in ((Design, "json", models.CharField(max_length=9)), (Survey, "cap", models.IntegerField())):
    new.set_attributes_from_name(name)
    with connection.schema_editor() as editor:
        editor.alter_field(model, model._meta.get_field(name), new)
"""


@pytest.mark.night
def test_django_rebuilding_a_table_loses_its_triggers_and_the_check_says_so(tmp_path: Path) -> None:
    env = servers.environment(VAR=str(tmp_path))
    servers.prepare(env)
    with shell(env) as product:
        product.run(CHECK)
        product.run(REBUILD)
        with pytest.raises(AssertionError, match=r"surveys\.E001.*surveys_design can be changed") as said:
            product.run(CHECK)
        assert "surveys_survey can be changed" in str(said.value)
        product.run(RESTORE)
        product.run(CHECK)
