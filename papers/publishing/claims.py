"""What of the utility paper's claims holds in these experiments."""

from collections.abc import Iterator, Sequence

from papers.publishing.algorithms import BOTTOM_UP, ILP, KACLUK, TREE, AlgorithmForm
from papers.publishing.experiments import AnonymisedAdult
from papers.publishing.settings import DIVERSITY
from papers.tables import markdown

BEYOND = 10
"""Up to this k the paper finds classes of *ilp* with one sensitive value, and none beyond."""

SLIGHTLY = 0.1
"""A penalty larger by up to this share is called slightly worse here."""


def claims(rows: Sequence[AnonymisedAdult]) -> Iterator[str]:
    yield from _slightly_worse(rows)
    yield from _homogeneous(rows)
    yield from _too_small(rows)
    yield _ours(rows)


def more(rows: Sequence[AnonymisedAdult], form: AlgorithmForm) -> dict[int, float]:
    """By k, how much more than *bottom-up* the penalty of *ilp* is, as a share."""
    merged = _of(rows, BOTTOM_UP, form)
    return {row.k: row.ncp / before.ncp - 1 for row, before in zip(_of(rows, ILP, form), merged, strict=True)}


def _slightly_worse(rows: Sequence[AnonymisedAdult]) -> Iterator[str]:
    paper, kept = more(rows, AlgorithmForm.PAPER), more(rows, AlgorithmForm.KEPT)
    slight = [k for k, share in paper.items() if share <= SLIGHTLY]
    yield WORSE.format(
        verdict=f"It holds for k = {', '.join(map(str, slight))}" if slight else "It does not hold",
        least=f"{min(paper.values()):.0%}",
        most=f"{max(paper.values()):.0%}",
        kept_least=f"{min(kept.values()):.0%}",
        kept_most=f"{max(kept.values()):.0%}",
    )
    lines = [[k, f"{paper[k]:+.1%}", f"{kept[k]:+.1%}"] for k in paper]
    yield markdown(["k", "paper", "kept"], lines, "--:")


def _homogeneous(rows: Sequence[AnonymisedAdult]) -> Iterator[str]:
    beyond = [row for row in _of(rows, ILP, AlgorithmForm.PAPER) if row.k > BEYOND]
    shares = ", ".join(f"{row.homogeneous:.2%} at k = {row.k}" for row in beyond)
    verdict = "It does not hold" if any(row.homogeneous for row in beyond) else "It holds"
    yield HOMOGENEOUS.format(beyond=BEYOND, verdict=verdict, shares=shares)


def _too_small(rows: Sequence[AnonymisedAdult]) -> Iterator[str]:
    small = [row for row in rows if row.k < DIVERSITY and row.refused]
    lines = [[row.k, row.method, row.form, f"{row.lacking:.2%}"] for row in small]
    yield SMALL.format(least=DIVERSITY)
    yield markdown(["k", "method", "form", "classes below l"], lines, "--:")


def less(rows: Sequence[AnonymisedAdult]) -> dict[int, float]:
    """By k, how much less than the best of the paper's three the penalty of *tree* is, as a share; all keep l."""
    papers = [_of(rows, method, AlgorithmForm.KEPT) for method in (BOTTOM_UP, KACLUK, ILP)]
    ours = _of(rows, TREE, AlgorithmForm.KEPT)
    best = [min(row.ncp for row in at_k) for at_k in zip(*papers, strict=True)]
    return {row.k: 1 - row.ncp / least for row, least in zip(ours, best, strict=True)}


def _ours(rows: Sequence[AnonymisedAdult]) -> str:
    shares = less(rows)
    return OURS.format(least=f"{min(shares.values()):.0%}", most=f"{max(shares.values()):.0%}")


def _of(rows: Sequence[AnonymisedAdult], method: str, form: AlgorithmForm) -> list[AnonymisedAdult]:
    return [row for row in rows if (row.method, row.form) == (method, form.value)]


WORSE = """**"*ilp* is slightly worse than *bottom-up*."** {verdict}: its penalty (NCP) is {least} to {most} above that
of *bottom-up* in the paper's form, and {kept_least} to {kept_most} where both keep l.
"""
HOMOGENEOUS = """**"The HASR of *ilp* is 0 beyond k = {beyond}."** {verdict} without changed values: {shares}.
"""
SMALL = """**l = {least} at k = 2.** It cannot be had in classes of two records, whatever is changed: they have two
values at the most. `anonymize` refuses the paper's classes and the changed ones; where l is kept, all are larger.
"""
OURS = """**Ours.** Where all keep l, the penalty of *tree* is {least} to {most} below the least of the paper's three.
No value is changed, and no record is left out.
"""
