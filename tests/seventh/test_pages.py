"""The seventh kind on the builder's pages and on the respondents' start page."""

import re
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.save_edit import load_questionnaire
from intake.pages.page_scripts import page_script_name
from privacy.designs import Design
from surveys.lifecycle.design_from_draft import freeze_design, needed_phrases
from surveys.models import Survey
from tests.builder.conftest import HTMX, SCRIPT, of_question
from tests.cast import As
from tests.intake import asked as surveys
from tests.intake.test_pages import get
from tests.privacy.conftest import COMPOSER, ROOT
from tests.seventh.conftest import HERE
from tests.seventh.forced import ForcedSection
from tests.surveys.conftest import draft

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("kind")]
__all__ = ["draft"]


@pytest.fixture
def client(owner: Person, signed_in_as: As) -> Client:
    return signed_in_as(owner)


@pytest.fixture
def added(client: Client, draft: Survey) -> Survey:
    """By its button, as the last section."""
    assert "Add a forced-response question" in shown(client, draft)
    client.post(
        f"/app/surveys/{draft.pk}/edit/act", {"do": "section-add", "kind": "forced", "in": "en"}, headers=HTMX
    )
    return draft


def shown(client: Client, survey: Survey, page: str = "edit") -> str:
    return client.get(f"/app/surveys/{survey.pk}/{page}").text


def last(survey: Survey) -> Any:
    survey.refresh_from_db()
    return load_questionnaire(survey).as_json()["sections"][-1]


def save(client: Client, survey: Survey, do: str = "", **sent: object) -> None:
    [asked] = last(survey)["questions"]
    fields = {**of_question(survey, asked["name"]), "do": do, **sent}
    headers = HTMX if do else SCRIPT
    assert client.post(f"/app/surveys/{survey.pk}/edit/save", fields, headers=headers).status_code == 200


def test_it_is_added_edited_and_opened_as_a_section_of_a_design(client: Client, added: Survey) -> None:
    save(client, added, text="Have you stolen?")
    save(client, added, "rename", name="stolen")
    assert last(added)["questions"][0]["text"] == {"en": "Have you stolen?"}
    page = shown(client, added)
    assert "Have you stolen?" in page
    assert "the true answer is sent, else a yes or no by chance" in page
    section = freeze_design(added.draft).sections[-1]
    assert isinstance(section, ForcedSection)
    assert section.questions[0].name == "stolen"
    assert "grouped_kept" in needed_phrases(added.draft)


def test_the_protection_page_sets_it_and_shows_its_gamma(client: Client, added: Survey) -> None:
    """1.6 / .4 with 60 % true answers."""
    added.refresh_from_db()
    number = len(load_questionnaire(added).sections) - 1
    before = client.get(f"/app/surveys/{added.pk}/edit/protection")
    sent = {field.name: field.value() for field in before.context["panel"].form}
    sent |= {f"keep-{number}": "60", "base": before.context["base"]}
    sent = {name: value for name, value in sent.items() if value not in (None, False)}
    client.post(f"/app/surveys/{added.pk}/edit/protection/save", sent)
    assert last(added)["keep"] == "0.6000"
    page = shown(client, added, "edit/protection")
    assert "A forced-response question: " in page
    assert "4.00 times" in page


def test_a_preset_sets_it_and_the_preview_asks_it(client: Client, added: Survey) -> None:
    assert last(added)["preset"]
    assert last(added)["keep"] != "0.0000"
    section = last(added)
    assert freeze_design({**added.draft, "sections": [section]}).sections[0].law is not None
    save(client, added, text="Have you stolen?")
    assert "Have you stolen?" in shown(client, added, "preview/page")


def test_respondents_read_its_odds_and_the_hash_of_all_modules(asked: Design) -> None:
    page = get(surveys.survey(asked).address).text
    assert "(60 %)" in page
    assert "(20 %)" in page
    listed = list(dict.fromkeys(re.findall(r'href="/static/(privacy/[^"]+)" target', page)))
    assert listed[-1] == "privacy/kinds/forced.js"
    source = [(ROOT / "privacy" / "static" / name).read_bytes() for name in listed[:-1]]
    source.append((HERE / "static" / listed[-1]).read_bytes())
    assert f'<code class="hash">{sha256(b"".join(source)).hexdigest()}</code>' in page
    assert page_script_name(["plain", "forced"]) == "intake/answer.js"


def test_what_composes_its_device_is_the_products_and_one_module_more() -> None:
    ours = (HERE / "static/intake/device.js").read_text()
    line = 'import { forced } from "../privacy/kinds/forced.js";\n'
    assert ours.replace(line, "").replace(", forced }", " }") == COMPOSER.read_text()
