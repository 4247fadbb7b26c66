"""A forced-response question: yes or no, answered truly or as a coin says."""

from collections.abc import Iterator
from fractions import Fraction

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.by_guarantee import admissible_keep
from privacy.guarantee.presets import DEFAULT
from surveys.draft import DEFAULT_SHARE, KEEP, PRESET, Draft
from surveys.kinds.grouped.files import GROUPED_COLUMNS
from surveys.kinds.kind import SurveyKind
from surveys.questionnaire.block_lines import choices_line
from surveys.questionnaire.blocks import new_name
from surveys.questionnaire.compared_item import ComparedItem
from surveys.questionnaire.file_columns import FileColumns
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.protection import PRIOR, expected, keep_text
from surveys.questionnaire.settings_warning import SettingsWarning, few_answers
from tests.seventh.forced.chances import forced_chances, forced_sent_if
from tests.seventh.forced.draft import FORCED, ForcedDraft
from tests.seventh.forced.form import ForcedForm
from tests.seventh.forced.protection import forced_protection
from tests.seventh.forced.section import ForcedSection
from tests.seventh.forced.settings import ForcedPanel


class ForcedKind(ForcedDraft, SurveyKind):
    device = "privacy/kinds/forced.js"
    title = "Forced-response question"
    adds = "A forced-response question"
    button = "Add a forced-response question"
    form = ForcedForm
    promise = "surveys/builder/promise-forced.html"
    panel = ForcedPanel
    scripted = False
    summary = staticmethod(choices_line)
    protection = staticmethod(forced_protection)
    chances = staticmethod(forced_chances)
    sent_if = staticmethod(forced_sent_if)

    def new(self, draft: Draft) -> Node:
        asked = {"name": new_name(draft), "text": {}, "help": {}, "show_if": {}}
        question = self.normal_question({}, asked, draft["languages"])
        return {"kind": FORCED, "keep": KEEP, PRESET: DEFAULT.name, "questions": [question]}

    def within(self, section: Node, limit: GammaLimit) -> Node | None:
        keep = admissible_keep(self.law(section).noise, 1, limit)
        return {**section, "keep": keep_text(keep)} if keep else None

    def warnings(self, draft: Draft, number: int) -> Iterator[SettingsWarning]:
        found = forced_protection(draft["sections"][number], expected(draft), PRIOR)
        if not found.enough:
            yield few_answers(found.respondents, number)

    def compared_items(self, section: Node) -> Iterator[ComparedItem]:
        yield ComparedItem.of(self.law(section), float(DEFAULT_SHARE), Fraction(1, 2))

    def file_columns(self, section: ForcedSection) -> FileColumns:
        return GROUPED_COLUMNS
