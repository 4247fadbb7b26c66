"""Code that tests hand to another process is text, which neither types nor lint read: what it names must be there."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = (
    "bench",
    "config",
    "jobs",
    "look",
    "mining",
    "runs",
    "reports",
    "intake",
    "importing",
    "papers",
    "people",
    "privacy",
    "releases",
    "surveys",
    "tests",
)
IMPORT = re.compile(rf"^\s*(?:from|import) (?:{'|'.join(OURS)})\b", re.MULTILINE)
PUT_IN = re.compile(r"\{[a-z_]+(?:![rs])?\}|%(?:\([a-z_]+\))?[drs]")


def texts(path: Path) -> Iterator[str]:
    """Those that import something of ours; what is put into a text is taken for a number."""
    for node in ast.walk(ast.parse(path.read_text())):
        text = ""
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "0" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        if IMPORT.search(text):
            yield text


def parsed(text: str) -> ast.Module | None:
    """None: no code, or not all of it."""
    for code in (text, PUT_IN.sub("0", text), PUT_IN.sub("0", text).replace("{{", "{").replace("}}", "}")):
        try:
            return ast.parse(code)
        except SyntaxError:
            continue
    return None


def missing(tree: ast.Module) -> Iterator[str]:
    """What the code imports of ours, and asks imported modules and classes for, that is not there."""
    named: dict[str, object] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS:
            module = importlib.import_module(str(node.module))
            for alias in node.names:
                path = f"{node.module}.{alias.name}"
                with suppress(ModuleNotFoundError):
                    importlib.import_module(path)  # then it is an attribute of its package
                if hasattr(module, alias.name):
                    named[alias.asname or alias.name] = getattr(module, alias.name)
                else:
                    yield path
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in named:
            owner = named[node.value.id]
            if (inspect.ismodule(owner) or inspect.isclass(owner)) and not hasattr(owner, node.attr):
                yield f"{node.value.id}.{node.attr}"


@pytest.mark.parametrize("room", ["bench", "tests"])
def test_what_code_in_texts_names_is_there(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    found = {path: list(texts(path)) for path in files if path != Path(__file__)}
    assert any(found.values())
    assert [
        f"{path.relative_to(ROOT)}: {name}"
        for path, inside in found.items()
        for text in inside
        if (tree := parsed(text))
        for name in missing(tree)
    ] == []


def test_a_name_that_is_gone_is_noticed() -> None:
    code = (
        "from surveys import opening\nfrom surveys.models import Gone, Survey\nopening.gone()\nSurvey.gone\n"
    )
    assert set(missing(ast.parse(code))) == {"surveys.models.Gone", "opening.gone", "Survey.gone"}
