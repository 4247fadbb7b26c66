"""What is said of the checks of a run: a state in a few words, and sentences, for public pages in all languages."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from django.utils.translation import gettext as _, ngettext

from mining.findings.result_row_conversion import Columns
from runs.mlxtend_check import CheckResult, first_difference, last_check, last_result
from runs.models import EngineCheck, MlxtendCheck, Run
from runs.row_check import RowCheck, changed_columns, read_row_check, stored_columns
from ui.number_format import format_count
from ui.sentence_joining import join_sentences


class CheckState(StrEnum):
    """DIFFERS: a check found a difference. CHANGED: the rows are not those that were compared. SAMPLE, ROWS, CHECKED:
    the rows were compared on all records, and the search on a sample, not, or on all."""

    DIFFERS = "differs"
    NOT_CHECKED = "not checked"
    CHANGED = "changed"
    SAMPLE = "sample"
    ROWS = "rows"
    CHECKED = "checked"


@dataclass(frozen=True)
class Counts:
    """Numbers of itemsets and of rules that a page may tell, of confidences above 100 % among them, and of itemsets
    with a part below the threshold; a rule and its converse count as one."""

    itemsets: int
    rules: int
    above_one: int
    below: int


@dataclass(frozen=True)
class CheckStatus:
    """What is known of the checks of a run now.

    `is_content_changed`: returns True if what was published of the run is not what these rows, itemsets and rules, say.
    """

    run: Run
    is_content_changed: Callable[[Columns, Columns], bool] = lambda _itemsets, _rules: False

    @cached_property
    def rows(self) -> RowCheck | None:
        return read_row_check(self.run)

    @cached_property
    def search(self) -> CheckResult | None:
        return last_result(self.run)

    @cached_property
    def last(self) -> EngineCheck | None:
        return last_check(self.run)

    @property
    def is_disputed(self) -> bool:
        """True if a check found a difference."""
        return first_difference(self.rows, self.search) is not None

    @property
    def is_on_its_way(self) -> bool:
        return bool(self.last and self.last.live)

    @cached_property
    def _stored(self) -> tuple[Columns, Columns]:
        return stored_columns(self.run)

    @cached_property
    def changed(self) -> list[str]:
        """The columns of the rows that are not as they were compared; reads all rows."""
        return changed_columns(self.rows, *self._stored) if self.rows else []

    @cached_property
    def state(self) -> CheckState:
        if self.is_disputed:
            return CheckState.DIFFERS
        if self.rows is None:
            return CheckState.NOT_CHECKED
        if self.changed or self.is_content_changed(*self._stored):
            return CheckState.CHANGED
        if self.search is None or self.search.minutes is not None:
            return CheckState.ROWS
        return CheckState.SAMPLE if self.search.sample else CheckState.CHECKED

    @property
    def label(self) -> str:
        """The state in a few words."""
        return {
            CheckState.DIFFERS: _("mlxtend finds something else"),
            CheckState.NOT_CHECKED: _("Not checked"),
            CheckState.CHANGED: _("Changed since it was checked"),
            CheckState.SAMPLE: _("Search checked on a sample"),
            CheckState.ROWS: _("Numbers checked, the search not"),
            CheckState.CHECKED: _("Checked"),
        }[self.state]

    def sentence(self, counts: Counts | None, *, knows_extent: bool = True) -> str:
        """Returns what the checks found.

        `counts`: of what the reader may know. Without them the sentence has no number: the cost of a check reveals how
        many itemsets were candidates. `knows_extent`: whether the reader may know how much of the search was checked.
        """
        name = {"version": self._version}
        if self.state == CheckState.DIFFERS:
            return _("mlxtend %(version)s finds something else than Candor, so one of them is wrong.") % name
        if self.state == CheckState.CHANGED:
            words = _("Changed since it was checked: these are not the numbers that were compared.")
            return join_sentences(
                [words, *([f"({', '.join(self.changed)})"] if counts and self.changed else [])]
            )
        if self.rows is None:
            return self._sentence_without_rows()
        return join_sentences(
            [
                self._rows_sentence(counts),
                *([self._search_sentence(counts)] if knows_extent else []),
                *(_count_sentences(counts) if counts else []),
                *_uncompared_sentences(self.rows.scored),
            ]
        )

    @property
    def _version(self) -> str:
        known = self.rows or self.search
        return known.mlxtend.removesuffix(".0") if known else ""

    def _sentence_without_rows(self) -> str:
        if self.last and not self.last.live:
            return _("Not checked by mlxtend: the check was not finished.")
        if self.last is None and self.run.mlxtend == MlxtendCheck.NEVER:
            return _("Not checked by mlxtend.")
        return _("Not yet checked by mlxtend.")

    def _rows_sentence(self, counts: Counts | None) -> str:
        name = {"version": self._version}
        if counts is None or not (counts.itemsets or counts.rules):
            return (
                _(
                    "The numbers of all itemsets and rules equal means over all records and what mlxtend %(version)s’s "
                    "association_rules makes of these."
                )
                % name
            )
        listed = {
            "itemsets": ngettext("%(count)s itemset", "%(count)s itemsets", counts.itemsets)
            % {"count": format_count(counts.itemsets)},
            "rules": ngettext("%(count)s rule", "%(count)s rules", counts.rules)
            % {"count": format_count(counts.rules)},
        }
        if not counts.rules:
            return _("The numbers of %(itemsets)s equal means over all records.") % listed
        words = _(
            "The numbers of %(itemsets)s and %(rules)s equal means over all records and what mlxtend %(version)s’s "
            "association_rules makes of these."
        )
        return words % {**name, **listed}

    def _search_sentence(self, counts: Counts | None) -> str:
        search = self.search
        if search is None:
            if self.last and not self.last.live:
                return _("The search was not checked.")
            return _("The search is not yet checked.")
        if search.minutes is not None and counts is None:
            return _("The search was not checked by mlxtend: that would take too long.")
        if search.minutes is not None:
            words = _("The search was not checked by mlxtend: that would take about %(minutes)s min.")
            return words % {"minutes": format_count(search.minutes)}
        if search.sample and counts is None:
            return _("The search was checked on a sample of the records.")
        if search.sample:
            words = _("The search was checked on a sample of %(records)s records.")
            return words % {"records": format_count(search.records)}
        return _("mlxtend’s apriori lists the same itemsets of all records.")


def _count_sentences(counts: Counts) -> list[str]:
    above = ngettext(
        "%(count)s confidence is above 100 %%, by noise.",
        "%(count)s confidences are above 100 %%, by noise.",
        counts.above_one,
    )
    below = ngettext(
        "%(count)s itemset has a part below the threshold, so a strict Apriori would not list it.",
        "%(count)s itemsets have a part below the threshold, so a strict Apriori would not list them.",
        counts.below,
    )
    said = ((above, counts.above_one), (below, counts.below))
    return [words % {"count": format_count(many)} for words, many in said if many]


def _uncompared_sentences(scored: int) -> list[str]:
    words = ngettext(
        "%(count)s item of numbers or sets is in no table of yes and no, and was not compared.",
        "%(count)s items of numbers or sets are in no table of yes and no, and were not compared.",
        scored,
    )
    return [words % {"count": format_count(scored)}] if scored else []
