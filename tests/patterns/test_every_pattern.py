"""No pattern of the product takes much longer on twice the input, whatever the input is.

Every regular expression is read from the sources; what cannot be read is refused by its place.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests import servers
from tests.patterns.steps import (
    ANCHORED,
    GROWTH,
    SEARCH,
    WHOLE,
    CachedCounter,
    Unknown,
    constants,
    parser,
    walk_syntax_tree,
    worst_growth,
)
from tests.product import files

pytestmark = pytest.mark.proof
APART = {"vendor"}
CALLS = {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer", "template"}
MODES = {"match": ANCHORED, "fullmatch": WHOLE}
# Patterns that Django takes as texts, and where among the arguments.
DJANGO = {"re_path": 0, "RegexValidator": 0, "RegexField": 0, "RegexURLResolver": 0, "RegexPattern": 0}
SETTINGS = {"SECURE_REDIRECT_EXEMPT", "DISALLOWED_USER_AGENTS", "IGNORABLE_404_URLS"}
MAY_HAVE = re.compile(rf"\bre\b|\bregex\b|{'|'.join([*DJANGO, *SETTINGS])}")
USE = re.compile(rf"(?<![\w.])(\w+)\.({'|'.join(sorted(CALLS))})\b")
HTML = re.compile(r"""\spattern=["']([^"']*)["']""")


PARTS = 6
"""Of the patterns that repeat without end; one part is tried at each push."""


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


def files_of_ours(ending: str) -> list[Path]:
    return [file for file in files(ending) if not APART & set(file.relative_to(servers.ROOT).parts)]


def patterns_of_python(files: dict[str, str]) -> list[Found]:
    """By path and content. A compiled pattern counts as searched unless every use of its name says otherwise."""
    # Most files have none, and parsing takes its time.
    trees = {path: ast.parse(content) for path, content in files.items() if MAY_HAVE.search(content)}
    used: dict[str, set[str]] = {}
    for content in files.values():
        for name, call in USE.findall(content):
            used.setdefault(name, set()).add(call)
    return [found for path, tree in trees.items() for found in _in_module(path, tree, used)]


def _in_module(path: str, tree: ast.Module, used: dict[str, set[str]]) -> Iterator[Found]:
    nodes = list(ast.walk(tree))
    named = {
        id(node.value): target.id
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
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
            named = getattr(re, node.attr)
            flags |= named if isinstance(named, re.RegexFlag) else 0
    return flags


# --- JavaScript: literals, since no parser of it is at hand. A / begins one where no value can stand before it.

SKIPPED = r"""//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
PIECE = re.compile(
    SKIPPED + r"|(?P<before>(?:^|[-+*%=(,:;!&|?{}\[\]~<>\n]|\breturn|\btypeof|\bcase)[ \t]*)"
    r"/(?P<source>(?:[^/\\\[\n*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)/(?P<flags>[a-z]*)",
    re.MULTILINE,
)
MADE = re.compile(r"\bRegExp\b")


def patterns_of_script(path: str, content: str) -> Iterator[Found]:
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


def patterns_of_page(path: str, content: str) -> Iterator[Found]:
    """What a browser checks a field by; it must fit the whole value."""
    for found in HTML.finditer(content):
        yield Found(path, as_python(found[1]), 0, WHOLE)


# --- the patterns of the product ---------------------------------------------------------------------------


@cache
def collect_patterns() -> list[Found]:
    def texts(paths: Iterable[Path]) -> dict[str, str]:
        return {str(path.relative_to(servers.ROOT)): path.read_text() for path in paths}

    found = patterns_of_python(texts(sorted([*files_of_ours(".py"), servers.ROOT / "run"])))
    for name, text in texts(files_of_ours(".js")).items():
        found += patterns_of_script(name, text)
    for name, text in texts(servers.ROOT.glob("templates/**/*.html")).items():
        found += patterns_of_page(name, text)
    return found


def repeats_without_end(source: str, flags: int) -> bool:
    """Whether some part may be taken as often as one likes; without one, steps grow as the input does."""
    repeats = (
        argument for kind, argument in walk_syntax_tree(parser.parse(source, flags)) if "REPEAT" in str(kind)
    )
    return any(high is constants.MAXREPEAT for _low, high, _tree in repeats)


def slow_ones(patterns: Iterable[Found]) -> list[str]:
    """Those whose steps grow by much more than the input, with the worst attack."""
    measured = (
        (found, *worst_growth(CachedCounter(found.source, found.flags, found.mode))) for found in patterns
    )
    return [f"{one.place}: {one.source!r} on {attack}" for one, by, attack in measured if by >= GROWTH]


def never_gives_back(source: str, flags: int) -> bool:
    """Whether a part is never tried with less, as `a++` and `(?>a+)`; Python 3.11.2 matches some of these wrongly."""
    kinds = {str(kind) for kind, _argument in walk_syntax_tree(parser.parse(source, flags))}
    return not kinds.isdisjoint({"POSSESSIVE_REPEAT", "ATOMIC_GROUP"})


def test_each_part_of_a_pattern_is_tried_with_less() -> None:
    assert [found.place for found in collect_patterns() if never_gives_back(found.source, found.flags)] == []


@pytest.mark.at_push(1)
@pytest.mark.parametrize("part", range(PARTS))
def test_twice_the_input_takes_little_more_than_twice_the_steps(part: int) -> None:
    endless = [found for found in collect_patterns() if repeats_without_end(found.source, found.flags)]
    assert len(endless) > 50
    assert slow_ones(endless[part::PARTS]) == []


@pytest.mark.night
def test_where_nothing_repeats_without_end_neither() -> None:
    assert (
        slow_ones(found for found in collect_patterns() if not repeats_without_end(found.source, found.flags))
        == []
    )


def test_patterns_of_every_room_and_language_are_found() -> None:
    places = [found.place.partition(":")[0] for found in collect_patterns()]
    rooms = {place.partition("/")[0] for place in places if place.endswith(".py")}
    assert {"config", "privacy", "surveys", "importing"} <= rooms
    assert any(place.endswith(".js") for place in places)
    assert "run" in places


SLOW = {
    ANCHORED: [r"\$\{\s*(?P<ref>[^{}]*?)\s*\}", r"(a+)+b", r"(.*)(.*)(.*)x", r"^(\w+\s?)*$"],
    SEARCH: [r"\s*\[row : (\d+)\]\s*", r"\s*::?\s*", r"\s+$"],
    WHOLE: [r"(a|a)*b", r"(?:[a-z]+-?)+!"],
}
QUICK = {
    ANCHORED: [r"\$\{(?P<ref>[^{}]*)\}"],
    SEARCH: [r"\s+"],
    WHOLE: [r"[^@\s]+@[^@\s]+", r"a{0,60}b", r"(.*?)([0-9]{1,6})"],
}


def grows_too_fast(source: str, mode: str) -> bool:
    return worst_growth(CachedCounter(source, 0, mode))[0] >= GROWTH


def test_repeats_that_overlap_are_caught_and_others_pass() -> None:
    assert [
        source for mode, sources in SLOW.items() for source in sources if not grows_too_fast(source, mode)
    ] == []
    assert [
        source for mode, sources in QUICK.items() for source in sources if grows_too_fast(source, mode)
    ] == []


def test_a_repeat_without_an_end_is_told_from_others() -> None:
    endless = [r"a+", r"(?:b|c{2,})d", r"(?=x*)"]
    assert [repeats_without_end(source, 0) for source in endless] == [True] * 3
    assert not repeats_without_end(r"(a{0,60}|[b-d]{3})e?", 0)


def test_a_part_that_never_gives_back_is_seen_wherever_it_stands() -> None:
    seen = [r"a++", r"x(?:b|c?+)*", r"(?=(?>d))", r"e{2,3}+"]
    assert [source for source in seen if not never_gives_back(source, 0)] == []
    assert not never_gives_back(r"a+?[++]\++(?:b+)+(?=c)", 0)


def test_a_pattern_is_read_with_its_flags_and_the_way_it_is_used() -> None:
    module = (
        "import re\n"
        "A = re.compile(r'a+', re.I | re.S)\n"
        "B = re.compile('b')\n"
        "C = re.compile('c')\n"
        "def f(x):\n"
        "    re.sub('d', '', x, flags=re.M)\n"
        "    return A.match(x), B.fullmatch(x), C.match(x), C.search(x)\n"
        "SECURE_REDIRECT_EXEMPT = ['^e$']\n"
        "re_path('^f$', None)\n"
    )
    found = {each.source: (each.flags, each.mode) for each in patterns_of_python({"m.py": module})}
    searched = dict.fromkeys(("c", "^e$", "^f$"), (0, SEARCH))
    assert found == {"a+": (2 | 16, ANCHORED), "b": (0, WHOLE), "d": (8, SEARCH), **searched}


def test_a_pattern_that_cannot_be_read_is_refused() -> None:
    for line in ("re.compile(f'{x}+')", "re.match(x, y)", "from re import match", "import re as r"):
        with pytest.raises(Unreadable):
            patterns_of_python({"m.py": f"import re\n{line}\n"})


def test_literals_of_a_script_are_told_from_comments_texts_and_divisions() -> None:
    script = (
        "// no /comment+/ here\n"
        'const a = x.split(/[/\\n]+/g), b = "/not+/", c = 6 / 3 / 2;\n'
        "/* nor /here+/ */\n"
        "return /^[0-9]*$/.test(text) || d.replace(/\\\\(u003c|[^])/g, e);\n"
    )
    found = [each.source for each in patterns_of_script("s.js", script)]
    assert found == ["[/\\n]+", "^[0-9]*$", "\\\\(u003c|[\\s\\S])"]
    with pytest.raises(Unreadable):
        list(patterns_of_script("s.js", "new RegExp(x)"))


def test_syntax_that_is_not_counted_is_refused() -> None:
    with pytest.raises(Unknown):
        CachedCounter(r"(a)\1", 0, SEARCH)
