"""A backup is of one moment, made while people answer, there whole or not at all, and checked by night.

The file holds bytes, not rows. What a restored database does: test_nothing_revived.
"""

import json
import re
import resource
import shlex
import signal
import stat
import subprocess
import threading
from base64 import b64encode
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import load_command_class

from config.backup.archive import Key, verify_archive
from intake.endpoint.epochs import NO_EPOCH
from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind, hash_with_secret
from tests import servers
from tests.config.backup.conftest import Instance, Make, hashes, take_list, values_in_content
from tests.config.conftest import python
from tests.intake import asked
from tests.intake.conftest import FIND, LiveSurvey, live_survey

pytestmark = pytest.mark.server
ASKS = asked.design(least=20, digits=6)
PEOPLE = 300


@pytest.fixture
def home(make: Make) -> Iterator[LiveSurvey]:
    """Web processes, and a survey to which 300 people are invited."""
    of = make(migrated=True)
    with live_survey(of.var, ASKS, of.database, tokens=PEOPLE) as living:
        yield living


SPENT = """
from intake.models import FreshKey, SpentToken
print(json.dumps([SpentToken.objects.count(), FreshKey.objects.count()]))
"""


@pytest.mark.night
def test_backup_during_answers_has_each_answer_whole_or_not_at_all(home: LiveSurvey, make: Make) -> None:
    database = {name: value for name, value in home.env.items() if name == "DATABASE_URL"}
    of = Instance(Path(home.env["VAR"]), database, home.env["SECRET_KEY"])
    everybody = [home.envelope(number, token) for number, token in enumerate(home.tokens)]
    statuses: list[int] = []
    first, made = threading.Event(), threading.Event()

    def answer() -> None:
        """The first people have answered before the first backup begins, the last do so after it is made."""
        statuses.extend(home.post(everybody[:20], 2))
        first.set()
        statuses.extend(home.post(everybody[20:-20], 2))
        made.wait()
        statuses.extend(home.post(everybody[-20:], 2))

    answering = threading.Thread(target=answer, daemon=True)
    answering.start()
    first.wait()
    paths: list[Path] = []
    while answering.is_alive():
        paths.append(of.back_up(f"backup{len(paths)}"))
        made.set()
    answering.join()
    # Nobody had to wait for long, or was turned away.
    assert statuses == [201] * PEOPLE
    home.send_tick()
    received = [of.run_command("restore", str(path), "--check").json["records"] for path in paths]
    assert received == sorted(received)
    amid = [path for path, n in zip(paths, received, strict=True) if 0 < n < PEOPLE]
    assert amid, "no backup was made while people answered"
    new = make(secret=of.secret)
    done = new.restore(amid[-1], "--list", str(take_list(of, new)))
    told = servers.manage(new.env, "shell", "-v", "0", "-c", FIND.format(survey=home.survey) + SPENT)
    (sealed, waiting, keys, unused, _owed, secret, _invited), (spent, fresh) = map(
        json.loads, told.splitlines()
    )
    numbers = [int(text, 8) for text in [*waiting, *(text for batch in sealed for text in batch)]]
    assert len(numbers) == received[paths.index(amid[-1])]
    secrets = [f"{NO_EPOCH} {everybody[number].key}" for number in numbers]
    hashed = (hash_with_secret(bytes.fromhex(secret), HashedTextKind.KEY, text).hex() for text in secrets)
    assert sorted(keys) == sorted(hashed)
    assert len(numbers) + len(unused) + done.json["used_invitations"] == PEOPLE
    # On PostgreSQL a record may come in between the two steps of a sealing that take these.
    assert spent <= fresh


# After each table that is read, four more people answer over a connection of their own; often enough for sealings.
BETWEEN = """
from threading import Thread
from config.backup import table_rows
from intake.batches import automatic_sealing
from intake.models import Batch, Inbox

TABLES = (Batch, FreshKey, Inbox, SeenKeys, Token)

def state():
    return [sorted(map(written, table.objects.values_list("pk", flat=True))) for table in TABLES]

def written(pk):
    parts = pk if isinstance(pk, (list, tuple)) else [pk]
    texts = (bytes(part).hex() if isinstance(part, (bytes, memoryview)) else str(part) for part in parts)
    return " ".join(texts).replace("-", "")

def backed_up(path):
    found = {{}}
    with path.open("rb") as file:
        for head, parts in archive.verify_archive(path, file, [archive.instance_key()]).tables():
            found[head["name"]] = head["columns"], [line for part in parts for line in part.splitlines()]
    for table in TABLES:
        columns, lines = found[table._meta.db_table]
        keys = [columns.index(field.column) for field in table._meta.pk_fields]
        rows = [table_rows.row_storage().parse_row(line) for line in lines]
        yield sorted(written([row[key] for key in keys]) for row in rows)

automatic_sealing.SEAL_EVERY = 0  # however fast people answer here
asks = asked.design(least=20)
survey = asked.survey(asks, invited=True)
tokens = create_tokens(survey, 300)

def post(n):
    for _ in range(n):
        assert asked.post(survey, asked.envelope(asks, token=tokens.pop())).status_code == 201
    connections.close_all()

def between(line):
    thread = Thread(target=post, args=[4])
    thread.start()
    thread.join()

post(50)
before = state()
path = Path({path!r})
backing_up.back_up(path, archive.instance_key(), timezone.now(), between)
"""


def test_backup_is_of_the_moment_it_began(make: Make) -> None:
    home = make(migrated=True)
    program = BETWEEN.format(path=str(home.var / "first.backup"))
    before, after, backed_up = home.shell(program, "[before, state(), list(backed_up(path))]")
    assert set(after[0]) - set(before[0]), "batches were sealed, and merged where they were enough"
    assert len(after[4]) < len(before[4]) - 100
    assert backed_up == before


# --- the file ---------------------------------------------------------------------------------------------


def test_backup_file_is_private_and_never_overwritten(sqlite_instance: Instance) -> None:
    path = sqlite_instance.back_up()
    for file in (path, sqlite_instance.list):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sorted(file.name for file in path.parent.glob("first*")) == ["first.backup"]
    before = path.read_bytes()
    done = sqlite_instance.run_command("backup", str(path))
    assert (done.status, "is there already" in done.said) == (1, True)
    assert path.read_bytes() == before


def test_unreachable_backup_path_is_refused_in_one_line(sqlite_instance: Instance) -> None:
    """As in a folder that the account may not enter, which root may."""
    path = sqlite_instance.var / f"{'x' * 300}.backup"
    done = sqlite_instance.run_command("backup", str(path))
    assert done.status == 1
    assert done.said.strip() == f"CommandError: {path} cannot be written (File name too long)"


def test_missing_or_unmigrated_database_is_refused(tmp_path: Path) -> None:
    done = Instance(tmp_path, {}).run_command("backup", str(tmp_path / "none.backup"))
    assert (done.status, "another version" in done.said) == (1, True)
    assert not list(tmp_path.glob("none*"))


def test_backup_needs_a_key_and_finds_the_embedded_one(sqlite_instance: Instance) -> None:
    keyless = Instance(sqlite_instance.var, {}, secret="")
    done = keyless.run_command("backup", str(sqlite_instance.var / "none.backup"))
    assert (done.status, "SECRET_KEY" in done.said) == (1, True)
    (sqlite_instance.var / "secret-key").write_text(sqlite_instance.secret)
    assert sqlite_instance.run_command("restore", str(keyless.back_up()), "--check").status == 0


def test_invalid_arguments_are_a_usage_error() -> None:
    for words in ([], ["a", "--list"], ["a", "b"]):
        with pytest.raises(SystemExit) as ended:
            load_command_class("config.backup", "backup").run_from_argv(["manage.py", "backup", *words])
        assert ended.value.code == 2, words


BEFORE = """
from tests.config.backup.conftest import TELLTALE, answer
survey, doomed = asked.survey(TELLTALE, invited=True), asked.survey(TELLTALE)
tokens = create_tokens(survey, 60)
waiting, gone = answer(survey, 5, tokens[:5]), answer(doomed, 30)
"""
SINCE = """
from tests.config.backup.conftest import answer, destroy
from config.backup import irreversible_changes
answered = answer(Survey.objects.get(pk={survey}), 50, {tokens!r})
destroy(Survey.objects.get(pk={doomed}))
irreversible_changes.on_tick(timezone.now())
"""


def in_base64(values: Sequence[str | bytes]) -> list[str]:
    encoded = [value.encode() if isinstance(value, str) else value for value in values]
    return [b64encode(value).decode() for value in encoded]


def test_backup_holds_no_sealed_record_and_nothing_deleted(sqlite_instance: Instance) -> None:
    values = "[survey.pk, doomed.pk, tokens, waiting, gone]"
    survey, doomed, tokens, waiting, gone = sqlite_instance.shell(BEFORE, values)
    since = SINCE.format(survey=survey, doomed=doomed, tokens=tokens[5:55])
    answered = sqlite_instance.shell(since, "answered")
    path, content = sqlite_instance.back_up(), b""
    with path.open("rb") as file:
        for head, parts in verify_archive(path, file, [Key(sqlite_instance.secret)]).tables():
            content += repr(head).encode() + b"".join(parts)
    # A record in the inbox is a value of its own; of 55, twenty to thirty are in a batch.
    assert 25 <= len(values_in_content(content, in_base64([*waiting, *answered]))) <= 35
    links = in_base64(hashes(sqlite_instance, survey, tokens))
    assert values_in_content(content, in_base64(gone) + links[:40]) == []
    assert values_in_content(content, links[55:]) == links[55:]


LARGE = """
from intake.rehearsal.models import Truth
large = os.urandom(5_000_000)
Truth.objects.create(survey=asked.survey(asked.design()), n=1, size=1, counts=large, disguised=0, disguised_counts=b"")
"""


@pytest.mark.night
def test_full_disk_is_reported_in_one_line_and_leaves_no_file(sqlite_instance: Instance) -> None:
    sqlite_instance.shell(LARGE)

    def limit_file_size() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))

    path = str(sqlite_instance.var / "none.backup")
    done = python("manage.py", "backup", path, env=sqlite_instance.env, preexec_fn=limit_file_size)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("none.backup cannot be written (File too large)")
    assert not list(sqlite_instance.var.glob("none*"))


# Dies at each of its statements in turn; [status, the names of the files] after each death and at the end.
PIECES = """
from tests.commands import dies_at

path, found = Path({path!r}), []
for number in range(0, 1000, 15):
    connections.close_all()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with connection.execute_wrapper(dies_at(number)):
            call_command("backup", str(path))
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    found.append([status, sorted(file.name for file in path.parent.glob(path.name + "*"))])
    if not status:
        break
"""


@pytest.mark.night
def test_killed_backup_leaves_no_file_and_does_not_hinder_the_next(make: Make) -> None:
    home = make(migrated=True)
    path = home.var / "first.backup"
    deaths = home.shell(PIECES.format(path=str(path)), "found")
    assert len(deaths) > 4
    assert [status for status, _names in deaths] == [signal.SIGKILL] * (len(deaths) - 1) + [0]
    assert all("first.backup" not in names for _status, names in deaths[:-1])
    assert ["first.backup.part"] in [names for _status, names in deaths]
    assert deaths[-1][1] == ["first.backup"]
    assert home.run_command("restore", str(path), "--check").status == 0


# --- the units of deploy/ as systemd would run them ---------------------------------------------------------


def start(unit: str, instance: Instance, folder: Path) -> None:
    """Its commands, with our folders in the places of the installation's."""
    text = (servers.ROOT / f"deploy/{unit}.service").read_text().replace("$$", "$").replace("%%", "%")
    for line in re.findall(r"^Exec\w+=(.+)$", text.replace("/var/backups/candor", str(folder)), re.MULTILINE):
        subprocess.run(shlex.split(line), cwd=servers.ROOT, env=instance.env, check=True, capture_output=True)


def made_and_checked(instance: Instance) -> list[datetime | None]:
    """The times of the last backup and of its check, which /healthz and the metrics tell."""
    imported = "from config.backup.models import Backup"
    times = instance.shell(imported, "[Backup.last_made(), Backup.last_checked()]")
    return [datetime.fromisoformat(time) if time else None for time in times]


@pytest.mark.night
def test_nightly_backup_is_checked_and_an_altered_one_fails(
    sqlite_instance: Instance, tmp_path: Path
) -> None:
    sqlite_instance.shell("from tests.cast import unsaved_person; unsaved_person('olga')")
    assert made_and_checked(sqlite_instance) == [None, None]
    folder = tmp_path / "backups"
    folder.mkdir()
    start("candor-backup", sqlite_instance, folder)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    made, _unchecked = made_and_checked(sqlite_instance)
    middle = len(whole) // 2
    file.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    with pytest.raises(subprocess.CalledProcessError):
        start("candor-drill", sqlite_instance, folder)
    assert made_and_checked(sqlite_instance) == [made, None]
    file.write_bytes(whole)
    start("candor-drill", sqlite_instance, folder)
    again, checked = made_and_checked(sqlite_instance)
    assert again
    assert checked
    assert made == again < checked < datetime.now(UTC)
    assert [*folder.iterdir()] == [file]
