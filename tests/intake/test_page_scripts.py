"""Which scripts and styles a respondents' page loads."""

import posixpath
import re
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

import pytest
from django.contrib.staticfiles import finders

from config.composed_scripts import composed_script
from config.static_files import is_of_page
from intake.pages import scripts
from surveys.kinds.registry import KINDS
from surveys.kinds.subset.kind import SubsetKind
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
    assert imported(scripts.script_of(["plain", *reversed(mixed)])) == [
        *(SCRIPTS[kind] for kind in mixed),
        "answer.js",
    ]


def imported(name: str) -> list[str]:
    found = finders.find(name)
    assert found, name
    return re.findall(r'^import "\./(.+)";$', Path(found).read_text(), re.MULTILINE)


def test_the_page_that_checks_receipts_knows_every_kind() -> None:
    assert imported("intake/receipt-page.js") == [*SCRIPTS.values(), "check_receipt.js"]


class FifthKind(SubsetKind):
    module = "fifth"


def test_one_more_kind_is_in_every_mixture_as_soon_as_it_is_registered() -> None:
    with patch.dict(KINDS, {"fifth": FifthKind()}):
        assert len(scripts.page_scripts()) == 2**5
        assert imported("intake/answer-place-fifth.js") == ["places.js", "fifth.js", "answer.js"]
        assert imported("intake/receipt-page.js")[-2:] == ["fifth.js", "check_receipt.js"]
    assert finders.find("intake/answer-place-fifth.js") is None


def test_each_kind_that_adds_itself_has_its_module_in_the_registry() -> None:
    added = {
        name: file.name
        for file in COMPOSER.parent.glob("*.js")
        for name in re.findall(r'^add\("([\w-]+)"', file.read_text(), re.MULTILINE)
    }
    assert added == {name: f"{kind.module}.js" for name, kind in KINDS.items() if kind.module} == SCRIPTS
