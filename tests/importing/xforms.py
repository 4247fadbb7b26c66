"""ODK XForms as pyxform, Kobo and older tools write them, put together by hand."""

from collections.abc import Callable, Mapping, Sequence

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


def select(path: str, label: str = "", items: str = YES_NO, kind: str = "select1", **attributes: str) -> str:
    written = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f'<{kind} ref="/data/{path}"{written}><label>{label or path}</label>{items}</{kind}>'


def bind(path: str, **attributes: str) -> str:
    written = "".join(f' {name.replace("__", ":")}="{value}"' for name, value in attributes.items())
    return f'<bind nodeset="/data/{path}"{written}/>'


def itemset(nodeset: str, label: str = "label") -> str:
    return f'<itemset nodeset="{nodeset}"><value ref="name"/><label ref="{label}"/></itemset>'


def instance(identity: str, items: Sequence[Mapping[str, str]]) -> str:
    made = "".join(
        "<item>" + "".join(f"<{key}>{text}</{key}>" for key, text in item.items()) + "</item>"
        for item in items
    )
    return f'<instance id="{identity}"><root>{made}</root></instance>'


TOWNS = instance(
    "towns",
    [
        {"name": "1", "label": "Ashby", "region": "n"},
        {"name": "2", "label": "Other", "region": "n"},
        {"name": "1", "label": "Selby", "region": "s"},
        {"name": "2", "label": "Other", "region": "s"},
    ],
)
REGIONS = instance("regions", [{"name": "n", "label": "North"}, {"name": "s", "label": "South"}])
LISTS = REGIONS + TOWNS
TEXTS = (
    '<itext><translation lang="English (en)"><text id="q:label"><value>Is it so?</value></text>'
    '<text id="yes"><value>Yes</value></text><text id="no"><value>No</value></text></translation>'
    '<translation lang="zh-Hans" default="true()"><text id="q:label"><value>是这样吗？</value></text>'
    '<text id="yes"><value>对</value></text><text id="no"><value>不对</value></text></translation></itext>'
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
