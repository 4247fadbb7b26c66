"""A sensitive number: disguised by classes or by a window."""

from collections.abc import Iterator
from fractions import Fraction

from django.utils.translation import gettext, gettext_lazy as _

from privacy.grammar.refusal import Refusal
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.number import NumberQuestion
from privacy.kinds.number.window.section import WindowSection
from surveys.draft import Draft
from surveys.kinds.kind import SurveyKind
from surveys.kinds.number.chances import NumberChances, classes_chances, window_chances
from surveys.kinds.number.commands import OF_NUMBER
from surveys.kinds.number.draft import WANTED, NumberDraft, found_section, range_of, wanted_of
from surveys.kinds.number.editing import new_number, with_plan
from surveys.kinds.number.files import CLASSES_COLUMNS, WINDOW_COLUMNS
from surveys.kinds.number.form import NumberForm
from surveys.kinds.number.laws import law_of_number, number_results
from surveys.kinds.number.picture import number_words
from surveys.kinds.number.protection import NumberProtection
from surveys.kinds.number.settings import NumberPanel
from surveys.questionnaire.block_lines import BlockLine
from surveys.questionnaire.blocks import Block
from surveys.questionnaire.chance import SentIf, kept_or_not
from surveys.questionnaire.file_columns import FileColumns
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.settings_warning import SettingsWarning


class NumberKind(NumberDraft, SurveyKind):
    device = "privacy/kinds/number.js"
    title = _("Disguised number")
    adds = _("A sensitive number")
    button = _("Add a sensitive number")
    form = NumberForm
    promise = "surveys/builder/promise-number.html"
    panel = NumberPanel
    commands = OF_NUMBER
    new = staticmethod(new_number)
    results = staticmethod(number_results)
    replanned = staticmethod(with_plan)

    def summary(self, block: Block, language: str) -> BlockLine:
        question = block[0]
        wanted = str(WANTED[wanted_of(question)])
        try:
            numbers = range_of(question)
        except Refusal:
            return BlockLine(gettext("Number"), (wanted,))
        unit = question["unit"].get(language, "")
        words = gettext("Number from %(low)s to %(high)s") % {
            "low": number_words(numbers.low),
            "high": f"{number_words(numbers.high)} {unit}".strip(),
        }
        return BlockLine(words, (wanted,))

    def within(self, section: Node, limit: GammaLimit) -> Node | None:
        return law_of_number(section).within(section, limit)

    def protection(self, section: Node, respondents: int, prior: Fraction) -> NumberProtection | None:
        fits = found_section(section) is not None
        return law_of_number(section).protection(section, respondents, prior) if fits else None

    def warnings(self, draft: Draft, number: int) -> Iterator[SettingsWarning]:
        section = draft["sections"][number]
        fits = found_section(section) is not None
        return law_of_number(section).warnings(draft, number) if fits else iter(())

    def chances(self, section: ClassesSection | WindowSection, language: str) -> NumberChances:
        return window_chances(section) if isinstance(section, WindowSection) else classes_chances(section)

    def sent_if(self, section: ClassesSection | WindowSection, question: NumberQuestion) -> SentIf:
        return kept_or_not(section.law.windowed if isinstance(section, WindowSection) else section.law.keep)

    def file_columns(self, section: ClassesSection | WindowSection) -> FileColumns:
        return WINDOW_COLUMNS if isinstance(section, WindowSection) else CLASSES_COLUMNS
