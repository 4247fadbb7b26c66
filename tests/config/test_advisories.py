"""The audit of the lock: what is known is found, what is fixed is not, and a look that was none is never "nothing"."""

import json
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from config import lock
from config.advisories.affected import Advisory, NotComparable
from config.advisories.audit import OLDEST, AuditResult, audit, pins_of
from config.advisories.reading import AuditFailed
from tests.config.advisory_records import LOCKED, NOW, affected, record


@pytest.fixture
def audited(tmp_path: Path) -> Callable[..., AuditResult]:
    """What is found by these records, each in a file of its own."""

    def audit_of(*found: Any, now: datetime = NOW) -> AuditResult:
        for number, one in enumerate(found):
            (tmp_path / f"{number}.json").write_text(json.dumps(one))
        return audit(LOCKED, tmp_path, now)

    return audit_of


def said(looked: AuditResult) -> list[str]:
    return list(map(str, looked.findings))


# --- what is found


def test_a_finding_says_package_version_ids_and_where_it_is_fixed(
    audited: Callable[..., AuditResult],
) -> None:
    looked = audited(record(aliases=["CVE-2026-7", "GHSA-aaaa"]))
    assert said(looked) == ["django 5.2.4: CVE-2026-7, GHSA-aaaa, PYSEC-2026-1; fixed in 5.2.5"]
    assert (looked.pins, looked.records, looked.newest.date()) == (3, 1, (NOW - timedelta(days=1)).date())


def test_what_two_databases_record_is_one_finding(audited: Callable[..., AuditResult]) -> None:
    first = record(aliases=["CVE-2026-7"])
    second = record(id="GHSA-aaaa", aliases=["CVE-2026-8"])
    # The third says that the other two are the same.
    third = record(
        id="CVE-2026-8", aliases=["CVE-2026-7"], affected=[affected("django", {"introduced": "5.2"})]
    )
    assert said(audited(first, second, third)) == [
        "django 5.2.4: CVE-2026-7, CVE-2026-8, GHSA-aaaa, PYSEC-2026-1; fixed in 5.2.5"
    ]


def test_two_vulnerabilities_are_two_findings(audited: Callable[..., AuditResult]) -> None:
    assert len(audited(record(), record(id="PYSEC-2026-2")).findings) == 2


@pytest.mark.parametrize("name", ["typing_extensions", "Typing.Extensions", "TYPING--EXTENSIONS"])
def test_names_are_compared_as_pypi_compares_them(audited: Callable[..., AuditResult], name: str) -> None:
    looked = audited(record(affected=[affected(name, {"introduced": "4"})]))
    assert said(looked) == ["typing-extensions 4.16.0: PYSEC-2026-1; no fixed version is named"]


def test_the_tests_part_of_the_lock_is_looked_at_too(audited: Callable[..., AuditResult]) -> None:
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
    audited: Callable[..., AuditResult], innocent: Any
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


def test_a_version_that_is_listed_is_affected_whatever_its_ranges_say(
    audited: Callable[..., AuditResult],
) -> None:
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
def test_what_cannot_be_compared_is_for_a_person_to_read(
    audited: Callable[..., AuditResult], odd: Any
) -> None:
    [finding] = audited(record(affected=[odd])).findings
    assert not finding.is_certain
    assert str(finding).endswith("; names versions that cannot be compared, read it")


def test_a_range_that_cannot_be_compared_hides_no_other() -> None:
    odd, plain = ((INTRODUCED, "odd"),), ((INTRODUCED, "0"), (FIXED, "2"))
    advisory = Advisory("x", ("X",), (odd, plain), frozenset())
    assert advisory.affects(Version("1"))
    with pytest.raises(NotComparable):
        advisory.affects(Version("3"))


def test_a_finding_cannot_drive_a_terminal(audited: Callable[..., AuditResult]) -> None:
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
def test_what_is_no_record_is_not_passed_over(
    audited: Callable[..., AuditResult], broken: Any, why: str
) -> None:
    with pytest.raises(AuditFailed, match=why):
        audited(broken)


@pytest.mark.parametrize(
    "damaged", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"id": ' + b"9" * 5000 + b"}", b'{"id": "X"} {}']
)
def test_a_damaged_record_is_not_passed_over(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "good.json").write_text(json.dumps(record()))
    (tmp_path / "other.json").write_bytes(damaged)
    with pytest.raises(AuditFailed, match=r"other\.json is damaged"):
        audit(LOCKED, tmp_path, NOW)


def test_an_old_database_says_how_old_it_is(audited: Callable[..., AuditResult]) -> None:
    older = record(id="PYSEC-2020-1", modified="2020-01-01T00:00:00Z", withdrawn="2020-01-02T00:00:00Z")
    newest = datetime.fromisoformat(record()["modified"])
    assert said(audited(older, record(), now=newest + OLDEST))
    with pytest.raises(
        AuditFailed, match="was last changed on 2026-11-19, 31 days ago; after 30 it is too old"
    ):
        audited(older, record(), now=newest + OLDEST + timedelta(days=1))


def test_a_database_of_the_future_is_not_believed(audited: Callable[..., AuditResult]) -> None:
    with pytest.raises(AuditFailed, match="2099-01-01, and by this clock it is 2026-11-20"):
        audited(record(), record(id="PYSEC-2026-2", modified="2099-01-01T00:00:00Z"))


def test_a_place_that_is_not_there_or_empty_is_said(tmp_path: Path) -> None:
    with pytest.raises(AuditFailed, match=r"there is no .*/nowhere; the README says where to get advisories"):
        audit(LOCKED, tmp_path / "nowhere", NOW)
    (tmp_path / "README.md").write_text("Advisories go here.")
    os.mkfifo(tmp_path / "pipe.json")  # reading it would wait for ever
    with pytest.raises(AuditFailed, match="holds no advisories"):
        audit(LOCKED, tmp_path, NOW)


@pytest.mark.parametrize("locked", ["", "# product\n", "django>=5\n", "django\n", "django == \n"])
def test_a_lock_that_pins_nothing_is_not_clean(tmp_path: Path, locked: str) -> None:
    (tmp_path / "0.json").write_text(json.dumps(record()))
    with pytest.raises(AuditFailed, match="the lock"):
        audit(locked, tmp_path, NOW)


def test_every_entry_of_our_lock_is_looked_at() -> None:
    text = lock.LOCK.read_text()
    assert len(pins_of(text)) == len(lock.entries(text))
