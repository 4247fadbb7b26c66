"""Indented text and hierarchies, in both directions."""

import pytest

from releases.specification import hierarchy_text
from surveys.questionnaire.problems_and_refusals import NotAllowed

PLACES = {"North": {"Coast": ["Kiel", "Rostock"], "Inland": ["Schwerin"]}, "South": {"Bavaria": ["Munich"]}}
TEXT = """North
  Coast
    Kiel
    Rostock
  Inland
    Schwerin
South
  Bavaria
    Munich"""


def test_hierarchies_are_written_and_read() -> None:
    # A hierarchy is written and read back.
    assert hierarchy_text.format_hierarchy(PLACES) == TEXT
    assert hierarchy_text.parse_hierarchy(TEXT) == PLACES
    # Tabs blank lines and any depth of indentation are read.
    assert hierarchy_text.parse_hierarchy("\n A\n\tx\n\n\ty\n B\n      z\n") == {"A": ["x", "y"], "B": ["z"]}
    # A list without groups is one level.
    assert hierarchy_text.parse_hierarchy("a\nb") == ["a", "b"]
    # An empty cell is written as two quotation marks.
    assert hierarchy_text.parse_hierarchy('A\n  ""\n  x') == {"A": ["", "x"]}
    assert hierarchy_text.format_hierarchy({"A": ["", "x"]}) == 'A\n  ""\n  x'
    # The values are the leaves.
    assert list(hierarchy_text.leaf_values(PLACES)) == ["Kiel", "Rostock", "Schwerin", "Munich"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "at least one value"),
        ("A\n    x\n  y", "Line 3: indent it exactly"),
        ("  A\nB", "Line 2: it is indented less"),
        ("A\n  x\nB", "Line 3: values and groups"),
        ("A\n  x\nA\n  y", "Line 3: “A” is there already"),
        ("A\n  x\nB\n  x", "Line 4: “x” is there already"),
        ("*", "Line 1"),
        ("\n".join(" " * depth + str(depth) for depth in range(40)), "at most 30 levels"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(NotAllowed, match=words):
        hierarchy_text.parse_hierarchy(text)
