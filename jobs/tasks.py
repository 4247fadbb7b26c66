"""The one task. Its message is a hint: which row to look at, nothing of what is in it."""

import secrets

from celery import shared_task

from jobs import presence
from jobs.attempt import attempt


@shared_task(name="jobs.attempt")
def work(label: str, pk: str) -> None:
    attempt(label, pk, token=secrets.token_hex(16), worker=presence.name)
