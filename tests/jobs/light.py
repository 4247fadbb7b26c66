"""The product's worker, for `celery -A tests.jobs.light`, without the compiled code that takes most of its start."""

from config.celery import app
from jobs import warmup

__all__ = ["app"]

# The applications register at their start, which comes after this.
warmup.register = lambda function: None
