"""Studies in the builder: crosswise questions, control items, drawn versions and a direct arm, by keyboard too."""

import pytest
from playwright.sync_api import expect

from tests.browser.building import Make, maker, saved, tab_to
from tests.browser.conftest import Visit
from tests.product import Product
from tests.surveys.builder.written import crosswise, drawn, plain, question, sensitive
from tests.surveys.drafts import said

pytestmark = pytest.mark.browser


@pytest.fixture
def make(product: Product) -> Make:
    return maker(product)


def yes_no(name: str, **more: str) -> dict[str, object]:
    return {**question(name, "no", "yes", **more), "form": "yes-no"}


def test_every_page_of_a_study_is_whole(visit: Visit, make: Make) -> None:
    draft = make(
        plain(drawn("version"), yes_no("moon", known="0.0000")),
        crosswise("tax", turned_by="version", turned=said("Was your mother born in autumn or winter?")),
        sensitive(yes_no("theft"), yes_no("mars", known="0.0000")),
        open_answers=False,
    )
    alone = make(plain(drawn("version")), crosswise("tax", source=""), direct="0.4400", open_answers=False)
    visitor = visit("researcher")
    keys = "&".join(f"open={key}" for key in ("version", "moon", "tax", "mars"))
    for name, path in {
        "closed": f"{draft.path}/edit",
        "open": f"{draft.path}/edit?{keys}",
        "protection": f"{alone.path}/edit/protection",
        "study": f"{draft.path}/edit/study",
    }.items():
        page = visitor.go(path)
        page.evaluate("document.querySelectorAll('#main details').forEach(e => { e.open = true })")
        visitor.check()
        visitor.shoot(f"studies-{name}")


def test_a_crosswise_question_is_written_with_the_keyboard_alone(visit: Visit, make: Make) -> None:
    draft = make(plain(question("work", "employed", "none")))
    page = visit("researcher").go(f"{draft.path}/edit")
    tab_to(page, page.get_by_role("button", name="Add a crosswise question"))
    page.keyboard.press("Enter")
    expect(page.locator(".block.open textarea[name=text]")).to_be_focused()
    page.keyboard.type("Did you cheat on taxes?")
    for name, words in {"secret": "Born in spring?", "share": "20", "source": "A calendar"}.items():
        tab_to(page, page.locator(f".block.open [name={name}]"))
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.type(words)
    expect(page.locator(".number-results")).to_contain_text("4.00 times")
    saved(page)
    asked = draft.stored["sections"][1]["questions"][0]
    assert (asked["secret"], asked["share"]) == ({"en": "Born in spring?"}, "0.2000")
