"""The page of a run: its numbers for reviewers, and for others nothing that was counted.

Not even rounded numbers: a person who chooses the thresholds could infer every support from the number of itemsets.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from jobs.job_status import BADGES
from jobs.models import State
from jobs.progress_messages import Message
from runs import copied_record_detection, mlxtend_check, result_reading_permissions
from runs.mlxtend_check_sentence import CheckStatus, Counts
from runs.models import UNMET_MARGINS, Run
from runs.result_reading_permissions import RunLink, round_up_to_listed_threshold
from ui.number_format import format_count, format_exact_percent

if TYPE_CHECKING:
    from accounts.models import Person


@dataclass(frozen=True)
class RunPage:
    """A run as its page shows it to one person."""

    run: Run
    person: "Person"

    @cached_property
    def sees_numbers(self) -> bool:
        """True if this person may see the numbers of the run."""
        return self.run.may(self.person, "numbers")

    @cached_property
    def knows_outcome(self) -> bool:
        """True if this person may know how the search ended: its report is published, or they may know all outcomes.

        It depends on which tables may be told, and so on small cells, and on releases that wait for a reviewer.
        """
        return (
            self.run.survey.may_know_outcomes(self.person)
            or result_reading_permissions.readable_rows(self.run, self.person) is not None
        )

    @cached_property
    def knows_check_extent(self) -> bool:
        """True if this person may know on how many records the last check was made: what it costs depends on what the
        search found, but not where all records were asked for, whatever that costs."""
        check = self.check.last
        return bool(check and check.always and check.state == State.DONE) or self.knows_outcome

    @cached_property
    def used_records(self) -> int | None:
        """The number of records that the results are about; None before they are counted.

        Also None for people who may not see the run's numbers, until the report is published, in a survey whose pages
        round the number of sealed records down. Both numbers together would reveal how many open records a batch has
        (docs/mathematics.md, What leaves).
        """
        run = self.run
        is_told = not run.survey.has_rounded_counts or result_reading_permissions.readable_rows(
            run, self.person
        )
        return run.used_records if is_told else None

    @cached_property
    def visible_run(self) -> Run:
        """The run with the state and progress that this person may see."""
        return self.run.shown_to(self.person)

    @property
    def badge(self) -> str:
        return BADGES[State(self.visible_run.state)]

    @property
    def is_done(self) -> bool:
        return self.run.state == State.DONE

    @cached_property
    def check(self) -> CheckStatus:
        return CheckStatus(self.run)

    @property
    def check_sentence(self) -> str:
        """The result of the checks, with numbers for people who may see them; without what was checked of the search,
        if this person may not know that."""
        rows = self.check.rows
        counts = (
            Counts(rows.itemsets, rows.rules, rows.above_one, len(rows.below))
            if rows and self.sees_numbers
            else None
        )
        return self.check.sentence(counts, knows_extent=self.knows_check_extent)

    @property
    def check_difference(self) -> str:
        return mlxtend_check.difference_sentence(self.run) if self.sees_numbers else ""

    @property
    def is_disputed(self) -> bool:
        """True if a check found another result."""
        return self.check.is_disputed

    @property
    def is_check_available(self) -> bool:
        """True if the run can be checked again: it is finished and no check is running, whatever the last one found."""
        return self.is_done and not self.check.is_on_its_way

    @property
    def copies_sentence(self) -> str:
        return copied_record_detection.copies_sentence(self.run)

    @property
    def support_that_counts_all(self) -> float | None:
        """The smallest support at which larger itemsets would be counted, if the search stopped.

        Rounded up to a short list for people who may not see the numbers.
        """
        least: float | None = self.run.stopped["fits"] if self.run.stopped else None
        return least if self.sees_numbers else round_up_to_listed_threshold(least)

    @property
    def thresholds_text(self) -> str:
        wanted = self.run.search_parameters
        words = _("support %(support)s, confidence %(confidence)s")
        return words % {
            "support": format_exact_percent(wanted.min_support),
            "confidence": format_exact_percent(wanted.min_confidence),
        }

    @property
    def parameter_labels(self) -> list[tuple[str, str]]:
        """Labels and values of the parameters, enough to repeat the run anywhere."""
        run, wanted = self.run, self.run.search_parameters
        estimators = {
            "stratified": _("stratified"),
            "pooled": _("both groups in one"),
            "combined": _("both groups, assumed to be alike"),
        }
        pruning = _("%(errors)s standard errors") % {"errors": f"{wanted.errors:g}"}
        return [
            *([] if self.used_records is None else [(_("Records"), format_count(self.used_records))]),
            (_("Answers until (sealed by)"), date_format(run.day)),
            (_("Minimum support"), format_exact_percent(wanted.min_support)),
            (_("Minimum confidence"), format_exact_percent(wanted.min_confidence)),
            (_("Most answers in a combination (itemset)"), str(wanted.max_size)),
            (
                _("“No” and “prefer not to say” as answers"),
                _("counted") if wanted.absences else _("not counted"),
            ),
            (_("Shares estimated"), estimators[wanted.estimator]),
            (_("Check by mlxtend"), run.get_mlxtend_display()),
            (_("Pruning margin"), _("by proof") if wanted.exact else pruning),
            (_("Weights"), run.margins.name if run.margins else _("none")),
            *([(_("Why nothing is weighted"), self.unmet_margins)] if self.unmet_margins else []),
        ]

    @cached_property
    def unmet_margins(self) -> str:
        """The reason why the records cannot be weighted to the margins, for people who may read all numbers."""
        reason = self.run.findings.get(UNMET_MARGINS)
        if not reason or not self.run.survey.may_know_outcomes(self.person):
            return ""
        return str(Message.from_json(reason))

    @cached_property
    def report_links(self) -> list[RunLink]:
        return result_reading_permissions.registered_report_functions().report_links(self.run, self.person)

    @property
    def gets_report_email(self) -> bool:
        return result_reading_permissions.registered_report_functions().gets_report_email(
            self.run, self.person
        )

    @cached_property
    def runs_with_identical_results(self) -> list[Run]:
        """Runs with identical results, for people who may know outcomes; those of them who may not see the numbers get
        only runs with the same parameters.

        To others a repetition would tell whether other tables may be told now, for example whether a release that waits
        for a reviewer was made.
        """
        run = self.run
        if not run.digest or not run.survey.may_know_outcomes(self.person):
            return []
        identical = Run.objects.filter(survey=run.survey_id, digest=run.digest).exclude(pk=run.pk)
        if not self.sees_numbers:
            identical = identical.filter(**self._parameters)
        return list(identical.order_by("pk"))

    @cached_property
    def differing_runs(self) -> list[Run]:
        """Runs with the same records, parameters and verdict but other results: something else has changed.

        Runs of another version of the mathematics are left out, since their results may differ.
        """
        run = self.run
        if not run.digest:
            return []
        repetitions = Run.objects.filter(
            survey=run.survey_id, verdict_digest=run.verdict_digest, **self._parameters
        )
        differing = repetitions.exclude(digest__in=["", run.digest]).order_by("pk")
        # The first part of a version, as in "mining 1, numpy 2.4.6".
        mathematics = run.version.partition(",")[0]
        return [repetition for repetition in differing if repetition.version.partition(",")[0] == mathematics]

    @property
    def _parameters(self) -> dict[str, Any]:
        run = self.run
        return {
            "through": run.through,
            "population": run.population,
            "parameters": run.parameters,
            "margins": run.margins_id,
        }

    @cached_property
    def comparable_runs(self) -> list[Run]:
        """Finished runs of the survey to compare this one with, the newest first."""
        runs = Run.objects.filter(survey=self.run.survey_id, state=State.DONE).exclude(pk=self.run.pk)
        return list(runs.order_by("-pk"))
