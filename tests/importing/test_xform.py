"""ODK XForms come in as the XLSForms that they are compiled from.

Who is asked what after `relevant` of nodes and groups: tests/importing/flow, by brute force.
"""

from collections.abc import Callable

import pytest

from importing import questionnaire_file
from importing.import_result import LEFT
from tests.importing.conftest import faults, questions_of, remarks_of, rules

NAMESPACES = (
    'xmlns="http://www.w3.org/2002/xforms" xmlns:h="http://www.w3.org/1999/xhtml"'
    ' xmlns:jr="http://openrosa.org/javarosa" xmlns:odk="http://www.opendatakit.org/xforms"'
)
YES_NO = "<item><label>Yes</label><value>y</value></item><item><label>No</label><value>n</value></item>"


def form(
    body: str, data: str = "", binds: str = "", *, model: str = "", title: str = "Survey", more: str = ""
) -> bytes:
    """`data`: the nodes in /data. `model`: texts and lists. `more`: before the root."""
    return (
        f'<?xml version="1.0"?>{more}<h:html {NAMESPACES}><h:head><h:title>{title}</h:title>'
        f'<model>{model}<instance><data id="x">{data}<meta><instanceID/></meta></data></instance>{LISTS}{binds}'
        f"</model></h:head><h:body>{body}</h:body></h:html>"
    ).encode()


def select(path: str, label: str = "", items: str = YES_NO, kind: str = "select1") -> str:
    return f'<{kind} ref="/data/{path}"><label>{label or path}</label>{items}</{kind}>'


def bind(path: str, **attributes: str) -> str:
    written = "".join(f' {name.replace("__", ":")}="{value}"' for name, value in attributes.items())
    return f'<bind nodeset="/data/{path}"{written}/>'


def itemset(nodeset: str) -> str:
    return f'<itemset nodeset="{nodeset}"><value ref="name"/><label ref="label"/></itemset>'


def _list(identity: str, *rows: str) -> str:
    """Of items with a name, a label and a region."""
    cells = (row.split() for row in rows)
    items = (
        f"<item><name>{n}</name><label>{text}</label><region>{at}</region></item>" for n, text, at in cells
    )
    return f'<instance id="{identity}"><root>{"".join(items)}</root></instance>'


LISTS = _list("regions", "n North -", "s South -")
LISTS += _list("towns", "1 Ashby n", "2 Other n", "1 Selby s", "2 Other s")
TEXTS = "".join(
    f'<translation lang="{code}">'
    + "".join(f'<text id="{key}"><value>{text}</value></text>' for key, text in texts.items())
    + "</translation>"
    for code, texts in {
        "English (en)": {"q:label": "Is it so?", "yes": "Yes", "no": "No"},
        'zh-Hans" default="true()': {"q:label": "是这样吗？", "yes": "对", "no": "不对"},
    }.items()
)
BIG: dict[str, Callable[[], bytes]] = {
    "xform: 290,000 choices": lambda: form(
        select("q", items="<item><value>v</value></item>" * 140_000), "<q/>"
    ),
    "xform: one name of megabytes": lambda: form(select("q"), f"<{'n' * 4_000_000}/>"),
    "xform: paths without end": lambda: form(select("q"), "<q/>", bind("q", relevant="../" * 1_500_000)),
    "xform: references in one text": lambda: form(select("q", '<output value="/data/q"/>' * 150_000), "<q/>"),
    "xform: quotes in conditions": lambda: form(
        select("q"), "<q/>", "".join(bind(f"n{n}", relevant="'&quot;" * 600) for n in range(900))
    ),
    "xform: 90,000 nodes": lambda: form(select("q"), "<q/>" + "<n><a/><b/></n>" * 90_000),
    "xform: depth": lambda: form("<group>" * 500_000),
    "csv: one row": lambda: b'"survey"\n' + b"," * 4_900_000,
    "csv: rows": lambda: b'"survey"\n' + b"a\n" * 2_400_000,
    "csv: quotes": lambda: b'"survey"\n' + b'"' * 4_900_000,
    "csv: separators": lambda: b"survey," * 700_000,
}
WHOLE = form(
    select("ok", "Is it so?")
    + '<group ref="/data/g"><label>More</label>'
    + select("g/why", "Why?", YES_NO, "select")
    + '<input ref="/data/g/age"><label>Age of <output value="/data/ok"/></label></input></group>'
    + '<group ref="/data/r"><label>Each</label><repeat nodeset="/data/r">'
    + select("r/in", "In it?")
    + "</repeat></group>",
    "<ok/><g><why/><age>18</age></g><r><in/></r><start/>",
    bind("ok", type="select1", required="true()")
    + bind("g", relevant="/data/ok = 'y'")
    + bind("g/age", type="int", constraint=". &gt;= 0 and . &lt;= 90", relevant="selected(../why, 'n')")
    + bind("start", type="dateTime", jr__preload="timestamp", jr__preloadParams="start"),
)


def test_whole_xform_has_questions_conditions_numbers_and_repeats() -> None:
    taken = questionnaire_file.read(WHOLE)
    of_yes = {"ok": ["y"]}
    assert rules(taken) == {"ok": {}, "why-y": of_yes, "why-n": of_yes, "age": of_yes | {"why-n": ["yes"]}}
    age = questions_of(taken)[-1]
    assert (age["number"]["low"], age["number"]["high"]) == (0, 90)
    assert age["text"] == {"en": "Age of …"}
    left = [line.location for line in taken.lines if line.outcome == LEFT]
    assert left == ["group r", "question in", "question start"]
    assert "cell default" in remarks_of(taken, "question age")
    assert taken.draft["title"] == {"en": "Survey"}


def test_multilingual_texts_use_the_forms_main_language() -> None:
    items = "".join(
        f"<item><label ref=\"jr:itext('{word}')\"/><value>{word}</value></item>" for word in ("yes", "no")
    )
    body = f'<select1 ref="/data/q"><label ref="jr:itext(\'q:label\')"/>{items}</select1>'
    taken = questionnaire_file.read(form(body, "<q/>", model=f"<itext>{TEXTS}</itext>"))
    assert taken.draft["languages"] == ["zh-hans", "en"]
    (question,) = questions_of(taken)
    assert question["text"] == {"zh-hans": "是这样吗？", "en": "Is it so?"}
    labels = {each["name"]: each["label"]["zh-hans"] for each in question["choices"]}
    assert labels == {"yes": "对", "no": "不对"}


def test_xform_condition_becomes_a_rule_or_is_named() -> None:
    for written, rule in {
        " /data/a  != 'y' ": {"a": ["n"]},
        "../a='n'": {"a": ["n"]},
        "current()/../a = 'y'": {"a": ["y"]},
        "selected(/data/a, 'y')": {"a": ["y"]},
        "not(/data/a = '/data/a')": None,
        "/data/nobody = 'y'": None,
        "count-selected(/data/a) &gt; 1": None,
        "/data/a[1] = 'y'": None,
    }.items():
        data = form(select("a") + select("b"), "<a/><b/>", bind("a") + bind("b", relevant=written))
        taken = questionnaire_file.read(data)
        assert rules(taken)["b"] == (rule or {}), written
        lost = "is left out, so everybody is asked" in remarks_of(taken, "question b")
        assert lost is (rule is None), written


def test_nodes_are_found_by_path_and_inherit_conditions() -> None:
    # Nodes of one name in two groups are told apart.
    groups = "".join(f'<group ref="/data/{name}">{select(f"{name}/q")}</group>' for name in "ab")
    data = form(groups + select("c"), "<a><q/></a><b><q/></b><c/>", bind("c", relevant="/data/b/q = 'y'"))
    assert rules(questionnaire_file.read(data)) == {"data-a-q": {}, "data-b-q": {}, "c": {"data-b-q": ["y"]}}
    # The condition of a node without a group holds for all below it.
    body = select("a") + select("g/b") + f'<group ref="/data/g">{select("g/c")}</group>'
    binds = bind("g", relevant="/data/a = 'y'") + bind("g/b", relevant="/data/a != 'n'")
    data = form(body, "<a/><g><b/><c/></g>", binds)
    assert rules(questionnaire_file.read(data)) == {"a": {}, "b": {"a": ["y"]}, "c": {"a": ["y"]}}
    # Older forms name nodes by the id of a bind and by the group.
    body = (
        f"<select1 bind='first'><label>A</label>{YES_NO}</select1>"
        f"<group ref='/data/g'><select1 ref='b'><label>B</label>{YES_NO}</select1></group>"
    )
    binds = "<bind id='first' nodeset='/data/a'/>" + bind("g/b", relevant="/data/a = 'y'")
    data = form(body, "<a/><g><b/></g>", binds)
    assert rules(questionnaire_file.read(data)) == {"a": {}, "b": {"a": ["y"]}}


def test_lists_of_the_model_are_shared_filtered_and_shuffled() -> None:
    body = (
        select("region", items=itemset("randomize(instance('regions')/root/item)"))
        + select("town", items=itemset("instance('towns')/root/item[region = /data/region ]"))
        + select("again", items=itemset("instance('regions')/root/item"))
    )
    data = form(body, "<region/><town/><again/>", bind("again", relevant="/data/town = '1'"))
    taken = questionnaire_file.read(data)
    region, north, south, again = questions_of(taken)
    assert region["shuffled"]
    assert north["show_if"] == {"region": ["n"]}
    assert [each["label"]["en"] for each in north["choices"]] == ["Ashby", "Other"]
    assert [each["label"]["en"] for each in south["choices"]] == ["Selby", "Other"]
    assert again["show_if"] == {}
    assert "joins different questions by or" in remarks_of(taken, "question again")


def test_unsupported_xform_question_is_left_out_by_name() -> None:
    data = form(
        select("a")
        + select("b", items=itemset("instance('file')/root/item"))
        + select("c", items=itemset("/data/r/x"))
        + f"<odk:rank ref='/data/d'><label>D</label>{YES_NO}</odk:rank>"
        + "<upload ref='/data/e' mediatype='image/*'><label>E</label></upload>"
        + "<trigger ref='/data/f'><label>F</label></trigger>"
        + "<odk:strange ref='/data/g'><label>G</label></odk:strange>",
        "<a/><b/><c/><d/><e/><f/><g/>",
    )
    lines = questionnaire_file.read(data).lines
    left = {line.location: line.remarks[0] for line in lines if line.outcome == LEFT}
    assert list(left) == [f"question {name}" for name in "bcdefg"]
    assert "another file" in left["question b"]
    assert "earlier answers" in left["question c"]


def test_notes_ranges_calculations_and_presets_are_read_or_named() -> None:
    data = form(
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
    taken = questionnaire_file.read(data)
    number, question = questions_of(taken)
    assert (number["number"]["high"], number["number"]["step"]) == (10, 2)
    assert taken.draft["sections"][0]["intro"] == {"en": "Welcome"}
    assert "cell default" in remarks_of(taken, f"question {question['name']}")
    left = [line.location for line in taken.lines if line.outcome == LEFT]
    assert left == ["question t", "question c"]


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
    "half": (WHOLE[:900], "damaged XML"),
    "no model": (b'<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:body/></h:html>', "web page"),
    "no question": (form("<input ref='/data/t'><label>Name?</label></input>", "<t/>"), "free answers"),
}  # fmt: skip


@pytest.mark.page
def test_hostile_xform_is_refused() -> None:
    for name, (data, reason) in HOSTILE.items():
        assert reason in faults(data)[0], name


@pytest.mark.page
def test_largest_xform_is_read_in_time() -> None:
    many = "".join(f"<item><label>{n}</label><value>v{n}</value></item>" for n in range(30_000))
    taken = questionnaire_file.read(form(select("a") + select("q", items=many), "<a/><q/>"))
    assert "more rows below it" in str(taken.lines)
    groups = "".join(f'<group ref="/data/g{n}">{select(f"g{n}/q")}</group>' for n in range(1_500))
    nodes = "".join(f"<g{n}><q/></g{n}>" for n in range(1_500))
    assert "more rows below it" in str(questionnaire_file.read(form(groups, nodes)).lines)
