"""The models of a report in its files: what was asked for, and their coefficients."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reports.export_table import ExportTable
from reports.modelling import readable
from reports.modelling.words import SpecifiedModel, coefficient_text
from runs import modelling
from runs.models import Model
from runs.true_models import true_coefficients

if TYPE_CHECKING:
    from reports.report_page import ReportPage

JOINED = " & "
LISTS = ("on", "numbers", "products", "among")
COEFFICIENT = ("of", "b", "se", "low", "high", "p")
TRUTH = "truth"
"""The column that only rehearsals have: the coefficient of the same model of the true answers."""
TERM = ("of", "df", "p")


def model_tables(report: "ReportPage") -> list[ExportTable]:
    models = list(readable.models_of(report.review, whole=report.whole))
    truths = [_true(report, model) for model in models]
    return [
        ExportTable(
            "models",
            ("model", "item", "item_in_words", "formula", *LISTS, "n", "patterns", *FIT),
            tuple(_row(report, model) for model in models),
        ),
        ExportTable(
            "model_coefficients",
            ("model", *COEFFICIENT, "of_in_words", TRUTH),
            tuple(
                (
                    model.job.number,
                    *(one[name] for name in COEFFICIENT),
                    coefficient_text(report.naming, one["of"]),
                    true.get(one["of"]),
                )
                for model, true in zip(models, truths, strict=True)
                for one in model.numbers["coefficients"]
            ),
        ),
        ExportTable(
            "model_terms",
            ("model", *TERM),
            tuple(
                (model.job.number, *(one[name] for name in TERM))
                for model in models
                for one in model.numbers["terms"]
            ),
        ),
    ]


FIT = ("fit_df", "fit_p", "fit_products", "fit_left_out")


def _row(report: "ReportPage", model: Model) -> tuple[Any, ...]:
    asked, found = model.specification, model.numbers
    fit = found["fit"] or {"df": None, "p": None, "products": [], "left_out": []}
    return (
        model.job.number,
        asked["item"],
        SpecifiedModel.of(report.naming, asked).item.short,
        "logit" if asked.get("logit") else "linear",
        *(JOINED.join(asked.get(name, ())) for name in LISTS),
        found["n"],
        found["patterns"],
        fit["df"],
        fit["p"],
        JOINED.join(fit["products"]),
        JOINED.join(fit["left_out"]),
    )


def models_json(report: "ReportPage") -> list[dict[str, Any]]:
    models = readable.models_of(report.review, whole=report.whole)
    return [
        {"model": one.job.number, **one.specification, **one.numbers, **_true_json(report, one)}
        for one in models
    ]


def _true(report: "ReportPage", model: Model) -> Mapping[str, float]:
    request = modelling.request_of(report.mined, model.specification)
    return true_coefficients(request, report.known_truth)


def _true_json(report: "ReportPage", model: Model) -> dict[str, Any]:
    """The coefficients with their true values; nothing where these are not known."""
    true = _true(report, model)
    rows = model.numbers["coefficients"]
    return {"coefficients": [{**one, TRUTH: true.get(one["of"])} for one in rows]} if true else {}
