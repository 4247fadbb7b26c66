"""The files of advisories and the command that reads them: what is damaged is said, and costs bounded memory."""

import copy
import io
import json
import random
import resource
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest

from config.advisories import __main__ as command, reading
from config.advisories.audit import audit
from config.advisories.reading import AuditFailed
from tests import servers
from tests.config.advisory_records import LOCKED, NOW, affected, record

pytestmark = pytest.mark.slow


# --- zips


def packed(members: dict[str, bytes], method: int = ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def zipped(tmp_path: Path, data: bytes) -> Path:
    place = tmp_path / "all.zip"
    place.write_bytes(data)
    return place


GOOD = json.dumps(record()).encode()


def test_a_zip_is_read_alone_and_in_a_folder(tmp_path: Path) -> None:
    place = zipped(tmp_path, packed({"PYSEC-2026-1.json": GOOD, "LICENSE": b"free"}))
    assert len(audit(LOCKED, place, NOW).findings) == 1
    assert len(audit(LOCKED, tmp_path, NOW).findings) == 1


def test_a_damaged_zip_is_not_passed_over(tmp_path: Path) -> None:
    """Cut off and with bytes changed, wherever: nothing is read from it, or just what it held."""
    whole = packed({f"{place}.json": json.dumps(record(id=f"PYSEC-{place}")).encode() for place in range(9)})
    chance, refused = random.Random(1), 0
    for length in range(0, len(whole), 7):
        with pytest.raises(AuditFailed):
            audit(LOCKED, zipped(tmp_path, whole[:length]), NOW)
    for _time in range(400):
        changed = bytearray(whole)
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        try:
            looked = audit(LOCKED, zipped(tmp_path, bytes(changed)), NOW)
        except AuditFailed:
            refused += 1
        else:
            # Of a name or a date, which no checksum is about.
            assert {finding.ids for finding in looked.findings} <= {(f"PYSEC-{n}",) for n in range(9)}
    assert refused > 200


def test_members_beyond_measure_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = packed({"0.json": b" " * (reading.LARGEST + 1)})
    with pytest.raises(AuditFailed, match=r"0\.json in .*all\.zip is larger than any advisory"):
        audit(LOCKED, zipped(tmp_path, large), NOW)
    with pytest.raises(AuditFailed, match="compressed in a way"):
        audit(LOCKED, zipped(tmp_path, packed({"0.json": GOOD}, ZIP_BZIP2)), NOW)
    monkeypatch.setattr(reading, "MOST_UNPACKED", 3 * len(GOOD))
    with pytest.raises(AuditFailed, match="unpacks to more"):
        audit(LOCKED, zipped(tmp_path, packed({f"{n}.json": GOOD for n in range(4)})), NOW)


def test_a_member_that_holds_more_than_it_declares_is_refused_in_little_memory(tmp_path: Path) -> None:
    """300 MB of spaces that both headers call 100 bytes."""
    data = packed({"0.json": b" " * 300_000_000})
    true, lie = (300_000_000).to_bytes(4, "little"), (100).to_bytes(4, "little")
    assert data.count(true) == 2
    done = in_little_memory(zipped(tmp_path, data.replace(true, lie)))
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "is damaged" in done.stderr


def test_more_members_than_memory_are_said(tmp_path: Path) -> None:
    data = packed({f"{number}{'x' * 60_000}": b"" for number in range(2_000)})
    done = in_little_memory(zipped(tmp_path, data))
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.endswith("needs more memory than a database of advisories\n")


def in_little_memory(place: Path) -> "subprocess.CompletedProcess[str]":
    """The command in a process of its own, with 200 MB."""
    code = (
        "import sys; from config.advisories import __main__ as command; "
        "command.MEMORY = 200_000_000; sys.exit(command.main())"
    )
    words = [sys.executable, "-c", code, str(place)]
    return subprocess.run(words, capture_output=True, text=True, cwd=servers.ROOT)


# --- the command


@pytest.fixture
def ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Exit status, output and messages of the command beside a lock of its own."""
    (tmp_path / "lock").write_text(LOCKED)
    monkeypatch.setattr(command, "LOCK", tmp_path / "lock")
    monkeypatch.setattr(resource, "setrlimit", lambda which, most: None)  # these tests' own process

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["audit", *words])
        status = command.main()
        return (status, *capsys.readouterr())

    return run


def recent(**more: Any) -> dict[str, Any]:
    return record(modified=datetime.now(UTC).isoformat(), **more)


def test_the_status_says_found_nothing_or_could_not_look(
    ask: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    place = tmp_path / "found.json"
    place.write_text(json.dumps(recent()))
    status, out, err = ask(str(place))
    assert (status, out) == (1, "django 5.2.4: PYSEC-2026-1; fixed in 5.2.5\n")
    assert err.startswith("3 locked versions, 1 advisories for PyPI, the newest of ")
    place.write_text(json.dumps(recent(affected=[affected("flask")])))
    status, out, err = ask(str(place))
    assert (status, out) == (0, "")
    assert err.endswith(": 0 found.\n")
    place.write_text(json.dumps(record(modified="2020-01-01T00:00:00Z")))
    for missing in (str(place), str(tmp_path / "nowhere")):
        status, out, err = ask(missing)
        assert (status, out) == (2, "")
        assert err.startswith("./run audit: could not look: ")
        assert err.count("\n") == 1


def test_a_lock_that_cannot_be_read_is_said(ask: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    (tmp_path / "lock").write_bytes(b"\xff")
    status, out, err = ask(str(tmp_path))
    assert (status, out) == (2, "")
    assert "could not look: cannot read" in err


def test_mutated_records_are_looked_at_or_refused(tmp_path: Path) -> None:
    """A thousand, of one seed: no end but these two."""
    chance, ends = random.Random(7), {"looked": 0, "refused": 0}
    values: list[Any] = [None, True, 0, -1, 1e308, "", "0", "x", "9" * 5000, [], {}, [[]], [{}], {"": 0}]
    place = tmp_path / "0.json"
    for _time in range(1000):
        tree = copy.deepcopy(record(aliases=["CVE-1"], withdrawn=None, affected=[affected(versions=["5.2"])]))
        holders = [*_holders(tree)]
        holder, key = chance.choice(holders)
        holder[key] = chance.choice(values)
        place.write_text(json.dumps(tree))
        try:
            audit(LOCKED, place, NOW)
            ends["looked"] += 1
        except AuditFailed:
            ends["refused"] += 1
    assert min(ends.values()) > 100, ends


def _holders(tree: Any) -> Any:
    for key in tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield tree, key
        yield from _holders(tree[key])
