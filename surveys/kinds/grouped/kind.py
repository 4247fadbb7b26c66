"""Questions that are disguised together, by an unrelated question."""

from collections.abc import Iterator
from fractions import Fraction

from django.utils.translation import gettext_lazy as _

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.by_guarantee import admissible_keep
from privacy.guarantee.presets import DEFAULT, section_within
from surveys.draft import KEEP, PRESET, Draft
from surveys.kinds.grouped.draft import GROUPED, GroupedDraft
from surveys.kinds.grouped.form import GroupedForm
from surveys.kinds.grouped.law import grouped_law
from surveys.kinds.grouped.panel import GroupedPanel
from surveys.kinds.grouped.precision import asked_for, share_of
from surveys.kinds.grouped.protection import grouped_protection
from surveys.kinds.grouped.warnings import grouped_warnings
from surveys.kinds.kind import SurveyKind
from surveys.questionnaire.block_lines import BlockLine, choices_line
from surveys.questionnaire.blocks import Block
from surveys.questionnaire.compared_item import ComparedItem
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.protection import Protection, keep_text
from surveys.questionnaire.settings_warning import SettingsWarning


class GroupedKind(GroupedDraft, SurveyKind):
    title = _("Disguised")
    form = GroupedForm
    promise = "surveys/builder/promise-grouped.html"
    panel = GroupedPanel

    def new(self, draft: Draft) -> Node:
        return {"kind": GROUPED, "keep": KEEP, PRESET: DEFAULT.name, "questions": []}

    def summary(self, block: Block, language: str) -> BlockLine:
        return choices_line(block, language)

    def within(self, section: Node, limit: GammaLimit) -> Node | None:
        law = grouped_law(section)
        keep = admissible_keep(law.noise, law.asked, limit) if law else None
        return {**section, "keep": keep_text(keep)} if keep else None

    def best_within(self, section: Node, limit: GammaLimit) -> Node | None:
        """With how many questions each person is asked."""
        before = grouped_law(section)
        law = section_within(before.noise, limit) if before else None
        return {**section, "keep": keep_text(law.keep), "asked": law.asked} if law else None

    def protection(self, section: Node, respondents: int, prior: Fraction) -> Protection | None:
        return grouped_protection(section, respondents, prior)

    def warnings(self, draft: Draft, number: int) -> Iterator[SettingsWarning]:
        return grouped_warnings(draft, number)

    def compared_items(self, section: Node) -> Iterator[ComparedItem]:
        if (law := grouped_law(section)) is None:
            return iter(())
        pairs = zip(section["questions"], law.noise, strict=True)
        wanted = {(share_of(question), noise[asked_for(question, noise)]) for question, noise in pairs}
        return (ComparedItem.of(law, share, noise) for share, noise in sorted(wanted))
