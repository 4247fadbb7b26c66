"""Reads a questionnaire file of any supported format; the format is recognised by the first bytes."""

from dataclasses import replace

from django.utils.translation import gettext as _, ngettext

from importing import candor_format, limesurvey, qualtrics, xlsform
from importing.faults import Fault, FileRefused
from importing.import_result import CHANGED, ImportedRow, ImportResult, shorten, unchanged_rows
from importing.limesurvey import lss_parser, tsv_parser
from surveys.kinds.read_draft import read_questionnaire
from surveys.questionnaire.question_blocks import question_text
from surveys.questionnaire.report_sentence_proposals import question_with_proposed_sentences

MOST_BYTES = 5_000_000
ZIP, OLD_EXCEL = b"PK", b"\xd0\xcf\x11\xe0"


def read(data: bytes) -> ImportResult:
    """Returns the draft in the file; raises `FileRefused` with every reason if there is none."""
    if data.startswith(ZIP):
        return add_sentence_proposals(xlsform.read(data))
    if data.startswith(OLD_EXCEL):
        raise FileRefused([Fault(_("the file"), _("is an old spreadsheet; save it as .xlsx"))])
    if qualtrics.looks_like_qsf(data):
        return add_sentence_proposals(qualtrics.read(data))
    if lss_parser.looks_like_xml(data):
        return add_sentence_proposals(limesurvey.read_lss(data))
    if tsv_parser.looks_like_tsv(data):
        return add_sentence_proposals(limesurvey.read_tsv(data))
    draft = candor_format.read(data)
    return ImportResult(draft, lines=tuple(unchanged_rows(draft)))


def add_sentence_proposals(result: ImportResult) -> ImportResult:
    """Adds proposed sentences, by which reports state an answer, where the question text allows it.

    One more row of the result tells for which questions.
    """
    draft = read_questionnaire(result.draft)
    filled = draft.change_each_question(
        lambda question: question_with_proposed_sentences(question, draft.languages)
    )
    changed = [
        after
        for before, after in zip(draft.all_questions, filled.all_questions, strict=True)
        if before != after
    ]
    if not changed:
        return result
    words = ngettext(
        "Reports say the answers of %(count)s question by words made of the question. Read them in the builder, "
        "under “In a sentence”.",
        "Reports say the answers of %(count)s questions by words made of the questions. Read them in the builder, "
        "under “In a sentence”.",
        len(changed),
    ) % {"count": len(changed)}
    questions = shorten(" · ".join(question_text([question], draft.first_language) for question in changed))
    line = ImportedRow(_("In a sentence"), questions, CHANGED, (words,))
    return replace(result, draft=filled.as_json(), lines=(*result.lines, line))
