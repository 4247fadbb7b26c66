"""Pinned batches: those that results were computed from, so that no merge reaches across them."""

from collections.abc import Collection

from runs.models import Run, Shard


def pinned_batches(survey: int) -> Collection[int]:
    """The batches t of a survey that no merge reaches across: the last of each run, and both ends of each shard."""
    ends = set(Run.objects.filter(survey=survey).values_list("through", flat=True))
    for first, last in Shard.objects.filter(run__survey=survey).values_list("first", "last"):
        ends |= {first - 1, last}
    return ends
