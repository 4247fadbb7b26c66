"""What the database's own files hold after a restore, and what the file of a backup does: bytes, not rows."""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import psycopg
import pytest

from config.backup.archive import Key, verified
from tests import servers
from tests.config.backup.instance import Instance, Make, take_list

pytestmark = pytest.mark.server

BEFORE = """
import json
from surveys.invitations.making import generate
from tests.config.backup.answered import ASKS, answer
from tests.intake import asked
survey, doomed = asked.survey(ASKS, invited=True), asked.survey(ASKS)
tokens = generate(survey, 60)
print(json.dumps([survey.pk, doomed.pk, tokens, answer(survey, 5, tokens[:5]), answer(doomed, 30)]))
"""
SINCE = """
import json
from surveys.models import Survey
from tests.config.backup.answered import answer, destroy
print(json.dumps(answer(Survey.objects.get(pk={survey}), 50, {tokens!r})))
destroy(Survey.objects.get(pk={doomed}))
from django.utils import timezone
from config.backup import remembering
remembering.tick(timezone.now())
"""


@dataclass
class Bytes:
    """All files of an instance's database."""

    of: Instance
    postgres: servers.Postgres | None

    def read(self) -> bytes:
        if self.postgres is None:
            return b"".join(path.read_bytes() for path in sorted(self.of.var.glob("candor.sqlite3*")))
        with psycopg.connect(self.of.database["DATABASE_URL"], autocommit=True) as connection:
            connection.execute("CHECKPOINT")
            row = connection.execute(
                "SELECT oid FROM pg_database WHERE datname = current_database()"
            ).fetchone()
        assert row
        folder = self.postgres.data / "base" / str(row[0])
        return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())


def digests(tokens: list[str]) -> list[str]:
    return [sha256(token.encode()).hexdigest() for token in tokens]


def in_base64(texts: list[str]) -> list[str]:
    return [b64encode(text.encode()).decode() for text in texts]


def found(content: bytes, texts: list[str]) -> list[str]:
    return [text for text in texts if text.encode() in content]


def files(of: Instance, request: pytest.FixtureRequest) -> Bytes:
    return Bytes(of, request.getfixturevalue("postgres") if of.database else None)


def test_after_a_restore_no_file_holds_what_was_destroyed_used_or_replaced(
    make: Make, request: pytest.FixtureRequest
) -> None:
    home, new = make(migrated=True), make()
    survey, doomed, tokens, waiting, gone = home.shell(BEFORE)
    path = home.back_up()
    used = tokens[5:55]
    since = home.shell(SINCE.format(survey=survey, doomed=doomed, tokens=used))
    # On a new machine: what the backup holds of them, the list takes away again.
    new.restore(path, "--list", str(take_list(home, new)))
    content = files(new, request).read()
    assert found(content, waiting) == waiting
    assert found(content, gone) == []
    # Forty people had answered at the last sealing, five of them before the backup.
    assert found(content, digests(used)) == digests(used)[35:]
    # In the place of the living one: what came in since is gone with it.
    home.restore(path, "--replace", "--yes")
    content = files(home, request).read()
    assert found(content, waiting) == waiting
    assert found(content, gone + since + digests(used)) == []


def test_a_backup_holds_no_record_that_is_sealed_and_nothing_that_was_deleted(embedded: Instance) -> None:
    home = embedded
    survey, doomed, tokens, waiting, gone = home.shell(BEFORE)
    answered = home.shell(SINCE.format(survey=survey, doomed=doomed, tokens=tokens[5:55]))
    content = b"".join(unpacked(home.back_up(), home))
    # A record in the inbox is a value of its own; of 55, twenty are in a batch.
    assert len(found(content, in_base64([*waiting, *answered]))) == 35
    assert found(content, in_base64(gone) + digests(tokens[:40])) == []
    assert found(content, digests(tokens[55:])) == digests(tokens[55:])


def unpacked(path: Path, of: Instance) -> Iterator[bytes]:
    with path.open("rb") as file:
        for head, parts in verified(path, file, [Key(of.secret)]).tables():
            yield repr(head).encode()
            yield from parts
