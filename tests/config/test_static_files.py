"""The respondents' scripts and styles as they are served: without comments, types and indentation."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.files.base import ContentFile

from config.static_files import HashedFiles, compose_style, is_shortened, shorten_script
from intake.pages.respondent_views import STYLE
from surveys.kinds.registry import KINDS
from tests.privacy.node import COMPOSER, ROOT

FILES = sorted(
    file
    for folder in (COMPOSER.parent, ROOT / "static" / "ui")
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
    assert not [line for line in served_lines(file) if re.match(r"\s|/\*.*\*/$|\* (?!\{)|//", line)]


def served_lines(file: Path) -> list[str]:
    return shorten_script(file.read_bytes()).decode().splitlines()


def test_the_modules_that_disguise_are_served_to_the_byte() -> None:
    assert not is_shortened("privacy/disguise.js")
    assert not is_shortened("vendor/htmx.min.js")
    assert not is_shortened("ui/look.js")
    assert is_shortened("intake/answer.js")
    assert is_shortened("ui/base.css")


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
    assert shorten_script(source.encode()).decode() == served


# --- styles as one file

SHEETS = {"ui/a.css": b".a {}\n", "intake/b.css": b".b {}\n.c {}\n"}
IMPORTS = b'@import "../ui/a.css";\n@import "b.css";\n.d {}\n'


def test_what_a_style_imports_stands_in_the_place_of_its_line() -> None:
    files = SHEETS | {"intake/page.css": IMPORTS}
    assert compose_style("intake/page.css", files.__getitem__) == b".a {}\n.b {}\n.c {}\n.d {}\n"


def test_what_an_imported_style_imports_comes_with_it() -> None:
    files = SHEETS | {"intake/page.css": IMPORTS, "intake/more.css": b'@import "page.css";\n.e {}\n'}
    assert compose_style("intake/more.css", files.__getitem__) == b".a {}\n.b {}\n.c {}\n.d {}\n.e {}\n"


def source(name: str) -> bytes:
    found = finders.find(name)
    assert found, name
    return Path(found).read_bytes()


@pytest.mark.parametrize("name", [STYLE, *(kind.style for kind in KINDS.values() if kind.style)])
def test_the_styles_of_a_page_are_one_file_that_fetches_nothing(name: str) -> None:
    whole = compose_style(name, source).decode()
    assert whole.count("@layer reset, base, ") == 1
    assert not re.search(r"@import|url\(", whole)


def collected(folder: Path, files: dict[str, bytes]) -> dict[str, str]:
    """The text that each is served with, by its name in the sources."""
    storage = HashedFiles(location=folder)  # type: ignore[no-untyped-call]
    for name, data in files.items():
        storage.delete(name)
        storage.save(name, ContentFile(data))
    processed = storage.post_process(dict.fromkeys(files, ()))
    named = {name: hashed for name, hashed, _done in processed if not hashed.endswith((".br", ".gz"))}
    return {name: (folder / named[name]).read_text() for name in files}


def test_a_style_is_served_with_what_it_imports_and_gets_another_name_when_that_changes(
    tmp_path: Path,
) -> None:
    files = SHEETS | {"intake/page.css": b"/* Says what. */\n" + IMPORTS}
    assert collected(tmp_path, files)["intake/page.css"] == ".a {}\n.b {}\n.c {}\n.d {}\n"
    names = set(tmp_path.glob("intake/page.*.css"))
    changed = collected(tmp_path, files | {"ui/a.css": b"  .x {}\n"})
    assert changed["intake/page.css"] == ".x {}\n.b {}\n.c {}\n.d {}\n"
    assert len(set(tmp_path.glob("intake/page.*.css")) - names) == 1


# --- the script of a page as one file


def test_the_script_of_a_page_is_served_with_what_it_imports_and_gets_another_name_when_that_changes(
    tmp_path: Path,
) -> None:
    files = {
        "intake/answer-place.js": b'import "./places.js";\nimport { OPEN } from "./device.js";\nf(OPEN);\n',
        "intake/places.js": b"/** Says what. */\ng();\n",
        "intake/device.js": b"export const OPEN = 0;\n",
    }
    served = collected(tmp_path, files)
    assert re.fullmatch(
        r'import \* as \$device from "\./device\.[0-9a-f]{12}\.js";\n'
        r"\(\(\) => \{\ng\(\);\n\}\)\(\);\n"
        r"\(\(\) => \{\nconst \{ OPEN \} = \$device;\nf\(OPEN\);\n\}\)\(\);\n",
        served["intake/answer-place.js"],
    )
    assert served["intake/places.js"] == "g();\n"
    names = set(tmp_path.glob("intake/answer-place.*.js"))
    assert "h();" in collected(tmp_path, files | {"intake/places.js": b"h();\n"})["intake/answer-place.js"]
    assert len(set(tmp_path.glob("intake/answer-place.*.js")) - names) == 1
