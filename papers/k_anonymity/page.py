"""The page of document 001."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from papers.k_anonymity.eleven_rows import HEAD, ROWS, Joined
from papers.k_anonymity.lattice import CASES, LatticeCase, LatticeNode, of_case, strategies
from papers.k_anonymity.lattice_figure import lattice_svg
from papers.page import Claim, Drawing, Page, Table, judged
from papers.tables import decimal, percent

PRINTED = {
    ("twelve rows", 2, 0): {"R0Z1", "R1Z0"},
    ("twelve rows", 3, 0): {"R1Z0", "R0Z2"},
    ("nine rows", 2, 0): {"R0Z2", "R1Z1"},
    ("nine rows", 2, 2): {"R0Z1", "R1Z0"},
}
"""The k-minimal generalisations by name of the rows, k and MaxSup."""


@dataclass(frozen=True)
class Results:
    joined: Sequence[Joined]
    nodes: Sequence[LatticeNode]


def page(results: Results) -> Page:
    top = max(node.distance for node in results.nodes)
    return Page(
        _("001 k-anonymity"),
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
            % {"count": len(strategies(top))},
        ],
        claims(results),
        [Drawing(lattice_svg(_title(case), of_case(case, results.nodes))) for case in CASES],
        tables(results),
    )


def claims(results: Results) -> list[Claim]:
    plain, *others = results.joined
    same = len({(row.classes, round(row.ncp, 4), row.hasr) for row in others}) == 1
    return [
        judged(
            _("A table with k = 2 can still tell somebody's value: classes with one value only."),
            _("%(share)s of the %(classes)s classes (HASR %(single)s/%(classes)s).")
            % {
                "share": percent(plain.hasr),
                "classes": plain.classes,
                "single": round(plain.hasr * plain.classes),
            },
            plain.hasr > 0,
        ),
        judged(
            _("l-diversity (entropy, recursive), t-closeness and a bound on breaches prevent it."),
            _("All five join the rows to %(classes)s classes, NCP %(ncp)s, HASR 0.")
            % {"classes": others[0].classes, "ncp": decimal(others[0].ncp)},
            same and not any(row.hasr for row in others),
        ),
        *(
            judged(
                _("k-minimal: %(case)s.") % {"case": _title(case)},
                ", ".join(sorted(minimal(results, case))),
                minimal(results, case) == PRINTED[case.name, case.k, case.most],
            )
            for case in CASES
        ),
    ]


def minimal(results: Results, case: LatticeCase) -> set[str]:
    return {node.name for node in of_case(case, results.nodes) if node.minimal}


def tables(results: Results) -> list[Table]:
    return [
        Table(
            _("The eleven rows, published at k = 2"),
            [_("row"), *HEAD],
            [[number, *row] for number, row in enumerate(ROWS, 1)],
        ),
        Table(
            _("What further criteria cost"),
            [_("criterion"), _("classes"), "NCP", "HASR"],
            [[row.criterion, row.classes, decimal(row.ncp), percent(row.hasr)] for row in results.joined],
        ),
        Table(
            _("The eleven rows at l = 2"),
            [_("row"), *HEAD],
            [[number, *row] for number, row in enumerate(results.joined[1].rows, 1)],
        ),
        *(
            Table(
                _title(case),
                [_("generalisation"), _("distance vector"), _("classes"), _("below k"), _("k-minimal")],
                [
                    [
                        node.name,
                        str(list(node.distance)),
                        ", ".join(map(str, node.sizes)),
                        node.below,
                        _("yes") if node.minimal else _("no"),
                    ]
                    for node in of_case(case, results.nodes)
                ],
                file="lattice",
            )
            for case in CASES
        ),
    ]


def _title(case: LatticeCase) -> str:
    names = {"twelve rows": _("twelve rows"), "nine rows": _("nine rows")}
    return f"{names[case.name]}, k = {case.k}, MaxSup = {case.most}"
