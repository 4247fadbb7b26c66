"""The codebook of a survey as DDI-Codebook 2.5: the study, the file of its records, and a variable for each column.

https://ddialliance.org/Specification/DDI-Codebook/2.5/ says which element holds which others, and in which order.
"""

from collections.abc import Iterator
from itertools import zip_longest
from xml.etree import ElementTree as ET

from django.utils.translation import gettext as _

from deposits.metadata import LICENCES, Metadata
from intake.recordfiles.variables import (
    GROUP,
    SpssValues,
    names,
    question_label,
    question_words,
    spss_values,
)
from privacy.designs import Design, Section
from privacy.designs.labels import numbered
from privacy.designs.spreadsheet_cells import harmless
from privacy.grammar.node import decimal
from privacy.records.record_file import NOT_APPLICABLE, NOT_ASKED, WITHHELD, group_names
from surveys.kinds.registry import kind_of

NAMESPACE = "ddi:codebook:2_5"
XML = "http://www.w3.org/XML/1998/namespace"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
SCHEMA = "http://www.ddialliance.org/Specification/DDI-Codebook/2.5/XMLSchema/codebook.xsd"
FILE = "F1"


def codebook_xml(design: Design, about: Metadata, records: int | None) -> bytes:
    """`records`: how many the file has, None: it is not in the deposit."""
    ET.register_namespace("", NAMESPACE)
    root = ET.Element(
        _tag("codeBook"),
        {
            "version": "2.5",
            f"{{{XML}}}lang": about.language,
            f"{{{XSI}}}schemaLocation": f"{NAMESPACE} {SCHEMA}",
        },
    )
    document = _in(root, "docDscr")
    _titles(_in(document, "citation"), about, design.fingerprint)
    _study(_in(root, "stdyDscr"), design, about)
    _file(_in(root, "fileDscr", ID=FILE), len(design.questions) + 1, records)
    data = _in(root, "dataDscr")
    _group(data, design)
    variables = zip(names(design), spss_values(design), strict=True)
    for number, section in numbered(design.sections):
        for _question, (variable, values) in zip(section.questions, variables, strict=False):
            _variable(data, number, section, variable, values, about.language)
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def _in(parent: ET.Element, tag: str, text: str | None = None, /, **attributes: str) -> ET.Element:
    child = ET.SubElement(parent, _tag(tag), attributes)
    child.text = None if text is None else _legal(text)
    return child


def _legal(text: str) -> str:
    """Without the characters that XML 1.0 does not have."""
    return "".join(
        letter for letter in text if letter in "\t\n" or (ord(letter) >= 32 and letter not in "\ufffe\uffff")
    )


def _titles(citation: ET.Element, about: Metadata, fingerprint: str) -> None:
    statement = _in(citation, "titlStmt")
    _in(statement, "titl", about.title)
    if about.doi:
        _in(statement, "IDNo", about.doi, agency="DOI")
    _in(statement, "IDNo", fingerprint, agency="Candor")


def _study(study: ET.Element, design: Design, about: Metadata) -> None:
    citation = _in(study, "citation")
    _titles(citation, about, design.fingerprint)
    responsible = _in(citation, "rspStmt")
    for creator in about.creators:
        _in(responsible, "AuthEnty", creator.name)
    distribution = _in(citation, "distStmt")
    _in(distribution, "distrbtr", about.publisher)
    _in(distribution, "contact", about.creators[0].name, email=about.contact)
    _in(distribution, "distDate", str(about.year), date=str(about.year))
    info = _in(study, "stdyInfo")
    _in(info, "abstract", about.description)
    summary = _in(info, "sumDscr")
    _in(summary, "anlyUnit", _("Individual"))
    _in(summary, "dataKind", _("Simulated answers of a rehearsal") if design.rehearsal else _("Survey data"))
    method = _in(study, "method")
    collection = _in(method, "dataColl")
    _in(
        collection,
        "collMode",
        _("Web questionnaire; devices disguise sensitive answers before they send them"),
    )
    _in(method, "notes", _("Randomised response: see design.json, and the keep and noise of each variable."))
    access = _in(_in(study, "dataAccs"), "useStmt")
    _in(access, "conditions", f"{LICENCES[about.licence].name}, {LICENCES[about.licence].url}")


def _file(description: ET.Element, columns: int, records: int | None) -> None:
    text = _in(description, "fileTxt")
    _in(text, "fileName", "records.csv")
    if records is None:
        _in(text, "fileCont", _("The records are not in this deposit."))
    dimensions = _in(text, "dimensns")
    if records is not None:
        _in(dimensions, "caseQnty", str(records))
    _in(dimensions, "varQnty", str(columns))
    _in(text, "fileType", _("comma-separated values"), charset="UTF-8")


def _group(data: ET.Element, design: Design) -> None:
    variable = _in(data, "var", ID="V0", name=GROUP, files=FILE, intrvl="discrete", nature="nominal")
    _in(variable, "labl", _("group"))
    words = (_("direct") if design.has_arms else _("open"), _("disguised"))
    for name, label in zip(group_names(design), words, strict=True):
        _category(variable, name, label)
    _in(variable, "varFormat", type="character")


def _variable(
    data: ET.Element, number: int, section: Section, variable: str, values: SpssValues, language: str
) -> None:
    question, columns = values.question, kind_of(section).file_columns(section)
    numbers = columns.numbers(question)
    place = len(data.findall(_tag("var")))
    element = _in(
        data,
        "var",
        ID=f"V{place}",
        name=question.name,
        files=FILE,
        intrvl="contin" if numbers else "discrete",
        nature={"scale": "interval"}.get(values.measure, values.measure),
    )
    _in(element, "labl", question_label(question, language))
    asked = _in(element, "qstn")
    _in(asked, "qstnLit", question_words(question, language))
    if numbers:
        _in(_in(element, "valrng"), "range", min=str(numbers[0]), max=str(numbers[-1]))
    for rule in question.show_if:
        _in(element, "universe", f"{rule.question} = {' / '.join(rule.choices)}")
    if not numbers:
        noise = columns.noise(question)
        listed = zip_longest(columns.names(question), columns.words(question, language), noise, fillvalue="")
        for name, words, chance in listed:
            _category(element, name, words, chance)
    for name, words in (
        (NOT_ASKED, _("not asked")),
        (NOT_APPLICABLE, _("does not apply")),
        (WITHHELD, _("withheld")),
    ):
        _category(element, name, words, missing=True)
    _in(element, "varFormat", type="numeric" if numbers else "character")
    for note in _notes(number, section, variable, question.name, has_keep=columns.has_keep):
        _in(element, "notes", note)


def _notes(number: int, section: Section, variable: str, name: str, *, has_keep: bool) -> Iterator[str]:
    yield _("Section %(number)s of the design, law %(kind)s.") % {"number": number, "kind": section.kind}
    if has_keep:
        yield f"keep = {decimal(section.mined.keep_parts)}"
    if variable != name:
        yield _("In files for SPSS this variable is called %(name)s.") % {"name": variable}


def _category(variable: ET.Element, name: str, words: str, noise: str = "", *, missing: bool = False) -> None:
    category = _in(variable, "catgry", **({"missing": "Y", "missType": words} if missing else {}))
    _in(category, "catValu", name if missing else harmless(name))
    _in(category, "labl", words)
    if noise:
        _in(category, "txt", _("Probability among random answers: %(noise)s") % {"noise": noise})
