"""Questions that are disguised together, by an unrelated question."""

from collections.abc import Iterator
from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.by_guarantee import admissible_keep
from privacy.guarantee.presets import DEFAULT, section_within
from privacy.kinds.grouped.section import UnrelatedQuestionSection
from surveys.kinds.compared_item import ComparedItem
from surveys.kinds.file_columns import FileColumns
from surveys.kinds.forms.block_lines import choices_line
from surveys.kinds.grouped.chances import grouped_chances, grouped_sent_if
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.grouped.files import GROUPED_COLUMNS
from surveys.kinds.grouped.form import GroupedForm
from surveys.kinds.grouped.precision import asked_for, share_of
from surveys.kinds.grouped.protection import grouped_protection, with_law
from surveys.kinds.grouped.settings import GroupedPanel
from surveys.kinds.grouped.warnings import grouped_warnings
from surveys.kinds.kind import SurveyKind
from surveys.questionnaire.protection import keep_text
from surveys.questionnaire.questionnaire import Questionnaire


class GroupedKind(SurveyKind[GroupedDraft]):
    draft = GroupedDraft
    device = "privacy/kinds/grouped.js"
    title = _("Disguised")
    form = GroupedForm
    promise = "builder/promise-grouped.html"
    panel = GroupedPanel
    summary = staticmethod(choices_line)
    protection = staticmethod(grouped_protection)
    warnings = staticmethod(grouped_warnings)
    chances = staticmethod(grouped_chances)
    sent_if = staticmethod(grouped_sent_if)

    def new(self, draft: Questionnaire) -> GroupedDraft:
        return GroupedDraft(preset=DEFAULT.name)

    def within(self, section: GroupedDraft, limit: GammaLimit) -> GroupedDraft | None:
        law = section.law()
        keep = admissible_keep(law.noise, law.asked, limit) if law else None
        return replace(section, keep=keep_text(keep)) if keep else None

    def best_within(self, section: GroupedDraft, limit: GammaLimit) -> GroupedDraft | None:
        """With how many questions each person is asked."""
        before = section.law()
        law = section_within(before.noise, limit) if before else None
        return with_law(section, law) if law else None

    def compared_items(self, section: GroupedDraft) -> Iterator[ComparedItem]:
        if (law := section.law()) is None:
            return iter(())
        pairs = zip(section.questions, law.noise, strict=True)
        wanted = {(share_of(question), noise[asked_for(question, noise)]) for question, noise in pairs}
        return (ComparedItem.of(law, share, noise) for share, noise in sorted(wanted))

    def file_columns(self, section: UnrelatedQuestionSection) -> FileColumns:
        return GROUPED_COLUMNS
