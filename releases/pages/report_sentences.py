"""The report of a release in sentences and tables: whether it is anonymous, against which attackers, and what
is lost.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _

from privacy.anonymity.risk.attack_sentences import criterion_name
from ui.number_format import READERS_LANGUAGE, format_count, format_percent

Report = Mapping[str, Any]
MOST_NAMED = 4
"""Largest number of columns that a sentence about special uniques names."""
MODELS = {"pitman": _("Pitman’s formula"), "snb": _("slide negative binomial")}


class CriterionRow(NamedTuple):
    """A criterion: its name, the value asked for, and the value that the worst class of the published file reaches."""

    name: str
    asked: str
    reached: str


class RiskRow(NamedTuple):
    """A risk in the source table (None if that is not disclosed), and in the release."""

    name: str
    before: str | None
    after: str


class ReleaseReport:
    """The report as its page shows it. `knows_source`: it includes facts about the source table."""

    def __init__(self, report: Report, knows_source: bool) -> None:
        self.report, self.knows_source = report, knows_source
        self.criteria = [criterion_row(*criterion) for criterion in report["criteria"].items()]
        self.has_sensitive = "max_frequency" in report["criteria"]
        # The other records of the smallest class.
        self.others = int(report["criteria"]["k"]["reached"]) - 1
        self.mean_class = report["published"] / report["classes"]
        self.losses: Report = report["losses"]
        self.columns = sorted(self.losses["columns"].items(), key=lambda column: -column[1])
        self.n_suppressed = report["records"] - report["published"] if knows_source else 0
        # Suppressed cells of quasi-identifiers and their share; None where none might be.
        self.cells: tuple[str, str] | None = None
        if (cells := report.get("suppressed_cells")) is not None:
            self.cells = (
                format_count(cells),
                format_percent(cells / (report["published"] * len(self.columns))),
            )
        before, after = (
            (report["risks"]["before"], report["risks"]["after"]) if knows_source else (None, report["risks"])
        )
        self.risks = risk_rows(RECORD_RISKS, before, after)
        self.sensitive_risks = [
            (column, risk_rows(VALUE_RISKS, before["sensitive"][column] if before else None, risks))
            for column, risks in after["sensitive"].items()
        ]
        # By model, the share of people unique in the population, and of the unique records that are so there too.
        self.population = [
            (MODELS[model["model"]], rounded_percent(model["population"]), rounded_percent(model["sample"]))
            for model in (before or {}).get("population", ())
        ]
        # By column, the ends of classes that are the value of one person.
        self.ends = [(column, format_count(ends)) for column, ends in report.get("ends", {}).items() if ends]
        # Records that few columns make unique in the table as it was, and the columns with the largest part in it.
        self.special: Report = report.get("special", {})
        parts = sorted(self.special.get("columns", {}).items(), key=lambda part: -part[1])
        self.special_columns = ", ".join(
            f"{column} ({rounded_percent(share)})" for column, share in parts[:MOST_NAMED] if share
        )


def criterion_row(name: str, criterion: Report) -> CriterionRow:
    """Returns the row of a criterion for the report's table.

    `name`: its name in a specification. `criterion`: the values asked for and reached.
    """
    asked, reached = criterion["asked"], criterion.get("reached")
    label = criterion_name(name, criterion, READERS_LANGUAGE)
    if name == "rho":
        return CriterionRow(label, " → ".join(map(format_percent, asked)), gettext("kept"))
    number = format_count if name in ("k", "l") else format_percent
    return CriterionRow(label, gettext("no limit") if asked is None else number(asked), number(reached))


def rounded_percent(share: float) -> str:
    """Formats a share that the report has with two digits."""
    return format_percent(share, 0 if share >= 0.1 else 1)


def factor_text(factor: float | None, places: int = 1) -> str:
    return (
        gettext("without limit")
        if factor is None
        else gettext("%(factor)s times") % {"factor": f"{factor:.{places}f}"}
    )


def rounded_factor_text(factor: float | None) -> str:
    """Formats a factor that the report has with two digits."""
    return factor_text(factor, 0 if factor and factor >= 10 else 1)


Formats = tuple[Callable[[Any], str], Callable[[Any], str]]
"""How a number of the release is formatted, and one of its source, which the report has with two digits."""


def rounded_bits_text(bits: float) -> str:
    """Formats bits that the report has with two digits."""
    return f"{bits:.2g}" if bits >= 0.005 else f"{bits:.2f}"


PERCENT: Formats = (format_percent, rounded_percent)
Measure = tuple[str | Promise, tuple[str, ...], Formats]
"""A risk: its name, its path in the report, and how its number is formatted."""
RECORD_RISKS: list[Measure] = [
    (_("Picking the right record of a person, at worst"), ("prosecutor", "worst"), PERCENT),
    (_("Picking the right record of a person, on average"), ("prosecutor", "mean"), PERCENT),
    (
        _("The same if nobody knows who of all people is in the table, at worst"),
        ("journalist", "worst"),
        PERCENT,
    ),
    (
        _("The same if nobody knows who of all people is in the table, on average"),
        ("journalist", "mean"),
        PERCENT,
    ),
    (_("Records that are unlike all others"), ("uniqueness",), PERCENT),
    (_("Classes with one sensitive value (HASR)"), ("hasr",), PERCENT),
]
VALUE_RISKS: list[Measure] = [
    (_("Probability of the true value in its class, at worst"), ("worst",), PERCENT),
    (_("Probability of the true value in its class, on average"), ("mean",), PERCENT),
    (
        _("The same for an attacker who knows how the whole table is distributed, at worst"),
        ("informed_worst",),
        PERCENT,
    ),
    (
        _("The same for an attacker who knows how the whole table is distributed, on average"),
        ("informed_mean",),
        PERCENT,
    ),
    (_("Largest change of the odds of a value"), ("odds_shift",), (factor_text, rounded_factor_text)),
    (
        _("What the class tells about the value, in bits"),
        ("information",),
        ("{:.2f}".format, rounded_bits_text),
    ),
]


def risk_rows(measures: Sequence[Measure], before: Report | None, after: Report) -> list[RiskRow]:
    """Returns the risks of the release (`after`), beside those of its source (`before`); “–” for a risk that the source
    lacks."""

    def risk_text(risks: Report, path: Sequence[str], as_text: Callable[[Any], str]) -> str:
        if path[0] not in risks:
            return "–"
        value: Any = risks
        for name in path:
            value = value[name]
        return as_text(value)

    return [
        RiskRow(
            str(name),
            None if before is None else risk_text(before, path, of_source),
            risk_text(after, path, of_release),
        )
        for name, path, (of_release, of_source) in measures
        if path[0] in after
    ]
