"""The pages of the builder: whole, without a script, places, protection, languages, preview."""

import re
from itertools import pairwise
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from privacy.guarantee.presets import DEFAULT
from surveys.kinds.apply_protection_presets import set_preset
from tests import servers
from tests.browser.conftest import Draft, Make, Respondent, Visit, Visitor
from tests.browser.test_answering_understanding import flip, flips, made_up_question
from tests.browser.visiting import (
    another_language,
    block,
    box_of,
    collect_requests,
    open_fold,
    press_key_on,
    usual_sections,
    wait_until_saved,
)
from tests.product import Product
from tests.surveys.drafts import (
    bilingual_text,
    classes,
    crosswise,
    draft as written,
    drawn_question,
    grid,
    place,
    plain,
    question,
    region,
    sensitive,
    window,
)

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]


def test_panel_updates_while_a_slider_moves(visit: Visit, make: Make) -> None:
    draft = make(sensitive(question("theft"), question("debt"), question("lie")))
    page = visit("researcher").go(f"{draft.path}/edit/protection")
    verdict = page.locator("#results-0 .verdict")
    expect(verdict).to_contain_text("About 1 in 2 times")
    before = page.locator("#frontier svg").inner_html()
    slider = page.get_by_role("slider", name="True answers sent")
    slider.focus()
    for _ in range(25):
        page.keyboard.press("ArrowRight")
    expect(verdict).to_contain_text("About 3 in 4 times")
    expect(page.locator("input[name=keep-0]")).to_have_value("75")
    expect(page.locator("#results-0 .figures")).to_contain_text("25.00 times")  # 1 + .75/.25·8
    expect(page.locator("#person-results .verdict")).to_contain_text("56.9\u00a0%")  # 25/(19 + 25)
    assert page.locator("#frontier svg").inner_html() != before
    expect(slider).to_be_focused()
    wait_until_saved(page)
    assert draft.draft_json["sections"][0]["keep"] == "0.7500"
    page.get_by_text("Or set a limit").click()
    page.fill("input[name=rho2]", "20")
    # One of three is asked: odds of 4.75 less 1, times .5: 1.875/2.875.
    expect(page.locator("#proposals")).to_contain_text("65.21\u00a0%")
    page.locator("#proposal-0").get_by_role("button").first.click()
    expect(page.locator("#person-results .verdict")).to_contain_text("20.0\u00a0%")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("input[name=keep-0]")).to_have_value("75")


def test_translating_marks_missing_texts_and_saves(visit: Visit, draft: Draft) -> None:
    page = visit("researcher").go(f"{draft.path}/edit/translations")
    page.fill("#add-code", "french")
    page.get_by_role("option", name="français").first.click()
    page.get_by_role("button", name="Add", exact=True).click()
    pair = page.locator(".pair", has_text="age?")
    expect(pair.locator("[data-lack]")).to_be_visible()
    pair.locator("textarea").fill("Quel âge ?")
    expect(pair.locator("[data-lack]")).to_be_hidden()
    wait_until_saved(page)
    assert draft.draft_json["sections"][0]["questions"][0]["text"] == {"en": "age?", "fr": "Quel âge ?"}


def test_problem_links_lead_to_their_fields(robin: Visitor, make: Make) -> None:
    lacking = plain(question("age"), {**question("work"), "text": {}})
    draft = make(lacking, sensitive(question("debt")), languages=["en", "fr"])
    page = robin.go(f"{draft.path}/edit#sections-0-questions-1-text-en")
    expect(page.locator("#sections-0-questions-1-text-en")).to_be_focused()
    page.goto("about:blank")
    robin.go(f"{draft.path}/edit#sections-1-questions-0-text-fr")
    page.wait_for_url(re.compile("translations"))
    expect(page.locator("textarea#sections-1-questions-0-text-fr")).to_be_visible()


def test_preview_runs_to_the_end_and_sends_and_stores_nothing(visit: Visit, make: Make) -> None:
    """From the made-up question of the start page past numbers of both laws and a place."""
    draft = make(*usual_sections(), classes("debts", 0, 500, 1000), window("income"), place("home"))
    page = visit("researcher").go(f"{draft.path}/preview?width=phone")
    begin = page.frame_locator(".phone iframe").get_by_role("button", name="Agree and start")
    expect(begin).to_be_visible()
    page.goto(page.url.replace("?width=phone", "/page"))
    said = page.get_by_text("nothing is sent and nothing is stored").locator("visible=true")
    expect(said).not_to_have_count(0)
    start, sent, read = page.locator("h1:visible").inner_text(), collect_requests(page), ""
    made_up_question(page).click()
    flip(page)
    assert len(flips(page)) == 10
    respondent = Respondent(page)
    for heading in respondent.screens({}):
        read += heading
        assert page.evaluate("sessionStorage.length") == 0
    assert all(f"{name}?" in read for name in ("age", "drink", "debts", "income", "home"))
    another_language(page)
    respondent.send()
    page.get_by_role("heading", name="Preview: nothing was sent").wait_for()
    respondent.press_button("Exit this page")
    assert respondent.heading == start
    assert page.evaluate("sessionStorage.length") == 0
    assert sent == []


# --- Every page of the builder, with questions of every kind

OPEN = (
    "=start", "=section-1", "like", "theft", "of=use", "version", "moon", "tax", "debt", "income", "years", "home",
)  # fmt: skip
"""Of each kind; beside most of them stands one of the kind that is closed."""


def yes_no(name: str, **more: str) -> dict[str, Any]:
    return {**question(name, "no", "yes", **more), "form": "yes-no"}


def battery_statement(name: str) -> dict[str, Any]:
    """A statement of a battery."""
    return question(name, "no", "perhaps", "yes", form="scale", of="views")


def on_land() -> list[dict[str, Any]]:
    """Squares in the middle of Europe, on the map of land."""

    def shift_places(places: list[int]) -> list[int]:
        return [100 * each + 4500 * (at % 2) for at, each in enumerate(places)]

    return [
        {**cell, "at": shift_places(cell["at"]), "shape": [*map(shift_places, cell["shape"])]}
        for cell in grid()
    ]


def of_every_kind(make: Make) -> Draft:
    asked_of_all, disguised = usual_sections()
    asked_of_all["questions"] += [
        drawn_question("version"),
        drawn_question("wording"),
        yes_no("moon", known="0.0000"),
    ]
    asked_of_all["questions"][2]["none"] = bilingual_text("None of these")
    asked_of_all["questions"] += [battery_statement(name) for name in ("like", "know")]
    disguised["intro"], disguised["order"] = bilingual_text("Now about your work."), "random"
    disguised["questions"].append(yes_no("mars", known="0.0000"))
    north = region("north", "A3", "B3", "C3", "D3", near=4, odds="4.19")
    turned = bilingual_text("Was your mother born in autumn or winter?")
    return make(
        asked_of_all,
        disguised,
        crosswise("tax", turned_by="version", turned=turned),
        crosswise("fraud"),
        classes("debt", 0, 500, 1000, 2000, 5000, 10_000, unit={"en": "euros", "zh-hans": "欧元"}),
        window("income", expected=[100, 200, 500]),
        classes("hours", 0, 20, 40, 60, 80, rest=2, show_if={"work": ["employed"]}),
        classes("years", 0, 2, 4, 8, 16, 32, 60, wanted="quantiles", expected=[2, 5, 11]),
        place("home", north, region("south", "A1", "B1"), cells=on_land(), outline="land"),
        place("way", region("north", "A3", "B3")),
        languages=["en", "zh-hans"],
        expected=5000,
        open_answers=False,
    )


def open_details(page: Page) -> None:
    page.evaluate("document.querySelectorAll('#main details').forEach(e => { e.open = true })")


def test_every_builder_page_passes_the_page_checks(robin: Visitor, make: Make) -> None:
    draft = of_every_kind(make)
    ten = sensitive(*(question(f"q{number}") for number in range(10)), asked=9)
    arms = {"direct": "0.4400", "open_answers": False, "expected": 100}
    weak = make(plain(drawn_question("version")), ten, crosswise("tax", source=""), **arms)
    keys = "&".join(f"open={quote(key)}" for key in OPEN)
    pages = {
        "questions": f"{draft.path}/edit?{keys}",
        "protection": f"{draft.path}/edit/protection",
        "protection-weak": f"{weak.path}/edit/protection",
        "languages": f"{draft.path}/edit/translations",
        "cells": f"{draft.path}/edit/cells?key=home",
        "copy": f"{draft.path}/edit/copy",
    }
    for name, path in pages.items():
        page = robin.go(path)
        open_details(page)
        if name == "questions":
            expect(page.locator(".open")).to_have_count(len(OPEN))
        robin.check()
    robin.go_and_check(f"{draft.path}/edit/appearance", within="main .part:not(#seen)")
    # Both together are seen where a survey is made.
    for width in ("phone", "desktop"):
        robin.go_and_check(f"{draft.path}/preview?width={width}", within="main > .flow")
    robin.go("/app/limits").click("button[name=language][value=zh-hans]")
    for name in ("questions", "protection", "languages"):
        page = robin.go(pages[name])
        expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
        open_details(page)
        another_language(page)


def make_draft_with_plan(make: Make) -> Draft:
    linear = {"name": "H3", "kind": "coefficient", "item": "theft=yes", "model": "linear"}
    hypotheses = [
        {"name": "H1", "kind": "share", "item": "theft=yes", "than": "0.1000"},
        {"name": "H2", "kind": "version", "item": "theft=yes", "by": "gone"},
        {**linear, "covariates": ["age", "arm", "age*arm"], "of": "age=old*arm"},
    ]
    covariates = plain(question("age", "young", "old"), drawn_question("version"))
    arms = {"direct": "0.4400", "open_answers": False, "expected": 2000}
    plan = {"salt": "0" * 32, "hypotheses": hypotheses}
    return make(covariates, sensitive(yes_no("theft")), plan=plan, **arms)


def test_every_hypothesis_page_passes_the_page_checks(robin: Visitor, make: Make) -> None:
    draft = make_draft_with_plan(make)
    none_yet = make(*usual_sections())
    for path in (f"{none_yet.path}/edit/study", f"{draft.path}/edit/study?hypothesis=coefficient"):
        open_details(robin.go(path))
        robin.check(within="main")
    for path in (f"{draft.path}/edit/study?edit=H3", f"{draft.path}/hypotheses"):
        open_details(robin.go(path))
        robin.check()


def test_builder_works_without_a_script(visit: Visit, draft: Draft) -> None:
    page = visit("researcher", java_script_enabled=False).go(f"{draft.path}/edit")
    page.get_by_role("link", name="age?").click()
    page.fill("textarea[name=text]", "How old?")
    page.get_by_label("Kind", exact=True).select_option("scale")
    page.get_by_role("button", name="Change the kind").click()
    page.fill("input[name=label-0]", "very young")
    page.get_by_role("button", name="Add an answer").click()
    page.fill("input[name=label-2]", "very old")
    page.get_by_role("button", name="Done").click()
    age = draft.draft_json["sections"][0]["questions"][0]
    assert (age["form"], age["text"]) == ("scale", {"en": "How old?"})
    assert [choice["label"]["en"] for choice in age["choices"]] == ["very young", "old", "very old"]
    block(page, "How old?").get_by_role("button", name="down").click()
    assert draft.names[0][:2] == ["work", "age"]
    before = draft.draft_json
    page.locator("#section-1").get_by_role("button", name="Delete section 2").click()
    expect(page.locator(".sheet")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    assert draft.draft_json == before
    page.locator(".builder-bar").get_by_role("link", name="Protection").click()
    page.fill("input[name=keep-1]", "30")
    page.get_by_role("button", name="Save and show").click()
    expect(page.locator("#results-1 .verdict")).to_contain_text("About 3 in 10 times")
    assert draft.draft_json["sections"][1]["keep"] == "0.3000"


# --- Sensitive places in the builder


def drawn_regions(draft: Draft, section: int = 1) -> dict[str, list[str]]:
    regions: list[dict[str, Any]] = draft.draft_json["sections"][section]["questions"][0]["regions"]
    return {each["name"]: each["cells"] for each in regions}


def wait_for_drawn_regions(draft: Draft, regions: dict[str, list[str]]) -> None:
    """Autosave stores it soon; what the page says of an earlier save does not tell."""
    servers.wait(lambda: drawn_regions(draft) == regions, f"{regions}")


def with_place(make: Make, **more: Any) -> Draft:
    work = plain(question("work", "employed", "none"))
    return make(work, place("home", **more), sensitive(question("theft")))


def named_cell(page: Page, name: str) -> Locator:
    return page.locator(f'[data-cell="{name}"]')


def centre_of(of: Locator) -> tuple[float, float]:
    box = box_of(of)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_regions_are_drawn_with_the_pointer(visit: Visit, make: Make) -> None:
    draft = with_place(make)
    page = visit("researcher").go(f"{draft.path}/edit?open=home")
    page.get_by_role("radio", name="2 South").check()
    # On one of its own the stroke takes away.
    named_cell(page, "A1").click()
    wait_for_drawn_regions(draft, {"north": ["A3", "B3", "C3", "D3"], "south": ["B1"]})
    # Over the cells of another region: they change sides.
    page.mouse.move(*centre_of(named_cell(page, "A1")))
    page.mouse.down()
    for name in ("A2", "A3", "B3"):
        page.mouse.move(*centre_of(named_cell(page, name)), steps=4)
    page.mouse.up()
    expect(page.locator('[name=in-0][value="A3"]')).not_to_be_checked()
    expect(page.locator('[name=in-1][value="A3"]')).to_be_checked()
    expect(page.locator("[data-count]").nth(1)).to_have_text("5")
    wait_for_drawn_regions(draft, {"north": ["C3", "D3"], "south": ["A1", "B1", "A2", "A3", "B3"]})
    expect(page.locator(".number-results tbody tr").nth(1)).to_contain_text("5")


def test_a_tick_moves_a_cell_out_of_another_region(visit: Visit, make: Make) -> None:
    draft = with_place(make)
    page = visit("researcher").go(f"{draft.path}/edit?open=home")
    open_fold(page, "Cells of region 2")
    page.locator('[name=in-1][value="A3"]').check()
    expect(page.locator('[name=in-0][value="A3"]')).not_to_be_checked()
    expect(named_cell(page, "A3")).to_have_attribute("data-region", "1")
    wait_for_drawn_regions(draft, {"north": ["B3", "C3", "D3"], "south": ["A1", "B1", "A3"]})


def test_place_form_looks_like_the_others(robin: Visitor, make: Make) -> None:
    regions = [region("north", "A3", "B3", "C3", "D3", near=4, odds="4.19"), region("south", "A1", "B1")]
    draft = make(plain(question("work")), place("home", *regions))
    page = robin.go(f"{draft.path}/edit?open=home")
    assert page.locator("[name=draws]").first.evaluate("e => getComputedStyle(e).appearance") == "none"
    # The levels in two rows: near cells beside odds.
    fields = [page.locator(f"[name={name}]") for name in ("near", "odds", "own-near", "own-odds")]
    tops = [box["y"] + box["height"] / 2 for box in map(box_of, fields)]
    assert tops[0] == tops[1] < tops[2] == tops[3]
    robin.go(f"{draft.path}/edit/cells?key=home")
    cards = [
        box_of(page.get_by_role("region", name=name).locator("xpath=self::*[contains(@class, 'card')]"))
        for name in ("A grid", "A map of your own", "A list of names")
    ]
    assert all(one["y"] + one["height"] < other["y"] for one, other in pairwise(cards))


def test_many_cells_become_lines_written_by_the_map(visit: Visit, make: Make) -> None:
    draft = with_place(make, cells=[{**each, "shape": [[0, 0, 0]]} for each in grid(10, 60)])
    page = visit("researcher").go(f"{draft.path}/edit?open=home")
    expect(page.locator(".block.open input[type=checkbox]")).to_have_count(0)
    open_fold(page, "Cells of region 2")
    lines = page.locator("textarea[name=in-1]")
    expect(lines).to_have_value("A1\nB1")
    page.get_by_role("radio", name="2 South").check()
    named_cell(page, "E9").click()
    expect(lines).to_have_value("A1\nB1\nE9")
    wait_for_drawn_regions(draft, {"north": ["A3", "B3", "C3", "D3"], "south": ["A1", "B1", "E9"]})


def test_protection_is_chosen_in_words(robin: Visitor, product: Product) -> None:
    sections = [sensitive(*(question(f"p{part}q{row}") for row in range(4))) for part in range(2)]
    draft = Draft(product, set_preset(written(*sections, expected=1000), DEFAULT).as_json())
    page = robin.go(f"{draft.path}/edit/protection")
    # A preset is chosen by keyboard and taken back.
    chosen, verdict = page.locator("#presets [aria-pressed=true]"), page.locator("#person-results .verdict")
    expect(page.get_by_text("ε", exact=True).first).to_be_hidden()
    expect(chosen).to_contain_text("Balanced")
    press_key_on(page, page.get_by_role("button", name="Use this protection Stronger"))
    expect(chosen).to_contain_text("Stronger")
    expect(verdict).to_contain_text("25.0\u00a0%")
    assert {section["preset"] for section in draft.draft_json["sections"]} == {"stronger"}
    page.get_by_role("button", name="Undo").click()
    expect(chosen).to_contain_text("Balanced")
    page.wait_for_load_state()  # it is another page, whose fields do nothing before its scripts
    # Where half the people are expected to say yes, the same margin is a smaller part of the share.
    relative, field = page.locator("#relative-0-0"), page.get_by_label("Expected share (%): p0q0?")
    before = relative.inner_text()
    field.fill("50")
    expect(relative).not_to_have_text(before)
    expect(field).to_be_focused()
    wait_until_saved(page)
    assert draft.draft_json["sections"][0]["questions"][0]["share"] == "0.5000"
    assert "preset" in draft.draft_json["sections"][0]
    # A merging is named and agreed to before it happens.
    page.get_by_text("Or set a limit").click()
    merging = page.locator("#proposals > ul > li", has_text="are merged into one").first
    button = merging.get_by_role("button", name="Change the sections")
    expect(button).to_be_hidden()
    robin.check()
    shown = merging.locator(".preview dd").all_inner_texts()
    merging.get_by_text("Apply …").click()
    button.click()
    expect(verdict).to_contain_text(shown[0])
    table = page.locator("#person-results tbody tr td:last-of-type, #person-results tbody td")
    for words in shown[1:]:
        expect(table.filter(has_text=words).first).to_be_visible()
    assert len(draft.draft_json["sections"]) == 1


def test_a_language_is_found_by_any_of_its_names_and_chosen_by_keyboard(visit: Visit, make: Make) -> None:
    page = visit("researcher").go(f"{make(sensitive(question('debt'))).path}/edit/translations")
    field = page.get_by_role("combobox", name="Add a language")
    options = page.get_by_role("option")
    languages = {"germ": "Deutsch", "francais": "français", "(pt)": "Português", "日本": "日本語"}
    for typed, found in languages.items():
        field.fill(typed)
        expect(options.first).to_contain_text(found)
    field.fill("portug")
    expect(options).to_have_count(2)
    field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value("Português Brasileiro · Brazilian Portuguese (pt-br)")
    expect(options).to_have_count(0)
    field.press("Enter")
    page.wait_for_url("**/translations?to=pt-br")
    field.fill("nonsense")
    expect(page.get_by_text("No language matches. Give its code.")).to_be_visible()


def test_placeholder_button_completes_a_sentence_and_its_count(robin: Visitor, make: Make) -> None:
    draft = make(sensitive(question("debt")), languages=["en", "pt"])
    page = robin.go(f"{draft.path}/edit/translations?to=pt")
    # Of all sentences one is enough.
    robin.check(within="#phrases-pt > :not([role=group]), #phrase-minutes")
    progress = page.locator("[data-progress]")
    expect(progress).to_contain_text("0 of")
    row = page.locator("#phrase-minutes")
    field = row.locator("[name=words]")
    field.fill("Cerca de ")
    expect(page.locator("[data-saved]")).to_contain_text("{minutes} is missing")
    field.press("End")
    row.get_by_role("button", name="Insert {minutes}").click()
    expect(field).to_have_value("Cerca de {minutes}")
    wait_until_saved(page)
    assert draft.draft_json["phrases"] == {"minutes": {"pt": "Cerca de %(minutes)s"}}
    field.blur()
    expect(progress).to_contain_text("1 of")


PRESS = """(presses) => {
    const stopped = [];
    addEventListener('submit', event => { stopped.push(event.defaultPrevented); event.preventDefault(); });
    const buttons = document.querySelectorAll('main form[method=post] button');
    for (const place of presses) {
        const button = buttons[place];
        button.form.noValidate = true;
        button.form.requestSubmit(button);
    }
    return stopped;
}"""
"""Presses buttons of forms, by their places, in a page that stays; returns for each whether its form was held back."""


def test_form_pressed_twice_is_sent_once(robin: Visitor, make: Make) -> None:
    make(plain(question("age")), title={"en": "The other"})
    page = robin.go(f"{make(plain(question('work'))).path}/edit/copy")
    assert page.evaluate(PRESS, [0, 0]) == [False, True]
    robin.go("/app/surveys/new")
    assert page.evaluate(PRESS, [0, 1, 1]) == [False, False, True]
