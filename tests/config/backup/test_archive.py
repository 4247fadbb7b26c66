"""A file that is not whole, not unaltered or not of this instance is refused before anything is read from it."""

import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from config.backup.archive import CHUNK, SEAL_BYTES, Archive, BackupRefused, Key, Writer, verified
from tests import servers

pytestmark = pytest.mark.page
KEY, OTHER = Key("a" * 50), Key("b" * 50)
TABLES = {
    "empty": [],
    "few": [b"first\n", b'{"base64": "AA=="}\n'],
    "many": [b"%06d\n" % n for n in range(1000)],
}


def written(key: Key = KEY, **more: str) -> bytes:
    file = io.BytesIO()
    writer = Writer(file, key)
    writer.head({"key": key.name, **more})
    for name, rows in TABLES.items():
        writer.table({"name": name})
        for row in rows:
            writer.rows(row)
    writer.end({"rows": 1002})
    return file.getvalue()


WHOLE = written()


@contextmanager
def opened(content: bytes, keys: Sequence[Key] = (KEY,)) -> Iterator[Archive]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        with Path(file.name).open("rb") as again:
            yield verified(Path(file.name), again, keys)


def read(archive: Archive) -> dict[str, bytes]:
    return {head["name"]: b"".join(parts) for head, parts in archive.tables()}


def refusal(content: bytes, keys: Sequence[Key] = (KEY,)) -> str:
    with pytest.raises(BackupRefused) as refused, opened(content, keys):
        pass
    return str(refused.value)


def test_what_was_written_is_read() -> None:
    with opened(WHOLE) as archive:
        assert read(archive) == {name: b"".join(rows) for name, rows in TABLES.items()}
        assert archive.end == {"rows": 1002}
        assert archive.head == {"key": KEY.name}


def test_every_part_that_is_read_holds_whole_rows() -> None:
    file = io.BytesIO()
    writer = Writer(file, KEY)
    writer.head({"key": KEY.name})
    writer.table({"name": "large"})
    row = b"x" * 1000 + b"\n"
    for _ in range(5000):
        writer.rows(row)
    writer.end({})
    with opened(file.getvalue()) as archive:
        ((_head, parts),) = ((head, list(parts)) for head, parts in archive.tables())
    assert len(parts) == 5
    assert all(part == row * (len(part) // len(row)) and len(part) < CHUNK + len(row) for part in parts)
    assert sum(map(len, parts)) == 5000 * len(row)


def test_a_file_that_was_cut_anywhere_is_refused_as_cut() -> None:
    for length in range(len(WHOLE)):
        assert "cut off" in refusal(WHOLE[:length]), length


@pytest.mark.parametrize("mask", [0x01, 0x80, 0xFF])
def test_a_file_with_any_byte_altered_is_refused(mask: int) -> None:
    for place in range(len(WHOLE)):
        altered = WHOLE[:place] + bytes([WHOLE[place] ^ mask]) + WHOLE[place + 1 :]
        assert refusal(altered), place


@given(st.data())
def test_a_file_into_which_something_was_put_is_refused(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(WHOLE)))
    more = data.draw(st.binary(min_size=1, max_size=40))
    assert refusal(WHOLE[:place] + more + WHOLE[place:])


@given(st.data())
def test_a_file_of_which_parts_were_moved_is_refused(data: st.DataObject) -> None:
    a, b, c = sorted(data.draw(st.lists(st.integers(0, len(WHOLE)), min_size=3, max_size=3, unique=True)))
    moved = WHOLE[:a] + WHOLE[b:c] + WHOLE[a:b] + WHOLE[c:]
    if moved != WHOLE:
        assert refusal(moved)


def test_whoever_alters_a_file_and_its_digest_lacks_the_key() -> None:
    """As somebody would who knows the format: the content of another file, sealed anew with a key of their own."""
    forged = written(OTHER, note="forged")
    assert "another instance" in refusal(forged)
    # With the name of the right key in its head, and a digest that is right.
    named = io.BytesIO()
    writer = Writer(named, OTHER)
    writer.head({"key": KEY.name})
    writer.end({})
    assert "altered" in refusal(named.getvalue())


def test_another_instances_file_is_refused_and_an_earlier_key_may_be_given() -> None:
    assert "another instance" in refusal(WHOLE, [OTHER])
    with opened(WHOLE, [OTHER, KEY]) as archive:
        assert archive.head["key"] == KEY.name


def test_a_newer_format_is_refused_as_newer() -> None:
    assert "newer Candor" in refusal(WHOLE.replace(b"candor-backup/1", b"candor-backup/2", 1))


@pytest.mark.parametrize("content", [b"SQLite format 3\x00" * 9, b"PGDMP", b"\x1f\x8b\x08", b"{}"])
def test_another_kind_of_file_is_refused_as_no_backup(content: bytes) -> None:
    assert "no backup of Candor" in refusal(content)


def test_a_file_that_changes_after_it_was_verified_is_refused_at_the_latest_at_its_end() -> None:
    for place in (20, len(WHOLE) // 2, len(WHOLE) - SEAL_BYTES - 1):
        with tempfile.NamedTemporaryFile() as file:
            file.write(WHOLE)
            file.flush()
            with Path(file.name).open("rb", buffering=0) as again:
                archive = verified(Path(file.name), again, [KEY])
                file.seek(place)
                file.write(bytes([WHOLE[place] ^ 1]))
                file.flush()
                with pytest.raises(BackupRefused, match="changed while"):
                    read(archive)


def test_keys_have_names_that_give_nothing_away() -> None:
    assert KEY.name != OTHER.name
    assert len(KEY.name) == 16
    assert KEY.secret not in KEY.name


# Writes, verifies and reads 60 MB that are 30 MB when compressed; the most memory that took, in kB.
LARGE = """
import os, sys
from pathlib import Path
from config.backup.archive import Key, Writer, verified
path, key = Path(sys.argv[1]), Key("a" * 50)
with path.open("wb") as out:
    writer = Writer(out, key)
    writer.head({"key": key.name})
    writer.table({"name": "large"})
    for _ in range(600):
        writer.rows(os.urandom(50_000).hex().encode() + b"\\n")
    writer.end({})
with path.open("rb") as file:
    found = sum(len(part) for _head, parts in verified(path, file, [key]).tables() for part in parts)
status = Path("/proc/self/status").read_text().split()
print(found, status[status.index("VmHWM:") + 1])
"""


def test_a_large_file_is_written_and_read_a_part_at_a_time(tmp_path: Path) -> None:
    words = [sys.executable, "-c", LARGE, str(tmp_path / "large")]
    done = subprocess.run(words, cwd=servers.ROOT, capture_output=True, text=True, check=True)
    found, kilobytes = map(int, done.stdout.split())
    assert found == 600 * 100_001
    assert (tmp_path / "large").stat().st_size > 30_000_000
    assert kilobytes < 50_000
