"""The command restore: verify, lock, show the plan, ask for confirmation, restore."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import connection

from config.backup import facts, restoring
from config.backup.archive import Archive, BackupRefused, Json, Key, verified
from config.backup.backing_up import Say, summary
from config.backup.database import database
from config.backup.keys import key_in, own_key
from config.backup.models import Backup
from config.backup.restoring import RestorePlan
from config.start import running
from jobs import database as jobs_database
from jobs.models import Worker

Ask = Callable[[str], str]
WORD = "replace"


@dataclass(frozen=True)
class RestoreOptions:
    """The options of the command line."""

    file: Path
    lists: Sequence[Path] = ()
    key: Path | None = None
    check: bool = False
    without_list: bool = False
    replace: bool = False
    yes: bool = False


def carry_out(wanted: RestoreOptions, now: datetime, say: Say, ask: Ask) -> Json:
    keys = _keys(wanted.key)
    with _opened(wanted.file, keys) as archive:
        if wanted.check:
            # It replaces nothing, so the product may run, and what a list would add is told as far as it is here.
            plan = restoring.plan_restore(archive, keys, wanted.lists, without_list=True)
            if plan.living is not None:
                Backup.objects.filter(pk=UUID(archive.head["id"])).update(checked=now)
            return summary(archive.head) | plan.told(now)
        with running.lock_exclusively(settings.VAR):
            _nobody_else()
            plan = restoring.plan_restore(archive, keys, wanted.lists, without_list=wanted.without_list)
            for line in plan_lines(plan, now):
                say(line)
            _confirm(plan, wanted, ask)
            return summary(archive.head) | restoring.restore(plan, now, say)


def _keys(given: Path | None) -> list[Key]:
    """The instance's own and an earlier one, whichever are there."""
    if given is None:
        return [own_key()]
    earlier = key_in(given)
    try:
        return [own_key(), earlier]
    except BackupRefused:
        return [earlier]


@contextmanager
def _opened(path: Path, keys: Sequence[Key]) -> Iterator[Archive]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise BackupRefused(f"{path} cannot be read ({error.strerror})") from None
    with file:
        yield verified(path, file, keys)


def _nobody_else() -> None:
    """On other machines; of this one the lock has told."""
    if connection.vendor == "sqlite":
        Path(connection.settings_dict["NAME"]).parent.mkdir(parents=True, exist_ok=True)
        return
    others = database().others()
    if others:
        raise BackupRefused(
            f"Candor uses this database from {others}; stop its web servers and workers first"
        )
    # A worker is connected only now and then.
    if Worker._meta.db_table in connection.introspection.table_names() and (
        heard := Worker.objects.heard(jobs_database.now())
    ):
        names = ", ".join(worker.name for worker in heard)
        raise BackupRefused(
            f"a worker was heard a moment ago ({names}); stop it first, or wait half a minute if it has ended"
        )


def _confirm(plan: RestorePlan, wanted: RestoreOptions, ask: Ask) -> None:
    if plan.living is None:
        return
    if not wanted.replace:
        raise BackupRefused("the database is not empty; --replace puts the backup in its place")
    if not wanted.yes and ask(f"Type {WORD} to go on: ").strip() != WORD:
        raise BackupRefused("nothing was changed")


# --- what is told -----------------------------------------------------------------------------------------


def plan_lines(plan: RestorePlan, now: datetime) -> Iterator[str]:
    """The plan in sentences, shown before the confirmation."""
    told = plan.told(now)
    head = summary(plan.archive.head)
    made = datetime.fromisoformat(head["made"])
    yield (
        f"A backup of {made:%Y-%m-%d %H:%M} UTC, {_age(now, made)} old: {head['surveys']} surveys, "
        f"{head['records']:,} records, {head['runs']} runs, {head['accounts']} accounts."
    )
    if told["list"]:
        yield f"The list of what was destroyed and used since is of {told['list']}; what came later is not in it."
    if not plan.complete:
        yield "No invitation of the backup will be valid, and surveys destroyed since will be there again:"
        for row in plan.archive.head["facts"]["surveys"]:
            if row["state"] != "destroyed" and row["number"] not in told["destroyed"]:
                yield f"  survey {row['number']} “{row['title']}”: destroy it if it was destroyed"
    if told["destroyed"]:
        yield f"Destroyed since, or due to be, and so destroyed again: surveys {_list(told['destroyed'])}."
    if told["older"]:
        yield from _older(told["older"])


def _older(older: Json) -> Iterator[str]:
    yield "What the database holds now is replaced:"
    for row in older["surveys"]:
        changes = [f"{key} {row[key][1]}, then {row[key][0]}" for key in facts.COMPARED if key in row]
        yield f"  survey {row['number']} “{row['title']}”: now {'; '.join(changes)}"
    for row in older["lost"]:
        yield f"  survey {row['number']} “{row['title']}” was made since and is lost with {row['records']:,} records"
    if older["published_again"]:
        yield f"  reports withdrawn since will be public again: {_list(older['published_again'])}"
    if older["accounts"]:
        yield f"  accounts whose roles were changed or that were closed since: {', '.join(older['accounts'])}"


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _age(now: datetime, made: datetime) -> str:
    hours = max(0, int((now - made).total_seconds() // 3600))
    if hours >= 48:
        return f"{hours // 24} days"
    return "1 hour" if hours == 1 else f"{hours} hours"
