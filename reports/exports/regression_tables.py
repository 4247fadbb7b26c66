"""Builds the tables of regression models for files: the models as specified, their coefficients and their tests."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mining.json_codec import dump_brief
from mining.nodes.regression_nodes import ModelResult
from reports.export_table import JOINED, ExportTable
from reports.review import regression_decisions
from reports.texts.regression_texts import SpecifiedModel, coefficient_text
from runs.models import Model
from runs.rehearsal_truth import add_true_coefficients

if TYPE_CHECKING:
    from reports.review.report_page_data import ReportPage

LISTS = ("on", "numbers", "products", "among")
COEFFICIENT = ("of", "b", "se", "low", "high", "p")
TERM = ("of", "df", "p")


def model_tables(report: "ReportPage") -> list[ExportTable]:
    """Returns three tables: models, coefficients, tests of terms. The column `truth` is filled in rehearsals only."""
    models = list(models_with_results(report))
    return [
        ExportTable(
            "models",
            ("model", "item", "item_in_words", "formula", *LISTS, "n", "patterns", *FIT),
            tuple(_model_row(report, model, result) for model, result in models),
        ),
        ExportTable(
            "model_coefficients",
            ("model", *COEFFICIENT, "of_in_words", "truth"),
            tuple(
                (
                    model.job.number,
                    *(getattr(one, name) for name in COEFFICIENT),
                    coefficient_text(report.labels, one.of),
                    one.truth,
                )
                for model, result in models
                for one in result.coefficients
            ),
        ),
        ExportTable(
            "model_terms",
            ("model", *TERM),
            tuple(
                (model.job.number, *(getattr(one, name) for name in TERM))
                for model, result in models
                for one in result.terms
            ),
        ),
    ]


FIT = ("fit_df", "fit_p", "fit_products", "fit_left_out")
NO_FIT = (None, None, "", "")


def models_with_results(report: "ReportPage") -> Iterator[tuple[Model, ModelResult]]:
    """Yields the models that readers of this report see, each with its stored result."""
    for model in regression_decisions.readable_models(report.review, whole=report.whole):
        yield model, add_true_coefficients(model, report.mined_design, report.known_truth)


def _model_row(report: "ReportPage", model: Model, result: ModelResult) -> tuple[Any, ...]:
    asked, fit = model.specification, result.fit
    return (
        model.job.number,
        asked["item"],
        SpecifiedModel.from_specification(report.labels, asked).item.short,
        "logit" if asked.get("logit") else "linear",
        *(JOINED.join(asked.get(name, ())) for name in LISTS),
        result.n,
        result.patterns,
        *((fit.df, fit.p, JOINED.join(fit.products), JOINED.join(fit.left_out)) if fit else NO_FIT),
    )


def models_json(report: "ReportPage") -> list[dict[str, Any]]:
    return [
        {"model": model.job.number, **model.specification, **dump_brief(result)}
        for model, result in models_with_results(report)
    ]
