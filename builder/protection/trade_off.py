"""The trade-off of protection and precision: the presets to choose from, and a chart of margins of error."""

from dataclasses import dataclass
from fractions import Fraction

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from builder.protection.summary import ProtectionSummary
from privacy.guarantee.amplification import GammaLimit, worst_posterior
from privacy.guarantee.decimals import up
from privacy.guarantee.presets import BEFORE, LADDER, PRESETS, Preset
from surveys.kinds.presets import with_preset, within
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.presets import preset_of
from surveys.questionnaire.questionnaire import Questionnaire

NAMES: dict[str, str | Promise] = {
    "stronger": gettext_lazy("Stronger"),
    "balanced": gettext_lazy("Balanced"),
    "weaker": gettext_lazy("Weaker, more precise"),
}


@dataclass(frozen=True)
class PresetChoice:
    """`outcome` is what the page will say with this preset."""

    preset: Preset
    outcome: ProtectionSummary
    chosen: bool

    @property
    def name(self) -> str | Promise:
        return NAMES[self.preset.name]

    @property
    def before(self) -> str:
        return odds_of(BEFORE)

    @property
    def after(self) -> str:
        return odds_of(self.preset.after)

    @property
    def kept(self) -> bool:
        """Whether these sections can keep the promise at all."""
        person = self.outcome.person
        return person is None or self.preset.limit.admits(person.guarantee.gamma)


def odds_of(share: Fraction) -> str:
    return _("%(of)s in %(all)s") % {"of": share.numerator, "all": share.denominator}


def preset_choices(draft: Questionnaire) -> list[PresetChoice]:
    now = preset_of(draft)
    return [
        PresetChoice(each, ProtectionSummary(with_preset(draft, each), BEFORE), each == now)
        for each in PRESETS.values()
    ]


def preset_named(name: str) -> Preset:
    if name not in PRESETS:
        raise NotAllowed(_("That could not be understood. Reload the page and try again."))
    return PRESETS[name]


WIDTH, HEIGHT, LEFT, RIGHT = 340, 190, 46, 8
TOP, BOTTOM = 12, 34
MOST = 0.30
"""Half widths beyond this leave the frame, and are shown as leaving it."""
TICKS = (20, 0, -20)


@dataclass(frozen=True)
class FrontierRow:
    """A protection: what the prior could become, and the margin of error, None where nothing can be estimated."""

    gamma: Fraction
    posterior: float
    half: float | None
    words: str
    now: bool


@dataclass(frozen=True)
class FrontierColumn:
    x: int
    high: int
    low: int
    half: float | None
    posterior: float
    now: bool

    @property
    def leaves(self) -> bool:
        return self.half is not None and self.half > MOST

    @property
    def cap(self) -> tuple[int, int]:
        return self.x - 5, self.x + 5


@dataclass(frozen=True)
class FrontierPicture:
    """`band` is where the marked column begins and how wide it is."""

    rows: tuple[FrontierRow, ...]
    columns: tuple[FrontierColumn, ...]
    zero: int
    ticks: tuple[tuple[int, int], ...]
    band: tuple[int, int]


def picture(outcome: ProtectionSummary) -> FrontierPicture | None:
    """None where no questions are disguised together."""
    if not outcome.person or not outcome.expectations:
        return None
    limits = {
        limit: ProtectionSummary(within(outcome.draft, GammaLimit(limit, strict=False))) for limit in LADDER
    }
    own = _row(outcome.person.guarantee.gamma, outcome.prior, outcome, True)
    ladder = [_row(limit, outcome.prior, summary, False) for limit, summary in limits.items()]
    made = [own, *(row for row in ladder if row.posterior != own.posterior)]
    made.sort(key=lambda row: row.gamma)
    step = (WIDTH - LEFT - RIGHT) // len(made)
    columns = tuple(_column(LEFT + step // 2 + at * step, row) for at, row in enumerate(made))
    chosen = next(column for column in columns if column.now)
    ticks = tuple((_y(points / 100), points) for points in TICKS)
    return FrontierPicture(tuple(made), columns, _y(0), ticks, (chosen.x - step // 2, step))


def _row(gamma: Fraction, prior: Fraction, outcome: ProtectionSummary, now: bool) -> FrontierRow:
    single = outcome.expectations[0]
    half = single.half_width if single.enough else None
    return FrontierRow(gamma, float(up(worst_posterior(gamma, prior), 3)), half, single.words, now)


def _column(x: int, row: FrontierRow) -> FrontierColumn:
    shown = min(row.half or 0.0, MOST)
    return FrontierColumn(x, _y(shown), _y(-shown), row.half, row.posterior, row.now)


def _y(share: float) -> int:
    middle = (HEIGHT - BOTTOM + TOP) / 2
    return round(middle - share / MOST * (HEIGHT - BOTTOM - TOP) / 2)
