"""A number and a scale, built, answered, simulated and read on a phone."""

import re

import pytest
from playwright.sync_api import expect

from tests import servers
from tests.browser.answering import Respondent, arrived
from tests.browser.building import maker, saved
from tests.browser.conftest import Visit
from tests.browser.test_reports import reported, run
from tests.builder.written import plain, question
from tests.product import Product

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
OPEN = """
from django.utils import timezone
from intake.rehearsal import simulating
from surveys.lifecycle import opening
from surveys.models import Survey
survey = Survey.objects.get(pk={pk})
opening.open_now(survey, survey.owner, timezone.now())
simulating.simulate(survey, 2000, seed=4)
print(survey.address)
"""


def test_a_number_and_a_scale_are_built_answered_and_read_on_a_phone(visit: Visit, product: Product) -> None:
    draft = maker(product)(
        plain(question("work", "employed", "none")), expected=2000, rehearsal=True, open_answers=False
    )
    robin = visit("researcher", viewport=PHONE)
    page = robin.go(f"{draft.path}/edit")
    page.get_by_role("button", name="Add a sensitive number").click()
    expect(page.locator(".block.open textarea[name=text]")).to_be_focused()
    page.keyboard.type("How much do you owe?")
    page.get_by_label("Highest number").fill("10000")
    page.get_by_label("Highest number").press("Tab")
    expect(page.get_by_label("Limit 4")).to_have_value("8000")
    expect(page.locator(".number-results")).to_contain_text("The device draws 4 of the 4 limits.")
    expect(page.locator(".number-results")).to_contain_text("least that any method can have")
    robin.check()
    robin.shoot("journey-shares")
    saved(page)
    page.locator(".block.open button.primary").click()
    expect(page.locator(".block.open")).to_have_count(0)
    page.get_by_role("button", name="Add a sensitive number").click()
    expect(page.locator(".block.open textarea[name=text]")).to_be_focused()
    page.keyboard.type("How content are you?")
    page.get_by_label("What do you want to learn?").select_option("scale")
    expect(page.get_by_label("Highest number")).to_have_value("10")
    expect(page.locator(".number-results")).to_contain_text("The margin of error of the average")
    page.get_by_text("Details", exact=True).click()
    robin.check()
    robin.shoot("journey-scale")
    saved(page)
    robin.go(f"{draft.path}/edit/protection")
    robin.shoot("journey-protection")

    address = servers.manage(product.env, "shell", "--verbosity=0", "-c", OPEN.format(pk=draft.pk)).strip()
    visitor = visit(viewport=PHONE)
    respondent = Respondent(visitor.go(address))
    screens = respondent.screens({0: 0, 1: 1700, 2: 7})
    for heading in screens:
        if "content" in heading:
            expect(visitor.page.get_by_role("radio")).to_have_count(11)
            visitor.check()
            visitor.shoot("journey-answering-scale")
    visitor.shoot("journey-check")
    respondent.send()
    arrived(visitor.page)

    report = run(robin, str(draft.pk))
    reported(ruth := visit("reviewer", viewport=PHONE), report, "numbers")
    expect(ruth.page.get_by_role("heading", name=re.compile("^How much do you owe"))).to_be_visible()
    expect(ruth.page.get_by_text("2,000 or more").first).to_be_attached()
    ruth.shoot("journey-report")
