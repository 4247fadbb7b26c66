"""The figures of the experiments: one line for each algorithm over k."""

from collections.abc import Callable, Iterator, Sequence

from papers.drawing import Curve, Figure
from papers.publishing.algorithms import BOTTOM_UP, ILP, KACLUK, TREE, AlgorithmForm
from papers.publishing.experiments import AnonymisedAdult
from papers.publishing.settings import DIVERSITY

Value = Callable[[AnonymisedAdult], float]
OURS = "tree (ours)"
NAMES = {BOTTOM_UP: BOTTOM_UP, KACLUK: KACLUK, ILP: ILP, TREE: OURS}
KEPT_NOTE = f"every class has at least k records and l = {DIVERSITY} values"
PAPER_NOTE = f"as in the paper: classes of k records, whatever their values; ours keeps l = {DIVERSITY}"


def figures(rows: Sequence[AnonymisedAdult]) -> Iterator[tuple[str, Figure]]:
    """Names of files, without extension, and figures."""
    kept = {method: _of(rows, method, AlgorithmForm.KEPT) for method in NAMES}
    paper = {method: _of(rows, method, AlgorithmForm.PAPER) for method in (BOTTOM_UP, KACLUK, ILP)}
    paper[TREE] = kept[TREE]
    yield "time", _figure("Processor time on Adult", "seconds", kept, lambda row: row.seconds, True)
    yield "ilp", _figure("Information-loss penalty, weights from the data", "ILP", kept, lambda row: row.ilp)
    yield "ncp", _figure("Information-loss penalty, unit weights", "NCP", kept, lambda row: row.ncp)
    yield (
        "discernibility",
        _figure("Discernibility", "sum of squared sizes", kept, lambda row: row.discernibility, True),
    )
    yield (
        "hasr",
        _figure(
            "Classes with one sensitive value", "HASR", paper, lambda row: row.homogeneous, note=PAPER_NOTE
        ),
    )
    yield "distortion", _distortion(rows)
    yield (
        "queries",
        _figure("Error of count queries", "median relative error", kept, lambda row: row.query_error),
    )


def _of(rows: Sequence[AnonymisedAdult], method: str, form: AlgorithmForm) -> list[AnonymisedAdult]:
    return [row for row in rows if (row.method, row.form) == (method, form.value)]


def _figure(
    title: str,
    up: str,
    by_method: dict[str, list[AnonymisedAdult]],
    value: Value,
    logarithmic: bool = False,
    note: str = KEPT_NOTE,
) -> Figure:
    ks = [row.k for row in by_method[TREE]]
    curves = [_line(NAMES[method], list(map(value, rows))) for method, rows in by_method.items()]
    return Figure(title, "k", up, ks, curves, note=note, logarithmic=logarithmic, apart=0)


def _distortion(rows: Sequence[AnonymisedAdult]) -> Figure:
    paper, changed = _of(rows, ILP, AlgorithmForm.PAPER), _of(rows, ILP, AlgorithmForm.CHANGED)
    curves = [
        _line("HASR, unchanged", [row.homogeneous for row in paper]),
        _line("HASR, changed", [row.homogeneous for row in changed]),
        _line("share changed", [row.falsified for row in changed]),
    ]
    note = "ilp as in the paper, with and without changed sensitive values"
    return Figure(
        "What changed values do", "k", "share", [row.k for row in paper], curves, note=note, apart=0
    )


def _line(name: str, values: Sequence[float]) -> Curve:
    return Curve(name, values, values, values)
