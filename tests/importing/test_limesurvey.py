"""Surveys of LimeSurvey, as a table and as XML: what becomes of each question, and what is written for LimeSurvey.

Who is asked what in whole surveys, and that every text and setting arrives or is named: tests/importing/flow.
"""

import io
import zipfile
from typing import Any

import pytest

from importing import questionnaire_file
from importing.import_result import CAME, CHANGED, LEFT, ImportResult
from importing.limesurvey import tsv_writer
from importing.limesurvey.question_types import KINDS, REFUSAL_REASONS
from importing.safe_zip import MOST_UNPACKED
from surveys.kinds.read_draft import read_questionnaire
from tests.importing.conftest import faults, questions_of, remarks_of, rules
from tests.importing.flow.made_files import (
    LIME_HEADER,
    answers,
    as_archive,
    group,
    lime_document,
    lime_table,
    question,
    row,
    subquestions,
)
from tests.surveys import drafts
from tests.surveys.drafts import drawn_question, options, plain, question as drafted, sensitive, stored_draft

AGE = [question("Q1", "L", "How old are you?"), *answers("18 to 39", "40 or older")]
PAID = [question("Q2", "M", "How are you paid?"), *subquestions("In cash", "In goods")]
SETTINGS = (
    *("random_order", "answer_order", "subquestion_order", "exclude_all_others", "default"),
    *("other_replace_text", "suffix", "prefix", "random_group"),
)


def read(*rows: Any, **more: Any) -> ImportResult:
    header = (*LIME_HEADER, *SETTINGS)
    return questionnaire_file.read(lime_table(group("Work"), *rows, **{"header": header, **more}))


def labels(question: dict[str, Any]) -> list[str]:
    return [choice["label"].get("en", choice["name"]) for choice in question["choices"]]


def outcome(taken: ImportResult, words: str) -> tuple[str, str]:
    (line,) = (line for line in taken.lines if line.words == words)
    return line.outcome, " ".join(line.remarks)


def test_lists_scales_and_options_become_questions_with_choices() -> None:
    for kind in "L!O":
        taken = read(question("Q1", kind, "How old?"), *answers("18 to 39", "40 or older"))
        (age,) = questions_of(taken)
        assert (age["name"], age["form"], age["text"]) == ("Q1", "one", {"en": "How old?"}), kind
        assert [choice["name"] for choice in age["choices"]] == ["A1", "A2"], kind
        assert labels(age) == ["18 to 39", "40 or older"], kind
        result, remark = outcome(taken, "How old?")
        assert (result, "comment is left out" in remark) == (CHANGED if kind == "O" else CAME, kind == "O")
    for kind, form, expected in (
        ("5", "scale", [*"12345"]),
        ("Y", "yes-no", ["no", "yes"]),
        ("G", "one", ["Female", "Male"]),
    ):
        (made,) = questions_of(read(question("Q1", kind, "Well?")))
        assert (made["form"], labels(made)) == (form, expected), kind
    for kind in "MP":
        taken = read(question("Q2", kind, "How paid?"), *subquestions("In cash", "In goods"))
        forms = [(each["name"], each["form"], each["of"]) for each in questions_of(taken)]
        assert forms == [("Q2-SQ1", "many", "Q2"), ("Q2-SQ2", "many", "Q2")], kind
        assert labels(questions_of(taken)[0]) == ["no", "In cash"], kind
        assert ("comment" in outcome(taken, "How paid?")[1]) == (kind == "P"), kind


def test_a_table_becomes_questions_that_share_their_choices() -> None:
    for kind, expected in {
        "A": [*"12345"],
        "B": [str(number) for number in range(1, 11)],
        "C": ["Yes", "Uncertain", "No"],
        "E": ["Increase", "Same", "Decrease"],
        "F": ["Never", "Often"],
        "H": ["Never", "Often"],
    }.items():
        rows = [question("Q1", kind, "How often?", help="Last month."), *subquestions("Late", "Absent")]
        taken = read(*rows, *answers("Never", "Often"))
        late, absent = questions_of(taken)
        assert [late["name"], absent["name"]] == ["Q1-SQ1", "Q1-SQ2"], kind
        assert [late["text"], absent["text"]] == [{"en": "Late"}, {"en": "Absent"}], kind
        assert late["choices"] == absent["choices"], kind
        assert labels(late) == expected, kind
        assert absent["help"] == late["help"] == {"en": "How often?\n\nLast month."}, kind
        assert (late["of"], absent["of"]) == ("Q1", "Q1"), kind
        assert "became a battery" in outcome(taken, "How often?")[1], kind


def test_number_gets_bands_between_its_ends_and_missing_ends_are_asked() -> None:
    ends = {"min_num_value_n": "0", "max_num_value_n": "100"}
    taken = read(question("Q1", "N", "Income?", suffix="euros", prefix="about", **ends))
    (section,) = taken.draft["sections"]
    number = section["questions"][0]["number"]
    assert (section["kind"], number["limits"], number["unit"]) == ("plain", [20, 40, 60, 80], {"en": "euros"})
    result, remark = outcome(taken, "Income?")
    assert (result, "It is recorded in bands, which are only proposed." in remark) == (CHANGED, True)
    assert "left out: prefix." in remark
    assert [line.unmarked for line in taken.lines if line.questions] == [True]
    named = read(question("Q1", "N", "Income?", **ends), question("Q2", "Y", "Well?", relevance='Q1 > "5"'))
    assert "Its answers were made of conditions" in outcome(named, "Income?")[1]
    assert questions_of(named)[1]["show_if"] == {"Q1": ["6+"]}
    for known, lacks in (
        ({}, (None, None)),
        ({"min_num_value_n": "0"}, (0, None)),
        ({"max_num_value_n": "9"}, (None, 9)),
    ):
        taken = read(question("Q2", "N", "Income?", **known))
        assert [line.asks for line in taken.lines if line.questions == ("Q2",)] == [lacks]
        assert "without them this question is left out" in outcome(taken, "Income?")[1]
    no_number = question("Q2", "N", "Income?", **{**ends, "max_num_value_n": "{x}"})
    assert outcome(read(*AGE, no_number), "Income?")[0] == LEFT


def test_unsupported_lime_type_is_left_out_with_the_reason() -> None:
    assert set(KINDS) & set(REFUSAL_REASONS) == set()
    for kind in (*REFUSAL_REASONS, "?"):
        result, reason = outcome(read(*AGE, question("Q2", kind, "Why?")), "Why?")
        assert (result, len(reason) > 20) == (LEFT, True), kind
    hidden = read(*AGE, question("Q2", "Y", "Hidden?", hidden="1"))
    assert outcome(hidden, "Hidden?") == (LEFT, "is hidden in the survey")
    off = [question("off", "Y", "Off?", relevance="0"), group("Never", "Words", scale="G2", relevance="0")]
    taken = read(*AGE, *off, question("b", "Y", "Bee?"))
    assert ([*rules(taken)], remarks_of(taken).count("is hidden in the survey")) == (["Q1"], 3)


def test_texts_of_questions_groups_and_survey_are_imported() -> None:
    other = question("Q1", "L", "How old?", other="Y", other_replace_text="Another one")
    taken = read(other, *answers("18 to 39"))
    assert labels(questions_of(taken)[0]) == ["18 to 39", "Another one"]
    assert "became a choice" in outcome(taken, "How old?")[1]
    taken = read(question("Q1", "L", "How old?", other="Y"), *answers("18 to 39"))
    assert labels(questions_of(taken)[0]) == ["18 to 39", "Something else"]
    # Words of groups and displays are the text of the section that they begin.
    rows = [group("Pay", "<p>About <b>pay</b></p>", scale="G2"), question("X1", "X", "Read this."), *PAID]
    taken = read(*AGE, *rows)
    intros = ("Work", "Pay\n\nAbout pay\n\nRead this.")
    assert [each["intro"] for each in taken.draft["sections"]] == [{"en": words} for words in intros]
    assert questions_of(taken)[1]["help"] == {}
    assert "markup" in outcome(taken, "Pay")[1]
    assert all(line.unmarked for line in taken.lines if line.questions)
    # An expression within words is taken out.
    taken = read(question("Q1", "Y", "Dear {TOKEN:FIRSTNAME}, well?", mandatory="N"))
    assert questions_of(taken)[0]["text"] == {"en": "Dear …, well?"}
    assert "“…” is shown instead" in outcome(taken, "Dear …, well?")[1]
    assert "1 question was not required" in " ".join(taken.remarks)
    words = [("title", "A <b>survey</b>"), ("welcometext", "Welcome!"), ("endtext", "Bye!")]
    draft = read(*AGE, settings=[row("SL", f"surveyls_{name}", text) for name, text in words]).draft
    texts = [{"en": words} for words in ("A survey", "Welcome!", "Bye!")]
    assert [draft[key] for key in ("title", "intro", "thanks")] == texts


def test_exclusive_option_becomes_none_of_these() -> None:
    wanted = question("Q2", "M", "How are you paid?", exclude_all_others="SQ3")
    taken = read(wanted, *subquestions("In cash", "In goods", "Not at all"))
    cash, _goods = questions_of(taken)
    assert cash["none"] == {"en": "Not at all"}
    assert "exclude_all_others" not in outcome(taken, "How are you paid?")[1]
    # Of two options one would be left, which is no question of several.
    kept = read({**wanted, "exclude_all_others": "SQ2"}, *subquestions("In cash", "In goods"))
    assert len(questions_of(kept)) == 2
    assert "exclude_all_others" in outcome(kept, "How are you paid?")[1]
    # And it means nothing where one is chosen.
    assert "none" not in questions_of(read(question("Q1", "Y", "Q?", exclude_all_others="SQ1")))[0]


def test_default_option_is_named_at_its_question() -> None:
    rows = [question("a", "L", "A?", default="A1", validation="/x/"), *answers("x", "y")]
    rows += [question("b", "M", "B?"), *({**each, "default": "Y"} for each in subquestions("x", "y"))]
    taken = read(*rows)
    assert "default, validation" in outcome(taken, "A?")[1]
    assert "left out: default" in outcome(taken, "B?")[1]


# --- answers in random order: each device shuffles them here too, or the loss is named


def as_document(kind: str, *rows: Any, **settings: str) -> ImportResult:
    """The same survey as an .lss file."""
    words = {"gid": "3", "group_name": "Work", "description": "", "language": "en", "group_order": "1"}
    common = {"gid": "3", "language": "en", "relevance": "1", "mandatory": "Y", "scale_id": "0"}
    wanted = {"qid": "7", "parent_qid": "0", "type": kind, "title": "Q1", "question": "Which?"}
    tables: dict[str, list[dict[str, str]]] = {"groups": [words], "questions": [common | wanted]}
    for number, each in enumerate(rows):
        code, text = each["name"], each["text"]
        if each["class"] == "SQ":
            part = {"qid": f"8{number}", "parent_qid": "7", "title": code, "question": text}
            tables.setdefault("subquestions", []).append(common | part)
        else:
            answer = {"qid": "7", "code": code, "answer": text, "language": "en", "scale_id": "0"}
            tables.setdefault("answers", []).append(answer)
    attributes = [{"qid": "7", "attribute": name, "value": value} for name, value in settings.items()]
    tables["question_attributes"] = attributes
    return questionnaire_file.read(lime_document(tables))


def as_rows(kind: str, *rows: Any, **settings: str) -> ImportResult:
    return read(question("Q1", kind, "Which?", **settings), *rows)


SHUFFLED = "Each device shows its answers in a random order."
TWO, THREE = answers("Tea", "Coffee"), answers("Tea", "Coffee", "Water")


@pytest.mark.parametrize("read", [as_rows, as_document])
def test_random_answer_order_is_kept_or_reported(read: Any) -> None:
    for kind, rows, name, value, counts, remark in (
        ("L", THREE, "random_order", "1", [3], SHUFFLED),
        ("L", THREE, "answer_order", "random", [3], SHUFFLED),
        ("!", THREE, "random_order", "1", [3], SHUFFLED),
        ("!", THREE, "answer_order", "random", [3], SHUFFLED),
        ("M", subquestions("Tea", "Coffee"), "random_order", "1", [2, 0], SHUFFLED),
        ("M", subquestions("Tea", "Coffee"), "subquestion_order", "random", [2, 0], SHUFFLED),
        ("L", TWO, "random_order", "0", [0], ""),
        ("L", TWO, "answer_order", "normal", [0], ""),
    ):
        taken = read(kind, *rows, **{name: value})
        assert [each.get("shuffled", 0) for each in questions_of(taken)] == counts, (kind, name, value)
        assert outcome(taken, "Which?") == (CHANGED if remark else CAME, remark), (kind, name, value)
    for kind, rows, name, value in (
        ("F", [*subquestions("Tea", "Coffee"), *answers("Never", "Often")], "random_order", "1"),
        ("A", subquestions("Tea", "Coffee"), "subquestion_order", "random"),
        ("L", answers("Tea"), "random_order", "1"),
        ("L", TWO, "answer_order", "alphabetical"),
    ):
        taken = read(kind, *rows, **{name: value})
        assert not any(each.get("shuffled") for each in questions_of(taken)), (kind, name)
        remark = outcome(taken, "Which?")[1]
        assert f"settings of the question are left out: {name}." in remark, (kind, name)
        assert SHUFFLED not in remark, (kind, name)
    both = read("L", *TWO, random_order="1", answer_order="alphabetical")
    remark = f"{SHUFFLED} These settings of the question are left out: answer_order."
    assert outcome(both, "Which?") == (CHANGED, remark)


# --- conditions


def test_a_condition_becomes_a_rule_or_is_left_out_with_the_reason() -> None:
    before = [
        *AGE,
        *PAID,
        question("Q4", "F", "How often?"),
        *subquestions("Late"),
        *answers("Never", "Often"),
    ]
    for written, rule in {
        'Q1 ne "A2" && Q2_SQ1.NAOK == "Y"': {"Q1": ["A1"], "Q2-SQ1": ["yes"]},
        'Q1.code == "A1" or Q1.value == "A2"': {"Q1": ["A1", "A2"]},
        "is_empty(Q2_SQ1.NAOK)": {"Q2-SQ1": ["no"]},
        'Q4_SQ1.NAOK == "A2"': {"Q4-SQ1": ["A2"]},
    }.items():
        taken = read(*before, question("Q3", "Y", "Well?", relevance=written))
        assert questions_of(taken)[-1]["show_if"] == rule, written
        assert outcome(taken, "Well?") == (CAME, ""), written
    for written in (
        *("Q1.NAOK > 3", 'Q9.NAOK == "Y"', "count(Q2_SQ1, Q2_SQ2) == 1", 'Q1.question == "x"'),
        *('Q1 == "A1" || Q2_SQ1 == "Y"', 'regexMatch("/x/", Q1)', "Q1.NAOK ==", "{Q1}", '"' * 3),
    ):
        taken = read(*before, question("Q3", "Y", "Well?", relevance=written))
        result, remark = outcome(taken, "Well?")
        assert (questions_of(taken)[-1]["show_if"], result) == ({}, CHANGED), written
        assert remark.startswith(f"Its condition {written} is left out, so everybody is asked: it ")
    second = group("More", relevance='Q1.NAOK == "A2"', scale="G2")
    assert rules(read(*AGE, second, question("Q2", "Y", "Well?")))["Q2"] == {"Q1": ["A2"]}
    # Words in a group with a condition are read by everybody.
    words = [group("H", scale="G2", relevance='Q1 == "A1"'), question("words", "X", "Read this")]
    taken = read(*AGE, *words, group("I", scale="G3"), question("b", "Y", "Bee?"))
    assert 'Its condition Q1 == "A1" is left out, so everybody is asked' in remarks_of(taken)


def test_conditions_in_the_table_of_old_versions_become_rules() -> None:
    term = {"scenario": "1", "cfieldname": "9X1X1", "value": "Y"}
    conditions = [{**term, "qid": "2", "method": "=="}, {**term, "qid": "3", "method": "RX"}]
    common = {"gid": "1", "type": "Y", "question": "Q?"}
    wanted = [{**common, "qid": n, "title": f"q{n}", "question_order": n} for n in "123"]
    tables = {"surveys": [{"sid": "9"}], "groups": [{"gid": "1", "group_name": "G"}]}
    taken = questionnaire_file.read(lime_document({**tables, "questions": wanted, "conditions": conditions}))
    assert rules(taken) == {"q1": {}, "q2": {"q1": ["yes"]}, "q3": {}}
    assert "question q3: Its condition" in remarks_of(taken)


# --- languages, and the same as XML


def test_languages_of_a_table_are_combined() -> None:
    settings = [row("S", "language", "en"), row("S", "additional_languages", "zh-Hans de-informal tlhIngan")]
    rows = [question("Q1", "L", "How old?"), *answers("Young", "Old")]
    chinese = [group("工作", language="zh-Hans"), question("Q1", "L", "多大年纪？", language="zh-Hans")]
    chinese += answers("年轻", "年长", language="zh-Hans")
    klingon = [group("vum", language="tlhIngan"), question("Q1", "L", "nuq ben?", language="tlhIngan")]
    taken = read(*rows, *chinese, *klingon, settings=settings)
    (age,) = questions_of(taken)
    assert taken.draft["languages"] == ["en", "zh-hans", "de-informal", "qaa"]
    assert age["text"] == {"en": "How old?", "zh-hans": "多大年纪？", "qaa": "nuq ben?"}
    assert age["choices"][1]["label"] == {"en": "Old", "zh-hans": "年长"}
    assert taken.draft["sections"][0]["intro"] == {"en": "Work", "zh-hans": "工作", "qaa": "vum"}
    assert "tlhIngan: qaa" in " ".join(taken.remarks)


def test_xml_rows_are_in_order_in_every_version() -> None:
    """As versions from 4 on write it, with words in tables of their own, or as older ones do."""
    texts = {"en": ("How old?", "Young", "Old"), "de": ("Wie alt?", "Jung", "Alt")}
    common = {"parent_qid": "0", "gid": "3", "mandatory": "Y"}
    age = {**common, "qid": "7", "type": "L", "title": "age", "question_order": "1"}
    paid = {
        **common, "qid": "8", "type": "Y", "title": "paid", "question_order": "2", "relevance": '1X3X7 == "A2"',
    }  # fmt: skip
    words = [
        {"qid": qid, "question": text[0], "help": "", "language": code}
        for code, text in texts.items()
        for qid in "78"
    ]
    codes = [{"code": f"A{at}", "aid": str(at), "qid": "7", "sortorder": str(3 - at)} for at in (1, 2)]
    labels = [
        {"aid": at, "answer": text[int(at)], "language": code} for code, text in texts.items() for at in "12"
    ]
    titles = [{"surveyls_language": "de", "surveyls_title": "Umfrage"}]
    group = {"gid": "3", "group_order": "1", "grelevance": "1"}
    name = {"gid": "3", "group_name": "Work", "description": "", "language": "en"}
    new: dict[str, list[Any]] = {"groups": [group], "group_l10ns": [name], "questions": [paid, age]}
    new |= {"question_l10ns": words, "answers": codes, "answer_l10ns": labels}
    old: dict[str, list[Any]] = {"groups": [group | name]}
    old["questions"] = [each | text for each in (paid, age) for text in words if text["qid"] == each["qid"]]
    old["answers"] = [code | label for label in labels for code in codes if code["aid"] == label["aid"]]
    for tables in (new, old):
        more = {"surveys": [{"sid": "1", "language": "en"}], "surveys_languagesettings": titles}
        taken = questionnaire_file.read(lime_document({**tables, **more}, ("en", "de")))
        first, second = questions_of(taken)
        assert (taken.draft["languages"], taken.draft["title"]) == (["en", "de"], {"de": "Umfrage"})
        assert first["text"] == {"en": "How old?", "de": "Wie alt?"}
        choices = [choice["label"] for choice in first["choices"]]
        assert choices == [{"en": "Old", "de": "Alt"}, {"en": "Young", "de": "Jung"}]
        assert (second["name"], second["show_if"]) == ("paid", {"age": ["A2"]})
        assert [line.location for line in taken.lines] == ["group 1", "question age", "question paid"]


WELL = {"qid": "7", "gid": "3", "type": "Y", "title": "well", "question": "Well?", "language": "en"}


def test_a_single_question_a_group_and_an_archive_are_read_and_other_files_refused() -> None:
    ends = {"min_num_value_n": "0", "max_num_value_n": "8"}
    attributes = [{"qid": "7", "attribute": name, "value": value} for name, value in ends.items()]
    number: dict[str, Any] = {"questions": [{**WELL, "type": "N"}], "question_attributes": attributes}
    taken = questionnaire_file.read(lime_document({"groups": [{"gid": "3"}], **number}))
    assert questions_of(taken)[0]["number"]["limits"] == [2, 4, 6]
    for kind, groups in {"Question": {}, "Group": {"groups": [{"gid": "3", "group_name": "Work"}]}}.items():
        taken = questionnaire_file.read(lime_document({"questions": [WELL], **groups}, kind=kind))
        assert [*rules(taken)] == ["well"], kind
    for kind in ("Label set", "Responses"):
        (fault,) = faults(lime_document({}, kind=kind))
        assert "is no survey, group or question of LimeSurvey" in fault
    rows = [question("Q1", "T", "Why?"), question("Q2", "D", "When?")]
    places = [fault.partition(":")[0] for fault in faults(lime_table(group("Work"), *rows))]
    assert places == ["the file", "row 5", "row 6"]
    assert "has no questions" in faults(lime_table(group("Work")))[0]


def test_an_archive_is_read_without_its_responses_and_refused_where_it_is_damaged_or_too_large() -> None:
    survey = lime_document({"groups": [{"gid": "3", "group_name": "G"}], "questions": [WELL]})
    assert [*rules(questionnaire_file.read(as_archive(survey)))] == ["well"]
    large = io.BytesIO()
    with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("survey.lss", bytes(MOST_UNPACKED + 1))
    assert "unpacks to more" in faults(large.getvalue())[0]
    whole = as_archive(b"<document>" * 100)
    for size in range(0, len(whole), 7):
        assert faults(whole[:size] or b"PK")


# --- a questionnaire as a table of LimeSurvey, which comes back as the same plain questions

LINK = "https://candor.example/a/x?y=1&z"


def write_lime_survey(*sections: dict[str, Any], **more: Any) -> bytes:
    return tsv_writer.write(read_questionnaire(stored_draft(*sections, **more)), LINK)


def test_plain_questions_survive_a_lime_round_trip() -> None:
    yes_no = {"choices": [{"name": "no", "label": {}}, {"name": "yes", "label": {}}], "form": "yes-no"}
    more = {"text": drafts.bilingual_text("How are you <paid>?"), "show_if": {"work": ["employed"]}}
    cash, goods = ({**each, **more} for each in options("paid", "paid-cash", "paid-goods"))
    both = {"of": "habits", "form": "one", "show_if": {"paid-cash": ["yes"], "sure": ["no"]}}
    data = write_lime_survey(
        plain(
            drafted("work", "employed", "none"),
            drafted("sure", "no", "yes", **yes_no),
            {**cash, "none": drafts.bilingual_text("Not at all")},
            goods,
            drafted("habits-late", "never", "often", help=drafts.bilingual_text("How often?"), **both),
            drafted("habits-absent", "never", "often", **both),
        )
    )
    work, sure, cash, goods, late, absent = questions_of(questionnaire_file.read(data))
    assert [each["label"]["en"] for each in work["choices"]] == ["employed", "none"]
    assert (sure["form"], cash["form"], late["of"]) == ("yes-no", "many", absent["of"])
    assert cash["text"] == {"en": "How are you <paid>?"}
    assert cash["none"] == {"en": "Not at all"}
    assert [each["choices"][1]["label"]["en"] for each in (cash, goods)] == ["paid-cash", "paid-goods"]
    assert cash["show_if"] == {work["name"]: [work["choices"][0]["name"]]}
    assert late["show_if"] == {cash["name"]: ["yes"], "sure": ["no"]}


def test_disguised_questions_are_exported_as_a_link_and_drawn_ones_left_out() -> None:
    sections = [plain(drafted("work")), sensitive(drafted("debt")), sensitive(drafted("theft"))]
    data = write_lime_survey(*sections, plain(drafted("age")), languages=["en", "de"])
    assert b"debt" not in data
    assert data.count(b"candor2") == 2
    assert 'href=""https://candor.example/a/x?y=1&amp;z""' in data.decode()
    assert "Die nächsten Fragen" in data.decode()
    assert [*rules(questionnaire_file.read(data))] == ["work", "age"]
    draft = read_questionnaire(stored_draft(plain(drawn_question("version", "a", "b"), drafted("work"))))
    assert tsv_writer.unsupported_questions(draft) == ["version"]
    assert [*rules(questionnaire_file.read(tsv_writer.write(draft, LINK)))] == ["work"]
