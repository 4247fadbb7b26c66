"""Keys that only say how a page shows a section: introductions, random order, tables, *None of these*, the code."""

import json
from functools import partial
from typing import Any

from privacy.designs import Design, parse_design
from privacy.kinds.section_intro_and_random_order import question_blocks
from tests.privacy import questionnaires as q

THEFT = q.question("theft", *q.HALF)
AGREE = ["no", "partly", "wholly"]
ROW: dict[str, Any] = {"choices": AGREE, "form": "scale", "of": "views"}
TABLE: list[dict[str, Any]] = [{**ROW, "name": "views a"}, {**ROW, "name": "views b"}]
MANY: dict[str, Any] = {"choices": ["no", "yes"], "form": "many", "of": "drugs"}
GROUP: list[dict[str, Any]] = [
    {**MANY, "name": "snuff", "none": {"en": "None of these"}},
    {**MANY, "name": "pills"},
]
SECTIONS: list[dict[str, Any]] = [
    q.plain(q.WORK),
    q.sensitive("0.5", THEFT),
    q.window("age", 7, 1),
    q.classes("debt", "0.5", 0, 3, 5),
    q.place_in_row("home", {"north": [0, 1]}, 3, 1, "2.00"),
]


def frozen_sections(of: Design) -> list[dict[str, Any]]:
    sections: list[dict[str, Any]] = json.loads(of.canonical)["sections"]
    return sections


def same_again(*sections: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    """The sections of the canonical form, which is read again as it is written."""
    found = q.design(*sections, **more)
    assert parse_design(found.canonical) == found
    return frozen_sections(found)


def test_introductions_orders_and_a_text_of_a_panel_are_canonical_where_there_are_some() -> None:
    for section in SECTIONS:
        (found,) = same_again({**section, "intro": "Now the money."})
        assert found["intro"] == {"en": "Now the money."}, section
        assert q.design({**section, "intro": ""}).canonical == q.design(section).canonical, section
    for section in SECTIONS[:2]:
        assert same_again({**section, "order": "random"})[0]["order"] == "random"
        assert "order" not in frozen_sections(q.design(section))[0]
    same_again(q.plain(q.WORK), panel={"en": "Your code"})
    assert '"panel":{"en":"Your code"}' in q.design(q.plain(q.WORK), panel={"en": "Your code"}).canonical
    assert q.design(q.plain(q.WORK), panel="").canonical == q.design(q.plain(q.WORK)).canonical
    # A rule on an earlier section leaves the order free.
    free = {**q.sensitive("0.5", {**THEFT, "show_if": {"work": ["not"]}}), "order": "random"}
    assert same_again(q.plain(q.WORK), free)[1]["order"] == "random"


def test_the_questions_of_a_group_and_of_a_table_are_one_block() -> None:
    (section,) = q.design(q.plain(q.WORK, *TABLE, *GROUP, {**q.WORK, "name": "again"})).sections
    assert question_blocks(section.questions) == [[0], [1, 2], [3, 4], [5]]
    assert [each["of"] for each in same_again(q.plain(*TABLE))[0]["questions"]] == ["views", "views"]
    # The option that excludes all others stands on the first of its group.
    first, second = same_again(q.plain(*GROUP))[0]["questions"]
    assert (first["none"], "none" in second) == ({"en": "None of these"}, False)


JOB: dict[str, Any] = {"name": "job", "choices": ["miner", "nurse", "other"], "form": "one"}


def test_the_answers_of_a_question_and_the_options_of_a_group_may_be_in_random_order() -> None:
    for make in (q.plain, partial(q.sensitive, "0.5")):
        assert same_again(make({**JOB, "shuffled": 2}))[0]["questions"][0]["shuffled"] == 2
        assert "shuffled" not in frozen_sections(q.design(make(JOB)))[0]["questions"][0]
    of_group = q.plain({**GROUP[0], "shuffled": 2}, GROUP[1])
    same_again(of_group)
    assert [each.shuffled for each in q.design(of_group).questions] == [2, 0]


RULED = {"name": "days", "choices": ["few", "many"], "show_if": {"work": ["employed"]}}
Q0, Q1 = "sections[0].questions[0]", "sections[0].questions[1]"
TWO_TABLES = f"{Q1}.choices: the questions of the table 'views' have different choices"
LABELLED = [*AGREE[:2], {"name": "wholly", "label": "!"}]
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({**q.plain(q.WORK), "order": "sorted"}, "sections[0].order: must be random"),
    ({**q.plain(q.WORK), "order": True}, "sections[0].order: must be a text"),
    ({**q.plain(q.WORK, RULED), "order": "random"}, "sections[0].order: a rule of 'days' looks at 'work'"),
    ({**q.window("age", 7, 1), "order": "random"}, "sections[0]: unknown key 'order'"),
    ({**q.plain(q.WORK), "intro": {"de": "x"}}, "sections[0].intro: 'de' is not one of the languages"),
    (q.plain(TABLE[0], {**TABLE[1], "choices": ["no", "yes"]}), TWO_TABLES),
    (q.plain(TABLE[0], {**TABLE[1], "choices": LABELLED}), TWO_TABLES),
    (q.plain(TABLE[0], {**TABLE[1], "form": "one"}), f"{Q1}.form: the questions of 'views' have two forms"),
    (
        q.plain(TABLE[0], q.WORK, TABLE[1]),
        "sections[0].questions[2].of: the questions of 'views' are not next to",
    ),
    (q.plain(GROUP[0], {**GROUP[1], "none": "No"}), f"{Q1}.none: only the first question of a group says it"),
    (q.plain({**q.WORK, "none": "No"}), f"{Q0}.none: only a question of the form many can have an option"),
]


def test_what_a_page_cannot_show_is_refused_with_the_place_and_the_reason() -> None:
    assert q.refused_otherwise(q.design, REFUSED) == []
    assert q.refusal(q.design, q.plain(q.WORK), panel=1) == "panel: must be an object"
    looks = {**GROUP[1], "show_if": {"snuff": ["yes"]}}
    cases: list[tuple[list[dict[str, Any]], str]] = [
        ([{**JOB, "form": "scale", "shuffled": 2}], "form scale keep their order"),
        ([{"name": "paid", "choices": ["no", "yes"], "shuffled": 2}], "form yes-no keep their order"),
        ([{**JOB, "shuffled": 1}], "2"),
        ([{**JOB, "shuffled": 4}], "3"),
        ([{**JOB, "of": "jobs", "shuffled": 3}], "rows of a table share their answers"),
        ([{**GROUP[0], "shuffled": 3}, GROUP[1]], "at most 2"),
        ([GROUP[0], {**GROUP[1], "shuffled": 2}], "only the first question of a group says it"),
        ([{**GROUP[0], "shuffled": 2}, looks], "looks at another option"),
    ]
    said = {reason: q.refusal(q.design, q.plain(*questions)) for questions, reason in cases}
    assert {reason: words for reason, words in said.items() if reason not in words} == {}
