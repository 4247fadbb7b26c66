"""Builds the page of document 001, notes on k-anonymity: judgements, eleven example rows, generalisation lattice."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp

from django.utils.translation import gettext as _

from papers.csv_and_example_tables import cell_includes_value, csv_from_rows, four_decimals, percent
from papers.document_structure import (
    Document,
    Judgement,
    OwnData,
    Reproduction,
    ReproductionOptions,
    Section,
    Table,
    Verdict,
    columns_by_position,
    in_part_if,
    judge,
)
from papers.k_anonymity import attacks_and_beliefs
from papers.k_anonymity.eleven_example_rows import HEAD, ROWS, CriterionResult, apply_criteria, entropy
from papers.k_anonymity.lattice import (
    CASES,
    LatticeCase,
    LatticeNode,
    all_nodes,
    paths_to_top,
    record_distances,
    select_case_nodes,
)
from papers.publishing import medical_table_linkage
from papers.svg_figures import Box, Lattice
from privacy.anonymity.searches.lattice import nodes_above
from privacy.guarantee.amplification import worst_posterior

PUBLISHED = {
    "001-samarati-2": {"R0Z1", "R1Z0"},
    "001-samarati-3": {"R0Z2", "R1Z0"},
    "001-samarati-suppress-none": {"R0Z2", "R1Z1"},
    "001-samarati-suppress-two": {"R0Z1", "R1Z0"},
}
"""Published k-minimal generalisations of Samarati's example tables, in the order of CASES."""
PERSON = {"chest pain": Fraction(1, 2), "obesity": Fraction(1, 4), "short breath": Fraction(1, 4)}
ANYBODY = {"chest pain": Fraction(5, 11), "obesity": Fraction(2, 11), "short breath": Fraction(2, 11)}
"""f(s | q) of a person, and f(s | q*) of the others of the class of five at l = 2."""


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
    return Document(
        "k-anonymity",
        "Na Wenqi",
        "2019",
        ("001", "yu-2016", "sweeney-2002", "samarati-2001", "machanavajjhala-2006", "li-2007"),
        [
            _(
                "The document is reading notes on four works. Eleven rows of race, birth, sex, ZIP and "
                "problem, published at k = 2, are its only table; and what l-diversity, t-closeness and a "
                "bound on breaches, kept by the product's tree, join them to."
            ),
            _(
                "The lattice of race and ZIP: the domains of race are R0 (asian, black, white) and R1 "
                "(everything); of ZIP Z0 (94138, 94139, 94141, 94142), Z1 (9413*, 9414*) and Z2 "
                "(everything). A generalisation is k-minimal if at most MaxSup records are in classes "
                "below k, and this is true of none below it. %(count)s strategies lead from R0Z0 to R1Z2."
            )
            % {"count": len(paths_to_top(top))},
        ],
        [
            *judgements_of_criteria(results),
            *judgements_of_attacks(results),
            *judgements_of_measures(results),
            *judgements_of_lattice(results),
        ],
        sections(results),
        [
            OwnData(_("A table that keeps k, l, t or ρ:"), "candor anonymize TABLE.csv SPEC.json -o OUT.csv"),
            OwnData(
                _("The lattice of a table's own hierarchies, drawn:"),
                "candor lattice TABLE.csv SPEC.json --svg",
            ),
            OwnData(
                _("All of these attacks on a release:"),
                "candor attack RELEASE.csv SPEC.json --register R.csv --beside OTHER.csv --ruled-out 1",
            ),
            OwnData(_("Releases of tables, with their attacks"), page="releases:index"),
        ],
    )


def judgements_of_criteria(results: Results) -> Iterator[Judgement]:
    """Judges what the document says of k-anonymity and of each further criterion."""
    plain, diverse, entropic, recursive, close, bounded = results.joined
    smallest = min(Counter(row[:-1] for row in ROWS).values())
    linked = attacks_and_beliefs.attack_eleven_rows(plain.rows)["register"]
    learned = linked["learned"]["problem"]["count"]
    risks = {name: percent(linked["journalist"][name]) for name in ("worst", "mean")}
    yield judge("001-k", smallest == 2, least=smallest, risk=risks["worst"], mean=risks["mean"])
    yield judge("001-k-not-enough", learned > 0, learned=learned)
    yield judge("001-definition", smallest >= 2, broken=0, classes=plain.classes)
    kept = all(row.classes == 3 and not row.hasr for row in results.joined[1:])
    yield judge("001-l", in_part_if(kept), classes=diverse.classes)
    joined = {"before": plain.classes, "after": diverse.classes, "ncp": four_decimals(diverse.ncp)}
    yield judge("001-granularity", Verdict.BEYOND, **joined)
    costs = {"ncp": four_decimals(close.ncp), "leaked": four_decimals(close.leaked)}
    yield judge("001-t", kept, classes=close.classes, **costs)
    yield judge("001-9", kept, classes=entropic.classes)
    yield judge("001-recursive", kept, classes=recursive.classes)
    yield judge(
        "001-bayes-optimal", in_part_if(kept), classes=bounded.classes, ncp=four_decimals(bounded.ncp)
    )
    bits = entropy([row[-1] for row in ROWS])
    yield judge("001-entropy-of-table", bits >= 1, bits=four_decimals(bits))
    rare = attacks_and_beliefs.kullback_leibler_bits
    both, none = rare((0.5, 0.5), (0.01, 0.99)), rare((0, 1), (0.01, 0.99))
    yield judge("001-l-adverse", both > none, bits=f"{both:.2f}", none=f"{none:.2f}")
    after = worst_posterior(Fraction(exp(1)), Fraction(1, 2))
    yield judge("001-differential", after < Fraction(3, 4), after=percent(float(after)))
    broken = attacks_and_beliefs.classes_below_multi_attribute_diversity()
    yield judge("001-multi", broken > 0, broken=broken)
    cells = [
        cell_includes_value(cell, value) if value.isdecimal() else cell in (value, "*")
        for row, shown in zip(ROWS, diverse.rows, strict=True)
        for value, cell in zip(row[:-1], shown, strict=False)
    ]
    yield judge("001-generalised", all(cells), cells=len(cells))
    sizes = Counter(row[:-1] for row in ROWS).values()
    yield judge("001-figure-1", min(sizes) >= 2, classes=len(sizes), sizes=", ".join(map(str, sizes)))


def judgements_of_attacks(results: Results) -> Iterator[Judgement]:
    attacked = [attacks_and_beliefs.attack_eleven_rows(row.rows) for row in results.joined[:2]]
    plain, diverse = (attack["homogeneity"]["problem"] for attack in attacked)
    told = plain["classes"] > 0 == diverse["classes"]
    yield judge("001-homogeneity", told, classes=plain["classes"], records=plain["records"])
    excluded = [percent(attack["ruled_out"]["columns"]["problem"]["worst"]) for attack in attacked]
    yield judge("001-background", excluded[0] != percent(0), plain=excluded[0], diverse=excluded[1])
    yield judge("001-l-instead", in_part_if(not diverse["classes"]), diverse=excluded[1])
    linked = attacked[0]["register"]
    learned = linked["learned"]["problem"]["count"]
    yield judge("001-linkage", learned > 0, found=linked["found"]["count"], learned=learned)
    names = medical_table_linkage.make_releases().plain.identified_people
    yield judge("001-formal-quasi-identifier", len(names) == 1, names=", ".join(names))
    ordered, shuffled = (attacks_and_beliefs.join_medical_releases(reverse) for reverse in (False, True))
    words = {
        name: _("yes") if of["same_order"] else _("no")
        for name, of in (("ordered", ordered), ("reversed", shuffled))
    }
    hidden = ordered["same_order"] and not shuffled["same_order"]
    yield judge("001-unsorted", in_part_if(hidden), alone=shuffled["alone"], **words)
    yield judge("001-complementary", shuffled["alone"] > 0, alone=shuffled["alone"])
    later = attacks_and_beliefs.join_releases_of_two_times()["alone"]
    yield judge("001-temporal", later > 0, alone=later)
    yield judge("001-87", Verdict.NOT_PUBLIC)


def judgements_of_measures(results: Results) -> Iterator[Judgement]:
    """Judges formulas (1) to (5) and (7), (8), theorem 3.1 and (rho1, rho2), on the eleven rows."""
    ways = attacks_and_beliefs.join_classes_in_all_ways()
    (five,), (one,) = ([way for way in ways if way.classes == count] for count in (5, 1))
    plain, diverse = results.joined[:2]
    three = next(way for way in ways if way.classes == 3 and abs(way.distortion - diverse.ncp) < 1e-9)
    d1, d2 = (attacks_and_beliefs.least_distortion(ways, most) for most in (1, 0.5))
    bits = [four_decimals(way.information) for way in (five, three, one)]
    ncp = four_decimals(three.distortion)
    yield judge("001-1", True, ncp=ncp, years=four_decimals(three.years))
    yield judge("001-2", True, information=bits[1])
    yield judge("001-3", bits[0] > bits[1] > bits[2], five=bits[0], three=bits[1], one=bits[2])
    distortions = {"d1": four_decimals(d1.distortion), "d2": four_decimals(d2.distortion)}
    yield judge("001-4", d1.distortion < d2.distortion, ways=len(ways), **distortions)
    kl = attacks_and_beliefs.kullback_leibler_bits(*attacks_and_beliefs.SAME_MOMENTS)
    yield judge("001-kl", kl < 1e-9, bits=f"{kl:.1f}")
    yield judge("001-perfect", one.information == one.worst == 0, one=bits[2], five=bits[0])
    worst = {"plain": four_decimals(plain.leaked), "diverse": four_decimals(diverse.leaked)}
    means = {"mean_plain": bits[0], "mean_diverse": bits[1]}
    yield judge("001-5", in_part_if(plain.leaked > diverse.leaked), **worst, **means)
    of_plain, of_diverse = (attacks_and_beliefs.beliefs(row.rows) for row in (plain, diverse))
    priors = [before for before, _after in of_plain]
    yield judge("001-7", True, least=min(priors), most=max(priors))
    after, joined = ([after for _before, after in of] for of in (of_plain, of_diverse))
    ends = {"plain_least": min(after), "plain_most": max(after)}
    yield judge("001-8", True, **ends, diverse_least=min(joined), diverse_most=max(joined))
    told = {"sure": after.count(Fraction(1)), "excluded": after.count(Fraction(0))}
    told |= {"sure2": joined.count(Fraction(1)), "excluded2": joined.count(Fraction(0))}
    yield judge("001-negative", told["sure"] > 0 == told["sure2"], **told)
    one_class = attacks_and_beliefs.beliefs([["*", row[-1]] for row in plain.rows])
    changed = {
        name: sum(prior != posterior for prior, posterior in of)
        for name, of in (("one", one_class), ("plain", of_plain), ("diverse", of_diverse))
    }
    yield judge("001-uninformative", changed["one"] == 0, **changed)
    yield judge("001-distinct", max(joined) > Fraction(1, 2), most=percent(float(max(joined)), 0))
    values = [*["chest pain"] * 3, "obesity", "short breath"]
    counted = attacks_and_beliefs.posterior_by_counting(values, PERSON, ANYBODY, "obesity")
    stated = attacks_and_beliefs.posterior_by_theorem(values, PERSON, ANYBODY, "obesity")
    yield judge("001-theorem", in_part_if(counted == stated), both=f"{counted} {stated}")
    limits = Fraction(1, 5), Fraction(3, 5)
    up, down, printed = attacks_and_beliefs.count_breaches(plain.rows, *limits)
    *proper, of_joined = attacks_and_beliefs.count_breaches(diverse.rows, *limits)
    rho = in_part_if(up > 0 and not any(proper))
    yield judge("001-rho", rho, up=up, down=down, printed=printed, diverse=of_joined)


def judgements_of_lattice(results: Results) -> Iterator[Judgement]:
    by_case = [select_case_nodes(case, results.nodes) for case in CASES]
    twelve, _three, nine, _suppressing = by_case
    nodes, top = len(twelve), max(node.distance for node in twelve)
    edges = sum(len(nodes_above(node.distance, top)) for node in twelve)
    paths = len(paths_to_top(top))
    yield judge("001-hierarchy", top == (1, 2))
    yield judge("001-partition", top == (1, 2))
    yield judge("001-figure-2", Verdict.NOT_PUBLIC)
    yield judge("001-lattice", nodes == 2 * 3, nodes=nodes)
    yield judge("001-figure-3", Verdict.NOT_PUBLIC, nodes=nodes, edges=edges)
    yield judge("001-strategy", in_part_if(paths == 3), paths=paths)
    yield judge("001-figure-4", Verdict.NOT_PUBLIC, paths=paths)
    vectors = {row.records: list(row.distance) for row in record_distances()}
    yield judge("001-vectors", vectors[1, 2] <= vectors[1, 6], near=vectors[1, 2], far=vectors[1, 6])
    yield judge("001-figure-5", Verdict.NOT_PUBLIC, nodes=nodes)
    strict = sum(node.minimal for node in twelve)
    as_printed = len(attacks_and_beliefs.minimal_nodes_as_printed(twelve))
    yield judge("001-minimal", in_part_if(strict > 0 == as_printed), strict=strict, printed=as_printed)
    heights = [min(node.height for node in case if node.minimal) for case in by_case[2:]]
    yield judge("001-suppression", heights == [2, 1])
    most = [attacks_and_beliefs.most_records_that_keep_k(node, 2) for node in nine]
    least = [sum(node.sizes) - node.below for node in nine]
    yield judge("001-6", in_part_if(most == least), nodes=len(nine), subsets=2 ** sum(nine[0].sizes) - 1)
    for (key, published), case in zip(PUBLISHED.items(), by_case, strict=True):
        found = {node.name for node in case if node.minimal}
        yield judge(key, found == published, found=", ".join(sorted(found)))


def sections(results: Results) -> list[Section]:
    numbered = columns_by_position([_("row"), *HEAD])
    return [
        Section(
            _("The eleven rows"),
            [
                _(
                    "L = max(H(V|S) - H(V|S, E)) is read as the largest fall of the entropy of a person's "
                    "problem V, in bits, for somebody who learns the person's class E."
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
            "below each name: records in classes below k; coloured: k-minimal; dashed: more than MaxSup "
            "are below k"
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
