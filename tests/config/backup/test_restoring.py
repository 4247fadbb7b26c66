"""A restore brings back every row as it was, with the rules of its table, and nothing that was left out.

Also on the other kind of database, from an older Candor, and after it was killed at any step.
"""

import json
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps

from config.backup.saved_tables import value_type
from config.backup.sqlite_postgresql_conversion import FORMS, to_postgresql, to_sqlite
from tests import servers
from tests.config.backup.conftest import ODD, Done, Instance, Make, Rows, take_list

pytestmark = pytest.mark.server

FILL = "from tests.config.backup.conftest import fill_database; numbers = fill_database()"
LEFT_OUT = {
    *("api_delivery", "api_event", "api_token", "api_webhook", "django_session", "accounts_lockout"),
    *("jobs_worker", "jobs_lease", "releases_upload", "releases_attack", "releases_register", "intake_sweep"),
}
# A restore ends links to set a password and says what it was. The specification of an upload quotes its values.
CHANGED = {"accounts_person", "accounts_history", "releases_release"} | LEFT_OUT


@dataclass
class Moved:
    """A filled instance, its rows when it was backed up, and a new machine that the backup was restored on."""

    first: Instance
    numbers: dict[str, int]
    before: Rows
    second: Instance
    after: Rows
    done: Done


@pytest.fixture(scope="module")
def moved_instance(make: Make) -> Moved:
    first = make(migrated=True)
    numbers = first.shell(FILL, "numbers")
    path = first.back_up()
    before = first.rows()
    second = make(migrated=True)
    done = second.restore(path, "--list", str(take_list(first, second)))
    return Moved(first, numbers, before, second, second.rows(), done)


def test_every_row_is_restored_unchanged(moved_instance: Moved) -> None:
    """A database without anybody in it is replaced without a question."""
    assert any("olga" in row for row in moved_instance.after["accounts_person"])
    # The times of the migrations are its own.
    changed = CHANGED | {"django_migrations"}
    assert moved_instance.before.keys() == moved_instance.after.keys()
    for table in moved_instance.before.keys() - changed:
        assert moved_instance.after[table] == moved_instance.before[table], table
    for table in ("surveys_fieldkeys", "field_fielddevice", "field_fieldlot"):
        assert moved_instance.after[table], table
    assert (
        len([table for table in moved_instance.before.keys() - changed if moved_instance.before[table]]) > 20
    )
    # The activity log says that there was a restore.
    before, after = (
        set(moved_instance.before["accounts_history"]),
        set(moved_instance.after["accounts_history"]),
    )
    (added,) = after - before
    assert before < after
    assert "backup.restored" in added


def test_sessions_are_in_no_backup_and_live_ones_end(moved_instance: Moved) -> None:
    # No sweep is owed, nobody attacks a release (tests/releases/lifecycle/test_attacking.py).
    for table in LEFT_OUT - {"intake_sweep", "releases_attack", "releases_register"}:
        assert moved_instance.before[table], table
        assert moved_instance.after[table] == [], table
    kept = moved_instance.before.keys() - LEFT_OUT - {"django_migrations", "candor_migrations"}
    assert moved_instance.done.json["rows"] == sum(len(moved_instance.before[table]) for table in kept)


def test_upload_columns_are_in_no_backup(moved_instance: Moved) -> None:
    [before], [after] = moved_instance.before["releases_release"], moved_instance.after["releases_release"]
    assert "town" in before
    assert "candor-release/1" in after
    assert "town" not in after


SAID = """[
    Person.objects.get(username="olga").name == ODD,
    Person.objects.get(username="olga").check_password("a-long-password"),
    Person.objects.get(username="closed").is_active,
    Trial.objects.get().words == {"odd": [ODD, 1e-300, None, True, 2**60]},
    Trial.objects.get().fraction == 1 / 3,
]"""


REFUSED = """
from django.db import IntegrityError
from surveys import triggers
said = []
for statement in {statements!r}:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
        said.append(statement)
    except IntegrityError:
        pass
"""
STATEMENTS = [
    "UPDATE accounts_history SET note = 'forged'",
    "DELETE FROM accounts_history",
    "UPDATE surveys_design SET json = '{}'",
    "DELETE FROM surveys_design",
    "UPDATE surveys_survey SET slug = 'elsewhere' WHERE design_id IS NOT NULL",
    "UPDATE surveys_survey SET draft = '{}' WHERE design_id IS NOT NULL",
    "UPDATE surveys_survey SET destroy_on = NULL WHERE design_id IS NOT NULL",
    "DELETE FROM surveys_survey WHERE design_id IS NOT NULL",
    "UPDATE reports_decision SET note = 'forged'",
    "UPDATE reports_publication SET content = '{}'",
]


NEXT = """
owner = Person.objects.get(username="olga")
numbers = [Survey.objects.create(owner=owner).pk, Person.objects.create(username="next").pk]
"""


def test_restored_values_keep_all_digits_and_their_protection(moved_instance: Moved) -> None:
    filled = "from tests.config.backup.conftest import ODD"
    assert moved_instance.second.shell(filled, SAID) == [True, True, False, True, True]
    refused = REFUSED.format(statements=STATEMENTS)
    assert moved_instance.second.shell(refused, "[said, triggers.missing_triggers(connection)]") == [[], {}]
    servers.manage(moved_instance.second.env, "check", "--database", "default")
    # Numbers that were given are not given again: the last account was the fifth; it was deleted before the backup.
    assert (
        moved_instance.second.shell(NEXT, "numbers") == moved_instance.first.shell(NEXT, "numbers") == [5, 6]
    )


def test_backup_summary_states_its_contents(moved_instance: Moved) -> None:
    expected: dict[str, object] = {"surveys": 3, "records": 45 + 2400, "runs": 1, "accounts": 3}
    expected |= {"older": None, "complete": True}
    expected |= {"earliest_deletion": "2030-05-01", "migrated": 0, "swept": True}
    assert {key: moved_instance.done.json[key] for key in expected} == expected


# --- the other kind of database -----------------------------------------------------------------------------


ALL = """
import uuid
from django.apps import apps
from django.test import Client
from reports.models import Review

def plain(value):
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return str(value) if isinstance(value, uuid.UUID | date) else value

rows = {}
for model in apps.get_models(include_auto_created=True):
    names = [field.attname for field in model._meta.local_concrete_fields]
    found = [[*map(plain, row)] for row in model._base_manager.values_list(*names)]
    rows[model._meta.db_table] = sorted(json.dumps(row, sort_keys=True) for row in found)
client = Client(headers={"host": "localhost"})
client.force_login(Person.objects.get(username="olga"))
report = client.get(f"/app/reports/{Review.objects.get().pk}/files/json")
assert report.status_code == 200, report.status_code
"""


def content(instance: Instance) -> tuple[dict[str, list[str]], Any]:
    """All rows but those that signing in for the report changes, and the report."""
    rows, report = instance.shell(ALL, "[rows, report.content.decode()]")
    return {table: found for table, found in rows.items() if table not in CHANGED}, json.loads(report)


@pytest.mark.night
def test_instance_moves_to_postgresql_and_back_with_every_row_and_report(
    sqlite_instance: Instance, postgres: servers.Postgres, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sqlite_instance.shell(FILL)
    before = content(sqlite_instance)
    assert len([rows for rows in before[0].values() if rows]) > 20
    here = sqlite_instance
    for database in ({"DATABASE_URL": postgres.create("moved", postgres.migrated())}, {}):
        path = here.back_up("moving")
        there = Instance(tmp_path_factory.mktemp("var"), database)
        servers.compile_kernels()
        copied = take_list(here, there)
        done = there.restore(path, "--list", str(copied))
        assert done.json["void_invitations"] == 0
        rows, report = content(there)
        # The first backup did not know of the second.
        assert {**rows, "backup_backup": []} == {**before[0], "backup_backup": []}
        assert report == before[1]
        here = there


def test_every_column_type_has_a_form_in_both_databases() -> None:
    models = apps.get_models(include_auto_created=True)
    types = {value_type(field) for model in models for field in model._meta.local_concrete_fields}
    assert types <= FORMS.keys()


def test_row_is_written_as_each_database_writes_it() -> None:
    kinds = ("BigAuto", "Boolean", "DateTime", "UUID", "Binary", "Float", "Text")
    types = [f"{kind}Field" for kind in kinds]
    uuid = "01234567-89ab-cdef-0123-456789abcdef"
    values = [7, 1, "2026-11-25 12:00:00.100000", uuid.replace("-", ""), {"base64": "AAk="}, 1e-05, ODD]
    sqlite = json.dumps(values, ensure_ascii=False).encode() + b"\n"
    odd = ODD.replace("\\", r"\\").replace("\t", r"\t").replace("\n", r"\n").replace("\r", r"\r")
    parts = ["7", "t", "2026-11-25 12:00:00.100000+00", uuid, r"\\x0009", "1e-05", odd]
    postgresql = "\t".join(parts).encode() + b"\n"
    assert to_postgresql(sqlite[:-1], types) == postgresql
    assert to_sqlite(postgresql[:-1], types) == sqlite
    # PostgreSQL leaves out the zeros at the end.
    assert to_sqlite(postgresql[:-1].replace(b".100000+", b".1+"), types) == sqlite
    assert to_sqlite(rb"\N", ["UUIDField"]) == b"[null]\n"
    assert to_postgresql(b"[null]", ["UUIDField"]) == b"\\N\n"


# --- a restore that is killed has not happened, and can be begun again --------------------------------------


# Dies before the first statement with such words, each in a process of its own; how each of them ended.
KILLED = """
import time
from tests.commands import dies_before

# PostgreSQL notices a moment later that a process is gone; a restore is refused beside it.
OTHERS = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

def is_alone():
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute(OTHERS)
        return cursor.fetchone() is None

found = []
for place in {places!r}:
    while not is_alone():
        time.sleep(0.05)
    connections.close_all()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with connection.execute_wrapper(dies_before(place)):
            call_command("restore", *{words!r})
        os._exit(0)
    found.append(os.waitpid(child, 0)[1])
"""
# Dies once all is committed, before the files of the database are cleared of what was replaced.
UNSWEPT = """
from intake.batches import overwrite_deleted
overwrite_deleted.overwrite_deleted_rows = lambda: os.kill(os.getpid(), signal.SIGKILL)
if not os.fork():
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    call_command("restore", *{words!r})
os.wait()
"""
TICK = "from intake.batches import automatic_sealing; automatic_sealing.on_tick(timezone.now())"
# Once the first migration is recorded, and after all rows. What was committed too early would be there after the later
# death.
PLACES = ['INSERT INTO "django_migrations"', 'INSERT INTO "accounts_history"']


@pytest.mark.night
def test_killed_restore_leaves_the_old_state_and_can_be_repeated(make: Make) -> None:
    home = make(migrated=True)
    people = "[Person.objects.create(username=f'{name}{{n}}') for n in range(5)]"
    home.shell(people.format(name="old"))
    path = home.back_up()
    home.shell(people.format(name="new"))
    words = [str(path), "--replace", "--yes"]
    before = home.rows()
    ended = home.shell(KILLED.format(places=PLACES, words=words), "found")
    assert ended == [signal.SIGKILL] * len(PLACES)
    assert home.rows() == before
    home.shell(UNSWEPT.format(words=words))
    after = home.rows()
    names = {f"{kind}{n}" for kind in ("old", "new") for n in range(5)}
    there = {name for name in names if any(name in row for row in after["accounts_person"])}
    assert there == {f"old{n}" for n in range(5)}
    # The tick finds what is left to do.
    assert after["intake_sweep"]
    home.shell(TICK)
    assert home.rows()["intake_sweep"] == []


# --- a backup that an older Candor made ---------------------------------------------------------------------


BACK_UP = "backing_up.back_up(Path({path!r}), archive.instance_key(), timezone.now(), lambda line: None)"
# As the version before this migration would have done it; the tables that came with it are not there.
OLDER = f"from config.backup import saved_tables\nsaved_tables.unapplied_migrations = lambda: []\n{BACK_UP}"
ANSWER = """
survey = Survey.objects.get()
sent = asked.envelope(survey.design.content, token=create_tokens(survey, 1)[0])
status = asked.post(survey, sent).status_code
"""


@pytest.mark.night
def test_backup_of_an_older_candor_is_restored_and_migrated(make: Make) -> None:
    home, new = make(migrated=True), make()
    home.shell("create_tokens(asked.survey(asked.design(least=20), invited=True), 30)")
    servers.manage(home.env, "migrate", "proof", "zero", "--verbosity=0")
    missing = servers.manage(home.env, "showmigrations", "--plan").count("[ ]")
    assert missing
    assert "proof_proof" not in home.rows()
    path = home.var / "older.backup"
    home.shell(OLDER.format(path=str(path)))
    done = new.restore(path, "--list", str(take_list(home, new)))
    assert done.json["migrated"] == missing
    before, after = home.rows(), new.rows()
    for table in ("intake_token", "surveys_survey", "surveys_design"):
        assert after[table] == before[table]
    answered = "[status, SpentToken.objects.count(), Token.objects.count()]"
    assert new.shell(ANSWER, answered) == [201, 1, 30]
    servers.manage(new.env, "check", "--database", "default")
    servers.manage(new.env, "migrate", "--check")


@pytest.mark.parametrize("make", ["sqlite"], indirect=True)
def test_stored_backup_of_an_earlier_build_is_restored_and_migrated(make: Make) -> None:
    """What `./run bench upgrade` upgrades from, which made it with this key."""
    (path,) = Path(__file__).with_name("older").glob("*.backup")
    new = make(secret="the key of backups which hold nobody's answers but the bench's own")
    new.restore(path, "--without-list", "--yes")
    servers.manage(new.env, "migrate", "--check")


MINED = """
from jobs.models import Job
from mining.parameters import Parameters
from runs import run_start
from tests.runs import sealed
survey = sealed.survey(Person.objects.create(username="owner"), sealed.small_design(), [300])
run_start.start_mining_run(survey, survey.owner, Parameters(0.1, 0.3), timezone.now())
"""
BACKTESTED = """
from jobs.models import Job
from runs.models import Run
now = timezone.now()
done = Job(kind="reports.backtest", state="done", created=now, queued=now, finished=now)
Job.objects.bulk_create([done])
with connection.cursor() as cursor:
    row = [done.pk, Run.objects.values_list("pk", flat=True).get()]
    cursor.execute("INSERT INTO reports_backtest (job_id, run_id, populations, again) VALUES (%s, %s, 1, '{}')", row)
"""


@pytest.mark.night
def test_backtest_jobs_of_an_old_backup_are_dropped(make: Make) -> None:
    home, new = make(migrated=True), make()
    home.shell(MINED)
    servers.manage(home.env, "migrate", "reports", "0001_initial", "--verbosity=0")
    home.shell(BACKTESTED)
    path = home.var / "older.backup"
    home.shell(OLDER.format(path=str(path)))
    new.restore(path, "--list", str(take_list(home, new)))
    assert "reports_backtest" not in new.rows()
    assert new.shell("from jobs.models import Job", "[job.kind for job in Job.objects.all()]") == ["runs.run"]


ALTER = """
from django.db.utils import OperationalError
from config.backup import saved_tables
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
"""


@pytest.mark.night
def test_migration_alters_a_just_filled_postgresql_table(postgres: servers.Postgres, tmp_path: Path) -> None:
    home = Instance(tmp_path, {"DATABASE_URL": postgres.create("altered", postgres.migrated())})
    assert home.shell(ALTER, "said") == [True, True]


# --- runs after a restore ------------------------------------------------------------------------------------


RUNS = """
from jobs import database, job_state_changes
from mining.parameters import Parameters
from runs import run_start
from runs.models import Run
from tests.runs import sealed
owner = Person.objects.create(username="owner")
survey = sealed.survey(owner, sealed.small_design(), [300] * 3)

def started(confidence):
    wanted = Parameters(min_support=0.1, min_confidence=confidence, max_size=2)
    return run_start.start_mining_run(survey, owner, wanted, timezone.now())

done, waiting, running = started(0.3), started(0.4), started(0.5)
sealed.perform_one(done)
# A worker has claimed it twice already, and works on it.
Run.objects.filter(pk=running.pk).update(attempts=2)
job_state_changes.claim(running.pk, token="a" * 32, worker="w9", now=database.now())
done.refresh_from_db()
"""
# After the backup the two others are done here as well.
HERE = """
job_state_changes.requeue_all_of_worker("w9")
sealed.all_that_waits()
"""
THERE = """
from jobs import running_job_heartbeats
from runs.models import Run
from runs import run_start
from tests.runs import sealed
found = list(Run.objects.order_by("pk").values_list("state", "attempts", "claim"))
running_job_heartbeats.requeue_or_fail_dead_jobs(timezone.now())
sealed.all_that_waits()
again = sealed.work(run_start.repeat_run(Run.objects.get(pk={done}), Person.objects.get(), timezone.now()))
"""
STATES = 'list(Run.objects.order_by("pk").values_list("state", "digest"))'


# Rows come back alike on both; what is done with them then is the same.
@pytest.mark.night
@pytest.mark.parametrize("make", ["sqlite"], indirect=True)
def test_restored_runs_are_finished_and_repeated_with_the_same_digests(make: Make) -> None:
    home, new = make(migrated=True), make()
    path = home.var / "first.backup"
    program = RUNS + BACK_UP.format(path=str(path)) + HERE
    done, digest, expected = home.shell(program, f"[done.pk, done.digest, {STATES}]")
    assert [state for state, _digest in expected] == ["done"] * 3
    assert len({digest for _state, digest in expected}) == 3
    new.restore(path, "--list", str(take_list(home, new)))
    found, after, again = new.shell(THERE.format(done=done), f"[found, {STATES}, again.digest]")
    # What ran waits again and has not lost an attempt by it.
    assert found == [["done", 1, ""], ["queued", 0, ""], ["queued", 2, ""]]
    assert after[:3] == expected
    assert after[3] == ["done", digest]
    assert again == digest
