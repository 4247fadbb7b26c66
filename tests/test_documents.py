"""What the documents and the comments cite is there: files, functions, tests, commands, settings, headings."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from inspect import cleandoc
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from candor.__main__ import COMMANDS
from tests.product import ROOMS

ROOT = Path(__file__).parents[1]
FOLDERS = ("docs", "bench/figures")
DOCUMENTS = [
    ROOT / "README.md",
    *(path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.md"))),
]
SCRIPTS = ("privacy/static", "intake/static", "static")
MINIFIED = re.compile(r"\.min\.js$")

CODE_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CITED = re.compile(r"`([^`\n]+)`")
FILE = re.compile(
    r"(?:[\w.-]+/)+[\w.-]+\.(?:py|js|md|json|html|css|svg|csv|lua|conf|service|timer|ya?ml|env)"
)
TEST = re.compile(r"(tests/[\w/.-]+\.py)::([\w:]+)")
FUNCTION = re.compile(r"([\w/.-]+\.py):([A-Za-z_][\w.]*)")
OF_THE_SAME = re.compile(r":[A-Za-z_][\w.]*")
FOLDER = re.compile(r"(?:[\w-]+/)+")
COMMAND = re.compile(r"manage\.py ([a-z_]+)")
CANDOR = re.compile(r"(?:-m |`)candor ([a-z-]+)")
RUN = re.compile(r"\./run ([a-z]+)(?: ([a-z_]+))?")
SETTING = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
HEADING = re.compile(r"^#+ (.+?)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:]+)\)")
VARIABLES = re.compile(r"^\| (`[^|]+`) \|", re.MULTILINE)
BROKEN = re.compile(r"\n[ \t]*(?:#|//|\*)?[ \t]*")
SECTION = re.compile(r"((?:docs|bench/figures)/[\w-]+\.md)(?:, ([A-Za-z][\w -]*))?")

MADE_LATER = {"var/", "node_modules/"}
"""Folders that an installation makes."""
OF_DJANGO = {"check", "createsuperuser"}


@cache
def text_of(path: Path) -> str:
    return path.read_text()


@cache
def defines(path: str, name: str) -> bool:
    """Whether a module defines this function, constant or class, or this method or field of a class."""
    text = text_of(ROOT / path)
    if "." not in name:
        return any(
            line.startswith(
                (
                    f"def {name}(",
                    f"class {name}(",
                    f"class {name}:",
                    f"{name} =",
                    f"{name}:",
                    f"async def {name}(",
                )
            )
            for line in text.splitlines()
        )
    return name in names(path)


@cache
def names(path: str) -> frozenset[str]:
    """All that a module defines: functions, constants, classes with their methods and fields."""
    return frozenset(_names(ast.parse(text_of(ROOT / path)).body))


def _names(body: list[ast.stmt], before: str = "") -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield before + node.name
            if isinstance(node, ast.ClassDef):
                yield from _names(node.body, f"{before}{node.name}.")
        elif isinstance(node, ast.Assign):
            yield from (before + target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield before + node.target.id


@cache
def headings(path: str) -> frozenset[str]:
    return frozenset(HEADING.findall(CODE_BLOCK.sub("", text_of(ROOT / path))))


@cache
def commands() -> frozenset[str]:
    return frozenset(
        path.stem for room in ROOMS for path in (ROOT / room).glob("**/management/commands/[a-z]*.py")
    )


@cache
def run_commands() -> frozenset[str]:
    table = next(
        node.value
        for node in ast.parse((ROOT / "run").read_text()).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "COMMANDS"
    )
    assert isinstance(table, ast.Dict)
    return frozenset(ast.literal_eval(key) for key in table.keys if key)


@cache
def variables() -> frozenset[str]:
    """The names that the settings read from the environment."""
    read = re.findall(
        r"""env\.(?:read|served|demand)\(\s*["']([A-Z_]+)["']""", (ROOT / "config/settings.py").read_text()
    )
    return frozenset(read)


def citations(text: str) -> Iterator[str]:
    """What a document cites; `:name` is of the module that was cited before."""
    module = ""
    for cited in CITED.findall(CODE_BLOCK.sub("", text)):
        if found := FUNCTION.fullmatch(cited):
            module = found[1]
        yield f"{module}{cited}" if OF_THE_SAME.fullmatch(cited) else cited


def missing_citations(text: str) -> Iterator[str]:
    """The citation, where what it cites is not there."""
    if OF_THE_SAME.fullmatch(text):
        yield text
    if found := TEST.fullmatch(text) or FUNCTION.fullmatch(text):
        path, name = found.groups()
        if not (ROOT / path).is_file() or not defines(path, name.replace("::", ".")):
            yield text
        return
    if FILE.fullmatch(text) and not (ROOT / text).is_file():
        yield text
    if FOLDER.fullmatch(text) and text not in MADE_LATER and not (ROOT / text).is_dir():
        yield text
    # A word without a line below may be anything; the table of settings is compared as a whole.
    if "_" in text and SETTING.fullmatch(text) and text not in variables():
        yield text


def missing_commands(text: str) -> Iterator[str]:
    yield from (name for name in COMMAND.findall(text) if name not in commands() | OF_DJANGO)
    yield from (name for name in CANDOR.findall(text) if name not in COMMANDS)
    for name, measurement in RUN.findall(text):
        if name not in run_commands():
            yield name
        elif (
            name == "bench"
            and measurement
            and not any(
                (ROOT / "bench" / file).is_file()
                for file in (f"{measurement}.py", f"{measurement}/__main__.py")
            )
        ):
            yield f"{name} {measurement}"


def test_every_file_function_test_and_setting_that_a_document_names_is_there() -> None:
    named = [(path, text) for path in DOCUMENTS for text in citations(text_of(path))]
    assert [(path.name, gone) for path, text in named for gone in missing_citations(text)] == []


@pytest.mark.page
def test_every_command_that_a_document_names_is_there() -> None:
    assert [(path.name, gone) for path in DOCUMENTS for gone in missing_commands(text_of(path))] == []


def test_every_link_of_a_document_leads_to_a_file() -> None:
    links = [(path, link) for path in DOCUMENTS for link in LINK.findall(CODE_BLOCK.sub("", text_of(path)))]
    assert [(path.name, link) for path, link in links if not (path.parent / link).exists()] == []


def test_the_operations_guide_names_the_settings_that_are_read_and_no_other() -> None:
    table = (ROOT / "docs/operations.md").read_text().partition("| variable |")[2].partition("\n\n")[0]
    named = {name for cell in VARIABLES.findall(table) for name in CITED.findall(cell)}
    assert named == variables()


def contracts() -> dict[str, dict[str, Any]]:
    """The contracts of import-linter by name."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    return {contract["name"]: contract for contract in settings["contracts"]}


class TestArchitecture:
    TEXT = (ROOT / "docs/architecture.md").read_text()

    def test_architecture_layers_match_the_import_contract(self) -> None:
        block = self.TEXT.partition("## The layers\n")[2].split("```\n")[1]
        assert block.splitlines() == contracts()["Layers"]["layers"]

    def test_architecture_names_every_import_contract(self) -> None:
        text = " ".join(self.TEXT.split())
        assert [name for name in contracts() if f"*{name}*" not in text] == []

    def test_architecture_has_no_table_of_every_change(self) -> None:
        rows = self.TEXT.partition("## Where to change what\n")[2].partition("\n## ")[0].count("\n|")
        assert rows - 2 <= 15

    def test_architecture_stays_short(self) -> None:
        assert len(self.TEXT.encode()) <= 12_000
        assert len((ROOT / "CONTRIBUTING.md").read_bytes()) <= 5_000


FORMULA = re.compile(r"^ {4}\S", re.MULTILINE)
QUOTED = re.compile(r'"""(.*?)"""', re.DOTALL)
EQUATION = re.compile(r"^ {4,}\S.* = ", re.MULTILINE)
MATHEMATICS = re.compile(r"docs/mathematics\.md, ([A-Z][\w -]*)")


def sections() -> dict[str, str]:
    """The text under each heading of the mathematics."""
    parts = re.split(HEADING, (ROOT / "docs/mathematics.md").read_text())
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def docstrings(source: str) -> Iterator[str]:
    # A docstring of several lines is one of these texts; only where one of them has an equation a file is parsed.
    if not any(EQUATION.search(cleandoc(text)) for text in QUOTED.findall(source)):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


def states_a_formula(path: Path) -> bool:
    return path.name == "law.py" or any(map(EQUATION.search, docstrings(text_of(path))))


def cites_its_section(path: Path) -> bool:
    named = MATHEMATICS.findall(BROKEN.sub(" ", text_of(path)))
    return any(re.match(rf"{re.escape(known)}\b", words) for words in named for known in sections())


class TestMathematics:
    def test_a_section_with_a_formula_names_a_function_that_computes_it(self) -> None:
        nameless = [
            heading
            for heading, text in sections().items()
            if FORMULA.search(text)
            and not any(
                FUNCTION.fullmatch(name) and not list(missing_citations(name)) for name in citations(text)
            )
        ]
        assert nameless == []

    def test_a_module_with_a_formula_names_its_section(self) -> None:
        paths = [path for room in ("privacy", "mining", "papers") for path in (ROOT / room).rglob("*.py")]
        stating = [path for path in paths if states_a_formula(path)]
        assert sum(path.name == "law.py" for path in stating) >= 5
        silent = [path for path in stating if not cites_its_section(path)]
        assert [str(path.relative_to(ROOT)) for path in silent] == []


class TestPictures:
    FILES = sorted((ROOT / "docs/pictures").iterdir())
    SHOWN = re.findall(r"!\[[^]]+\]\(pictures/([\w-]+)-1280\.png\)", (ROOT / "docs/tutorial.md").read_text())

    def test_each_documentation_picture_is_shown_once(self) -> None:
        assert {f"{name}-1280.png" for name in self.SHOWN} == {path.name for path in self.FILES}
        assert len(self.SHOWN) == len(set(self.SHOWN))

    def test_documentation_pictures_are_small_and_as_wide_as_named(self) -> None:
        for path in self.FILES:
            assert path.stat().st_size < 150_000, path.name
            with Image.open(path) as picture:
                assert path.stem.endswith(f"-{picture.width}")


@cache
def citing_texts() -> list[tuple[str, str]]:
    """The documents, and every program of the product and its tests; each on one line, since a comment breaks."""
    found = [*DOCUMENTS]
    for folder in (*ROOMS, "bench", "tests"):
        found += sorted((ROOT / folder).rglob("*.py"))
    for folder in SCRIPTS:
        found += (path for path in sorted((ROOT / folder).rglob("*.js")) if not MINIFIED.search(path.name))
    return [
        (str(path.relative_to(ROOT)), BROKEN.sub(" ", text_of(path)))
        for path in found
        if path != Path(__file__)
    ]


def missing_sections(text: str) -> Iterator[str]:
    """Citations such as "docs/mathematics.md, Score test" of what is not there; a sentence may go on behind them."""
    for document, words in SECTION.findall(text):
        if not (ROOT / document).is_file():
            yield document
        elif words and not any(re.match(rf"{re.escape(known)}\b", words) for known in headings(document)):
            yield f"{document}, {words}"


def test_every_document_and_heading_that_a_text_cites_is_there() -> None:
    assert [(path, gone) for path, text in citing_texts() for gone in missing_sections(text)] == []


@pytest.mark.page
def test_no_text_cites_what_is_not_in_the_repository() -> None:
    """The design was a file of its own before the documents moved in."""
    elsewhere = re.compile(r"\bDESIGN(?:'s table)? [0-9]|\bDESIGN's\b|the design, section")
    words = ("DESIGN", "the design, section")
    assert [p for p, text in citing_texts() if any(w in text for w in words) and elsewhere.search(text)] == []


def test_missing_file_or_test_in_a_document_is_noticed() -> None:
    gone = [
        "tests/test_documents.py::TestMathematics::test_that_nobody_wrote",
        "tests/test_documents.py::test_that_nobody_wrote",
        "tests/nowhere.py::test_it",
        "privacy/mechanisms/random_draws.py:above",
        "mining/inference/score_test.py:Test.y",
        "privacy/mechanisms/dice.py",
        "privacy/dice/",
        "LEAST_CEILING",
        ":of_no_module",
    ]
    assert [text for text in gone if [*missing_citations(text)] != [text]] == []


@pytest.mark.page
def test_missing_command_in_a_document_is_noticed() -> None:
    gone = ["manage.py guess", "`candor guess", "./run away", "./run bench luck"]
    assert [text for text in gone if not [*missing_commands(text)]] == []


def test_missing_heading_in_a_document_is_noticed() -> None:
    gone = ["see docs/astrology.md", "(docs/mathematics.md, Horoscope)", "docs/mathematics.md, Score tests"]
    assert [text for text in gone if not [*missing_sections(text)]] == []


def test_a_heading_is_found_inside_a_sentence_and_over_a_break() -> None:
    text = BROKEN.sub(" ", "# It is docs/mathematics.md,\n    # Score test of Wilson.")
    assert SECTION.findall(text) == [("docs/mathematics.md", "Score test of Wilson")]
    assert list(missing_sections(text)) == []
