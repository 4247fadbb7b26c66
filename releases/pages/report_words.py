"""The report of a release in words: is it anonymous, against whom, at what price."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from releases.models import Release
from ui.numbers import count, percent

Report = Mapping[str, Any]


@dataclass(frozen=True)
class CriterionRow:
    """`reached`: in the worst class of the published file; empty where there is no number for it."""

    name: str
    asked: str
    reached: str


@dataclass(frozen=True)
class LossRow:
    column: str
    share: float


@dataclass(frozen=True)
class RiskRow:
    """A risk of the table as it was, None where that is not told, and of the release."""

    name: str
    before: str | None
    after: str


@dataclass(frozen=True)
class ReleaseReport:
    """`report`: what is said of the release and, with `knows_source`, of the table that it was made of."""

    release: Release
    report: Report
    knows_source: bool

    @property
    def criteria(self) -> list[CriterionRow]:
        return [CRITERIA[name](criterion) for name, criterion in self.report["criteria"].items()]

    @property
    def others(self) -> int:
        """The other records of the smallest class."""
        return int(self.report["criteria"]["k"]["reached"]) - 1

    @property
    def mean(self) -> float:
        """Records of a class on average."""
        return float(self.report["published"] / self.report["classes"])

    @property
    def losses(self) -> Report:
        losses: Report = self.report["losses"]
        return losses

    @property
    def columns(self) -> list[LossRow]:
        """What each quasi-identifier has lost, the most first."""
        rows = [LossRow(name, share) for name, share in self.losses["columns"].items()]
        return sorted(rows, key=lambda row: -row.share)

    @property
    def suppressed(self) -> int:
        return int(self.report["records"] - self.report["published"])

    @property
    def cells(self) -> tuple[str, str] | None:
        """The suppressed cells of quasi-identifiers and their share; None where none might be."""
        n_suppressed = self.report.get("suppressed_cells")
        if n_suppressed is None:
            return None
        return count(n_suppressed), percent(n_suppressed / (self.report["published"] * len(self.columns)))

    @property
    def risks(self) -> list[RiskRow]:
        """The risk that a person's record is found."""
        before, after = self._risks
        return _risk_rows(RECORD_RISKS, before, after)

    @property
    def sensitive_risks(self) -> list[tuple[str, list[RiskRow]]]:
        """By sensitive column: the risk that the value of a person is learned."""
        before, after = self._risks
        return [
            (name, _risk_rows(VALUE_RISKS, before["sensitive"][name] if before else None, risk))
            for name, risk in after["sensitive"].items()
        ]

    @property
    def ends(self) -> list[tuple[str, str]]:
        """By column, the ends of classes that are the value of one person, where there are any."""
        return [(name, count(ends)) for name, ends in self.report.get("ends", {}).items() if ends]

    @property
    def special(self) -> Report:
        """Records that few columns make unique in the table as it was; empty where nothing is said of them."""
        special: Report = self.report.get("special", {})
        return special

    @property
    def special_columns(self) -> str:
        """The columns with the largest part in it, the largest first."""
        parts = sorted(self.special["columns"].items(), key=lambda part: -part[1])
        return ", ".join(f"{name} ({percent(share)})" for name, share in parts[:MOST_NAMED] if share)

    @property
    def population(self) -> list[tuple[str, str, str]]:
        """By model, the share of people unique in the population, and of the unique records that are so there too."""
        before, _after = self._risks
        return [
            (str(MODELS[model["model"]]), percent(model["population"]), percent(model["sample"]))
            for model in (before or {}).get("population", ())
        ]

    @property
    def _risks(self) -> tuple[Report | None, Report]:
        """Before, if it may be known, and after."""
        risks = self.report["risks"]
        return (risks["before"], risks["after"]) if self.knows_source else (None, risks)

    @cached_property
    def has_sensitive(self) -> bool:
        return "max_frequency" in self.report["criteria"]


MOST_NAMED = 4
"""Columns that a sentence about special uniques names."""
MODELS = {
    "pitman": gettext_lazy("Pitman’s formula"),
    "snb": gettext_lazy("slide negative binomial"),
}


def _k(criterion: Report) -> CriterionRow:
    return CriterionRow(_("Minimum class size (k)"), count(criterion["asked"]), count(criterion["reached"]))


def _diversity(criterion: Report) -> CriterionRow:
    kinds = {"distinct": _("distinct"), "entropy": _("entropy"), "recursive": _("recursive")}
    label = _("Different sensitive values in a class (l-diversity, %(kind)s)") % {
        "kind": kinds[criterion["kind"]]
    }
    return CriterionRow(label, count(criterion["asked"]), count(criterion["reached"]))


def _closeness(criterion: Report) -> CriterionRow:
    label = _("Distance of a class from the whole table (t-closeness)")
    return CriterionRow(label, percent(criterion["asked"]), percent(criterion["reached"]))


def _cap(criterion: Report) -> CriterionRow:
    asked = _("no limit") if criterion["asked"] is None else percent(criterion["asked"])
    return CriterionRow(_("Most frequent sensitive value of a class"), asked, percent(criterion["reached"]))


def _breach(criterion: Report) -> CriterionRow:
    label = _("From at most this likely before to less than this after")
    return CriterionRow(label, " → ".join(percent(share) for share in criterion["asked"]), _("kept"))


CRITERIA = {"k": _k, "l": _diversity, "t": _closeness, "max_frequency": _cap, "rho": _breach}


def _times(factor: float | None) -> str:
    return _("without limit") if factor is None else _("%(factor)s times") % {"factor": f"{factor:.1f}"}


def _bits(number: float) -> str:
    return f"{number:.2f}"


Shown = Callable[[Any], str]
RECORD_RISKS: list[tuple[str | Promise, tuple[str, ...], Shown]] = [
    (gettext_lazy("Picking the right record of a person, at worst"), ("prosecutor", "worst"), percent),
    (gettext_lazy("Picking the right record of a person, on average"), ("prosecutor", "mean"), percent),
    (
        gettext_lazy("The same if nobody knows who of all people is in the table, at worst"),
        ("journalist", "worst"),
        percent,
    ),
    (
        gettext_lazy("The same if nobody knows who of all people is in the table, on average"),
        ("journalist", "mean"),
        percent,
    ),
    (gettext_lazy("Records that are unlike all others"), ("uniqueness",), percent),
    (gettext_lazy("Classes with one sensitive value (HASR)"), ("hasr",), percent),
]
VALUE_RISKS: list[tuple[str | Promise, tuple[str, ...], Shown]] = [
    (gettext_lazy("Probability of the true value in its class, at worst"), ("worst",), percent),
    (gettext_lazy("Probability of the true value in its class, on average"), ("mean",), percent),
    (
        gettext_lazy("The same for an attacker who knows how the whole table is distributed, at worst"),
        ("informed_worst",),
        percent,
    ),
    (
        gettext_lazy("The same for an attacker who knows how the whole table is distributed, on average"),
        ("informed_mean",),
        percent,
    ),
    (gettext_lazy("Largest change of the odds of a value"), ("odds_shift",), _times),
    (gettext_lazy("What the class tells about the value, in bits"), ("information",), _bits),
]


def _risk_rows(
    measures: Sequence[tuple[str | Promise, tuple[str, ...], Shown]], before: Report | None, after: Report
) -> list[RiskRow]:
    """Without those that nothing is said of."""

    def told(risks: Report, path: Sequence[str], shown: Shown) -> str:
        return shown(_read(risks, path)) if path[0] in risks else "–"

    return [
        RiskRow(str(name), None if before is None else told(before, path, shown), told(after, path, shown))
        for name, path, shown in measures
        if path[0] in after
    ]


def _read(risks: Report, path: Sequence[str]) -> Any:
    value: Any = risks
    for name in path:
        value = value[name]
    return value
