"""The codebook against a schema of the content models of DDI-Codebook 2.5.

The official schema, codebook.xsd, is not in this repository. The schema below has its content models, by hand, for the
elements that are written, so an element or an attribute that is not named here fails. Of the three schemas that
codebook.xsd imports one is met, and the two that are not are named in UNMET.
"""

from collections.abc import Callable
from functools import cache
from xml.etree import ElementTree as ET

import pytest
from xmlschema import XMLSchema

from deposits.ddi_codebook import NAMESPACE, codebook_xml
from deposits.metadata import Creator, Metadata
from privacy.designs import Design
from tests.intake.test_analysis import SURVEYS

ABOUT = Metadata(
    "Work", (Creator("Owner, Olga"),), "Zenodo", 2026, "CC-BY-4.0", "en", "o@example.org", "Results", "10.1/x"
)
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
SCHEMA_LOCATION = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"
TEXT = "text"
# Of each element the children in their order, those that may come again with *.
CHILDREN = {
    "codeBook": "docDscr* stdyDscr* fileDscr* dataDscr* otherMat*",
    "docDscr": "citation guide* docStatus* docSrc* notes*",
    "stdyDscr": "citation* studyAuthorization* stdyInfo* studyDevelopment* method* dataAccs*",
    "citation": "titlStmt rspStmt prodStmt distStmt serStmt* verStmt* biblCit holdings*",
    "titlStmt": "titl subTitl* altTitl* parTitl* IDNo*",
    "rspStmt": "AuthEnty* othId*",
    "distStmt": "distrbtr* contact* depositr* depDate* distDate",
    "stdyInfo": "studyBudget* subject abstract* sumDscr* qualityStatement notes*",
    "sumDscr": "timePrd* collDate* nation* geogCover* geogUnit* anlyUnit* universe* dataKind*",
    "method": "dataColl notes* anlyInfo stdyClas* dataProcessing* codingInstructions*",
    "dataColl": "timeMeth* dataCollector* frequenc* sampProc* deviat* collMode* resInstru*",
    "dataAccs": "setAvail* useStmt* notes*",
    "useStmt": "confDec specPerm restrctn contact* citReq deposReq conditions disclaimer",
    "fileDscr": "fileTxt* locMap notes*",
    "fileTxt": "fileName* fileCitation dataFingerprint* fileCont* fileStrc dimensns fileType*",
    "dimensns": "caseQnty* varQnty* logRecL* recPrCas* recNumTot*",
    "dataDscr": "varGrp* nCubeGrp* var* nCube* notes*",
    "var": "location* labl* imputation security embargo respUnit anlysUnit qstn* valrng* invalrng* undocCod*"
    " universe* TotlResp sumStat* txt* stdCatgry* catgryGrp* catgry* codInstr* verStmt* concept* derivation"
    " varFormat geoMap* catLevel* notes*",
    "qstn": "preQTxt* qstnLit* postQTxt* forward* backward* ivuInstr*",
    "valrng": "item* range* key* notes*",
    "catgry": "catValu labl* txt* catStat* mrow",
    "range": "",
}
HOLD_TEXT = (
    "titl IDNo AuthEnty distrbtr contact distDate abstract anlyUnit dataKind collMode conditions notes fileName"
    " fileCont caseQnty varQnty fileType labl qstnLit universe catValu txt varFormat"
)
MODELS: dict[str, str | list[str]] = {name: children.split() for name, children in CHILDREN.items()}
MODELS |= dict.fromkeys(HOLD_TEXT.split(), TEXT)
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
MET = {"http://www.w3.org/XML/1998/namespace": "xml.xsd"}
"""Schemas that codebook.xsd imports, by namespace: of the attribute xml:lang, which the validator brings."""
UNMET = {"http://www.w3.org/1999/xhtml": "ddi-xhtml11.xsd", "http://purl.org/dc/terms/": "dcterms.xsd"}
"""Not to be had: of texts with markup, and of Dublin Core terms in a citation. A codebook has neither."""
TYPES = {("var", "ID"): "xs:ID", ("fileDscr", "ID"): "xs:ID", ("var", "files"): "xs:IDREFS"}


@cache
def schema() -> XMLSchema:
    """Each element with its children in order and its attributes, each of which may be left out."""
    named = {child.rstrip("*") for model in MODELS.values() if model != TEXT for child in model}
    elements = [element(name, MODELS.get(name, [])) for name in sorted({*MODELS} | named)]
    xml = next(iter(MET))
    return XMLSchema(
        f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="{NAMESPACE}" '
        f'targetNamespace="{NAMESPACE}" elementFormDefault="qualified">'
        f'<xs:import namespace="{xml}"/>{"".join(elements)}</xs:schema>'
    )


def element(name: str, model: str | list[str]) -> str:
    children = "".join(
        f'<xs:element ref="{child.rstrip("*")}" minOccurs="0"{many}/>'
        for child in (model if isinstance(model, list) else ())
        for many in [' maxOccurs="unbounded"' * child.endswith("*")]
    )
    attributes = "".join(
        '<xs:attribute ref="xml:lang"/>' if attribute == XML_LANG else attribute_of(name, attribute)
        for attribute in sorted(ATTRIBUTES.get(name, set()) - {SCHEMA_LOCATION})
    )
    mixed = str(model == TEXT).lower()
    return (
        f'<xs:element name="{name}"><xs:complexType mixed="{mixed}"><xs:sequence>{children}</xs:sequence>'
        f"{attributes}</xs:complexType></xs:element>"
    )


def attribute_of(name: str, attribute: str) -> str:
    if (name, attribute) in VALUES:
        values = "".join(f'<xs:enumeration value="{value}"/>' for value in sorted(VALUES[name, attribute]))
        restriction = f'<xs:restriction base="xs:string">{values}</xs:restriction>'
        return f'<xs:attribute name="{attribute}"><xs:simpleType>{restriction}</xs:simpleType></xs:attribute>'
    return f'<xs:attribute name="{attribute}" type="{TYPES.get((name, attribute), "xs:string")}"/>'


def faults(root: ET.Element) -> list[str]:
    return [str(error.reason) for error in schema().iter_errors(root)]


def codebook_of(design: Design, records: int | None) -> ET.Element:
    return ET.fromstring(codebook_xml(design, ABOUT, records))


@pytest.mark.parametrize("records", [None, 1_000])
@pytest.mark.parametrize("survey", SURVEYS)
def test_every_ddi_element_is_in_its_place(survey: str, records: int | None) -> None:
    root = codebook_of(SURVEYS[survey], records)
    assert (root.tag, root.get("version")) == (f"{{{NAMESPACE}}}codeBook", "2.5")
    assert faults(root) == []


WRONG: dict[str, Callable[[ET.Element], object]] = {
    "an order": lambda variable: variable.insert(0, variable[-1]),
    "a child": lambda variable: ET.SubElement(variable, f"{{{NAMESPACE}}}titl"),
    "a value": lambda variable: variable.set("nature", "scale"),
    "a reference": lambda variable: variable.set("files", "F2"),
    "an attribute": lambda variable: variable.set("label", "Age"),
}


def test_invalid_ddi_element_is_an_error() -> None:
    for name, change in WRONG.items():
        root = codebook_of(SURVEYS["arms"], 10)
        variable = root.find(f".//{{{NAMESPACE}}}var")
        assert variable is not None
        change(variable)
        assert faults(root) != [], name


def test_ddi_is_not_written_without_its_schema() -> None:
    for survey in SURVEYS.values():
        used = {element.tag[1:].partition("}")[0] for element in codebook_of(survey, 10).iter()}
        assert used == {NAMESPACE}
        assert not used & UNMET.keys()


def test_each_column_is_a_ddi_variable_with_question_and_answers() -> None:
    design = SURVEYS["arms-everything"]
    variables = {each.get("name"): each for each in codebook_of(design, 10).iter(f"{{{NAMESPACE}}}var")}
    assert list(variables) == ["group", *(question.name for question in design.questions)]
    often = variables["often"]
    values = [each.text or "" for each in often.iter(f"{{{NAMESPACE}}}catValu")]
    assert values == ["never", "'=once", "many times", "", "-", "?"]
    noise = [each.text for each in often.iter(f"{{{NAMESPACE}}}txt")]
    assert noise == [f"Probability among random answers: 0.{digit}000" for digit in "532"]
    assert variables["liked"].get("nature") == "ordinal"
    assert variables["change, in all"].get("intrvl") == "contin"
    (limits,) = variables["change, in all"].iter(f"{{{NAMESPACE}}}range")
    assert (limits.get("min"), limits.get("max")) == ("-250", "250")
