"""A forced-response question: yes or no, answered truly or as a coin says."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.by_guarantee import admissible_keep
from privacy.guarantee.presets import DEFAULT
from surveys.draft import DEFAULT_SHARE
from surveys.kinds.compared_item import ComparedItem
from surveys.kinds.file_columns import FileColumns
from surveys.kinds.forms.block_lines import choices_line
from surveys.kinds.forms.settings_warning import SettingsWarning, few_answers
from surveys.kinds.grouped.files import GROUPED_COLUMNS
from surveys.kinds.kind import SurveyKind
from surveys.questionnaire.blocks import new_name
from surveys.questionnaire.draft_question import Given
from surveys.questionnaire.protection import PRIOR, keep_text
from surveys.questionnaire.questionnaire import Questionnaire
from tests.seventh.forced.chances import forced_chances, forced_sent_if
from tests.seventh.forced.draft import ForcedDraft
from tests.seventh.forced.form import ForcedForm
from tests.seventh.forced.protection import forced_protection
from tests.seventh.forced.section import ForcedSection
from tests.seventh.forced.settings import ForcedPanel


class ForcedKind(SurveyKind[ForcedDraft]):
    draft = ForcedDraft
    device = "privacy/kinds/forced.js"
    title = "Forced-response question"
    adds = "A forced-response question"
    button = "Add a forced-response question"
    form = ForcedForm
    promise = "builder/promise-forced.html"
    panel = ForcedPanel
    summary = staticmethod(choices_line)
    protection = staticmethod(forced_protection)
    chances = staticmethod(forced_chances)
    sent_if = staticmethod(forced_sent_if)

    def new(self, draft: Questionnaire) -> ForcedDraft:
        question = ForcedDraft.read_question(Given({}, {"name": new_name(draft)}, draft.languages))
        return ForcedDraft(preset=DEFAULT.name, questions=(question,))

    def within(self, section: ForcedDraft, limit: GammaLimit) -> ForcedDraft | None:
        keep = admissible_keep(section.law().noise, 1, limit)
        return replace(section, keep=keep_text(keep)) if keep else None

    def warnings(self, draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
        section = draft.sections[number]
        assert isinstance(section, ForcedDraft)
        found = forced_protection(section, draft.respondents, PRIOR)
        if not found.enough:
            yield few_answers(found.respondents, number)

    def compared_items(self, section: ForcedDraft) -> Iterator[ComparedItem]:
        yield ComparedItem.of(section.law(), float(DEFAULT_SHARE), Fraction(1, 2))

    def file_columns(self, section: ForcedSection) -> FileColumns:
        return GROUPED_COLUMNS
