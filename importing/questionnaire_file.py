"""A file of any format that questionnaires come in, known by how it begins."""

from dataclasses import replace

from django.utils.translation import gettext as _, ngettext

from importing import candor_format, limesurvey, qualtrics, xlsform
from importing.faults import Fault, FileRefused
from importing.import_result import CHANGED, ReadLine, ReadQuestionnaire, cut, of_every_question
from importing.limesurvey import lss_parser, tsv_parser
from surveys.kinds.read_draft import read_questionnaire
from surveys.questionnaire.question_blocks import question_text
from surveys.questionnaire.sentence_proposals import with_proposed_sentences

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
    if lss_parser.looks_like_lss(data):
        return with_sentences(limesurvey.read_lss(data))
    if tsv_parser.looks_like_tsv(data):
        return with_sentences(limesurvey.read_tsv(data))
    draft = candor_format.read(data)
    return ReadQuestionnaire(draft, lines=tuple(of_every_question(draft)))


def with_sentences(given: ReadQuestionnaire) -> ReadQuestionnaire:
    """The questionnaire with the proposals, and a row of the read-through that tells of them."""
    draft = read_questionnaire(given.draft)
    filled = draft.change_each_question(lambda question: with_proposed_sentences(question, draft.languages))
    changed = [
        after
        for before, after in zip(draft.all_questions, filled.all_questions, strict=True)
        if before != after
    ]
    if not changed:
        return given
    words = ngettext(
        "Reports say the answers of %(count)s question by words made of the question. Read them in the builder, "
        "under “In a sentence”.",
        "Reports say the answers of %(count)s questions by words made of the questions. Read them in the builder, "
        "under “In a sentence”.",
        len(changed),
    ) % {"count": len(changed)}
    questions = cut(" · ".join(question_text([question], draft.first_language) for question in changed))
    line = ReadLine(_("In a sentence"), questions, CHANGED, (words,))
    return replace(given, draft=filled.as_json(), lines=(*given.lines, line))
