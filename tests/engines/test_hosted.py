"""A survey whose page another host serves is answered there in Firefox and in WebKit, and the record arrives."""

import pytest

from tests.browser.conftest import Respondent, forget_all, wait_for_receipt
from tests.browser.test_answering_hosted import COUNT, Hosted, hosted, open_site
from tests.browser.visiting import PHONE, shell
from tests.engines.conftest import Visit
from tests.product import Product

__all__ = ["hosted", "open_site"]
pytestmark = [
    pytest.mark.apart,
    pytest.mark.browser,
    pytest.mark.night(smaller="browser/test_answering_hosted.py"),
]


def test_a_survey_is_answered_at_its_host_in_each_engine_and_the_record_arrives(
    visit: Visit, open_site: Hosted, product: Product
) -> None:
    page = visit()
    page.goto(f"{open_site.url}/?who=somebody")
    page.get_by_text("This page comes from localhost").wait_for()
    assert page.url == f"{open_site.url}/"
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    respondent = Respondent(page)
    respondent.send({0: 0, 1: 1})
    wait_for_receipt(page)
    assert respondent.receipt()["design"] in (open_site.folder / "index.html").read_text()
    assert shell(product, COUNT % open_site.pk) == "1"
    forget_all(product)


def test_a_copy_at_another_address_asks_nothing_in_each_engine(visit: Visit, hosted: Hosted) -> None:
    page = visit()
    page.goto(f"{hosted.url.replace('localhost', '127.0.0.1')}/")
    page.get_by_text("Nothing can be answered here.").wait_for()
    assert page.locator("[data-agree]").count() == 0
