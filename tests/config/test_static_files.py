"""The respondents' scripts as they are served: without the comments that stand on lines of their own."""

import re
from pathlib import Path

import pytest

from config.static_files import without_comment_lines
from tests.privacy.node import COMPOSER

SCRIPTS = sorted(COMPOSER.parent.glob("*.js"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_only_lines_of_comments_are_left_out(script: Path) -> None:
    source, served = script.read_text().splitlines(), iter(script_lines(script))
    left = next(served, None)
    for line in source:
        if line == left:
            left = next(served, None)
        else:
            assert re.match(r"\s*(/\*|\*|//)", line), line
    assert left is None
    assert not [line for line in script_lines(script) if re.match(r"\s*(/\*.*\*/$|\* |//)", line)]


def script_lines(script: Path) -> list[str]:
    return without_comment_lines(script.read_bytes()).decode().splitlines()


@pytest.mark.parametrize(
    ("source", "served"),
    [
        ("/** Says what. */\nconst a = 1;\n", "const a = 1;\n"),
        ("/**\n * Says **what**.\n * @param {A} a\n */\nf(a);\n", "f(a);\n"),
        ("  // why\n  f();\n", "  f();\n"),
        ("f(/** @type {A} */ (a)); // why\n", "f(/** @type {A} */ (a)); // why\n"),
        ('g("https://x", /[^/]*/);\n', 'g("https://x", /[^/]*/);\n'),
        ("/** @type {A} */ (a).b();\n", "/** @type {A} */ (a).b();\n"),
    ],
)
def test_what_shares_its_line_with_code_stays(source: str, served: str) -> None:
    assert without_comment_lines(source.encode()).decode() == served
