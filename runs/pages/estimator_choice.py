"""What is said beside the choice of an estimator: the errors of two of them in this survey."""

from dataclasses import dataclass

from intake.batches import sealing
from intake.disclosure.models import Population
from intake.disclosure.records import population_of
from mining.studies.answer_scores import EstimatorErrors, estimator_errors
from runs.sampling import histogram_or_sample
from surveys.lifecycle import counts
from surveys.models import Survey

RECORDS, STEPS = 20_000, 20
"""So many records tell the open share where no histogram is kept; it is said in twentieths.

Who is open is counted by what the ledger of disclosures knows; this page is not in it, so it says nothing exact.
"""


@dataclass(frozen=True)
class EstimatorChoice:
    """`may_choose`: people could choose no disguise. About `open_share` of the records of a run; `errors` in `records`.

    Without open records the estimators are one, and there are no `errors`.
    """

    may_choose: bool
    open_share: float = 0.0
    records: int = 0
    errors: EstimatorErrors | None = None


def estimator_choice(survey: Survey) -> EstimatorChoice | None:
    """None where nothing is sealed, or in a survey with arms, where no estimator is chosen."""
    through = sealing.last_sealed(survey.pk)
    if not through or survey.design is None or survey.design.content.has_arms:
        return None
    design = survey.design.content.mined
    if not design.has_group_open:
        return EstimatorChoice(may_choose=False)
    if population_of(survey) == Population.DISGUISED:
        return EstimatorChoice(may_choose=True)
    opened, disguised = histogram_or_sample(survey, design, through, RECORDS).n
    share = round(STEPS * opened / max(opened + disguised, 1)) / STEPS
    if not share:
        return EstimatorChoice(may_choose=True)
    records = counts.shown_counts_of_survey(survey).sealed
    return EstimatorChoice(True, share, records, estimator_errors(design, records, share))
