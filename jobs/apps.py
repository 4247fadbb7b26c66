from datetime import timedelta

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class JobsConfig(AppConfig):
    name = "jobs"
    verbose_name = _("Background work")

    def ready(self) -> None:
        from accounts import deactivated_account_activities
        from jobs import job_queue, job_status, running_job_heartbeats, tick

        deactivated_account_activities.register_activity_source(job_status.researchers_cancellable_jobs)
        tick.register_periodic_function("jobs.reap", running_job_heartbeats.requeue_or_fail_dead_jobs)
        tick.register_periodic_function("jobs.job_queue", job_queue.wake_free_processes)
        tick.register_periodic_function(
            "jobs.forget", running_job_heartbeats.delete_old_workers_and_trials, every=timedelta(minutes=10)
        )
