"""What researchers and the public see in Firefox and WebKit: the builder's way to a report, and a public report."""

import re

import pytest

from tests.browser.test_judging import RULES
from tests.browser.visiting import PHONE, enter_password, reset_preferences, shell
from tests.engines.conftest import Visit
from tests.product import Product
from tests.servers import wait

pytestmark = [pytest.mark.apart, pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
LAPTOP = (1280, 900)


def test_new_survey_is_built_previewed_and_its_report_read(visit: Visit, product: Product) -> None:
    name, password = product.passwords["researcher"]
    reset_preferences(product.var / "candor.sqlite3", name)
    page = visit(size=LAPTOP)
    enter_password(page, product.url, name, password)
    wait(lambda: "sign-in" not in page.url, "being signed in")
    page.goto(f"{product.url}/app/surveys/")
    page.get_by_role("link", name="New survey").click()
    page.get_by_label("Title").fill("Trust at work")
    page.get_by_role("button", name="Create survey").click()
    text = page.locator(".block.open textarea[name=text]")
    page.locator("#section-0-kind").select_option("one")
    page.locator("#section-0").get_by_role("button", name="Add a question").click()
    text.fill("How old are you?")
    for number, label in enumerate(("Under 40", "40 or older")):
        page.locator(f"#section-0 .block.open input[name=label-{number}]").fill(label)
    page.locator("#section-1").get_by_role("button", name="Add a question").click()
    page.locator("#section-1 .block.open textarea[name=text]").fill("Have you slept at work this year?")
    page.get_by_role("link", name="Edit the start page").click()
    page.get_by_label("Why it is asked").fill("To learn how much people trust each other.")
    page.get_by_text("Nothing is missing").wait_for()
    wait(
        lambda: bool(re.match(r"Saved \d", page.locator("[data-saved]").text_content().strip())),
        "being saved",
    )
    page.get_by_role("link", name="Overview").first.click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("heading", name="Simulated respondents").wait_for()
    # The page asks by itself until its next step is there.
    page.locator("[aria-live=polite] a.button.primary").first.wait_for()
    page.locator("[aria-live=polite] a.button.primary").first.click()
    page.get_by_text("In a real survey somebody else would now decide").wait_for()
    page.get_by_role("heading", name="Shares").wait_for()
    assert page.locator("main svg").count() > 0


PUBLISH = """
from reports.models import Review
from reports.review import public_page_switch, report_state_changes
reviewer = Person.objects.get(username={reviewer!r})
review = Review.objects.with_surveys().get(pk={report})
report_state_changes.publish(review, reviewer, (), "", timezone.now())
public_page_switch.open_page(review, robin, timezone.now())
print(Review.objects.get(pk=review.pk).public_token)
"""


@pytest.mark.parametrize("size", [(PHONE["width"], PHONE["height"]), LAPTOP])
def test_a_public_report_is_read(visit: Visit, product: Product, size: tuple[int, int]) -> None:
    (report,) = re.findall(r"^report (\d+)$", shell(product, RULES.format(rules=20)), re.MULTILINE)
    token = shell(product, PUBLISH.format(report=report, reviewer=product.passwords["reviewer"][0]))
    page = visit(size=size)
    page.goto(f"{product.url}/public/{token}")
    page.locator("h1:visible").wait_for()
    page.get_by_text("How it was made").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
