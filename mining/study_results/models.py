"""Models of a file of records, and their JSON (docs/mathematics.md, Models)."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mining.counting import MinedRecords
from mining.counts import Counter
from mining.studies.covariates import ARM_NAME, ModelRequest, read_request
from mining.studies.models import ModelFound, fit_model
from mining.studies.pattern_counts import PatternCounts
from mining.study_results.answers import one_law, read_study
from privacy.designs import Design, Refusal
from privacy.grammar.refusal import marked as _


def requested(
    design: Design, item: str, on: Sequence[str], *, among: Sequence[str] = (), **options: Any
) -> ModelRequest:
    """As `read_request`, where `arm` among the covariates is the arm of a design that has arms."""
    by_arm = design.has_arms and ARM_NAME in on
    names = [name for name in on if not (by_arm and name == ARM_NAME)]
    return read_request(design, item, names, among=among, by_arm=by_arm, **options)


def model_of(records: MinedRecords, request: ModelRequest) -> ModelFound:
    """Of the disguised records; of both arms where the arm is a covariate, if their plain answers are there."""
    if request.by_arm and records.without_plain:
        raise Refusal(
            "covariates", _("the file withholds what direct records say without disguise: leave the arm out")
        )
    counts = PatternCounts.of(
        request.design, records.complete, request.item, request.questions, request.among
    )
    return fit_model(request, counts, one_law(request.design, request.item))


def model_counted(counter: Counter, request: ModelRequest) -> ModelFound:
    """The same from a counter of both groups, without `among`."""
    counts = PatternCounts.counted(counter, request.item, request.questions)
    return fit_model(request, counts, one_law(request.design, request.item))


def model_json(found: ModelFound) -> dict[str, Any]:
    return {
        "n": found.n,
        "patterns": found.patterns,
        "coefficients": [asdict(of) for of in found.coefficients],
        "terms": [asdict(of) for of in found.terms],
        "fit": asdict(found.fit) if found.fit else None,
    }


def model_file(
    design_file: Path, records_file: Path, item: str, on: Sequence[str], **options: Any
) -> dict[str, Any]:
    """`options`: `numbers`, `products`, `among`, `logit` of `read_request`."""
    records = read_study(design_file, records_file)
    return model_json(model_of(records, requested(records.design, item, on, **options)))
