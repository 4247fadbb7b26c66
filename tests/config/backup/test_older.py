"""A backup that an older Candor made: restored as it was, then brought forward."""

from pathlib import Path

import pytest
from tests.config.backup.instance import Instance, Make, take_list

from tests import servers

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="config/backup/test_restoring.py")]

# As the version before this migration would have done it; the tables that came with it are not there.
BACK_UP = """
import json
from pathlib import Path
from django.utils import timezone
from config.backup import archive, backing_up, saved_tables
saved_tables.missing_migrations = lambda: []
print(json.dumps(backing_up.back_up(Path({path!r}), archive.instance_key(), timezone.now(), lambda line: None)))
"""
ANSWER = """
import json
from intake.models import SpentToken, Token
from intake.invitations.tokens import create_tokens
from surveys.models import Survey
from tests.intake import asked
survey = Survey.objects.get()
sent = asked.envelope(survey.design.content, token=create_tokens(survey, 1)[0])
print(json.dumps([asked.post(survey, sent).status_code, SpentToken.objects.count(), Token.objects.count()]))
"""
OPEN = """
from intake.invitations.tokens import create_tokens
from tests.intake import asked
create_tokens(asked.survey(asked.design(least=20), invited=True), 30)
"""


def test_it_is_restored_and_migrated(make: Make) -> None:
    home, new = make(migrated=True), make()
    home.shell(OPEN)
    servers.manage(home.env, "migrate", "proof", "zero", "--verbosity=0")
    missing = servers.manage(home.env, "showmigrations", "--plan").count("[ ]")
    assert missing
    assert "proof_proof" not in home.rows()
    path = home.var / "older.backup"
    home.shell(BACK_UP.format(path=str(path)))
    done = new.restore(path, "--list", str(take_list(home, new)))
    assert done.json["migrated"] == missing
    before, after = home.rows(), new.rows()
    for table in ("intake_token", "surveys_survey", "surveys_design"):
        assert after[table] == before[table]
    assert new.shell(ANSWER) == [201, 1, 30]
    servers.manage(new.env, "check", "--database", "default")
    servers.manage(new.env, "migrate", "--check")


ALTER = """
import json
from django.db import connection, transaction
from django.db.utils import OperationalError
from config.backup import saved_tables
from accounts.models import Person
from surveys.models import Survey
alter, said = "ALTER TABLE surveys_survey ADD COLUMN more integer", []
with transaction.atomic(), connection.cursor() as cursor:
    Survey.objects.create(owner=Person.objects.create(username="owner"))
    try:
        with transaction.atomic():
            cursor.execute(alter)
    except OperationalError as error:
        said.append("pending trigger events" in str(error))
    saved_tables.check_pending_constraints("apply_start")
    cursor.execute(alter)
    said.append(True)
    transaction.set_rollback(True)
print(json.dumps(said))
"""


def test_postgresql_lets_a_migration_alter_a_table_that_was_just_filled(
    postgres: servers.Postgres, tmp_path: Path
) -> None:
    home = Instance(tmp_path, {"DATABASE_URL": postgres.create("altered", postgres.migrated())})
    assert home.shell(ALTER) == [True, True]
