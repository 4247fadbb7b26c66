"""No byte of a deleted row stays in SQLite's file, also where SQLite had moved the row to another page."""

from pathlib import Path
from random import Random

import pytest
from django.db.utils import ConnectionHandler

from intake.batches import overwrite_deleted

pytestmark = [pytest.mark.page, pytest.mark.django_db]


def test_rewritten_sqlite_file_holds_no_deleted_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, random = tmp_path / "rows.sqlite3", Random(1)
    options = {"init_command": "PRAGMA journal_mode=WAL;PRAGMA secure_delete=ON;"}
    database = {"ENGINE": "django.db.backends.sqlite3", "NAME": path, "OPTIONS": options}
    connection = ConnectionHandler({"default": database})["default"]
    gone, kept = ([random.randbytes(16) for _ in range(number)] for number in (400, 1_500))
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE used (id integer PRIMARY KEY, hash blob UNIQUE)")
        for row in gone:
            cursor.execute("INSERT INTO used (hash) VALUES (%s)", [row])
        for number, row in enumerate(kept):
            cursor.execute("INSERT INTO used (hash) VALUES (%s)", [row])
            if number < len(gone):
                cursor.execute("DELETE FROM used WHERE hash = %s", [gone[number]])
    monkeypatch.setattr(overwrite_deleted, "connection", connection)
    assert overwrite_deleted.empty_write_ahead_file(1)
    content = path.read_bytes()
    assert any(row in content for row in gone), "secure_delete alone is enough: rewriting can go"
    assert overwrite_deleted.rewrite_sqlite_file()
    assert overwrite_deleted.empty_write_ahead_file(1)
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert not [row for row in gone if row in content]
    assert all(row in content for row in kept)
    connection.close()
