"""A worker in the test's own process that attempts one job of the test's choice."""

import secrets

from jobs import database, job_attempt as attempts, job_state_changes
from jobs.models import Job


def attempt(job: Job, *, token: str = "", worker: str = "w1") -> bool:
    """Claim this job and attempt it; False, and nothing is done, where it does not wait."""
    token = token or secrets.token_hex(16)
    claimed = database.retry(
        lambda: job_state_changes.claim(job.pk, token=token, worker=worker, now=database.now())
    )
    return claimed is not None and attempts.attempt(claimed)
