"""Quotas of files: those of one or two plain answers come in, the others are named with the reason."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from importing import candor_format, questionnaire_file
from importing.apply_sensitivity_choice import make_unticked_sensitive
from importing.faults import FileRefused
from importing.import_result import CHANGED, LEFT, ImportResult
from importing.xlsform import unsupported_parts
from surveys.kinds.read_draft import read_questionnaire
from surveys.models import Survey
from tests.importing.flow.made_files import (
    LIME_HEADER,
    LIME_SETTINGS,
    answers,
    choose_many,
    choose_one,
    group,
    lime_document,
    lime_table,
    logic,
    qualtrics,
    question,
    quota,
    row,
    subquestions,
    term,
)
from tests.surveys.drafts import draft, plain, question as asked_question, sensitive

pytestmark = pytest.mark.page
SEX = question("sex", "G", "Sex?")
TWO = [question("age", "L", "How old?"), *answers("Young", "Old")]
USED = [question("used", "M", "Used?"), *subquestions("Bus", "Car")]
OFTEN = [question("often", "F", "How often?"), *subquestions("Late", "Absent"), *answers("Never", "Often")]


def member(quota: str, code: str) -> Any:
    return row("QTAM", code, related_id=quota)


def as_table(*rows: Any) -> bytes:
    return lime_table(group("Work"), *rows, header=(*LIME_HEADER, *LIME_SETTINGS))


def read(*rows: Any) -> ImportResult:
    return questionnaire_file.read(as_table(*rows))


def quota_lines(taken: ImportResult) -> list[tuple[str, str, str]]:
    rows = [line for line in taken.lines if line.location.startswith("quota ")]
    return [(line.words, line.outcome, " ".join(line.remarks)) for line in rows]


def test_limesurvey_quotas_are_imported() -> None:
    members = [SEX, member("1", "F"), member("2", "M"), *TWO, member("2", "A2")]
    taken = read(*members, quota("1", "Women", "200"), quota("2", "Old men", "30"))
    old_men = {"answers": {"sex": "M", "age": "A2"}, "limit": 30}
    assert taken.draft["quotas"] == [{"answers": {"sex": "F"}, "limit": 200}, old_men]
    assert [line[:2] for line in quota_lines(taken)] == [("Women", CHANGED), ("Old men", CHANGED)]
    members = [*USED, member("3", "SQ1"), *OFTEN, member("4", "SQ2-A2")]
    assert read(*members, quota("3", "Bus", "40"), quota("4", "Absent", "50")).draft["quotas"] == [
        {"answers": {"used-SQ1": "yes"}, "limit": 40},
        {"answers": {"often-SQ2": "A2"}, "limit": 50},
    ]
    assert "quotas" not in read(SEX).draft
    well = {"qid": "7", "gid": "3", "type": "Y", "title": "well", "question": "Well?"}
    quotas = [
        {"id": number, "name": name, "qlimit": "100", "action": "1", "active": active}
        for number, name, active in (("5", "Well", "1"), ("6", "Off", "0"))
    ]
    codes = {"5": "Y", "6": "N", "9": "N"}
    members = [{"qid": "7", "quota_id": number, "code": code} for number, code in codes.items()]
    tables = {"groups": [{"gid": "3", "group_name": "Work"}], "questions": [well]}
    taken = questionnaire_file.read(lime_document({**tables, "quota": quotas, "quota_members": members}))
    assert taken.draft["quotas"] == [{"answers": {"well": "yes"}, "limit": 100}]
    assert [line[:2] for line in quota_lines(taken)] == [("Well", CHANGED), ("Off", LEFT)]


def test_quotas_on_a_third_question_set_are_named() -> None:
    members = [SEX, member("1", "F"), member("2", "M"), member("4", "M")]
    members += [*TWO, member("2", "A2"), member("3", "A1")]
    taken = read(*members, *(quota(number, f"Q{number}", "40") for number in "1234"))
    sets = [{"sex": "F"}, {"sex": "M", "age": "A2"}, {"sex": "M"}]
    assert [node["answers"] for node in taken.draft["quotas"]] == sets
    ((name, _left, remark),) = [line for line in quota_lines(taken) if line[1] == LEFT]
    assert (name, "a third set of questions" in remark) == ("Q3", True)


WOMEN, YOUNG = member("1", "F"), member("1", "A1")
BOSS = question("boss", "Y", "Boss?", relevance='age == "A2"')


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([SEX, WOMEN, quota("1", "Q", "29")], "no number of people from 30 to"),
        ([SEX, WOMEN, quota("1", "Q", "many")], "no number of people from 30 to"),
        ([SEX, WOMEN, quota("1", "Q", "90", active="0")], "is switched off"),
        ([SEX, quota("1", "Q", "90")], "names no answers"),
        ([*TWO, YOUNG, member("1", "A2"), quota("1", "Q", "90")], "several answers of one question"),
        ([SEX, WOMEN, *TWO, YOUNG, *USED, member("1", "SQ1"), quota("1", "Q", "90")], "more than two answers"),
        ([*TWO, BOSS, member("1", "Y"), quota("1", "Q", "90")], "not everybody is asked"),
        ([SEX, question("name", "S", "Name?"), member("1", "x"), quota("1", "Q", "90")], "did not come in"),
        (
            [SEX, WOMEN, member("2", "F"), quota("1", "P", "60"), quota("2", "Q", "90")],
            "the same answers as an earlier one",
        ),
    ],
)  # fmt: skip
def test_other_limesurvey_quotas_are_named_with_the_reason(rows: list[Any], reason: str) -> None:
    words, outcome, remarks = quota_lines(read(*rows))[-1]
    assert (words, outcome, reason in remarks) == ("Q", LEFT, True)


def test_qualtrics_quotas_are_imported_or_named() -> None:
    def payload(*terms: Any, limit: object = 100, does: str = "EndCurrentSurvey") -> dict[str, Any]:
        return {"Name": "Q", "Occurrences": limit, "Logic": logic([*terms]), "QuotaAction": does}

    def read(*quotas: Any) -> ImportResult:
        questions = [
            choose_one("How old?", "18 to 39", "40 or older"),
            choose_many("How paid?", "In cash", "In goods"),
        ]
        return questionnaire_file.read(qualtrics(questions, quotas=quotas))

    old, young, cash = term("QID1/2"), term("QID1/1"), term("QID2/1")
    assert read(payload(old), payload(young, cash, limit="40")).draft["quotas"] == [
        {"answers": {"Q1": "2"}, "limit": 100},
        {"answers": {"Q1": "1", "Q2-1": "yes"}, "limit": 40},
    ]
    no_quota = "a condition that no quota here can say"
    for made, reason in (
        (payload(old, does="ForBranching"), "does not end the survey"),
        (payload(term("QID1/2", "NotSelected")), no_quota),
        (payload(young, term("QID2/1", joint="Or")), no_quota),
        (payload(term("QID1/9")), "did not come in"),
        (payload(old, limit=5), "no number of people from 30 to"),
        (payload(old, limit=9_999_999_999), "no number of people from 30 to"),
        ({"Name": "Q", "QuotaAction": "EndCurrentSurvey"}, no_quota),
    ):
        ((words, outcome, remarks),) = quota_lines(read(made))
        assert (words, outcome, reason in remarks) == ("Q", LEFT, True), reason


def test_quota_on_a_question_that_becomes_sensitive_is_dropped() -> None:
    members = [SEX, WOMEN, *TWO, member("2", "A1")]
    whole = read_questionnaire(read(*members, quota("1", "W", "60"), quota("2", "Y", "60")).draft)

    def remaining_quotas(ticked: set[int]) -> list[dict[str, str]]:
        quotas = make_unticked_sensitive(whole, [["sex"], ["age"]], ticked).quotas
        return [dict(quota.answers) for quota in quotas]

    assert (remaining_quotas({0, 1}), remaining_quotas({0})) == (
        [{"sex": "F"}, {"age": "A1"}],
        [{"sex": "F"}],
    )
    # What stands after a sensitive question cannot be counted either.
    assert remaining_quotas({1}) == []


@pytest.mark.usefixtures("read_here")
def test_person_is_told_which_quotas_were_dropped(reading: Client) -> None:
    upload = SimpleUploadedFile("s.txt", as_table(SEX, WOMEN, quota("1", "W", "60")))
    page = reading.post(reverse("importing:import"), {"file": upload})
    assert "told as full some people above its number" in page.text
    ticket = page.context["ticket"]
    done = reading.post(reverse("importing:import-accept"), {"ticket": ticket}, follow=True)
    assert "These quotas are left out" in done.text
    assert "Sex? Female" in done.text
    assert "quotas" not in Survey.objects.get().draft


def test_own_file_keeps_quotas_and_a_spreadsheet_names_them() -> None:
    quotas, age = [{"answers": {"age": "young"}, "limit": 60}], asked_question("age", "young", "old")
    made = draft(plain(age), quotas=quotas)
    assert candor_format.read(candor_format.write(made.as_json()))["quotas"] == quotas
    assert "the quotas" in unsupported_parts(made)
    assert "the quotas" not in unsupported_parts(draft(plain(age)))
    with pytest.raises(FileRefused, match="would betray it"):
        candor_format.read(candor_format.write(draft(sensitive(age), quotas=quotas).as_json()))
