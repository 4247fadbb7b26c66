"""Defines the colours of a map: five steps for the share of a cell, three outcomes for the comparison of a region."""

from dataclasses import dataclass
from math import ceil, floor, log10

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from reports.kinds.place.region_reference_comparison import Comparison
from ui.number_format import format_percent

STEPS = 5
ROUND = (1, 2, 5, 10)
SMALLEST = 1e-6
NOT_TOLD: str | Promise = gettext_lazy("withheld, or too few records")
OUTSIDE_REGIONS: str | Promise = gettext_lazy("outside the regions")
"""Legend of the area of a map that belongs to no region."""


@dataclass(frozen=True)
class FillScale:
    """Five steps of equal `width` from 0 upwards; values below or above count to the first or the last step."""

    width: float

    @classmethod
    def up_to(cls, most: float) -> "FillScale":
        """Returns the scale with the smallest round step whose last step includes `most`."""
        least = max(most, SMALLEST) / STEPS
        power = 10.0 ** floor(log10(least))
        return cls(next(round(by * power, 12) for by in ROUND if by * power >= least * (1 - 1e-9)))

    def step(self, share: float) -> int:
        """Returns the step of a share, from 1 to 5; a share between two steps belongs to the lower one."""
        return min(max(ceil(share / self.width - 1e-9), 1), STEPS)

    def step_text(self, step: int) -> str:
        ends = {"low": self._percent(step - 1), "high": self._percent(step)}
        if step == STEPS:
            return _("more than %(low)s") % ends
        return (_("up to %(high)s") if step == 1 else _("%(low)s to %(high)s")) % ends

    def _percent(self, steps: int) -> str:
        return format_percent(steps * self.width, max(0, -floor(log10(100 * self.width) + 1e-9)))


def legend_against_equal_share(equal_share: float) -> dict[Comparison, str]:
    """Returns the legend texts of a map that compares regions with `equal_share`."""
    values = {"share": format_percent(equal_share).replace(" ", "\u00a0")}
    return {
        Comparison.BELOW: _("below an equal share (%(share)s)") % values,
        Comparison.NOT_TOLD: _("striped: no difference from an equal share (%(share)s) is shown") % values,
        Comparison.ABOVE: _("above an equal share (%(share)s)") % values,
    }


def legend_against_other_groups() -> dict[Comparison, str]:
    return {
        Comparison.BELOW: _("below the share in the other groups"),
        Comparison.NOT_TOLD: _("striped: no difference from the other groups is shown"),
        Comparison.ABOVE: _("above the share in the other groups"),
    }
