"""A researcher comes from an empty page to an open survey, and a study to its bundle, by pages alone."""

import csv
import hashlib
import io
import json
import re
import zipfile
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests import servers
from tests.browser.conftest import Draft, Visit, Visitor
from tests.browser.visiting import (
    Hand,
    attach,
    download,
    draft_maker,
    open_fold,
    shell,
    stated_clicks,
    wait_until_saved,
    walk_page,
)
from tests.product import Product
from tests.surveys.drafts import bilingual_text, drawn_question, options, plain, question, sensitive

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
PLAIN = {
    "one": ("What is your work?", "Office", "Workshop"),
    "agreement-5": ("My colleagues trust me.",),
    "yes-no": ("Do you lead others?",),
}
THIS_YEAR = ("taken goods home", "called in sick falsely", "drunk at work")
EVER = ("lied on a CV", "hidden a mistake", "faked expenses", "taken a bribe")


def create_survey(hand: Hand) -> None:
    page = hand.page
    hand.click(page.get_by_role("link", name="New survey"))
    expect(page.get_by_label("Title")).to_be_focused()
    page.keyboard.type("Trust at work")
    hand.click(page.get_by_role("button", name="Create survey"))
    expect(page.locator("#section-0-kind")).to_be_focused()
    assert hand.acts == stated_clicks("New survey with the kind of its first question focused")
    expect(page.locator("#questionnaire")).not_to_contain_text("missing")
    expect(page.locator(".toast")).to_have_count(0)


def fill_answers(page: Page, section: int, *words: str) -> None:
    """The fields of the answers come with the question from the server."""
    if words:
        wait_until_added(page)
    for number, each in enumerate(words):
        page.locator(f"#section-{section} .block.open input[name=label-{number}]").last.fill(each)


def add(hand: Hand, section: int, kind: str, text: str, *words: str) -> None:
    page = hand.page
    form = page.locator(f"#section-{section}-kind")
    if form.input_value() != kind:
        hand.acts += 1
        form.select_option(kind)
    hand.click(page.locator(f"#section-{section}").get_by_role("button", name="Add a question"))
    page.keyboard.type(text)
    fill_answers(page, section, *words)


def wait_until_added(page: Page) -> None:
    """The server has answered whatever was added."""
    expect(page.locator("[data-waiting]")).to_have_count(0)


def twelve_questions(hand: Hand) -> None:
    page = hand.page
    add(hand, 0, "one", "How old are you?", "Under 40", "40 or older")
    for kind, (text, *words) in PLAIN.items():
        add(hand, 0, kind, text, *words)
    for what in ("slept at work", *THIS_YEAR):
        add(hand, 1, "yes-no", f"Have you {what} this year?")
    hand.click(page.get_by_role("button", name="Add a sensitive section (disguised)"))
    expect(page.locator("#section-2-kind")).to_be_visible()
    for what in EVER:
        add(hand, 2, "yes-no", f"Have you ever {what}?")
    wait_until_added(page)
    wait_until_saved(page)


def open_survey(hand: Hand) -> str:
    """The survey link, from the builder."""
    page = hand.page
    hand.click(page.get_by_role("link", name="Overview"))
    hand.click(page.get_by_role("main").get_by_role("link", name="Open survey"))
    hand.click(page.get_by_role("button", name="Open the survey"))
    expect(page.locator(".toast")).to_contain_text("The survey is open.")
    return page.get_by_label("Link for respondents").input_value()


def test_opening_a_survey_of_12_questions_takes_the_stated_clicks(robin: Visitor, visitor: Visitor) -> None:
    page = robin.go("/app/surveys/")
    walk_page(robin, checked=True)
    hand = Hand(page)
    create_survey(hand)
    twelve_questions(hand)
    expect(page.locator(".block")).to_have_count(12)
    hand.click(page.get_by_role("link", name="Edit the start page"))
    page.get_by_label("Why it is asked").fill("To learn how much people trust each other at work.")
    wait_until_saved(page)
    expect(page.get_by_text("Nothing is missing")).to_be_visible()
    walk_page(robin, checked=True)
    hand.click(page.get_by_role("link", name="Protection", exact=True).first)
    verdict = page.locator("#person-results .verdict").inner_text()
    assert float(re.findall(r"at most ([\d.]+)", verdict)[0]) <= 50
    walk_page(robin, checked=True)
    link = open_survey(hand)
    walk_page(robin, checked=True)
    assert hand.acts == stated_clicks("Survey of 12 questions from scratch, opened")
    visitor.page.goto(link)
    expect(visitor.page.get_by_role("heading", name="Trust at work")).to_be_visible()


def test_opening_a_ready_questionnaire_takes_the_stated_clicks(robin: Visitor, visitor: Visitor) -> None:
    hand = Hand(robin.go("/app/surveys/"))
    hand.click(hand.page.get_by_role("link", name="New survey"))
    walk_page(robin, checked=True)
    hand.click(hand.page.get_by_role("button", name="Use this questionnaire Safety at work"))
    expect(hand.page.get_by_text("Nothing is missing")).to_be_visible()
    for tab in ("Preview", "Invitations", "Settings", "People", "Activity log"):
        hand.page.get_by_role("link", name=tab, exact=True).click()
        walk_page(robin, checked=tab != "Preview")
    link = open_survey(hand)
    assert hand.acts == stated_clicks("Survey from a questionnaire, opened")
    visitor.page.goto(link)
    expect(visitor.page.get_by_role("heading", name="Safety at work")).to_be_visible()


def test_making_120_invitations_takes_the_stated_clicks(visit: Visit, product: Product) -> None:
    survey = shell(product, "print(opened(draft=drafts.complete(), invited=True).pk)")
    hand = Hand(visit("researcher").go("/app/surveys/"))
    page = hand.page
    row = page.locator("tr", has=page.locator(f"a[href='/app/surveys/{survey}/']"))
    hand.click(row.get_by_role("link", name="Send invitations"))
    hand.click(page.get_by_label("How many?"))
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("120")
    with page.expect_download() as download:
        hand.click(page.get_by_role("button", name="Make and download"))
    header, *links = [row[0] for row in csv.reader(download.value.path().read_text().splitlines())]
    assert (header, len(set(links))) == ("link", 120)
    assert hand.acts == stated_clicks("120 invitation links in a file")
    page.reload()
    expect(page.get_by_text("120 invitation links made.")).to_be_visible()
    page.goto(f"{product.url}/app/surveys/")
    expect(row.get_by_role("link", name="Wait for answers")).to_be_visible()


# --- A study with every part that the builder offers

INTRO = "Now about your working days."
AGE = "How old are you?"
THEFT = "Have you taken goods home this year?"
EARLIER = "print(opened(draft=drafts.complete(rehearsal=False)).design_id)"


def question_with_numbered_answers(name: str, text: str, *labels: str, **more: object) -> dict[str, object]:
    """The answers are numbered."""
    choices = [
        {"name": str(number), "label": bilingual_text(label)} for number, label in enumerate(labels, 1)
    ]
    return question(name, text=bilingual_text(text), **({"choices": choices} if choices else {}), **more)


def yes_no(name: str, text: str, **more: object) -> dict[str, object]:
    return question(name, "no", "yes", text=bilingual_text(text), form="yes-no", **more)


def sensitive_question(name: str, text: str) -> dict[str, object]:
    choices = {"no": "No", "yes": "Yes", "prefer-not-to-say": "Prefer not to say"}
    named = [{"name": choice, "label": bilingual_text(label)} for choice, label in choices.items()]
    return question(name, text=bilingual_text(text), choices=named)


def statement(name: str, text: str) -> dict[str, object]:
    return question_with_numbered_answers(name, text, "Disagree", "Neither", "Agree", form="scale", of="q7")


def study_begun(product: Product) -> Draft:
    """A rehearsal of the next wave with all but its crosswise question and the hypothesis of a model."""
    by_bus, by_car = options("use", "bus", "car")
    wording = drawn_question("q3", text=bilingual_text("Wording"))
    return draft_maker(product)(
        plain(
            question_with_numbered_answers("q1", AGE, "Under 40", "40 or older"),
            wording,
            yes_no("q4", "Have you been to Mars?", known="0.0000"),
            by_bus | {"none": bilingual_text("None of these")},
            by_car,
        ),
        sensitive(
            sensitive_question("q2", THEFT),
            sensitive_question("q6", "Have you hidden a mistake this year?"),
            keep="0.6399",
            asked=1,
        ),
        plain(
            statement("q7", "My pay is fair."),
            statement("q8", "I have enough rest."),
            yes_no("q9", "Do you lead others?"),
            intro=bilingual_text(INTRO),
            order="random",
        ),
        title=bilingual_text("Honesty at work"),
        rehearsal=True,
        open_answers=False,
        direct="0.3000",
        follows=shell(product, EARLIER),
        plan={
            "format": "candor-plan/1",
            "salt": "0" * 32,
            "hypotheses": [
                {"name": "H1", "kind": "share", "item": "q2=yes", "than": "0.5000"},
                {"name": "H2", "kind": "arms", "item": "q2=yes"},
            ],
        },
    )


def fill_crosswise_question(page: Page) -> None:
    page.get_by_role("button", name="Add a crosswise question").click()
    block = page.locator(".block.open")
    expect(block).to_have_count(1)
    wait_until_added(page)
    block.locator("textarea[name=text]").fill("Have you evaded taxes?")
    block.locator("[name=secret]").fill("Was your mother born in spring?")
    block.locator("[name=share]").fill("25")
    block.locator("[name=source]").fill("Births by month, 2023")
    block.locator("[name=turned_by]").select_option(label="Wording")
    block.get_by_role("button", name="Change the secret").click()
    block.locator("[name=turned]").fill("Was your mother born in summer, autumn or winter?")
    wait_until_saved(page)
    block.get_by_role("button", name="Done").click()
    expect(block).to_have_count(0)


def hypothesis(page: Page) -> None:
    """The third, of a coefficient."""
    page.get_by_role("link", name="Study", exact=True).click()
    follows = page.locator("#follows")
    expect(follows).to_contain_text(
        "For people who answer all of them, a suspicion of 5 % can become at most"
    )
    expect(page.get_by_label("30 %")).to_be_checked()
    page.get_by_role("link", name="A coefficient of a model is not 0").click()
    page.get_by_label("Answer that the model explains", exact=True).select_option(label=f"{THEFT}: Yes")
    page.get_by_label(AGE, exact=True).check()
    page.get_by_label("Coefficient", exact=True).select_option(label=f"{AGE}: 40 or older")
    page.get_by_role("button", name="Add hypothesis").click()
    expect(page.locator(".hypotheses li")).to_have_count(3)


# --- A study with every part goes from the builder to its bundle of files by pages alone, throu

RESPONDENTS = 3000
CENSUS = b"q1,share\n1,0.6\n2,0.4\n"


def follow_links(page: Page, *names: str) -> None:
    for name in names:
        page.get_by_role("link", name=name, exact=True).first.click()


def simulate_and_close(page: Page) -> None:
    """And closed, so that the last batch is sealed."""
    page.get_by_role("link", name="Simulate answers").click()
    page.get_by_label("How many?").fill(str(RESPONDENTS))
    page.get_by_role("button", name="Simulate answers").click()
    expect(page.get_by_text("Finished after")).to_be_visible()
    follow_links(page, "Overview", "Close survey")
    page.get_by_role("button", name="Close the survey").click()
    expect(page.locator("main")).to_contain_text(f"{RESPONDENTS:,} answers can be counted (sealed)")


def study_run(page: Page) -> None:
    """With weights that are uploaded before."""
    follow_links(page, "Runs", "Upload weights")
    page.get_by_text("Names in this survey").click()
    names = page.get_by_role("region", name="Names in this survey")
    expect(names).to_contain_text("q1 1 Under 40, 2 40 or older")
    page.get_by_label("Name", exact=True).fill("Census")
    attach(page, "census.csv", CENSUS)
    page.get_by_role("button", name="Upload weights").click()
    page.get_by_role("main").get_by_role("link", name="Start a run").click()
    page.get_by_label("Minimum support (%)").fill("10")
    page.get_by_label("Minimum confidence (%)").fill("30")
    page.locator("select[name=margins]").select_option(label="Census")
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_role("heading", name="Result")).to_be_visible()


def specify_model(page: Page) -> None:
    follow_links(page, "Models")
    page.locator("select[name=item]").select_option("q2=yes")
    page.get_by_label(AGE, exact=True).select_option(label="by categories")
    page.get_by_role("button", name="Estimate the model").click()
    expect(page.get_by_role("link", name="Read numbers")).to_be_visible()


def read_study(page: Page) -> None:
    """The parts of the study unfold in the report, with a row for each hypothesis and each sensitive answer."""
    open_fold(page, "How it was asked")
    study = page.locator("details.unfold").filter(has_text="How it was asked")
    for heading in ("The plan", "Asked directly and in disguise", "Control items"):
        expect(study.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    plan = study.get_by_role("region", name="The plan").locator("tbody tr")
    expect(plan).to_have_count(3)
    expect(plan.nth(0)).to_contain_text("is not 50 %")
    expect(plan.nth(0)).to_have_text(re.compile(r"\bmet\s*$"))
    expect(plan.nth(2)).to_contain_text(f"{AGE} 40 or older")
    expect(study.get_by_role("region", name="By arm", exact=True).locator("tbody tr")).to_have_count(7)
    expect(study.get_by_role("region", name="Corrected shares")).not_to_contain_text("cannot be estimated")
    expect(study).to_contain_text("Was one of the words “same” and “different” preferred?")
    expect(study).to_contain_text("Did a version make people leave?")


def judge_rules(page: Page) -> None:
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Reports").click()
    review = page.get_by_role("main").get_by_role("link", name="Review it Honesty at work")

    def is_listed() -> bool:
        """A finished run gets its report at the next tick of the worker."""
        page.reload()
        return review.count() == 1

    servers.wait(is_listed, "the report of the run", pause=1)
    review.click()
    follow_links(page, "Rules")
    # Of so few people hardly a rule shows an association.
    page.goto(f"{page.url}?association=any")
    page.locator(".judged").first.get_by_role("button", name="Accept").click()
    expect(page.locator("[data-said]")).to_contain_text("accepted")


def publish_with_model(page: Page, models: str) -> None:
    """A reviewer reads models and specifies none."""
    report = page.url
    page.goto(models)
    expect(page.get_by_role("button", name="Estimate the model")).to_have_count(0)
    page.get_by_role("link", name="Read numbers").click()
    page.get_by_label("Accept", exact=True).check()
    page.get_by_role("button", name="Save decision").click()
    expect(page.get_by_text("This model is published with the report.")).to_be_visible()
    page.goto(report)
    follow_links(page, "Publish")
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".toast")).to_contain_text("Published.")


def file_of(page: Page, name: str) -> bytes:
    return download(page.get_by_role("link", name=name, exact=True)).read_bytes()


class Bundle:
    def __init__(self, content: bytes) -> None:
        self.files = zipfile.ZipFile(io.BytesIO(content))

    def rows(self, name: str) -> list[dict[str, str]]:
        return list(csv.DictReader(self.files.read(f"{name}.csv").decode().splitlines()))

    def by_item(self, name: str, column: str) -> dict[str, float]:
        return {row["item"]: float(row[column]) for row in self.rows(name)}


def check_design(design: dict[str, Any]) -> None:
    """All that was written is in the questionnaire that respondents read."""
    age, options, battery, crosswise = (section["questions"] for section in design["sections"])
    assert (design["direct"], len(design["follows"]), design["rehearsal"]) == ("0.3000", 64, True)
    assert age[1]["shares"] == ["0.5000", "0.5000"]
    assert age[2]["known"] == "0.0000"
    assert age[3]["none"] == {"en": "None of these"}
    assert len(options) == 2
    assert battery[0]["of"] == battery[1]["of"]
    assert (design["sections"][2]["intro"], design["sections"][2]["order"]) == ({"en": INTRO}, "random")
    said = {key: crosswise[0][key] for key in ("share", "source", "turned_by")}
    assert said == {"share": "0.2500", "source": "Births by month, 2023", "turned_by": age[1]["name"]}


def check_bundle(bundle: Bundle, crosswise: str) -> None:
    """`crosswise`: the item that the crosswise question finds."""
    (left,) = bundle.rows("who_left")
    assert int(left["direct"]) + int(left["disguised"]) == RESPONDENTS
    arms = bundle.rows("arms")
    assert [row["control"] for row in arms].count("True") == 1
    for row in arms:
        assert float(row["difference"]) == pytest.approx(float(row["disguised"]) - float(row["direct"]))
    (control,) = bundle.rows("control_item")
    assert (control["item"], float(control["known"])) == ("q4=yes", 0)
    careless = 2 * float(control["seen"])
    assert 0 < careless == pytest.approx(float(control["careless"]))
    shares = {row["items"]: float(row["support"]) for row in bundle.rows("shares")}
    corrected = bundle.by_item("corrected_shares", "corrected")
    assert len(corrected) == 7
    # Everybody is asked this one, so it is corrected by the control item of everybody.
    assert corrected[crosswise] == pytest.approx((shares[crosswise] - careless / 2) / (1 - careless))
    weighted = bundle.by_item("weighted", "share")
    assert all(abs(weighted[item] - shares[item]) < 0.05 for item in corrected)
    assert any(weighted[item] != shares[item] for item in corrected)
    share, _arms, coefficient = bundle.rows("plan")
    assert float(share["estimate"]) == pytest.approx(shares["q2=yes"])
    found_of = {row["of"]: float(row["b"]) for row in bundle.rows("model_coefficients")}
    assert set(found_of) == {"1", "q1=2"}
    assert float(coefficient["estimate"]) == pytest.approx(found_of["q1=2"])


def test_study_from_builder_to_bundle_takes_the_stated_clicks(
    robin: Visitor, ruth: Visitor, product: Product
) -> None:
    page = robin.go(f"{study_begun(product).path}/edit")
    fill_crosswise_question(page)
    expect(page.get_by_text("Nothing is missing")).to_be_visible()
    hypothesis(page)
    # A rehearsal needs nobody's approval; it says what the real survey will need.
    follow_links(page, "Overview")
    expect(page.locator("main")).to_contain_text("30 % of the devices ask directly")
    page.get_by_role("main").get_by_role("link", name="Open survey").click()
    page.get_by_role("button", name="Open the survey").click()
    expect(page.locator(".toast")).to_contain_text("The survey is open.")
    simulate_and_close(page)
    follow_links(page, "Overview", "Hypotheses")
    plan = file_of(page, "Download plan.json")
    study_run(page)
    judge_rules(ruth.go("/app/account/home"))
    specify_model(page)
    publish_with_model(ruth.page, re.sub(r"/\d+(#.*)?$", "", page.url))
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Reports").click()
    page.get_by_role("main").get_by_role("link", name="Honesty at work").click()
    expect(page.get_by_role("region", name="Weighted shares").locator("tbody tr")).to_have_count(7)
    read_study(page)
    follow_links(page, "Models")
    expect(page.get_by_role("main")).to_contain_text(f"{AGE} 40 or older")
    follow_links(page, "Files")
    bundle = Bundle(file_of(page, "CSV"))
    whole = json.loads(file_of(page, "JSON"))
    check_design(whole["design"])
    assert bundle.files.read("plan.json") == plan
    assert hashlib.sha256(plan).hexdigest() == whole["design"]["plan"]
    (pair,) = whole["design"]["sections"][-1]["questions"]
    check_bundle(bundle, f"{pair['name']}=yes")
