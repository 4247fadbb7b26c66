"""The respondents' scripts and styles as they are served: without comments, types and indentation."""

import re
from pathlib import Path

import pytest

from config.static_files import is_shortened, shortened
from tests.privacy.node import COMPOSER, ROOT

FILES = sorted(
    file
    for folder in (COMPOSER.parent, ROOT / "static" / "look")
    for file in folder.iterdir()
    if is_shortened(f"{folder.name}/{file.name}")
)
TYPE = re.compile(r"/\*\* @type .*?\*/ ?")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_only_comments_types_and_indentation_are_left_out(file: Path) -> None:
    served = iter(served_lines(file))
    left = next(served, None)
    within = False
    for line in map(str.strip, file.read_text().splitlines()):
        if line and TYPE.sub("", line) == left and not within:
            left = next(served, None)
            continue
        assert not line or within or line.startswith(("/*", "//")), line
        within = (within or line.startswith("/*")) and "*/" not in line
    assert left is None
    assert not [line for line in served_lines(file) if re.match(r"\s|/\*.*\*/$|\* |//", line)]


def served_lines(file: Path) -> list[str]:
    return shortened(file.read_bytes()).decode().splitlines()


def test_the_modules_that_disguise_are_served_to_the_byte() -> None:
    assert not is_shortened("privacy/disguise.js")
    assert not is_shortened("vendor/vega.min.js")
    assert not is_shortened("look/look.js")
    assert is_shortened("intake/answer.js")
    assert is_shortened("look/base.css")


@pytest.mark.parametrize(
    ("source", "served"),
    [
        ("/** Says what. */\nconst a = 1;\n", "const a = 1;\n"),
        ("/**\n * Says **what**.\n * @param {A} a\n */\nf(a);\n", "f(a);\n"),
        ("  // why\n\n  f();\n", "f();\n"),
        ("f(/** @type {A} */ (a)); // why\n", "f((a)); // why\n"),
        ("f(/* why */ a);\n", "f(/* why */ a);\n"),
        ("/* Why. */\n@layer room {\n  .a {\n    b: c;\n  }\n}\n", "@layer room {\n.a {\nb: c;\n}\n}\n"),
        ('g("https://x", /[^/]*/);\n', 'g("https://x", /[^/]*/);\n'),
        ("/** @type {A} */ (a).b();\n", "(a).b();\n"),
    ],
)
def test_what_shares_its_line_with_code_stays(source: str, served: str) -> None:
    assert shortened(source.encode()).decode() == served
