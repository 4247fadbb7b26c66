"""A file of any format that questionnaires come in, known by how it begins."""

from django.utils.translation import gettext as _

from importing import limesurvey, own, qualtrics, xlsform
from importing.faults import Fault, FileRefused
from importing.limesurvey import lss, tsv
from importing.proposing import with_sentences
from importing.read_through import ReadQuestionnaire, of_every_question

MOST_BYTES = 5_000_000
ZIP, OLD_EXCEL = b"PK", b"\xd0\xcf\x11\xe0"


def read(data: bytes) -> ReadQuestionnaire:
    """The draft in it; `FileRefused` with every reason why there is none."""
    if data.startswith(ZIP):
        return with_sentences(xlsform.read(data))
    if data.startswith(OLD_EXCEL):
        raise FileRefused([Fault(_("the file"), _("is an old spreadsheet; save it as .xlsx"))])
    if qualtrics.looks_like_qsf(data):
        return with_sentences(qualtrics.read(data))
    if lss.looks_like_lss(data):
        return with_sentences(limesurvey.read_lss(data))
    if tsv.looks_like_tsv(data):
        return with_sentences(limesurvey.read_tsv(data))
    draft = own.read(data)
    return ReadQuestionnaire(draft, lines=tuple(of_every_question(draft)))
