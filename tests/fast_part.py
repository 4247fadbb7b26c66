"""Leaves the files of slow tests out of a fast run before they are imported, which would take seconds."""

import re
from pathlib import Path

_NAMED = re.compile(r"^pytestmark = (?:\[[^\]]*\]|.*)$", re.MULTILINE)


def left_out_marks(expression: str) -> set[str]:
    """The marks of `not slow and not browser`; none of any other expression of pytest's option -m."""
    terms = expression.split(" and ")
    found = [re.fullmatch(r"not (\w+)", term) for term in terms]
    return {match[1] for match in found if match} if all(found) else set()


def has_one_of(marks: set[str], path: Path) -> bool:
    """Whether a file gives all its tests one of these marks."""
    named = _NAMED.search(path.read_text())
    return bool(named and marks & set(re.findall(r"\bpytest\.mark\.(\w+)", named[0])))
