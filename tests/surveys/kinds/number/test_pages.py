"""Sensitive numbers on the builder's pages: adding, editing, refusing, moving, undoing."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.commands import section_digest
from builder.protection.settings_and_quick_fixes import apply_quick_fix
from importing import candor_format
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.section import WindowSection
from surveys.kinds.number.draft import OWN_KEYS
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.models import Survey
from tests.builder.conftest import (
    HTMX,
    SCRIPT,
    of_question,
    post_act,
    refusal,
    removed_in,
    save,
    saved_draft,
    section,
    stored_question,
    translate,
)
from tests.surveys.conftest import page_text, post, update_row
from tests.surveys.drafts import (
    classes,
    names,
    not_none,
    plain,
    put,
    question,
    sensitive,
    stored_draft,
    window,
)

pytestmark = pytest.mark.page
DEBT = (0, 500, 1000, 2000, 5000, 10_000)
QUARTERS = {"quarter-0": "300", "quarter-1": "1000", "quarter-2": "3000"}


@pytest.fixture
def survey(draft: Survey) -> Survey:
    return put(
        draft,
        plain(question("work", "employed", "none")),
        classes("debt", *DEBT, unit={"en": "euros"}),
        window("income"),
        sensitive(question("theft")),
        languages=["en", "zh-hans"],
        expected=5000,
    )


def limits(survey: Survey, number: int = 1) -> Any:
    return stored_question(survey, number)["limits"]


def test_a_number_is_added_with_a_section_of_its_own(client: Client, survey: Survey) -> None:
    """At the end, or below the section where it was asked for; limits and keep are proposed."""
    assert 'name="limit-0"' in post_act(client, survey, "section-add", kind="number", headers=HTMX).text
    assert limits(survey, 4) == [20, 40, 60, 80]
    assert isinstance(freeze_design(survey.draft).sections[4], ClassesSection)
    seen = section_digest(saved_draft(survey).sections[0])
    post_act(client, survey, "add", kind="number", section=0, seen=seen)
    kinds = [each.kind for each in saved_draft(survey).sections]
    assert kinds == ["plain", "number", "number", "number", "unrelated-question", "number"]


def test_words_names_and_unit_are_saved_in_the_language_one_writes_in(client: Client, survey: Survey) -> None:
    assert save(client, survey, "debt", text="How much do you owe?", unit="dollars").status_code == 200
    debt = stored_question(survey)
    assert (debt["text"], debt["unit"]) == ({"en": "How much do you owe?"}, {"en": "dollars"})
    assert 'id="sections-1-questions-0-unit-zh-hans"' in page_text(client, survey, "edit/translations")
    translate(client, survey, "debt", "zh-hans", text="您欠多少钱？", unit="美元")
    assert stored_question(survey)["unit"] == {"en": "dollars", "zh-hans": "美元"}
    save(client, survey, "debt", "rename", name="owed")
    assert stored_question(survey)["name"] == "owed"


def test_range_limits_and_window_are_saved_and_two_people_see_both(client: Client, survey: Survey) -> None:
    base = of_question(survey, "debt")
    sent = {"low": "-100", "high": "900", "step": "50", "limit-0": "0", "limit-1": "100"}
    answer = save(client, survey, "debt", **sent, **{"limit-2": "400", "limit-3": "850"})
    assert answer.status_code == 200, answer.content
    debt = stored_question(survey)
    assert (debt["low"], debt["step"], debt["limits"]) == (-100, 50, [0, 100, 400, 850])
    freeze_design(survey.draft)
    assert "850" in refusal(post(client, survey, "edit/save", SCRIPT, **{**base, "limit-0": "700"}), 409)
    assert save(client, survey, "income", high="1008", width="25", uniform="60.5").status_code == 200
    income = stored_question(survey, 2)
    assert (income["values"], income["window"], income["uniform"]) == (1009, 12, "0.6050")
    # A window of one number is the number itself.
    assert save(client, survey, "income", width="1").status_code == 200
    assert stored_question(survey, 2)["window"] == 0


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
    before = saved_draft(survey)
    assert why in refusal(save(client, survey, key, **sent))
    assert saved_draft(survey) == before
    assert "errorlist" in refusal(post(client, survey, "edit/save", **{**of_question(survey, key), **sent}))


def test_a_limit_is_added_at_the_same_promise_deleted_and_undone(client: Client, survey: Survey) -> None:
    """Gamma of 5 classes at p = .8, m = 1: 1 + 2 * .8 / .2 = 9."""
    save(client, survey, "debt", "limit-add 1")
    assert limits(survey) == [500, 1000, 1500, 2000, 5000]
    save(client, survey, "debt", "limit-add")
    assert limits(survey)[-1] == 7500
    assert 8.9 < not_none(freeze_design(survey.draft).sections[1].law).gamma <= 9
    page = save(client, survey, "debt", "limit-remove 2", HTMX)
    assert limits(survey)[:3] == [500, 1000, 2000]
    post_act(client, survey, "undo", removed=removed_in(page))
    assert limits(survey)[:3] == [500, 1000, 1500]


def test_impossible_number_command_is_explained(client: Client, survey: Survey) -> None:
    before = saved_draft(survey)
    assert save(client, survey, "debt", "wanted", HTMX, wanted="everything").status_code == 422
    for do in ("kind", "answer-add", "answer-remove 0", "answer-up 0", "prefer-not"):
        page = save(client, survey, "debt", do, HTMX, kind="one")
        assert "This question has no answers to choose from." in page.text, do
    assert saved_draft(survey) == before
    save(client, survey, "debt", high="100000")
    page = save(client, survey, "debt", "window", HTMX).text
    assert "100001 numbers; a window has at most 65000. Take larger steps." in page
    assert stored_question(survey)["law"] == "classes"
    for points, do, why in (
        ((0, 1, 2), "limit-remove 0", "A number needs a limit"),
        ((0, 1, 2), "limit-remove 7", "This limit is not there any more."),
        ((0, 1, 2), "limit-add", "There is no number left between these limits."),
        (tuple(range(0, 2200, 100)), "limit-add", "A number has at most 20 limits."),
    ):
        put(survey, classes("debt", *points))
        assert why in save(client, survey, "debt", do, HTMX).text
        assert limits(survey, 0) == list(points[1:-1]), why


def test_chosen_goal_decides_the_law_of_a_number(client: Client, survey: Survey) -> None:
    """An own file holds numbers without the builder's own keys."""
    save(client, survey, "debt", "wanted", wanted="quantiles", **QUARTERS)
    debt = stored_question(survey)
    assert (debt["wanted"], debt["expected"]) == ("quantiles", [300, 1000, 3000])
    assert sum(each <= 3000 for each in debt["limits"]) > len(debt["limits"]) / 2
    draft = saved_draft(survey).as_json()
    again = candor_format.read(candor_format.write(draft))
    bare = {key: value for key, value in debt.items() if key not in OWN_KEYS}
    assert "expected" not in bare
    assert again["sections"][1] == {**draft["sections"][1], "questions": [bare]}
    assert again["sections"][2] == draft["sections"][2]
    save(client, survey, "debt", "wanted", wanted="mean")
    debt = stored_question(survey)
    assert debt["rest"]
    assert debt["wanted"] == "mean"
    page = save(client, survey, "debt", "window", HTMX)
    assert isinstance(freeze_design(survey.draft).sections[1], WindowSection)
    assert "keep" not in section(survey, 1)
    post_act(client, survey, "undo", removed=removed_in(page))
    assert stored_question(survey)["rest"]


def test_trying_other_goals_loses_nothing(client: Client, survey: Survey) -> None:
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
    assert stored_question(survey)["values"] == 20_001
    save(client, survey, "debt", high="30000")
    save(client, survey, "debt", "wanted", wanted="shares")
    assert limits(survey) == [5000, 10_000, 15_000, 20_000, 25_000]
    save(client, survey, "debt", **{"limit-0": "100"})
    save(client, survey, "debt", "propose")
    assert limits(survey) == [5000, 10_000, 15_000, 20_000, 25_000]


def test_limits_follow_the_range_while_nobody_changes_one(client: Client, survey: Survey) -> None:
    """Also where the page still shows those of the range before."""
    post_act(client, survey, "section-add", kind="number")
    key = stored_question(survey, 4)["name"]
    stale = of_question(survey, key)
    save(client, survey, key, high="1000")
    assert limits(survey, 4) == [200, 400, 600, 800]
    base = of_question(survey, key)["base"]
    post(client, survey, "edit/save", SCRIPT, **{**stale, "base": base, "high": "500"})
    assert limits(survey, 4) == [100, 200, 300, 400]
    save(client, survey, key, **{"limit-0": "50"})
    save(client, survey, key, high="1000")
    assert limits(survey, 4) == [50, 200, 300, 400]


def test_a_scale_has_a_class_a_step_and_an_average_without_a_rest(client: Client, survey: Survey) -> None:
    post_act(client, survey, "section-add", kind="number")
    save(client, survey, stored_question(survey, 4)["name"], "wanted", wanted="scale")
    made = stored_question(survey, 4)
    assert (made["low"], made["high"], made["rest"]) == (0, 10, 0)
    assert made["limits"] == list(range(1, 11))
    page = save(client, survey, "debt", "wanted", HTMX, wanted="scale").text
    assert "A scale has at most 21 steps; these are 10,001." in page


def test_what_the_planner_chose_is_changed_under_details_alone(client: Client, survey: Survey) -> None:
    """One of 4 limits at p = .8 is gamma 9; with two drawn p = 8/11, with R the bit's p' = 8/10."""
    save(client, survey, "debt", cuts="2", rest="3")
    made = section(survey, 1)
    assert (made["keep"], made["keep_rest"]) == ("0.7272", "0.8000")
    assert [made["questions"][0][key] for key in ("cuts", "rest", "wanted")] == [2, 3, "shares"]
    assert "Limits that the device draws" in save(client, survey, "debt", cuts="5").json()["said"]
    assert "Records of twenty" in save(client, survey, "debt", rest="11").json()["said"]


def test_a_wide_class_and_too_few_answers_are_said_and_mended(client: Client, survey: Survey) -> None:
    """R = 2 of 20: 200 records with a class are 223 answers. Half of the range is above the last limit."""
    put(survey, classes("debt", *DEBT, rest=2), expected=200)
    page = page_text(client, survey, "edit/protection")
    assert "With 200 answers the average is withheld: 223 are needed" in page
    assert "The class from 5,000 to 10,000 governs the margin of error of the average." in page
    [made] = apply_quick_fix(saved_draft(survey), "widest 0").as_json()["sections"]
    assert made["questions"][0]["limits"] == [500, 1000, 2000, 3500, 5000, 6250, 7500]


def test_the_errors_move_with_the_values_and_nothing_is_stored(client: Client, survey: Survey) -> None:
    before, fields = saved_draft(survey), of_question(survey, "debt")
    first = post(client, survey, "edit/number", **fields).text
    assert "<svg" in first
    assert first != post(client, survey, "edit/number", **{**fields, "limit-0": "100"}).text
    for wrong in ({**fields, "limit-0": "9000"}, of_question(survey, "theft"), {**fields, "part": "lost"}):
        assert post(client, survey, "edit/number", **wrong).status_code == 204
    assert saved_draft(survey) == before


def test_the_errors_that_move_are_those_of_the_page_where_a_share_is_asked_directly(
    client: Client, survey: Survey
) -> None:
    def margins_on_page(page: str) -> list[str]:
        return re.findall(r"±[^ <]+|with [0-9,]+ answers", page)

    put(survey, classes("debt", *DEBT), direct="0.5000", open_answers=False, expected=1500)
    saved = margins_on_page(page_text(client, survey, "edit", open="debt"))
    assert "with 750 answers" in saved
    assert margins_on_page(post(client, survey, "edit/number", **of_question(survey, "debt")).text) == saved


def test_number_moves_and_is_deleted_only_with_its_section(
    client: Client, survey: Survey, owner: Person
) -> None:
    before = saved_draft(survey)
    for sent in ({"key": "work", "section": 1, "row": 0}, {"key": "debt", "section": 0, "row": 0}):
        post_act(client, survey, "move", **sent)
        assert saved_draft(survey) == before
    post_act(client, survey, "up", key="income")
    assert names(saved_draft(survey))[1:3] == [["income"], ["debt"]]
    post_act(client, survey, "down", key="income")
    post_act(client, survey, "duplicate", key="debt")
    assert names(saved_draft(survey)) == [["work"], ["debt"], ["debt-2"], ["income"], ["theft"]]
    page = post_act(client, survey, "delete", key="debt", headers=HTMX)
    assert len(saved_draft(survey).sections) == 4
    post_act(client, survey, "undo", removed=removed_in(page))
    assert stored_question(survey)["name"] == "debt"
    # Moved by its buttons, a question passes over the numbers.
    post_act(client, survey, "down", key="work")
    assert names(saved_draft(survey))[-1] == ["work", "theft"]
    other = Survey.objects.create(owner=owner, draft=stored_draft(plain(question("age"))))
    post(client, other, "edit/copy", section=f"{survey.pk}:1", sure="on")
    assert limits(other) == list(DEBT[1:-1])


def test_rule_may_hide_a_number_and_nothing_depends_on_it(client: Client, survey: Survey) -> None:
    save(client, survey, "debt", "rule-add", ruling="work")
    assert stored_question(survey)["show_if"] == {"work": ["employed", "none"]}
    save(client, survey, "debt", **{"rule-0": "employed"})
    assert stored_question(survey)["show_if"] == {"work": ["employed"]}
    page = save(client, survey, "theft", "rule-add", HTMX, ruling="debt").text
    assert "Choose a question above this one that is not disguised." in page


def test_outline_states_the_kind_of_a_number(client: Client, survey: Survey) -> None:
    page = page_text(client, survey, "edit")
    for words in (
        "Number from 0 to 10,000 euros",
        "The share of people at or above chosen numbers",
        "Number from 0 to 1,000",
        "A shape to look at (window)",
        "The device draws 1 of the 4 limits.",
    ):
        assert words in page


def test_numbers_of_a_strange_file_open_and_can_be_mended(client: Client, survey: Survey) -> None:
    strange: dict[str, Any] = {"kind": "number", "questions": [{"law": "window", "values": 7, "window": 40}]}
    sections = [strange, {"kind": "number"}, {"kind": "number", "questions": [{}, {}]}]
    update_row(survey, draft={"sections": sections})
    assert "Correct the numbers to see this." in page_text(client, survey, "edit", open=["q1", "q2"])
    assert len(saved_draft(survey).sections) == 3
    assert save(client, survey, "q1", width="3").status_code == 200
    assert stored_question(survey, 0)["window"] == 1
