"""Data dictionaries of REDCap and surveys of SurveyJS: what becomes of each field and element, and what is refused.

Who is asked what after branching logic and `visibleIf`: tests/importing/flow, by brute force.
"""

from typing import Any

from importing import questionnaire_file
from importing.import_result import LEFT, ImportResult
from tests.importing.conftest import faults, questions_of, remarks_of, rules
from tests.importing.flow.made_files import (
    choose_one,
    dictionary,
    element,
    field,
    qualtrics,
    show_if,
    surveyjs,
    term,
)


def redcap(*fields: Any) -> ImportResult:
    return questionnaire_file.read(dictionary(*fields))


def remarks(taken: ImportResult, name: str) -> str:
    return str([line.remarks for line in taken.lines if line.questions == (name,)])


def test_redcap_fields_become_ordered_questions_with_branching_rules() -> None:
    taken = redcap(
        field("sex"),
        field("drugs", "checkbox", logic="[sex] = '2'"),
        field("why", logic="[drugs(1)] = '1'"),
        field("not_why", logic="[drugs(1)] = '0'"),
        field("smokes", "yesno"),
        field("since", logic="[smokes] = '1'"),
        field("calm", matrix="mood"),
        field("glad", matrix="mood"),
        field("last", logic="[glad] = '2'"),
    )
    made = rules(taken)
    assert [*made][:6] == ["sex", "drugs-1", "drugs-2", "why", "not_why", "smokes"]
    assert (made["drugs-2"], made["why"]) == ({"sex": ["2"]}, {"drugs-1": ["yes"]})
    assert (made["since"], made["last"]) == ({"smokes": ["1"]}, {"mood-glad": ["2"]})
    # People who were not asked about drugs have not ticked the option either: no rule here can say that.
    assert made["not_why"] == {}
    assert "not asked" in remarks(taken, "not_why")
    calm, glad = questions_of(taken)[-3:-1]
    assert calm["of"] == glad["of"]


def test_numbers_keep_their_range_and_identifying_or_hidden_fields_are_left_out() -> None:
    taken = redcap(
        field("sex"),
        field("age", "text", validation="integer", least="18", most="90"),
        field("code", person="y"),
        field("wave", tags="@HIDDEN"),
        field("usual", tags="@DEFAULT='1'"),
        field("count", logic="[age] > 30 and [sex] + 1 = 2"),
    )
    _sex, age, usual, _count = questions_of(taken)
    assert all(18 < limit < 90 for limit in age["number"]["limits"])
    left = {line.location: line.remarks for line in taken.lines if line.outcome == LEFT}
    assert [*left] == ["question code", "question wave"]
    assert left["question code"] == ("identifies people: not asked here",)
    assert "@DEFAULT" in remarks(taken, usual["name"])
    assert "[age]" not in str(taken.draft)
    assert "Its condition [age] > 30 and [sex] + 1 = 2 is left out" in remarks(taken, "count")


def test_duplicate_answer_codes_and_matrix_rankings_are_named() -> None:
    taken = redcap(field("a", choices="1, One | 1, Twice | 2, Two"))
    assert "“Twice” is left out: its code 1 is that of another answer." in remarks_of(taken)
    ranked = [field(name, matrix="m", ranking="y") for name in "ab"]
    assert "Matrix Ranking?" in remarks_of(redcap(*ranked))


def test_redcap_lines_may_end_as_in_excel_for_mac() -> None:
    for label in ("One line", "Two\nlines"):
        data = dictionary(field("a"), field("b", label=label))
        for end in (b"\n", b"\r"):
            assert questionnaire_file.read(data.replace(b"\r\n", end)) == questionnaire_file.read(data)


def test_a_dictionary_without_questions_or_too_large_is_refused() -> None:
    for data in (
        dictionary(),
        dictionary(field("name", "text")),
        dictionary(field("a")) + b'b,first,,radio,"' + b"x" * 200_000 + b'"\n',
        dictionary(*(field(f"f{n}") for n in range(6_000))),
    ):
        assert faults(data)


# --- SurveyJS

YES_NO = ["yes", {"value": "no", "text": {"default": "No", "de": "Nein"}}]


def yes_no(name: str, kind: str = "radiogroup", **more: Any) -> dict[str, Any]:
    return element(name, *YES_NO, kind=kind, **more)


def survey(*elements: dict[str, Any], **more: Any) -> ImportResult:
    return questionnaire_file.read(surveyjs(*elements, **more))


def test_surveyjs_conditions_become_rules() -> None:
    inner = yes_no("inner", visibleIf="{several} contains 'no'")
    taken = survey(
        yes_no("first"),
        yes_no("several", "checkbox"),
        element("panel", kind="panel", visibleIf="{first} = 'yes'", elements=[inner]),
        yes_no("truth", "boolean"),
        yes_no("true", visibleIf="{truth} = true"),
        yes_no("known", visibleIf="{true} notempty"),
    )
    assert rules(taken) == {
        **{name: {} for name in ("first", "several-yes", "several-no", "truth")},
        "inner": {"first": ["yes"], "several-no": ["yes"]},
        "true": {"truth": ["true"]},
        "known": {"true": ["yes", "no"]},
    }
    for written in ("{a} > 3", "age({a}) = 3", "{nobody} = 'yes'", "{b} notempty", "{b} = ['yes']"):
        taken = survey(yes_no("a"), yes_no("b", "checkbox"), yes_no("x", visibleIf=written))
        assert "is left out, so everybody is asked" in remarks(taken, "x"), written


def test_surveyjs_languages_titles_matrices_and_ratings_are_imported() -> None:
    rows = [{"value": "r1", "text": {"default": "Lie", "de": "Lügen"}}, "r2"]
    title = {"default": "How?", "de": "Wie?"}
    table = element("table", kind="matrix", title=title, columns=["never", "often"], rows=rows)
    rating = element("r", kind="rating", rateMax=3, minRateDescription="bad", maxRateDescription="good")
    taken = survey(table, rating, title="Honesty")
    lie, second, rated = questions_of(taken)
    assert (taken.draft["languages"], taken.draft["title"]) == (["en", "de"], {"en": "Honesty"})
    assert lie["text"] == {"en": "Lie", "de": "Lügen"}
    assert lie["of"] == second["of"]
    assert [each["label"]["en"] for each in rated["choices"]] == ["1 bad", "2", "3 good"]


def test_settings_are_named_and_choices_added_by_a_setting_imported() -> None:
    ends = [{"type": "complete", "expression": "{first} = 'no'"}]
    first = yes_no("first", defaultValue="yes", requiredIf="{b} = 1", choicesOrder="desc")
    taken = survey(first, yes_no("off", visible=False), triggers=ends, questionsOrder="random")
    for name in ("triggers", "questionsOrder", "defaultValue", "requiredIf, choicesOrder"):
        assert name in str(taken.lines), name
    added = yes_no("a", showRefuseItem=True, showDontKnowItem=True, dontKnowText="No idea")
    taken = survey(added, yes_no("x", visibleIf="{a} = 'refused'"))
    labels = [each["label"]["en"] for each in questions_of(taken)[0]["choices"]]
    assert labels[-2:] == ["Refuse to answer", "No idea"]
    assert rules(taken)["x"] == {"a": ["refused"]}


def test_invisible_or_unanswerable_questions_are_left_out() -> None:
    taken = survey(
        yes_no("a"),
        yes_no("off", visible=False),
        yes_no("o", readOnly=True),
        element("p", kind="panel", readOnly=True, elements=[yes_no("inner")]),
        element("f", kind="flowpanel", visible=False, elements=[yes_no("unseen")]),
    )
    left = {line.location for line in taken.lines if line.outcome == LEFT}
    assert [*rules(taken)] == ["a"]
    assert {"question off", "question o", "question inner", "question unseen"} <= left


def test_hostile_and_empty_surveys_are_refused() -> None:
    nested = yes_no("q")
    for number in range(60):
        nested = element(f"p{number}", kind="panel", elements=[nested])
    wrong = {"type": ["x"], "name": {"a": 1}, "choices": 3, "visibleIf": [], "title": [1]}
    for data in (
        surveyjs(nested),
        surveyjs(*(yes_no(f"q{n}") for n in range(6_000))),
        surveyjs({"type": "comment", "name": "words"}),
        surveyjs(wrong),
        b'{"pages": [{"elements": ' + b"[" * 100_000,
    ):
        assert faults(data), data[:60]


def test_dropped_conditions_are_quoted_from_the_file() -> None:
    taken = questionnaire_file.read(
        surveyjs(
            element("my age", kind="text"), element("b", "x", "y", visibleIf="{my age} > 3 and {gone} = 1")
        )
    )
    (left,) = (remark for line in taken.lines for remark in line.remarks if "{my age} > 3" in remark)
    assert "it names {my age}, and no earlier question is called that" in left
    taken = questionnaire_file.read(
        qualtrics(
            [
                choose_one("Work?", "Yes", "No"),
                choose_one("And?", "A", "B") | show_if(term("QID1/Other", "Is")),
            ]
        )
    )
    assert "it holds “If QID1/Other Is”, which a rule cannot say" in remarks_of(taken)


def test_na_written_by_r_is_no_condition() -> None:
    row = [cell or "NA" for cell in field("a")]
    (line,) = (line for line in redcap(tuple(row)).lines if line.questions)
    assert "NA" not in str(line.remarks)
