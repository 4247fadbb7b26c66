"""Texts go to a translator as a file and come back, by keyboard too, on pages that are whole on a phone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.visiting import Make, Visitor, press_key_on
from tests.surveys.drafts import plain, question, sensitive

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="importing/test_translation_pages.py")]


def test_translation_file_goes_out_and_comes_back(robin: Visitor, make: Make, tmp_path: Path) -> None:
    draft = make(plain(question("age")), sensitive(question("theft")), languages=["en", "ar"])
    page = robin.go_and_check(f"{draft.path}/edit/translations", within="#files")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download XLIFF into Arabic").click()
    assert waiting.value.suggested_filename.endswith("-en-ar.xlf")
    text = Path(waiting.value.path()).read_text()
    text = text.replace("<source>age?</source>", "<source>age?</source><target>كم عمرك؟</target>")
    text = text.replace("<source>theft?</source>", "<source>stealing?</source><target>هل سرقت؟</target>")
    text = re.sub(r'<unit id="start\.why".*\n', "", text)
    back = tmp_path / "back.xlf"
    back.write_text(text)
    page.set_input_files("#files input[type=file]", back)
    press_key_on(page, page.get_by_role("button", name="Import translations"))
    expect(page.get_by_role("heading", name="Read the translations through")).to_be_visible()
    robin.check()
    row = page.locator("tr", has_text="question.theft.text")
    expect(row).to_contain_text("stealing?")
    expect(row).to_contain_text("theft?")
    expect(page.locator("tr", has_text="start.why")).to_contain_text("not in the file")
    row.get_by_role("checkbox").check()
    page.get_by_role("button", name="Take over 1 translation").click()
    expect(page.get_by_text("2 translations are taken over.")).to_be_visible()
    assert draft.draft_json["sections"][0]["questions"][0]["text"]["ar"] == "كم عمرك؟"
    page.get_by_role("button", name="Undo").click()
    page.wait_for_url("**/translations?to=*")
    assert draft.draft_json["sections"][0]["questions"][0]["text"] == {"en": "age?"}
