"""The completion on the respondent's screen: a code to copy or a link to follow, after a record is stored."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.answering import Respondent, arrived, asked, forget
from tests.browser.conftest import Visit
from tests.browser.warm import visit
from tests.product import Product

pytestmark = pytest.mark.browser
__all__ = ["visit"]
CODE = "THANKS-4711"


def test_the_code_comes_after_sending_and_can_be_copied(product: Product, visit: Visit) -> None:
    survey = asked(product, "with a code")
    page = visit().go(survey.address)
    expect(page.get_by_text("You get a code for your panel.").first).to_be_visible()
    assert CODE not in page.content()
    respondent = Respondent(page)
    respondent.answer({})
    assert CODE not in page.content()
    respondent.send()
    arrived(page)
    expect(page.locator("#completion code")).to_have_text(CODE)
    expect(page.locator("#completion")).not_to_contain_text("demonstration")
    respondent.press("Copy the code")
    expect(page.locator("#completion [role=status]")).to_have_text(re.compile("Copied|Select the code"))
    assert CODE not in page.evaluate(
        "JSON.stringify([{...sessionStorage}, {...localStorage}, history.state])"
    )
    forget(product)


def test_the_link_is_followed_only_by_a_tap_and_says_where_it_leads(product: Product, visit: Visit) -> None:
    survey = asked(product, "with a link")
    page = visit().go(survey.address)
    respondent = Respondent(page)
    respondent.answer({})
    respondent.send()
    arrived(page)
    link = page.get_by_role("link", name="Continue to panel.example.org")
    expect(link).to_have_attribute("href", "https://panel.example.org/complete/4711")
    expect(link).to_have_attribute("rel", "noreferrer")
    assert page.evaluate("location.pathname + location.search + location.hash") == survey.address
    forget(product)


def test_a_rehearsal_shows_an_example_as_a_demonstration(product: Product, visit: Visit) -> None:
    survey = asked(product, "rehearsed with a code")
    page = visit().go(survey.address)
    respondent = Respondent(page)
    respondent.answer({})
    respondent.send()
    arrived(page)
    expect(page.locator("#completion")).to_contain_text("This is a demonstration.")
    expect(page.locator("#completion code")).to_have_text("EXAMPLE-CODE")
    forget(product)


@pytest.mark.parametrize("fragment", ["#PROLIFIC_PID=5f3c9e2b1a", "#anna"])
def test_a_link_with_something_personal_leaves_nothing_of_it(
    product: Product, visit: Visit, fragment: str
) -> None:
    survey = asked(product, "short")
    page = visit().go(f"{survey.address}?PROLIFIC_PID=5f3c9e2b1a{fragment}")
    page.locator("[data-agree]:visible").wait_for()
    assert page.evaluate("location.pathname + location.search + location.hash") == survey.address
    kept = page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}, history.state])")
    assert "5f3c9e2b1a" not in kept
    assert "anna" not in kept
