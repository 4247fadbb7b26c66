"""A form from elsewhere on its way in: upload, read-through, acceptance."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.importing.sheets import HEADER, form

pytestmark = pytest.mark.browser
CHOICES = [
    ["list_name", "name", "label::English (en)", "label::العربية"],
    ["ages", "young", "18 to 39", "١٨–٣٩"],
    ["ages", "old", "40 or older", "٤٠"],
    ["yes_no", "yes", "Yes", "نعم"],
    ["yes_no", "no", "No", "لا"],
]
FORM = form(
    ["start", "start"],
    ["begin_group", "g", "**About** you"],
    ["select_one ages", "age", "How old are you?", "yes"],
    ["end_group"],
    ["select_one yes_no", "theft", "Have you ever taken something from work?", "yes", "${age} = 'old'"],
    ["select_one yes_no", "fit", "Do you feel fit?", "yes", "${age} > 3"],
    ["text", "why", "Why is that, in your own words?"],
    header=[*HEADER, "label::العربية"],
    choices=CHOICES,
)


def test_a_form_is_read_through_and_accepted(visit: Visit, tmp_path: Path) -> None:
    visitor = visit("researcher")
    page = visitor.go("/surveys/import")
    (tmp_path / "form.xlsx").write_bytes(FORM)
    page.set_input_files("input[type=file]", tmp_path / "form.xlsx")
    page.click("main form .primary")
    expect(page.get_by_role("heading", name="Read the import through")).to_be_visible()
    expect(page.get_by_text("Candor keeps nothing of that")).to_be_visible()
    expect(page.get_by_text("Its markup was turned into plain text.")).to_be_visible()
    visitor.check()
    visitor.shoot("read-through")
    page.get_by_role("checkbox", name="not disguised: How old are you?").check()
    page.get_by_role("button", name="Accept: make the draft").click()
    page.wait_for_url(re.compile(r"/surveys/\d+/edit"))
    expect(page.get_by_text("The questionnaire is there, as a draft of yours.")).to_be_visible()
    expect(page.get_by_text("Have you ever taken something from work?").first).to_be_visible()


def test_a_form_is_accepted_by_keyboard(visit: Visit, tmp_path: Path) -> None:
    visitor = visit("researcher")
    page = visitor.go("/surveys/import")
    (tmp_path / "form.xlsx").write_bytes(FORM)
    page.set_input_files("input[type=file]", tmp_path / "form.xlsx")
    page.locator("main form .primary").press("Enter")
    page.get_by_role("checkbox", name="All of them may be sent as they are; none is sensitive").press("Space")
    page.get_by_role("button", name="Accept: make the draft").press("Enter")
    page.wait_for_url(re.compile(r"/surveys/\d+/edit"))
