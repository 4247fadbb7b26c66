"""Every regular expression of the product, read from its sources; and what cannot be read, by place."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests import servers
from tests.patterns.steps import ANCHORED, SEARCH, WHOLE
from tests.rooms import files

APART = {"vendor"}
CALLS = {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer", "template"}
MODES = {"match": ANCHORED, "fullmatch": WHOLE}
# Patterns that Django takes as texts, and where among the arguments.
DJANGO = {"re_path": 0, "RegexValidator": 0, "RegexField": 0, "RegexURLResolver": 0, "RegexPattern": 0}
SETTINGS = {"SECURE_REDIRECT_EXEMPT", "DISALLOWED_USER_AGENTS", "IGNORABLE_404_URLS"}
MAY_HAVE = re.compile(rf"\bre\b|\bregex\b|{'|'.join([*DJANGO, *SETTINGS])}")
USE = re.compile(rf"(?<![\w.])(\w+)\.({'|'.join(sorted(CALLS))})\b")
HTML = re.compile(r"""\spattern=["']([^"']*)["']""")


@dataclass(frozen=True)
class Found:
    place: str
    source: str
    flags: int
    mode: str

    def __str__(self) -> str:
        return f"{self.place} {self.mode}"


class Unreadable(Exception):
    """A pattern that is put together while the program runs; write it as one text."""


def python_files() -> list[Path]:
    return sorted([*_files(".py"), servers.ROOT / "run"])


def script_files() -> list[Path]:
    return _files(".js")


def _files(ending: str) -> list[Path]:
    return [file for file in files(ending) if not APART & set(file.relative_to(servers.ROOT).parts)]


def of_python(files: dict[str, str]) -> list[Found]:
    """By path and content. A compiled pattern counts as searched unless every use of its name says otherwise."""
    # Most files have none, and parsing takes its time.
    trees = {path: ast.parse(content) for path, content in files.items() if MAY_HAVE.search(content)}
    used: dict[str, set[str]] = {}
    for content in files.values():
        for name, call in USE.findall(content):
            used.setdefault(name, set()).add(call)
    return [found for path, tree in trees.items() for found in _in_module(path, tree, used)]


def _in_module(path: str, tree: ast.Module, used: dict[str, set[str]]) -> Iterator[Found]:
    named = {
        id(node.value): target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("re", "regex"):
            raise Unreadable(f"{path}:{node.lineno}: import re as a whole, so that its patterns are found")
        if isinstance(node, ast.Import) and any(each.name == "re" and each.asname for each in node.names):
            raise Unreadable(
                f"{path}:{node.lineno}: import re under its own name, so that its patterns are found"
            )
        if isinstance(node, ast.Assign) and named.get(id(node.value)) in SETTINGS:
            texts = [each for each in ast.walk(node.value) if isinstance(each, ast.Constant)]
            yield from (Found(f"{path}:{node.lineno}", str(each.value), 0, SEARCH) for each in texts)
        if isinstance(node, ast.Call) and (place := _pattern_at(node)) is not None and len(node.args) > place:
            call = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            uses = used.get(named.get(id(node), ""), set()) if call == "compile" else {call}
            modes = {MODES.get(use, SEARCH) for use in uses}
            mode = modes.pop() if len(modes) == 1 else SEARCH
            yield Found(f"{path}:{node.lineno}", _text(path, node.args[place]), _flags(node), mode)


def _pattern_at(call: ast.Call) -> int | None:
    """Which argument of a call is a pattern."""
    function = call.func
    if isinstance(function, ast.Attribute):
        of_re = isinstance(function.value, ast.Name) and function.value.id == "re" and function.attr in CALLS
        return 0 if of_re else DJANGO.get(function.attr)
    return DJANGO.get(function.id) if isinstance(function, ast.Name) else None


def _text(path: str, argument: ast.expr) -> str:
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str | bytes):
        value = argument.value
        return value if isinstance(value, str) else value.decode("latin-1")
    raise Unreadable(f"{path}:{argument.lineno}: a pattern is one text, so that it can be tested")


def _flags(call: ast.Call) -> int:
    flags = 0
    for node in (each for argument in [*call.args[1:], *call.keywords] for each in ast.walk(argument)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re":
            flags |= getattr(re, node.attr)
    return flags


# --- JavaScript: literals, since no parser of it is at hand. A / begins one where no value can stand before it.

SKIPPED = r"""//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
PIECE = re.compile(
    SKIPPED + r"|(?P<before>(?:^|[-+*%=(,:;!&|?{}\[\]~<>\n]|\breturn|\btypeof|\bcase)[ \t]*)"
    r"/(?P<source>(?:[^/\\\[\n*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)/(?P<flags>[a-z]*)",
    re.MULTILINE,
)
MADE = re.compile(r"\bRegExp\b")


def of_script(path: str, content: str) -> Iterator[Found]:
    if MADE.search(content):
        raise Unreadable(f"{path}: RegExp makes a pattern while the program runs; write a literal")
    for found in PIECE.finditer(content):
        if found["source"] is None:
            continue
        line = content.count("\n", 0, found.start("source")) + 1
        yield Found(f"{path}:{line}", as_python(found["source"]), _js_flags(found["flags"]), SEARCH)


def as_python(source: str) -> str:
    """The same pattern in Python's words, as far as the product's scripts need it."""
    return (
        source.replace("[^]", r"[\s\S]")
        .replace(r"\p{Nd}", r"\d")
        .replace(r"\p{M}", "[\u0300-\u036f]")
        .replace(r"\/", "/")
        .replace("(?<", "(?P<")
        .replace("(?P<=", "(?<=")
    ).replace("(?P<!", "(?<!")


def _js_flags(written: str) -> int:
    return sum({"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}.get(flag, 0) for flag in written)


def of_page(path: str, content: str) -> Iterator[Found]:
    """What a browser checks a field by; it must fit the whole value."""
    for found in HTML.finditer(content):
        yield Found(path, as_python(found[1]), 0, WHOLE)
