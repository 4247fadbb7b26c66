"""The part of publishing.md on the experiments: their tables, and what of the paper's claims holds."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from papers.publishing.algorithms import ILP, AlgorithmForm
from papers.publishing.claims import claims
from papers.publishing.experiments import AnonymisedAdult
from papers.publishing.settings import DIVERSITY, SEED, TRIES
from papers.tables import markdown


def _percent(share: float) -> str:
    return f"{share:.2%}"


SHOWN: dict[str, Callable[[AnonymisedAdult], str]] = {
    "seconds": lambda row: f"{row.seconds:.1f}",
    "classes": lambda row: f"{row.classes:,}",
    "NCP": lambda row: f"{row.ncp:.4f}",
    "ILP": lambda row: f"{row.ilp:.4f}",
    "discernibility": lambda row: f"{row.discernibility:,}",
    "HASR": lambda row: _percent(row.homogeneous),
    "classes below l": lambda row: _percent(row.lacking),
    "published": lambda row: "refused" if row.refused else "yes",
    "changed": lambda row: _percent(row.falsified),
    "median error": lambda row: f"{row.query_error:.4f}",
    "mean error": lambda row: f"{row.query_error_mean:.4f}",
}
"""How the columns of the tables are shown."""


@dataclass(frozen=True)
class ExperimentSection:
    """A heading, what to know, the figures, the columns, and which rows: all, unless `rows` says otherwise."""

    title: str
    words: str
    figures: Sequence[str]
    columns: Sequence[str]
    rows: Callable[[AnonymisedAdult], bool] = lambda _row: True


def experiments_text(records: int, rows: Sequence[AnonymisedAdult]) -> Iterator[str]:
    yield EXPERIMENTS.format(records=f"{records:,}", least=DIVERSITY, seed=SEED, tries=f"{TRIES:,}")
    for section in SECTIONS:
        yield f"### {section.title}\n"
        yield section.words.format(least=DIVERSITY)
        yield from (f"![{section.title}]({figure}.svg)\n" for figure in section.figures)
        yield _table(filter(section.rows, rows), section.columns)
    yield "## What of the paper's claims holds\n"
    yield from claims(rows)


def _table(rows: Iterable[AnonymisedAdult], columns: Sequence[str]) -> str:
    lines = [[row.k, row.method, row.form, *(SHOWN[column](row) for column in columns)] for row in rows]
    return markdown(["k", "method", "form", *columns], lines, "--:")


EXPERIMENTS = """## Four experiments on Adult

{records} records (papers/publishing/adult.md), eight quasi-identifiers, occupation sensitive, l = {least} distinct
values. Algorithms: *bottom-up*, *kacluk* and *ilp* of the utility paper, and our *tree* (seed {seed}, {tries} tries).
Forms:

* **paper**: classes of at least k records, as the paper describes them; `anonymize` refuses those that violate l.
* **changed**: *ilp* changes sensitive values until each class has min(l, its size) different ones.
* **kept**: what `anonymize` publishes: classes are joined until each keeps k and l; no value is changed.

NCP is the penalty with unit weights, by which all of them search; ILP is that of the same classes with weights from
the data, that is, from the values as published.
"""
SECTIONS = (
    ExperimentSection(
        "Time",
        "Processor seconds, kernels loaded. They alone differ from run to run.\n",
        ("time",),
        ("seconds", "classes"),
    ),
    ExperimentSection(
        "Penalty beside discernibility",
        "Discernibility depends on the sizes of the classes alone, the penalty on what they show.\n",
        ("ncp", "ilp", "discernibility"),
        ("NCP", "ILP", "discernibility", "published"),
    ),
    ExperimentSection(
        "Classes with one sensitive value",
        "HASR is their share of all classes. Beside it is the share of classes with fewer than {least} values.\n",
        ("hasr",),
        ("HASR", "classes below l", "published"),
    ),
    ExperimentSection(
        "Changed sensitive values",
        "What *ilp* gains by changing values, and the share of records that then say something untrue.\n",
        ("distortion",),
        ("HASR", "classes below l", "changed", "published"),
        lambda row: row.method == ILP and row.form != AlgorithmForm.KEPT,
    ),
    ExperimentSection(
        "Count queries",
        "Relative errors of 2,000 counts by chance, the same for all, answered from what is published.\n",
        ("queries",),
        ("median error", "mean error", "changed"),
    ),
)
