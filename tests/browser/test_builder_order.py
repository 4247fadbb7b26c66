"""The server answers late, in another order or not at all: what is typed stays in its place, and so does the focus."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests import servers
from tests.browser.conftest import Visit
from tests.browser.test_builder_typing import (
    add,
    answers,
    nothing_waits,
    open_builder,
    texts,
    type_on,
    wait_stored,
)
from tests.browser.visiting import Draft, Make, block, usual_sections
from tests.surveys.drafts import classes, plain, question, sensitive

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
MOMENT = 1500
"""Milliseconds in which a form is saved that was just typed in."""


def question_without_text(name: str) -> dict[str, object]:
    return question(name, text={})


class Held:
    """Requests that wait until the test lets them go."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.routes, self.is_over = page, list[Route](), False
        page.route(address, self.hold_request)

    def hold_request(self, route: Route) -> None:
        if self.is_over:
            route.continue_()
        else:
            self.routes.append(route)

    def wait_for_requests(self, count: int = 1) -> None:
        def are_there() -> bool:
            self.page.wait_for_timeout(20)
            return len(self.routes) >= count

        servers.wait(are_there, f"{count} requests")

    def let_go(self) -> None:
        self.is_over = True
        for route in self.routes:
            route.continue_()


def replace_words(page: Page, field: str, words: str) -> None:
    page.locator(field).click()
    page.keyboard.press("ControlOrMeta+A")
    type_on(page, words)


def test_words_typed_during_a_save_outlast_a_command(visit: Visit, draft: Draft) -> None:
    page = visit("researcher").go(f"{draft.path}/edit?open=age&open=theft")
    saves = Held(page, "**/edit/save")
    replace_words(page, "#section-0 textarea[name=text]", "How old?")
    block(page, "work?").get_by_role("button", name="down").click()
    saves.wait_for_requests()
    replace_words(page, "#section-1 textarea[name=text]", "Have you stolen?")
    saves.let_go()
    expect(page.locator("[data-said]")).to_contain_text("“work?” is question 3")
    expect(page.locator("#section-1 textarea[name=text]")).to_have_value("Have you stolen?")
    type_on(page, " Ever?")
    wait_stored(page, "Have you stolen? Ever?", lambda: texts(draft, 1)[0])
    expect(page.locator("[data-conflict]")).to_have_count(0)


def test_missing_parts_are_those_of_the_last_save(visit: Visit, make: Make) -> None:
    draft = make(
        plain(question_without_text("age"), question("work")),
        sensitive(question_without_text("theft")),
        title={"en": "One"},
    )
    page = visit("researcher").go(f"{draft.path}/edit?open=age&open=theft")
    lacking = page.locator("[data-lacking]")
    before = lacking.inner_text()
    saves = Held(page, "**/edit/save")
    replace_words(page, "#section-0 textarea[name=text]", "How old?")
    saves.wait_for_requests()
    replace_words(page, "#section-1 textarea[name=text]", "Stolen?")
    page.wait_for_timeout(MOMENT)
    first, *others = saves.routes
    early = first.fetch()
    for route in others:
        route.fulfill(response=route.fetch())
    saves.is_over = True
    first.fulfill(response=early)
    wait_stored(page, ["How old?", "Stolen?"], lambda: [texts(draft, section)[0] for section in (0, 1)])
    page.wait_for_timeout(MOMENT)
    last = lacking.inner_text()
    page.reload()
    assert last == lacking.inner_text() != before


def test_question_keeps_its_words_when_opened(visit: Visit, make: Make) -> None:
    draft = make(plain(question("age")), sensitive(question_without_text("theft"), question("debt")))
    page = open_builder(visit, draft)
    for words in ("The first?", "The second?"):
        add(page, 0)
        type_on(page, words)
    field = page.locator("#section-1 textarea[name=text]")
    page.locator("#section-1").get_by_text("Untitled question").click()
    type_on(page, "Have you slept at work?")
    nothing_waits(page)
    expect(field).to_be_focused()
    type_on(page, " This year?")
    wait_stored(page, "Have you slept at work? This year?", lambda: texts(draft, 1)[0])
    assert texts(draft, 0)[1:] == ["The first?", "The second?"]
    block(page, "debt?").get_by_role("link").click()
    field = field.last
    expect(field).to_have_value("debt?")
    page.keyboard.press("End")
    type_on(page, " Much?")
    nothing_waits(page)
    expect(field).to_be_focused()
    wait_stored(page, "debt? Much?", lambda: texts(draft, 1)[1])


def points(draft: Draft) -> list[int]:
    return [int(each) for each in draft.draft_json["sections"][0]["questions"][0]["limits"]]


def test_limits_keep_their_rows_while_one_is_added_or_removed_above(visit: Visit, make: Make) -> None:
    draft = make(classes("debt", 0, 500, 1000, 2000, 5000, 10_000))
    page = open_builder(visit, draft, "debt")
    commands = Held(page, "**/edit/save")
    page.locator("[name=limit-0]").focus()
    page.keyboard.press("Enter")
    type_on(page, "700")
    replace_words(page, "[name=limit-2]", "3000")
    commands.let_go()
    expect(page.locator("[name=limit-4]")).to_be_visible()
    expect(page.locator("[name=limit-3]")).to_be_focused()
    wait_stored(page, [500, 700, 1000, 3000, 5000], lambda: points(draft))
    page.unroute("**/edit/save")
    commands = Held(page, "**/edit/save")
    page.get_by_role("button", name="Delete limit 1").click()
    replace_words(page, "[name=limit-3]", "4000")
    commands.let_go()
    expect(page.locator("[name=limit-4]")).to_have_count(0)
    wait_stored(page, [700, 1000, 4000, 5000], lambda: points(draft))


def test_answers_deleted_in_a_row_are_those_pressed(visit: Visit, make: Make) -> None:
    words = ["a", "b", "c", "d", "e"]
    deleted = {"one": (1, 3), "two": (3, 1), "three": (2, 3)}
    draft = make(plain(*(question(name, *words) for name in deleted)))
    page = open_builder(visit, draft, *deleted)
    commands = Held(page, "**/edit/save")
    for name, places in deleted.items():
        for place in places:
            page.locator(f"[data-key={name}]").get_by_role("button", name=f"Delete answer {place}").click()
    commands.let_go()
    left = [[word for at, word in enumerate(words, 1) if at not in places] for places in deleted.values()]
    wait_stored(page, left, lambda: [answers(draft, number) for number in range(3)])


def test_typed_statements_outlast_an_addition(visit: Visit, make: Make) -> None:
    page = open_builder(visit, make(*usual_sections()))
    page.locator("#section-1").get_by_text("Add a battery", exact=True).click()
    page.locator("#section-1-statements").fill("I like it.\nI know it.")
    add(page, 0, "number")
    type_on(page, "How many?")
    nothing_waits(page)
    expect(page.locator("#section-2-statements")).to_have_value("I like it.\nI know it.")


def test_answer_refused_by_a_wrong_form_stays_on_the_page(visit: Visit, make: Make) -> None:
    draft = make(classes("debt", 0, 500, 1000, 2000, 5000, 10_000))
    page = open_builder(visit, draft, "debt")
    replace_words(page, "[name=limit-1]", "100")
    page.keyboard.press("Enter")
    type_on(page, "1500")
    expect(page.locator("[data-refused]")).to_contain_text("something else has to be put right first")
    expect(page.locator("[data-waiting] input")).to_have_value("1500")
    replace_words(page, "[name=limit-1]", "1100")
    page.get_by_role("button", name="Try again").click()
    nothing_waits(page)
    wait_stored(page, [500, 1100, 1500, 2000, 5000], lambda: points(draft))


def failing_handler(times: int) -> Callable[[Route], None]:
    """Answers so many requests with an error of the server."""
    left = [None] * times

    def answer(route: Route) -> None:
        if left:
            left.pop()
            route.fulfill(status=503)
        else:
            route.continue_()

    return answer


def test_failing_server_loses_no_edit(visit: Visit, draft: Draft) -> None:
    page = open_builder(visit, draft, "age")
    page.route("**/edit/act", failing_handler(2))
    page.route("**/edit/save", failing_handler(1))
    replace_words(page, "#section-0 textarea[name=text]", "How old?")
    add(page, 0)
    type_on(page, "The first?")
    add(page, 1)
    type_on(page, "The second?")
    nothing_waits(page)
    wait_stored(page, ["How old?", "The first?"], lambda: [texts(draft, 0)[0], texts(draft, 0)[-1]])
    wait_stored(page, "The second?", lambda: texts(draft, 1)[-1])


class Swallowed:
    """The server stores what so many requests ask for, and the page never gets the answers."""

    def __init__(self, page: Page, address: str, times: int = 1) -> None:
        self.times, self.met = times, 0
        page.route(address, self.lose_first_answers)

    def lose_first_answers(self, route: Route) -> None:
        self.met += 1
        if self.met > self.times:
            route.continue_()
        else:
            route.fetch()
            route.abort()


def test_command_done_without_an_answer_is_not_repeated(visit: Visit, draft: Draft) -> None:
    page = open_builder(visit, draft, "age", "debt")
    # A question is added.
    lost = Swallowed(page, "**/edit/act")
    add(page, 0)
    type_on(page, "The only one?")
    replace_words(page, "[data-key=age] textarea[name=text]", "How old?")
    nothing_waits(page)
    wait_stored(page, ["How old?", "The only one?"], lambda: [texts(draft, 0)[0], texts(draft, 0)[-1]])
    assert (lost.met, len(texts(draft, 0))) == (2, 5)
    # Words are saved, which are in no conflict with themselves.
    lost = Swallowed(page, "**/edit/save")
    replace_words(page, "[data-key=age] textarea[name=text]", "How old?!")
    expect(page.locator("[data-saved]")).to_contain_text("Trying again")
    type_on(page, " In years?")
    wait_stored(page, "How old?! In years?", lambda: texts(draft, 0)[0])
    expect(page.locator("[data-conflict]")).to_have_count(0)
    assert lost.met >= 2
    # An answer is added.
    lost = Swallowed(page, "**/edit/save")
    page.locator("[data-key=age]").get_by_role("button", name="Add an answer").click()
    type_on(page, "oldest")
    replace_words(page, "[data-key=age] [name=label-0]", "youngest")
    nothing_waits(page)
    wait_stored(page, ["youngest", "old", "oldest"], lambda: answers(draft))
    expect(page.locator("[data-conflict]")).to_have_count(0)
    assert lost.met >= 2
    # A deletion can be undone. The form closed when the question was added.
    page.locator("[data-key=debt] h3 a").first.click()
    lost = Swallowed(page, "**/edit/act")
    page.locator("[data-key=debt]").get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("[data-said]")).to_contain_text("It is back.")
    assert draft.names[1] == ["theft", "debt", "drink"]
    assert lost.met >= 2


def test_button_works_again_after_six_failures(visit: Visit, draft: Draft) -> None:
    page = visit("researcher").go(f"{draft.path}/edit")
    page.clock.install()
    met: list[Route] = []

    def answer_unavailable(route: Route) -> None:
        met.append(route)
        route.fulfill(status=503)

    page.route("**/edit/act", answer_unavailable)
    down = block(page, "work?").get_by_role("button", name="down")
    line = page.locator("[data-saved]")
    down.click()

    def is_given_up() -> bool:
        # Longer than the longest pause between two tries.
        page.clock.run_for(31_000)
        return line.get_attribute("data-state") == "refused"

    servers.wait(is_given_up, "the command being given up")
    assert len(met) == 6
    assert draft.names[0][:2] == ["age", "work"]
    page.unroute("**/edit/act")
    down.click()
    servers.wait(lambda: draft.names[0][:2] == ["age", "bus"], "the question being moved")


def test_words_typed_after_an_unanswered_save_are_in_its_conflict(visit: Visit, draft: Draft) -> None:
    page = open_builder(visit, draft, "age")
    page.route("**/edit/save", lambda route: route.abort())
    replace_words(page, "#section-0 textarea[name=text]", "How old?")
    expect(page.locator("[data-saved]")).to_contain_text("Trying again")
    theirs = draft.draft_json
    theirs["sections"][0]["questions"][0]["text"]["en"] = "Your age?"
    draft.store(theirs)
    type_on(page, " In years?")
    page.unroute("**/edit/save")
    notice = page.locator("[data-conflict]")
    expect(notice).to_contain_text("Your age?")
    expect(page.locator("#section-0 textarea[name=text]")).to_have_value("How old? In years?")
    assert texts(draft, 0)[0] == "Your age?"
    notice.get_by_role("button", name="Save mine instead").click()
    wait_stored(page, "How old? In years?", lambda: texts(draft, 0)[0])
