"""Fills in how reports say the answers of a form from elsewhere, where the words of a question show it."""

from dataclasses import replace

from django.utils.translation import gettext as _, ngettext

from importing.read_through import CHANGED, ReadLine, ReadQuestionnaire, cut
from surveys.kinds.read_draft import read_questionnaire
from surveys.questionnaire.question_blocks import question_text
from surveys.questionnaire.report_sentence_proposals import question_with_proposed_sentences


def with_sentences(given: ReadQuestionnaire) -> ReadQuestionnaire:
    """The questionnaire with the proposals, and a row of the read-through that tells of them."""
    draft = read_questionnaire(given.draft)
    filled = draft.change_each_question(
        lambda question: question_with_proposed_sentences(question, draft.languages)
    )
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
