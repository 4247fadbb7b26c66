"""The trade-off between protection and precision: presets to choose from, and a chart of the margin of error
by protection.

A column of the chart is a level of protection of the whole person, the strongest first. Its whisker is the 95
% interval of one answer's share, if the present sections had that protection. One column is the draft's
present state, and replaces columns that would be equal. Coordinates are integers, so that no language writes
them with a comma.
"""

from collections.abc import Sequence
from fractions import Fraction

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from builder.protection.summary import ProtectionSummary
from privacy.guarantee.amplification import GammaLimit, round_up, worst_posterior
from privacy.guarantee.presets import BEFORE, LADDER, PRESETS, Preset
from surveys.kinds.apply_protection_presets import divide_limit_among_sections, set_preset
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.protection import common_preset
from surveys.questionnaire.questionnaire import Questionnaire

NAMES: dict[str, str | Promise] = {
    "stronger": gettext_lazy("Stronger"),
    "balanced": gettext_lazy("Balanced"),
    "weaker": gettext_lazy("Weaker, more precise"),
}
WIDTH, HEIGHT, LEFT, RIGHT = 340, 190, 46, 8
TOP, BOTTOM = 12, 34
MOST = 0.30
"""Largest half width that the chart's frame shows; longer whiskers are drawn as leaving the frame."""
TICKS = (20, 0, -20)


class PresetChoice:
    """A protection preset that can be chosen: its promise in words, and `outcome`, the summary of the draft with this
    preset.

    `is_kept`: the draft's sections can keep the promise.
    """

    def __init__(self, draft: Questionnaire, preset: Preset) -> None:
        self.preset, self.name = preset, NAMES[preset.name]
        self.before, self.after = share_as_odds_text(BEFORE), share_as_odds_text(preset.after)
        self.outcome = ProtectionSummary(set_preset(draft, preset), BEFORE)
        self.is_chosen = preset == common_preset(draft)
        self.is_kept = self.outcome.is_within(preset.limit)


def share_as_odds_text(share: Fraction) -> str:
    """Formats a share as odds: 1 in 20."""
    return _("%(of)s in %(all)s") % {"of": share.numerator, "all": share.denominator}


def preset_by_name(name: str) -> Preset:
    """Returns the preset with this name; refused if there is none."""
    if name not in PRESETS:
        raise NotAllowed(_("That could not be understood. Reload the page and try again."))
    return PRESETS[name]


class TradeOffColumn:
    """A column of the chart of errors by protection: a gamma, the highest posterior probability that it allows, and the
    margin of error (None if nothing can be estimated)."""

    x = 0

    def __init__(self, gamma: Fraction, outcome: ProtectionSummary, is_own: bool = False) -> None:
        single = outcome.itemset_margins[0]
        self.gamma, self.is_own, self.words = gamma, is_own, single.margin_text
        self.posterior = float(round_up(worst_posterior(gamma, outcome.prior), 3))
        self.half = single.half_width if single.has_enough_answers else None
        self.leaves = self.half is not None and self.half > MOST
        half = min(self.half or 0.0, MOST)
        self.high, self.low = _chart_y(half), _chart_y(-half)

    @property
    def whisker_ends(self) -> tuple[int, int]:
        """X coordinates of the left and right end of the caps of the interval."""
        return self.x - 5, self.x + 5


class TradeOffChart:
    """Chart of the margin of error by protection; `band` is start and width of the column of the draft's
    present state."""

    def __init__(self, columns: Sequence[TradeOffColumn]) -> None:
        self.columns = sorted(columns, key=lambda column: column.gamma)
        step = (WIDTH - LEFT - RIGHT) // len(columns)
        for number, column in enumerate(self.columns):
            column.x = LEFT + step // 2 + number * step
        self.band = next(column.x for column in columns if column.is_own) - step // 2, step
        self.ticks, self.zero = [(_chart_y(points / 100), points) for points in TICKS], _chart_y(0)


def build_trade_off_chart(outcome: ProtectionSummary) -> TradeOffChart | None:
    """Returns the chart for a draft; None if no questions are disguised together."""
    if not outcome.person_protection or not outcome.itemset_margins:
        return None
    own = TradeOffColumn(outcome.person_protection.guarantee.gamma, outcome, is_own=True)
    columns = [own]
    for gamma in LADDER:
        limit = GammaLimit(gamma, strict=False)
        summary = ProtectionSummary(divide_limit_among_sections(outcome.draft, limit), outcome.prior)
        column = TradeOffColumn(gamma, summary)
        # Not what the sections cannot keep, such as a crosswise question whose secret fixes its gamma.
        if summary.is_within(limit) and column.posterior != own.posterior:
            columns.append(column)
    return TradeOffChart(columns)


def _chart_y(share: float) -> int:
    """Returns the y coordinate, in pixels, of a share above (positive) or below the middle of the chart."""
    middle = (HEIGHT - BOTTOM + TOP) / 2
    return round(middle - share / MOST * (HEIGHT - BOTTOM - TOP) / 2)
