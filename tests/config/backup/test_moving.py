"""A backup of one kind of database restores on the other: every row, and what a report says of them."""

import fcntl
import json
from typing import Any

import pytest
from tests.config.backup.instance import Instance, take_list

from config.backup.saved_tables import value_type
from config.backup.sqlite_postgresql_conversion import FORMS, to_postgresql, to_sqlite
from tests import servers
from tests.config.backup.filled import ODD
from tests.config.backup.test_restoring import FILL, LEFT_OUT

ALL = """
import datetime, json, uuid
from django.apps import apps
from django.test import Client
from accounts.models import Person
from reports.models import Review

def plain(value):
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return str(value) if isinstance(value, uuid.UUID | datetime.date) else value

rows = {}
for model in apps.get_models(include_auto_created=True):
    names = [field.attname for field in model._meta.local_concrete_fields]
    found = [[*map(plain, row)] for row in model._base_manager.values_list(*names)]
    rows[model._meta.db_table] = sorted(json.dumps(row, sort_keys=True) for row in found)
client = Client(headers={"host": "localhost"})
client.force_login(Person.objects.get(username="olga"))
report = client.get(f"/app/reports/{Review.objects.get().pk}/files/json")
assert report.status_code == 200, report.status_code
print(json.dumps([rows, report.content.decode()]))
"""
# Signing in for the report, and a restore, which says so and ends links to set a password.
CHANGED = {"accounts_person", "accounts_history", "releases_release"} | LEFT_OUT


def content(instance: Instance) -> tuple[dict[str, list[str]], Any]:
    rows, report = instance.shell(ALL)
    return {table: found for table, found in rows.items() if table not in CHANGED}, json.loads(report)


@pytest.mark.night
@pytest.mark.server
def test_an_instance_moves_to_postgresql_and_back_with_every_row_and_its_report(
    embedded: Instance, postgres: servers.Postgres, tmp_path_factory: pytest.TempPathFactory
) -> None:
    embedded.shell(FILL)
    before = content(embedded)
    assert len([rows for rows in before[0].values() if rows]) > 20
    here = embedded
    for database in ({"DATABASE_URL": postgres.create("moved", postgres.migrated())}, {}):
        path = here.back_up("moving")
        there = Instance(tmp_path_factory.mktemp("var"), database)
        servers.compile_kernels()
        copied = take_list(here, there)
        with (there.var / "running").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_SH)  # as every process of the product does
            assert "stop the web servers" in there.refused(path, "--list", str(copied))
        done = there.restore(path, "--list", str(copied))
        assert done.json["void_invitations"] == 0
        rows, report = content(there)
        # The first backup did not know of the second.
        assert {**rows, "backup_backup": []} == {**before[0], "backup_backup": []}
        assert report == before[1]
        here = there


@pytest.mark.page
def test_every_column_of_the_product_has_a_form_in_both() -> None:
    from django.apps import apps

    models = apps.get_models(include_auto_created=True)
    types = {value_type(field) for model in models for field in model._meta.local_concrete_fields}
    assert types <= FORMS.keys()


def test_a_row_is_written_as_each_database_writes_it() -> None:
    types = [
        "BigAutoField",
        "BooleanField",
        "DateTimeField",
        "UUIDField",
        "BinaryField",
        "FloatField",
        "TextField",
    ]
    uuid = "01234567-89ab-cdef-0123-456789abcdef"
    values = [7, 1, "2026-11-25 12:00:00.100000", uuid.replace("-", ""), {"base64": "AAk="}, 1e-05, ODD]
    sqlite = json.dumps(values, ensure_ascii=False).encode() + b"\n"
    odd = ODD.replace("\\", r"\\").replace("\t", r"\t").replace("\n", r"\n").replace("\r", r"\r")
    postgresql = (
        "\t".join(["7", "t", "2026-11-25 12:00:00.100000+00", uuid, r"\\x0009", "1e-05", odd]).encode()
        + b"\n"
    )
    assert to_postgresql(sqlite[:-1], types) == postgresql
    assert to_sqlite(postgresql[:-1], types) == sqlite
    # PostgreSQL leaves out the zeros at the end.
    assert to_sqlite(postgresql[:-1].replace(b".100000+", b".1+"), types) == sqlite
    assert to_sqlite(rb"\N", ["UUIDField"]) == b"[null]\n"
    assert to_postgresql(b"[null]", ["UUIDField"]) == b"\\N\n"
