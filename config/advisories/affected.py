"""Whether an advisory is about a version, and where it is fixed (ossf.github.io/osv-schema, Evaluation)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import Version

ECOSYSTEM = "PyPI"
EVENTS = ("fixed", "introduced", "last_affected")
"""Sorted for events at one version: one that is fixed and introduced again is affected, and so is a last one."""
BEGINNING = "0"
"""As the version of `introduced`: before all versions."""


Events = tuple[tuple[str, str], ...]


class NotComparable(ValueError):
    """An advisory cannot be compared with a version, so a person has to read it."""


@dataclass(frozen=True)
class Advisory:
    """One record about one package. Without `ranges` and `versions` it cannot be compared."""

    package: str
    ids: tuple[str, ...]
    ranges: tuple[Events, ...]
    versions: frozenset[str]

    def affects(self, version: Version) -> bool:
        """NotComparable where nothing says yes and something cannot be compared."""
        if any(_same(one, version) for one in self.versions):
            return True
        inside = [_inside(events, version) for events in self.ranges]
        if any(inside):
            return True
        if None in inside or not (self.ranges or self.versions):
            raise NotComparable
        return False

    def fixed_in(self, version: Version) -> set[Version]:
        """The first fix after the version of each range that affects it, or of all ranges where none does."""
        ranges = [events for events in self.ranges if _inside(events, version)] or self.ranges
        fixes = ([_version(at) for kind, at in events if kind == "fixed"] for events in ranges)
        later = ([at for at in found if at is not None and at > version] for found in fixes)
        return {min(found) for found in later if found}


def advisories(record: dict[str, Any]) -> Iterator[Advisory]:
    """Those for packages of PyPI; KeyError, TypeError or ValueError where it is no OSV record."""
    ids = (text(record["id"]), *map(text, record.get("aliases") or ()))
    for affected in record.get("affected") or ():
        package = affected.get("package")
        if not package or text(package["ecosystem"]).partition(":")[0] != ECOSYSTEM:
            continue
        ranges = [of for of in affected.get("ranges") or () if text(of["type"]) != "GIT"]
        yield Advisory(
            canonicalize_name(text(package["name"])),
            ids,
            tuple(tuple(_events(of["events"])) for of in ranges),
            frozenset(map(text, affected.get("versions") or ())),
        )


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _events(events: Sequence[dict[str, str]]) -> Iterator[tuple[str, str]]:
    for event in events:
        yield from ((kind, text(at)) for kind, at in event.items() if kind in EVENTS)


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except ValueError:  # InvalidVersion is one, and so is a number of too many digits
        return None


def _same(text: str, version: Version) -> bool:
    return _version(text) == version


def _inside(events: Events, version: Version) -> bool | None:
    """Whether the last event up to the version leaves it affected; None where they cannot be put in order."""
    is_affected = any(kind == "introduced" and at == BEGINNING for kind, at in events)
    known = [(_version(at), EVENTS.index(kind), kind) for kind, at in events if at != BEGINNING]
    placed = [(at, rank, kind) for at, rank, kind in known if at is not None]
    if len(placed) < len(known):
        return None
    for at, _rank, kind in sorted(placed):
        if kind == "introduced" and version >= at:
            is_affected = True
        if (kind == "fixed" and version >= at) or (kind == "last_affected" and version > at):
            is_affected = False
    return is_affected
