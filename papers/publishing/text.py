"""publishing.md: the worked tables, the experiments, and what of the paper's claims holds."""

from collections.abc import Iterator, Sequence

from papers.publishing import lattice, linkage, utility
from papers.publishing.experiments_text import experiments_text
from papers.publishing.lattice import CASES, UNEVEN, LatticeNode, of_case, strategies
from papers.publishing.linkage import Linked
from papers.publishing.results import PublishingResults
from papers.tables import markdown

RIGHT = "--:"


def text(found: PublishingResults) -> str:
    return "\n".join(
        [
            *_linkage(found),
            *_utility(found),
            *_lattice(found),
            *experiments_text(found.records, found.experiments),
            NOT_BUILT,
        ]
    )


def _linkage(found: PublishingResults) -> Iterator[str]:
    yield INTRODUCTION
    yield MEDICAL
    yield markdown(["record", *linkage.HEAD], _numbered(found.linkage.rows))
    yield REGISTER
    voters = [[voter.name, *voter.known] for voter in linkage.REGISTER]
    yield markdown(["name", *linkage.KNOWN], voters)
    yield "Linked with the medical table:\n"
    yield _linked(found.linkage.before)
    yield RE_IDENTIFIED.format(count=sum(row.re_identified for row in found.linkage.before))
    yield ANONYMOUS
    yield markdown(["record", *linkage.HEAD], _numbered(found.linkage.anonymous))
    yield _linked(found.linkage.after)
    yield STILL.format(
        count=sum(row.re_identified for row in found.linkage.after),
        fewest=min(len(row.records) for row in found.linkage.after if row.records),
    )


def _numbered(rows: Sequence[Sequence[str]]) -> list[list[object]]:
    return [[number, *row] for number, row in enumerate(rows, 1)]


def _linked(rows: Sequence[Linked]) -> str:
    head = ["voter", "records that fit", "other voters", "problems", "re-identified"]
    lines = [
        [
            row.voter,
            ", ".join(map(str, row.records)) or "none",
            row.rivals,
            ", ".join(row.problems) or "none",
            "yes" if row.re_identified else "no",
        ]
        for row in rows
    ]
    return markdown(head, lines)


def _utility(found: PublishingResults) -> Iterator[str]:
    yield UTILITY
    yield markdown(["row", *utility.HEAD], [[number, *row] for number, row in enumerate(utility.ROWS, 1)])
    yield WEIGHTS
    names = list(found.weights[0].weights)
    yield markdown(
        ["illness", *names],
        [[row.value, *(f"{row.weights[name]:g}" for name in names)] for row in found.weights],
    )
    yield GENERALISED
    one, other = found.generalisations
    for generalised in (one, other):
        yield f"{generalised.name.capitalize()}:\n"
        yield markdown(["row", *utility.HEAD], _numbered(generalised.rows))
    lines = [[row.name, *map(decimal, (row.ncp, row.ilp, row.hasr))] for row in (one, other)]
    yield markdown(["generalisation", "NCP", "ILP", "HASR"], lines, RIGHT)
    yield CHOSEN.format(best=min((one, other), key=lambda row: row.ilp).name)


def _lattice(found: PublishingResults) -> Iterator[str]:
    yield LATTICE.format(strategies=len(strategies(max(row.distance for row in found.nodes))))
    for place, case in enumerate(CASES, 1):
        nodes = of_case(case, found.nodes)
        yield f"### {case.name.capitalize()}, k = {case.k}, MaxSup = {case.most}\n"
        if case.rows is UNEVEN and not case.most:
            yield "The nine rows:\n"
            yield markdown(["row", *lattice.HEAD], _numbered(UNEVEN))
        head = ["generalisation", "distance vector", "height", "classes", "below k", "k-minimal"]
        yield markdown(head, map(_node, nodes))
        minimal = ", ".join(row.name for row in nodes if row.minimal)
        yield f"k-minimal: {minimal}.\n"
        yield f"![The lattice of race and ZIP](lattice-{place}.svg)\n"
    yield DISTANCES
    lines = [
        [", ".join(map(str, row.records)), "[" + ", ".join(map(str, row.distance)) + "]"]
        for row in found.distances
        if row.records[0] == 1
    ]
    yield markdown(["records", "distance vector"], lines)


def _node(row: LatticeNode) -> list[object]:
    distance = "[" + ", ".join(map(str, row.distance)) + "]"
    verdict = "yes" if row.minimal else "no" if row.admitted else "no: too many below k"
    return [row.name, distance, row.height, ", ".join(map(str, row.sizes)), row.below, verdict]


def decimal(value: float) -> str:
    return f"{value:.4f}"


INTRODUCTION = """# Publishing tables

Three papers on tables of people that are published without names: what a register gives away, how a table is
generalised no more than is needed, and what generalising costs those who use the table. All of it is computed with the
code that publishes tables (docs/mathematics.md, Anonymised tables).

What of the papers could not be had, and what stands for it:

* **Their text.** The rows of the medical table, of the lattice, and the first line of the register are those that are
  widely quoted. The other lines of the register are ours.
* **The eleven rows of the utility paper.** They are replaced by eleven rows of ours, made for the same point.
* **Its machine.** Seconds are those of one processor here; they say which algorithm is faster, not by how much there.
"""
MEDICAL = """## A medical table and a register

Samarati and Sweeney, *Protecting privacy when disclosing information* (1998). Names are left out of the medical table:
"""
REGISTER = """A register of voters is public. It has birth date, sex and ZIP too:
"""
RE_IDENTIFIED = """{count} voters are re-identified: one record fits them, and it fits nobody else in the register. Two
voters share a birth date, sex and ZIP: neither is re-identified, but the record is of one of them, or of neither.
"""
ANONYMOUS = """The same table 2-anonymous, by the method *tree*. Nothing is left out; every record looks like another:
"""
STILL = """Now {count} voters are re-identified. If a voter fits any record, they fit {fewest} or more, with different
problems. Records now also fit voters who are not in the table at all.
"""
UTILITY = """## Eleven rows: what weights are for

These rows are ours. Illness is sensitive; ages run from 20 to 60; Alder and Birch are in the North, Cedar and Damson in
the South.
"""
WEIGHTS = """The weight u_ij of illness i and column j, from the data: the share of the range of ages, or of the four
towns, that occurs with this illness.
"""
GENERALISED = """Two generalisations into classes of at least two rows. Each shows half of one column for eight rows:
"""
CHOSEN = """Their NCP is the same. With weights they differ: "{best}" loses less. Its classes also have more than one
illness each.
"""
LATTICE = """## The lattice of race and ZIP

Samarati and Sweeney (1998); Samarati, *Protecting respondents' identities in microdata release* (2001). The domains of
race are R0 (asian, black, white) and R1 (everything); those of ZIP are Z0 (94138, 94139, 94141, 94142), Z1 (9413\\*,
9414\\*) and Z2 (everything). A generalisation is a pair of domains; its distance vector counts the levels that it is
above R0Z0. It is k-minimal if no more than MaxSup records are in classes below k, and this is true of no generalisation
below it. {strategies} strategies lead from R0Z0 to R1Z2. Each of the twelve rows is one pair of a race and a ZIP.
"""
DISTANCES = """Of the nine rows, the lowest generalisation at which the first looks like each of the others:
"""
NOT_BUILT = """## Not built

Queries that are answered live; differential, membership and identifiability privacy of tables. Nothing here protects
against somebody who knows more than the quasi-identifiers.
"""
