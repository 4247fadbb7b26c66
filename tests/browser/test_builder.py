"""The builder in a real browser: by keyboard, by mouse, on a phone, without scripts, and with two people at once."""

import json
import re
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Dialog, Locator, Page, Route, expect

from tests import servers
from tests.browser.conftest import Visit, Visitor, axe
from tests.product import Product
from tests.surveys.builder.written import draft as written, options, plain, question, sensitive

pytestmark = pytest.mark.browser

MAKE = """
import json, sys
from people.models import Person
from surveys.models import Survey
robin = Person.objects.get(username="demo-researcher")
print(Survey.objects.create(owner=robin, draft=json.loads({draft!r})).pk)
"""


class Draft:
    """A survey of the demo's researcher, and what is stored of it."""

    def __init__(self, product: Product, stored: Any) -> None:
        number = servers.manage(
            product.env, "shell", "--verbosity=0", "-c", MAKE.format(draft=json.dumps(stored))
        )
        self.path, self.database = f"/surveys/{number.strip()}", product.var / "candor.sqlite3"
        self.pk = int(number)

    @property
    def stored(self) -> Any:
        connection = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)
        try:
            row = connection.execute("SELECT draft FROM surveys_survey WHERE id = ?", [self.pk]).fetchone()
        finally:
            connection.close()
        return json.loads(row[0])

    @property
    def names(self) -> list[list[str]]:
        return [[each["name"] for each in section["questions"]] for section in self.stored["sections"]]


Make = Callable[..., Draft]


@pytest.fixture
def make(product: Product) -> Make:
    def made(*sections: Any, **more: Any) -> Draft:
        return Draft(product, written(*sections, **more))

    return made


def usual() -> list[Any]:
    return [
        plain(
            question("age", "young", "old", role="quasi"),
            question("work", "employed", "none"),
            *options("use", "bus", "car"),
        ),
        sensitive(
            question("theft", "no", "yes", "prefer-not-to-say", show_if={"work": ["employed"]}),
            question("debt"),
            question("drink", "never", "weekly", "daily", form="scale"),
        ),
    ]


def saved(page: Page) -> None:
    expect(page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved \d+:\d\d"))


def block(page: Page, words: str) -> Locator:
    """The closed question with these words."""
    return page.locator(".block", has=page.locator("h3", has_text=words))


def tab_to(page: Page, locator: Locator, most: int = 120) -> None:
    for _ in range(most):
        if locator.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never came to {locator}")


def test_every_page_is_whole(visit: Visit, make: Make) -> None:
    """axe in both themes, 390 pixels, the keyboard and, where SCREENSHOTS asks for them, pictures."""
    draft = make(*usual(), languages=["en", "zh-hans"], open_answers=True)
    weak = make(sensitive(*(question(f"q{number}") for number in range(10)), asked=9), expected=100)
    visitor = visit("researcher")
    for name, path in {
        "closed": f"{draft.path}/edit",
        "open": f"{draft.path}/edit?open=%3Dstart&open=theft&open=of%3Duse",
        "protection": f"{draft.path}/edit/protection",
        "protection-weak": f"{weak.path}/edit/protection",
        "languages": f"{draft.path}/edit/translations",
        "copy": f"{draft.path}/edit/copy",
    }.items():
        page = visitor.go(path)
        page.evaluate("document.querySelectorAll('#main details').forEach(e => { e.open = true })")
        visitor.check()
        visitor.shoot(f"builder-{name}")
    for width in ("both", "phone", "desktop"):
        visitor.go(f"{draft.path}/preview?width={width}")
        visitor.check(within="main > .flow")
        visitor.shoot(f"builder-preview-{width}")


def test_a_small_survey_is_built_with_the_keyboard_alone(visit: Visit, product: Product) -> None:
    page = visit("researcher").go("/surveys/new")
    tab_to(page, page.locator("input[name=title]"))
    page.keyboard.type("Work and worry")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/surveys/\d+/edit$"))
    draft = Draft.__new__(Draft)
    draft.pk, draft.database = int(page.url.split("/")[-2]), product.var / "candor.sqlite3"

    first = page.locator("#section-0 .block h3 a")
    tab_to(page, first)
    page.keyboard.press("Enter")
    expect(page.locator("#section-0 textarea[name=text]")).to_be_focused()
    page.keyboard.type("How old are you?")
    tab_to(page, page.locator("#section-0 input[name=label-0]"))
    page.keyboard.type("under 40")
    page.keyboard.press("Tab")
    tab_to(page, page.locator("#section-0 input[name=label-1]"))
    page.keyboard.type("40 to 59")
    page.keyboard.press("Enter")
    expect(page.locator("#section-0 input[name=label-2]")).to_be_focused()
    page.keyboard.type("60 or older")
    tab_to(page, page.locator("#section-0 .block button.primary"))
    page.keyboard.press("Enter")
    expect(page.locator("#section-0 .block h3 a")).to_be_focused()
    expect(page.locator("#section-0 .block h3")).to_have_text("How old are you?")

    tab_to(page, page.locator("#section-1-kind"))
    page.keyboard.type("How often")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#section-1 textarea[name=text]")).to_be_focused()
    page.keyboard.type("How often do you take something home?")
    saved(page)
    often = page.locator("#section-1 .block.open > .tools button").first
    tab_to(page, often)
    page.keyboard.press("Enter")
    expect(page.locator("[data-said]")).to_contain_text("question 1 of 2 in section 2")
    expect(page.locator("#section-1 .block.open > .tools button").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-said]")).to_contain_text("question 2 of 2 in section 1, sent as answered")
    expect(page.locator("#section-0 .block.open > .tools button").first).to_be_focused()
    tab_to(page, page.locator("#section-0 .block.open > .tools button").nth(1))
    page.keyboard.press("Enter")
    expect(page.locator("[data-said]")).to_contain_text("question 1 of 2 in section 2, disguised")

    assert [len(names) for names in draft.names] == [1, 2]
    age, often_asked = (draft.stored["sections"][number]["questions"][0] for number in (0, 1))
    assert [choice["label"]["en"] for choice in age["choices"]] == ["under 40", "40 to 59", "60 or older"]
    assert often_asked["text"] == {"en": "How often do you take something home?"}
    assert [choice["label"]["en"] for choice in often_asked["choices"]][::5] == ["Never", "Prefer not to say"]


def test_a_question_is_dragged_within_and_between_sections(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit")

    def drag(words: str, target: str, escape: bool = False) -> None:
        block(page, words).hover()
        grip = block(page, words).locator("[data-grip]").bounding_box()
        goal = block(page, target).bounding_box()
        assert grip
        assert goal
        page.mouse.move(grip["x"] + 5, grip["y"] + 5)
        page.mouse.down()
        page.mouse.move(goal["x"] + 60, goal["y"] + goal["height"] / 2)
        page.mouse.move(goal["x"] + 60, goal["y"] + goal["height"] - 3)
        if escape:
            page.keyboard.press("Escape")
        page.mouse.up()

    drag("age?", "work?", escape=True)
    expect(page.locator(".landing")).to_have_count(0)
    assert draft.names[0][0] == "age"
    drag("age?", "work?")
    expect(page.locator("[data-said]")).to_contain_text("question 2 of 3 in section 1")
    assert draft.names[0][:2] == ["work", "age"]
    drag("age?", "debt?")
    expect(page.locator("[data-said]")).to_contain_text("question 3 of 4 in section 2, disguised")
    assert draft.names == [["work", "bus", "car"], ["theft", "debt", "age", "drink"]]
    drag("work?", "drink?")
    expect(page.locator(".toast.error")).to_contain_text("“theft?” is shown only after certain answers")
    assert draft.names[0][0] == "work"


def test_a_deletion_is_undone_from_its_toast(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    before = draft.stored
    page = visit("researcher").go(f"{draft.path}/edit?open=of%3Duse")
    page.locator(".block.open").get_by_role("button", name="Delete", exact=True).click()
    toast = page.locator("[role=status] .toast")
    expect(toast).to_contain_text("“use?” is deleted.")
    expect(toast.get_by_role("button", name="Undo")).to_be_focused()
    assert axe(page, "[data-toasts]") == []
    assert draft.names[0] == ["age", "work"]
    page.keyboard.press("Enter")
    expect(page.locator("[data-said]")).to_contain_text("It is back. “use?” is question 3 of 3")
    expect(toast).to_have_count(0)
    expect(block(page, "use?")).to_be_focused()
    assert draft.stored == before
    page.locator("#section-1 header").get_by_role("button", name="Delete section 2").click()
    expect(page.locator(".sheet")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".sheet")).to_have_count(2)
    assert draft.stored == before


def test_a_draft_saves_as_one_types_and_says_so(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit?open=age")
    status, field = page.locator("[data-saved]"), page.locator("textarea[name=text]")
    expect(status).to_have_text("Everything is saved")
    field.fill("How old?")
    saved(page)
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "How old?"}

    def fail(route: Route) -> None:
        route.abort()

    page.route("**/edit/save", fail)
    field.fill("How old are you?")
    expect(status).to_have_text("Not saved: there is no connection. Trying again …")
    page.unroute("**/edit/save", fail)
    saved(page)
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "How old are you?"}
    page.route("**/edit/save", lambda route: route.fulfill(status=503))
    field.fill("How old are you now?")
    expect(status).to_contain_text("the server did not answer as it should. Trying again")
    page.unroute("**/edit/save")
    saved(page)
    page.fill("input[name=label-0]", "")
    expect(page.locator("[data-lacking]")).to_have_text("1 thing is missing")


def test_whoever_was_signed_out_goes_on_after_signing_in_elsewhere(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    visitor = visit("researcher")
    page = visitor.go(f"{draft.path}/edit?open=age")
    page.context.clear_cookies()
    page.locator("textarea[name=text]").fill("How old?")
    expect(page.locator("[data-saved]")).to_contain_text("Not saved: you have been signed out.")
    elsewhere = Visitor(page.context.new_page(), visitor.product)
    elsewhere.sign_in("researcher")
    expect(page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved"), timeout=20_000)
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "How old?"}


def test_whoever_leaves_with_something_unsaved_is_asked(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit?open=age")
    page.route("**/edit/save", lambda route: route.abort())
    page.locator("textarea[name=text]").press_sequentially("Not yet. ")
    expect(page.locator("[data-saved]")).to_contain_text("Not saved")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.once("dialog", stay)
    page.evaluate("() => { location.href = '/' }")
    page.wait_for_timeout(300)
    assert asked == ["beforeunload"]
    page.unroute("**/edit/save")
    page.once("dialog", lambda dialog: dialog.accept())


def test_what_was_typed_is_stored_before_a_button_changes_the_page(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit?open=age&open=debt")
    page.locator("#section-0 textarea[name=text]").fill("How old?")
    page.locator("#section-1 textarea[name=text]").fill("In debt?")
    block(page, "work?").get_by_role("button", name="down").click()
    expect(page.locator("[data-said]")).to_contain_text("“work?” is question 3")
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "How old?"}
    assert draft.stored["sections"][1]["questions"][1]["text"] == {"en": "In debt?"}
    expect(page.locator("#section-0 textarea[name=text]")).to_have_value("How old?")


def test_of_two_people_the_later_one_sees_both_and_decides(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    mine, theirs = (visit("researcher").go(f"{draft.path}/edit?open=age") for _ in range(2))
    theirs.fill("textarea[name=text]", "Their words?")
    saved(theirs)
    mine.fill("textarea[name=text]", "My words?")
    notice = mine.locator("[data-conflict]")
    expect(notice).to_contain_text("Their words?")
    expect(notice).to_be_focused()
    assert axe(mine, ".block.open") == []
    expect(mine.locator("textarea[name=text]")).to_have_value("My words?")
    expect(mine.locator("[data-saved]")).to_have_text("Not saved: somebody else has changed the same.")
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "Their words?"}
    notice.get_by_role("button", name="Save mine instead").click()
    expect(mine.locator("#section-0 .block h3").first).to_have_text("My words?")
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "My words?"}


def test_a_rule_on_a_sensitive_answer_is_explained_away(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit?open=debt")
    form = page.locator(".block.open")
    form.get_by_text("When it is asked").click()
    form.locator("select[name=ruling]").select_option("theft")
    form.get_by_role("button", name="Add this rule").click()
    expect(page.locator("[role=alert] .toast")).to_contain_text("the disguise would hide nothing")
    form.locator("select[name=ruling]").select_option("age")
    form.get_by_role("button", name="Add this rule").click()
    expect(page.locator("input[name=rule-0]").first).to_be_focused()
    page.locator("input[name=rule-0]").first.uncheck()
    saved(page)
    assert draft.stored["sections"][1]["questions"][1]["show_if"] == {"age": ["old"]}


def test_the_kind_changes_where_it_is_chosen(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit?open=debt")
    kind = page.get_by_label("Kind", exact=True)
    kind.select_option("satisfaction-5")
    expect(page.locator("input[name=label-4]")).to_have_value("Very satisfied")
    expect(kind).to_be_focused()
    assert draft.stored["sections"][1]["questions"][1]["form"] == "scale"


def test_the_panel_lives_while_a_slider_moves(visit: Visit, make: Make) -> None:
    draft = make(sensitive(question("theft"), question("debt"), question("lie")))
    page = visit("researcher").go(f"{draft.path}/edit/protection")
    verdict = page.locator("#results-0 .verdict")
    expect(verdict).to_contain_text("About 1 in 2 times")
    before = page.locator("#results-0 svg").first.inner_html()
    slider = page.get_by_role("slider", name="True answers go out")
    slider.focus()
    for _ in range(25):
        page.keyboard.press("ArrowRight")
    expect(verdict).to_contain_text("About 3 in 4 times")
    expect(page.locator("input[name=keep-0]")).to_have_value("75")
    expect(page.locator("#results-0 .figures")).to_contain_text("25.00 times")  # 1 + .75/.25·8
    expect(page.locator("#person-results .verdict")).to_contain_text("56.9\u00a0%")  # 25/(19 + 25)
    assert page.locator("#results-0 svg").first.inner_html() != before
    expect(slider).to_be_focused()
    saved(page)
    assert draft.stored["sections"][0]["keep"] == "0.7500"
    page.fill("input[name=rho2]", "20")
    expect(page.locator("#proposals")).to_contain_text(
        "48.38\u00a0%"
    )  # odds of 4.75 less 1, times .25: .9375/1.9375
    page.locator("#proposals").get_by_role("button").first.click()
    expect(page.locator("#person-results .verdict")).to_contain_text("20.0\u00a0%")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("input[name=keep-0]")).to_have_value("75")


def test_a_cure_cures(visit: Visit, make: Make) -> None:
    draft = make(sensitive(*(question(f"q{number}") for number in range(10))))
    page = visit("researcher").go(f"{draft.path}/edit/protection")
    caution = page.locator("[data-caution=long]")
    expect(caution).to_contain_text("Too many questions are kept together")
    caution.get_by_role("button", name="Ask each person only 7 of them").click()
    expect(caution).to_have_count(0)
    expect(page.locator("input[name=asked-0]")).to_have_value("7")
    assert draft.stored["sections"][0]["asked"] == 7


def test_translating_marks_what_is_missing_and_saves(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit/translations")
    page.select_option("#add-code", "fr")
    page.get_by_role("button", name="Add", exact=True).click()
    pair = page.locator(".pair", has_text="age?")
    expect(pair.locator("[data-lack]")).to_be_visible()
    pair.locator("textarea").fill("Quel âge ?")
    expect(pair.locator("[data-lack]")).to_be_hidden()
    saved(page)
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "age?", "fr": "Quel âge ?"}


def test_whoever_comes_to_mend_something_finds_its_field(visit: Visit, make: Make) -> None:
    draft = make(
        plain(question("age"), {**question("work"), "text": {}}),
        sensitive(question("debt")),
        languages=["en", "fr"],
    )
    page = visit("researcher").go(f"{draft.path}/edit#sections-0-questions-1-text-en")
    expect(page.locator("#sections-0-questions-1-text-en")).to_be_focused()
    page.goto("about:blank")
    page = visit("researcher").go(f"{draft.path}/edit#sections-1-questions-0-text-fr")
    page.wait_for_url(re.compile("translations"))
    expect(page.locator("textarea#sections-1-questions-0-text-fr")).to_be_visible()


def test_everything_works_without_a_script(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    visitor = visit("researcher", java_script_enabled=False)
    page = visitor.go(f"{draft.path}/edit")
    page.get_by_role("link", name="age?").click()
    page.fill("textarea[name=text]", "How old?")
    page.get_by_label("Kind", exact=True).select_option("scale")
    page.get_by_role("button", name="Change the kind").click()
    page.fill("input[name=label-0]", "very young")
    page.get_by_role("button", name="Add an answer").click()
    page.fill("input[name=label-2]", "very old")
    page.get_by_role("button", name="Done").click()
    age = draft.stored["sections"][0]["questions"][0]
    assert (age["form"], age["text"]) == ("scale", {"en": "How old?"})
    assert [choice["label"]["en"] for choice in age["choices"]] == ["very young", "old", "very old"]
    block(page, "How old?").get_by_role("button", name="down").click()
    assert draft.names[0][:2] == ["work", "age"]
    before = draft.stored
    page.locator("#section-0").get_by_role("button", name="Delete section 1").click()
    expect(page.locator(".toast.error")).to_contain_text("is shown only after certain answers")
    page.locator("#section-1").get_by_role("button", name="Delete section 2").click()
    expect(page.locator(".sheet")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    assert draft.stored == before
    page.locator(".builder-bar").get_by_role("link", name="Protection").click()
    page.fill("input[name=keep-1]", "30")
    page.get_by_role("button", name="Save and show").click()
    expect(page.locator("#results-1 .verdict")).to_contain_text("About 3 in 10 times")
    assert draft.stored["sections"][1]["keep"] == "0.3000"


def through(page: Page, frame: Any) -> None:
    frame.get_by_role("button", name="Agree and begin").click()
    for _ in range(12):
        if frame.get_by_role("button", name=re.compile("^Send")).count():
            break
        fields = frame.locator("#screen input[type=radio]")
        for name in dict.fromkeys(fields.nth(at).get_attribute("name") for at in range(fields.count())):
            frame.locator(f"#screen input[name='{name}']").first.check()
        frame.get_by_role("button", name="Continue").click()
    frame.get_by_role("button", name=re.compile("^Send")).click()
    expect(frame.locator("#screen h1")).to_be_visible()


def test_the_preview_goes_all_the_way_and_sends_nothing(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    visitor: Visitor = visit("researcher")
    page = visitor.go(f"{draft.path}/preview?width=phone")
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("button", name="Agree and begin")).to_be_visible()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    through(page, frame)
    expect(frame.locator("#screen")).to_contain_text(re.compile("preview", re.IGNORECASE))
    assert sent == []
