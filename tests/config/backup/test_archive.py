"""A file that is not whole, not unaltered or not of this instance is refused before anything is read from it."""

import io
import json
import tempfile
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from config.backup.archive import (
    CHUNK,
    COMMENT_BYTES,
    Archive,
    BackupRefused,
    Json,
    Key,
    verify_archive,
    write_archive,
)
from tests.config.conftest import python

pytestmark = pytest.mark.page
KEY, OTHER = Key("a" * 50), Key("b" * 50)
TABLES = {"empty": [], "few": [b"first\n", b'{"base64": "AA=="}\n']}
TABLES["many"] = [b"%06d\n" % n for n in range(1000)]
JOINED = {name: b"".join(rows) for name, rows in TABLES.items()}


def archive_bytes(
    key: Key = KEY, head: Json | None = None, tables: Mapping[str, Iterable[bytes]] = TABLES, end: int = 1002
) -> bytes:
    file = io.BytesIO()
    contents = (({"name": name}, rows) for name, rows in tables.items())
    length = write_archive(file, key, head or {"key": key.name}, contents, {"rows": end})
    assert length == len(file.getvalue())
    return file.getvalue()


WHOLE = archive_bytes()


@contextmanager
def open_archive(content: bytes, keys: Sequence[Key] = (KEY,)) -> Iterator[Archive]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        with Path(file.name).open("rb") as again:
            yield verify_archive(Path(file.name), again, keys)


def read(archive: Archive) -> dict[str, bytes]:
    return {head["name"]: b"".join(parts) for head, parts in archive.tables()}


def refusal(content: bytes, keys: Sequence[Key] = (KEY,)) -> str:
    with pytest.raises(BackupRefused) as refused, open_archive(content, keys):
        pass
    return str(refused.value)


def test_archive_is_read_back_also_with_an_earlier_key() -> None:
    for keys in ([KEY], [OTHER, KEY]):
        with open_archive(WHOLE, keys) as archive:
            assert (read(archive), archive.end) == (JOINED, {"rows": 1002})
            assert archive.head == {"key": KEY.name}


def test_every_part_read_holds_whole_rows() -> None:
    row = b"x" * 1000 + b"\n"
    with open_archive(archive_bytes(tables={"large": [row] * 5000})) as archive:
        ((_head, parts),) = ((head, list(parts)) for head, parts in archive.tables())
    assert len(parts) == 5
    assert all(part == row * (len(part) // len(row)) and len(part) < CHUNK + len(row) for part in parts)
    assert sum(map(len, parts)) == 5000 * len(row)


def test_archive_cut_anywhere_is_refused_as_cut() -> None:
    for length in range(len(WHOLE)):
        assert "cut off" in refusal(WHOLE[:length]), length


MASKS = (0x01, 0x80, 0xFF)


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.night) for n in (1, 2))])
def test_archive_with_any_altered_byte_is_refused(first: int) -> None:
    """Each by one of three masks in turn; at night each by each."""
    for place in range(len(WHOLE)):
        mask = MASKS[(place + first) % 3]
        altered = WHOLE[:place] + bytes([WHOLE[place] ^ mask]) + WHOLE[place + 1 :]
        assert refusal(altered), (place, mask)


@given(st.data())
def test_archive_with_inserted_or_moved_parts_is_refused(data: st.DataObject) -> None:
    places = st.integers(0, len(WHOLE))
    place, more = data.draw(places), data.draw(st.binary(min_size=1, max_size=40))
    assert refusal(WHOLE[:place] + more + WHOLE[place:])
    a, b, c = sorted(data.draw(st.lists(places, min_size=3, max_size=3, unique=True)))
    moved = WHOLE[:a] + WHOLE[b:c] + WHOLE[a:b] + WHOLE[c:]
    if moved != WHOLE:
        assert refusal(moved)


def test_archive_of_another_instance_version_or_format_is_refused_as_such() -> None:
    assert "another instance" in refusal(WHOLE, [OTHER])
    assert "newer Candor" in refusal(WHOLE.replace(b"candor-backup/1", b"candor-backup/2", 1))
    table = pack_with_valid_digest([(zipfile.ZipInfo("table.csv"), b"age,town\n" * 20)])
    for content in (b"SQLite format 3\x00" * 9, b"PGDMP", b"\x1f\x8b\x08", b"{}", table):
        assert "no backup of Candor" in refusal(content)
    assert "altered" in refusal(archive_bytes(tables={"few": [b"first\n", b"secon"]})), "it ends within a row"


def test_altered_archive_and_digest_need_the_key_and_its_name_reveals_nothing() -> None:
    """As somebody would who knows the format: the content of another file, sealed anew with a key of their own."""
    forged = archive_bytes(OTHER, {"key": OTHER.name, "note": "forged"})
    assert "another instance" in refusal(forged)
    # With the name of the right key in its head, and a digest that is right.
    assert "altered" in refusal(archive_bytes(OTHER, {"key": KEY.name}, tables={}))
    assert (len(KEY.name), KEY.name != OTHER.name, KEY.secret in KEY.name) == (16, True, False)


def test_archive_that_changes_after_verification_is_refused_by_its_end() -> None:
    for place in (20, len(WHOLE) // 2, len(WHOLE) - COMMENT_BYTES - 1):
        with tempfile.NamedTemporaryFile() as file:
            file.write(WHOLE)
            file.flush()
            with Path(file.name).open("rb", buffering=0) as again:
                archive = verify_archive(Path(file.name), again, [KEY])
                file.seek(place)
                file.write(bytes([WHOLE[place] ^ 1]))
                file.flush()
                with pytest.raises(BackupRefused, match="changed while"):
                    read(archive)


# --- its entries, as a program for zips sees them ----------------------------------------------------------

Entries = list[tuple[zipfile.ZipInfo, bytes]]


def entries(content: bytes) -> Entries:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return [(info, archive.read(info)) for info in archive.infolist()]


def pack_with_valid_digest(contents: Entries) -> bytes:
    """With a comment that is right, as somebody writes it who lacks the key alone."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a name that is there already
        for info, data in contents:
            fresh = zipfile.ZipInfo(info.filename)
            fresh.compress_type = info.compress_type
            archive.writestr(fresh, data)
        archive.comment = b"0" * COMMENT_BYTES
    whole = file.getvalue()[:-COMMENT_BYTES]
    return whole + sha256(whole).hexdigest().encode()


def test_every_table_is_an_undated_entry_between_head_and_seal() -> None:
    found = {info.filename: data for info, data in entries(WHOLE)}
    assert list(found) == ["head.json", *TABLES, "seal"]
    assert {name: found[name] for name in TABLES} == JOINED
    assert json.loads(found["head.json"]) == {"format": "candor-backup/1", "key": KEY.name}
    assert {info.date_time for info, _data in entries(WHOLE)} == {(1980, 1, 1, 0, 0, 0)}
    assert WHOLE[-COMMENT_BYTES:].decode() == sha256(WHOLE[:-COMMENT_BYTES]).hexdigest()
    # Packed by another program they are the same.
    with open_archive(pack_with_valid_digest(entries(WHOLE))) as archive:
        assert read(archive) == JOINED


def test_entries_with_other_rows_order_or_names_than_the_seal_are_refused() -> None:
    head, empty, few, many, seal = entries(WHOLE)
    tables = [empty, few, many]
    for rows in (b"", b"first\n", b"first\n" * 2, b'{"base64": "AA=="}\nfirst\n'):
        assert "altered" in refusal(pack_with_valid_digest([head, empty, (few[0], rows), many, seal])), rows
    for order in permutations(tables):
        if list(order) != tables:
            assert "altered" in refusal(pack_with_valid_digest([head, *order, seal]))
    assert "altered" in refusal(pack_with_valid_digest([head, seal, *tables]))
    for name in ("other", "../../etc/passwd", "/few", "few/", "few\n", "FEW", "seal2"):
        more, renamed = ((zipfile.ZipInfo(name), data) for data in (b"first\n", few[1]))
        assert "altered" in refusal(pack_with_valid_digest([head, more, *tables, seal])), name
        assert "altered" in refusal(pack_with_valid_digest([head, *tables, seal, more])), name
        assert "altered" in refusal(pack_with_valid_digest([head, empty, renamed, many, seal])), name


def test_duplicate_or_missing_entry_is_refused() -> None:
    contents = entries(WHOLE)
    assert len(contents) == 5
    for index in range(5):
        assert refusal(pack_with_valid_digest([*contents[: index + 1], *contents[index:]])), index
        assert refusal(pack_with_valid_digest([*contents[:index], *contents[index + 1 :]])), index


def test_compressed_head_or_seal_is_refused_before_unpacking() -> None:
    """They are read before the seal is compared, and a kilobyte can unpack to a gigabyte."""
    for index in (0, -1):
        contents = entries(WHOLE)
        contents[index][0].compress_type = zipfile.ZIP_DEFLATED
        assert refusal(pack_with_valid_digest(contents))


@pytest.mark.night
def test_large_tables_store_their_sizes_in_eight_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a file of a kilobyte were too large for four."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 1000)
    content = archive_bytes()
    assert b"PK\x06\x06" in content, "the end record of large zips"
    monkeypatch.undo()
    with open_archive(content) as archive:
        assert read(archive) == JOINED
    for length in range(len(content)):
        assert "cut off" in refusal(content[:length]), length


# Writes, verifies and reads 60 MB that are 30 MB when compressed; the most memory that took, in kB.
LARGE = """
import os, sys
from pathlib import Path
from config.backup.archive import Key, verify_archive, write_archive
path, key = Path(sys.argv[1]), Key("a" * 50)
with path.open("w+b") as out:
    rows = (os.urandom(50_000).hex().encode() + b"\\n" for _ in range(600))
    write_archive(out, key, {"key": key.name}, [({"name": "large"}, rows)], {})
with path.open("rb") as file:
    found = sum(len(part) for _head, parts in verify_archive(path, file, [key]).tables() for part in parts)
status = Path("/proc/self/status").read_text().split()
print(found, status[status.index("VmHWM:") + 1])
"""


@pytest.mark.night
def test_large_archive_is_written_and_read_in_parts(tmp_path: Path) -> None:
    found, kilobytes = map(int, python("-c", LARGE, str(tmp_path / "large"), check=True).stdout.split())
    assert found == 600 * 100_001
    assert (tmp_path / "large").stat().st_size > 30_000_000
    assert kilobytes < 50_000
