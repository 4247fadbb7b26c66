"""Sensitive numbers on the builder's pages: adding, editing, refusing, moving, undoing."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.commands import section_digest
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest
from builder.editing.translation import TranslationPart
from builder.protection.settings import apply_quick_fix
from importing import candor_format
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.section import WindowSection
from surveys.kinds.number.draft import OWN_KEYS
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import Survey
from tests.builder.conftest import HTMX, SCRIPT, act, of_question
from tests.builder.written import classes, plain, question, sensitive, stored, window
from tests.cast import As

pytestmark = pytest.mark.page
DEBT = (0, 500, 1000, 2000, 5000, 10_000)


@pytest.fixture
def client(owner: Person, signed_in_as: As) -> Client:
    return signed_in_as(owner)


@pytest.fixture
def survey(draft: Survey) -> Survey:
    draft.draft = stored(
        plain(question("work", "employed", "none")),
        classes("debt", *DEBT, unit={"en": "euros"}),
        window("income"),
        sensitive(question("theft")),
        languages=["en", "zh-hans"],
        expected=5000,
    )
    draft.save()
    return draft


def save(
    client: Client,
    survey: Survey,
    key: str,
    do: str = "",
    headers: Any = None,
    **sent: object,
) -> Any:
    fields = {**of_question(reread(survey), key), "do": do, **sent}
    return client.post(f"/app/surveys/{survey.pk}/edit/save", fields, headers=headers if do else SCRIPT)


def section(survey: Survey, number: int) -> Any:
    survey.refresh_from_db()
    return load_questionnaire(survey).as_json()["sections"][number]


def shown(client: Client, survey: Survey, **query: object) -> str:
    return client.get(f"/app/surveys/{survey.pk}/edit", query).content.decode()  # type: ignore[arg-type]


def test_a_number_is_added_with_a_section_of_its_own(client: Client, survey: Survey) -> None:
    """At the end, or below the section where it was asked for; limits and keep are proposed."""
    page = act(client, survey, "section-add", kind="number", headers=HTMX)
    assert 'name="limit-0"' in page.content.decode()
    added = section(survey, 4)
    assert added["questions"][0]["limits"] == [20, 40, 60, 80]
    assert isinstance(freeze_design(survey.draft).sections[4], ClassesSection)
    seen = section_digest(load_questionnaire(survey).sections[0])
    act(client, survey, "add", kind="number", section=0, seen=seen)
    assert [each.kind for each in load_questionnaire(reread(survey)).sections] == [
        "plain",
        "number",
        "number",
        "number",
        "unrelated-question",
        "number",
    ]


def test_words_names_and_unit_are_saved_in_the_language_one_writes_in(client: Client, survey: Survey) -> None:
    assert save(client, survey, "debt", text="How much do you owe?", unit="dollars").status_code == 200
    debt = section(survey, 1)["questions"][0]
    assert debt["text"] == {"en": "How much do you owe?"}
    assert debt["unit"] == {"en": "dollars"}
    page = client.get(f"/app/surveys/{survey.pk}/edit/translations").content.decode()
    assert 'id="sections-1-questions-0-unit-zh-hans"' in page
    part = TranslationPart("debt", "en", "zh-hans")
    sent = {"part": "debt", "from": "en", "in": "zh-hans", "text": "您欠多少钱？", "unit": "美元"}
    sent["base"] = part_digest(part, load_questionnaire(survey))
    client.post(f"/app/surveys/{survey.pk}/edit/translations/save", sent, headers=SCRIPT)
    assert section(survey, 1)["questions"][0]["unit"] == {"en": "dollars", "zh-hans": "美元"}

    save(client, survey, "debt", "rename", name="owed")
    assert section(survey, 1)["questions"][0]["name"] == "owed"


def test_range_and_limits_are_saved(client: Client, survey: Survey) -> None:
    sent = {"low": "-100", "high": "900", "step": "50", "limit-0": "0", "limit-1": "100"}
    answer = save(client, survey, "debt", **sent, **{"limit-2": "400", "limit-3": "850"})
    assert answer.status_code == 200, answer.content
    debt = section(survey, 1)["questions"][0]
    assert (debt["low"], debt["step"], debt["limits"]) == (-100, 50, [0, 100, 400, 850])
    freeze_design(survey.draft)


def test_a_window_is_saved(client: Client, survey: Survey) -> None:
    assert save(client, survey, "income", high="1008", width="25", uniform="60.5").status_code == 200
    income = section(survey, 2)["questions"][0]
    assert (income["values"], income["window"], income["uniform"]) == (1009, 12, "0.6050")


@pytest.mark.at_push(3)
@pytest.mark.parametrize(
    ("key", "sent", "why"),
    [
        ("debt", {"limit-1": "400"}, "Limit 2: 400 does not lie above 500."),
        ("debt", {"limit-0": "0"}, "Limit 1: 0 does not lie above 0."),
        ("debt", {"limit-3": "10001"}, "Highest number: 10000 lies below the last limit, 10001."),
        ("debt", {"step": "500", "limit-0": "700"}, "Limit 1: 700 is no multiple of the step 500"),
        ("debt", {"step": "300"}, "Step: From 0 to 10,000 is not a whole number of steps of 300. The last"),
        ("debt", {"step": "0"}, "Step: At least 1."),
        ("debt", {"high": "-5"}, "Highest number: It must lie above the lowest number, 0."),
        ("debt", {"low": "x"}, "Lowest number: Enter a whole number."),
        ("debt", {"low": ""}, "Lowest number: This field is required."),
        ("debt", {"high": "2000000000"}, "Highest number: Ensure this value is less than or equal to"),
        ("debt", {"quarter-0": "100"}, "Half of them are below: Give all three, or none."),
        (
            "debt",
            {"quarter-0": "100", "quarter-1": "90", "quarter-2": "200"},
            "Half of them are below: It must lie between 100 and 10,000.",
        ),
        ("income", {"width": "200"}, "Numbers in the window: An odd number from 1 to 999."),
        ("income", {"width": "1001"}, "Numbers in the window: An odd number from 1 to 999."),
        ("income", {"width": "11"}, "share the factor 11, so a part of the distribution would be lost. "),
        ("income", {"width": "77"}, "The nearest that does not: 79."),
        (
            "income",
            {"uniform": "95"},
            "Random number sent (%): At this percentage a random number hides even",
        ),
        ("income", {"width": "997"}, "Numbers in the window: So wide a window hides even the roughest"),
        ("income", {"high": "1"}, "Step: These are 2 numbers; a window needs 3 to 65,000."),
        ("income", {"high": "70000"}, "Step: These are 70,001 numbers; a window needs 3 to 65,000."),
    ],
)
def test_what_does_not_fit_is_refused_at_its_field(
    client: Client, survey: Survey, key: str, sent: dict[str, str], why: str
) -> None:
    before = load_questionnaire(survey)
    answer = save(client, survey, key, **sent)
    assert answer.status_code == 422
    assert why in answer.json()["said"]
    assert load_questionnaire(reread(survey)) == before
    page = client.post(f"/app/surveys/{survey.pk}/edit/save", {**of_question(survey, key), **sent})
    assert page.status_code == 422
    assert "errorlist" in page.content.decode()


def test_a_limit_is_added_and_deleted_and_the_deletion_undone(client: Client, survey: Survey) -> None:
    save(client, survey, "debt", "limit-add 1")
    assert section(survey, 1)["questions"][0]["limits"] == [500, 1000, 1500, 2000, 5000]
    save(client, survey, "debt", "limit-add")
    assert section(survey, 1)["questions"][0]["limits"][-1] == 7500
    page = save(client, survey, "debt", "limit-remove 2", headers=HTMX)
    assert section(survey, 1)["questions"][0]["limits"][:3] == [500, 1000, 2000]
    act(client, survey, "undo", removed=removed_in(page))
    assert section(survey, 1)["questions"][0]["limits"][:3] == [500, 1000, 1500]


def test_what_cannot_be_done_with_limits_is_said(client: Client, survey: Survey) -> None:
    for points, do, why in (
        ((0, 1, 2), "limit-remove 0", "A number needs a limit"),
        ((0, 1, 2), "limit-remove 7", "This limit is not there any more."),
        ((0, 1, 2), "limit-add", "There is no number left between these limits."),
        (tuple(range(0, 2200, 100)), "limit-add", "A number has at most 20 limits."),
    ):
        survey.draft = stored(classes("debt", *points))
        survey.save()
        page = save(client, survey, "debt", do, headers=HTMX)
        assert why in page.content.decode()
        assert section(survey, 0)["questions"][0]["limits"] == list(points[1:-1]), why


def test_another_limit_keeps_the_promise(client: Client, survey: Survey) -> None:
    """Gamma of 5 classes at p = .8, m = 1: 1 + 2 * .8 / .2 = 9."""
    save(client, survey, "debt", "limit-add")
    law = freeze_design(reread(survey).draft).sections[1].law
    assert law is not None
    assert 8.9 < law.gamma <= 9


def test_what_one_wants_to_learn_decides_the_law(client: Client, survey: Survey) -> None:
    expected = {"quarter-0": "300", "quarter-1": "1000", "quarter-2": "3000"}
    save(client, survey, "debt", "wanted", wanted="quantiles", **expected)
    debt = section(survey, 1)["questions"][0]
    assert (debt["wanted"], debt["expected"]) == ("quantiles", [300, 1000, 3000])
    assert sum(each <= 3000 for each in debt["limits"]) > len(debt["limits"]) / 2
    save(client, survey, "debt", "wanted", wanted="mean")
    debt = section(survey, 1)["questions"][0]
    assert debt["rest"]
    assert debt["wanted"] == "mean"
    page = save(client, survey, "debt", "window", headers=HTMX)
    assert isinstance(freeze_design(reread(survey).draft).sections[1], WindowSection)
    assert "keep" not in section(survey, 1)
    act(client, survey, "undo", removed=removed_in(page))
    assert section(survey, 1)["questions"][0]["rest"]


def test_trying_other_wishes_loses_nothing(client: Client, survey: Survey) -> None:
    """Somebody goes through the list by arrow keys; only another range makes a new proposal."""
    before = section(survey, 1)
    save(client, survey, "debt", "wanted", wanted="mean")
    save(client, survey, "debt", "window")
    for wanted in ("quantiles", "shares"):
        save(client, survey, "debt", "wanted", wanted=wanted)
    after = section(survey, 1)
    assert after["keep"] == before["keep"]
    assert {**after["questions"][0], "earlier": None} == {**before["questions"][0], "earlier": None}
    save(client, survey, "debt", high="20000")
    save(client, survey, "debt", "window")
    assert section(survey, 1)["questions"][0]["values"] == 20_001
    save(client, survey, "debt", high="30000")
    save(client, survey, "debt", "wanted", wanted="shares")
    assert section(survey, 1)["questions"][0]["limits"] == [5000, 10_000, 15_000, 20_000, 25_000]
    save(client, survey, "debt", **{"limit-0": "100"})
    save(client, survey, "debt", "propose")
    assert section(survey, 1)["questions"][0]["limits"] == [5000, 10_000, 15_000, 20_000, 25_000]


def test_limits_follow_the_range_while_nobody_changes_one(client: Client, survey: Survey) -> None:
    """Also where the page still shows those of the range before."""
    act(client, survey, "section-add", kind="number")
    key = section(survey, 4)["questions"][0]["name"]
    stale = of_question(reread(survey), key)
    save(client, survey, key, high="1000")
    assert section(survey, 4)["questions"][0]["limits"] == [200, 400, 600, 800]
    now = of_question(reread(survey), key)
    client.post(
        f"/app/surveys/{survey.pk}/edit/save", {**stale, "base": now["base"], "high": "500"}, headers=SCRIPT
    )
    assert section(survey, 4)["questions"][0]["limits"] == [100, 200, 300, 400]
    save(client, survey, key, **{"limit-0": "50"})
    save(client, survey, key, high="1000")
    assert section(survey, 4)["questions"][0]["limits"] == [50, 200, 300, 400]


def test_a_scale_has_a_class_for_each_step_and_an_average_without_a_rest(
    client: Client, survey: Survey
) -> None:
    act(client, survey, "section-add", kind="number")
    key = section(survey, 4)["questions"][0]["name"]
    save(client, survey, key, "wanted", wanted="scale")
    made = section(survey, 4)["questions"][0]
    assert (made["low"], made["high"], made["rest"]) == (0, 10, 0)
    assert made["limits"] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    page = save(client, survey, "debt", "wanted", wanted="scale", headers=HTMX).content.decode()
    assert "A scale has at most 21 steps; these are 10,001." in page


def test_what_the_planner_chose_is_changed_under_details_alone(client: Client, survey: Survey) -> None:
    """One of 4 limits at p = .8 is gamma 9; with two drawn p = 8/11, with R the bit's p' = 8/10."""
    save(client, survey, "debt", cuts="2", rest="3")
    made = section(survey, 1)
    assert (made["questions"][0]["cuts"], made["questions"][0]["rest"]) == (2, 3)
    assert (made["keep"], made["keep_rest"]) == ("0.7272", "0.8000")
    assert made["questions"][0]["wanted"] == "shares"
    assert "Limits that the device draws" in save(client, survey, "debt", cuts="5").json()["said"]
    assert "Records of twenty" in save(client, survey, "debt", rest="11").json()["said"]


def test_a_wide_class_and_too_few_answers_for_the_average_are_said_and_mended(
    client: Client, survey: Survey
) -> None:
    """R = 2 of 20: 200 records with a class are 223 answers. Half of the range is above the last limit."""
    survey.draft = stored(classes("debt", *DEBT, rest=2), expected=200)
    survey.save()
    page = client.get(f"/app/surveys/{survey.pk}/edit/protection").content.decode()
    assert "With 200 answers the average is withheld: 223 are needed" in page
    assert "The class from 5,000 to 10,000 governs the margin of error of the average." in page
    [made] = apply_quick_fix(load_questionnaire(survey), "widest 0").as_json()["sections"]
    assert made["questions"][0]["limits"] == [500, 1000, 2000, 3500, 5000, 6250, 7500]


def test_a_law_that_cannot_be_had_is_refused_in_words(client: Client, survey: Survey) -> None:
    save(client, survey, "debt", high="100000")
    page = save(client, survey, "debt", "window", headers=HTMX)
    assert "100001 numbers; a window has at most 65000. Take larger steps." in page.content.decode()
    assert section(survey, 1)["questions"][0]["law"] == "classes"


def test_an_unknown_wish_is_refused(client: Client, survey: Survey) -> None:
    before = load_questionnaire(survey)
    assert save(client, survey, "debt", "wanted", wanted="everything", headers=HTMX).status_code == 422
    assert load_questionnaire(reread(survey)) == before


def test_the_errors_move_with_the_values_and_nothing_is_stored(client: Client, survey: Survey) -> None:
    before, address = load_questionnaire(survey), f"/app/surveys/{survey.pk}/edit/number"
    fields = of_question(survey, "debt")
    now = client.post(address, fields).content.decode()
    later = client.post(address, {**fields, "limit-0": "100"}).content.decode()
    assert "<svg" in now
    assert now != later
    assert client.post(address, {**fields, "limit-0": "9000"}).status_code == 204
    assert client.post(address, {**of_question(survey, "theft")}).status_code == 204
    assert client.post(address, {**fields, "part": "lost"}).status_code == 204
    assert load_questionnaire(reread(survey)) == before


def test_it_moves_is_copied_and_deleted_with_its_section(client: Client, survey: Survey) -> None:
    act(client, survey, "up", key="income")
    assert [section(survey, at)["questions"][0]["name"] for at in (1, 2)] == ["income", "debt"]
    act(client, survey, "down", key="income")
    act(client, survey, "duplicate", key="debt")
    names = [each.questions[0].name for each in load_questionnaire(reread(survey)).sections]
    assert names == ["work", "debt", "debt-2", "income", "theft"]
    page = act(client, survey, "delete", key="debt", headers=HTMX)
    assert len(load_questionnaire(reread(survey)).sections) == 4
    act(client, survey, "undo", removed=removed_in(page))
    assert section(survey, 1)["questions"][0]["name"] == "debt"


def test_no_other_question_comes_into_its_section_and_it_into_none(client: Client, survey: Survey) -> None:
    before = load_questionnaire(survey)
    for sent in (
        {"key": "work", "section": 1, "row": 0},
        {"key": "debt", "section": 0, "row": 0},
    ):
        act(client, survey, "move", **sent)
        assert load_questionnaire(reread(survey)) == before
    # Moved by its buttons, a question passes over the numbers.
    act(client, survey, "down", key="work")
    assert [each["name"] for each in section(survey, 3)["questions"]] == ["work", "theft"]


def test_a_rule_hides_it_and_nothing_may_depend_on_it(client: Client, survey: Survey) -> None:
    save(client, survey, "debt", "rule-add", ruling="work")
    assert section(survey, 1)["questions"][0]["show_if"] == {"work": ["employed", "none"]}
    save(client, survey, "debt", **{"rule-0": "employed"})
    assert section(survey, 1)["questions"][0]["show_if"] == {"work": ["employed"]}
    page = save(client, survey, "theft", "rule-add", ruling="debt", headers=HTMX)
    assert "Choose a question above this one that is not disguised." in page.content.decode()


def test_it_has_no_answers_to_choose_from(client: Client, survey: Survey) -> None:
    before = load_questionnaire(survey)
    for do in ("kind", "answer-add", "answer-remove 0", "answer-up 0", "prefer-not"):
        page = save(client, survey, "debt", do, kind="one", headers=HTMX)
        assert "This question has no answers to choose from." in page.content.decode(), do
        assert load_questionnaire(reread(survey)) == before, do


def test_the_outline_says_its_kind_in_a_line(client: Client, survey: Survey) -> None:
    page = shown(client, survey)
    assert "Number from 0 to 10,000 euros" in page
    assert "The share of people at or above chosen numbers" in page
    assert "Number from 0 to 1,000" in page
    assert "A shape to look at (window)" in page
    assert "The device draws 1 of the 4 limits." in page


def test_two_people_who_edit_the_same_number_see_both_versions(client: Client, survey: Survey) -> None:
    base = of_question(survey, "debt")
    save(client, survey, "debt", **{"limit-0": "600"})
    late = client.post(f"/app/surveys/{survey.pk}/edit/save", {**base, "limit-0": "700"}, headers=SCRIPT)
    assert late.status_code == 409
    assert "600" in late.content.decode()


def test_an_own_file_holds_numbers_without_the_builders_own_keys(client: Client, survey: Survey) -> None:
    expected = {"quarter-0": "300", "quarter-1": "1000", "quarter-2": "3000"}
    save(client, survey, "debt", "wanted", wanted="quantiles", **expected)
    draft = load_questionnaire(reread(survey)).as_json()
    again = candor_format.read(candor_format.write(draft))
    assert "expected" not in again["sections"][1]["questions"][0]
    bare = {key: value for key, value in draft["sections"][1]["questions"][0].items() if key not in OWN_KEYS}
    assert again["sections"][1] == {**draft["sections"][1], "questions": [bare]}
    assert again["sections"][2] == draft["sections"][2]


def test_a_survey_copies_a_number_from_another(client: Client, survey: Survey, owner: Person) -> None:
    other = Survey.objects.create(owner=owner, draft=stored(plain(question("age"))))
    sent = {"section": f"{survey.pk}:1", "sure": "on"}
    client.post(f"/app/surveys/{other.pk}/edit/copy", sent)
    assert section(other, 1)["questions"][0]["limits"] == list(DEBT[1:-1])


def test_numbers_of_a_strange_file_open_and_can_be_mended(client: Client, survey: Survey) -> None:
    strange: dict[str, Any] = {"kind": "number", "questions": [{"law": "window", "values": 7, "window": 40}]}
    survey.draft = {"sections": [strange, {"kind": "number"}, {"kind": "number", "questions": [{}, {}]}]}
    survey.save()
    page = shown(client, survey, open=["q1", "q2"])
    assert "Correct the numbers to see this." in page
    assert len(load_questionnaire(survey).sections) == 3
    assert save(client, survey, "q1", width="3").status_code == 200
    assert section(survey, 0)["questions"][0]["window"] == 1


def reread(survey: Survey) -> Survey:
    survey.refresh_from_db()
    return survey


def removed_in(page: Any) -> str:
    found = re.search(r'name="removed" value="([^"]+)"', page.content.decode())
    assert found
    return found[1]
