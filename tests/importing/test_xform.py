"""ODK XForms come in as the XLSForms that they are compiled from."""

from typing import Any

import pytest

from importing import questionnaire_file
from importing.faults import FileRefused
from importing.import_result import LEFT, ImportResult
from tests.importing import xforms
from tests.importing.xforms import TEXTS, YES_NO, bind, form, itemset, select


def questions_in(taken: ImportResult) -> list[dict[str, Any]]:
    return [question for section in taken.draft["sections"] for question in section["questions"]]


def rules(data: bytes) -> dict[str, Any]:
    return {each["name"]: each.get("show_if", {}) for each in questions_in(questionnaire_file.read(data))}


def remarks(taken: ImportResult, location: str) -> str:
    return " ".join(remark for line in taken.lines if line.location == location for remark in line.remarks)


def refused(data: bytes) -> str:
    with pytest.raises(FileRefused) as found:
        questionnaire_file.read(data)
    return " ".join(reason for _place, reason in found.value.faults)


def test_questions_conditions_numbers_and_repeats_of_a_whole_form() -> None:
    taken = questionnaire_file.read(xforms.WHOLE)
    assert rules(xforms.WHOLE) == {
        "ok": {},
        "why-y": {"ok": ["y"]},
        "why-n": {"ok": ["y"]},
        "age": {"ok": ["y"], "why-n": ["yes"]},
    }
    age = questions_in(taken)[-1]
    assert (age["number"]["low"], age["number"]["high"]) == (0, 90)
    assert age["text"] == {"en": "Age of …"}
    left = [line.location for line in taken.lines if line.outcome == LEFT]
    assert left == ["group r", "question in", "question start"]
    assert "cell default" in remarks(taken, "question age")
    assert taken.draft["title"] == {"en": "Survey"}


def test_texts_in_several_languages_have_the_main_one_of_the_form() -> None:
    items = "".join(
        f"<item><label ref=\"jr:itext('{word}')\"/><value>{word}</value></item>" for word in ("yes", "no")
    )
    body = f'<select1 ref="/data/q"><label ref="jr:itext(\'q:label\')"/>{items}</select1>'
    taken = questionnaire_file.read(form(body, "<q/>", model=TEXTS))
    assert taken.draft["languages"] == ["zh-hans", "en"]
    (asked,) = questions_in(taken)
    assert asked["text"] == {"zh-hans": "是这样吗？", "en": "Is it so?"}
    assert {each["name"]: each["label"]["zh-hans"] for each in asked["choices"]} == {
        "yes": "对",
        "no": "不对",
    }


@pytest.mark.parametrize(
    ("written", "rule"),
    [
        ("/data/a = 'y'", {"a": ["y"]}),
        (" /data/a  != 'y' ", {"a": ["n"]}),
        ("../a='n'", {"a": ["n"]}),
        ("current()/../a = 'y'", {"a": ["y"]}),
        ("selected(/data/a, 'y')", {"a": ["y"]}),
        ("not(/data/a = '/data/a')", None),
        ("/data/nobody = 'y'", None),
        ("count-selected(/data/a) &gt; 1", None),
        ("/data/a[1] = 'y'", None),
    ],
)
def test_a_condition_becomes_a_rule_or_is_named(written: str, rule: dict[str, list[str]] | None) -> None:
    taken = questionnaire_file.read(
        form(select("a") + select("b"), "<a/><b/>", bind("a") + bind("b", relevant=written))
    )
    assert questions_in(taken)[1].get("show_if", {}) == (rule or {})
    assert ("is left out, so everybody is asked" in remarks(taken, "question b")) is (rule is None)


def test_nodes_of_one_name_in_two_groups_are_told_apart() -> None:
    groups = "".join(f'<group ref="/data/{name}">{select(f"{name}/q")}</group>' for name in "ab")
    data = form(groups + select("c"), "<a><q/></a><b><q/></b><c/>", bind("c", relevant="/data/b/q = 'y'"))
    assert rules(data) == {"data-a-q": {}, "data-b-q": {}, "c": {"data-b-q": ["y"]}}


def test_the_condition_of_a_node_without_a_group_holds_for_all_below_it() -> None:
    data = form(
        select("a") + select("g/b") + f'<group ref="/data/g">{select("g/c")}</group>',
        "<a/><g><b/><c/></g>",
        bind("g", relevant="/data/a = 'y'") + bind("g/b", relevant="/data/a != 'n'"),
    )
    assert rules(data) == {"a": {}, "b": {"a": ["y"]}, "c": {"a": ["y"]}}


def test_lists_of_the_model_are_shared_filtered_and_shuffled() -> None:
    filtered = itemset("instance('towns')/root/item[region = /data/region ]")
    data = form(
        select("region", items=itemset("randomize(instance('regions')/root/item)"))
        + select("town", items=filtered)
        + select("again", items=itemset("instance('regions')/root/item")),
        "<region/><town/><again/>",
        bind("again", relevant="/data/town = '1'"),
    )
    taken = questionnaire_file.read(data)
    region, north, south, again = questions_in(taken)
    assert region["shuffled"]
    assert north["show_if"] == {"region": ["n"]}
    assert [each["label"]["en"] for each in north["choices"]] == ["Ashby", "Other"]
    assert [each["label"]["en"] for each in south["choices"]] == ["Selby", "Other"]
    assert again["show_if"] == {}
    assert "joins different questions by or" in remarks(taken, "question again")


def test_choices_of_other_files_and_earlier_answers_are_left_out_by_name() -> None:
    taken = questionnaire_file.read(
        form(
            select("a")
            + select("b", items=itemset("instance('file')/root/item"))
            + select("c", items=itemset("/data/r/x"))
            + "<odk:rank ref='/data/d'><label>D</label>" + YES_NO + "</odk:rank>"
            + "<upload ref='/data/e' mediatype='image/*'><label>E</label></upload>"
            + "<trigger ref='/data/f'><label>F</label></trigger>"
            + "<odk:strange ref='/data/g'><label>G</label></odk:strange>",
            "<a/><b/><c/><d/><e/><f/><g/>",
        )
    )  # fmt: skip
    left = {line.location: line.remarks[0] for line in taken.lines if line.outcome == LEFT}
    assert list(left) == [f"question {name}" for name in "bcdefg"]
    assert "another file" in left["question b"]
    assert "earlier answers" in left["question c"]


def test_notes_ranges_computed_nodes_and_presets_are_read_or_named() -> None:
    taken = questionnaire_file.read(
        form(
            "<input ref='/data/n'><label>Welcome</label></input>"
            "<range ref='/data/r' start='0' end='10' step='2'><label>How much?</label></range>"
            "<input ref='/data/t'><label>Your name?</label></input>"
            + select("q")
            + "<setvalue event='odk-instance-first-load' ref='/data/q' value='y'/>",
            "<n/><r/><t/><q/><c/>",
            bind("n", type="string", readonly="true()")
            + bind("r", type="int")
            + bind("c", calculate="1 + 1")
            + bind("meta/instanceID", calculate="uuid()"),
        )
    )
    number, asked = questions_in(taken)
    assert (number["number"]["high"], number["number"]["step"]) == (10, 2)
    assert taken.draft["sections"][0]["intro"] == {"en": "Welcome"}
    assert "cell default" in remarks(taken, f"question {asked['name']}")
    left = [line.location for line in taken.lines if line.outcome == LEFT]
    assert left == ["question t", "question c"]


def test_older_forms_name_nodes_by_the_id_of_a_bind_and_by_the_group() -> None:
    body = (
        f"<select1 bind='first'><label>A</label>{YES_NO}</select1>"
        f"<group ref='/data/g'><select1 ref='b'><label>B</label>{YES_NO}</select1></group>"
    )
    binds = "<bind id='first' nodeset='/data/a'/>" + bind("g/b", relevant="/data/a = 'y'")
    assert rules(form(body, "<a/><g><b/></g>", binds)) == {"a": {}, "b": {"a": ["y"]}}


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
QUESTION = select("q"), "<q/>"
HOSTILE = {
    "entities": (form(*QUESTION, more=f'<!DOCTYPE h [<!ENTITY l0 "ha">{LAUGHS}]>', title="&l9;"), "document type"),
    "a file": (form(*QUESTION, more='<!DOCTYPE h [<!ENTITY f SYSTEM "file:///etc/passwd">]>'), "document type"),
    "groups in groups": (form("<group>" * 200 + "</group>" * 200), "holds more"),
    "nodes in nodes": (form("", "<a>" * 200 + "</a>" * 200), "holds more"),
    "elements": (form("<group/>" * 310_000), "holds more"),
    "long paths": (form(select("q"), f"<{'n' * 600}/>"), "holds more"),
    "columns": (
        form(
            select("q", items=itemset("instance('w')/root/item")),
            "<q/>",
            f"<instance id='w'><root><item>{''.join(f'<c{n}>1</c{n}>' for n in range(400))}</item></root></instance>",
        ),
        "holds more",
    ),
    "half": (xforms.WHOLE[:900], "damaged XML"),
    "no model": (b'<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:body/></h:html>', "web page"),
    "no question": (form("<input ref='/data/t'><label>Name?</label></input>", "<t/>"), "free answers"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_form_is_refused(name: str) -> None:
    data, reason = HOSTILE[name]
    assert reason in refused(data)


def test_as_many_questions_and_choices_as_elements_allow_end_in_time() -> None:
    many = "".join(f"<item><label>{n}</label><value>v{n}</value></item>" for n in range(30_000))
    taken = questionnaire_file.read(form(select("a") + select("q", items=many), "<a/><q/>"))
    assert "more rows below it" in str(taken.lines)
    groups = "".join(f'<group ref="/data/g{n}">{select(f"g{n}/q")}</group>' for n in range(1_500))
    nodes = "".join(f"<g{n}><q/></g{n}>" for n in range(1_500))
    assert "more rows below it" in str(questionnaire_file.read(form(groups, nodes)).lines)
