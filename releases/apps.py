from datetime import timedelta

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ReleasesConfig(AppConfig):
    name = "releases"
    verbose_name = _("Releases")

    def ready(self) -> None:
        from accounts.history_texts import register_action_texts
        from intake.batches import sealed_batch_reader
        from jobs import tick
        from releases import survey_tables, uploads
        from releases.lifecycle import attack_job, making_job, release_decisions
        from releases.pages import tabs_and_next_step
        from surveys.lifecycle import state_changes as lifecycle

        register_action_texts(
            {
                "releases.started": _("started a release"),
                "releases.uploaded": _("uploaded a table"),
                "releases.upload-deleted": _("deleted an uploaded table"),
                "releases.run": _("had a release made"),
                "releases.compared": _("compared methods for a release"),
                "releases.attacked": _("attacked a release"),
                "releases.not-made": _("could not make a release"),
                "releases.checked": _("finished making a release, which waits for a reviewer"),
                "releases.approved": _("approved a release"),
                "releases.refused": _("refused a release"),
                "releases.returned": _("returned a release that could not be made"),
                "releases.withdrawn": _("withdrew a release"),
                "releases.discarded": _("discarded a release"),
                "releases.downloaded": _("downloaded a release"),
            }
        )
        tabs_and_next_step.register_pages()
        tick.register_periodic_function(
            "releases.uploads", uploads.delete_expired_uploads, every=timedelta(minutes=1)
        )
        tick.register_periodic_function("releases.registers", attack_job.delete_unused_attacker_files)
        tick.register_periodic_function("releases.makings", making_job.end_failed_makings)
        sealed_batch_reader.register_merge_boundaries(survey_tables.last_batches_of_releases)
        lifecycle.survey_destroyed.connect(release_decisions.delete_releases, dispatch_uid="releases")
