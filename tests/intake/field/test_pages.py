"""The pages of a field device: their headers, the files that they list, and what differs from the page online."""

import json
import re
from hashlib import sha256
from pathlib import Path
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
from tests.intake.test_pages import Elements

pytestmark = [pytest.mark.django_db, pytest.mark.page]
KEYS: dict[str, Any] = {"token_key": PublicKey(2**2047 + 1).text, "sealing_key": make_sealing_key()[1]}
FIELD_DESIGN = asked.design(**KEYS, languages=["en", "ar"], title={"en": "Harvest", "ar": "حصاد"})
WORKERS = ["field/store-worker.js", "field/blind-worker.js"]
PLACES = ["field", "field-worker.js", "field/interview", *WORKERS, "field/app.webmanifest"]
IN_A_FRAME = RESPONDENTS_PAGE.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
APP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " worker-src 'self'; frame-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none';"
    " frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types field"
)
JAVASCRIPT = "text/javascript; charset=utf-8"
SCRIPTS = Path("intake/static/intake/field")


@pytest.fixture
def survey() -> Survey:
    return asked.survey(FIELD_DESIGN)


def get(survey: Survey, place: str, **headers: str) -> Any:
    return Client().get(f"{survey.address}/{place}", headers=headers)


def settings_of(page: Any) -> dict[str, Any]:
    return Elements(page.text).page_settings


def test_field_page_is_the_same_for_everybody_and_not_cached(survey: Survey) -> None:
    without = asked.survey(asked.design())
    for place in PLACES:
        page = get(survey, place)
        other = get(survey, place, accept_language="ar", cookie="candor-language=fr")
        assert (page.status_code, page.content) == (200, other.content), place
        assert page.headers.get("Vary", "Accept-Encoding") == "Accept-Encoding", place
        assert (page["Cache-Control"], page["Referrer-Policy"]) == ("no-store", "no-referrer"), place
        assert not page.cookies, place
        assert "Service-Worker-Allowed" not in page.headers, "its scope lies in its own folder"
        absent = get(without, place)
        assert absent.status_code == 404, place
        assert "This survey has no field devices." in absent.text, place
        assert Client().get(f"/a/nothing-here/{place}").status_code == 404, place


def test_field_app_may_not_be_framed_and_the_interview_only_by_the_same_site(survey: Survey) -> None:
    """The app starts workers of its own."""
    for place, policy, frame in (("field", APP, "DENY"), ("field/interview", IN_A_FRAME, "SAMEORIGIN")):
        page = get(survey, place)
        assert (page["Content-Security-Policy"], page["X-Frame-Options"]) == (policy, frame), place


def test_service_worker_may_fetch_and_names_no_file(survey: Survey) -> None:
    worker = get(survey, "field-worker.js")
    assert (worker["Content-Security-Policy"], worker["Content-Type"]) == (RESPONDENTS_PAGE, JAVASCRIPT)
    assert "/static/" not in worker.text
    assert survey.slug in worker.text
    assert not re.search(r"install|skipWaiting|clients", worker.text)
    assert len(worker.text.splitlines()) <= 25
    # A dedicated one imports its modules and fetches nothing.
    for place in WORKERS:
        worker, name = get(survey, place), place.removesuffix(".js").replace("-", "_")
        assert worker["Content-Security-Policy"] == "default-src 'none'; script-src 'self'"
        assert worker["Content-Type"] == JAVASCRIPT
        assert worker.text == f'import "/static/intake/{name}.js";\n'


def test_field_manifest_only_starts_the_app(survey: Survey) -> None:
    manifest = get(survey, "field/app.webmanifest")
    assert manifest["Content-Type"] == "application/manifest+json"
    known = json.loads(manifest.text)
    address = f"{survey.address}/field"
    assert (known["name"], known["start_url"], known["scope"]) == ("Harvest", address, address)


def test_field_app_lists_every_loaded_file_with_its_hash(survey: Survey) -> None:
    files = {file["path"]: file["sha256"] for file in settings_of(get(survey, "field"))["files"]}
    for path, digest in files.items():
        content = served_content(path) if path.startswith("/static/") else Client().get(path).content
        assert sha256(content).hexdigest() == digest, path
    static = {path.removeprefix("/static/") for path in files if path.startswith("/static/")}
    of_field = ("keeper.js", "keeper_page.js", "interview.js", "store_worker.js", "field.css")
    of_intake = ("answer.js", "device.js", "journey.js", "voice.js", "page.css")
    others = {"ui/tokens.css", "ui/mark.svg", "privacy/disguise.js", "privacy/kinds/grouped.js"}
    assert {f"intake/field/{name}" for name in of_field} <= static
    assert {f"intake/{name}" for name in of_intake} | others <= static
    ours = {path.removeprefix(f"{survey.address}/") for path in files if path.startswith("/a/")}
    assert ours == {"field/interview", *WORKERS, "field/app.webmanifest"}
    coloured = asked.survey(asked.design(**KEYS, accent="#1f5fbf"))
    paths = [file["path"] for file in settings_of(get(coloured, "field"))["files"]]
    assert [path for path in paths if path.startswith("/a/colour/")]


def test_field_app_speaks_each_language_and_starts_the_surveys_own(survey: Survey) -> None:
    page = settings_of(get(survey, "field"))
    assert tuple(page["words"]) == SHIPPED
    assert len({words[0] for words in page["words"].values()}) == len(SHIPPED), "each is translated"
    assert [offered["code"] for offered in page["offered"]] == ["en", "ar"]
    assert page["offered"][0]["begin"] == "Begin"
    assert page["fingerprint"] == FIELD_DESIGN.fingerprint
    assert (page["token_key"], page["sealing_key"]) == (KEYS["token_key"], KEYS["sealing_key"])
    assert phrases_for_design(FIELD_DESIGN).keys() >= FIELD.keys()
    assert not phrases_for_design(asked.design()).keys() & FIELD.keys()
    scripts = "\n".join(script.read_text(encoding="utf-8") for script in SCRIPTS.glob("*.js"))
    calls = re.findall(r"\bword\(([^,)]*)", scripts)
    used = {name for call in calls for name in re.findall(r'"(\w+)"', call)}
    assert len(used) > 70
    # No script asks for a text that is not there.
    assert used <= {*page["keys"], *phrases_for_design(FIELD_DESIGN)}
    # Why sending takes a while is said with the longest pause between two records.
    pause = re.search(
        r"^const PAUSE = (\d+);", (SCRIPTS / "upload.js").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert pause
    for words in page["words"].values():
        assert f" {pause[1]} " in words[page["keys"].index("sending")].replace("\u00a0", " ")


def test_field_interview_equals_the_online_page_but_for_the_device(survey: Survey) -> None:
    interview = get(survey, "field/interview")
    page = interview.text
    assert "field/" not in Client().get(survey.address).text
    own = "/static/intake/field/interview.js", "This device belongs to the people who ask."
    others = "Nothing is kept until you press Finish.", "Whoever watches or records the screen"
    assert asked.missing_parts(page, *own, *others) == []
    # Nothing leads out of the frame.
    online = "/static/intake/invitation.js", "On a shared device, use a private window."
    assert asked.parts_in_text(page, *online, "<a ") == []
    known = settings_of(interview)
    assert dict(zip(known["keys"], known["words"]["en"], strict=True))["send"] == "Finish"
    assert not known.keys() & {"epoch", "exchange"}


def test_every_question_control_is_excluded_from_browser_sessions() -> None:
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
