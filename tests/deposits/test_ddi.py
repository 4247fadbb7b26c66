"""The codebook against the content models of DDI-Codebook 2.5.

The official schema is not in this repository: it imports three others (xml.xsd, ddi-xhtml11.xsd, dcterms.xsd), and it
could not be had whole. The models below are those of its types, for the elements that are written; an element or an
attribute that is not named here fails.
"""

from xml.etree import ElementTree as ET

import pytest

from deposits.ddi import NAMESPACE, codebook_xml
from deposits.metadata import Creator, Metadata
from privacy.designs import Design
from tests.intake.test_analysis import SURVEYS

ABOUT = Metadata(
    "Work",
    (Creator("Owner, Olga"),),
    "Zenodo",
    2026,
    "CC-BY-4.0",
    "en",
    "o@example.org",
    "Results.",
    "10.1/x",
)
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
SCHEMA_LOCATION = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"
TEXT = "text"
# Of each element the children in their order, those that may come again with *; or that it holds text.
MODELS: dict[str, str | list[str]] = {
    "codeBook": ["docDscr*", "stdyDscr*", "fileDscr*", "dataDscr*", "otherMat*"],
    "docDscr": ["citation", "guide*", "docStatus*", "docSrc*", "notes*"],
    "stdyDscr": [
        "citation*",
        "studyAuthorization*",
        "stdyInfo*",
        "studyDevelopment*",
        "method*",
        "dataAccs*",
    ],
    "citation": [
        "titlStmt",
        "rspStmt",
        "prodStmt",
        "distStmt",
        "serStmt*",
        "verStmt*",
        "biblCit",
        "holdings*",
    ],
    "titlStmt": ["titl", "subTitl*", "altTitl*", "parTitl*", "IDNo*"],
    "rspStmt": ["AuthEnty*", "othId*"],
    "distStmt": ["distrbtr*", "contact*", "depositr*", "depDate*", "distDate"],
    "stdyInfo": ["studyBudget*", "subject", "abstract*", "sumDscr*", "qualityStatement", "notes*"],
    "sumDscr": [
        "timePrd*",
        "collDate*",
        "nation*",
        "geogCover*",
        "geogUnit*",
        "anlyUnit*",
        "universe*",
        "dataKind*",
    ],
    "method": ["dataColl", "notes*", "anlyInfo", "stdyClas*", "dataProcessing*", "codingInstructions*"],
    "dataColl": [
        "timeMeth*",
        "dataCollector*",
        "frequenc*",
        "sampProc*",
        "deviat*",
        "collMode*",
        "resInstru*",
    ],
    "dataAccs": ["setAvail*", "useStmt*", "notes*"],
    "useStmt": [
        "confDec",
        "specPerm",
        "restrctn",
        "contact*",
        "citReq",
        "deposReq",
        "conditions",
        "disclaimer",
    ],
    "fileDscr": ["fileTxt*", "locMap", "notes*"],
    "fileTxt": [
        "fileName*",
        "fileCitation",
        "dataFingerprint*",
        "fileCont*",
        "fileStrc",
        "dimensns",
        "fileType*",
    ],
    "dimensns": ["caseQnty*", "varQnty*", "logRecL*", "recPrCas*", "recNumTot*"],
    "dataDscr": ["varGrp*", "nCubeGrp*", "var*", "nCube*", "notes*"],
    "var": [
        *(
            "location*",
            "labl*",
            "imputation",
            "security",
            "embargo",
            "respUnit",
            "anlysUnit",
            "qstn*",
            "valrng*",
        ),
        *("invalrng*", "undocCod*", "universe*", "TotlResp", "sumStat*", "txt*", "stdCatgry*", "catgryGrp*"),
        *(
            "catgry*",
            "codInstr*",
            "verStmt*",
            "concept*",
            "derivation",
            "varFormat",
            "geoMap*",
            "catLevel*",
            "notes*",
        ),
    ],
    "qstn": ["preQTxt*", "qstnLit*", "postQTxt*", "forward*", "backward*", "ivuInstr*"],
    "valrng": ["item*", "range*", "key*", "notes*"],
    "catgry": ["catValu", "labl*", "txt*", "catStat*", "mrow"],
    "range": [],
    **dict.fromkeys(
        (
            *(
                "titl",
                "IDNo",
                "AuthEnty",
                "distrbtr",
                "contact",
                "distDate",
                "abstract",
                "anlyUnit",
                "dataKind",
            ),
            *(
                "collMode",
                "conditions",
                "notes",
                "fileName",
                "fileCont",
                "caseQnty",
                "varQnty",
                "fileType",
                "labl",
            ),
            *("qstnLit", "universe", "catValu", "txt", "varFormat"),
        ),
        TEXT,
    ),
}
ATTRIBUTES: dict[str, set[str]] = {
    "codeBook": {"version", XML_LANG, SCHEMA_LOCATION},
    "IDNo": {"agency", "level"},
    "contact": {"affiliation", "URI", "email"},
    "distDate": {"date"},
    "fileDscr": {"ID"},
    "fileType": {"charset"},
    "var": {"ID", "name", "files", "intrvl", "nature"},
    "range": {"UNITS", "min", "minExclusive", "max", "maxExclusive"},
    "catgry": {"missing", "missType"},
    "varFormat": {"type"},
}
VALUES = {
    ("var", "intrvl"): {"contin", "discrete"},
    ("var", "nature"): {"nominal", "ordinal", "interval", "ratio", "percent", "other"},
    ("catgry", "missing"): {"Y", "N"},
    ("varFormat", "type"): {"numeric", "character"},
}


def name_of(element: ET.Element) -> str:
    assert element.tag.startswith(f"{{{NAMESPACE}}}"), element.tag
    return element.tag.partition("}")[2]


def faults(element: ET.Element) -> list[str]:
    name = name_of(element)
    model, children = MODELS[name], [name_of(child) for child in element]
    found = [f"{name} has {each}" for each in set(element.attrib) - ATTRIBUTES.get(name, set())]
    for attribute, value in element.attrib.items():
        if value not in VALUES.get((name, attribute), {value}):
            found.append(f"{name} {attribute}={value}")
    if isinstance(model, str):
        return found + [f"{name} holds {children}"] * bool(children)
    order = [each.rstrip("*") for each in model]
    found += [f"{name} holds {child}" for child in children if child not in order]
    places = [order.index(child) for child in children if child in order]
    found += [f"{name}: order of {children}"] * (places != sorted(places))
    found += [
        f"{name} holds {child} twice" for child in order if children.count(child) > 1 and child in model
    ]
    found += [f"{name} holds text"] * bool((element.text or "").strip())
    return found + [fault for child in element for fault in faults(child)]


def written(design: Design, records: int | None) -> ET.Element:
    return ET.fromstring(codebook_xml(design, ABOUT, records))


@pytest.mark.parametrize("records", [None, 1_000])
@pytest.mark.parametrize("survey", SURVEYS)
def test_every_element_is_where_ddi_has_it(survey: str, records: int | None) -> None:
    root = written(SURVEYS[survey], records)
    assert (name_of(root), root.get("version")) == ("codeBook", "2.5")
    assert faults(root) == []
    ids = [element.get("ID") for element in root.iter() if element.get("ID")]
    assert len(ids) == len(set(ids))
    assert {element.get("files") for element in root.iter() if element.get("files")} <= set(ids)


def test_each_column_is_a_variable_with_its_question_and_answers() -> None:
    design = SURVEYS["arms-everything"]
    variables = {each.get("name"): each for each in written(design, 10).iter(f"{{{NAMESPACE}}}var")}
    assert list(variables) == ["group", *(question.name for question in design.questions)]
    often = variables["often"]
    values = [each.text or "" for each in often.iter(f"{{{NAMESPACE}}}catValu")]
    assert values == ["never", "'=once", "many times", "", "-", "?"]
    noise = [each.text for each in often.iter(f"{{{NAMESPACE}}}txt")]
    assert noise == [
        f"Probability among random answers: {chance}" for chance in ("0.5000", "0.3000", "0.2000")
    ]
    assert variables["liked"].get("nature") == "ordinal"
    assert variables["change, in all"].get("intrvl") == "contin"
    (limits,) = variables["change, in all"].iter(f"{{{NAMESPACE}}}range")
    assert (limits.get("min"), limits.get("max")) == ("-250", "250")
