"""A study with every part that the builder offers, made by clicks and typing alone."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.building import saved

STATEMENTS = ("My pay is fair.", "I have enough rest.")
INTRO = "Now about your working days."
AGE = "How old are you?"
THEFT = "Have you taken goods home this year?: Yes"


def opened_block(page: Page) -> Locator:
    """The one question that is open, when the server has answered whatever was pressed."""
    block = page.locator(".block.open")
    expect(block).to_have_count(1)
    expect(page.locator("[data-waiting]")).to_have_count(0)
    return block


def write(page: Page, text: str, *answers: str) -> Locator:
    block = opened_block(page)
    block.locator("textarea[name=text]").fill(text)
    for number, each in enumerate(answers):
        block.locator(f"input[name=label-{number}]").fill(each)
    return block


def done(page: Page) -> None:
    saved(page)
    page.locator(".block.open, .section-text.open").get_by_role("button", name="Done").click()
    expect(page.locator(".block.open, .section-text.open")).to_have_count(0)


def add(page: Page, section: int, kind: str, text: str, *answers: str) -> Locator:
    page.locator(f"#section-{section}-kind").select_option(kind)
    page.locator(f"#section-{section}").get_by_role("button", name="Add a question").click()
    return write(page, text, *answers)


def begun(page: Page, title: str) -> None:
    """A plain and a sensitive question, and a start page."""
    page.get_by_role("link", name="New survey").click()
    page.get_by_label("Title").fill(title)
    page.get_by_role("button", name="Create survey").click()
    write(page, AGE, "Under 40", "40 or older")
    done(page)
    page.get_by_role("link", name="Untitled question").click()
    write(page, "Have you taken goods home this year?")
    done(page)
    page.get_by_role("link", name="Edit the start page").click()
    page.get_by_label("Why it is asked").fill("To learn how honest people are at work.")
    saved(page)
    expect(page.get_by_text("Nothing is missing")).to_be_visible()


def copied(page: Page, kind: str) -> None:
    page.get_by_role("link", name="Overview", exact=True).click()
    page.get_by_role("link", name="Test or copy").click()
    page.get_by_label(kind).check()
    page.get_by_role("button", name="Make the draft").click()


def questioned(page: Page) -> None:
    """Versions, a control item and options without any of them in the first section, which draws the order of none."""
    add(page, 0, "drawn", "Wording", "Born in autumn", "Born in spring")
    done(page)
    add(page, 0, "control", "Have you been to Mars?")
    done(page)
    block = add(page, 0, "many", "How do you get to work?", "Bus", "Car")
    block.get_by_role("button", name="Add “None of these”").click()
    expect(page.get_by_label("Answer that excludes the others")).to_be_focused()
    done(page)
    add(page, 1, "yes-no", "Have you hidden a mistake this year?")
    done(page)


def battery(page: Page) -> None:
    """A section of its own with a text before it, in random order."""
    page.get_by_role("button", name="Add a section (not disguised)").click()
    section = page.locator("#section-2")
    section.get_by_text("Add a battery").click()
    section.get_by_label("Statements, one on each line").fill("\n".join(STATEMENTS))
    section.get_by_role("button", name="Add the battery").click()
    opened_block(page)
    done(page)
    add(page, 2, "yes-no", "Do you lead others?")
    done(page)
    section.get_by_role("link", name="Text before the section, order").click()
    page.get_by_label("Text before the section").fill(INTRO)
    page.get_by_label("Ask these questions in random order").check()
    done(page)


def crosswise(page: Page) -> None:
    page.get_by_role("button", name="Add a crosswise question").click()
    block = write(page, "Have you evaded taxes?")
    block.locator("[name=secret]").fill("Was your mother born in spring?")
    block.locator("[name=share]").fill("25")
    block.locator("[name=source]").fill("Births by month, 2023")
    block.locator("[name=turned_by]").select_option(label="Wording")
    block.get_by_role("button", name="Change the secret").click()
    page.locator(".block.open [name=turned]").fill("Was your mother born in summer, autumn or winter?")
    done(page)


def asked_directly(page: Page) -> None:
    page.get_by_role("link", name="Study", exact=True).click()
    expect(page.locator("#follows")).to_contain_text(
        "For people who answer all of them, protection gets weaker"
    )
    page.get_by_label("30 %").check()
    page.get_by_role("button", name="Save share").click()
    expect(page.locator(".toast")).to_be_visible()


def hypothesis(page: Page, kind: str, *, ticked: str = "", typed: str = "", **chosen: str) -> None:
    """`chosen` by the label of each list; `ticked` is a covariate, `typed` a share in per cent."""
    page.get_by_role("link", name=kind).click()
    for label, option in chosen.items():
        page.get_by_label(label.replace("_", " "), exact=True).select_option(label=option)
    if ticked:
        page.get_by_label(ticked, exact=True).check()
    if typed:
        page.get_by_label("Share to compare with (%)").fill(typed)
    page.get_by_role("button", name="Add hypothesis").click()


def hypotheses(page: Page) -> None:
    hypothesis(page, "A share differs from a number", Answer=THEFT, typed="50")
    hypothesis(page, "Direct and disguised answers differ", Answer=THEFT)
    hypothesis(
        page,
        "A coefficient of a model is not 0",
        Answer_that_the_model_explains=THEFT,
        ticked=AGE,
        Coefficient=f"{AGE}: 40 or older",
    )
    expect(page.locator(".hypotheses li")).to_have_count(3)
