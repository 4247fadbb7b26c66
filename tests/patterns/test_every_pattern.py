"""No pattern of the product takes much longer on twice the input, whatever the input is."""

import pytest

from tests import servers
from tests.patterns import sources
from tests.patterns.attacks import GROWTH, worst
from tests.patterns.sources import Found, Unreadable, of_python, of_script
from tests.patterns.steps import ANCHORED, SEARCH, WHOLE, CachedCounter, Unknown


def collected() -> list[Found]:
    named = {str(file.relative_to(servers.ROOT)): file.read_text() for file in sources.python_files()}
    found = of_python(named)
    for file in sources.script_files():
        found += of_script(str(file.relative_to(servers.ROOT)), file.read_text())
    for file in servers.ROOT.glob("templates/**/*.html"):
        found += sources.of_page(str(file.relative_to(servers.ROOT)), file.read_text())
    return found


pytestmark = pytest.mark.proof
FOUND = collected()


@pytest.mark.parametrize("found", FOUND, ids=str)
def test_twice_the_input_takes_little_more_than_twice_the_steps(found: Found) -> None:
    growth, attack = worst(CachedCounter(found.source, found.flags, found.mode))
    assert growth < GROWTH, f"{found.place}: {found.source!r} on {attack}"


def test_patterns_of_every_room_and_language_are_found() -> None:
    places = [found.place.partition(":")[0] for found in FOUND]
    rooms = {place.partition("/")[0] for place in places if place.endswith(".py")}
    assert {"config", "privacy", "surveys", "importing"} <= rooms
    assert any(place.endswith(".js") for place in places)
    assert "run" in places


SLOW = [
    (r"\$\{\s*(?P<ref>[^{}]*?)\s*\}", ANCHORED),
    (r"\s*\[row : (\d+)\]\s*", SEARCH),
    (r"\s*::?\s*", SEARCH),
    (r"\s+$", SEARCH),
    (r"(a+)+b", ANCHORED),
    (r"(a|a)*b", WHOLE),
    (r"(.*)(.*)(.*)x", ANCHORED),
    (r"(?:[a-z]+-?)+!", WHOLE),
    (r"^(\w+\s?)*$", ANCHORED),
]
QUICK = [
    (r"\$\{(?P<ref>[^{}]*)\}", ANCHORED),
    (r"\s+", SEARCH),
    (r"[^@\s]+@[^@\s]+", WHOLE),
    (r"(?:a++)+b", WHOLE),
    (r"(?>a+)b", ANCHORED),
    (r"a{0,60}b", WHOLE),
    (r"(.*?)([0-9]{1,6})", WHOLE),
]


@pytest.mark.parametrize(("source", "mode"), SLOW)
def test_repeats_that_overlap_are_caught(source: str, mode: str) -> None:
    assert worst(CachedCounter(source, 0, mode))[0] >= GROWTH


@pytest.mark.parametrize(("source", "mode"), QUICK)
def test_repeats_that_do_not_overlap_pass(source: str, mode: str) -> None:
    assert worst(CachedCounter(source, 0, mode))[0] < GROWTH


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
    found = {each.source: (each.flags, each.mode) for each in of_python({"m.py": module})}
    assert found == {
        "a+": (2 | 16, ANCHORED),
        "b": (0, WHOLE),
        "c": (0, SEARCH),
        "d": (8, SEARCH),
        "^e$": (0, SEARCH),
        "^f$": (0, SEARCH),
    }


@pytest.mark.parametrize(
    "line", ["re.compile(f'{x}+')", "re.match(x, y)", "from re import match", "import re as r"]
)
def test_a_pattern_that_cannot_be_read_is_refused(line: str) -> None:
    with pytest.raises(Unreadable):
        of_python({"m.py": f"import re\n{line}\n"})


def test_literals_of_a_script_are_told_from_comments_texts_and_divisions() -> None:
    script = (
        "// no /comment+/ here\n"
        'const a = x.split(/[/\\n]+/g), b = "/not+/", c = 6 / 3 / 2;\n'
        "/* nor /here+/ */\n"
        "return /^[0-9]*$/.test(text) || d.replace(/\\\\(u003c|[^])/g, e);\n"
    )
    found = [each.source for each in of_script("s.js", script)]
    assert found == ["[/\\n]+", "^[0-9]*$", "\\\\(u003c|[\\s\\S])"]
    with pytest.raises(Unreadable):
        list(of_script("s.js", "new RegExp(x)"))


def test_syntax_that_is_not_counted_is_refused() -> None:
    with pytest.raises(Unknown):
        CachedCounter(r"(a)\1", 0, SEARCH)
