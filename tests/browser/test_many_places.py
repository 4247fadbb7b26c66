"""A question with as many places as there may be, and the outline of land below them."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.browser.answering import Respondent, asked
from tests.browser.conftest import Visit
from tests.browser.test_place_question import chosen
from tests.browser.warm import visit
from tests.product import Product

__all__ = ["visit"]

pytestmark = pytest.mark.browser


def test_four_thousand_places_are_shown_two_hundred_at_a_time(visit: Visit, product: Product) -> None:
    visitor = visit()
    respondent = Respondent(visitor.go(asked(product, "many places").address))
    respondent.begin()
    page = respondent.page
    rows = page.get_by_role("radio")
    expect(rows).to_have_count(200)
    assert page.locator("#places-shown").inner_text() == "Places shown: 200 of 4,096"
    respondent.press("Show more places")
    expect(rows).to_have_count(400)
    page.get_by_label("Search").fill("parish 4095")
    expect(rows).to_have_count(1)
    rows.first.check()
    page.get_by_label("Search").fill("")
    expect(rows).to_have_count(201)
    assert chosen(page) == ["answer-0-4095"]
    visitor.check()
    visitor.shoot("places-many")


def test_the_outline_of_land_is_drawn_where_the_places_are(visit: Visit, product: Product) -> None:
    survey = asked(product, "many places")
    visitor = visit()

    def with_land(route: Route) -> None:
        answer = route.fetch()
        page = re.sub('"land":"[^"]*"', '"land":"M0 0h63v63h-63z"', answer.text())
        route.fulfill(response=answer, body=page)

    visitor.page.route(f"**{survey.address}", with_land)
    respondent = Respondent(visitor.go(survey.address))
    respondent.begin()
    land, cells = (
        respondent.page.locator(f".map-frame {name}").last.bounding_box() for name in (".land", ".cells")
    )
    assert land
    assert cells
    # Parish 0 stands at 0, 0 and the last one at 63, 63, each in the middle of its disc.
    assert land["x"] > cells["x"] - 20
    assert land["y"] == pytest.approx(cells["y"], abs=20)
    assert land["width"] == pytest.approx(cells["width"], abs=20)
    visitor.shoot("places-land")
