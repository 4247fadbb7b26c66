"""A questionnaire as a table of LimeSurvey, which comes back as the same plain questions."""

from typing import Any

from importing import questionnaire_file
from importing.limesurvey import tsv_writer
from surveys.kinds.read_draft import read_questionnaire
from tests.builder.written import drawn, plain, question, sensitive, stored
from tests.surveys.drafts import said

LINK = "https://candor.example/a/x?y=1&z"
YES_NO = {"choices": [{"name": "no", "label": {}}, {"name": "yes", "label": {}}], "form": "yes-no"}


def option(name: str, label: str, **more: Any) -> dict[str, Any]:
    choices = [{"name": "no", "label": {}}, {"name": "yes", "label": said(label)}]
    made = question(name, "no", "yes", text=said("How are you <paid>?"), of="paid", form="many", **more)
    return {**made, "choices": choices}


def line(name: str, **more: Any) -> dict[str, Any]:
    return question(name, "never", "often", of="habits", form="one", text=said(f"{name}?"), **more)


def written(*sections: dict[str, Any], **more: Any) -> bytes:
    return tsv_writer.write(read_questionnaire(stored(*sections, **more)), LINK)


def questions(data: bytes) -> list[dict[str, Any]]:
    return [
        each for section in questionnaire_file.read(data).draft["sections"] for each in section["questions"]
    ]


def test_what_is_written_comes_back_or_is_named() -> None:
    # Plain questions come back with their answers and rules.
    asked = [
        question("work", "employed", "none"),
        question("sure", "no", "yes", **YES_NO),
        option("paid-cash", "In cash", none=said("Not at all"), show_if={"work": ["employed"]}),
        option("paid-goods", "In goods", show_if={"work": ["employed"]}),
        line("habits-late", help=said("How often?"), show_if={"paid-cash": ["yes"], "sure": ["no"]}),
        line("habits-absent", show_if={"paid-cash": ["yes"], "sure": ["no"]}),
    ]
    work, sure, cash, goods, late, absent = questions(written(plain(*asked)))
    assert [each["label"]["en"] for each in work["choices"]] == ["employed", "none"]
    assert (sure["form"], cash["form"], late["of"]) == ("yes-no", "many", absent["of"])
    assert cash["text"] == {"en": "How are you <paid>?"}
    assert cash["none"] == {"en": "Not at all"}
    assert [each["choices"][1]["label"]["en"] for each in (cash, goods)] == ["In cash", "In goods"]
    assert cash["show_if"] == {work["name"]: [work["choices"][0]["name"]]}
    assert late["show_if"] == {cash["name"]: ["yes"], "sure": ["no"]}
    # In place of the disguised part there is a link in every language.
    data = written(
        plain(question("work")),
        sensitive(question("debt")),
        sensitive(question("theft")),
        plain(question("age")),
        languages=["en", "de"],
    )
    assert b"debt" not in data
    assert data.count(b"candor2") == 2
    text = data.decode()
    assert 'href=""https://candor.example/a/x?y=1&amp;z""' in text
    assert "Die nächsten Fragen" in text
    assert [each["name"] for each in questions(data)] == ["work", "age"]
    # A question that devices draw is named and left out.
    draft = read_questionnaire(stored(plain(drawn("version", "a", "b"), question("work"))))
    assert tsv_writer.unsupported_questions(draft) == ["version"]
    assert [each["name"] for each in questions(tsv_writer.write(draft, LINK))] == ["work"]
