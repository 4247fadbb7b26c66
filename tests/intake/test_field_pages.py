"""The pages of a field device: their headers, the files that they list, and what differs from the page online."""

import json
import re
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client

from config.content_security_policy import RESPONDENTS_PAGE
from intake.pages.page_file_hashes import served_content
from privacy.blind_signatures.protocol import PublicKey
from surveys.field_record_encryption import make_sealing_key
from surveys.kinds.phrase_selection import phrases_for_design
from surveys.models import Survey
from surveys.phrases.field_devices import FIELD
from surveys.phrases.languages import SHIPPED
from tests import servers
from tests.intake import asked

pytestmark = [pytest.mark.django_db, pytest.mark.page]
KEYS: dict[str, Any] = {"token_key": PublicKey(2**2047 + 1).text, "sealing_key": make_sealing_key()[1]}
FIELD_DESIGN = asked.design(**KEYS, languages=["en", "ar"], title={"en": "Harvest", "ar": "حصاد"})
PLACES = [
    "field",
    "field-worker.js",
    "field/interview",
    "field/store-worker.js",
    "field/blind-worker.js",
    "field/app.webmanifest",
]


@pytest.fixture
def survey() -> Survey:
    return asked.survey(FIELD_DESIGN)


def get(survey: Survey, place: str, **headers: str) -> Any:
    return Client().get(f"{survey.address}/{place}", headers=headers)


def settings_of(page: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(re.findall(r'id="page">([^<]*)<', page.text)[0])
    return found


@pytest.mark.parametrize("place", PLACES)
def test_each_is_the_same_for_everybody_and_no_browser_stores_it(survey: Survey, place: str) -> None:
    page = get(survey, place)
    other = get(survey, place, accept_language="ar", cookie="candor-language=fr")
    assert (page.status_code, page.content) == (200, other.content)
    assert page.headers.get("Vary", "Accept-Encoding") == "Accept-Encoding"
    assert page["Cache-Control"] == "no-store"
    assert page["Referrer-Policy"] == "no-referrer"
    assert not page.cookies
    assert "Service-Worker-Allowed" not in page.headers, "its scope lies in its own folder"


@pytest.mark.parametrize("place", PLACES)
def test_a_survey_without_field_devices_says_so(place: str) -> None:
    page = get(asked.survey(asked.design()), place)
    assert page.status_code == 404
    assert "This survey has no field devices." in page.text
    assert Client().get(f"/a/nothing-here/{place}").status_code == 404


def test_the_keepers_page_starts_workers_of_its_own_and_stands_in_no_frame(survey: Survey) -> None:
    page = get(survey, "field")
    assert page["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " worker-src 'self'; frame-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none';"
        " frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types field"
    )
    assert page["X-Frame-Options"] == "DENY"


def test_the_interview_stands_in_a_frame_of_the_same_site_alone(survey: Survey) -> None:
    page = get(survey, "field/interview")
    assert page["Content-Security-Policy"] == RESPONDENTS_PAGE.replace(
        "frame-ancestors 'none'", "frame-ancestors 'self'"
    )
    assert page["X-Frame-Options"] == "SAMEORIGIN"


def test_the_service_worker_may_fetch_and_names_no_file(survey: Survey) -> None:
    worker = get(survey, "field-worker.js")
    assert worker["Content-Security-Policy"] == RESPONDENTS_PAGE
    assert worker["Content-Type"] == "text/javascript; charset=utf-8"
    assert "/static/" not in worker.text
    assert survey.slug in worker.text
    assert not re.search(r"install|skipWaiting|clients", worker.text)
    assert len(worker.text.splitlines()) <= 25


@pytest.mark.parametrize("name", ["store", "blind"])
def test_a_dedicated_worker_imports_its_modules_and_fetches_nothing(survey: Survey, name: str) -> None:
    worker = get(survey, f"field/{name}-worker.js")
    assert worker["Content-Security-Policy"] == "default-src 'none'; script-src 'self'"
    assert worker["Content-Type"] == "text/javascript; charset=utf-8"
    assert worker.text == f'import "/static/intake/field/{name}_worker.js";\n'


def test_the_manifest_starts_the_app_and_nothing_else(survey: Survey) -> None:
    manifest = get(survey, "field/app.webmanifest")
    assert manifest["Content-Type"] == "application/manifest+json"
    known = json.loads(manifest.text)
    address = f"{survey.address}/field"
    assert (known["name"], known["start_url"], known["scope"]) == ("Harvest", address, address)


def test_the_app_lists_every_file_that_it_and_the_interview_load_with_its_hash(survey: Survey) -> None:
    files = {file["path"]: file["sha256"] for file in settings_of(get(survey, "field"))["files"]}
    for path, digest in files.items():
        content = served_content(path) if path.startswith("/static/") else Client().get(path).content
        assert sha256(content).hexdigest() == digest, path
    static = {path.removeprefix("/static/") for path in files if path.startswith("/static/")}
    assert {
        "intake/field/keeper.js",
        "intake/field/keeper_page.js",
        "intake/field/interview.js",
        "intake/field/store_worker.js",
        "intake/field/field.css",
        "intake/answer.js",
        "intake/device.js",
        "intake/journey.js",
        "intake/voice.js",
        "intake/page.css",
        "ui/tokens.css",
        "ui/mark.svg",
        "privacy/disguise.js",
        "privacy/kinds/grouped.js",
    } <= static
    ours = {path.removeprefix(survey.address) for path in files if path.startswith("/a/")}
    assert ours == {
        "/field/interview",
        "/field/store-worker.js",
        "/field/blind-worker.js",
        "/field/app.webmanifest",
    }


def test_a_logo_and_a_colour_are_among_them() -> None:
    survey = asked.survey(asked.design(**KEYS, accent="#1f5fbf"))
    paths = [file["path"] for file in settings_of(get(survey, "field"))["files"]]
    assert [path for path in paths if path.startswith("/a/colour/")]


def test_the_app_has_the_keepers_words_in_each_language_and_the_surveys_own_to_begin(survey: Survey) -> None:
    page = settings_of(get(survey, "field"))
    assert tuple(page["words"]) == SHIPPED
    assert len({words[0] for words in page["words"].values()}) == len(SHIPPED), "each is translated"
    assert [offered["code"] for offered in page["offered"]] == ["en", "ar"]
    assert page["offered"][0]["begin"] == "Begin"
    assert page["fingerprint"] == FIELD_DESIGN.fingerprint
    assert (page["token_key"], page["sealing_key"]) == (KEYS["token_key"], KEYS["sealing_key"])


def test_the_interview_is_the_page_online_with_what_differs_on_a_field_device(survey: Survey) -> None:
    page = get(survey, "field/interview").text
    online = Client().get(survey.address).text
    assert "/static/intake/field/interview.js" in page
    assert "field/" not in online
    assert "/static/intake/invitation.js" not in page
    assert "This device belongs to the people who ask." in page
    assert "Nothing is kept until you press Finish." in page
    assert "Whoever watches or records the screen" in page
    assert "On a shared device, use a private window." not in page
    assert "<a " not in page, "nothing leads out of the frame"
    known = settings_of(get(survey, "field/interview"))
    words = dict(zip(known["keys"], known["words"]["en"], strict=True))
    assert words["send"] == "Finish"
    assert "epoch" not in known
    assert "exchange" not in known


def test_its_phrases_are_needed_only_where_there_are_field_devices() -> None:
    assert phrases_for_design(FIELD_DESIGN).keys() >= FIELD.keys()
    assert not phrases_for_design(asked.design()).keys() & FIELD.keys()


def test_every_control_of_every_kind_of_question_is_left_out_of_a_browsers_session_file() -> None:
    """A kill leaves the session file: autocomplete="off" is what keeps typed answers out of it."""
    scripts = sorted((servers.ROOT / "intake/static/intake").rglob("*.js"))
    made = [
        (script.name, text[match.start() : match.end() + 300].partition("\n  });")[0])
        for script in scripts
        for text in [script.read_text()]
        for match in re.finditer(r"""el\("(?:input|select|textarea)",""", text)
    ]
    assert len(made) > 5
    assert [name for name, call in made if 'autocomplete: "off"' not in call] == []
