"""Refuses an estimate if its difference from a published one would reveal a few records (docs/mathematics.md, What
leaves).

Estimates of the same answer are compared. Models of other answers are compared by the people whom their filters and
covariates leave out: the numbers of records of both would reveal plain counts below ten. Where a model uses disguised
records alone, a share of everybody is compared by its disguised records alone, since the report publishes both groups.
The open records are the same in all reports (`mining.disclosure.open_record_tables`).
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from intake.batches.sealed_batch_reader import DecodedBatch
from intake.disclosure import record_selection
from mining.disclosure.plain_table_counts import LEAST
from mining.json_codec import node_from_json
from mining.nodes.report_nodes import Report
from mining.nodes.study_nodes import PlanResult, Study
from mining.studies.answer_counts_by_plain_pattern import (
    DifferingRecords,
    EstimateRecords,
    count_differing_records,
)
from mining.studies.group_comparisons import remove_withheld_results
from mining.studies.hypothesis_tests import coefficient_request
from mining.studies.model_request_and_columns import ModelRequest
from privacy.designs import Design
from privacy.designs.hypothesis_plan import CoefficientHypothesis, parse_plan
from privacy.records.batch_bit_columns import Columns
from reports.answer_labels import Labels
from reports.models import Publication
from runs import regression_job
from runs.models import Model, Run
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed


@dataclass(frozen=True)
class EstimateUpToBatch:
    """The records that an estimate, new or published, uses up to the batch `through`; `words` names it in a refusal."""

    records: EstimateRecords
    through: int
    words: str


EstimatePair = tuple[EstimateUpToBatch, EstimateUpToBatch, int]
"""A new estimate, a published one, and the least number of records by which they may differ in each direction."""


def count_differing_in_batch(
    batch: DecodedBatch, new: EstimateUpToBatch, published: EstimateUpToBatch
) -> DifferingRecords:
    """Counts the records of a batch that only one of two estimates uses; no batch reaches across the end of a run."""
    in_new, in_published = (batch.last <= estimate.through for estimate in (new, published))
    part: list[Columns] = [batch.columns]
    common, later = (part, []) if in_published else ([], part)
    if in_new:
        return count_differing_records(new.records, published.records, common, later)
    return count_differing_records(published.records, new.records, [], common).with_roles_exchanged


def refuse_differencing_model(model: Model) -> None:
    """Raises NotAllowed if the records of the model and of a published model or share differ by only a few."""
    new = model_records_up_to_batch(model)
    survey, models = model.run.survey, records_of_published_models(model.run.survey)
    least, everybody = survey.least, new.records.everybody
    alike = [
        *(one for one in models if one.records.item == new.records.item),
        *(
            with_population(one, everybody)
            for one in records_of_published_shares(survey)
            if one.records.item == new.records.item
        ),
    ]
    others = [
        replace(one, records=replace(one.records, item=new.records.item, everybody=everybody))
        for one in models
        if one.records.item != new.records.item
    ]
    pairs = [(new, one, least) for one in alike]
    _refuse_differencing_pairs(survey, [*pairs, *((new, one, LEAST) for one in others)])


def with_population(estimate: EstimateUpToBatch, everybody: bool) -> EstimateUpToBatch:
    """Returns the estimate of disguised records alone, or with `everybody` of all records."""
    return replace(estimate, records=replace(estimate.records, everybody=everybody))


def refuse_differencing_shares(run: Run, content: Report) -> None:
    """Raises NotAllowed if the records of a share in the report and of a published model differ by only a few."""
    earlier = records_of_published_models(run.survey)
    if not earlier:
        return
    known = [one.items[0] for one in content.shares if one.support is not None]
    pairs = [
        (with_population(share, model.records.everybody), model, run.survey.least)
        for share in records_of_shares(run, run.mined_design, known)
        for model in earlier
        if model.records.item == share.records.item
    ]
    _refuse_differencing_pairs(run.survey, pairs)


def remove_refused_coefficients(run: Run, result: PlanResult) -> PlanResult:
    """Returns the plan's results without coefficients whose records differ from those of a published estimate by only a
    few.

    They are removed and not refused, because the plan is frozen: nobody could choose other covariates.
    """
    planned = list(records_of_planned_coefficients(run, result))
    if not planned:
        return result
    published = [*records_of_published_models(run.survey), *records_of_published_shares(run.survey)]
    items = {one.records.item for _name, one in planned}
    names = [Labels(run.mined_design).name(item) for item in sorted(items)]
    earlier = [*published, *records_of_shares(run, run.mined_design, names)]
    refused: set[str] = set()
    for name, new in planned:
        pairs = [
            (new, with_population(one, new.records.everybody), run.survey.least)
            for one in earlier
            if one.records.item == new.records.item
        ]
        try:
            _refuse_differencing_pairs(run.survey, pairs)
        except NotAllowed:
            refused.add(name)
    return remove_withheld_results(result, [one.name not in refused for one in result.hypotheses])


def records_of_planned_coefficients(
    run: Run, plan_result: PlanResult
) -> Iterator[tuple[str, EstimateUpToBatch]]:
    """Yields the records of each coefficient of a published plan, with the name of its hypothesis."""
    if plan_result.plan is None:
        return
    plan = parse_plan(json.dumps(plan_result.plan))
    for hypothesis, result in zip(plan.hypotheses, plan_result.hypotheses, strict=True):
        if isinstance(hypothesis, CoefficientHypothesis) and result.estimate is not None:
            request = coefficient_request(run.mined_design, hypothesis)
            words = _("“%(hypothesis)s” in the plan of %(run)s") % {"hypothesis": hypothesis.name, "run": run}
            yield hypothesis.name, EstimateUpToBatch(model_records(request), run.through, words)


def records_of_published_models(survey: Survey) -> list[EstimateUpToBatch]:
    """Returns the records of all published models of a survey, also of withdrawn reports and of plans."""
    rows = Model.objects.filter(run__survey=survey, publication__isnull=False)
    estimates = [
        model_records_up_to_batch(row) for row in rows.select_related("run", "job__run").order_by("pk")
    ]
    reports = (
        Publication.objects.filter(run__survey=survey).select_related("run").defer("rules").order_by("pk")
    )
    for row in reports:
        plan = node_from_json(Study, row.content.get("study", {})).plan
        estimates += [one for _name, one in records_of_planned_coefficients(row.run, plan)] if plan else []
    return estimates


def model_records_up_to_batch(model: Model) -> EstimateUpToBatch:
    request = regression_job.parse_request(model.run.mined_design, model.specification)
    return EstimateUpToBatch(model_records(request), model.run.through, str(model.job))


def model_records(request: ModelRequest) -> EstimateRecords:
    return EstimateRecords(
        request.item, frozenset(request.questions), frozenset(request.among), everybody=request.by_arm
    )


def records_of_published_shares(survey: Survey) -> Iterator[EstimateUpToBatch]:
    """Yields the records of the shares in all published reports of a survey."""
    rows = Publication.objects.filter(run__survey=survey).select_related("run").defer("rules").order_by("pk")
    for row in rows:
        known = (share["items"][0] for share in row.content["shares"] if share["support"] is not None)
        yield from records_of_shares(row.run, row.run.mined_design, known)


def records_of_shares(run: Run, design: Design, names: Iterable[str]) -> Iterator[EstimateUpToBatch]:
    """Yields, for each answer of `names`, the records that its share uses: all to which the answer applies."""
    labels = Labels(design)
    for name in names:
        words = _("the share of “%(answer)s” in the report of %(run)s") % {
            "answer": labels.short(name),
            "run": run,
        }
        yield EstimateUpToBatch(EstimateRecords(labels.item(name)), run.through, words)


def _refuse_differencing_pairs(survey: Survey, pairs: Sequence[EstimatePair]) -> None:
    """Raises NotAllowed if the records of a pair of estimates differ, but by fewer than allowed."""
    for (new, published, least), apart in zip(pairs, count_differing_by_pair(survey, pairs), strict=True):
        if not apart.may_be_published(least):
            raise NotAllowed(
                _(
                    "The records of %(new)s differ by fewer than %(least)s from those of %(published)s, which is "
                    "published. Together they would tell of these few people. Use the same covariates and "
                    "filters, or more batches."
                )
                % {"new": new.words, "least": least, "published": published.words}
            )


def count_differing_by_pair(survey: Survey, pairs: Sequence[EstimatePair]) -> list[DifferingRecords]:
    """Counts, for each pair, the records that only one of its two estimates uses.

    One pass over the batches serves all pairs, with one batch in memory at a time.
    """
    totals = [DifferingRecords(0, 0)] * len(pairs)
    ends = [one.through for new, published, _least in pairs for one in (new, published)]
    for batch in record_selection.read_used_batches(
        survey, max(ends, default=0), record_selection.current_population(survey)
    ):
        totals = [
            apart + count_differing_in_batch(batch, new, published)
            for apart, (new, published, _least) in zip(totals, pairs, strict=True)
        ]
    return totals
