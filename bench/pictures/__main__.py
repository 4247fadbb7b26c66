"""Walks from an empty instance to a published rule and writes the pictures of docs/tutorial.md and docs/prove.md.

`./run pictures` starts the product with an empty VAR in a temporary folder, and goes through its pages in Chromium as
each person would. The seed is fixed: a picture changes only with the product, its codes, its dates and shuffles.
"""

import argparse
import re
import tempfile
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, Playwright, expect, sync_playwright

from bench.pictures.camera import WINDOW, Camera
from bench.pictures.developer_tools import request_pictures
from tests import servers
from tests.browser.conftest import Respondent, fix_words, wait_for_receipt
from tests.browser.visiting import FLAGS, HEADLESS, Visitor, profile
from tests.product import Product, product as start_product

FOLDER = servers.ROOT / "docs" / "pictures"
OF_RESPONDENTS = servers.ROOT / "intake" / "static" / "intake"
"""Of the pictures that respondents see too."""
QUESTIONNAIRE = "Safety at work"
RESPONDENTS, SEED = 5_000, 1
SECRET = "#screen .protection .mark.disguised"
"""The sign of a sensitive question."""
YES = dict.fromkeys(range(6, 20), 1)
"""The answers to sensitive questions; the first six are plain."""
DESK = "/app/admin/reports/review"
PATIENCE = 60_000
"""Milliseconds."""
READER = """
from accounts.models import Person
Person.objects.create_user("demo-reader", "demo-reader@example.org", "a long password 1", name="Remy Reader")
"""


class Walk:
    """Each method is what one person does; they follow one another."""

    def __init__(self, product: Product, browser: Browser, camera: Camera, visitors: ExitStack) -> None:
        self.product, self.browser, self.camera, self.visitors = product, browser, camera, visitors
        self.survey = self.address = self.report = ""

    def visitor(self, role: str | None = None) -> Visitor:
        context = self.visitors.enter_context(profile(self.browser, viewport=WINDOW))
        visitor = Visitor(context.new_page(), self.product)
        if role:
            visitor.sign_in(role)
        return visitor

    def researcher_opens(self) -> None:
        robin = self.visitor("researcher")
        page = robin.go("/app/surveys/")
        self.camera.take(page, "researcher-empty")
        page.get_by_role("link", name="New survey").click()
        use = page.get_by_role("button", name=f"Use this questionnaire {QUESTIONNAIRE}")
        self.camera.take(page, "researcher-new", heading(page, "Or start from a questionnaire"))
        use.click()
        expect(page.get_by_text("Nothing is missing")).to_be_visible()
        dismiss(page)
        self.camera.take(page, "researcher-questions", page.locator("#section-1"))
        page.get_by_role("link", name="Protection", exact=True).first.click()
        expect(page.locator("#person-results .verdict")).to_be_visible()
        self.camera.take(page, "researcher-protection")
        self.survey = survey_in(page)
        robin.go(f"{self.survey}/duplicate")
        page.get_by_label("A test run (rehearsal) with simulated answers").check()
        page.get_by_role("button", name="Make the draft").click()
        expect(page.get_by_text("This is a rehearsal")).to_be_visible()
        self.survey = survey_in(page)
        robin.go(f"{self.survey}/open")
        page.get_by_role("button", name="Open the survey").click()
        expect(page.locator(".toast")).to_contain_text("The survey is open.")
        self.address = page.get_by_label("Link for respondents").input_value()
        dismiss(page)
        self.camera.take(page, "researcher-open", heading(page, "Survey link"))

    def respondent_answers(self) -> None:
        page = self.visitor().page
        fix_words(page, [])
        page.goto(self.address)
        self.camera.take(page, "respondent-start")
        respondent = Respondent(page)
        respondent.agree_and_begin()
        is_shown = False
        while respondent.choose(YES):
            if page.locator(SECRET).count() and not is_shown:
                self.camera.take(page, "respondent-question")
                is_shown = True
            respondent.press_button("Continue")
        self.camera.take(page, "respondent-check")
        respondent.send()
        wait_for_receipt(page)
        # The last plain answers, and the disguised ones after them.
        self.camera.take(page, "respondent-receipt", page.locator("#screen > details tbody tr").nth(4))

    def respondent_looks(self, playwright: Playwright, camera: Camera) -> None:
        """Somebody else, with the developer tools of their browser."""

        def answer(page: Page) -> None:
            respondent = Respondent(page)
            respondent.agree_and_begin()
            while respondent.choose({}):
                respondent.press_button("Continue")

        def send(page: Page) -> None:
            Respondent(page).send()
            wait_for_receipt(page)

        for name, png in request_pictures(playwright, self.address, answer, send):
            camera.save(png, f"{name}.png")

    def researcher_mines(self) -> None:
        slug = self.address.rpartition("/")[2]
        words = "simulate_respondents", slug, f"-n{RESPONDENTS}", f"--seed={SEED}"
        servers.manage(self.product.env, *words)
        robin = self.visitor("researcher")
        page = robin.go(f"{self.survey}/rehearse")
        self.camera.take(page, "researcher-rehearsal", heading(page, "Simulated respondents"))
        # What waits is sealed with it, so that the run counts everybody.
        robin.go(f"{self.survey}/close")
        page.get_by_role("button", name="Close the survey").click()
        expect(page.locator(".toast")).to_be_visible()
        robin.go(f"{self.survey}/runs")
        page.get_by_role("button", name="Start the run").click()
        page.wait_for_url(re.compile(r"/app/runs/\d+/"))
        expect(page.get_by_role("heading", name="Result")).to_be_visible()
        self.camera.take(page, "researcher-run", heading(page, "Run 1", level=2))
        self.report = page.url.partition("/app/runs/")[2].partition("/")[0]
        robin.go("/app/reports/")

    def researcher_invites_a_reader(self) -> None:
        servers.manage(self.product.env, "shell", "--verbosity=0", "-c", READER)
        self.product.others["reader"] = ("demo-reader", "a long password 1")
        page = self.visitor("researcher").go(f"{self.survey}/people")
        page.locator("main form input[type=text], main form input[type=email]").first.fill("demo-reader")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.locator(".toast")).to_be_visible()
        dismiss(page)
        self.camera.take(page, "researcher-people", page.get_by_role("table"))

    def reviewer_publishes(self) -> None:
        ruth = self.visitor("reviewer")
        page = ruth.go("/app/account/home")
        self.camera.take(page, "reviewer-home")
        ruth.go(f"{DESK}/{self.report}/rules")
        self.camera.take(page, "reviewer-rules")
        page.keyboard.press("a")
        expect(page.locator("[data-said]")).to_contain_text("accepted")
        ruth.go(f"{DESK}/{self.report}/publish")
        self.camera.take(page, "reviewer-publish", heading(page, "Publish this report"))
        page.get_by_role("button", name="Publish").click()
        expect(page.locator(".toast")).to_contain_text("Published.")

    def reader_reads(self) -> None:
        remy = self.visitor("reader")
        page = remy.go(f"/app/reports/{self.report}/")
        self.camera.take(page, "reader-report", heading(page, "What was found"))
        remy.go(f"/app/reports/{self.report}/rules")
        page.locator("main a[href*='/rules/']").first.focus()
        page.keyboard.press("Enter")
        rule = heading(page, "Rule 1", level=2)
        expect(rule).to_be_visible()
        self.camera.take(page, "reader-rule", rule)


def heading(page: Page, name: str, level: int | None = None) -> Locator:
    return page.get_by_role("heading", name=name, exact=True, level=level)


def dismiss(page: Page) -> None:
    """The message at the foot covers what the picture is of."""
    page.locator(".toast").get_by_role("button", name="Dismiss").click()
    expect(page.locator(".toast")).to_have_count(0)


def survey_in(page: Page) -> str:
    return str(re.findall(r"/app/surveys/\d+", page.url)[0])


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run pictures", description=__doc__)
    parser.add_argument("--output", type=Path, metavar="FOLDER")
    asked: Path | None = parser.parse_args().output
    folder = asked or FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        var = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="candor-pictures-")))
        product = stack.enter_context(start_product(var / "var"))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=HEADLESS, args=FLAGS)
        stack.callback(browser.close)
        expect.set_options(timeout=PATIENCE)
        walk = Walk(product, browser, Camera(folder), stack.enter_context(ExitStack()))
        walk.researcher_opens()
        walk.respondent_answers()
        walk.respondent_looks(playwright, Camera(asked or OF_RESPONDENTS))
        walk.researcher_mines()
        walk.reviewer_publishes()
        walk.researcher_invites_a_reader()
        walk.reader_reads()


if __name__ == "__main__":
    main()
