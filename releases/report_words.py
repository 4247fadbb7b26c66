"""The report of a release in words: is it anonymous, against whom, at what price."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from look.templatetags.look import count, percent
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

    @cached_property
    def has_sensitive(self) -> bool:
        return "max_frequency" in self.report["criteria"]


def _k(found: Report) -> CriterionRow:
    return CriterionRow(_("Smallest class (k)"), count(found["asked"]), count(found["reached"]))


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
