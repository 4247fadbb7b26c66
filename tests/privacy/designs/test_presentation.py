"""Keys that only say how a page shows a section: introductions, random order, tables, *None of these*, the code."""

import json
from typing import Any

import pytest

from privacy.designs import Design, InputError, parse
from privacy.kinds.introduction_and_order import question_blocks
from tests.privacy.questionnaires import (
    HALF,
    WORK,
    classes,
    design,
    place_in_row,
    plain,
    question,
    sensitive,
    window,
    written,
)

THEFT = question("theft", *HALF)
AGREE = ["no", "partly", "wholly"]
ROW: dict[str, Any] = {"choices": AGREE, "form": "scale", "of": "views"}
TABLE: list[dict[str, Any]] = [{**ROW, "name": "views a"}, {**ROW, "name": "views b"}]
MANY: dict[str, Any] = {"choices": ["no", "yes"], "form": "many", "of": "drugs"}
GROUP: list[dict[str, Any]] = [
    {**MANY, "name": "snuff", "none": {"en": "None of these"}},
    {**MANY, "name": "pills"},
]
SECTIONS: list[dict[str, Any]] = [
    plain(WORK),
    sensitive("0.5", THEFT),
    window("age", 7, 1),
    classes("debt", "0.5", 0, 3, 5),
    place_in_row("home", {"north": [0, 1]}, 3, 1, "2.00"),
]


def keys(of: Design) -> list[dict[str, Any]]:
    sections: list[dict[str, Any]] = json.loads(of.canonical)["sections"]
    return sections


def test_every_kind_of_section_may_have_an_introduction(subtests: pytest.Subtests) -> None:
    for section in SECTIONS:
        with subtests.test(f"{section!r:.60}"):
            with_intro = design({**section, "intro": "Now the money."})
            assert keys(with_intro)[0]["intro"] == {"en": "Now the money."}
            assert parse(with_intro.canonical) == with_intro
            assert design({**section, "intro": ""}).canonical == design(section).canonical


@pytest.mark.parametrize("section", SECTIONS[:2], ids=lambda section: section["kind"])
def test_a_section_of_several_questions_may_be_in_random_order(section: dict[str, Any]) -> None:
    shuffled = design({**section, "order": "random"})
    assert keys(shuffled)[0]["order"] == "random"
    assert parse(shuffled.canonical) == shuffled
    assert "order" not in keys(design(section))[0]


def test_the_questions_of_a_group_and_of_a_table_are_one_block() -> None:
    (section,) = design(plain(WORK, *TABLE, *GROUP, {**WORK, "name": "again"})).sections
    assert question_blocks(section.questions) == [[0], [1, 2], [3, 4], [5]]


def test_a_table_has_one_name_on_all_its_rows() -> None:
    found = design(plain(*TABLE))
    assert [each["of"] for each in keys(found)[0]["questions"]] == ["views", "views"]
    assert parse(found.canonical) == found


def test_the_option_that_excludes_all_others_stands_on_the_first_of_its_group() -> None:
    found = design(plain(*GROUP))
    first, second = keys(found)[0]["questions"]
    assert first["none"] == {"en": "None of these"}
    assert "none" not in second
    assert parse(found.canonical) == found


def test_a_panel_has_a_text_that_is_canonical_only_where_there_is_one() -> None:
    found = design(plain(WORK), panel={"en": "Your code"})
    assert json.loads(found.canonical)["panel"] == {"en": "Your code"}
    assert parse(found.canonical) == found
    assert design(plain(WORK), panel="").canonical == design(plain(WORK)).canonical


RULED = {"name": "days", "choices": ["few", "many"], "show_if": {"work": ["employed"]}}
Q1 = "sections[0].questions[1]"
REFUSED = [
    (written({**plain(WORK), "order": "sorted"}), "sections[0].order: must be random"),
    (written({**plain(WORK), "order": True}), "sections[0].order: must be a text"),
    (
        written({**plain(WORK, RULED), "order": "random"}),
        "sections[0].order: a rule of 'days' looks at 'work', which is in the same section",
    ),
    (written({**window("age", 7, 1), "order": "random"}), "sections[0]: unknown key 'order'"),
    (written({**plain(WORK), "intro": {"de": "x"}}), "sections[0].intro: 'de' is not one of the languages"),
    (
        written(plain(TABLE[0], {**TABLE[1], "choices": ["no", "yes"]})),
        f"{Q1}.choices: the questions of the table 'views' have different choices",
    ),
    (
        written(plain(TABLE[0], {**TABLE[1], "choices": [*AGREE[:2], {"name": "wholly", "label": "!"}]})),
        f"{Q1}.choices: the questions of the table 'views' have different choices",
    ),
    (
        written(plain(TABLE[0], {**TABLE[1], "form": "one"})),
        f"{Q1}.form: the questions of 'views' have two forms",
    ),
    (
        written(plain(TABLE[0], WORK, TABLE[1])),
        "sections[0].questions[2].of: the questions of 'views' are not next to each other",
    ),
    (
        written(plain(GROUP[0], {**GROUP[1], "none": "No"})),
        f"{Q1}.none: only the first question of a group says it",
    ),
    (
        written(plain({**WORK, "none": "No"})),
        "sections[0].questions[0].none: only a question of the form many can have an option for none of them",
    ),
    (written(plain(WORK), panel=1), "panel: must be an object"),
]


def test_what_a_page_cannot_show_is_refused_with_the_place_and_the_reason(subtests: pytest.Subtests) -> None:
    for source, said in REFUSED:
        with subtests.test(f"{source!r:.60} {said!r:.60}"):
            with pytest.raises(InputError) as caught:
                parse(json.dumps(source))
            assert str(caught.value).startswith(said)


def test_a_rule_on_an_earlier_section_leaves_the_order_free() -> None:
    found = design(
        plain(WORK), {**sensitive("0.5", {**THEFT, "show_if": {"work": ["not"]}}), "order": "random"}
    )
    assert keys(found)[1]["order"] == "random"


JOB: dict[str, Any] = {"name": "job", "choices": ["miner", "nurse", "other"], "form": "one"}


@pytest.mark.parametrize("make", [plain, lambda *questions: sensitive("0.5", *questions)])
def test_the_answers_of_a_question_may_be_in_random_order(make: Any) -> None:
    shuffled = design(make({**JOB, "shuffled": 2}))
    assert keys(shuffled)[0]["questions"][0]["shuffled"] == 2
    assert parse(shuffled.canonical) == shuffled
    assert "shuffled" not in keys(design(make(JOB)))[0]["questions"][0]


def test_the_options_of_a_group_may_be_in_random_order() -> None:
    shuffled = design(plain({**GROUP[0], "shuffled": 2}, GROUP[1]))
    assert [each.shuffled for each in shuffled.questions] == [2, 0]
    assert parse(shuffled.canonical) == shuffled


def test_an_order_that_cannot_be_random_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[list[dict[str, Any]], str]] = [
        ([{**JOB, "form": "scale", "shuffled": 2}], "form scale keep their order"),
        ([{"name": "paid", "choices": ["no", "yes"], "shuffled": 2}], "form yes-no keep their order"),
        ([{**JOB, "shuffled": 1}], "2"),
        ([{**JOB, "shuffled": 4}], "3"),
        ([{**JOB, "of": "jobs", "shuffled": 3}], "rows of a table share their answers"),
        ([{**GROUP[0], "shuffled": 3}, GROUP[1]], "at most 2"),
        ([GROUP[0], {**GROUP[1], "shuffled": 2}], "only the first question of a group says it"),
        (
            [{**GROUP[0], "shuffled": 2}, {**GROUP[1], "show_if": {"snuff": ["yes"]}}],
            "looks at another option",
        ),
    ]
    for questions, reason in cases:
        with subtests.test(f"{questions!r:.60} {reason!r:.60}"), pytest.raises(InputError, match=reason):
            design(plain(*questions))
