"""The seventh kind on the builder's pages and on the respondents' start page."""

import re
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client

from builder.editing.save_edit import load_questionnaire
from intake.pages.page_scripts import page_script_name
from privacy.designs import Design
from surveys.lifecycle.design_from_draft import freeze_design, needed_phrases
from surveys.models import Survey
from tests.builder.conftest import HTMX, SCRIPT, of_question
from tests.intake import asked as surveys
from tests.intake.test_pages import get
from tests.privacy.conftest import COMPOSER, ROOT
from tests.seventh.conftest import HERE
from tests.seventh.forced import ForcedDraft, ForcedSection
from tests.surveys.conftest import client, draft

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("kind")]
__all__ = ["client", "draft"]


@pytest.fixture
def draft_with_kind(client: Client, draft: Survey) -> Survey:
    """By its button, as the last section."""
    assert "Add a forced-response question" in page_text(client, draft)
    client.post(
        f"/app/surveys/{draft.pk}/edit/act", {"do": "section-add", "kind": "forced", "in": "en"}, headers=HTMX
    )
    return draft


def page_text(client: Client, survey: Survey, page: str = "edit") -> str:
    return client.get(f"/app/surveys/{survey.pk}/{page}").text


def last_section(survey: Survey) -> Any:
    survey.refresh_from_db()
    return load_questionnaire(survey).as_json()["sections"][-1]


def save(client: Client, survey: Survey, do: str = "", **sent: object) -> None:
    [asked] = last_section(survey)["questions"]
    fields = {**of_question(survey, asked["name"]), "do": do, **sent}
    headers = HTMX if do else SCRIPT
    assert client.post(f"/app/surveys/{survey.pk}/edit/save", fields, headers=headers).status_code == 200


def test_forced_question_is_added_edited_previewed_and_opened(
    client: Client, draft_with_kind: Survey
) -> None:
    assert last_section(draft_with_kind)["preset"]
    assert last_section(draft_with_kind)["keep"] != ForcedDraft.keep
    save(client, draft_with_kind, text="Have you stolen?")
    save(client, draft_with_kind, "rename", name="stolen")
    assert last_section(draft_with_kind)["questions"][0]["text"] == {"en": "Have you stolen?"}
    page = page_text(client, draft_with_kind)
    assert "Have you stolen?" in page
    assert "Have you stolen?" in page_text(client, draft_with_kind, "preview/page")
    assert "the true answer is sent, else a yes or no by chance" in page
    section = freeze_design(draft_with_kind.draft).sections[-1]
    assert isinstance(section, ForcedSection)
    assert section.questions[0].name == "stolen"
    assert "grouped_kept" in needed_phrases(draft_with_kind.draft)


def test_protection_page_sets_the_forced_question_and_shows_gamma(
    client: Client, draft_with_kind: Survey
) -> None:
    """1.6 / .4 with 60 % true answers."""
    draft_with_kind.refresh_from_db()
    number = len(load_questionnaire(draft_with_kind).sections) - 1
    before = client.get(f"/app/surveys/{draft_with_kind.pk}/edit/protection")
    sent = {field.name: field.value() for field in before.context["panel"].form}
    sent |= {f"keep-{number}": "60", "base": before.context["base"]}
    sent = {name: value for name, value in sent.items() if value not in (None, False)}
    client.post(f"/app/surveys/{draft_with_kind.pk}/edit/protection/save", sent)
    assert last_section(draft_with_kind)["keep"] == "0.6000"
    page = page_text(client, draft_with_kind, "edit/protection")
    assert "A forced-response question: " in page
    assert "4.00 times" in page


def test_respondents_read_the_odds_of_the_forced_question_and_the_hash(design_of_kind: Design) -> None:
    page = get(surveys.survey(design_of_kind).address).text
    assert "(60 %)" in page
    assert "(20 %)" in page
    listed = list(dict.fromkeys(re.findall(r'href="/static/(privacy/[^"]+)" target', page)))
    assert listed[-1] == "privacy/kinds/forced.js"
    source = [(ROOT / "privacy" / "static" / name).read_bytes() for name in listed[:-1]]
    source.append((HERE / "static" / listed[-1]).read_bytes())
    assert f'<code class="hash">{sha256(b"".join(source)).hexdigest()}</code>' in page
    assert page_script_name(["plain", "forced"]) == "intake/answer.js"


def test_forced_device_composes_the_products_modules_and_one_more() -> None:
    ours = (HERE / "static/intake/device.js").read_text()
    line = 'import { forced } from "../privacy/kinds/forced.js";\n'
    assert ours.replace(line, "").replace(", forced }", " }") == COMPOSER.read_text()
