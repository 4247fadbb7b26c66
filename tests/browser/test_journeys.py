"""The journeys that a browser makes at each push, across the whole product; the rest of what one shows is at night."""

import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from privacy.blind_signatures.tokens import is_token_signed
from privacy.mechanisms import permanent_draws as person_code
from privacy.mechanisms.disguise_by_given_coins import disguise
from privacy.mechanisms.permanent_draws import (
    coins_with_permanent_rotation,
    permanent_answers,
    study_fingerprint,
)
from privacy.mechanisms.random_draws import draw_coins, seeded_words
from surveys.phrases.languages import SHIPPED
from tests.browser import (
    test_answering_exchange as exchange,
    test_answering_kept as kept,
    test_answering_phone as phone,
    test_answering_sending as sending,
    test_answering_traces as traces,
    test_judging as judging,
    test_places as on_map,
    test_releases as releases,
    test_reports as reports,
    test_surveys as surveys,
)
from tests.browser.conftest import (
    TRUTH,
    Asked,
    Respondent,
    Visit,
    drawn_words,
    forget_all,
    get_survey,
    inbox,
    record_line,
    wait_for_receipt,
)
from tests.browser.test_answering_exchange import survey
from tests.browser.test_answering_pages import PHONE as TOUCHED
from tests.browser.test_answering_receipt import receipt_verdict, save_download as file_of
from tests.browser.test_answering_traces import first_trace, worker
from tests.browser.visiting import (
    PHONE,
    Draft,
    Hand,
    Visitor,
    another_language,
    axe_violations,
    desk,
    download,
    draft_maker,
    enter_password,
    profile,
    shell,
    stated_clicks,
    wait_until_saved,
)
from tests.product import Product
from tests.surveys.drafts import plain, question

__all__ = ["first_trace", "survey", "worker"]
pytestmark = pytest.mark.browser


LANGUAGES = ["en", *(pytest.param(code, marks=pytest.mark.night) for code in SHIPPED if code != "en")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_survey_is_answered_on_a_phone(visit: Visit, product: Product, language: str) -> None:
    forget_all(product)
    page = visit(**TOUCHED, locale=language).go(get_survey(product, "six languages").address)
    hand = Hand(page)
    assert page.evaluate("document.documentElement.lang").lower() == language
    agree = page.locator("[data-agree]:visible")
    expect(agree).to_be_in_viewport(ratio=1)
    phone.check_with_details_open(page)
    hand.tap(agree)
    assert phone.answer_screens(hand) == 4  # the choice, the age, and two of the three sensitive questions
    phone.assert_fits_phone(page)
    hand.tap(page.locator("#screen .button.primary").last)
    expect(page.locator("#screen details").first).to_be_visible()
    assert hand.acts == stated_clicks("Answer a survey of three questions on a phone")
    # "Done" comes right after the thanks.
    expect(page.locator("#screen h1 + p + p strong")).to_have_count(1)
    phone.check_with_details_open(page)


def test_survey_is_answered_by_keyboard_alone(visit: Visit, product: Product, short: Asked) -> None:
    page = visit().go(short.address)
    keyboard = page.keyboard

    def tab_to(words: str) -> None:
        for _press in range(40):
            here = "document.activeElement"
            if words == page.evaluate(
                f"{here}.matches('button, input') && ({here}.textContent || {here}.type)"
            ):
                return
            keyboard.press("Tab")
        raise AssertionError(f"{words} cannot be reached")

    tab_to("Agree and start")
    keyboard.press("Enter")
    for press in ("Space", "ArrowDown", "Space"):
        tab_to("radio")
        keyboard.press(press)
        tab_to("Continue")
        keyboard.press("Enter")
    tab_to("Send")
    keyboard.press("Enter")
    wait_for_receipt(page)
    assert len(inbox(product, short)) == 1


def test_two_truths_whose_coins_give_the_same_record_leave_the_same_traces(
    first_trace: traces.Trace, chromium: Browser, product: Product
) -> None:
    one, survey = first_trace, get_survey(product, "short")
    other = traces.trace_of_answering(chromium, product, survey, {0: 1, 1: 1, 2: 1}, traces.YES_AND_NO)
    assert one.inbox == ["1110"]
    assert len([request for request in one.requests if request.startswith(b"POST")]) == 1
    assert one == other


def test_trace_search_finds_planted_traces(
    first_trace: traces.Trace, chromium: Browser, product: Product
) -> None:
    """Plain answers are sent as they are given, so they must show up in what is compared above."""
    other = traces.trace_of_answering(
        chromium, product, get_survey(product, "short"), {0: 0, 1: 0, 2: 0}, traces.YES_AND_NO
    )
    assert first_trace.requests != other.requests
    assert first_trace.receipt != other.receipt
    assert first_trace.inbox != other.inbox


def test_sent_record_matches_the_python_twin_with_the_same_coins(chromium: Browser, product: Product) -> None:
    survey, respondent, truth = traces.answer_without_sending(chromium, product)
    coins = draw_coins(survey.design, drawn_words(respondent.page))
    expected = disguise(survey.design, coins, 1, list(truth.values()))
    assert traces.sent_by(respondent) == expected
    assert inbox(product, survey) == [f"1{expected.answers}"]


def test_record_cannot_be_sent_without_javascript(chromium: Browser, product: Product) -> None:
    survey = get_survey(product, "fourteen")
    with record_line(product) as line:
        page = profile(chromium, java_script_enabled=False).new_page()
        page.goto(line.url + survey.address)
        assert "needs JavaScript" in page.locator("noscript:visible").inner_text()
        expect(page.locator("input, select, textarea, form")).to_have_count(0)
        for button in page.locator("button:visible").all():
            button.click()
        page.context.close()
        assert not [request for request in line.requests() if not request.startswith(b"GET ")]


def test_record_is_kept_after_a_lost_answer(visit: Visit, product: Product, short: Asked) -> None:
    page = visit().go(short.address)
    respondent, losing = sending.left_waiting(page, short)
    stored = inbox(product, short)
    assert respondent.tab_storage() == {"state": "sending", "body": losing.heard[0]}
    for _step in range(3):
        page.go_back()
        expect(page.get_by_text("you can no longer change your answers")).to_be_visible()
        expect(page.locator("input")).to_have_count(0)
    losing.let_through()
    wait_for_receipt(page)
    assert losing.heard == [losing.heard[0]] * 2
    assert inbox(product, short) == stored == [f"1{respondent.receipt()['answers']}"]
    assert respondent.tab_storage() == {}
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0


def test_tab_and_its_copy_count_once_with_an_invitation(
    visit: Visit, product: Product, invited: Asked
) -> None:
    page = visit().go(f"{invited.address}#{invited.tokens[4]}")
    respondent = Respondent(page).answer(TRUTH)
    copy = sending.copy_tab(page)
    respondent.deliver()
    copy.answer({0: 1, 1: 0, 2: 1})
    copy.send()
    copy.page.get_by_role("heading", name="This invitation link cannot be used").wait_for()
    assert inbox(product, invited) == [f"1{respondent.receipt()['answers']}"]


def test_kept_record_is_all_the_device_holds_and_is_sent_at_the_next_visit(
    visit: Visit, product: Product, short: Asked
) -> None:
    visitor = visit(viewport=PHONE)
    body = kept.keep_and_leave(visitor, short)
    assert inbox(product, short) == []
    with visitor.page.expect_request(f"**{short.record}") as sent:
        page = visitor.go(short.address)
    page.get_by_role("heading", name="Your answers have been received").wait_for()
    assert sent.value.post_data == body
    # Counted among those who were asked to wait, and as one who came back.
    assert sent.value.headers["candor-again"] == "1"
    assert inbox(product, short) == [f"1{json.loads(body)['record']['answers']}"]
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0
    # It may be another person who sees this.
    expect(page.locator("pre")).to_have_count(0)


def test_record_carries_an_exchanged_token(visit: Visit, product: Product, survey: Asked) -> None:
    page = visit().page
    page.clock.install()
    page.goto(f"{product.url}{survey.address}#{survey.tokens[0]}")
    page.get_by_text("Good to know").click()
    expect(page.get_by_text("exchanges your invitation for a token")).to_be_visible()
    expect(page.get_by_text("sends it at a moment within the day, after an hour on average")).to_be_visible()
    sent = exchange.posts(page, survey)
    respondent = exchange.begin_exchange(page)
    ((name, first),) = sent
    assert (name, first["invitation"]) == ("exchange", survey.tokens[0])
    exchange.handed_in(respondent)
    expect(page.get_by_text(exchange.LATER)).to_be_visible()
    assert len(sent) == 1
    page.clock.fast_forward(exchange.AFTER)
    wait_for_receipt(page)
    exchanged, (name, envelope) = sent
    token = envelope["token"]
    assert is_token_signed(survey.design.invitation_key, token)
    # What was seen at the exchange is nowhere in what is sent now, and the other way round.
    assert survey.tokens[0] not in json.dumps(envelope)
    assert first["blinded"] not in json.dumps(envelope)
    assert token[:43] not in json.dumps(exchanged)
    assert inbox(product, survey) == [f"1{respondent.receipt()['answers']}"]
    assert respondent.tab_storage() == {}
    assert page.evaluate("Object.keys(localStorage)") == []


def test_one_code_gives_the_same_answers_on_two_devices(chromium: Browser, product: Product) -> None:
    first, again = get_survey(product, "lasting"), get_survey(product, "lasting again")
    with record_line(product) as line:
        page = profile(chromium).new_page()
        device = exchange.Traced(page, line, first)
        device.start()
        expect(page.get_by_role("heading", name="Your code")).to_be_focused()
        expect(page.locator(".person-code")).to_have_count(0)
        device.respondent.press_button("Make a new code")
        code = page.locator(".person-code").inner_text()
        assert re.fullmatch(r"([0-9A-Z]{6}-){2}[0-9A-Z]{6}", code)
        # The last two characters check the others.
        device.type(code[:-1] + ("0" if code[-1] != "0" else "1"))
        expect(page.locator(".error-summary")).to_contain_text("This is not the code above.")
        device.type(code)
        sent = device.answers_until_receipt()
        assert not device.shows_code(code)
        page.context.close()
    with record_line(product) as line:
        page = profile(chromium, viewport=PHONE).new_page()
        device = exchange.Traced(page, line, again)
        device.start()
        told_again = re.compile("this is a new start.* at most 1,369 times")
        expect(page.locator("#screen")).to_contain_text(told_again)
        requests = len(line.requests())
        # A character too many, one that is mistyped, one code of another study, and two codes.
        elsewhere = person_code.person_code_text(bytes(range(10)), "0" * 64)
        for wrong in (code[:5] + code, code[:-1] + ("0" if code[-1] != "0" else "1"), elsewhere, code + code):
            device.type(wrong)
            expect(page.locator("#wrong")).to_contain_text("This is not a code of this study.")
            assert len(line.requests()) == requests
        device.type(f" {code.lower().replace('-', ' ')}")
        sent_again = device.answers_until_receipt()
        assert not device.shows_code(code)
        page.context.close()
    # The instant stage keeps all but one in 5,000 of the permanent answers.
    raw = person_code.read_person_code(code, study_fingerprint(first.design))
    assert raw is not None
    coins = coins_with_permanent_rotation(first.design, draw_coins(first.design, seeded_words(1)), raw)
    permanent = permanent_answers(first.design, coins, [1, 1, 0, 1], raw)
    asks = [place for place, code in enumerate(sent) if code < first.design.questions[place].not_asked]
    assert len(asks) == 3
    one, other, expected = ([codes[place] for place in asks] for codes in (sent, sent_again, permanent))
    assert one == other == expected


SCRIPTS = """
performance.getEntriesByType("resource").map(({ name }) => name.match("/static/intake/(.+)[.][0-9a-f]{12}[.]js$")?.[1])
  .filter(Boolean).sort()
"""


def test_every_kind_of_question_is_answered(
    visit: Visit, product: Product, mixture: Asked, tmp_path: Path
) -> None:
    page = visit().go(mixture.address)
    respondent = Respondent(page)
    headings = list(respondent.screens({0: 1, 1: 500, 2: 2, 3: 1, 4: 0}))
    for heading, words in zip(headings, ["How old", "fined", "Where", "the same?", "tax"], strict=False):
        assert words in heading
    summary = page.locator(".summary > div").all_inner_texts()
    for answer, words in zip(summary, ["40 or older", "500", "south", "Different", "No"], strict=True):
        assert words in answer
    # One script of its own, what disguises, and that of invitations.
    assert page.evaluate(SCRIPTS) == ["answer-number-place-crosswise", "device", "invitation"]
    respondent.deliver()
    assert len(inbox(product, mixture)) == 1
    receipt, design = (file_of(page, f"Save the {name}", tmp_path) for name in ("receipt", "design"))
    page = visit().go("/a/receipt")
    assert receipt_verdict(page, receipt, design) == "This is a possible record of the design."
    assert page.evaluate(SCRIPTS) == ["device", "receipt-page"]


def test_phone_tap_chooses_and_two_fingers_zoom(visit: Visit, places: Asked) -> None:
    visitor = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = on_map.open_place_page(visitor, places).page
    small = page.locator("label.answer").evaluate_all(
        "all => all.filter(e => e.getBoundingClientRect().height < 44).length"
    )
    assert small == 0
    frame = page.locator(".map-frame svg")
    frame.scroll_into_view_if_needed()
    assert frame.evaluate("e => getComputedStyle(e).touchAction") == "pan-y"
    whole = on_map.view_of(page)
    x, y = on_map.centre(page, 9)
    page.touchscreen.tap(x, y)
    assert on_map.chosen_answer_ids(page) == ["answer-1-9"]
    line = page.context.new_cdp_session(page)

    def touch_screen(kind: str, *points: tuple[float, float]) -> None:
        fingers = [{"x": across, "y": down, "id": finger} for finger, (across, down) in enumerate(points)]
        line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    touch_screen("touchStart", (x - 10, y), (x + 10, y))
    for apart in (20, 30, 40):
        touch_screen("touchMove", (x - apart, y), (x + apart, y))
    touch_screen("touchEnd")
    assert on_map.view_of(page)[2] < whole[2] / 2
    assert on_map.chosen_answer_ids(page) == ["answer-1-9"]
    assert frame.evaluate("e => getComputedStyle(e).touchAction") == "none"


def test_draft_saves_while_typing_and_says_so(visit: Visit, draft: Draft) -> None:
    page = visit("researcher").go(f"{draft.path}/edit?open=age")
    status, field = page.locator("[data-saved]"), page.locator("textarea[name=text]")
    expect(status).to_have_text("Everything is saved")
    field.fill("How old?")
    wait_until_saved(page)
    assert draft.draft_json["sections"][0]["questions"][0]["text"] == {"en": "How old?"}

    def abort_request(route: Route) -> None:
        route.abort()

    page.route("**/edit/save", abort_request)
    field.fill("How old are you?")
    expect(status).to_have_text("Not saved: there is no connection. Trying again …")
    page.unroute("**/edit/save", abort_request)
    wait_until_saved(page)
    assert draft.draft_json["sections"][0]["questions"][0]["text"] == {"en": "How old are you?"}
    page.route("**/edit/save", lambda route: route.fulfill(status=503))
    field.fill("How old are you now?")
    expect(status).to_contain_text("the server did not answer as it should. Trying again")
    page.unroute("**/edit/save")
    wait_until_saved(page)
    page.fill("input[name=label-0]", "")
    expect(page.locator("[data-lacking]")).to_have_text("1 thing is missing")


def test_second_of_two_editors_sees_both_versions_and_decides(visit: Visit, draft: Draft) -> None:
    mine = visit("researcher").go(f"{draft.path}/edit?open=age")
    theirs = draft.draft_json
    theirs["sections"][0]["questions"][0]["text"]["en"] = "Their words?"
    draft.store(theirs)
    mine.fill("textarea[name=text]", "My words?")
    notice = mine.locator("[data-conflict]")
    expect(notice).to_contain_text("Their words?")
    expect(notice).to_be_focused()
    assert axe_violations(mine, ".block.open") == []
    expect(mine.locator("textarea[name=text]")).to_have_value("My words?")
    expect(mine.locator("[data-saved]")).to_have_text("Not saved: the same was changed elsewhere meanwhile.")
    assert draft.draft_json["sections"][0]["questions"][0]["text"] == {"en": "Their words?"}
    notice.get_by_role("button", name="Save mine instead").click()
    expect(mine.locator("#section-0 .block h3").first).to_have_text("My words?")
    assert draft.draft_json["sections"][0]["questions"][0]["text"] == {"en": "My words?"}


def test_judging_a_rule_takes_one_key_and_moves_on(visit: Visit, product: Product) -> None:
    page = visit("reviewer", viewport=judging.LAPTOP).go(desk(judging.make_report(product, 60), "rules"))
    # The script has run: keys that come sooner go nowhere.
    expect(judging.links(page).first).to_be_focused()

    def rule_positions() -> list[float]:
        found: list[float] = page.locator(".judged").evaluate_all(f"all => all.map({judging.WHERE})")
        return found

    before, places_before = judging.rules_left_to_judge(page), rule_positions()
    page.evaluate("window.same = true")
    page.evaluate(judging.SHIFTS)
    words = {"Accept": "accepted", "Reject": "rejected", "Needs more data": "needs more data"}
    for at, (name, word) in enumerate(words.items()):
        number = judging.judged_row(page, at).get_attribute("data-rule")
        page.keyboard.press(name[0].lower())
        expect(judging.links(page).nth(at + 1)).to_be_focused()
        expect(judging.pressed_button(judging.judged_row(page, at), name)).to_have_count(1)
        said = f"Rule {number}: {word}. {before - at - 1:,} rules left to decide."
        expect(page.locator("[data-said]")).to_have_text(said)
    assert page.evaluate("window.same")
    assert rule_positions() == places_before
    assert page.evaluate("window.__shift") == 0
    assert judging.rules_left_to_judge(page) == before - 3
    page.reload()
    assert judging.rules_left_to_judge(page) == before - 3


def test_weak_settings_wait_for_a_reviewers_approval(visit: Visit, product: Product) -> None:
    path = surveys.make(product, "weak_draft")
    robin, ruth = visit("researcher"), visit("reviewer")
    page = robin.go_and_check(f"{path}/open")
    page.get_by_role("link", name="Request approval").click()
    robin.check()
    page.fill("textarea[name=reason]", "A clinic of sixty people; nobody else would be counted.")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_text("A reviewer decides on its settings")).to_be_visible()

    ruth.go_and_check("/app/surveys/review")
    page = ruth.go_and_check(f"{path}/review")
    expect(page.get_by_text("A clinic of sixty people")).to_be_visible()
    page.get_by_label("Approve").check()
    page.get_by_role("button", name="Save decision").click()
    expect(page.locator(".toast")).to_contain_text("Your decision is written down.")

    page = robin.go(f"{path}/open")
    page.click("text=Open the survey")
    expect(page.locator(".toast")).to_contain_text("The survey is open.")


AUTHENTICATOR = {"protocol": "ctap2", "transport": "internal"} | dict.fromkeys(
    ("hasUserVerification", "isUserVerified", "automaticPresenceSimulation"), True
)


@pytest.mark.night
@pytest.mark.parametrize("language", ["en", "zh-Hans"])
def test_a_passkey_is_added_used_and_removed(product: Product, chromium: Browser, language: str) -> None:
    # A passkey belongs to a name; an address in numbers has none.
    url = product.url.replace("127.0.0.1", "localhost")
    name, password = product.passwords["reviewer"]
    with chromium.new_context(locale=language) as context:
        page = context.new_page()
        visitor = Visitor(page, product)
        devtools = context.new_cdp_session(page)
        devtools.send("WebAuthn.enable")
        devtools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
        enter_password(page, url, name, password)
        page.wait_for_url("**/app/account/home")

        page.goto(f"{url}/app/account/second-factor/passkey")
        visitor.check()
        page.click("main button[type=submit]")
        page.fill("input[name=name]", "This laptop")
        page.click("main button[type=submit]")
        expect(page.locator("main li code")).to_have_count(10)
        page.click("main .buttons a")
        expect(page.get_by_role("rowheader", name="This laptop", exact=True)).to_be_visible()
        visitor.check()
        page.locator("main td a").press("Enter")
        page.fill("input[name=name]", "Old laptop")
        visitor.check()
        page.keyboard.press("Enter")
        expect(page.get_by_role("rowheader", name="Old laptop", exact=True)).to_be_visible()

        context.clear_cookies()
        enter_password(page, url, name, password)
        show = page.locator("main form:has(input[name=credential]) button")
        expect(show).to_be_visible()
        visitor.check()
        show.click()
        page.wait_for_url("**/app/account/home")

        page.goto(f"{url}/app/account/second-factor")
        page.click("main td button.danger")
        page.wait_for_url("**/app/account/confirm?*")
        visitor.check()
        show.click()
        page.wait_for_url("**/app/account/second-factor")
        page.click("main td button.danger")
        expect(page.get_by_role("table")).to_have_count(0)
        assert visitor.complaints == []


@pytest.mark.page
@pytest.mark.night
def test_an_uploaded_table_is_prepared_made_reviewed_and_downloaded(visit: Visit, product: Product) -> None:
    robin = visit("researcher")
    page = robin.go_and_check("/app/releases/")
    page.get_by_role("link", name="Upload a table").first.click()
    page.get_by_label("No", exact=True).check()
    page.get_by_role("button", name="Upload table").click()
    expect(page.locator(".error-summary")).to_be_focused()
    robin.check()
    releases.upload(page)
    address = releases.overview(page)

    releases.choose_columns(robin, page)
    releases.choose_criteria(robin, page)
    releases.without_search(product, address)
    page.get_by_role("button", name="Compare choices").click()
    expect(page.get_by_role("heading", name="Risk against loss")).to_be_visible()
    robin.check()

    page.goto(address)
    robin.check()
    page.get_by_role("button", name="Make table").click()
    expect(page.get_by_text("A reviewer decides next")).to_be_visible()
    page.reload()
    page.get_by_role("link", name="Table", exact=True).click()
    expect(page.get_by_role("region", name="Rows of your file")).to_contain_text("person 1")
    robin.check()

    theirs = releases.approve(visit("reviewer"), product, address)

    page.goto(address)
    robin.check()
    with zipfile.ZipFile(download(page.get_by_role("button", name="Download CSV"))) as file:
        released = file.read("release.csv").decode()
    assert len(released.splitlines()) == 401
    assert "person" not in released
    theirs.goto(f"{address}withdraw")
    theirs.get_by_label("Reason").fill("The ages are too fine.")
    theirs.get_by_role("button", name="Withdraw release").click()
    expect(theirs.get_by_text("The ages are too fine.")).to_be_visible()

    page.click("button[name=language][value=zh-hans]")
    for place in (f"{product.url}/app/releases/", f"{address}report", address):
        page.goto(place)
        expect(page.get_by_role("link", name="匿名发布", exact=True).first).to_be_visible()
        another_language(page)


OPEN = """
from intake.rehearsal import respondent_simulation
survey = Survey.objects.get(pk={pk})
opening.open_survey_now(survey, survey.owner, timezone.now())
respondent_simulation.simulate(survey, 2000, seed=4)
print(survey.address)
"""


@pytest.mark.night
def test_a_number_and_a_scale_are_built_answered_and_read_on_a_phone(visit: Visit, product: Product) -> None:
    work = plain(question("work", "employed", "none"))
    draft = draft_maker(product)(work, expected=2000, rehearsal=True, open_answers=False)
    robin = visit("researcher", viewport=PHONE)
    page = robin.go(f"{draft.path}/edit")
    page.get_by_role("button", name="Add a sensitive number").click()
    expect(page.locator(".block.open textarea[name=text]")).to_be_focused()
    page.keyboard.type("How much do you owe?")
    page.get_by_label("Highest number").fill("10000")
    page.get_by_label("Highest number").press("Tab")
    expect(page.get_by_label("Limit 4")).to_have_value("8000")
    expect(page.locator(".number-results")).to_contain_text("The limits divide all numbers into 5 classes.")
    expect(page.locator(".number-results")).to_contain_text("least that any method can have")
    robin.check()
    wait_until_saved(page)
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
    wait_until_saved(page)
    robin.go(f"{draft.path}/edit/protection")

    address = shell(product, OPEN.format(pk=draft.pk))
    visitor = visit(viewport=PHONE)
    respondent = Respondent(visitor.go(address))
    screens = respondent.screens({0: 0, 1: 1700, 2: 7})
    for heading in screens:
        if "content" in heading:
            expect(visitor.page.get_by_role("radio")).to_have_count(11)
            visitor.check()
    respondent.deliver()

    report = reports.run(robin, str(draft.pk))
    reports.wait_for_report(ruth := visit("reviewer", viewport=PHONE), report, "numbers")
    expect(ruth.page.get_by_role("heading", name=re.compile("^How much do you owe"))).to_be_visible()
    expect(ruth.page.get_by_text("2,000 or more").first).to_be_attached()
