"""What a restore refuses, having written nothing: foreign, newer and damaged files, and a product that runs."""

import fcntl
import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import psycopg
import pytest

from config.backup import irreversible_changes_file
from config.backup.archive import Archive, BackupRefused, Json, Key, verify_archive, write_archive
from tests import servers
from tests.config.backup.conftest import SECRET, Instance, take_list
from tests.intake import asked
from tests.intake.conftest import live_survey

pytestmark = pytest.mark.server
PERSON = "Person.objects.create(username='olga')"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Instance:
    """On SQLite, with one account and a backup of it."""
    made = Instance(tmp_path_factory.mktemp("home"), {})
    shutil.copy(servers.migrated_file(), made.var)
    made.shell(PERSON)
    made.back_up()
    return made


@pytest.fixture
def backup(home: Instance) -> Path:
    return home.var / "first.backup"


@contextmanager
def open_archive(path: Path, key: str = SECRET) -> Iterator[Archive]:
    with path.open("rb") as file:
        yield verify_archive(path, file, [Key(key)])


Tables = Iterable[tuple[Json, Iterable[bytes]]]


def write_altered_backup(
    path: Path,
    name: str,
    tables: Callable[[Tables], Tables] = lambda tables: tables,
    end: Json | None = None,
    **head: object,
) -> Path:
    """As whoever has the key could have written it: other tables under another head."""
    new = path.with_name(f"{name}.backup")
    with open_archive(path) as archive, new.open("w+b") as out:
        content = tables(archive.tables())
        write_archive(out, Key(SECRET), {**archive.head, **head}, content, end or archive.end)
    return new


def head_of(path: Path) -> Json:
    with open_archive(path) as archive:
        return archive.head


# --- the file ---------------------------------------------------------------------------------------------


def test_cut_altered_or_foreign_backup_is_refused(home: Instance, backup: Path) -> None:
    whole, bad = backup.read_bytes(), home.var / "bad.backup"
    bad.write_bytes(whole[:-1])
    assert "cut off" in home.refusal_of_restore(bad, "--replace", "--yes")
    bad.write_bytes(whole[:2000] + bytes([whole[2000] ^ 1]) + whole[2001:])
    assert "altered" in home.refusal_of_restore(bad, "--replace", "--yes")
    stranger = Instance(home.var, {}, secret="s" + SECRET)
    assert "another instance" in stranger.refusal_of_restore(backup, "--replace", "--yes")
    assert "cannot be read" in home.refusal_of_restore(home.var / "none.backup")


def test_backups_of_newer_or_development_versions_are_refused(home: Instance, backup: Path) -> None:
    """The migrations of that had the same names and other bytes, or other labels."""
    known = head_of(backup)["migrations"]
    more = [*known, ["surveys", "9999_from_tomorrow", ""]]
    holes = [found for found in more if found[:2] != ["surveys", "0001_initial"]][:-1]
    others = [[app, name, file and "f" * 64] for app, name, file in known]
    labels = [["people" if app == "accounts" else app, name, file] for app, name, file in known]
    earlier = "was made by an earlier development version of Candor"
    for name, migrations, words in (
        ("newer", more, "newer Candor (surveys.9999_from_tomorrow)"),
        ("holes", holes, "newer Candor"),
        ("others", others, earlier),
        ("labels", labels, f"{backup.with_name('labels.backup')} {earlier}"),
    ):
        path = write_altered_backup(backup, name, migrations=migrations)
        options = ["--check"] if name == "others" else ["--replace", "--yes"]
        assert words in home.refusal_of_restore(path, *options), name


def test_backup_check_needs_no_database_or_folder(backup: Path, tmp_path: Path) -> None:
    nowhere = Instance(tmp_path / "nowhere", {})
    assert nowhere.restore(backup, "--check").json["made"] == head_of(backup)["made"]
    assert not (tmp_path / "nowhere" / "candor.sqlite3").exists()


@pytest.mark.night
def test_restore_into_an_impossible_folder_is_refused_in_one_line(backup: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    var = tmp_path / "file" / "var"
    said = Instance(var, {}).refusal_of_restore(backup)
    assert said.strip() == f"CommandError: cannot use {var} (Not a directory)"


def test_backup_with_missing_rows_is_refused_and_nothing_happens(home: Instance, backup: Path) -> None:
    def without_people(tables: Tables) -> Tables:
        for table, parts in tables:
            yield table, ([b""] if table["name"] == "accounts_person" else parts)

    # Said and confirmed, it goes on until the rows are counted.
    few = write_altered_backup(backup, "few", without_people)
    assert "does not hold" in home.refusal_of_restore(few, "--replace", typed="replace\n")


@pytest.mark.night
def test_backup_with_other_tables_or_dangling_rows_is_refused(home: Instance, backup: Path) -> None:
    lost = json.dumps([1, 999, 999, True, ""]).encode() + b"\n"

    def with_a_table(tables: Tables) -> Tables:
        return chain(tables, [({"name": "of_somebody", "columns": []}, iter([]))])

    def without_people(tables: Tables) -> Tables:
        return ((table, parts) for table, parts in tables if table["name"] != "accounts_person")

    def with_a_lost_row(tables: Tables) -> Tables:
        for table, parts in tables:
            yield table, chain(parts, [lost] if table["name"] == "surveys_collaborator" else [])

    with open_archive(backup) as archive:
        counts = {"rows": archive.end["rows"] | {"surveys_collaborator": 1}}
    for name, tables, end, words in (
        ("more", with_a_table, None, "does not hold"),
        ("less", without_people, None, "does not hold"),
        ("lost", with_a_lost_row, counts, "foreign key"),
    ):
        assert words in home.refusal_of_restore(
            write_altered_backup(backup, name, tables, end), "--replace", "--yes"
        ), name


def test_earlier_key_can_be_given_for_a_restore(home: Instance, backup: Path, tmp_path: Path) -> None:
    (tmp_path / "earlier-key").write_text(SECRET + "\n")
    today = Instance(tmp_path, {}, secret="s" + SECRET)
    key, kept = ("--key", str(tmp_path / "earlier-key")), take_list(home, today)
    done = today.run_command("restore", str(backup), *key, "--list", str(kept), "--check")
    assert (done.status, done.json["complete"]) == (0, True)
    assert "empty" in today.refusal_of_restore(backup, "--key", "/dev/null")


# --- the list ---------------------------------------------------------------------------------------------


def test_cut_altered_or_foreign_list_is_refused(home: Instance, backup: Path, tmp_path: Path) -> None:
    new = Instance(tmp_path, {})
    kept = take_list(home, new)
    text = kept.read_text()
    for bad, reason in {
        text[:-1]: "cut off",
        text[: text.rindex("seal")]: "cut off",
        text.replace("backup ", "backup f", 1): "altered",
        "".join(line for line in text.splitlines(True) if not line.startswith("backup")): "altered",
        text.replace("seal ", "seal f", 1): "cut off",
        text.replace(Key(SECRET).name, Key("other").name): "another instance",
        "something else": "no list",
        "": "no list",
    }.items():
        kept.write_text(bad)
        with pytest.raises(BackupRefused, match=reason):
            irreversible_changes_file.read_changes_file(kept, [Key(SECRET)])
    assert "no list" in new.refusal_of_restore(backup, "--list", str(kept))
    assert "cannot be read" in new.refusal_of_restore(backup, "--list", str(tmp_path / "nowhere"))


# --- the database that is here -----------------------------------------------------------------------------


def test_full_database_is_replaced_only_if_requested_and_confirmed(home: Instance, backup: Path) -> None:
    assert "not empty; --replace" in home.refusal_of_restore(backup)
    assert "nothing was changed" in home.refusal_of_restore(backup, "--replace")
    assert "nothing was changed" in home.refusal_of_restore(backup, "--replace", typed="yes\n")
    # test_backup_with_missing_rows_is_refused_and_nothing_happens types the word itself.


def test_backup_check_describes_the_file_and_stores_only_its_time(home: Instance, backup: Path) -> None:
    before = home.rows()
    done = home.run_command("restore", str(backup), "--check")
    assert (done.status, done.json["accounts"], done.json["complete"]) == (0, 1, True)
    after = home.rows()
    (was,), (checked,) = before.pop("backup_backup"), after.pop("backup_backup")
    assert was.endswith(", None)")
    assert checked.startswith(was.removesuffix("None)"))
    assert after == before


def test_database_without_all_migrations_is_migrated_first(sqlite_instance: Instance) -> None:
    path = sqlite_instance.back_up()
    servers.manage(sqlite_instance.env, "migrate", "proof", "zero", "--verbosity=0")
    assert "manage.py migrate" in sqlite_instance.refusal_of_restore(path, "--replace", "--yes")


# --- a product that runs ----------------------------------------------------------------------------------

GOES_ON = "not empty; --replace"
"""Said once it was found that nobody uses the database."""


def test_restore_is_refused_while_a_product_process_runs(home: Instance, backup: Path) -> None:
    with (home.var / "running").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)  # as each of them does
        assert "Candor runs" in home.refusal_of_restore(backup, "--replace", "--yes")
    assert GOES_ON in home.refusal_of_restore(backup)


@pytest.mark.night
def test_restore_is_refused_while_web_processes_run(sqlite_instance: Instance) -> None:
    of = sqlite_instance
    with live_survey(of.var, asked.design(least=20), {}) as running:
        of.secret = running.env["SECRET_KEY"]
        path = of.back_up()
        # The port is open a while before a process has loaded the product, and a record is taken.
        servers.wait(lambda: running.post([running.envelope(1)]) == [201], "a record being taken")
        assert "Candor runs" in of.refusal_of_restore(path, "--replace", "--yes")
    assert GOES_ON in of.refusal_of_restore(path)


def test_restore_finds_processes_on_other_machines_through_postgresql(
    postgres: servers.Postgres, tmp_path: Path
) -> None:
    home = Instance(tmp_path, {"DATABASE_URL": postgres.create("elsewhere", postgres.migrated())})
    home.shell(PERSON)
    path = home.back_up()
    with psycopg.connect(home.database["DATABASE_URL"], application_name="candor", autocommit=True):
        assert "uses this database from 127.0.0.1" in home.refusal_of_restore(path)
    with psycopg.connect(home.database["DATABASE_URL"], application_name="psql", autocommit=True):
        home.shell("Worker.objects.create(name='elsewhere:1', heard=timezone.now())")
        assert "a worker was heard" in home.refusal_of_restore(path)
        home.shell("Worker.objects.all().delete()")
        assert GOES_ON in home.refusal_of_restore(path)
