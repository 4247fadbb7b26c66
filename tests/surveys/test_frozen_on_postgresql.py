"""The same promises where they are kept by PostgreSQL, migrated as in production."""

from collections.abc import Iterator

import psycopg
import pytest

from tests import servers
from tests.intake.conftest import Shell, open_shell
from tests.surveys.test_frozen import CALL, CHANGED, CHECK, REFUSED, RESTORE, STAYS

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
MIGRATE = CALL + 'call_command("migrate", "surveys", {target!r}, verbosity=0, skip_checks=True)'
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
    with open_shell(env) as process:
        process.run(OPEN_ONE)
        yield process


@pytest.fixture
def database(env: dict[str, str], product: Shell) -> Iterator[psycopg.Connection]:
    """What a test does to it is undone."""
    with psycopg.connect(env["DATABASE_URL"]) as connection:
        yield connection
        connection.rollback()


OF_POSTGRESQL = [
    ("TRUNCATE surveys_design CASCADE", "insert-only"),
    (
        """INSERT INTO surveys_design SELECT * FROM surveys_design
        ON CONFLICT (fingerprint) DO UPDATE SET json = '{}'""",
        "insert-only",
    ),
    (f"{CHANGED} draft = draft || '{{\"minutes\": 5}}'", STAYS),
    (f"{CHANGED} invited = NOT invited", STAYS),
    (f"{CHANGED} opens = now()", STAYS),
    (f"{CHANGED} id = id + 1", "address stay"),
    (f"{CHANGED} destroy_on = destroy_on + 1", "never put back"),
    ("TRUNCATE surveys_survey CASCADE", "leaves a row behind"),
    (
        """INSERT INTO surveys_survey SELECT * FROM surveys_survey
        ON CONFLICT (id) DO UPDATE SET draft = '{}'""",
        STAYS,
    ),
]


def test_the_database_refuses(database: psycopg.Connection, subtests: pytest.Subtests) -> None:
    for statement, reason in [*REFUSED, *OF_POSTGRESQL]:
        with subtests.test(statement):
            with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match=reason):
                database.execute(statement)
            database.rollback()


def test_what_may_change_can_and_a_tombstone_stays_as_it_is(database: psycopg.Connection) -> None:
    end = "closes = now(), destroy_on = destroy_on - 1"
    assert database.execute(f"{CHANGED} state = 'closed', cap = 500, {end}").rowcount == 1
    database.execute(f"{CHANGED} state = 'destroyed'")
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="destroyed survey stays"):
        database.execute(f"{CHANGED} state = 'open'")


def test_an_edit_behind_triggers_is_noticed_and_they_are_named(env: dict[str, str], product: Shell) -> None:
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
    address = postgres.create("surveys_back")
    env = servers.environment(DATABASE_URL=address, VAR=str(tmp_path_factory.mktemp("var")))
    with open_shell(env) as process:
        for target in ("0001", "zero", "0001"):
            process.run(MIGRATE.format(target=target))
        process.run(RESTORE)
