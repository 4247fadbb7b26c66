"""Everything the start page promises must be there before a survey opens."""

from copy import deepcopy
from datetime import date
from typing import Any

import pytest
from django.utils import translation
from hypothesis import given, strategies as st

from surveys.lifecycle.draft_problems import draft_problems
from surveys.questionnaire.problems_and_refusals import Problem, path_in_words
from tests.surveys.drafts import Draft, bilingual, complete

TODAY, FLOOR = date(2026, 12, 1), 20


def found(draft: Any) -> dict[str, str]:
    return {problem.path: problem.reason for problem in draft_problems(draft, TODAY, FLOOR)}


def test_a_complete_draft_has_no_problem() -> None:
    assert found(complete()) == {}
    assert found(bilingual()) == {}


@pytest.mark.parametrize("key", ["title", "asker", "why", "consent"])
@pytest.mark.parametrize("texts", [{}, {"en": ""}, {"en": " \n"}, None])
def test_who_asks_why_and_what_people_agree_to_must_be_said(key: str, texts: object) -> None:
    assert found(complete(**{key: texts}))[f"{key}.en"] == "required"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("contact", value) for value in ("", "  ", None)),
        *(("minutes", value) for value in (0, None, -1)),
        *(("retention", value) for value in ("", None, "2026-12-01", "2020-01-01")),
    ],
)
def test_a_contact_the_time_it_takes_and_a_day_to_come_must_be_given(key: str, value: object) -> None:
    assert key in found(complete(**{key: value}))
    assert found(complete(retention="2026-12-02")) == {}


def test_a_batch_is_never_smaller_than_the_instance_allows() -> None:
    assert draft_problems(complete(least=49), TODAY, 50) == [Problem("least", "must be at least 50 here")]
    assert draft_problems(complete(least=50), TODAY, 50) == []


@pytest.mark.parametrize("key", ["title", "asker", "why", "consent"])
def test_every_text_must_be_there_in_every_language(key: str) -> None:
    draft = bilingual()
    del draft[key]["zh-hans"]
    assert found(draft) == {f"{key}.zh-hans": "required in Simplified Chinese"}


@pytest.mark.parametrize("key", ["intro", "thanks"])
def test_a_text_that_may_be_left_out_is_there_in_all_languages_or_in_none(key: str) -> None:
    draft = bilingual()
    draft[key] = {"zh-hans": "谢谢"}
    assert found(draft) == {f"{key}.en": "required in English"}


def test_every_question_and_choice_must_be_there_in_every_language() -> None:
    draft = bilingual()
    age = draft["sections"][0]["questions"][0]
    del age["text"]["zh-hans"], age["choices"][1]["label"]["zh-hans"]
    age["help"] = {"en": "At your last birthday."}
    assert list(found(draft)) == [
        "sections[0].questions[0].text.zh-hans",
        "sections[0].questions[0].help.zh-hans",
        "sections[0].questions[0].choices[1].label.zh-hans",
    ]


def test_the_reasons_are_in_the_readers_language() -> None:
    draft = bilingual()
    del draft["title"]["zh-hans"]
    with translation.override("zh-hans"):
        assert "简体中文" in found(draft)["title.zh-hans"]


def test_candor_says_yes_and_no_itself_in_the_languages_it_ships() -> None:
    assert found(bilingual()) == {}
    assert "sections[1].questions[0].choices[0].label.de" not in found(complete(languages=["de"]))
    assert "sections[1].questions[0].choices[0].label.pt" in found(complete(languages=["pt"]))


def test_a_point_of_a_scale_may_go_by_its_number() -> None:
    draft = complete()
    question = draft["sections"][0]["questions"][0]
    question["form"] = "scale"
    question["choices"] = [{"name": str(point)} for point in range(1, 6)]
    assert found(draft) == {}
    question["form"] = "one"
    assert len(found(draft)) == 5


def test_an_option_of_several_of_many_has_its_words_on_its_yes() -> None:
    draft = complete()
    question = draft["sections"][0]["questions"][0]
    question |= {"form": "many", "of": "pets", "choices": [{"name": "no"}, {"name": "yes"}]}
    assert list(found(draft)) == ["sections[0].questions[0].choices[1].label.en"]


def test_what_the_design_refuses_is_a_problem_with_its_place() -> None:
    draft = complete()
    draft["sections"][1]["questions"][0]["noise"] = ["0.4000", "0.5000"]
    assert found(draft) == {"sections[1].questions[0].noise": "the probabilities sum to 0.9000, not 1"}


def test_a_rule_on_a_sensitive_answer_is_refused_with_what_it_would_tell() -> None:
    draft = complete()
    draft["sections"].reverse()
    draft["sections"][1]["questions"][0]["show_if"] = {"theft": ["yes"]}
    assert found(draft) == {
        "sections[1].questions[0].show_if.theft": (
            "'theft' is sensitive: what is shown after it would tell its answer"
        )
    }


def test_one_place_is_named_once() -> None:
    paths = [problem.path for problem in draft_problems(complete(retention="soon"), TODAY, FLOOR)]
    assert paths == ["retention"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("title.en", "Title"),
        ("sections[0].questions[2].choices[1].label.zh-hans", "Section 1, question 3, answer 2, label"),
        ("sections[1].keep", "Section 2, keep"),
        ("sections[1].questions[0].show_if.²", "Section 2, question 1, show-if"),
        ("retention", "Deletion date"),
        ("sections", "Sections"),
        ("design", "Design"),
    ],
)
def test_a_place_is_named_as_a_person_would(path: str, words: str) -> None:
    assert path_in_words(path) == words


def test_with_its_draft_a_place_is_numbered_as_the_builder_does() -> None:
    options = [{"form": "many", "of": "g", "name": f"g-{option}"} for option in ("a", "b")]
    others = [{"form": "one", "name": "q1"}, *options, {"form": "one", "name": "q4"}]
    draft: Draft = {"sections": [{"questions": others[:1]}, {"questions": others[1:]}]}
    assert [
        path_in_words(f"sections[{section}].questions[{question}].{rest}", draft)
        for section, question, rest in (
            (0, 0, "choices[1].label.en"),
            (1, 1, "choices[1].label.en"),
            (1, 0, "text.en"),
            (1, 2, "text.en"),
            (1, 9, "text.en"),
            (0, 0, "show_if.x.choices[y]"),
        )
    ] == [
        "Question 1, answer 2",
        "Question 2, answer 2",
        "Question 2, question text",
        "Question 3, question text",
        "Section 2, question 10, question text",
        "Question 1, show-if, choices",
    ]


def test_an_anchor_is_an_id_that_a_page_can_hold() -> None:
    problem = Problem("sections[0].questions[2].text.zh-hans", "")
    assert problem.anchor == "sections-0-questions-2-text-zh-hans"


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else []
    return [path, *(place for key, value in inner for place in places(value, (*path, key)))]


@pytest.mark.page
@given(st.sampled_from([place for place in places(bilingual()) if place]), json)
def test_a_draft_broken_anywhere_is_a_list_of_problems_and_never_an_error(
    place: tuple[Any, ...], value: Any
) -> None:
    draft: Draft = deepcopy(bilingual())
    node: Any = draft
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = value
    for problem in draft_problems(draft, TODAY, FLOOR):
        assert problem.path
        assert path_in_words(problem.path)
        assert problem.sentence
