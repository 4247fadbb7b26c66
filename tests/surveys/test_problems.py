"""What a new draft and a copy hold, and what the start page promises and must be there before a survey opens."""

from copy import deepcopy
from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import translation
from hypothesis import given, strategies as st

from privacy.designs import Design, InputError
from surveys import draft_json
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import draft_problems as looking
from surveys.lifecycle.design_from_draft import freeze_design, freeze_design_cached
from surveys.lifecycle.draft_problems import draft_problems
from surveys.questionnaire.problems_and_refusals import Problem, path_in_words
from tests.surveys.drafts import Draft, bilingual, complete

TODAY, FLOOR = date(2026, 12, 1), 20
NEEDED = ("title", "asker", "why", "consent")


def reasons_by_path(draft: Any) -> dict[str, str]:
    return {problem.path: problem.reason for problem in draft_problems(draft, TODAY, FLOOR)}


def test_a_new_draft_has_an_empty_plain_and_an_empty_sensitive_section() -> None:
    """Its consent is in a language that Candor speaks, whatever the reader speaks."""
    for language, speaks in {"de": True, "ar": True, "pt": False}.items():
        draft = draft_json.new_draft_with_two_sections("Work", language, TODAY)
        sections = read_questionnaire(draft).sections
        assert [(section.sensitive, section.questions) for section in sections] == [(False, ()), (True, ())]
        assert (language in draft["consent"]) is speaks


def test_answers_are_kept_a_year_and_a_copy_renews_that_only_when_it_is_over() -> None:
    def retention_of_copy(**draft: Any) -> str:
        return str(draft_json.draft_for_copy(complete(**draft), TODAY, rehearsal=False)["retention"])

    assert draft_json.new_draft_with_two_sections("Work", "en", TODAY)["retention"] == "2027-12-01"
    leap = draft_json.new_draft_with_two_sections("Work", "en", date(2028, 2, 29))
    assert leap["retention"] == "2029-02-28"
    assert (retention_of_copy(), retention_of_copy(retention="2026-12-01")) == ("2099-12-31", "2027-12-01")
    # It is another draft and leaves the first as it was.
    draft = complete()
    copy = draft_json.draft_for_copy(draft, TODAY, rehearsal=True)
    assert (draft["rehearsal"], copy["rehearsal"]) == (False, True)
    assert draft_json.draft_for_copy(copy, TODAY, rehearsal=False)["rehearsal"] is False


def test_what_only_the_builder_reads_stays_behind_an_unknown_key_and_too_small_a_batch_are_refused() -> None:
    assert freeze_design(complete(expected=7)) == freeze_design(complete(expected=8))
    with pytest.raises(InputError, match="unknown key 'surprise'"):
        freeze_design(complete(surprise=1))
    assert draft_problems(complete(least=49), TODAY, 50) == [Problem("least", "must be at least 50 here")]
    assert draft_problems(complete(least=50), TODAY, 50) == []


def test_a_title_is_shown_in_the_readers_language_or_in_the_first_and_broken_parts_with_patience() -> None:
    for language, title in {"en": "Work and health", "zh-hans": "工作与健康", "fr": "", None: ""}.items():
        shown = draft_json.read_text_with_fallback(bilingual(), "title", language)
        assert shown == (title or "Work and health"), language
    broken: tuple[object, ...] = (None, 5, [], {"en": 5}, {"en": ""}, {})
    for none in broken:
        assert draft_json.read_text_with_fallback(complete(title=none), "title", "en") == ""
    for sections in (None, 5, [None], [{"questions": 5}], [{"questions": ["q"]}]):
        for section in draft_json.read_sections_without_understanding_check(complete(sections=sections)):
            assert draft_json.read_questions(section) == []


# What is missing before a survey opens.


def test_who_asks_why_what_people_agree_to_a_contact_the_time_and_a_day_to_come_must_be_given() -> None:
    assert reasons_by_path(complete()) == reasons_by_path(complete(retention="2026-12-02")) == {}
    for key in NEEDED:
        nothing: tuple[object, ...] = ({}, {"en": ""}, {"en": " \n"}, None)
        for texts in nothing:
            assert reasons_by_path(complete(**{key: texts}))[f"{key}.en"] == "required", (key, texts)
    values: dict[str, tuple[object, ...]] = {
        "contact": ("", "  ", None),
        "minutes": (0, None, -1),
        "retention": ("", None, "2026-12-01", "2020-01-01"),
    }
    for key, wrong in values.items():
        assert all(key in reasons_by_path(complete(**{key: value})) for value in wrong), key
    assert [problem.path for problem in draft_problems(complete(retention="soon"), TODAY, FLOOR)] == [
        "retention"
    ], "one place is named once"


def test_every_text_must_be_there_in_every_language_and_one_that_may_be_left_out_in_all_or_none() -> None:
    for key in NEEDED:
        draft = bilingual()
        del draft[key]["zh-hans"]
        assert reasons_by_path(draft) == {f"{key}.zh-hans": "required in Simplified Chinese"}
        with translation.override("zh-hans"):
            assert "简体中文" in reasons_by_path(draft)[f"{key}.zh-hans"], "in the reader's language"
    for key in ("intro", "thanks"):
        assert reasons_by_path(bilingual() | {key: {"zh-hans": "谢谢"}}) == {
            f"{key}.en": "required in English"
        }
    draft = bilingual()
    age = draft["sections"][0]["questions"][0]
    del age["text"]["zh-hans"], age["choices"][1]["label"]["zh-hans"]
    age["help"] = {"en": "At your last birthday."}
    places = ("text", "help", "choices[1].label")
    assert list(reasons_by_path(draft)) == [f"sections[0].questions[0].{place}.zh-hans" for place in places]


def test_yes_and_no_points_of_a_scale_and_the_no_of_an_option_need_no_words() -> None:
    """Candor says yes and no itself in the languages it ships; a point goes by its number."""
    assert reasons_by_path(bilingual()) == {}
    no = "sections[1].questions[0].choices[0].label"
    assert [f"{no}.{code}" in reasons_by_path(complete(languages=[code])) for code in ("de", "pt")] == [
        False,
        True,
    ]
    draft = complete()
    question = draft["sections"][0]["questions"][0]
    points = [{"name": str(point)} for point in range(1, 6)]
    for form, problems in {"scale": 0, "one": 5}.items():
        question |= {"form": form, "choices": points}
        assert len(reasons_by_path(draft)) == problems, form
    question |= {"form": "many", "of": "pets", "choices": [{"name": "no"}, {"name": "yes"}]}
    assert list(reasons_by_path(draft)) == ["sections[0].questions[0].choices[1].label.en"]


def test_what_the_design_refuses_is_a_problem_with_its_place() -> None:
    draft = complete()
    draft["sections"][1]["questions"][0]["noise"] = ["0.4000", "0.5000"]
    assert reasons_by_path(draft) == {
        "sections[1].questions[0].noise": "the probabilities sum to 0.9000, not 1"
    }
    draft = complete()
    draft["sections"].reverse()
    draft["sections"][1]["questions"][0]["show_if"] = {"theft": ["yes"]}
    why = "'theft' is sensitive: what is shown after it would tell its answer"
    assert reasons_by_path(draft) == {"sections[1].questions[0].show_if.theft": why}


def test_a_place_is_named_as_a_person_would_and_with_its_draft_numbered_as_the_builder_does() -> None:
    for path, words in {
        "title.en": "Title",
        "sections[0].questions[2].choices[1].label.zh-hans": "Section 1, question 3, answer 2, label",
        "sections[1].keep": "Section 2, keep",
        "sections[1].questions[0].show_if.²": "Section 2, question 1, show-if",
        "retention": "Deletion date",
        "sections": "Sections",
        "design": "Design",
    }.items():
        assert path_in_words(path) == words
    options = [{"form": "many", "of": "g", "name": f"g-{option}"} for option in ("a", "b")]
    others = [{"form": "one", "name": "q1"}, *options, {"form": "one", "name": "q4"}]
    draft: Draft = {"sections": [{"questions": others[:1]}, {"questions": others[1:]}]}
    for section, question, rest, words in (
        (0, 0, "choices[1].label.en", "Question 1, answer 2"),
        (1, 1, "choices[1].label.en", "Question 2, answer 2"),
        (1, 0, "text.en", "Question 2, question text"),
        (1, 2, "text.en", "Question 3, question text"),
        (1, 9, "text.en", "Section 2, question 10, question text"),
        (0, 0, "show_if.x.choices[y]", "Question 1, show-if, choices"),
    ):
        assert path_in_words(f"sections[{section}].questions[{question}].{rest}", draft) == words
    anchor = Problem("sections[0].questions[2].text.zh-hans", "").anchor
    assert anchor == "sections-0-questions-2-text-zh-hans", "an id that a page can hold"


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def paths_in_json(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else []
    return [path, *(place for key, value in inner for place in paths_in_json(value, (*path, key)))]


@pytest.mark.page
@given(st.sampled_from([place for place in paths_in_json(bilingual()) if place]), json)
def test_a_draft_broken_anywhere_has_problems_and_is_no_error(place: tuple[Any, ...], value: Any) -> None:
    draft: Draft = deepcopy(bilingual())
    node: Any = draft
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = value
    for problem in draft_problems(draft, TODAY, FLOOR):
        assert problem.path
        assert path_in_words(problem.path)
        assert problem.sentence


@pytest.mark.page
def test_the_same_draft_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of surveys asks again and again what is missing in the same drafts; what is remembered is bounded."""
    frozen: list[object] = []

    def count(draft: Draft) -> Design:
        frozen.append(draft)
        return freeze_design_cached(draft)

    monkeypatch.setattr(looking, "_known", {})
    monkeypatch.setattr(looking, "freeze_design_cached", count)
    draft = complete(contact="")
    first, again = draft_problems(draft, TODAY, 20), draft_problems(deepcopy(draft), TODAY, 20)
    assert first == again != []
    assert len(frozen) == 1
    first.clear()
    assert draft_problems(draft, TODAY, 20) == again, "what a caller changes is its own"
    draft_problems(draft | {"minutes": 0}, TODAY, 20)
    draft_problems(draft, TODAY + timedelta(days=1), 20)
    draft_problems(draft, TODAY, 40)
    with translation.override("de"):
        draft_problems(draft, TODAY, 20)
    assert len(frozen) == 5
    monkeypatch.setattr(looking, "MOST_KNOWN", 6)
    for floor in (21, 22):
        draft_problems(draft, TODAY, floor)
    assert len(looking._known) == 1
