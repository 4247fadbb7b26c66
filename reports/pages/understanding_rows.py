"""The rows of the block *Did they understand?*, each with its sentence."""

from typing import Any

from mining.document.study import Understanding, UnderstandingCounts
from reports.labels import Labels
from reports.sentences.understanding_check import of_counts, of_difference


def understanding_rows(understanding: Understanding | None, labels: Labels) -> dict[str, Any]:
    """For the template: counts of all and of each crosswise question; differences of crosswise answers apart."""
    if understanding is None:
        return {}
    rows = [of_difference(one, labels) for one in understanding.items]
    return {
        "understanding": understanding,
        "understood": of_counts(understanding.all_disguised),
        "understanding_counts": [
            (_label(counts, labels), counts) for counts in understanding.counts if counts.n is not None
        ],
        "understanding_rows": [row for row in rows if not row.node.crosswise],
        "understanding_pairs": [row for row in rows if row.node.crosswise],
    }


def _label(counts: UnderstandingCounts, labels: Labels) -> str:
    """Empty: of all whose answers are disguised."""
    return labels.subject(counts.question) if counts.question else ""
