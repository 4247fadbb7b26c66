"""A crosswise question: whether two answers are the same, of which one is secret."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from django.utils.translation import gettext, gettext_lazy as _

from privacy.designs import Texts
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.crosswise.section import DIFFERENT, SAME, CrosswiseQuestion, CrosswiseSection
from surveys.kinds.compared_item import ComparedItem
from surveys.kinds.crosswise.chances import crosswise_chances
from surveys.kinds.crosswise.commands import OF_CROSSWISE, new_crosswise
from surveys.kinds.crosswise.draft import CrosswiseDraft, CrosswiseDraftQuestion
from surveys.kinds.crosswise.form import CrosswiseForm
from surveys.kinds.crosswise.protection import EXPECTED_SHARE, crosswise_protection, crosswise_results
from surveys.kinds.crosswise.settings import CrosswisePanel
from surveys.kinds.crosswise.warnings import crosswise_warnings
from surveys.kinds.file_columns import FileColumns
from surveys.kinds.forms.block_lines import BlockLine
from surveys.kinds.grouped.files import GROUPED_COLUMNS
from surveys.kinds.kind import SurveyKind
from surveys.questionnaire.blocks import Block


class CrosswiseKind(SurveyKind[CrosswiseDraft]):
    draft = CrosswiseDraft
    device = "privacy/kinds/crosswise.js"
    title = _("Crosswise question")
    adds = _("A crosswise question")
    button = _("Add a crosswise question")
    form = CrosswiseForm
    promise = "builder/promise-crosswise.html"
    panel = CrosswisePanel
    commands = OF_CROSSWISE
    new = staticmethod(new_crosswise)
    protection = staticmethod(crosswise_protection)
    warnings = staticmethod(crosswise_warnings)
    results = staticmethod(crosswise_results)
    chances = staticmethod(crosswise_chances)

    def summary(self, block: Block, language: str) -> BlockLine:
        (question,) = block
        secret = question.secret.get(language) if isinstance(question, CrosswiseDraftQuestion) else None
        return BlockLine(gettext("Crosswise question"), (secret,) if secret else ())

    def within(self, section: CrosswiseDraft, limit: GammaLimit) -> None:
        return None

    def compared_items(self, section: CrosswiseDraft) -> Iterator[ComparedItem]:
        if law := section.law():
            yield ComparedItem.of(law, EXPECTED_SHARE, Fraction(1, 2))

    def asked_beside(self, question: CrosswiseQuestion) -> Texts:
        return question.secret

    def form_words(self, question: CrosswiseQuestion) -> Sequence[tuple[str, int]]:
        words = ((SAME, "crosswise_same"), (DIFFERENT, "crosswise_different"))
        return [(phrase, question.recorded(word, turned=False)) for word, phrase in words]

    def file_columns(self, section: CrosswiseSection) -> FileColumns:
        return GROUPED_COLUMNS
