"""A file of any format that questionnaires come in, known by how it begins."""

from django.utils.translation import gettext as _

from surveys.formats import own, xlsform
from surveys.formats.faults import Fault, FileRefused
from surveys.formats.xlsform.reading import ReadQuestionnaire

MOST_BYTES = 5_000_000
ZIP, OLD_EXCEL = b"PK", b"\xd0\xcf\x11\xe0"


def read(data: bytes) -> ReadQuestionnaire:
    """The draft in it; `FileRefused` with every reason why there is none."""
    if data.startswith(ZIP):
        return xlsform.read(data)
    if data.startswith(OLD_EXCEL):
        raise FileRefused([Fault(_("the file"), _("is an old spreadsheet; save it as .xlsx"))])
    return ReadQuestionnaire(own.read(data))
