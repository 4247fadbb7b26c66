"""The key, the token and the record of one request, in one transaction: all three or none.

The key goes in first, so that of many who send it at once one goes on and the others wait for what becomes of
it; a refusal takes it out again. No statement can fail on what a respondent sends, since PostgreSQL would write
it into the server's log.
"""

from enum import Enum
from typing import Any
from uuid import uuid4

from django.db import connection, transaction

from surveys.intake.models import Inbox
from surveys.intake.together import Together


class Taken(Enum):
    STORED = "stored"
    KNOWN = "known"
    UNINVITED = "uninvited"


def take(survey: int, key: str, token: str, record: bytes) -> Taken:
    """`key` and `token` are hashes; the latter is empty where none was sent."""
    if connection.vendor == "postgresql":
        return _called(survey, key, token, record)

    def work() -> Taken:
        with transaction.atomic():
            return _written(survey, key, token, record)

    # Inside somebody's transaction nobody else's record may be promised.
    return work() if connection.in_atomic_block else _together.do(work)


ID = Inbox._meta.pk


def fresh_id() -> Any:
    """A random id for the inbox, as this database wants it."""
    return ID.get_db_prep_value(uuid4(), connection)


# --- SQLite -----------------------------------------------------------------------------------------------

TAKE_KEY = "INSERT INTO intake_freshkey (hash, survey_id) VALUES (%s, %s) ON CONFLICT DO NOTHING"
DROP_KEY = "DELETE FROM intake_freshkey WHERE hash = %s"
SEEN = "SELECT 1 FROM intake_seenkey WHERE hash = %s"
SPEND = "DELETE FROM intake_token WHERE hash = %s AND survey_id = %s"
PUT = "INSERT INTO intake_inbox (id, survey_id, record) VALUES (%s, %s, %s)"

_together: Together[Taken] = Together()


def _written(survey: int, key: str, token: str, record: bytes) -> Taken:
    with connection.cursor() as cursor:
        cursor.execute(TAKE_KEY, [key, survey])
        if not cursor.rowcount:
            return Taken.KNOWN
        cursor.execute(SEEN, [key])
        if cursor.fetchone():
            cursor.execute(DROP_KEY, [key])
            return Taken.KNOWN
        if token:
            cursor.execute(SPEND, [token, survey])
            if not cursor.rowcount:
                cursor.execute(DROP_KEY, [key])
                return Taken.UNINVITED
        cursor.execute(PUT, [fresh_id(), survey, record])
    return Taken.STORED


# --- PostgreSQL: the same, in one journey to the server --------------------------------------------------------

# Each statement of such a function sees what was committed before it began. So the seen keys are asked after the
# key was taken: while that waited, a sealing may have moved the key to them.
FUNCTION = """
    CREATE OR REPLACE FUNCTION intake_take(
        a_survey bigint, a_key varchar, a_token varchar, a_id uuid, a_record bytea
    ) RETURNS varchar LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
        INSERT INTO intake_freshkey (hash, survey_id) VALUES (a_key, a_survey) ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            RETURN 'known';
        END IF;
        IF EXISTS (SELECT 1 FROM intake_seenkey WHERE hash = a_key) THEN
            DELETE FROM intake_freshkey WHERE hash = a_key;
            RETURN 'known';
        END IF;
        IF a_token <> '' THEN
            DELETE FROM intake_token WHERE hash = a_token AND survey_id = a_survey;
            IF NOT FOUND THEN
                DELETE FROM intake_freshkey WHERE hash = a_key;
                RETURN 'uninvited';
            END IF;
        END IF;
        INSERT INTO intake_inbox (id, survey_id, record) VALUES (a_id, a_survey, a_record);
        RETURN 'stored';
    END $$
"""


def _called(survey: int, key: str, token: str, record: bytes) -> Taken:
    with connection.cursor() as cursor:
        cursor.execute("SELECT intake_take(%s, %s, %s, %s, %s)", [survey, key, token, fresh_id(), record])
        return Taken(cursor.fetchone()[0])


def install(apps: Any, schema_editor: Any) -> None:
    """For a migration; whoever changes the function adds one that calls this again."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FUNCTION, None)
