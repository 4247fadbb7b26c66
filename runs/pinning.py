"""Pinned batches: those that results were computed from, so that no merge reaches across them."""

from collections.abc import Collection

from runs.models import Run


def pinned_batches(survey: int) -> Collection[int]:
    """The last batch of each run of a survey, which no merge reaches across."""
    return set(Run.objects.filter(survey=survey).values_list("through", flat=True))
