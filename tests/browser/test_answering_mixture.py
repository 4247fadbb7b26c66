"""A survey that asks for a number, a place, a pair of questions and a yes or no: its page has one script for all."""

from pathlib import Path

import pytest

from tests.browser.answering import Asked, Respondent, arrived, asked, forget, inbox
from tests.browser.conftest import Visit
from tests.browser.test_answering_receipt import check, saved
from tests.browser.warm import visit
from tests.product import Product

pytestmark = pytest.mark.browser
__all__ = ["visit"]
SCRIPTS = """
performance.getEntriesByType("resource").map(({ name }) => name.match("/static/intake/(.+)[.][0-9a-f]{12}[.]js$")?.[1])
  .filter(Boolean).sort()
"""


@pytest.fixture
def mixture(product: Product) -> Asked:
    forget(product)
    return asked(product, "mixture")


def test_every_kind_is_answered_to_a_receipt_that_is_possible(
    visit: Visit, product: Product, mixture: Asked, tmp_path: Path
) -> None:
    page = visit().go(mixture.address)
    respondent = Respondent(page)
    headings = list(respondent.screens({0: 1, 1: 500, 2: 2, 3: 1, 4: 0}))
    for heading, words in zip(headings, ["How old", "fined", "Where", "the same?", "tax"], strict=False):
        assert words in heading
    summary = page.locator(".summary > div").all_inner_texts()
    for answer, words in zip(summary, ["40 or older", "500", "south", "Different", "No"], strict=True):
        assert words in answer
    respondent.send()
    arrived(page)
    assert len(inbox(product, mixture)) == 1
    receipt, design = saved(page, "Save the receipt", tmp_path), saved(page, "Save the design", tmp_path)
    page = visit().go("/a/receipt")
    assert check(page, receipt, design) == "This is a possible record of the design."
    assert page.evaluate(SCRIPTS) == ["device", "receipt-page"]


def test_a_page_loads_one_script_of_its_own_and_what_disguises(visit: Visit, mixture: Asked) -> None:
    page = visit().go(mixture.address)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(SCRIPTS) == ["answer-number-place-crosswise", "device", "invitation"]
