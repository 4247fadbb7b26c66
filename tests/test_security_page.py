"""docs/security.md has a row for each requirement of ASVS 5.0.0, levels 1 and 2."""

import re
from collections.abc import Iterator

from tests import servers

TEXT = (servers.ROOT / "docs/security.md").read_text()
ROW = re.compile(r"^\| (\d+\.\d+\.\d+(?:-\d+\.\d+\.\d+)?) \| (met|n/a|not met) \| (.+) \|$", re.MULTILINE)
SECTIONS = {
    1: (2, 9, 11, 3, 2),
    2: (3, 3, 4, 1),
    3: (0, 2, 4, 6, 5, 0, 2),
    4: (3, 1, 2, 4),
    5: (1, 3, 2, 3),
    6: (3, 12, 4, 4, 5, 3, 0, 4),
    7: (3, 4, 2, 5, 2, 2),
    8: (2, 3, 1, 1),
    9: (3, 4),
    10: (2, 2, 4, 11, 5, 2, 3),
    11: (2, 3, 3, 4, 1, 1, 0),
    12: (3, 2, 4),
    13: (1, 5, 2, 5),
    14: (2, 4, 3),
    15: (3, 3, 7, 0),
    16: (1, 5, 4, 3, 3),
    17: (1, 4, 2),
}
"""Requirements of levels 1 and 2 in each section of a chapter. Those of level 3 come last in a section."""


def requirement_ids(ids: str) -> Iterator[tuple[int, int, int]]:
    first, _dash, last = ids.partition("-")
    chapter, section, begin = map(int, first.split("."))
    for number in range(begin, int((last or first).rpartition(".")[2]) + 1):
        yield chapter, section, number


def test_every_requirement_of_both_levels_has_one_row_in_order() -> None:
    expected = [
        (chapter, section, number)
        for chapter, counts in SECTIONS.items()
        for section, count in enumerate(counts, 1)
        for number in range(1, count + 1)
    ]
    assert [found for ids, _state, _words in ROW.findall(TEXT) for found in requirement_ids(ids)] == expected
    assert len(expected) == 253


def test_at_most_ten_are_not_met_each_with_its_reason() -> None:
    unmet = [ids for ids, state, _words in ROW.findall(TEXT) if state == "not met"]
    assert unmet == re.findall(r"^\d+\. \*\*([\d.]+)\*\*", TEXT, re.MULTILINE)
    assert len(unmet) <= 10


def test_security_page_is_short() -> None:
    assert len(TEXT.encode()) < 60_000
