"""Finds the known vulnerabilities of the versions in requirements.lock.

pip-audit asks a service for every package and reads no advisories from files, so it says nothing where there is no
network; the export of osv.dev is one file that can be carried anywhere, and its format is small.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from config import lock
from config.advisories.affected import Advisory, NotComparable, advisories, text
from config.advisories.reading import AuditFailed, records

OLDEST = timedelta(days=30)
"""A database is too old if its newest record changed longer ago; PyPI's changes every day."""
AHEAD = timedelta(days=1)
"""Tolerated difference between the clocks of the authors of advisories and this one."""

Pin = tuple[str, Version]


@dataclass(frozen=True)
class AdvisoryFinding:
    """`fixed_in` is empty where no fix is named; `is_certain` is False where a person has to compare."""

    package: str
    version: Version
    ids: tuple[str, ...]
    fixed_in: tuple[Version, ...]
    is_certain: bool

    def __str__(self) -> str:
        fixes = " or ".join(map(str, self.fixed_in))
        fixed = f"fixed in {fixes}" if fixes else "no fixed version is named"
        unsure = "" if self.is_certain else "; names versions that cannot be compared, read it"
        return f"{self.package} {self.version}: {', '.join(map(_printable, self.ids))}; {fixed}{unsure}"


@dataclass(frozen=True)
class AuditResult:
    """The findings, and how much was compared."""

    findings: tuple[AdvisoryFinding, ...]
    pins: int
    records: int
    newest: datetime


def audit(locked: str, place: Path, now: datetime) -> AuditResult:
    """Every advisory at `place` against every version of `locked`, the text of a lock."""
    pins = pins_of(locked)
    versions: dict[str, list[Version]] = {}
    for name, version in pins:
        versions.setdefault(name, []).append(version)
    found: list[AdvisoryFinding] = []
    changed: list[datetime] = []
    for record in records(place):
        try:
            of = list(advisories(record))
            if of:
                changed.append(datetime.fromisoformat(text(record["modified"])).astimezone(UTC))
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            name = _printable(str(record.get("id", "a record without an id")))
            raise AuditFailed(f"{place}: {name} is no record of the OSV format ({error!r})") from None
        if not record.get("withdrawn"):
            found += (one for advisory in of for one in _against(advisory, versions))
    newest = _fresh(place, changed, now)
    return AuditResult(tuple(_together(found)), len(pins), len(changed), newest)


def pins_of(locked: str) -> list[Pin]:
    """Names and versions of a lock, whatever platform they are for."""
    try:
        wanted = [Requirement(line) for line in lock.entries(locked)]
    except InvalidRequirement as error:
        raise AuditFailed(f"cannot read the lock: {error}") from None
    exact = [(one, [part for part in one.specifier if part.operator == "=="]) for one in wanted]
    if not exact or not all(parts for _one, parts in exact):
        raise AuditFailed("the lock names no exact versions")
    return [(canonicalize_name(one.name), Version(parts[0].version)) for one, parts in exact]


def _against(advisory: Advisory, versions: dict[str, list[Version]]) -> Iterator[AdvisoryFinding]:
    for version in versions.get(advisory.package, ()):
        try:
            if not advisory.affects(version):
                continue
            is_certain = True
        except NotComparable:
            is_certain = False
        fixes = tuple(sorted(advisory.fixed_in(version)))
        yield AdvisoryFinding(advisory.package, version, advisory.ids, fixes, is_certain)


def _together(found: Iterable[AdvisoryFinding]) -> list[AdvisoryFinding]:
    """Several databases record one vulnerability; by its aliases it becomes one finding."""
    known: dict[tuple[str, Version, str], AdvisoryFinding] = {}
    for one in found:
        keys = [(one.package, one.version, name) for name in one.ids]
        parts = [*dict.fromkeys(known[key] for key in keys if key in known), one]
        ids = tuple(sorted({name for part in parts for name in part.ids}))
        fixes = tuple(sorted({fix for part in parts for fix in part.fixed_in}))
        joined = AdvisoryFinding(one.package, one.version, ids, fixes, any(part.is_certain for part in parts))
        known |= {(one.package, one.version, name): joined for name in ids}
    return sorted({*known.values()}, key=lambda finding: (finding.package, finding.version, finding.ids))


def _fresh(place: Path, changed: Sequence[datetime], now: datetime) -> datetime:
    if not changed:
        raise AuditFailed(f"{place} holds no advisory for a package of PyPI")
    newest = max(changed)
    if newest > now + AHEAD:
        raise AuditFailed(
            f"{place} was last changed on {newest:%Y-%m-%d}, and by this clock it is {now:%Y-%m-%d}"
        )
    if newest < now - OLDEST:
        raise AuditFailed(
            f"{place} was last changed on {newest:%Y-%m-%d}, {(now - newest).days} days ago; "
            f"after {OLDEST.days} it is too old to say anything: get a new one"
        )
    return newest


def _printable(text: Any) -> str:
    """Text of a file without control characters, which could control a terminal."""
    return "".join(character if character.isprintable() else "\ufffd" for character in str(text))
