"""Every format with its independent reader and the files made by hand for it."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tests.importing.flow import (
    lime_files,
    lime_source,
    qualtrics_files,
    qualtrics_source,
    redcap_files,
    surveyjs_files,
    xform_files,
    xlsform_files,
)
from tests.importing.flow.source import Source


class Format(NamedTuple):
    ending: str
    read: Callable[[bytes], Source]
    files: Mapping[str, bytes]


FORMATS = {
    "Qualtrics": Format(".qsf", qualtrics_source.read, qualtrics_files.FILES),
    "LimeSurvey, table": Format(".txt", lime_source.read, lime_files.TABLES),
    "LimeSurvey, XML": Format(".lss", lime_source.read, lime_files.XML),
    "LimeSurvey, archive": Format(".lsa", lime_source.read, lime_files.ARCHIVES),
    "XLSForm, workbook": Format(".xlsx", xlsform_files.read, xlsform_files.WORKBOOKS),
    "XLSForm, CSV": Format(".csv", xlsform_files.read, xlsform_files.CSV),
    "ODK XForm": Format(".xml", xform_files.read, xform_files.FILES),
    "REDCap": Format(".csv", redcap_files.read, redcap_files.FILES),
    "SurveyJS": Format(".json", surveyjs_files.read, surveyjs_files.FILES),
}
