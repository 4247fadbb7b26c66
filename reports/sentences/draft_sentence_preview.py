"""Example sentences for researchers: how a report would state the answers of a draft, with invented
figures.
"""

from collections.abc import Iterator

from django.utils import translation
from django.utils.safestring import SafeString

from mining.nodes.number_nodes import MeanEstimate, NumberEstimates, NumberNode
from privacy.designs import Design
from privacy.kinds.number.number_question import NUMBER
from reports.answer_labels import Labels
from reports.sentences.association_pairs import Direction, direction_sentence
from reports.sentences.finding import MeasuredValue
from reports.sentences.sample_population import SharePopulation
from reports.sentences.sensitive_numbers import mean_finding
from reports.sentences.sentence_parts import as_html
from reports.sentences.shares import share_sentence
from surveys.draft_json import Draft
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire.report_sentence_texts import SentenceTexts

SHARE, OTHER = MeasuredValue(0.32, 0.28, 0.36), MeasuredValue(0.54, 0.48, 0.60)
MEAN = MeanEstimate(3.2, 0.15, 2.9, 3.5)
MOST = 60


def example_sentences(design: Design, draft: Draft) -> list[tuple[str, list[SafeString]]]:
    """Returns, for each language of the survey, an example sentence per answer that has a wording for sentences."""
    texts, mined = SentenceTexts.from_draft(draft), design.mined
    examples = []
    for language in filter(SHIPPED.__contains__, design.languages):
        with translation.override(language):
            labels = Labels(mined, language, texts)
            if sentences := list(_sentences_in_language(labels))[:MOST]:
                examples.append((language, sentences))
    return examples


def _sentences_in_language(labels: Labels) -> Iterator[SafeString]:
    names = [name for name in labels.names if labels.predicate([name]) and not _is_number(labels, name)]
    groups = [name for name in names if not labels.is_sensitive([name])]
    consequences = [name for name in names if labels.is_sensitive([name])]
    if groups and consequences:
        direction = Direction((groups[0],), (consequences[-1],), OTHER, SHARE)
        yield as_html(direction_sentence(direction, labels, bold=True))
    for name in names:
        yield as_html(share_sentence(name, SHARE, SharePopulation(quotas=labels.has_quotas), labels))
    for question in labels.design.questions:
        if labels.quantity_phrase(question.name):
            node = NumberNode(question.name, "classes", NumberEstimates(1000, 0, MEAN))
            yield as_html(mean_finding(node, MEAN, labels).sentence)


def _is_number(labels: Labels, name: str) -> bool:
    place, _code = labels.item(name)
    return labels.design.questions[place].form == NUMBER
