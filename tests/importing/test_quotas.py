"""Quotas of files: those of one or two plain answers come in, the others are named with the reason."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from importing import candor_format, questionnaire_file
from importing.faults import FileRefused
from importing.import_result import CHANGED, LEFT, ImportResult
from importing.sensitivity_choice import make_unticked_sensitive
from importing.xlsform import unsupported_parts
from surveys.kinds.read_draft import read_questionnaire
from surveys.models import Survey
from tests.builder.written import draft, plain, question as asked_question, sensitive
from tests.cast import As
from tests.importing.conftest import read_here
from tests.importing.lime_files import HEADER, answers, document, group, parts, question, table
from tests.importing.test_limesurvey import read
from tests.importing.test_qualtrics import AGE, PAID, shown_if, survey

__all__ = ["read_here"]
pytestmark = pytest.mark.page
COLUMNS = (*HEADER, "default", "same_default")


def member(quota: str, code: str) -> Any:
    return {"class": "QTAM", "related_id": quota, "name": code}


def quota(number: str, name: str, limit: str, active: str = "1") -> Any:
    return {"class": "QTA", "id": number, "name": name, "mandatory": limit, "other": "1", "default": active}


def lines(taken: ImportResult) -> list[tuple[str, str, str]]:
    return [
        (line.words, line.outcome, " ".join(line.remarks))
        for line in taken.lines
        if line.location.startswith("quota ")
    ]


def limed(*rows: Any) -> ImportResult:
    return questionnaire_file.read(table(group("Work"), *rows, header=COLUMNS))


SEX = [question("sex", "G", "Sex?")]
TWO = [question("age", "L", "How old?"), *answers("Young", "Old")]
USED = [question("used", "M", "Used?"), *parts("Bus", "Car")]
OFTEN = [question("often", "F", "How often?"), *parts("Late", "Absent"), *answers("Never", "Often")]


def test_quotas_of_a_table_of_limesurvey_come_in() -> None:
    taken = limed(
        *(*SEX, member("1", "F"), member("2", "M")),
        *(*TWO, member("2", "A2")),
        *(quota("1", "Women", "200"), quota("2", "Old men", "30")),
    )
    assert taken.draft["quotas"] == [
        {"answers": {"sex": "F"}, "limit": 200},
        {"answers": {"sex": "M", "age": "A2"}, "limit": 30},
    ]
    assert [line[:2] for line in lines(taken)] == [("Women", CHANGED), ("Old men", CHANGED)]
    taken = limed(
        *(*USED, member("3", "SQ1")),
        *(*OFTEN, member("4", "SQ2-A2")),
        *(quota("3", "Bus", "40"), quota("4", "Absent", "50")),
    )
    assert taken.draft["quotas"] == [
        {"answers": {"used-SQ1": "yes"}, "limit": 40},
        {"answers": {"often-SQ2": "A2"}, "limit": 50},
    ]
    assert [line[:2] for line in lines(taken)] == [("Bus", CHANGED), ("Absent", CHANGED)]


def test_quotas_of_a_third_question_set_are_named() -> None:
    taken = limed(
        *(*SEX, member("1", "F"), member("2", "M"), member("4", "M")),
        *(*TWO, member("2", "A2"), member("3", "A1")),
        *(quota(number, f"Q{number}", "40") for number in "1234"),
    )
    assert [node["answers"] for node in taken.draft["quotas"]] == [
        {"sex": "F"},
        {"sex": "M", "age": "A2"},
        {"sex": "M"},
    ]
    assert [line[0] for line in lines(taken) if line[1] == LEFT] == ["Q3"]
    assert any("a third set of questions" in " ".join(line) for line in lines(taken))


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([*SEX, member("1", "F"), quota("1", "Q", "29")], "fewer than 30 people"),
        ([*SEX, member("1", "F"), quota("1", "Q", "many")], "fewer than 30 people"),
        ([*SEX, member("1", "F"), quota("1", "Q", "90", active="0")], "is switched off"),
        ([*SEX, quota("1", "Q", "90")], "names no answers"),
        (
            [*TWO, member("1", "A1"), member("1", "A2"), quota("1", "Q", "90")],
            "several answers of one question",
        ),
        (
            [
                *SEX,
                member("1", "F"),
                *TWO,
                member("1", "A1"),
                *USED,
                member("1", "SQ1"),
                quota("1", "Q", "90"),
            ],
            "more than two answers",
        ),
        (
            [
                *TWO,
                question("boss", "Y", "Boss?", relevance='age == "A2"'),
                member("1", "Y"),
                quota("1", "Q", "90"),
            ],
            "not everybody is asked",
        ),
        ([*SEX, question("name", "S", "Name?"), member("1", "x"), quota("1", "Q", "90")], "did not come in"),
        (
            [*SEX, member("1", "F"), member("2", "F"), quota("1", "P", "60"), quota("2", "Q", "90")],
            "the same answers as an earlier one",
        ),
    ],
)
def test_other_quotas_are_named_with_the_reason(rows: list[Any], reason: str) -> None:
    words, outcome, remarks = lines(limed(*rows))[-1]
    assert (words, outcome) == ("Q", LEFT)
    assert reason in remarks


def test_quotas_of_an_xml_file_of_limesurvey_come_in() -> None:
    tables = {
        "groups": [{"gid": "3", "group_name": "Work"}],
        "questions": [{"qid": "7", "gid": "3", "type": "Y", "title": "well", "question": "Well?"}],
        "quota": [
            {"id": "5", "name": "Well", "qlimit": "100", "action": "1", "active": "1"},
            {"id": "6", "name": "Off", "qlimit": "100", "action": "1", "active": "0"},
        ],
        "quota_members": [
            {"id": "1", "qid": "7", "quota_id": "5", "code": "Y"},
            {"id": "2", "qid": "7", "quota_id": "6", "code": "N"},
            {"id": "3", "qid": "7", "quota_id": "9", "code": "N"},
        ],
    }
    taken = questionnaire_file.read(document(tables))
    assert taken.draft["quotas"] == [{"answers": {"well": "yes"}, "limit": 100}]
    assert [line[:2] for line in lines(taken)] == [("Well", CHANGED), ("Off", LEFT)]


def test_a_file_without_quotas_has_no_such_member() -> None:
    assert "quotas" not in read(*SEX).draft


def qualtrics(*quotas: dict[str, Any]) -> ImportResult:
    content = json.loads(survey(AGE, PAID))
    content["SurveyElements"] += [
        {"Element": "QO", "PrimaryAttribute": f"QO_{n}", "Payload": payload}
        for n, payload in enumerate(quotas)
    ]
    return questionnaire_file.read(json.dumps(content).encode())


def payload(*terms: str, limit: object = 100, does: str = "EndCurrentSurvey", **more: str) -> dict[str, Any]:
    return {"Name": "Q", "Occurrences": limit, "Logic": shown_if(*terms, **more), "QuotaAction": does}


def test_quotas_of_qualtrics_come_in() -> None:
    taken = qualtrics(payload("QID1/2"), payload("QID1/1", "QID2/1", limit="40"))
    assert taken.draft["quotas"] == [
        {"answers": {"QID1": "2"}, "limit": 100},
        {"answers": {"QID1": "1", "paid-1": "yes"}, "limit": 40},
    ]


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (payload("QID1/2", does="ForBranching"), "does not end the survey"),
        (payload("QID1/2", sign="NotSelected"), "a condition that no quota here can say"),
        (payload("QID1/1", "QID2/1", joined="Or"), "a condition that no quota here can say"),
        (payload("QID1/9"), "did not come in"),
        (payload("QID1/2", limit=5), "fewer than 30 people"),
        ({"Name": "Q", "QuotaAction": "EndCurrentSurvey"}, "a condition that no quota here can say"),
    ],
)
def test_other_quotas_of_qualtrics_are_named(made: dict[str, Any], reason: str) -> None:
    ((words, outcome, remarks),) = lines(qualtrics(made))
    assert (words, outcome) == ("Q", LEFT)
    assert reason in remarks


def test_a_quota_of_a_question_that_becomes_sensitive_is_left_out() -> None:
    taken = limed(
        *SEX, member("1", "F"), *TWO, member("2", "A1"), quota("1", "W", "60"), quota("2", "Y", "60")
    )
    whole = read_questionnaire(taken.draft)
    assert len(make_unticked_sensitive(whole, [["sex"], ["age"]], {0, 1}).quotas) == 2
    assert [
        dict(kept.answers) for kept in make_unticked_sensitive(whole, [["sex"], ["age"]], {0}).quotas
    ] == [{"sex": "F"}]
    # What stands after a sensitive question cannot be counted either.
    assert make_unticked_sensitive(whole, [["sex"], ["age"]], {1}).quotas == ()


def test_the_person_is_told_which_quotas_were_left_out(
    owner: Person, signed_in_as: As, read_here: None
) -> None:
    client: Client = signed_in_as(owner)
    data = table(group("Work"), *SEX, member("1", "F"), quota("1", "W", "60"), header=COLUMNS)
    page = client.post(reverse("importing:import"), {"file": SimpleUploadedFile("s.txt", data)})
    assert "told as full some people above its number" in page.text
    ticket = page.context["ticket"]
    done = client.post(reverse("importing:import-accept"), {"ticket": ticket}, follow=True)
    assert "These quotas are left out" in done.text
    assert "Sex? Female" in done.text
    assert "quotas" not in Survey.objects.get().draft


QUOTAS = [{"answers": {"age": "young"}, "limit": 60}]


def test_our_own_file_keeps_quotas_and_a_spreadsheet_names_them() -> None:
    made = draft(plain(asked_question("age", "young", "old")), quotas=QUOTAS)
    assert candor_format.read(candor_format.write(made.as_json()))["quotas"] == QUOTAS
    assert "the quotas" in unsupported_parts(made)
    assert "the quotas" not in unsupported_parts(draft(plain(asked_question("age", "young", "old"))))


def test_our_own_file_with_a_quota_on_a_sensitive_answer_is_refused_with_the_reason() -> None:
    made = draft(sensitive(asked_question("age", "young", "old")), quotas=QUOTAS)
    with pytest.raises(FileRefused, match="would betray it"):
        candor_format.read(candor_format.write(made.as_json()))
