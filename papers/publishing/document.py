"""Builds the page of document 003, publishing tables: claims, methods on Adult, a medical table
with a register."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from django.utils.translation import gettext as _

from papers.csv_and_example_tables import csv_from_rows, four_decimals, percent, read_csv, read_csv_rows
from papers.document_structure import (
    Claim,
    Document,
    PrintedItem,
    Reproduction,
    ReproductionOptions,
    Section,
    Slider,
    Table,
    Verdict,
    columns_by_position,
    judge_claim,
)
from papers.publishing import medical_table_linkage
from papers.publishing.adult_data import DIVERSITY, KS, SEED, adult_specification, adult_table
from papers.publishing.adult_experiments import (
    BOTTOM_UP,
    ILP,
    KACLUK,
    TREE,
    AnonymisedAdult,
    AnonymisedForm,
    Seconds,
    run_experiments,
)
from papers.publishing.kacluk_and_ilp import CLUSTERS, Integers, column_weights, k_means_clusters
from papers.publishing.medical_table_linkage import MedicalReleases, Release
from papers.svg_figures import Figure, curve_without_whiskers
from privacy.anonymity.information_loss import utility_matrix
from privacy.anonymity.tables.table import Table as DataTable

METHODS = (BOTTOM_UP, KACLUK, ILP)
NAMES = {BOTTOM_UP: "bottom-up", KACLUK: "KACLUK", ILP: "ILP"}
SLIGHTLY = 0.1
"""Largest relative increase of a penalty that the page calls slightly larger."""
EQUAL = 0.02
NEARLY_NONE = 0.02
"""Largest HASR (share of classes with one sensitive value) that the page calls about 0."""
Value = Callable[[AnonymisedAdult], float]


@dataclass(frozen=True)
class Results:
    """All results of the page: `weights` by column, `clusters` of the sensitive values by KACLUK."""

    records: int
    medical: MedicalReleases
    weights: dict[str, float]
    values: Sequence[str]
    clusters: Integers
    rows: Sequence[AnonymisedAdult]
    seconds: Seconds

    def method_rows(self, method: str, form: AnonymisedForm = AnonymisedForm.PLAIN) -> list[AnonymisedAdult]:
        return [row for row in self.rows if (row.method, row.form) == (method, form.value)]


def reproduce(options: ReproductionOptions) -> Reproduction:
    """Reproduces the document: returns its page and tables.

    The experiments on Adult take a minute, so their numbers are stored.
    """
    table = adult_table()
    stored = options.stored or csv_tables(*run_experiments(table, KS, options.say))
    rows = read_csv_rows(AnonymisedAdult, stored["adult"])
    lines = read_csv(stored["seconds"])
    seconds = {(line["method"], int(line["k"])): float(line["seconds"]) for line in lines}
    results = compute_results(table, options, rows, seconds)
    return Reproduction(lambda: document(results), stored)


def csv_tables(rows: Sequence[AnonymisedAdult], seconds: Seconds) -> dict[str, str]:
    spent = ({"method": method, "k": k, "seconds": value} for (method, k), value in seconds.items())
    return {"adult": csv_from_rows(rows), "seconds": csv_from_rows(spent)}


def compute_results(
    table: DataTable, options: ReproductionOptions, rows: Sequence[AnonymisedAdult], seconds: Seconds
) -> Results:
    occurring = np.unique(table.sensitive[0].codes)
    matrix = utility_matrix(table, adult_specification(weights="data"))[occurring]
    return Results(
        table.records,
        medical_table_linkage.make_releases(),
        dict(zip((column.name for column in table.quasi), column_weights(matrix).tolist(), strict=True)),
        [table.sensitive[0].texts[code] for code in occurring],
        k_means_clusters(matrix, CLUSTERS),
        rows,
        seconds,
    )


def document(results: Results) -> Document:
    judgements = claims(results)
    _found, time, slight, _kacluk, _equal, hasr, _raised, _diverse = judgements
    distorted = all(
        row.homogeneous <= plain.homogeneous
        for row, plain in zip(
            results.method_rows(ILP, AnonymisedForm.DISTORTED), results.method_rows(ILP), strict=True
        )
    )
    changed = _("Changed values bring HASR down as far as classes of k records allow.")
    numbered = (
        (5, _("Running time, as multiples of KACLUK's"), time.verdict, time.reason),
        (6, _("The penalty with weights from the data"), slight.verdict, slight.reason),
        (7, _("HASR: classes with one sensitive value"), hasr.verdict, hasr.reason),
        (
            8,
            _("Distortion: what ILP's changed values do"),
            Verdict.HOLDS if distorted else Verdict.FAILS,
            changed,
        ),
    )
    curves = _("The document prints curves only; the claim about it is judged above.")
    return Document(
        "003",
        "publishing",
        "Zhu, Zhao, Wang",
        "2010",
        ("003", "xu-2006", "li-2008", "byun-2007"),
        [
            _(
                "Methods that anonymise, on the %(records)s complete records of Adult (papers/publishing/adult.md): "
                "eight quasi-identifiers, occupation sensitive. Plain: classes of at least k records, whatever "
                "their values. Distorted: ILP then gives random records another value of their cluster until a "
                "class has %(least)s. Diverse: classes are joined until each has %(least)s values."
            )
            % {"records": f"{results.records:,}", "least": DIVERSITY},
            _(
                "ILP and KACLUK are as printed: one weight a column, sensitive values clustered by the L1 distance "
                "of their rows of the utility matrix. KACLUK merges classes below k with a random partner of the "
                "same of %(clusters)s clusters (the clusters in which most starts of k-means end; seed %(seed)s). "
                "The product's k-member, which earlier versions called KACLUK, is another method."
            )
            % {"clusters": CLUSTERS, "seed": SEED},
        ],
        judgements,
        [
            *(
                PrintedItem(
                    _("Figure %(number)s") % {"number": number}, subject, verdict, f"{reason} {curves}"
                )
                for number, subject, verdict, reason in numbered
            ),
            PrintedItem(
                "–",
                _("Figures 1 to 4 and the tables of the document"),
                Verdict.UNAVAILABLE,
                _("Of them the medical table and the register are in the repository, without their numbers."),
            ),
        ],
        sections(results),
        [
            _(
                "Queries that are answered live; differential, membership and identifiability privacy of tables."
            )
        ],
    )


def claims(results: Results) -> list[Claim]:
    bottom_up, kacluk, ilp = map(results.method_rows, METHODS)
    more = [own.ncp / merged.ncp - 1 for own, merged in zip(ilp, bottom_up, strict=True)]
    above = all(
        row.ncp > max(own.ncp, merged.ncp) for row, own, merged in zip(kacluk, ilp, bottom_up, strict=True)
    )
    apart = max(
        max(at_k) / min(at_k) - 1
        for at_k in zip(
            *([row.discernibility for row in rows] for rows in (bottom_up, kacluk, ilp)), strict=True
        )
    )
    later = [row for rows in (bottom_up, kacluk, ilp) for row in rows if row.k > 10]
    first = [rows[0].homogeneous for rows in (bottom_up, kacluk, ilp)]
    last = max(row.homogeneous for row in later) if later else 0.0
    diverse = [row for method in METHODS for row in results.method_rows(method, AnonymisedForm.DIVERSE)]
    ks = [row.k for row in ilp if row.k > 5]
    ordered = all(
        results.seconds[KACLUK, k] * 5 < results.seconds[ILP, k] < results.seconds[BOTTOM_UP, k] for k in ks
    )
    raised = [row.homogeneous for row in ilp], [row.homogeneous for row in bottom_up]
    return [
        judge_claim(
            _("One person of the register is found in the medical table."),
            _("Found: %(names)s, %(problem)s.")
            % {
                "names": ", ".join(results.medical.plain.identified_people),
                "problem": ", ".join(
                    medical_table_linkage.MEDICAL[results.medical.plain.linked[name][0] - 1][-1]
                    for name in results.medical.plain.identified_people
                ),
            },
            len(results.medical.plain.identified_people) == 1,
            _("One record fits this person, and it fits nobody else of the register."),
        ),
        judge_claim(
            _("Time: KACLUK far below ILP, ILP below bottom-up, for k > 5."),
            _(
                "In this order, KACLUK at less than a fifth of ILP (processor time; seconds: ./run bench "
                "publishing)."
            ),
            ordered,
            _("KACLUK draws its partners at random, the others search for the best one."),
        ),
        judge_claim(
            _("The penalty of ILP is slightly above that of bottom-up."),
            _("%(least)s to %(most)s above.")
            % {"least": percent(min(more), 0), "most": percent(max(more), 0)},
            max(more) <= SLIGHTLY,
            _("At most a tenth above at every k."),
            _("Merging within clusters of sensitive values leaves fewer partners."),
        ),
        judge_claim(
            _("The penalty of KACLUK is clearly above both."),
            _("NCP %(figures)s at k = %(ks)s.")
            % {
                "figures": " / ".join(f"{row.ncp:.3f}" for row in kacluk),
                "ks": ", ".join(str(row.k) for row in kacluk),
            },
            above,
            _("Random partners of a cluster have little in common."),
        ),
        judge_claim(
            _("Discernibility is about equal."),
            _("At each k within %(apart)s.") % {"apart": percent(ceil(1000 * apart) / 1000)},
            apart <= EQUAL,
            _("It depends on the sizes of the classes alone."),
        ),
        judge_claim(
            _("HASR is high at k = 2 and about 0 above k = 10."),
            _("%(first)s at k = 2 (bottom-up, KACLUK, ILP); at most %(last)s above k = 10.")
            % {"first": ", ".join(map(percent, first)), "last": percent(last)},
            min(first) > 5 * last and last <= NEARLY_NONE,
            _("Many values rarely all agree by chance."),
        ),
        judge_claim(
            _("Clustering the sensitive values raises HASR."),
            _("ILP has more than bottom-up at every k."),
            all(after > before for after, before in zip(*raised, strict=True)),
            _("Partners within a cluster have alike values."),
        ),
        judge_claim(
            _("After 3-diversity HASR is 0."),
            _("0 for every method and k; at k = 2 only in classes of more than two records."),
            not any(row.homogeneous for row in diverse),
            _("A class with three values cannot have one."),
        ),
    ]


def figures(results: Results) -> list[Figure]:
    """Builds figures 5 to 8 of the document, and figures of our own."""
    ours = results.method_rows(TREE, AnonymisedForm.DIVERSE)
    ks = [row.k for row in results.method_rows(ILP)]

    def figure_by_method(
        title: str, up: str, value: Value, form: AnonymisedForm, logarithmic: bool = False
    ) -> Figure:
        curves = [
            curve_without_whiskers(name, list(map(value, results.method_rows(method, form))))
            for method, name in NAMES.items()
        ]
        curves.append(curve_without_whiskers(_("tree (ours, l = 3)"), list(map(value, ours))))
        return Figure(title, "k", up, ks, curves, logarithmic=logarithmic, apart=0)

    multiples = [
        curve_without_whiskers(name, [results.seconds[method, k] / results.seconds[KACLUK, k] for k in ks])
        for method, name in NAMES.items()
    ]
    distortion = [
        curve_without_whiskers(_("HASR, plain"), [row.homogeneous for row in results.method_rows(ILP)]),
        curve_without_whiskers(
            _("HASR, distorted"),
            [row.homogeneous for row in results.method_rows(ILP, AnonymisedForm.DISTORTED)],
        ),
        curve_without_whiskers(
            _("share changed"), [row.falsified for row in results.method_rows(ILP, AnonymisedForm.DISTORTED)]
        ),
    ]
    time = _("multiple of KACLUK's processor time")
    one_value = _("Figure 7: classes with one sensitive value, plain")
    sizes = _("sum of squared sizes")
    return [
        Figure(_("Figure 5: running time, plain"), "k", time, ks, multiples, logarithmic=True, apart=0),
        figure_by_method(
            _("Figure 6: penalty with weights from the data, plain"),
            _("penalty"),
            lambda row: row.ilp,
            AnonymisedForm.PLAIN,
        ),
        figure_by_method(one_value, "HASR", lambda row: row.homogeneous, AnonymisedForm.PLAIN),
        Figure(_("Figure 8: what ILP's changed values do"), "k", _("share"), ks, distortion, apart=0),
        figure_by_method(
            _("Penalty with equal weights, plain"), "NCP", lambda row: row.ncp, AnonymisedForm.PLAIN
        ),
        figure_by_method(
            _("Discernibility, plain"),
            sizes,
            lambda row: row.discernibility,
            AnonymisedForm.PLAIN,
            logarithmic=True,
        ),
        figure_by_method(
            _("Penalty where every class has 3 values"), "NCP", lambda row: row.ncp, AnonymisedForm.DIVERSE
        ),
    ]


def sections(results: Results) -> list[Section]:
    numbered = columns_by_position([_("record"), *medical_table_linkage.HEAD])
    values = {
        int(cluster): ", ".join(np.array(results.values)[results.clusters == cluster])
        for cluster in np.unique(results.clusters)
    }
    on_adult = [
        Table(
            _("The methods on Adult"),
            [
                ("k", "k"),
                (_("method"), "method"),
                (_("variant"), "form"),
                (_("classes"), "classes:,"),
                (_("largest"), "largest"),
                ("NCP", "ncp:.4f"),
                ("ILP", "ilp:.4f"),
                (_("discernibility"), "discernibility:,"),
                ("HASR", "homogeneous:.2%"),
                (_("classes below l"), "lacking:.2%"),
                (_("changed"), "falsified:.2%"),
            ],
            results.rows,
            _(
                "NCP has unit weights, ILP those from the data. Classes of two records cannot have three values, "
                "whatever is changed. KACLUK's classes have k to 2k records, but for one or two of a cluster that a "
                "class without a partner joined."
            ),
            "adult",
        ),
        Table(
            _("ILP's weight of each column"),
            [(name, f"{name}:.4f") for name in results.weights],
            [results.weights],
        ),
        Table(
            _("KACLUK's clusters of the sensitive values"),
            columns_by_position([_("cluster"), _("values")]),
            sorted(values.items()),
        ),
    ]
    releases = (results.medical.plain, results.medical.anonymous, results.medical.diverse)
    on_medical = [
        Table(_("The medical table"), numbered, _numbered_rows(medical_table_linkage.MEDICAL)),
        Table(
            _("The register, and the records that each person fits"),
            columns_by_position([*medical_table_linkage.KNOWN, _("as it is"), "k = 2", "l = 2"]),
            [
                [
                    *person,
                    *(", ".join(map(str, release.linked[person[0]])) or _("none") for release in releases),
                ]
                for person in medical_table_linkage.REGISTER
            ],
        ),
        Table(
            _("The medical table at k = 2"),
            numbered,
            _numbered_rows(results.medical.anonymous.rows),
            _release_costs_text(results.medical.anonymous),
        ),
        Table(
            _("The medical table at l = 2"),
            numbered,
            _numbered_rows(results.medical.diverse.rows),
            f"{_release_costs_text(results.medical.diverse)} "
            + _("Somebody who has both releases has the records %(records)s alone.")
            % {"records": ", ".join(map(str, results.medical.alone))},
        ),
    ]
    return [
        Section(
            _("The methods on Adult"), figures=figures(results), tables=on_adult, sliders=[_k_slider(results)]
        ),
        Section(_("The medical table and the register"), tables=on_medical),
    ]


def _k_slider(results: Results) -> Slider:
    rows = [results.method_rows(method) for method in METHODS] + [
        results.method_rows(TREE, AnonymisedForm.DIVERSE)
    ]
    return Slider(
        _("The penalty at each k"),
        ["k", *NAMES.values(), _("tree (ours, l = 3)")],
        [[at_k[0].k, *(row.ncp for row in at_k)] for at_k in zip(*rows, strict=True)],
        _("NCP of the plain forms, and of Candor's tree, which keeps l = 3."),
        2,
    )


def _release_costs_text(release: Release) -> str:
    return f"NCP {four_decimals(release.ncp)}, HASR {percent(release.hasr)}."


def _numbered_rows(rows: Sequence[Sequence[str]]) -> list[list[object]]:
    return [[number, *row] for number, row in enumerate(rows, 1)]
