"""Stores reviewers' decisions on models, publishes models, and selects the models that a reader sees."""

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from intake.disclosure import ledger, record_selection
from intake.disclosure.ledger import ProposedDisclosure
from intake.disclosure.models import DisclosureKind
from intake.disclosure.table_disclosure_decision import ledger_entry_for_model_table
from mining.disclosure.plain_table_counts import revealed_questions
from mining.queries_and_counters import Item
from mining.studies.answer_counts_by_plain_pattern import PatternCounts
from mining.studies.model_fits import check_enough_model_records
from mining.studies.single_answer_score_moments import answer_law
from privacy.designs import InputError
from reports.models import Decision, ModelDecision, ModelPublication, Review
from reports.review import differencing_check, report_emails
from reports.review.disclosure_recheck import no_stored_decision_text
from reports.review.joint_disclosure_check import refuse_if_attack_succeeds, reword_refusal_for_rehearsal
from runs import regression_job
from runs.models import Model, ModelJob, Run
from surveys.models import Survey
from surveys.permission import Basis
from surveys.questionnaire.problems_and_refusals import DecidedMeanwhile, NotAllowed, path_and_reason_text
from ui.templatetags.ui import join_names

if TYPE_CHECKING:
    from accounts.models import Person

MOST_MODELS = 20
"""Largest number of published models of a survey."""
Verdict = Decision.Verdict
State = Review.State


def models_with_verdicts(run: Run) -> QuerySet[Any]:
    """Selects the models of a run, each annotated with its last `verdict`; None if nobody has decided."""
    last = ModelDecision.objects.filter(model=OuterRef("pk")).order_by("-pk")
    rows: QuerySet[Any] = Model.objects.filter(run=run).select_related(
        "job__run__survey", "run__survey", "publication__by"
    )
    judged: QuerySet[Any] = rows.annotate(verdict=Subquery(last.values("verdict")[:1]))
    return judged.order_by("job__number")


def readable_models(review: Review, *, whole: bool) -> QuerySet[Model]:
    """Selects the models of a report in the order of their numbers: all if `whole`, those that could not be fitted too,
    else the published ones."""
    rows = Model.objects.filter(run=review.run_id).select_related("job", "publication__by")
    return (rows if whole else rows.filter(publication__isnull=False)).order_by("job__number")


def model_addresses(run: Run, person: "Person") -> dict[int, str]:
    """Returns where this person reads the models of a run, by the key of the job, without those that they may not
    read."""
    review = Review.objects.filter(run=run).first()
    if review is None:
        return {}
    reviews, reads_all = review.may(person, "review"), review.may(person, "read-undecided")
    if not (reviews or reads_all or review.may(person, "read")):
        return {}
    page = reverse("admin:reports_review_models" if reviews else "reports:models", args=[review.pk])
    models = readable_models(review, whole=reviews or reads_all)
    return {model.job_id: f"{page}#model-{model.job.number}" for model in models}


def model_state(job: ModelJob) -> tuple[str, str]:
    """Returns the badge and the label of a model for people who may not know its outcome; `job` is selected with its
    model and its publication, so that none is looked for because of what it is."""
    if not job.told:
        return "waiting", _("waits for a reviewer")
    is_published = hasattr(job, "model") and hasattr(job.model, "publication")
    return ("done", _("published")) if is_published else ("stopped", _("not published"))


def accepted_unpublished_models(run: Run) -> QuerySet[Any]:
    """Selects the accepted models that are not published yet."""
    return models_with_verdicts(run).filter(verdict=Verdict.ACCEPT, publication__isnull=True)


def newest_model_decision_id(run: Run) -> int:
    """Returns the id of the newest decision on the models of a run, 0 if there is none; forms send it back as
    `seen`."""
    return int(ModelDecision.objects.filter(model__run=run).aggregate(last=Max("pk", default=0))["last"])


def decide_model(
    review: Review,
    person: "Person",
    model: Model,
    verdict: Verdict,
    note: str,
    now: datetime,
    seen: int | None = None,
) -> None:
    """Stores a reviewer's decision on a model; raises NotAllowed if it is published or the report withdrawn.

    `seen` is the `newest_model_decision_id` that the person's page showed; raises DecidedMeanwhile if somebody else has
    decided differently since.
    """
    with transaction.atomic():
        locked = Review.objects.get_locked(review.pk)
        basis = review.require_reviewer(person)
        if locked.state == State.WITHDRAWN:
            raise NotAllowed(_("This report was withdrawn: nothing of it is decided any more."))
        if model.problem and verdict == Verdict.ACCEPT:
            raise NotAllowed(
                _("This model could not be fitted, so nothing of it can be published. Reject it.")
            )
        if ModelPublication.objects.filter(model=model).exists():
            raise NotAllowed(_("This model is published. Withdraw the report to take it back."))
        last = ModelDecision.objects.filter(model=model).select_related("reviewer").order_by("-pk").first()
        is_unseen = last and seen is not None and last.pk > seen
        if last and is_unseen and last.reviewer_id != person.pk and last.verdict != verdict:
            raise DecidedMeanwhile(last.reviewer, last.get_verdict_display())
        if locked.state == State.WAITING:
            Review.objects.filter(pk=review.pk).update(state=State.IN_REVIEW, since=now)
        decision = ModelDecision.objects.create(
            model=model, reviewer=person, verdict=verdict, note=note, when=now, basis=basis
        )
        if not review.survey.hides_outcomes:
            _log_decision(decision, now)
        review.refresh_from_db()


def _log_decision(decision: ModelDecision, now: datetime) -> None:
    words = _("%(model)s: %(verdict)s.") % {
        "model": decision.model,
        "verdict": decision.get_verdict_display(),
    }
    survey, note = decision.model.run.survey, f"{words} {decision.note}".strip()
    log_activity(decision.reviewer, "reports.model-decided", survey, note=note, when=now)


def tell_decided_models(survey: Survey, now: datetime) -> None:
    """Tells the people who work on a survey which models are published and which were rejected, in the transaction that
    publishes a report or a model of the survey.

    Not at the decision: what could not be fitted can only be rejected.
    """
    last = ModelDecision.objects.filter(model__job=OuterRef("pk")).order_by("-pk")
    jobs = ModelJob.objects.filter(run__survey=survey, told=False)
    jobs = jobs.annotate(
        decision=Subquery(last.values("pk")[:1]), verdict=Subquery(last.values("verdict")[:1])
    )
    over = jobs.filter(Q(verdict=Verdict.REJECT) | Q(model__publication__isnull=False))
    decisions = dict(over.order_by("pk").values_list("pk", "decision"))
    ModelJob.objects.filter(pk__in=decisions).update(told=True)
    if survey.hides_outcomes:
        for decision in ModelDecision.objects.filter(pk__in=decisions.values()).order_by("pk"):
            _log_decision(decision, now)


def publish_model(
    review: Review, person: "Person", model: Model, site: str, now: datetime
) -> ModelPublication:
    """Publishes an accepted model of a run whose report is published; sends an e-mail after the commit."""
    with transaction.atomic():
        Survey.objects.get_locked_while_records_arrive(review.run.survey_id)
        basis = review.require_reviewer(person)
        if Review.objects.get_locked(review.pk).state != State.PUBLISHED:
            raise NotAllowed(
                _("The report of this run is not published. An accepted model is published with it.")
            )
        chosen = accepted_unpublished_models(review.run).filter(pk=model.pk).first()
        if chosen is None:
            raise NotAllowed(_("Accept this model first. A published one is not published again."))
        transaction.on_commit(partial(report_emails.send_model_published, review, chosen, site))
        publication = _check_and_store_publication(person, basis, chosen, now)
        tell_decided_models(review.survey, now)
    return publication


def publish_accepted_models(run: Run, person: "Person", basis: Basis, now: datetime) -> None:
    """Publishes all accepted models, in the transaction that publishes the report of the run."""
    for model in accepted_unpublished_models(run):
        _check_and_store_publication(person, basis, model, now)
    tell_decided_models(run.survey, now)


def _check_and_store_publication(
    person: "Person", basis: Basis, model: Model, now: datetime
) -> ModelPublication:
    """Checks an accepted model against all disclosures, then stores its publication."""
    survey = model.run.survey
    if ModelPublication.objects.filter(model__run__survey=survey).count() >= MOST_MODELS:
        raise NotAllowed(
            _("%(most)s models of this survey are published, and no more may be. Reject %(model)s.")
            % {"most": MOST_MODELS, "model": model}
        )
    run = model.run
    with reword_refusal_for_rehearsal(survey):
        require_enough_records(model)
        differencing_check.refuse_differencing_model(model)
        tables = require_publishable_table(model)
        telling = ProposedDisclosure(
            DisclosureKind.MODEL, f"model {model.pk}", str(model), run.through, run.population, tables
        )
        refuse_if_attack_succeeds(run, telling)
    publication = ModelPublication.objects.create(model=model, by=person, when=now, basis=basis)
    ledger.write_disclosure(survey, telling, person, now)
    log_activity(person, "reports.model-published", survey, note=f"{model}.", when=now)
    return publication


def require_enough_records(model: Model) -> None:
    """Raises NotAllowed if a combination of covariates has too few records; no other check protects the people who gave
    it."""
    request = regression_job.parse_request(model.run.mined_design, model.specification)
    parts = (
        batch.columns
        for batch in record_selection.read_used_batches(
            model.run.survey, model.run.through, model.run.population
        )
    )
    item: Item = request.item
    counts = PatternCounts.count_records(request.design, parts, item, request.questions, request.among)
    try:
        check_enough_model_records(request, counts, answer_law(request.design, item))
    except InputError as refusal:
        raise NotAllowed(path_and_reason_text(refusal)) from None


def require_publishable_table(model: Model) -> dict[str, Any]:
    """Returns the table of counts of the model's questions as the disclosure ledger stores it.

    The model's exact coefficients and errors reveal each count of this table; raises NotAllowed if it may not be
    published.
    """
    run = model.run
    request = regression_job.parse_request(run.mined_design, model.specification)
    among = (place for place, _code in request.among)
    involved = revealed_questions(run.mined_design, [request.item[0], *request.questions, *among])
    if run.verdict is None:
        raise NotAllowed(no_stored_decision_text())
    told = ledger_entry_for_model_table(run.survey, run.mined_design, run.through, run.verdict, involved)
    if told is None:
        names = join_names(run.mined_design.questions[place].name for place in involved)
        raise NotAllowed(
            _(
                "The numbers of %(model)s tell how many people gave each combination of answers to %(questions)s, and "
                "fewer than ten gave one of them, or have come since an earlier report. Leave out a question, or "
                "publish after more batches."
            )
            % {"model": model, "questions": names}
        )
    return told
