"""No change gets through to what was opened: not by the model, not by the database, not behind its triggers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client

from accounts.insert_only_tables import InsertOnlyViolation
from accounts.models import Person
from surveys import triggers
from surveys.models import Design, DesignChanged, Plan, Survey
from tests import servers
from tests.intake.conftest import open_shell

pytestmark = [pytest.mark.django_db, pytest.mark.page]

# What a determined person at the database's prompt would try, on either database.
CHANGED, STAYS = "UPDATE surveys_survey SET", "what an opened survey asks stays"
REFUSED = [
    ("UPDATE surveys_design SET json = '{}'", "insert-only"),
    ("UPDATE surveys_design SET fingerprint = 'f'", "insert-only"),
    ("DELETE FROM surveys_design", "insert-only"),
    (f"{CHANGED} design_id = 'f'", "gets its design once"),
    (f"{CHANGED} design_id = NULL, state = 'draft'", "gets its design once"),
    (f"{CHANGED} draft = '{{}}'", STAYS),
    (f"{CHANGED} completion = 'OTHER'", STAYS),
    (f"{CHANGED} slug = 'elsewhere'", "address stay"),
    (f"{CHANGED} owner_id = owner_id + 1", "address stay"),
    (f"{CHANGED} destroy_on = NULL", "never put back"),
    ("DELETE FROM surveys_survey", "leaves a row behind"),
]
NAMELESS = "(fingerprint, json) SELECT fingerprint, '{}' FROM surveys_design"
OF_SQLITE = [
    (f"INSERT OR REPLACE INTO surveys_design {NAMELESS}", "insert-only"),
    (
        "INSERT OR REPLACE INTO surveys_design (rowid, fingerprint, json) SELECT rowid, 'f', '' FROM surveys_design",
        "insert-only",
    ),
    (
        f"INSERT INTO surveys_design {NAMELESS} WHERE 1 ON CONFLICT (fingerprint) DO UPDATE SET json = '{{}}'",
        "insert-only",
    ),
    (f"{CHANGED} invited = 1", STAYS),
    (f"{CHANGED} paused = '2026-12-01 09:00:00', invited = 1", STAYS),
    (f"{CHANGED} opens = '2026-01-01'", STAYS),
    (f"{CHANGED} destroy_on = '2100-01-01'", "never put back"),
    (
        """INSERT OR REPLACE INTO surveys_survey (id, owner_id, draft, state, invited, slug)
        SELECT id, owner_id, '{}', 'draft', 0, 'other' FROM surveys_survey""",
        "there already",
    ),
    (
        """INSERT OR REPLACE INTO surveys_survey (owner_id, draft, state, invited, slug)
        SELECT owner_id, '{}', 'draft', 0, slug FROM surveys_survey""",
        "there already",
    ),
]


def rows() -> list[object]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM surveys_design")
        found = cursor.fetchall()
        cursor.execute("SELECT * FROM surveys_survey ORDER BY id")
        return [*found, *cursor.fetchall()]


def execute(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_the_database_refuses(opened: Survey, owner: Person, subtests: pytest.Subtests) -> None:
    before = rows()
    for statement, reason in [*REFUSED, *OF_SQLITE]:
        with subtests.test(statement):
            with pytest.raises(IntegrityError, match=reason):
                execute(statement)
            assert rows() == before
    # Nor can an update that replaces push an opened survey out.
    other = Survey.objects.create(owner=owner)
    before = rows()
    for column in ("slug", "id"):
        theirs = f"(SELECT {column} FROM surveys_survey WHERE id = {opened.pk})"
        with pytest.raises(IntegrityError, match="address stay"):
            execute(f"UPDATE OR REPLACE surveys_survey SET {column} = {theirs} WHERE id = {other.pk}")
    assert rows() == before


def test_what_may_change_can_and_a_tombstone_stays_as_it_is(opened: Survey) -> None:
    end = "closes = '2027-01-01 00:00:00', destroy_on = '2099-12-30'"
    execute(f"{CHANGED} state = 'closed', cap = 500, {end}")
    opened.refresh_from_db()
    assert (opened.state, opened.cap, str(opened.destroy_on)) == ("closed", 500, "2099-12-30")
    execute(f"{CHANGED} state = 'destroyed'")
    with pytest.raises(IntegrityError, match="destroyed survey stays"):
        execute(f"{CHANGED} state = 'open'")


def test_no_survey_is_opened_without_a_design_and_no_draft_has_one(draft: Survey) -> None:
    design = Design.objects.create(fingerprint="f" * 64, json="")
    for wrong in ({"state": "open"}, {"state": "closed"}, {"state": "finished"}, {"design": design.pk}):
        with pytest.raises(IntegrityError, match="surveys_opened_with_a_design"), transaction.atomic():
            Survey.objects.filter(pk=draft.pk).update(**wrong)


def test_the_model_refuses_to_change_a_design(opened: Survey) -> None:
    design = opened.design
    assert design is not None
    design.json = "{}"
    changes: list[Callable[[], object]] = [
        design.save,
        design.delete,
        Design.objects.all().delete,
        lambda: Design.objects.update(json="{}"),
        lambda: Design.objects.bulk_update([design], ["json"]),
        lambda: Design.objects.update_or_create(pk=design.pk, defaults={"json": "{}"}),
        Design(fingerprint=design.pk, json="{}").save,
    ]
    for change in changes:
        with pytest.raises((InsertOnlyViolation, IntegrityError)), transaction.atomic():
            change()
        assert rows()[0] == (opened.design_id, Design.objects.get().json)


def test_the_model_refuses_to_change_what_an_opened_survey_asks(opened: Survey) -> None:
    opened.draft = {}
    with pytest.raises(IntegrityError), transaction.atomic():
        opened.save()


def test_a_survey_has_no_plan_or_one_that_nothing_changes(opened: Survey, owner: Person) -> None:
    plan = Plan.objects.create(survey=opened, json="{frozen}")
    assert plan.survey.plan == plan
    assert not hasattr(Survey.objects.create(owner=owner), "plan")
    with pytest.raises(IntegrityError), transaction.atomic():
        Plan.objects.create(survey=plan.survey, json="{other}")
    same = "surveys_plan (survey_id, json) SELECT survey_id, '{}' FROM surveys_plan"
    for statement in (
        "UPDATE surveys_plan SET json = '{}'",
        "UPDATE surveys_plan SET survey_id = survey_id + 1",
        "DELETE FROM surveys_plan",
        f"INSERT OR REPLACE INTO {same}",
        f"INSERT INTO {same} WHERE 1 ON CONFLICT (survey_id) DO UPDATE SET json = '{{}}'",
    ):
        with pytest.raises(IntegrityError, match="insert-only"):
            execute(statement)
    for change in (plan.save, plan.delete, Plan.objects.all().delete, lambda: Plan.objects.update(json="{}")):
        with pytest.raises(InsertOnlyViolation):
            change()
    assert Plan.objects.get().json == "{frozen}"


class TestBehindTheTriggers:
    """Whoever can drop a trigger can change a row; nothing then uses the row."""

    @pytest.fixture
    def forged(self, opened: Survey) -> Survey:
        with connection.cursor() as cursor:
            cursor.execute("DROP TRIGGER surveys_design_no_update")
            cursor.execute("UPDATE surveys_design SET json = replace(json, '0.5000', '0.9999')")
            assert cursor.rowcount == 1
        return Survey.objects.get(pk=opened.pk)

    def test_every_load_notices_a_changed_design(self, forged: Survey, client: Client) -> None:
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
        # Its pages say what happened, and the list of surveys still works.
        response = client.get(f"/app/surveys/{forged.pk}/")
        assert response.status_code == 500
        assert "The stored design is not the one that was opened" in response.text
        assert str(forged.design_id)[:12] in response.text
        assert client.get("/app/surveys/").status_code == 200

    def test_the_check_names_the_missing_trigger_and_its_cure_which_works(self, forged: Survey) -> None:
        [found] = triggers.check_triggers_exist(None, databases=["default"])
        assert found.id == "surveys.E001"
        assert found.msg == "Without its triggers surveys_design_no_update, surveys_design can be changed."
        assert "restore_triggers" in (found.hint or "")
        assert triggers.check_triggers_exist(None, databases=None) == [], "a database it was not given"
        call_command("restore_triggers")
        assert triggers.check_triggers_exist(None, databases=["default"]) == []
        with pytest.raises(IntegrityError, match="insert-only"):
            execute("UPDATE surveys_design SET json = '{}'")


def test_after_all_migrations_no_trigger_is_missing() -> None:
    assert triggers.check_triggers_exist(None, databases=["default"]) == []


CALL = "from django.core.management import call_command\n"
CHECK = f'{CALL}call_command("check", databases=["default"])'
RESTORE = f'{CALL}call_command("restore_triggers")'
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
    with open_shell(env) as product:
        product.run(CHECK)
        product.run(REBUILD)
        with pytest.raises(AssertionError, match=r"surveys\.E001.*surveys_design can be changed") as said:
            product.run(CHECK)
        assert "surveys_survey can be changed" in str(said.value)
        product.run(RESTORE)
        product.run(CHECK)
