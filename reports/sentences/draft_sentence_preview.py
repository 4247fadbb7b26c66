"""The line beneath a question in the builder: what a report's first page would say of it, with an invented figure."""

import json
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from django.utils import translation
from django.utils.translation import get_language, gettext as _

from mining.nodes.number_nodes import NumberEstimates, NumberNode, QuantileStatement
from privacy.designs import InputError, parse_design
from privacy.designs.design import FORMAT
from privacy.kinds.number.classes.section import ClassesQuestion
from privacy.kinds.number.number_question import NumberQuestion
from reports.answer_labels import Labels
from reports.sentences import number_format
from reports.sentences.sample_population import EVERYBODY
from reports.sentences.sensitive_numbers import quantile_finding
from reports.sentences.sentence_parts import (
    Sentence,
    as_text,
    fill_template,
    people_phrase,
    predicate_phrase,
    question_phrase,
)
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.design_from_draft import design_json_from_draft
from surveys.phrases.languages import shipped_language_for
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.report_sentence_proposals import ReportLine, add_proposed_sentences
from surveys.questionnaire.report_sentence_texts import SentenceTexts
from ui.quantity_format import append_unit

SHARE, MEAN = 0.25, 0.4
"""The invented share, and where between the ends of a number its invented average or median lies."""
MOST_KEPT = 512
LEFT_OUT = ("asked", "order", "intro")


def line_of_report(draft: Questionnaire, block: Sequence[DraftQuestion], language: str) -> ReportLine | None:
    """Returns what a report would say of a question, or of the first of its options; None if it is unfinished."""
    if not block[0].text.get(language):
        return None
    (section,) = [section for section in draft.sections if block[0] in section.questions]
    members = {key: value for key, value in section.as_json().items() if key not in LEFT_OUT}
    members["questions"] = [{**question.as_json(), "show_if": {}} for question in block]
    alone = read_questionnaire({"format": FORMAT, "languages": [language], "sections": [members]})
    stored = add_proposed_sentences(alone.as_json(), alone)
    is_condition = not section.sensitive and draft.has_disguised_sections
    with translation.override(shipped_language_for(language) or get_language()):
        return _line_of_design(json.dumps(stored), language, is_condition, get_language())


@lru_cache(MOST_KEPT)
def _line_of_design(stored: str, language: str, is_condition: bool, reader: str) -> ReportLine | None:
    draft = json.loads(stored)
    try:
        design = parse_design(design_json_from_draft(draft))
    except InputError:
        return None
    labels = Labels(design.mined, language, SentenceTexts.from_draft(draft))
    question = design.questions[0]
    if not labels.names or question.known_parts is not None:
        return ReportLine("", quotes=False)
    names = [labels.name((0, code)) for code in labels.design.questions[0].listed_codes]
    name, figure = min(names, key=lambda name: name.endswith("=no")), number_format.percent(SHARE)
    if isinstance(question, NumberQuestion):
        sentence = _number_sentence(question, labels)
        quotes = not labels.quantity_phrase(question.name)
    elif is_condition:
        words = _("Of %(people)s, %(share)s …")
        sentence = fill_template(words, people=people_phrase([name], labels), share=figure)
        quotes = not labels.people([name])
    else:
        sentence = fill_template(EVERYBODY.share_template, share=figure, did=predicate_phrase([name], labels))
        quotes = not labels.predicate([name])
    return ReportLine(as_text(sentence), quotes)


def _number_sentence(question: NumberQuestion, labels: Labels) -> Sentence:
    """Returns the first sentence on a number: its average, if records give one, else its median."""
    values = question.high - question.low
    invented = question.low + MEAN * values
    if isinstance(question, ClassesQuestion) and not question.has_mean:
        ends = (None, *question.limits, None)
        place = bisect_right(question.limits, invented)
        node = NumberNode(question.name, question.law, NumberEstimates(None, None))
        return quantile_finding(node, QuantileStatement(0.5, ends[place], ends[place + 1]), labels).sentence
    words, about = _("The average of %(question)s is %(mean)s."), question_phrase(question.name, labels)
    mean = append_unit(number_format.decimal(invented, int(values < 10)), labels.unit(question))
    return fill_template(words, question=about, mean=mean.replace(" ", number_format.NO_BREAK_SPACE))
