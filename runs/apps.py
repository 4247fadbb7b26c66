"""Registers the parts of mining runs that other apps call: jobs, batches, tabs and facts for operators."""

from typing import TYPE_CHECKING

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from accounts.models import Person
    from surveys.models import Survey


class RunsConfig(AppConfig):
    name = "runs"
    verbose_name = _("Mining")

    def ready(self) -> None:
        from accounts.history_texts import register_action_texts
        from intake.batches import sealed_batch_reader
        from intake.rehearsal import respondent_simulation
        from jobs import job_status, tick
        from runs import copied_record_detection, mlxtend_check, result_storage, run_start
        from surveys import tabs_and_warnings
        from surveys.lifecycle import state_changes as lifecycle

        register_action_texts(
            {
                "mining.started": _("started a mining run"),
                "mining.modelled": _("specified a model of a run"),
                "mining.checked": _("had a run checked by mlxtend"),
                "mining.margins": _("uploaded weights"),
            }
        )
        tabs_and_warnings.register_tab("runs", _("Runs"), "runs:runs", has_runs_tab, rank=40)
        sealed_batch_reader.register_merge_boundaries(result_storage.last_batches_of_runs)
        sealed_batch_reader.register_merge_boundaries(
            copied_record_detection.merge_barriers_of_untested_batches
        )
        tick.register_periodic_function(
            "copies", copied_record_detection.find_copies_in_new_batches, copied_record_detection.EVERY
        )
        job_status.register_background_page_fact(copied_record_detection.surveys_with_copies_fact)
        job_status.register_background_page_fact(mlxtend_check.disagreements_fact)
        tabs_and_warnings.register_warnings(copied_record_detection.copied_record_warnings)
        respondent_simulation.tried_out.connect(run_start.start_first_rehearsal_run, dispatch_uid="runs")
        lifecycle.survey_destroyed.connect(result_storage.delete_runs, dispatch_uid="runs")


def has_runs_tab(survey: "Survey", person: "Person") -> bool:
    """Returns True if a survey has a tab for its runs."""
    return survey.has_usable_design
