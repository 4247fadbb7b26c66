"""The report of a rehearsal with arms, control items, two versions and models, in a real browser."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests import servers
from tests.browser.conftest import Visit, fits_a_phone
from tests.browser.roads import another_language
from tests.browser.test_reports import desk, look
from tests.product import Product
from tests.runs import studied

pytestmark = pytest.mark.browser

SHARES = [[1 - studied.YES[name], studied.YES[name]] for name in studied.YES]
ANSWER = """
import json
from django.utils import timezone
from mining.parameters import Parameters
from reports.review import publishing
from runs import starting
from accounts.models import Person
from privacy.designs import parse
from privacy.simulation.population import Independent, Population
from surveys.lifecycle import opening
from intake.rehearsal import simulating
from surveys.models import Survey
from tests.runs import modelled, working
robin = Person.objects.get(username="demo-researcher")
design = parse({design!r})
draft = json.loads(design.canonical)
survey = Survey.objects.create(owner=robin, draft=draft, design=opening.stored(design), state="open")
people = Population(Independent(tuple(map(tuple, {shares!r}))))
simulating.simulate(survey, 3000, population=people, seed=4)
run = working.work(starting.start(survey, robin, Parameters(min_support=0.3, min_confidence=0.5), timezone.now()))
modelled.model(run, robin, item="theft=yes", on=["age", "version"])
publishing.add_finished_runs(timezone.now())
print(f"report {run.pk}.")
"""
TEXTS = {
    "version": "Which wording",
    "lying": "Have you lied to a colleague?",
    "mars": "Have you been to Mars?",
    "drugs": "Have you taken drugs at work?",
}


def asked(question: dict[str, Any]) -> dict[str, Any]:
    """With the words that respondents read."""
    labels = [{"name": name, "label": {"en": name.title()}} for name in question["choices"]]
    return {"text": {"en": TEXTS.get(question["name"], "")}, **question, "choices": labels}


def design() -> dict[str, Any]:
    of = studied.written(rehearsal=True)
    return {
        **of,
        "sections": [{**part, "questions": list(map(asked, part["questions"]))} for part in of["sections"]],
    }


@pytest.fixture(scope="module")
def report(product: Product) -> int:
    """It waits for its reviewer, with a model."""
    script = ANSWER.replace("{design!r}", repr(json.dumps(design()))).replace("{shares!r}", repr(SHARES))
    said = servers.manage(product.env, "shell", "--verbosity=0", "-c", script)
    number = re.search(r"report (\d+)\.", said)  # beside the email to the reviewer
    assert number, said
    return int(number[1])


def test_the_page_of_a_study_holds_the_truth_of_a_rehearsal_and_fits_a_phone(
    visit: Visit, report: int
) -> None:
    page = look(visit("reviewer"), desk(report, "study"), "study")
    by_arm = page.get_by_role("region", name="By arm", exact=True).get_by_role("row").nth(1)
    expect(by_arm.locator(".mark.truth")).to_have_count(3)
    expect(by_arm).to_contain_text(re.compile(r"Truth\s*[\d.]+\s*%"))
    corrected = page.get_by_role("region", name="Corrected shares")
    expect(corrected.locator(".mark.truth")).to_have_count(4)
    words = page.get_by_role("region", name="Was one of the words “same” and “different” preferred?")
    expect(words.get_by_role("columnheader", name="Truth")).to_be_visible()


def test_the_page_of_models_holds_the_true_coefficients(visit: Visit, report: int) -> None:
    visitor = visit("reviewer")
    page = visitor.go(desk(report, "models"))
    expect(page.get_by_role("columnheader", name="Truth")).to_be_visible()
    fits_a_phone(visitor.page)
    visitor.shoot("reports-study-models")


def test_both_are_read_in_chinese(visit: Visit, report: int) -> None:
    visitor = visit("reviewer")
    page = visitor.go(desk(report, "study"))
    page.click("button[name=language][value=zh-hans]")
    expect(page.get_by_text("菱形标出每一组模拟受访者的真实回答。")).to_be_visible()
    another_language(page)
    visitor.shoot("reports-study-chinese")
    visitor.go(desk(report, "models"))
    expect(page.get_by_text("菱形标出由模拟受访者的真实回答所估计的同一模型的系数。")).to_be_visible()
    visitor.shoot("reports-study-models-chinese")
