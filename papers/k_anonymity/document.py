"""Builds the page of document 001, k-anonymity: claims, eleven example rows, generalisation lattice."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from papers.csv_and_example_tables import csv_from_rows, four_decimals, percent
from papers.document_structure import (
    Claim,
    Document,
    PrintedItem,
    Reproduction,
    ReproductionOptions,
    Section,
    Table,
    Verdict,
    columns_by_position,
    judge_claim,
)
from papers.k_anonymity.eleven_example_rows import HEAD, ROWS, CriterionResult, apply_criteria
from papers.k_anonymity.lattice import (
    CASES,
    LatticeCase,
    LatticeNode,
    all_nodes,
    nodes_above,
    paths_to_top,
    record_distances,
    select_case_nodes,
)
from papers.svg_figures import Box, Lattice

PRINTED = {
    ("twelve rows", 2, 0): {"R0Z1", "R1Z0"},
    ("twelve rows", 3, 0): {"R1Z0", "R0Z2"},
    ("nine rows", 2, 0): {"R0Z2", "R1Z1"},
    ("nine rows", 2, 2): {"R0Z1", "R1Z0"},
}
"""Printed k-minimal generalisations, by table, k and MaxSup (the most records left out)."""


@dataclass(frozen=True)
class Results:
    joined: Sequence[CriterionResult]
    nodes: Sequence[LatticeNode]


def reproduce(options: ReproductionOptions) -> Reproduction:
    results = Results(apply_criteria(), all_nodes())
    tables = {"lattice": csv_from_rows(results.nodes), "distances": csv_from_rows(record_distances())}
    return Reproduction(lambda: document(results), tables)


def document(results: Results) -> Document:
    top = max(node.distance for node in results.nodes)
    made = _("Made again from the rows that are widely quoted; its number as printed cannot be had here.")
    cases = [
        PrintedItem(
            "–",
            _case_title(case),
            Verdict.HOLDS if has_printed_minima(results, case) else Verdict.FAILS,
            made,
        )
        for case in CASES
    ]
    return Document(
        "001",
        "k-anonymity",
        "Na Wenqi",
        "2019",
        ("001", "yu-2016", "sweeney-2002", "samarati-2001", "machanavajjhala-2006", "li-2007"),
        [
            _(
                "Eleven rows of race, birth, sex, ZIP and problem, published at k = 2; and what l-diversity, "
                "t-closeness and a bound on breaches, kept by the product's tree, join them to."
            ),
            _(
                "The lattice of race and ZIP: the domains of race are R0 (asian, black, white) and R1 (everything); "
                "of ZIP Z0 (94138, 94139, 94141, 94142), Z1 (9413*, 9414*) and Z2 (everything). A generalisation is "
                "k-minimal if at most MaxSup records are in classes below k, and this is true of none below it. "
                "%(count)s strategies lead from R0Z0 to R1Z2."
            )
            % {"count": len(paths_to_top(top))},
        ],
        claims(results),
        [PrintedItem("–", _("The eleven rows, published at k = 2"), Verdict.HOLDS, made), *cases],
        sections(results),
    )


def claims(results: Results) -> list[Claim]:
    plain, *others = results.joined
    same = len({(row.classes, round(row.ncp, 4), row.hasr) for row in others}) == 1
    return [
        judge_claim(
            _("A table with k = 2 can still tell somebody's value: classes with one value only."),
            _("%(share)s of the %(classes)s classes (HASR %(single)s/%(classes)s).")
            % {
                "share": percent(plain.hasr),
                "classes": plain.classes,
                "single": round(plain.hasr * plain.classes),
            },
            plain.hasr > 0,
            _("k counts records, not values."),
        ),
        judge_claim(
            _("l-diversity (entropy, recursive), t-closeness and a bound on breaches prevent it."),
            _("All five join the rows to %(classes)s classes, NCP %(ncp)s, HASR 0.")
            % {"classes": others[0].classes, "ncp": four_decimals(others[0].ncp)},
            same and not any(row.hasr for row in others),
            _("On these eleven rows all five criteria have the same best classes."),
        ),
        Claim(
            _("Perfect privacy: a class changes nothing of what is believed, L = 0."),
            _("L is %(plain)s bits at k = 2 and %(diverse)s bits at l = 2.")
            % {"plain": four_decimals(plain.leaked), "diverse": four_decimals(others[0].leaked)},
            Verdict.BEYOND,
            _(
                "The notes' own example cannot be had here; on the eleven rows no criterion makes privacy perfect."
            ),
        ),
        *(
            judge_claim(
                _("k-minimal: %(case)s.") % {"case": _case_title(case)},
                ", ".join(sorted(minimal_node_names(results, case))),
                has_printed_minima(results, case),
                _("Every generalisation of the lattice was tried."),
            )
            for case in CASES
        ),
    ]


def minimal_node_names(results: Results, case: LatticeCase) -> set[str]:
    return {node.name for node in select_case_nodes(case, results.nodes) if node.minimal}


def has_printed_minima(results: Results, case: LatticeCase) -> bool:
    return minimal_node_names(results, case) == PRINTED[case.name, case.k, case.most]


def sections(results: Results) -> list[Section]:
    numbered = columns_by_position([_("row"), *HEAD])
    return [
        Section(
            _("The eleven rows"),
            [
                _(
                    "L = max(H(V,S) - H(V,S,E)) is read as the largest fall of the entropy of a person's problem S, in "
                    "bits, for somebody who learns the person's class E."
                )
            ],
            tables=[
                Table(
                    _("The eleven rows, published at k = 2"),
                    numbered,
                    [[number, *row] for number, row in enumerate(ROWS, 1)],
                ),
                Table(
                    _("What further criteria cost"),
                    [
                        (_("criterion"), "criterion"),
                        (_("classes"), "classes"),
                        ("NCP", "ncp:.4f"),
                        ("HASR", "hasr:.1%"),
                        (_("L, bits"), "leaked:.4f"),
                    ],
                    results.joined,
                ),
                Table(
                    _("The eleven rows at l = 2"),
                    numbered,
                    [[number, *row] for number, row in enumerate(results.joined[1].rows, 1)],
                ),
            ],
        ),
        Section(
            _("The lattice of race and ZIP"),
            figures=[lattice_figure(case, select_case_nodes(case, results.nodes)) for case in CASES],
            tables=[
                Table(
                    _case_title(case),
                    [
                        (_("generalisation"), "name"),
                        (_("distance vector"), lambda node: list(node.distance)),
                        (_("classes"), lambda node: ", ".join(map(str, node.sizes))),
                        (_("below k"), "below"),
                        (_("k-minimal"), "minimal"),
                    ],
                    select_case_nodes(case, results.nodes),
                    file="lattice",
                )
                for case in CASES
            ],
        ),
    ]


def lattice_figure(case: LatticeCase, candidates: Sequence[LatticeNode]) -> Lattice:
    """Draws the lattice of generalisations as boxes, from the original table up to the most general one."""
    top = max(node.distance for node in candidates)
    names = {node.distance: node.name for node in candidates}
    return Lattice(
        _case_title(case),
        _(
            "below each name: records in classes below k; coloured: k-minimal; dashed: more than MaxSup are below k"
        ),
        {
            node.name: Box(
                (f"{node.name} {list(node.distance)}", str(node.below)),
                node.height,
                node.minimal,
                not node.admitted,
            )
            for node in candidates
        },
        [(name, names[above]) for distance, name in names.items() for above in nodes_above(distance, top)],
    )


def _case_title(case: LatticeCase) -> str:
    names = {"twelve rows": _("twelve rows"), "nine rows": _("nine rows")}
    return f"{names[case.name]}, k = {case.k}, MaxSup = {case.most}"
