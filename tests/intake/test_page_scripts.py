"""Which scripts and styles a respondents' page loads."""

import posixpath
import re
from itertools import combinations

import pytest

from config.composed_scripts import composed_script
from config.static_files import is_of_page
from intake.pages import pages
from surveys.kinds.registry import KINDS
from surveys.models import Survey
from tests.intake import asked
from tests.intake.test_pages import ASKS, get
from tests.intake.test_place_pages import place_page
from tests.privacy.node import COMPOSER, ROOT
from tests.privacy.questionnaires import classes

pytestmark = [pytest.mark.django_db, pytest.mark.page]

SCRIPTS = {"number": "numbers.js", "place": "places.js", "crosswise": "crosswise.js", "subset": "sets.js"}
MIXTURES = [mixed for count in range(1, 5) for mixed in combinations(SCRIPTS, count)]


@pytest.fixture
def opened() -> Survey:
    """A survey that asks for no number and no place."""
    return asked.survey(ASKS)


def test_all_modules_of_the_page_are_loaded_at_once(opened: Survey) -> None:
    page = get(opened.address).content.decode()
    preloaded = re.findall(r'rel="modulepreload" href="/static/([^"]+)"', page)
    waiting, loaded = ["intake/answer.js"], set[str]()
    while waiting:
        name = waiting.pop()
        loaded.add(name)
        for found in re.findall(r'from "(\.[^"]+)"', as_served(name)):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), found))
            waiting += [path] if path not in loaded else []
    assert sorted(preloaded) == sorted(loaded - {"intake/answer.js"})


def as_served(name: str) -> str:
    """A module with all that is served in it."""

    def read(name: str) -> bytes:
        room = ROOT / ("privacy/static" if name.startswith("privacy/") else "intake/static")
        return (room / name).read_bytes()

    return (composed_script(name, read) if is_of_page(name) else read(name)).decode()


def test_what_a_kind_of_question_needs_comes_where_it_is_asked(opened: Survey) -> None:
    numbers = asked.survey(asked.written(classes("debt", "0.5", 0, 500, 1000)))

    def loaded(page: str) -> list[str]:
        found = r'(?:<script type="module" src|<link rel="stylesheet" href)="/static/intake/([^"]+)"'
        return re.findall(found, page)

    assert loaded(get(opened.address).text) == ["page.css", "answer.js"]
    assert loaded(get(numbers.address).text) == ["page.css", "answer-number.js"]
    assert loaded(place_page()) == ["page-with-places.css", "answer-place.js"]


@pytest.mark.parametrize("mixed", MIXTURES, ids="-".join)
def test_the_kinds_of_any_mixture_add_themselves_before_the_page_begins(mixed: tuple[str, ...]) -> None:
    script = COMPOSER.parents[1] / pages.script_of(["plain", *reversed(mixed)])
    wanted = [*(SCRIPTS[kind] for kind in mixed), "answer.js"]
    assert re.findall(r'^import "\./(.+)";$', script.read_text(), re.MULTILINE) == wanted


def test_each_kind_that_adds_itself_is_of_a_mixture() -> None:
    added = [
        name
        for file in COMPOSER.parent.glob("*.js")
        for name in re.findall(r'^add\("([\w-]+)"', file.read_text(), re.MULTILINE)
    ]
    assert sorted(added) == sorted(name for name, kind in KINDS.items() if kind.scripted) == sorted(SCRIPTS)
