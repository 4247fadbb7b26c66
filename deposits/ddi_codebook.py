"""Writes the codebook of a survey as DDI-Codebook 2.5 XML: the study, the record file, and a variable per column.

The order and nesting of elements is that of https://ddialliance.org/Specification/DDI-Codebook/2.5/.
"""

import re
from itertools import zip_longest
from xml.etree import ElementTree as ET

from django.utils.translation import gettext as _

from deposits.metadata import LICENCES, Metadata
from intake.recordfiles.spss_and_stata_variables import (
    GROUP,
    SpssValues,
    question_label,
    question_words,
    spss_values,
    variable_names,
)
from privacy.designs import Design, Section
from privacy.designs.formula_escape import escape_formula
from privacy.designs.labels import number_sections
from privacy.grammar.json_node import parts_to_decimal
from privacy.records.record_file import NOT_APPLICABLE, NOT_ASKED, WITHHELD, group_names
from surveys.kinds.registry import get_kind

NAMESPACE = "ddi:codebook:2_5"
XML = "http://www.w3.org/XML/1998/namespace"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
SCHEMA = "http://www.ddialliance.org/Specification/DDI-Codebook/2.5/XMLSchema/codebook.xsd"
FILE = "F1"
NOT_XML = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
"""Pattern of characters that XML 1.0 does not allow, and of the carriage return."""


def codebook_xml(design: Design, about: Metadata, records: int | None) -> bytes:
    """Returns the survey's codebook as DDI XML; `records`: number of records in the deposit, None without
    a record file."""
    ET.register_namespace("", NAMESPACE)
    root = ET.Element(
        _tag("codeBook"),
        {
            "version": "2.5",
            f"{{{XML}}}lang": about.language,
            f"{{{XSI}}}schemaLocation": f"{NAMESPACE} {SCHEMA}",
        },
    )
    _add_titles(_add_element(_add_element(root, "docDscr"), "citation"), about, design.fingerprint)
    _add_study(_add_element(root, "stdyDscr"), design, about)
    _add_file_description(_add_element(root, "fileDscr", ID=FILE), len(design.questions) + 1, records)
    data = _add_element(root, "dataDscr")
    _add_group_variable(data, design)
    variables = zip(variable_names(design), spss_values(design), strict=True)
    for number, section in number_sections(design.sections):
        for _question, (variable, values) in zip(section.questions, variables, strict=False):
            _add_variable(data, number, section, variable, values, about.language)
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def method_texts(design: Design) -> list[str]:
    """Returns the method of each kind of disguise in the design, by which repositories find the survey."""
    return [
        *([_("Method: randomised response.")] if design.devices_disguise else []),
        *([_("Method: crosswise model.")] if design.has_crosswise else []),
    ]


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def _add_element(parent: ET.Element, tag: str, text: str | None = None, /, **attributes: str) -> ET.Element:
    child = ET.SubElement(parent, _tag(tag), attributes)
    child.text = None if text is None else NOT_XML.sub("", text)
    return child


def _add_titles(citation: ET.Element, about: Metadata, fingerprint: str) -> None:
    statement = _add_element(citation, "titlStmt")
    _add_element(statement, "titl", about.title)
    if about.doi:
        _add_element(statement, "IDNo", about.doi, agency="DOI")
    _add_element(statement, "IDNo", fingerprint, agency="Candor")


def _add_study(study: ET.Element, design: Design, about: Metadata) -> None:
    citation = _add_element(study, "citation")
    _add_titles(citation, about, design.fingerprint)
    responsible = _add_element(citation, "rspStmt")
    for creator in about.creators:
        _add_element(responsible, "AuthEnty", creator.name)
    distribution = _add_element(citation, "distStmt")
    _add_element(distribution, "distrbtr", about.publisher)
    _add_element(distribution, "contact", about.creators[0].name, email=about.contact)
    _add_element(distribution, "distDate", str(about.year), date=str(about.year))
    info = _add_element(study, "stdyInfo")
    _add_element(info, "abstract", about.description)
    summary = _add_element(info, "sumDscr")
    _add_element(summary, "anlyUnit", _("Individual"))
    _add_element(
        summary, "dataKind", _("Simulated answers of a rehearsal") if design.rehearsal else _("Survey data")
    )
    method = _add_element(study, "method")
    _add_element(_add_element(method, "dataColl"), "collMode", _("Web questionnaire"))
    for text in method_texts(design):
        _add_element(method, "notes", text)
    if design.has_disguise:
        _add_element(method, "notes", _("See design.json, and the keep and noise of each variable."))
    access = _add_element(_add_element(study, "dataAccs"), "useStmt")
    _add_element(access, "conditions", f"{LICENCES[about.licence].name}, {LICENCES[about.licence].url}")


def _add_file_description(description: ET.Element, columns: int, records: int | None) -> None:
    text = _add_element(description, "fileTxt")
    _add_element(text, "fileName", "records.csv")
    if records is None:
        _add_element(text, "fileCont", _("The records are not in this deposit."))
    dimensions = _add_element(text, "dimensns")
    if records is not None:
        _add_element(dimensions, "caseQnty", str(records))
    _add_element(dimensions, "varQnty", str(columns))
    _add_element(text, "fileType", _("comma-separated values"), charset="UTF-8")


def _add_group_variable(data: ET.Element, design: Design) -> None:
    variable = _add_element(data, "var", ID="V0", name=GROUP, files=FILE, intrvl="discrete", nature="nominal")
    _add_element(variable, "labl", _("group"))
    words = (
        _("direct") if design.has_arms else _("open"),
        _("disguised") if design.has_disguise else _("everybody: no answer is disguised"),
    )
    for name, label in zip(group_names(design), words, strict=True):
        _add_category(variable, name, label)
    _add_element(variable, "varFormat", type="character")


def _add_variable(
    data: ET.Element, number: int, section: Section, variable: str, values: SpssValues, language: str
) -> None:
    question, columns = values.question, get_kind(section).file_columns(section)
    numbers = columns.numbers(question)
    element = _add_element(
        data,
        "var",
        ID=f"V{len(data)}",
        name=question.name,
        files=FILE,
        intrvl="contin" if numbers else "discrete",
        nature={"scale": "interval"}.get(values.measure, values.measure),
    )
    _add_element(element, "labl", question_label(question, language))
    _add_element(_add_element(element, "qstn"), "qstnLit", question_words(question, language))
    if numbers:
        _add_element(_add_element(element, "valrng"), "range", min=str(numbers[0]), max=str(numbers[-1]))
    for rule in question.show_if:
        _add_element(element, "universe", f"{rule.question} = {' / '.join(rule.choices)}")
    if not numbers:
        labels, noise = columns.words(question, language), columns.noise(question)
        for name, words, probability in zip_longest(columns.names(question), labels, noise, fillvalue=""):
            _add_category(element, name, words, probability)
    for name, words in (
        (NOT_ASKED, _("not asked")),
        (NOT_APPLICABLE, _("does not apply")),
        (WITHHELD, _("withheld")),
    ):
        _add_category(element, name, words, missing=True)
    _add_element(element, "varFormat", type="numeric" if numbers else "character")
    law = _("Section %(number)s of the design, law %(kind)s.") % {"number": number, "kind": section.kind}
    _add_element(element, "notes", law)
    if columns.has_keep:
        _add_element(element, "notes", f"keep = {parts_to_decimal(section.mined_law.keep_parts)}")
    if variable != question.name:
        _add_element(
            element, "notes", _("In files for SPSS this variable is called %(name)s.") % {"name": variable}
        )


def _add_category(
    variable: ET.Element, name: str, words: str, noise: str = "", *, missing: bool = False
) -> None:
    category = _add_element(variable, "catgry", **({"missing": "Y", "missType": words} if missing else {}))
    _add_element(category, "catValu", name if missing else escape_formula(name))
    _add_element(category, "labl", words)
    if noise:
        _add_element(category, "txt", _("Probability among random answers: %(noise)s") % {"noise": noise})
