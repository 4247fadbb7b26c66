"""A question of many choices that goes out as a set: proposed, asked, tried, sent and read on the receipt."""

import pytest
from playwright.sync_api import expect

from tests.browser.answering import Asked, Respondent, arrived, asked, forget, inbox, throws
from tests.browser.building import Draft, block
from tests.browser.conftest import Visit
from tests.browser.warm import visit
from tests.builder.written import question, sensitive, stored
from tests.product import Product

pytestmark = pytest.mark.browser
__all__ = ["visit"]

LSD = 4
# The keep coin keeps; the first shuffle coin draws Heroin, fourth of the others.
KEPT = [0, 3, 0]


@pytest.fixture
def sets(product: Product) -> Asked:
    forget(product)
    return asked(product, "sets")


def test_a_set_is_explained_tried_sent_and_read_on_the_receipt(
    visit: Visit, product: Product, sets: Asked
) -> None:
    visitor = visit()
    throws(visitor.page, KEPT)
    page = visitor.go(sets.address)
    visitor.shoot("sets-start")
    expect(
        page.get_by_text("For one question your device sends 2 of the 9 answers together").first
    ).to_be_attached()
    respondent = Respondent(page)
    names = iter(("choice", "question", "check"))
    for _screen in respondent.screens({0: LSD}):
        name = next(names)
        if name == "question":
            said = page.locator("details.chances").text_content() or ""
            # Any other answer: (p (d-1) + (1-p) d) / (K-1) = (.5 + 1) / 8.
            assert "Your device sends 2 of these answers together." in said
            assert "(50 %)" in said
            assert "(18.8 %)" in said
        elif name == "check":
            trial = page.locator(".illustration")
            assert "of 1 tries so far" in (trial.text_content() or "")
            assert " or " in (trial.locator("dd.fell").text_content() or "")
        visitor.check()
        visitor.shoot(f"sets-{name}")
    respondent.send()
    arrived(page)
    expect(
        page.get_by_text("Heroin or LSD. Your answer may be one of these, or none of them.")
    ).to_be_visible()
    # Sets of two of nine before (3, 4): 8 + 7 + 6.
    assert respondent.receipt()["answers"].endswith("21")
    assert len(inbox(product, sets)) == 1
    visitor.check()
    visitor.shoot("sets-receipt")


def test_sets_are_proposed_and_taken_back(visit: Visit, product: Product) -> None:
    asks = question("drug", *(f"c{place}" for place in range(21)))
    draft = Draft(product, stored(sensitive(asks, keep="0.0869"), expected=1000))
    visitor = visit("researcher")
    page = visitor.go(f"{draft.path}/edit")
    expect(
        page.get_by_text("Sending a set of 5 choices instead of one needs 2.2 times fewer")
    ).to_be_visible()
    visitor.shoot("sets-proposed")
    page.get_by_role("button", name="Send sets").click()
    expect(page.get_by_text("The device sends 5 of the 21 answers together.")).to_be_visible()
    assert draft.stored["sections"][0]["kind"] == "subset"
    visitor.check()
    visitor.shoot("sets-sent")
    block(page, "drug?").locator("h3").click()
    expect(page.locator(".block.open")).to_be_visible()
    expect(page.get_by_label("Kind", exact=True)).to_have_count(0)
    visitor.shoot("sets-edited")
    page = visitor.go(f"{draft.path}/edit/protection")
    visitor.shoot("sets-protection")
    page.get_by_role("button", name="Send one choice").click()
    expect(page.get_by_role("button", name="Send sets")).to_be_attached()
    assert draft.stored["sections"][0]["kind"] == "unrelated-question"
    visitor.shoot("sets-protection-back")
