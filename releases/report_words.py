"""The report of a release in words: is it anonymous, against whom, at what price."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from look.numbers import count, percent
from releases.models import Release

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
    """A risk of the table as it was and of the release."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class ReleaseReport:
    release: Release
    report: Report

    @property
    def criteria(self) -> list[CriterionRow]:
        return [CRITERIA[name](found) for name, found in self.report["criteria"].items()]

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
        found: Report = self.report["losses"]
        return found

    @property
    def columns(self) -> list[LossRow]:
        """What each quasi-identifier has lost, the most first."""
        rows = [LossRow(name, share) for name, share in self.losses["columns"].items()]
        return sorted(rows, key=lambda row: -row.share)

    @property
    def suppressed(self) -> int:
        return int(self.report["records"] - self.report["published"])

    @property
    def risks(self) -> list[RiskRow]:
        """The risk that a person's record is found."""
        found = self.report.get("risks")
        return _risk_rows(RECORD_RISKS, found["before"], found["after"]) if found else []

    @property
    def sensitive_risks(self) -> list[tuple[str, list[RiskRow]]]:
        """By sensitive column: the risk that the value of a person is learned."""
        found = self.report.get("risks") or {"before": {"sensitive": {}}}
        before = found["before"]["sensitive"]
        return [
            (name, _risk_rows(VALUE_RISKS, before[name], found["after"]["sensitive"][name]))
            for name in before
        ]

    @cached_property
    def has_sensitive(self) -> bool:
        return "max_frequency" in self.report["criteria"]


def _k(found: Report) -> CriterionRow:
    return CriterionRow(_("Minimum class size (k)"), count(found["asked"]), count(found["reached"]))


def _diversity(found: Report) -> CriterionRow:
    kinds = {"distinct": _("distinct"), "entropy": _("entropy"), "recursive": _("recursive")}
    label = _("Different sensitive values in a class (l-diversity, %(kind)s)") % {
        "kind": kinds[found["kind"]]
    }
    return CriterionRow(label, count(found["asked"]), count(found["reached"]))


def _closeness(found: Report) -> CriterionRow:
    label = _("Distance of a class from the whole table (t-closeness)")
    return CriterionRow(label, percent(found["asked"]), percent(found["reached"]))


def _cap(found: Report) -> CriterionRow:
    asked = _("no limit") if found["asked"] is None else percent(found["asked"])
    return CriterionRow(_("Most frequent sensitive value of a class"), asked, percent(found["reached"]))


def _breach(found: Report) -> CriterionRow:
    label = _("From at most this likely before to less than this after")
    return CriterionRow(label, " → ".join(percent(share) for share in found["asked"]), _("kept"))


CRITERIA = {"k": _k, "l": _diversity, "t": _closeness, "max_frequency": _cap, "rho": _breach}


def _times(factor: float | None) -> str:
    return _("without limit") if factor is None else _("%(factor)s times") % {"factor": f"{factor:.1f}"}


def _bits(number: float) -> str:
    return f"{number:.2f}"


Shown = Callable[[Any], str]
RECORD_RISKS: list[tuple[str | Promise, Callable[[Report], Any], Shown]] = [
    (
        gettext_lazy("Picking the right record of a person, at worst"),
        lambda risks: risks["prosecutor"]["worst"],
        percent,
    ),
    (
        gettext_lazy("Picking the right record of a person, on average"),
        lambda risks: risks["prosecutor"]["mean"],
        percent,
    ),
    (gettext_lazy("Records that are unlike all others"), lambda risks: risks["uniqueness"], percent),
    (gettext_lazy("Classes with one sensitive value (HASR)"), lambda risks: risks["hasr"], percent),
]
VALUE_RISKS: list[tuple[str | Promise, Callable[[Report], Any], Shown]] = [
    (
        gettext_lazy("Probability of the true value in its class, at worst"),
        lambda risk: risk["worst"],
        percent,
    ),
    (
        gettext_lazy("Probability of the true value in its class, on average"),
        lambda risk: risk["mean"],
        percent,
    ),
    (
        gettext_lazy("The same for an attacker who knows how the whole table is distributed, at worst"),
        lambda risk: risk["informed_worst"],
        percent,
    ),
    (
        gettext_lazy("The same for an attacker who knows how the whole table is distributed, on average"),
        lambda risk: risk["informed_mean"],
        percent,
    ),
    (gettext_lazy("Largest change of the odds of a value"), lambda risk: risk["odds_shift"], _times),
    (gettext_lazy("What the class tells about the value, in bits"), lambda risk: risk["information"], _bits),
]


def _risk_rows(
    of: Sequence[tuple[str | Promise, Callable[[Report], Any], Shown]], before: Report, after: Report
) -> list[RiskRow]:
    return [RiskRow(str(name), shown(read(before)), shown(read(after))) for name, read, shown in of]
