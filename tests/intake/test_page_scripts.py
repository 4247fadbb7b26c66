"""Which scripts and styles a respondents' page loads, how it is compressed, and that a personal link leaves nothing."""

import gzip
import logging
import posixpath
import re
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

import brotli
import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from config.javascript_bundler import composed_script
from config.static_files import is_page_script, shorten_script
from intake.pages import page_scripts
from intake.pages.compression import accepts_brotli
from surveys.kinds.registry import KINDS
from surveys.kinds.subset.kind import SubsetKind
from surveys.models import Survey
from tests.intake import asked
from tests.intake.conftest import LiveServer
from tests.intake.test_pages import ASKS, get, place_page
from tests.privacy.conftest import COMPOSER, ROOT
from tests.privacy.questionnaires import classes

pytestmark = [pytest.mark.page, pytest.mark.django_db]
SCRIPTS = {"number": "numbers.js", "place": "places.js", "crosswise": "crosswise.js", "subset": "sets.js"}


def as_served(name: str) -> str:
    """A module with all that is served in it."""

    def read(name: str) -> bytes:
        room = ROOT / ("privacy/static" if name.startswith("privacy/") else "intake/static")
        return shorten_script((room / name).read_bytes())

    return (composed_script(name, read) if is_page_script(name) else read(name)).decode()


def imports_of_script(name: str) -> list[str]:
    found = finders.find(name)
    assert found, name
    return re.findall(r'^import "\./(.+)";$', Path(found).read_text(), re.MULTILINE)


def test_all_page_modules_are_loaded_at_once() -> None:
    page = get(asked.survey(ASKS).address).text
    preloaded = re.findall(r'rel="modulepreload" href="/static/([^"]+)"', page)
    waiting, loaded = ["intake/answer.js"], set[str]()
    while waiting:
        name = waiting.pop()
        loaded.add(name)
        for found in re.findall(r'from "(\.[^"]+)"', as_served(name)):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), found))
            waiting += [path] if path not in loaded else []
    assert sorted(preloaded) == sorted(loaded - {"intake/answer.js"})


def test_question_kind_loads_its_module_only_where_asked() -> None:
    numbers = asked.make_design(classes("debt", "0.5", 0, 500, 1000))
    bands = asked.make_design({"kind": "plain", "questions": [asked.AGE_IN_BANDS]})

    def names_loaded(page: str) -> list[str]:
        found = r'(?:<script type="module" src|<link rel="stylesheet" href)="/static/intake/([^"]+)"'
        return re.findall(found, page)

    assert names_loaded(get(asked.survey(ASKS).address).text) == ["page.css", "answer.js"]
    assert names_loaded(get(asked.survey(numbers).address).text) == ["page.css", "answer-number.js"]
    assert names_loaded(place_page()) == ["page-with-places.css", "answer-place.js"]
    assert "/static/intake/answer-bands.js" in get(asked.survey(bands).address).text
    assert imports_of_script("intake/answer-place-bands.js") == ["places.js", "bands.js", "answer.js"]


def test_kinds_of_any_mixture_register_before_the_page_starts() -> None:
    """The page that checks receipts knows every kind, and each that adds itself has its module in the registry."""
    for mixed in (mixed for count in range(1, 5) for mixed in combinations(SCRIPTS, count)):
        added = [SCRIPTS[kind] for kind in mixed]
        assert imports_of_script(page_scripts.page_script_name(["plain", *reversed(mixed)])) == [
            *added,
            "answer.js",
        ]
    assert imports_of_script("intake/receipt-page.js") == [*SCRIPTS.values(), "check_receipt.js"]
    found = {
        name: file.name
        for file in COMPOSER.parent.glob("*.js")
        for name in re.findall(r'^add\("([\w-]+)"', file.read_text(), re.MULTILINE)
    }
    assert found == {name: f"{kind.module}.js" for name, kind in KINDS.items() if kind.module} == SCRIPTS


class FifthKind(SubsetKind):
    module = "fifth"


def test_newly_registered_kind_is_in_every_mixture() -> None:
    with patch.dict(KINDS, {"fifth": FifthKind()}):
        assert len(page_scripts.page_scripts_by_name()) == 2**6, "of each kind and of plain numbers"
        assert imports_of_script("intake/answer-place-fifth.js") == ["places.js", "fifth.js", "answer.js"]
        assert imports_of_script("intake/receipt-page.js")[-2:] == ["fifth.js", "check_receipt.js"]
    assert finders.find("intake/answer-place-fifth.js") is None


# --- pages of respondents are compressed as the browser can read them


def test_brotli_is_used_if_accepted_and_encodings_agree() -> None:
    for accepted in ("gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8", "BR"):
        assert accepts_brotli(accepted), accepted
    for accepted in ("gzip, br;q=0", "gzip, br; q=0.000", "gzip, deflate", "brotli", ""):
        assert not accepts_brotli(accepted), accepted
    address = asked.survey(asked.design()).address
    plain = Client().get(address)
    by_gzip, by_brotli = (
        Client().get(address, headers={"Accept-Encoding": accepted}) for accepted in ("gzip", "gzip, br")
    )
    assert "Content-Encoding" not in plain
    assert gzip.decompress(by_gzip.content) == brotli.decompress(by_brotli.content) == plain.content
    assert by_brotli["Content-Encoding"] == "br"
    assert by_brotli["Content-Length"] == str(len(by_brotli.content))
    assert "Accept-Encoding" in by_brotli["Vary"]
    assert len(by_brotli.content) < len(by_gzip.content)


# --- a link that names a person is answered without the name, and nothing of it is kept

PLAIN_ASKS = asked.design()
SECRET = "5f3c9e2b1a"
PERSONAL = f"PROLIFIC_PID={SECRET}&STUDY_ID=7"


def test_address_with_parameters_redirects_to_the_one_without() -> None:
    """Of every page of respondents, that of a draft and the form without JavaScript included."""
    states = (Survey.State.OPEN, Survey.State.CLOSED, Survey.State.FINISHED)
    surveys = [asked.survey(PLAIN_ASKS, state=state) for state in states]
    surveys += [asked.survey(PLAIN_ASKS, state=Survey.State.DRAFT, design=None)]
    pages = [survey.address for survey in surveys]
    for address in (*pages, f"{pages[0]}/form", "/a/receipt", "/a/nothing-here"):
        response = Client().get(f"{address}?{PERSONAL}")
        assert (response.status_code, response["Location"]) == (302, address)
        assert (response["Cache-Control"], response["Referrer-Policy"]) == ("no-store", "no-referrer")
        assert not response.cookies, address
        assert SECRET not in f"{response.headers}{response.text}", address


def test_page_requests_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    page = asked.survey(PLAIN_ASKS).address
    with caplog.at_level(logging.DEBUG):
        for address in (page, f"{page}/form", "/a/nothing-here"):
            Client().get(f"{address}?{PERSONAL}", follow=True)
        posted = Client().post(f"{page}/form?{PERSONAL}")
    assert SECRET not in f"{caplog.text}{posted.headers}{posted.text}"


@pytest.mark.server
def test_product_server_stores_nothing_of_a_page_request(server: LiveServer) -> None:
    survey = server.open_survey(PLAIN_ASKS)
    for address in (f"/a/{survey.slug}", f"/a/{survey.slug}/form", "/a/nothing-here"):
        assert survey.ask(f"{address}?{PERSONAL}")[1]["Location"] == address
    files = [each for each in Path(server.env["VAR"]).rglob("*") if each.is_file()]
    assert files
    assert not [each for each in files if SECRET.encode() in each.read_bytes()]
