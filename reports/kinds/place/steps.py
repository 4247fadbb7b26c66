"""The five steps of a map's scale: each fills its area darker than the one before."""

from dataclasses import dataclass
from math import ceil, floor, log10

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from ui.numbers import format_percent

STEPS = 5
ROUND = (1, 2, 5, 10)
SMALLEST = 1e-6
WIDER_THAN_A_STEP: str | Promise = gettext_lazy("striped: the interval is wider than a step")
NOT_TOLD: str | Promise = gettext_lazy("withheld, or too few records")
OUTSIDE_REGIONS: str | Promise = gettext_lazy("outside the regions")
"""What a map of regions shows beside its steps."""


@dataclass(frozen=True)
class Scale:
    """Steps of equal `width`, from 0 upwards; what lies below or above counts to the first or the last."""

    width: float

    @classmethod
    def up_to(cls, most: float) -> "Scale":
        """The smallest round width with which the last step holds `most`."""
        least = max(most, SMALLEST) / STEPS
        power = 10.0 ** floor(log10(least))
        return cls(next(round(by * power, 12) for by in ROUND if by * power >= least * (1 - 1e-9)))

    def step(self, share: float) -> int:
        """From 1 to 5; a share between two steps belongs to the lower one."""
        return min(max(ceil(share / self.width - 1e-9), 1), STEPS)

    def is_uncertain(self, low: float, high: float) -> bool:
        """Whether the interval is wider than a step, so that the share may belong to another one."""
        return high - low > self.width * (1 + 1e-9)

    def words(self, step: int) -> str:
        ends = {"low": self._percent(step - 1), "high": self._percent(step)}
        if step == STEPS:
            return _("more than %(low)s") % ends
        return (_("up to %(high)s") if step == 1 else _("%(low)s to %(high)s")) % ends

    def _percent(self, steps: int) -> str:
        return format_percent(steps * self.width, max(0, -floor(log10(100 * self.width) + 1e-9)))
