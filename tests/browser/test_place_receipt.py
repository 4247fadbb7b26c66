"""What is said of a place after its question: on the check page, and on the receipt."""

from pathlib import Path

import pytest

from tests.browser.answering import Asked, Respondent, arrived, asked, forget, inbox, throws
from tests.browser.conftest import Visit
from tests.browser.test_answering_receipt import check, saved
from tests.browser.warm import visit
from tests.product import Product

pytestmark = pytest.mark.browser
__all__ = ["visit"]


@pytest.fixture
def places(product: Product) -> Asked:
    forget(product)
    return asked(product, "places")


def test_the_check_and_the_receipt_say_places_in_words(
    visit: Visit, product: Product, places: Asked, tmp_path: Path
) -> None:
    visitor = visit()
    # Home: near, from 738 on Quarter A2. Work: from 1,800 of 2,000 sides on the first place of the yard.
    throws(visitor.page, [800, 1800])
    page = visitor.go(places.address)
    respondent = Respondent(page)
    respondent.answer({0: 0, 1: 0, 2: 5})
    summary = page.locator(".summary > div").all_inner_texts()
    assert "Quarter A1" in summary[2]
    assert "What could be sent: a place near it, or any place inside the regions." in summary[2]
    assert "What could be sent: this place, which then counts as not disguised" in summary[3]
    assert (
        "or one near it" in page.locator(".illustration").inner_text()
        or "any place inside" in page.locator(".illustration").inner_text()
    )
    respondent.send()
    arrived(page)
    said = [
        "Employed not disguised",
        "Quarter A2, perhaps drawn at random",
        "Stop 1, perhaps drawn at random",
    ]
    assert page.locator("table tbody td:nth-child(2)").all_inner_texts() == said
    assert inbox(product, places) == ["10011"]
    receipt, design = saved(page, "Save the receipt", tmp_path), saved(page, "Save the design", tmp_path)
    page = visit().go("/a/receipt")
    assert check(page, receipt, design) == "This is a possible record of the design."
    assert page.locator("table tbody td:nth-child(2)").all_inner_texts() == said


def test_a_receipt_says_that_a_place_outside_goes_out_as_it_is(visit: Visit, places: Asked) -> None:
    visitor = visit()
    throws(visitor.page, [0, 0])
    page = visitor.go(places.address)
    respondent = Respondent(page)
    respondent.answer({0: 0, 1: 15, 2: 1})
    respondent.send()
    arrived(page)
    assert page.locator("table tbody td:nth-child(2)").all_inner_texts() == [
        "Employed not disguised",
        "Quarter D4 not disguised",
        "Stop 1, perhaps drawn at random",
    ]
