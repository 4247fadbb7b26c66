"""What the database's own files hold once records are sealed: bytes, not rows."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from intake.batches.merging import FEWEST
from intake.batches.seen_keys import split_hashes
from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind
from privacy.records import Envelope
from tests import servers
from tests.intake import asked
from tests.intake.conftest import LiveServer, LiveSurvey, Shared
from tests.intake.test_on_servers import EXAMINE

pytestmark = pytest.mark.server
# 30 digits in base 8 are 90 bits: no text appears by chance.
ASKS = asked.design(least=20, digits=30)
MANY = 400
# As a text stands in a row; the pattern finds it wherever it lies.
RECORD = rb"1[0-7]{30}"
HEXADECIMAL = rb"[0-9a-f]{32}"
# Sixteen bytes out of the middle of what is packed.
# Eight columns of eight bytes: fewer may well be all zeros.
BATCHES = """
from intake.models import Batch
for batch in Batch.objects.filter(survey={survey}):
    print(bytes(batch.columns)[200:264].hex())
"""
SEAL = """
from intake.batches import sealing
sealing.seal_records({survey})
"""
FORGET = """
from intake.batches import automatic_sealing, overwrite_deleted
from surveys.models import Survey
for survey in {surveys} or Survey.objects.values_list("pk", flat=True):
    automatic_sealing.delete_all_received(survey)
overwrite_deleted.overwrite_deleted_rows()
"""
DESTROY = """
from django.utils import timezone
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
lifecycle.destroy_survey(Survey.objects.get(pk={survey}), None, timezone.now())
"""


def stored_hashes(home: LiveSurvey, sent: list[Envelope]) -> tuple[list[bytes], list[bytes]]:
    """Of the invitations, and of the keys."""
    found = home.find()
    links = [bytes.fromhex(found.hash_of(HashedTextKind.LINK, token)) for token in home.tokens]
    return links, [bytes.fromhex(found.hash_of_key(each)) for each in sent]


def envelopes(home: LiveSurvey) -> list[Envelope]:
    numbers = [int(token, 16) % 8**30 for token in home.tokens]
    return [home.envelope(n, token) for n, token in zip(numbers, home.tokens, strict=True)]


def overlapping_matches(content: bytes, pattern: bytes) -> set[bytes]:
    # Also where one begins inside another.
    return set(re.findall(b"(?=(" + pattern + b"))", content))


def record_texts(sent: list[str]) -> set[bytes]:
    return {f"1{text}".encode() for text in sent}


def records_in(content: bytes, sent: list[Envelope]) -> set[bytes]:
    return overlapping_matches(content, RECORD) & record_texts([each.record.answers for each in sent])


def sealed_pieces(home: LiveSurvey) -> set[bytes]:
    return {bytes.fromhex(line) for line in home.shell(BATCHES.format(survey=home.survey)).split()}


def sqlite_files(home: LiveSurvey) -> bytes:
    found = sorted(Path(home.env["VAR"]).glob("candor.sqlite3*"))
    assert found
    return b"".join(path.read_bytes() for path in found)


class Files:
    """The files of a PostgreSQL database, and the database itself, opened behind the product's back."""

    def __init__(self, postgres: servers.Postgres, url: str) -> None:
        self.postgres = postgres
        self.url = url
        self.connection = psycopg.connect(self.url, autocommit=True)

    def ask(self, sql: str) -> list[tuple[str, ...]]:
        return self.connection.execute(sql.encode()).fetchall()

    def read(self) -> bytes:
        self.connection.execute("CHECKPOINT")
        ((oid,),) = self.ask("SELECT oid FROM pg_database WHERE datname = current_database()")
        folder = self.postgres.data / "base" / str(oid)
        return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())


Open = Callable[[int], LiveSurvey]


def opening(server: LiveServer) -> Iterator[Open]:
    """Opens surveys with so many invitations; nothing of them is left in the end."""
    opened: list[LiveSurvey] = []

    def survey(tokens: int) -> LiveSurvey:
        opened.append(server.open_survey(ASKS, tokens))
        return opened[-1]

    yield survey
    if opened:
        opened[0].shell(FORGET.format(surveys=[home.survey for home in opened]))


@pytest.fixture
def on_sqlite(shared_server: Shared) -> Iterator[Open]:
    yield from opening(shared_server("sqlite"))


@pytest.fixture(scope="module")
def empty_server(shared_server: Shared) -> LiveServer:
    """Nothing is left of surveys of other tests, since a test looks at whole tables."""
    server = shared_server("postgresql")
    server.commands.run(FORGET.format(surveys=[]))
    return server


@pytest.fixture
def on_postgresql(empty_server: LiveServer) -> Iterator[Open]:
    yield from opening(empty_server)


@pytest.fixture(scope="module")
def files(empty_server: LiveServer, postgres: servers.Postgres) -> Iterator[Files]:
    files = Files(postgres, empty_server.env["DATABASE_URL"])
    yield files
    files.connection.close()


def send_and_tick(home: LiveSurvey) -> list[Envelope]:
    """Everybody posts, ten of them ten times more; then the tick does what is left to do."""
    sent = envelopes(home)
    assert set(home.post(sent, 20)) == {201}
    assert set(home.post(sent[:10] * 10)) == {200}
    home.send_tick()
    return sent


def send_until_merged(home: LiveSurvey) -> set[bytes]:
    """Pieces of the batches that are gone, once the tick has merged them."""
    sent = envelopes(home)
    # On a busy machine records wait until they are a few large batches; so no more than two of the least wait here.
    for first in range(0, MANY, 40):
        assert set(home.post(sent[first : first + 40], 20)) == {201}
        home.shell(SEAL.format(survey=home.survey))
    small = sealed_pieces(home)
    assert len(small) >= FEWEST
    # A batch whose records are not yet looked through for copies is not merged.
    home.shell(EXAMINE)
    home.send_tick()
    assert len(small - sealed_pieces(home)) >= FEWEST
    return small - sealed_pieces(home)


@pytest.mark.night
def test_sqlite_files_hold_no_used_token_and_keys_only_as_hashes(on_sqlite: Open) -> None:
    """The text of those records only that wait, and nothing of a survey once it was destroyed."""
    home = on_sqlite(MANY)
    sent = send_and_tick(home)
    found = home.find()
    assert 20 <= len(found.waiting) < 40
    assert sorted(found.all_records) == sorted(each.record.answers for each in sent)
    assert records_in(sqlite_files(home), sent) == record_texts(found.waiting)
    home.close()
    (links, keys), batches, content = stored_hashes(home, sent), sealed_pieces(home), sqlite_files(home)
    assert not records_in(content, sent)
    assert not [link for link in links if link in content]
    assert all(key in content for key in keys)
    for each in sent:
        assert each.key.encode() not in content
        assert (each.token or "").encode() not in content
    home.shell(DESTROY.format(survey=home.survey))
    content = sqlite_files(home)
    assert not [key for key in keys if key in content]
    assert not {piece for piece in batches if piece in content}


@pytest.mark.night
def test_no_file_holds_a_merged_batch(on_sqlite: Open, on_postgresql: Open, files: Files) -> None:
    for opens in (on_sqlite, on_postgresql):
        home = opens(MANY)
        small = send_until_merged(home)
        content = sqlite_files(home) if opens is on_sqlite else files.read()
        assert not {piece for piece in small if piece in content}


def test_postgresql_files_hold_no_sealed_record_or_used_token(on_postgresql: Open, files: Files) -> None:
    """Transactions and places of keys tell only the sealing."""
    home = on_postgresql(MANY)
    sent = envelopes(home)
    assert set(home.post(sent, 20)) == {201}
    # Statistics are drawn now and then by the server itself; here, while records wait.
    files.connection.execute("ANALYZE")
    home.send_tick()
    waiting = home.find().waiting
    assert records_in(files.read(), sent) == record_texts(waiting)
    home.close()
    (links, keys), content = stored_hashes(home, sent), files.read()
    assert not records_in(content, sent)
    assert not [link for link in links if link in content]
    assert all(key in content for key in keys)
    rows = files.ask(
        f"SELECT xmin::text, encode(hashes, 'hex') FROM intake_seenkeys WHERE survey_id = {home.survey} ORDER BY first"
    )
    stored = [key for _xmin, hashes in rows for key in split_hashes(bytes.fromhex(hashes))]
    assert len(stored) == MANY
    assert stored == sorted(stored)
    (sealings,) = files.ask(f"SELECT max(last)::text FROM intake_batch WHERE survey_id = {home.survey}")[0]
    # A block is written again for each sealing of which it has keys.
    assert len({xmin for xmin, _ in rows}) <= int(sealings)
    for table in ("intake_inbox", "intake_freshkey", "intake_token", "intake_spenttoken"):
        assert files.ask(f"SELECT pg_relation_size('{table}')::text") == [("0",)]


@pytest.mark.night
def test_statistics_and_logs_hold_no_received_record(on_postgresql: Open, files: Files) -> None:
    # The server is other tests' too, and what they provoked stands in its log.
    before = files.postgres.log.stat().st_size
    home = on_postgresql(100)
    home.post(envelopes(home)[:39])
    files.connection.execute("ANALYZE")
    found = files.ask("SELECT tablename, attname FROM pg_stats WHERE tablename LIKE 'intake%'")
    assert {("intake_inbox", "survey_id"), ("intake_spenttoken", "survey_id")} <= set(found)
    harmless = {"survey_id", "id", "epoch", "dropped_before", "first", "last", "n", "table"}
    assert {column for _table, column in found} <= harmless
    assert ("intake_inbox", "id") not in found
    # A hundred duplicates.
    home = on_postgresql(100)
    sent = send_and_tick(home)
    home.post([*sent, *sent])
    home.post([home.envelope(number, home.tokens[0]) for number in range(100)])
    log = files.postgres.log.read_bytes()[before:]
    assert not overlapping_matches(log, RECORD)
    assert not overlapping_matches(log, HEXADECIMAL)
    assert b"intake_" not in log
    for each in sent:
        assert each.key.encode() not in log


@pytest.mark.night
def test_reader_from_before_the_sealing_delays_the_sweep(on_postgresql: Open, files: Files) -> None:
    home = on_postgresql(100)
    reader = psycopg.connect(files.url)
    reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    reader.execute("SELECT 1").fetchall()
    sent = envelopes(home)
    assert set(home.post(sent, 20)) == {201}
    home.close()
    found = home.find()
    assert found.owed > 0
    assert found.waiting == []
    assert records_in(files.read(), sent)
    reader.close()
    home.send_tick()
    assert home.find().owed == 0
    assert not records_in(files.read(), sent)
