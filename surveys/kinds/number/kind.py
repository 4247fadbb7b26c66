"""A sensitive number: disguised by classes or by a window."""

from django.utils.translation import gettext, gettext_lazy as _

from privacy.grammar.input_error import InputError
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.number import NumberQuestion
from privacy.kinds.number.window.section import WindowSection
from surveys.kinds.chance import SentIf, kept_or_not
from surveys.kinds.file_columns import FileColumns
from surveys.kinds.forms.block_lines import BlockLine
from surveys.kinds.kind import SurveyKind
from surveys.kinds.number.chances import NumberChances, classes_chances, window_chances
from surveys.kinds.number.commands import OF_NUMBER
from surveys.kinds.number.draft import WANTED, NumberDraft, NumberDraftQuestion
from surveys.kinds.number.editing import new_number, with_plan
from surveys.kinds.number.files import CLASSES_COLUMNS, WINDOW_COLUMNS
from surveys.kinds.number.form import NumberForm
from surveys.kinds.number.picture import number_words
from surveys.kinds.number.proposals import number_within
from surveys.kinds.number.protection import number_protection
from surveys.kinds.number.results import number_results
from surveys.kinds.number.settings import NumberPanel
from surveys.kinds.number.warnings import number_warnings
from surveys.questionnaire.blocks import Block


class NumberKind(SurveyKind[NumberDraft]):
    draft = NumberDraft
    device = "privacy/kinds/number.js"
    module = "numbers"
    title = _("Disguised number")
    adds = _("A sensitive number")
    button = _("Add a sensitive number")
    form = NumberForm
    promise = "builder/promise-number.html"
    panel = NumberPanel
    commands = OF_NUMBER
    new = staticmethod(new_number)
    within = staticmethod(number_within)
    protection = staticmethod(number_protection)
    warnings = staticmethod(number_warnings)
    results = staticmethod(number_results)
    replanned = staticmethod(with_plan)

    def summary(self, block: Block, language: str) -> BlockLine:
        (question,) = block
        assert isinstance(question, NumberDraftQuestion)
        wanted = str(WANTED[question.goal])
        try:
            numbers = question.range
        except InputError:
            return BlockLine(gettext("Number"), (wanted,))
        unit = question.unit.get(language, "")
        words = gettext("Number from %(low)s to %(high)s") % {
            "low": number_words(numbers.low),
            "high": f"{number_words(numbers.high)} {unit}".strip(),
        }
        return BlockLine(words, (wanted,))

    def chances(self, section: ClassesSection | WindowSection, language: str) -> NumberChances:
        return window_chances(section) if isinstance(section, WindowSection) else classes_chances(section)

    def sent_if(self, section: ClassesSection | WindowSection, question: NumberQuestion) -> SentIf:
        return kept_or_not(section.law.windowed if isinstance(section, WindowSection) else section.law.keep)

    def file_columns(self, section: ClassesSection | WindowSection) -> FileColumns:
        return WINDOW_COLUMNS if isinstance(section, WindowSection) else CLASSES_COLUMNS
