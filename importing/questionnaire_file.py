"""Reads a questionnaire file of any supported format, recognised by its content."""

from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _

from importing import (
    candor_format,
    limesurvey,
    qualtrics,
    redcap,
    surveyjs,
    unreadable_formats,
    xform,
    xlsform,
)
from importing.faults import file_refusal
from importing.import_result import ImportResult, shorten, unchanged_rows
from importing.limesurvey import lss_parser, tsv_parser
from importing.loose_json import looks_like_json, parse_object_or_empty
from importing.safe_xml import local_name, looks_like_xml, parse_xml
from importing.safe_zip import ZIP, member_names, unpack
from importing.xlsform import workbook

TABLES: Sequence[tuple[Callable[[bytes], bool], Callable[[bytes], ImportResult]]] = (
    (tsv_parser.looks_like_tsv, limesurvey.read_tsv),
    (redcap.looks_like_dictionary, redcap.read),
    (workbook.looks_like_csv, xlsform.read),
)
"""For each table format in text files, the function that recognises it and the function that reads it."""


def read(data: bytes) -> ImportResult:
    """Returns the draft in a questionnaire file of any format, with the outcome of each row.

    Raises `FileRefused` with every reason if no draft can be read.
    """
    result = _read_other_programs_file(data)
    if result:
        return result
    draft = candor_format.read(data)
    return ImportResult(draft, lines=tuple(unchanged_rows(draft)))


def _read_other_programs_file(data: bytes) -> ImportResult | None:
    """Returns the import result of a file that another program wrote; None for JSON of no known program."""
    if reason := unreadable_formats.refusal_reason(data):
        raise file_refusal(reason)
    if data.startswith(ZIP):
        return _read_archive(data)
    if looks_like_xml(data):
        return _read_xml(data)
    if looks_like_json(data):
        root = parse_object_or_empty(data)
        if qualtrics.looks_like_qsf(root):
            return qualtrics.read(root)
        if surveyjs.looks_like_survey(root):
            return surveyjs.read(root)
        if {"pages", "elements", "questions"} & root.keys() and "format" not in root:
            raise file_refusal(
                _("is JSON of no known kind; export the questionnaire from the program that made it")
            )
        return None
    for looks_like, read_table in TABLES:
        if looks_like(data):
            return read_table(data)
    raise file_refusal(unreadable_formats.text_reason(data))


def _read_archive(data: bytes) -> ImportResult:
    names = member_names(data)
    if reason := unreadable_formats.archive_reason(names):
        raise file_refusal(reason)
    # The responses in an archive of LimeSurvey are never unpacked.
    survey = next((name for name in names if name.lower().endswith(".lss")), "")
    return limesurvey.read_lss(parse_xml(unpack(data, [survey])[0])) if survey else xlsform.read(data)


def _read_xml(data: bytes) -> ImportResult:
    root = parse_xml(data)
    if local_name(root) == "html":
        return xform.read(root)
    if root.tag != lss_parser.ROOT:
        said = _("is XML of no known kind (%(name)s); export the questionnaire from the program that made it")
        raise file_refusal(said % {"name": shorten(local_name(root))})
    return limesurvey.read_lss(root)
