"""The audit of the lock: what is known is found, what is fixed is not, and a look that was none is never "nothing"."""

import copy
import io
import json
import os
import random
import resource
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest
from packaging.version import Version

from config import lock
from config.advisories import __main__ as command, reading
from config.advisories.affected import Advisory, NotComparable
from config.advisories.audit import OLDEST, Looked, look, pinned
from config.advisories.reading import AuditFailed
from tests import servers

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LOCKED = """# product
django==5.2.4 \\
    --hash=sha256:00
typing-extensions==4.16.0 ; python_full_version < '3.12' \\
    --hash=sha256:01
# tests
pytest==9.0.0rc1 \\
    --hash=sha256:02
"""


def record(**more: Any) -> dict[str, Any]:
    """Of everything in Django before 5.2.5, unless it says otherwise."""
    return {
        "schema_version": "1.7.0",
        "id": "PYSEC-2026-1",
        "modified": "2026-11-19T08:00:00.123456789Z",
        "affected": [affected()],
        **more,
    }


def affected(
    name: str = "Django", *events: dict[str, str], ecosystem: str = "PyPI", **more: Any
) -> dict[str, Any]:
    known = events or ({"introduced": "0"}, {"fixed": "5.2.5"})
    package = {"ecosystem": ecosystem, "name": name}
    return {"package": package, "ranges": [{"type": "ECOSYSTEM", "events": list(known)}], **more}


@pytest.fixture
def audited(tmp_path: Path) -> Callable[..., Looked]:
    """What is found by these records, each in a file of its own."""

    def audit(*found: Any, now: datetime = NOW) -> Looked:
        for number, one in enumerate(found):
            (tmp_path / f"{number}.json").write_text(json.dumps(one))
        return look(LOCKED, tmp_path, now)

    return audit


def said(looked: Looked) -> list[str]:
    return list(map(str, looked.findings))


# --- what is found


def test_a_finding_says_package_version_ids_and_where_it_is_fixed(audited: Callable[..., Looked]) -> None:
    looked = audited(record(aliases=["CVE-2026-7", "GHSA-aaaa"]))
    assert said(looked) == ["django 5.2.4: CVE-2026-7, GHSA-aaaa, PYSEC-2026-1; fixed in 5.2.5"]
    assert (looked.pins, looked.records, looked.newest.date()) == (3, 1, (NOW - timedelta(days=1)).date())


def test_what_two_databases_record_is_one_finding(audited: Callable[..., Looked]) -> None:
    first = record(aliases=["CVE-2026-7"])
    second = record(id="GHSA-aaaa", aliases=["CVE-2026-8"])
    # The third says that the other two are the same.
    third = record(
        id="CVE-2026-8", aliases=["CVE-2026-7"], affected=[affected("django", {"introduced": "5.2"})]
    )
    assert said(audited(first, second, third)) == [
        "django 5.2.4: CVE-2026-7, CVE-2026-8, GHSA-aaaa, PYSEC-2026-1; fixed in 5.2.5"
    ]


def test_two_vulnerabilities_are_two_findings(audited: Callable[..., Looked]) -> None:
    assert len(audited(record(), record(id="PYSEC-2026-2")).findings) == 2


@pytest.mark.parametrize("name", ["typing_extensions", "Typing.Extensions", "TYPING--EXTENSIONS"])
def test_names_are_compared_as_pypi_compares_them(audited: Callable[..., Looked], name: str) -> None:
    looked = audited(record(affected=[affected(name, {"introduced": "4"})]))
    assert said(looked) == ["typing-extensions 4.16.0: PYSEC-2026-1; no fixed version is named"]


def test_the_tests_part_of_the_lock_is_looked_at_too(audited: Callable[..., Looked]) -> None:
    assert said(audited(record(affected=[affected("pytest", {"introduced": "0"})])))


@pytest.mark.parametrize(
    "innocent",
    [
        record(withdrawn="2026-11-19T09:00:00Z"),
        record(affected=[affected("django-axes")]),
        record(affected=[affected(), affected(ecosystem="npm")][1:]),
        record(affected=[affected("Django", {"introduced": "0"}, {"fixed": "5.2.4"})]),
        record(affected=[affected("Django", {"introduced": "0"}, {"last_affected": "5.2.3"})]),
        record(affected=[affected("Django", {"introduced": "5.2.5"})]),
        record(affected=[]),
        record(affected=[{"package": {"ecosystem": "PyPI", "name": "django"}, "versions": ["5.2.3", "odd"]}]),
    ],
)
def test_what_does_not_affect_the_locked_version_is_no_finding(
    audited: Callable[..., Looked], innocent: Any
) -> None:
    other = record(id="PYSEC-2026-9", affected=[affected("flask")])
    assert said(audited(innocent, other)) == []


INTRODUCED, FIXED, LAST = "introduced", "fixed", "last_affected"


@pytest.mark.parametrize(
    ("events", "version", "inside"),
    [
        # Events are in the order of versions, not of the file.
        ([(FIXED, "2.0"), (INTRODUCED, "0")], "1.9", True),
        ([(INTRODUCED, "1.0"), (FIXED, "1.5"), (INTRODUCED, "2.0"), (FIXED, "2.5")], "1.7", False),
        ([(INTRODUCED, "1.0"), (FIXED, "1.5"), (INTRODUCED, "2.0"), (FIXED, "2.5")], "2.0", True),
        ([(INTRODUCED, "1.0"), (FIXED, "1.5"), (INTRODUCED, "2.0"), (FIXED, "2.5")], "2.5", False),
        # 10 is after 9 and not between 1 and 2.
        ([(INTRODUCED, "1.2"), (FIXED, "1.10")], "1.9", True),
        # A pre-release of the fix is before the fix; one of the first affected version is before that.
        ([(INTRODUCED, "0"), (FIXED, "9.0.0")], "9.0.0rc1", True),
        ([(INTRODUCED, "9.0.0"), (FIXED, "9.1")], "9.0.0rc1", False),
        ([(INTRODUCED, "0"), (FIXED, "9.0.0rc1")], "9.0.0rc1", False),
        ([(INTRODUCED, "9.0.0a1"), (FIXED, "9.0.0rc2")], "9.0.0rc1", True),
        ([(INTRODUCED, "0"), (FIXED, "1.0")], "1.0.post1", False),
        ([(INTRODUCED, "0"), (FIXED, "1!0.1")], "7.0", True),
        # The last affected version is affected, written with a zero more too.
        ([(INTRODUCED, "3.0"), (LAST, "3.0")], "3.0.0", True),
        ([(INTRODUCED, "3.0"), (LAST, "3.0")], "3.0.1", False),
        ([(INTRODUCED, "1.0"), (FIXED, "2.0"), (INTRODUCED, "2.0")], "2.1", True),
        ([(FIXED, "2.0")], "1.0", False),
    ],
)
def test_ranges_hold_what_their_last_event_says(
    events: list[tuple[str, str]], version: str, inside: bool
) -> None:
    advisory = Advisory("x", ("X",), (tuple(events),), frozenset())
    assert advisory.affects(Version(version)) is inside


def test_a_version_that_is_listed_is_affected_whatever_its_ranges_say(audited: Callable[..., Looked]) -> None:
    listed = affected("django", {"introduced": "0"}, {"fixed": "4.0"}, versions=["5.2.4.0"])
    assert said(audited(record(affected=[listed]))) == [
        "django 5.2.4: PYSEC-2026-1; no fixed version is named"
    ]


def test_each_branch_names_its_own_fix() -> None:
    older = ((INTRODUCED, "4.0"), (FIXED, "4.2.9"), (INTRODUCED, "5.0"), (FIXED, "5.2.5"), (FIXED, "6.0"))
    advisory = Advisory("django", ("X",), (older, ((INTRODUCED, "0"), (FIXED, "9.9"))), frozenset())
    assert advisory.fixed_in(Version("5.2.4")) == {Version("5.2.5"), Version("9.9")}


@pytest.mark.parametrize(
    "odd",
    [
        affected("django", {"introduced": "0.1dev-r123-odd"}, {"fixed": "5.2.5"}),
        affected("django", {"introduced": "0"}, {"fixed": "9" * 5000}),
        {
            "package": {"ecosystem": "PyPI", "name": "django"},
            "ranges": [{"type": "GIT", "repo": "x", "events": [{"introduced": "0"}]}],
        },
    ],
)
def test_what_cannot_be_compared_is_for_a_person_to_read(audited: Callable[..., Looked], odd: Any) -> None:
    [finding] = audited(record(affected=[odd])).findings
    assert not finding.is_certain
    assert str(finding).endswith("; names versions that cannot be compared, read it")


def test_a_range_that_cannot_be_compared_hides_no_other() -> None:
    odd, plain = ((INTRODUCED, "odd"),), ((INTRODUCED, "0"), (FIXED, "2"))
    advisory = Advisory("x", ("X",), (odd, plain), frozenset())
    assert advisory.affects(Version("1"))
    with pytest.raises(NotComparable):
        advisory.affects(Version("3"))


def test_a_finding_cannot_drive_a_terminal(audited: Callable[..., Looked]) -> None:
    [line] = said(audited(record(id="X\x1b[2J\u202e")))
    assert line.isprintable()


# --- looks that were none


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ([], "is no record"),
        ("django", "is no record"),
        ({"name": "candor", "dependencies": {}}, "is no record"),
        (record(id=5), "is no record"),
        (record(modified=None), "is no record"),
        (record(modified="yesterday"), "is no record"),
        (record(modified="0001-01-01T00:00:00+23:59"), "is no record"),
        (record(affected=["django"]), "is no record"),
        (record(affected=[affected(ecosystem="npm")]), "holds no advisory for a package of PyPI"),
        (record(affected=[{"package": {"ecosystem": "PyPI"}}]), "is no record"),
        (record(affected=[affected(versions=[5.2])]), "is no record"),
        (record(affected=[affected("django", {"introduced": 0})]), "is no record"),  # type: ignore[dict-item]
    ],
)
def test_what_is_no_record_is_not_passed_over(audited: Callable[..., Looked], broken: Any, why: str) -> None:
    with pytest.raises(AuditFailed, match=why):
        audited(broken)


@pytest.mark.parametrize(
    "damaged", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"id": ' + b"9" * 5000 + b"}", b'{"id": "X"} {}']
)
def test_a_damaged_record_is_not_passed_over(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "good.json").write_text(json.dumps(record()))
    (tmp_path / "other.json").write_bytes(damaged)
    with pytest.raises(AuditFailed, match=r"other\.json is damaged"):
        look(LOCKED, tmp_path, NOW)


def test_an_old_database_says_how_old_it_is(audited: Callable[..., Looked]) -> None:
    older = record(id="PYSEC-2020-1", modified="2020-01-01T00:00:00Z", withdrawn="2020-01-02T00:00:00Z")
    newest = datetime.fromisoformat(record()["modified"])
    assert said(audited(older, record(), now=newest + OLDEST))
    with pytest.raises(
        AuditFailed, match="was last changed on 2026-11-19, 31 days ago; after 30 it is too old"
    ):
        audited(older, record(), now=newest + OLDEST + timedelta(days=1))


def test_a_database_of_the_future_is_not_believed(audited: Callable[..., Looked]) -> None:
    with pytest.raises(AuditFailed, match="2099-01-01, and by this clock it is 2026-11-20"):
        audited(record(), record(id="PYSEC-2026-2", modified="2099-01-01T00:00:00Z"))


def test_a_place_that_is_not_there_or_empty_is_said(tmp_path: Path) -> None:
    with pytest.raises(AuditFailed, match=r"there is no .*/nowhere; the README says where to get advisories"):
        look(LOCKED, tmp_path / "nowhere", NOW)
    (tmp_path / "README.md").write_text("Advisories go here.")
    os.mkfifo(tmp_path / "pipe.json")  # reading it would wait for ever
    with pytest.raises(AuditFailed, match="holds no advisories"):
        look(LOCKED, tmp_path, NOW)


@pytest.mark.parametrize("locked", ["", "# product\n", "django>=5\n", "django\n", "django == \n"])
def test_a_lock_that_pins_nothing_is_not_clean(tmp_path: Path, locked: str) -> None:
    (tmp_path / "0.json").write_text(json.dumps(record()))
    with pytest.raises(AuditFailed, match="the lock"):
        look(locked, tmp_path, NOW)


def test_every_entry_of_our_lock_is_looked_at() -> None:
    text = lock.LOCK.read_text()
    assert len(pinned(text)) == len(lock.entries(text))


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
    assert len(look(LOCKED, place, NOW).findings) == 1
    assert len(look(LOCKED, tmp_path, NOW).findings) == 1


def test_a_damaged_zip_is_not_passed_over(tmp_path: Path) -> None:
    """Cut off and with bytes changed, wherever: nothing is read from it, or just what it held."""
    whole = packed({f"{place}.json": json.dumps(record(id=f"PYSEC-{place}")).encode() for place in range(9)})
    chance, refused = random.Random(1), 0
    for length in range(0, len(whole), 7):
        with pytest.raises(AuditFailed):
            look(LOCKED, zipped(tmp_path, whole[:length]), NOW)
    for _time in range(400):
        changed = bytearray(whole)
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        try:
            looked = look(LOCKED, zipped(tmp_path, bytes(changed)), NOW)
        except AuditFailed:
            refused += 1
        else:
            # Of a name or a date, which no checksum is about.
            assert {finding.ids for finding in looked.findings} <= {(f"PYSEC-{n}",) for n in range(9)}
    assert refused > 200


def test_members_beyond_measure_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = packed({"0.json": b" " * (reading.LARGEST + 1)})
    with pytest.raises(AuditFailed, match=r"0\.json in .*all\.zip is larger than any advisory"):
        look(LOCKED, zipped(tmp_path, large), NOW)
    with pytest.raises(AuditFailed, match="compressed in a way"):
        look(LOCKED, zipped(tmp_path, packed({"0.json": GOOD}, ZIP_BZIP2)), NOW)
    monkeypatch.setattr(reading, "MOST_UNPACKED", 3 * len(GOOD))
    with pytest.raises(AuditFailed, match="unpacks to more"):
        look(LOCKED, zipped(tmp_path, packed({f"{n}.json": GOOD for n in range(4)})), NOW)


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
            look(LOCKED, place, NOW)
            ends["looked"] += 1
        except AuditFailed:
            ends["refused"] += 1
    assert min(ends.values()) > 100, ends


def _holders(tree: Any) -> Any:
    for key in tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield tree, key
        yield from _holders(tree[key])
