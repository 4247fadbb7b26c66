"""A published report made by hand, of a survey whose record files nobody has allowed."""

from tests.cast import partial, viewer
from tests.reports.conftest import published, review, run, survey
from tests.wake_ups import broker

__all__ = ["broker", "partial", "published", "review", "run", "survey", "viewer"]
