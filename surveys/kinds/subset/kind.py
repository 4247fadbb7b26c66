"""A question of which a set of choices is sent."""

from django.utils.translation import gettext, gettext_lazy as _

from privacy.guarantee.presets import DEFAULT
from privacy.kinds.subset.section import SubsetQuestion, SubsetSection
from surveys.kinds.chance import SentIf
from surveys.kinds.file_columns import FileColumns
from surveys.kinds.forms.block_lines import choices_line
from surveys.kinds.kind import SurveyKind
from surveys.kinds.subset.chances import subset_chances
from surveys.kinds.subset.draft import FORM, SubsetDraft, limited_subset
from surveys.kinds.subset.files import SUBSET_COLUMNS
from surveys.kinds.subset.form import SubsetForm
from surveys.kinds.subset.protection import subset_protection
from surveys.kinds.subset.settings import SubsetPanel
from surveys.kinds.subset.warnings import subset_warnings
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.questions import new_block


class SubsetKind(SurveyKind[SubsetDraft]):
    draft = SubsetDraft
    device = "privacy/kinds/subset.js"
    module = "sets"
    title = _("Disguised question, sent as sets of answers")
    form = SubsetForm
    promise = "builder/promise-subset.html"
    panel = SubsetPanel
    summary = staticmethod(choices_line)
    within = staticmethod(limited_subset)
    protection = staticmethod(subset_protection)
    warnings = staticmethod(subset_warnings)
    chances = staticmethod(subset_chances)

    def new(self, draft: Questionnaire) -> SubsetDraft:
        questions = new_block(draft, FORM, sensitive=True)
        return SubsetDraft(preset=DEFAULT.name, questions=tuple(questions))

    def words(self, section: SubsetDraft, respondents: int) -> str:
        protection = subset_protection(section, respondents, PRIOR)
        if protection is None:
            return ""
        words = gettext("%(name)s, sent as sets: %(margin)s")
        return words % {"name": section.question.name, "margin": protection.margin}

    def sent_if(self, section: SubsetSection, question: SubsetQuestion) -> SentIf:
        return [(section.law.keep, section.law.other)]

    def file_columns(self, section: SubsetSection) -> FileColumns:
        return SUBSET_COLUMNS
