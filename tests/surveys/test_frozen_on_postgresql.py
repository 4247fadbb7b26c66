"""The same promises where they are kept by PostgreSQL, migrated as in production."""

from collections.abc import Iterator

import psycopg
import pytest

from tests import servers
from tests.intake.live_survey import Shell, shell

pytestmark = pytest.mark.server

OPEN_ONE = """
from django.utils import timezone
from accounts.models import Person
from surveys.lifecycle import opening
from surveys.models import Survey
from tests.surveys.drafts import complete
owner = Person.objects.create(username="owner")
survey = Survey.objects.create(owner=owner, draft=complete())
opening.open_survey_now(survey, owner, timezone.now())
"""
CHECK = """
from django.core.management import call_command
call_command("check", databases=["default"])
"""
RESTORE = """
from django.core.management import call_command
call_command("restore_triggers")
"""
MIGRATE = """
from django.core.management import call_command
call_command("migrate", "surveys", {target!r}, verbosity=0, skip_checks=True)
"""
LOAD = """
from surveys.models import DesignChanged, Survey
try:
    print(Survey.objects.get().design.content.fingerprint)
except DesignChanged as changed:
    print(changed)
"""


@pytest.fixture(scope="module")
def env(postgres: servers.Postgres, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    address = postgres.create("surveys", postgres.migrated())
    return servers.environment(DATABASE_URL=address, VAR=str(tmp_path_factory.mktemp("var")))


@pytest.fixture(scope="module")
def product(env: dict[str, str]) -> Iterator[Shell]:
    with shell(env) as process:
        process.run(OPEN_ONE)
        yield process


@pytest.fixture
def database(env: dict[str, str], product: Shell) -> Iterator[psycopg.Connection]:
    """What a test does to it is undone."""
    with psycopg.connect(env["DATABASE_URL"]) as connection:
        yield connection
        connection.rollback()


REFUSED = [
    ("UPDATE surveys_design SET json = '{}'", "insert-only"),
    ("UPDATE surveys_design SET fingerprint = 'f'", "insert-only"),
    ("DELETE FROM surveys_design", "insert-only"),
    ("TRUNCATE surveys_design CASCADE", "insert-only"),
    (
        """INSERT INTO surveys_design SELECT * FROM surveys_design
        ON CONFLICT (fingerprint) DO UPDATE SET json = '{}'""",
        "insert-only",
    ),
    ("UPDATE surveys_survey SET design_id = 'f'", "gets its design once"),
    ("UPDATE surveys_survey SET design_id = NULL, state = 'draft'", "gets its design once"),
    ("UPDATE surveys_survey SET draft = '{}'", "what an opened survey asks stays"),
    ("UPDATE surveys_survey SET draft = draft || '{\"minutes\": 5}'", "what an opened survey asks stays"),
    ("UPDATE surveys_survey SET invited = NOT invited", "what an opened survey asks stays"),
    ("UPDATE surveys_survey SET completion = 'OTHER'", "what an opened survey asks stays"),
    ("UPDATE surveys_survey SET opens = now()", "what an opened survey asks stays"),
    ("UPDATE surveys_survey SET slug = 'elsewhere'", "address stay"),
    ("UPDATE surveys_survey SET id = id + 1", "address stay"),
    ("UPDATE surveys_survey SET owner_id = owner_id + 1", "address stay"),
    ("UPDATE surveys_survey SET destroy_on = destroy_on + 1", "never put back"),
    ("UPDATE surveys_survey SET destroy_on = NULL", "never put back"),
    ("DELETE FROM surveys_survey", "leaves a row behind"),
    ("TRUNCATE surveys_survey CASCADE", "leaves a row behind"),
    (
        """INSERT INTO surveys_survey SELECT * FROM surveys_survey
        ON CONFLICT (id) DO UPDATE SET draft = '{}'""",
        "what an opened survey asks stays",
    ),
]


def test_the_database_refuses(database: psycopg.Connection, subtests: pytest.Subtests) -> None:
    for statement, reason in REFUSED:
        with subtests.test(statement):
            with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match=reason):
                database.execute(statement)
            database.rollback()


def test_what_may_change_can(database: psycopg.Connection) -> None:
    done = database.execute(
        "UPDATE surveys_survey SET state = 'closed', cap = 500, closes = now(), destroy_on = destroy_on - 1"
    )
    assert done.rowcount == 1


def test_a_tombstone_stays_as_it_is(database: psycopg.Connection) -> None:
    database.execute("UPDATE surveys_survey SET state = 'destroyed'")
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="destroyed survey stays"):
        database.execute("UPDATE surveys_survey SET state = 'open'")


def test_an_edit_behind_the_triggers_is_noticed_and_the_missing_trigger_named(
    env: dict[str, str], product: Shell
) -> None:
    product.run(CHECK)
    with psycopg.connect(env["DATABASE_URL"]) as connection:
        connection.execute("ALTER TABLE surveys_design DISABLE TRIGGER surveys_design_no_change")
        connection.execute("UPDATE surveys_design SET json = replace(json, '0.5000', '0.9999')")
        connection.execute("DROP TRIGGER surveys_survey_frozen ON surveys_survey")
    try:
        assert "was changed after the survey was opened" in product.run(LOAD)
        with pytest.raises(AssertionError, match="surveys_design_no_change") as said:
            product.run(CHECK)
        assert "surveys_survey_frozen" in str(said.value)
        with psycopg.connect(env["DATABASE_URL"]) as connection:
            connection.execute("UPDATE surveys_design SET json = replace(json, '0.9999', '0.5000')")
    finally:
        product.run(RESTORE)
    product.run(CHECK)


@pytest.mark.night
def test_the_migrations_can_be_repeated_and_taken_back(
    postgres: servers.Postgres, tmp_path_factory: pytest.TempPathFactory
) -> None:
    env = servers.environment(
        DATABASE_URL=postgres.create("surveys_back"), VAR=str(tmp_path_factory.mktemp("var"))
    )
    with shell(env) as process:
        for target in ("0001", "zero", "0001"):
            process.run(MIGRATE.format(target=target))
        process.run(RESTORE)
