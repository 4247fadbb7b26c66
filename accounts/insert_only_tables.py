"""Insert-only tables: the model, its querysets and the database refuse changes."""

from typing import Any, ClassVar, NoReturn, TypeVar

from django.db import models

M = TypeVar("M", bound=models.Model)


class InsertOnlyViolation(Exception):
    """Raised by an attempt to change or delete a row of an insert-only table."""


def refuse_change(*args: object, **kwargs: object) -> NoReturn:
    raise InsertOnlyViolation("These rows are only ever added; nothing changes or removes them.")


class InsertOnlyQuerySet(models.QuerySet[M]):
    update = aupdate = delete = adelete = bulk_update = abulk_update = refuse_change
    update_or_create = aupdate_or_create = _raw_delete = refuse_change


class InsertOnly(models.Model):
    """A model whose rows cannot be changed or deleted in Python; triggers in its migration enforce the same in the
    database."""

    goes_with_others: ClassVar[bool] = False
    """True if the database allows rows to be deleted with the row that they belong to; changes are refused
    even then."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            refuse_change()
        # A new object with a used key would otherwise become an UPDATE.
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        refuse_change()


def sqlite_triggers(table: str, key: str, allows_deletion: bool) -> tuple[list[str], list[str]]:
    """Returns the SQL to create and to drop triggers that refuse changes of a table's rows.

    `key`: the primary key. `allows_deletion`: deletion is allowed.
    """
    # INSERT OR REPLACE removes the old row without firing its DELETE trigger, so a used key is refused too,
    # and so is the hidden one.
    events = {
        "update": "",
        "delete": "",
        "insert": f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key} OR rowid = NEW.rowid)",  # noqa: S608
    }
    if allows_deletion:
        del events["delete"]
    do = [
        f"CREATE TRIGGER {table}_no_{event} BEFORE {event} ON {table} {when} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is {_mode_text(allows_deletion)}'); END"
        for event, when in events.items()
    ]
    return do, [f"DROP TRIGGER IF EXISTS {table}_no_{event}" for event in events]


def postgresql_triggers(table: str, key: str, allows_deletion: bool) -> tuple[list[str], list[str]]:
    """Returns the SQL to create and to drop triggers that refuse changes of a table's rows.

    `allows_deletion`: deletion is allowed.
    """
    function = f"""
        CREATE OR REPLACE FUNCTION {table}_insert_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'TRUNCATE' THEN
                IF NOT EXISTS (SELECT 1 FROM {table}) THEN RETURN NULL; END IF;
            END IF;
            RAISE EXCEPTION '{table} is {_mode_text(allows_deletion)}' USING ERRCODE = 'integrity_constraint_violation';
        END $$"""  # noqa: S608
    events = {"change": ("UPDATE OR DELETE", "ROW"), "truncate": ("TRUNCATE", "STATEMENT")}
    if allows_deletion:
        events = {"change": ("UPDATE", "ROW")}
    triggers = [
        f"CREATE TRIGGER {table}_no_{name} BEFORE {event} ON {table} "
        f"FOR EACH {each} EXECUTE FUNCTION {table}_insert_only()"
        for name, (event, each) in events.items()
    ]
    undo = [f"DROP TRIGGER IF EXISTS {table}_no_{name} ON {table}" for name in events]
    return [function, *triggers], [*undo, f"DROP FUNCTION IF EXISTS {table}_insert_only()"]


def _mode_text(allows_deletion: bool) -> str:
    return "append-only" if allows_deletion else "insert-only"


TRIGGERS = {"sqlite": sqlite_triggers, "postgresql": postgresql_triggers}
