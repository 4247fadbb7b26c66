"""A study with every part that the builder offers: a wave of an earlier survey, written for the greater part."""

from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.browser.building import Draft, maker, saved
from tests.builder.written import drawn, options, plain, question, sensitive
from tests.product import Product
from tests.surveys.drafts import said

INTRO = "Now about your working days."
AGE = "How old are you?"
THEFT = "Have you taken goods home this year?"
EARLIER = """
from django.utils import timezone
from accounts.models import Person
from surveys.lifecycle import opening
from surveys.models import Survey
from tests.surveys.drafts import complete
robin = Person.objects.get(username="demo-researcher")
survey = Survey.objects.create(owner=robin, draft=complete(rehearsal=False))
opening.open_now(survey, robin, timezone.now())
print(survey.design_id)
"""


def asked(name: str, text: str, *labels: str, **more: object) -> dict[str, object]:
    """The answers are numbered."""
    choices = [{"name": str(number), "label": said(label)} for number, label in enumerate(labels, 1)]
    return question(name, text=said(text), **({"choices": choices} if choices else {}), **more)


def yes_no(name: str, text: str, **more: object) -> dict[str, object]:
    return question(name, "no", "yes", text=said(text), form="yes-no", **more)


def disguised(name: str, text: str) -> dict[str, object]:
    choices = {"no": "No", "yes": "Yes", "prefer-not-to-say": "Prefer not to say"}
    named = [{"name": choice, "label": said(label)} for choice, label in choices.items()]
    return question(name, text=said(text), choices=named)


def statement(name: str, text: str) -> dict[str, object]:
    return asked(name, text, "Disagree", "Neither", "Agree", form="scale", of="q7")


def begun(product: Product) -> Draft:
    """A rehearsal of the next wave with all but its crosswise question and the hypothesis of a model."""
    by_bus, by_car = options("use", "bus", "car")
    wording = drawn("q3", text=said("Wording"))
    return maker(product)(
        plain(
            asked("q1", AGE, "Under 40", "40 or older"),
            wording,
            yes_no("q4", "Have you been to Mars?", known="0.0000"),
            by_bus | {"none": said("None of these")},
            by_car,
        ),
        sensitive(
            disguised("q2", THEFT),
            disguised("q6", "Have you hidden a mistake this year?"),
            keep="0.6399",
            asked=1,
        ),
        plain(
            statement("q7", "My pay is fair."),
            statement("q8", "I have enough rest."),
            yes_no("q9", "Do you lead others?"),
            intro=said(INTRO),
            order="random",
        ),
        title=said("Honesty at work"),
        rehearsal=True,
        open_answers=False,
        direct="0.3000",
        follows=servers.manage(product.env, "shell", "--verbosity=0", "-c", EARLIER).strip(),
        plan={
            "format": "candor-plan/1",
            "salt": "0" * 32,
            "hypotheses": [
                {"name": "H1", "kind": "share", "item": "q2=yes", "than": "0.5000"},
                {"name": "H2", "kind": "arms", "item": "q2=yes"},
            ],
        },
    )


def opened_block(page: Page) -> Locator:
    """The one question that is open, when the server has answered whatever was pressed."""
    block = page.locator(".block.open")
    expect(block).to_have_count(1)
    expect(page.locator("[data-waiting]")).to_have_count(0)
    return block


def done(page: Page) -> None:
    saved(page)
    page.locator(".block.open").get_by_role("button", name="Done").click()
    expect(page.locator(".block.open")).to_have_count(0)


def crosswise(page: Page) -> None:
    page.get_by_role("button", name="Add a crosswise question").click()
    block = opened_block(page)
    block.locator("textarea[name=text]").fill("Have you evaded taxes?")
    block.locator("[name=secret]").fill("Was your mother born in spring?")
    block.locator("[name=share]").fill("25")
    block.locator("[name=source]").fill("Births by month, 2023")
    block.locator("[name=turned_by]").select_option(label="Wording")
    block.get_by_role("button", name="Change the secret").click()
    page.locator(".block.open [name=turned]").fill("Was your mother born in summer, autumn or winter?")
    done(page)


def hypothesis(page: Page) -> None:
    """The third, of a coefficient."""
    page.get_by_role("link", name="Study", exact=True).click()
    expect(page.locator("#follows")).to_contain_text(
        "For people who answer all of them, protection gets weaker"
    )
    expect(page.get_by_label("30 %")).to_be_checked()
    page.get_by_role("link", name="A coefficient of a model is not 0").click()
    page.get_by_label("Answer that the model explains", exact=True).select_option(label=f"{THEFT}: Yes")
    page.get_by_label(AGE, exact=True).check()
    page.get_by_label("Coefficient", exact=True).select_option(label=f"{AGE}: 40 or older")
    page.get_by_role("button", name="Add hypothesis").click()
    expect(page.locator(".hypotheses li")).to_have_count(3)
