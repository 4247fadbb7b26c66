"""Plain questions: sent as they are answered."""

from collections.abc import Iterator
from fractions import Fraction

from django.utils.translation import gettext_lazy as _

from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.plain.section import PlainSection
from surveys.kinds.file_columns import FileColumns
from surveys.kinds.forms.block_lines import choices_line
from surveys.kinds.forms.settings_warning import SettingsWarning
from surveys.kinds.kind import SurveyKind
from surveys.kinds.plain.draft import PlainDraft
from surveys.kinds.plain.files import PLAIN_COLUMNS
from surveys.kinds.plain.form import PlainForm
from surveys.questionnaire.questionnaire import Questionnaire


class PlainKind(SurveyKind[PlainDraft]):
    draft = PlainDraft
    device = "privacy/kinds/plain.js"
    title = _("Not disguised")
    form = PlainForm
    summary = staticmethod(choices_line)

    def new(self, draft: Questionnaire) -> PlainDraft:
        return PlainDraft()

    def within(self, section: PlainDraft, limit: GammaLimit) -> None:
        return None

    def protection(self, section: PlainDraft, respondents: int, prior: Fraction) -> None:
        return None

    def warnings(self, draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
        return iter(())

    def file_columns(self, section: PlainSection) -> FileColumns:
        return PLAIN_COLUMNS
