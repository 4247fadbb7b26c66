"""Builds the page of document 003, publishing tables: judgements, methods on Adult, a medical table
with a register."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log2
from operator import attrgetter

import numpy as np
from django.utils.translation import gettext as _

from papers.csv_and_example_tables import (
    cell_includes_value,
    csv_from_rows,
    four_decimals,
    make_specification,
    make_table,
    percent,
    read_csv,
    read_csv_rows,
)
from papers.document_structure import (
    Document,
    Judgement,
    OwnData,
    Reproduction,
    ReproductionOptions,
    Section,
    Slider,
    Table,
    Verdict,
    columns_by_position,
    in_part_if,
    judge,
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
from papers.publishing.medical_table_linkage import MedicalReleases, Release
from papers.publishing.published_ilp import Integers, column_weights
from papers.svg_figures import Figure, curve_without_whiskers
from privacy.anonymity.information_loss import utility_matrix
from privacy.anonymity.searches.kacluk import CLUSTERS, k_means_clusters
from privacy.anonymity.searches.sensitive_value_clustering import absolute_distances, constrained_clusters
from privacy.anonymity.tables.specification import LEVELS
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
    return Document(
        "publishing",
        "Zhu, Zhao, Wang",
        "2010",
        ("003", "xu-2006", "li-2008", "byun-2007"),
        [
            _(
                "Methods that anonymise, on the %(records)s complete records of Adult "
                "(papers/publishing/adult.md): eight quasi-identifiers, occupation sensitive. Plain: "
                "classes of at least k records, whatever their values. Distorted: ILP then gives random "
                "records another value of their cluster until a class has %(least)s. Diverse: classes are "
                "joined until each has %(least)s values."
            )
            % {"records": f"{results.records:,}", "least": DIVERSITY},
            _(
                "ILP and KACLUK are as printed: one weight a column, sensitive values clustered by the L1 "
                "distance of their rows of the utility matrix. KACLUK merges classes below k with a random "
                "partner of the same of %(clusters)s clusters (the clusters in which most starts of "
                "k-means end; seed %(seed)s). The product's k-member, which earlier versions called "
                "KACLUK, is another method."
            )
            % {"clusters": CLUSTERS, "seed": SEED},
        ],
        [
            *judgements_of_examples(results),
            *judgements_of_the_matrix(results),
            *judgements_of_classes(results),
            *judgements_of_times(results),
            *judgements_of_losses(results),
            *judgements_of_hasr(results),
        ],
        sections(results),
        [
            OwnData(
                _("Bottom-up, ILP, KACLUK and Candor's tree, by the method in the specification:"),
                "candor anonymize TABLE.csv SPEC.json -o OUT.csv",
            ),
            OwnData(_("Releases of tables"), page="releases:index"),
        ],
    )


def judgements_of_examples(results: Results) -> Iterator[Judgement]:
    """Judges the medical table, the register and the generalised cells."""
    medical = results.medical
    names = medical.plain.identified_people
    problems = [medical_table_linkage.MEDICAL[medical.plain.linked[name][0] - 1][-1] for name in names]
    betty = list(zip(names, problems, strict=True))
    is_found = betty == [("Betty", "AIDS")]
    for name in ("betty", "figure-3"):
        yield judge(f"003-{name}", is_found, found=betty)
    yield judge("003-figure-1", len(medical.plain.rows) == 6)
    yield judge("003-figure-2", is_found, found=len(names))
    cells = (("1230*", "12300"), ("20..30", "25"))
    yield judge("003-generalised", all(cell_includes_value(cell, value) for cell, value in cells))
    yield judge("003-figure-4", Verdict.NOT_PUBLIC)
    least = min(Counter(tuple(row[:-1]) for row in medical.anonymous.rows).values())
    yield judge("003-k", least >= 2, least=least)


def judgements_of_the_matrix(results: Results) -> Iterator[Judgement]:
    """Judges the utility matrix, distances, weights and clusters, on the medical table and on Adult."""
    specification = make_specification(
        medical_table_linkage.QUASI, sensitive=["problem"], k=2, weights="data"
    )
    table = make_table(specification, medical_table_linkage.HEAD, medical_table_linkage.MEDICAL)
    matrix = utility_matrix(table, specification)
    rows = dict(zip(table.sensitive[0].texts, matrix, strict=True))
    flu = [f"{share:.4f}" for share in rows["flu"]]
    by_hand = np.array([11 / 15, 1 / 2, 2 / 6])
    is_met = bool(np.allclose(rows["flu"], by_hand))
    yield judge("003-utility", is_met, age=flu[0], sex=flu[1], zip=flu[2])
    distance = float(absolute_distances(rows["flu"][None], rows["bronchitis"][None])[0, 0])
    yield judge("003-distance", abs(distance - 9 / 15) < 1e-9, distance=f"{distance:.4f}")
    weights = matrix[:, 0]
    shown, once = ", ".join(f"{weight:.4f}" for weight in weights), float(weights.sum() * 4 / 15)
    yield judge("003-ilp-number", is_met, weights=shown, penalty=f"{once:.4f}")
    twice = float((weights * once).sum())
    yield judge(
        "003-ilp-twice", in_part_if(twice != once), weights=shown, once=f"{once:.4f}", twice=f"{twice:.4f}"
    )
    of_sex = float(matrix[:, 1].sum())
    parts = {"numbers": once, "categories": of_sex, "both": once + of_sex}
    yield judge("003-ilp-record", in_part_if(is_met), **{name: f"{part:.4f}" for name, part in parts.items()})
    adult = adult_table()
    (work,) = (column for column in adult.quasi if column.name == "workclass")
    ends = sorted(work.texts.index(text) for text in ("Federal-gov", "Local-gov"))
    size = float(work.penalties(*(np.array([end]) for end in ends))[0]) * len(work.texts)
    counts = {"size": f"{size:g}", "all": len(work.texts), "occurring": work.distinct_values}
    yield judge("003-ilp-category", in_part_if(round(size) == 3), **counts)
    heaviest, lightest = (of(results.weights, key=results.weights.__getitem__) for of in (max, min))
    total = sum(results.weights.values())
    spread = {
        name: f"{results.weights[column]:.4f}" for name, column in (("least", lightest), ("most", heaviest))
    }
    spread |= {"low": lightest, "high": heaviest}
    yield judge("003-weights", in_part_if(abs(total - 1) < 1e-9), total=f"{total:g}", **spread)
    yield judge(
        "003-lower-is-more", in_part_if(results.weights[lightest] < results.weights[heaviest]), **spread
    )
    own = utility_matrix(adult, adult_specification(weights="data"))[np.unique(adult.sensitive[0].codes)]
    entries = {"least": f"{own.min():.3f}", "most": f"{own.max():.3f}"}
    yield judge("003-matrix-example", Verdict.NOT_PUBLIC, **entries)
    yield judge("003-levels", in_part_if(LEVELS == 5), levels=LEVELS)
    labels = constrained_clusters(own, DIVERSITY, absolute_distances)
    clusters, occurring = np.bincount(labels), np.unique(adult.sensitive[0].codes)
    records = np.bincount(labels[np.searchsorted(occurring, adult.sensitive[0].codes)])
    printed, mean = adult.records / len(own), float(records.mean())
    yield judge(
        "003-cluster-size",
        printed >= mean,
        printed=f"{printed:,.0f}",
        clusters=len(clusters),
        mean=f"{mean:,.0f}",
    )
    share = float((records**2).sum()) / adult.records**2
    yield judge("003-coefficient", share < 1, share=percent(share))
    sizes = ", ".join(map(str, clusters))
    is_bounded = len(clusters) == len(own) // DIVERSITY and int(clusters.min()) >= DIVERSITY
    yield judge("003-clusters", is_bounded, clusters=len(clusters), sizes=sizes)
    free = np.bincount(results.clusters)
    is_unbounded = int(free.min()) < DIVERSITY <= int(clusters.min())
    yield judge("003-no-limit", is_unbounded, kacluk=", ".join(map(str, free)), ilp=sizes)
    yield judge("003-adult", adult.records == 30_162, records=f"{adult.records:,}")
    yield judge(
        "003-columns", (len(adult.quasi), len(own)) == (8, 14), columns=len(adult.quasi), values=len(own)
    )


def records_after_rounds(k: int) -> tuple[int, int]:
    """Returns the records of a class after as many rounds as document 003 prints, and after one round more."""
    return 2 ** ceil(log2(k) - 1), 2 ** ceil(log2(k))


def pairs_compared(k: int) -> float:
    """Returns how many pairs of classes all rounds compare, in squares of the records, since classes double."""
    return sum(4.0**-done for done in range(ceil(log2(k))))


def judgements_of_classes(results: Results) -> Iterator[Judgement]:
    ilp, distorted = (
        results.method_rows(ILP, form) for form in (AnonymisedForm.PLAIN, AnonymisedForm.DISTORTED)
    )
    ks = ", ".join(str(row.k) for row in ilp)
    yield judge("003-steps", Verdict.IN_PART)
    largest = all(row.k <= row.largest <= 2 * row.k for row in ilp)
    yield judge("003-k-to-2k", largest, sizes=", ".join(str(row.largest) for row in ilp), ks=ks)
    rounds = {row.k: records_after_rounds(row.k) for row in ilp}
    shown = " ".join(f"{k} {printed} {more};" for k, (printed, more) in rounds.items())
    yield judge("003-rounds", all(printed >= k for k, (printed, _more) in rounds.items()), rounds=shown)
    yield judge("003-complexity", pairs_compared(50) <= ceil(log2(50)), pairs=f"{pairs_compared(50):.3f}")
    yield judge("003-log-k", Verdict.FAILS, rounds=ceil(log2(50)), pairs=f"{pairs_compared(50):.3f}")
    changed = ", ".join(percent(row.falsified) for row in distorted)
    at_5 = next(row for row in distorted if row.k == 5)
    yield judge("003-distortion", at_5.falsified > 0, changed=percent(at_5.falsified))
    yield judge("003-man", distorted[0].falsified > distorted[-1].falsified, changed=changed, ks=ks)
    zero = not any(row.homogeneous for row in distorted)
    ends = {"most": percent(distorted[0].falsified), "least": percent(distorted[-1].falsified)}
    yield judge("003-then-0", zero, **ends)
    before, after = (", ".join(percent(row.homogeneous) for row in rows[:2]) for rows in (ilp, distorted))
    share = ", ".join(percent(row.falsified) for row in distorted[:2])
    yield judge("003-figure-8", zero, before=before, after=after, changed=share)


def judgements_of_times(results: Results) -> Iterator[Judgement]:
    seconds = results.seconds
    ks = [row.k for row in results.method_rows(ILP) if row.k > 5]
    kacluk = max((seconds[KACLUK, k] / seconds[ILP, k] for k in ks), default=0.0)
    is_fast = kacluk < 1 / 5
    yield judge("003-kacluk-fast", is_fast, times=percent(kacluk))
    k = max(row.k for row in results.method_rows(ILP))
    ratio = seconds[ILP, k] / seconds[BOTTOM_UP, k]
    at_k = {"k": k, "ilp": f"{seconds[ILP, k]:.1f}", "bottom_up": f"{seconds[BOTTOM_UP, k]:.1f}"}
    yield judge("003-seconds", in_part_if(ratio < 1), ratio=f"{ratio:.2f}", **at_k)
    in_order = in_part_if(seconds[KACLUK, k] < seconds[ILP, k] < seconds[BOTTOM_UP, k])
    times, most = (seconds[method, k] / seconds[KACLUK, k] for method in (ILP, BOTTOM_UP))
    yield judge("003-complexities", in_order, k=k, ilp=f"{times:.0f}", bottom_up=f"{most:.0f}")
    yield judge("003-less-than-kacluk", times < 1, times=f"{times:.0f}", k=k)
    yield judge("003-figure-5", in_part_if(is_fast and ratio < 1))


def judgements_of_losses(results: Results) -> Iterator[Judgement]:
    bottom_up, kacluk, ilp = map(results.method_rows, METHODS)
    by_method = {"bottom_up": bottom_up, "ilp": ilp, "kacluk": kacluk}

    def shown(value: Value, at: int, form: str) -> dict[str, str]:
        return {name: format(value(rows[at]), form).replace("%", " %") for name, rows in by_method.items()}

    falls = {
        name: f"{percent(rows[0].homogeneous)} → {percent(rows[-1].homogeneous)}"
        for name, rows in by_method.items()
    }
    rises = all(first.ncp < second.ncp for rows in by_method.values() for first, second in pairwise(rows))
    yield judge("003-larger-k", rises, **falls)
    penalties = {name: " / ".join(f"{row.ilp:.4f}" for row in rows) for name, rows in by_method.items()}
    yield judge("003-trend", rises, **penalties)
    yield judge("003-ilp-table", in_part_if(rises), **shown(lambda row: row.ilp, 1, ".4f"))
    more, more_ncp = (
        [measure(own) / measure(merged) - 1 for own, merged in zip(ilp, bottom_up, strict=True)]
        for measure in (attrgetter("ilp"), attrgetter("ncp"))
    )
    yield judge(
        "003-clustering-loses", min(more) > 0, least=percent(min(more), 0), most=percent(max(more), 0)
    )
    spans = {"least": min(more), "most": max(more), "ncp_least": min(more_ncp), "ncp_most": max(more_ncp)}
    spans_shown = {name: percent(share, 0) for name, share in spans.items()}
    yield judge("003-slightly", max(more) <= SLIGHTLY, **spans_shown)
    above = all(
        row.ilp > 2 * max(own.ilp, merged.ilp)
        for row, own, merged in zip(kacluk, ilp, bottom_up, strict=True)
    )
    ks = ", ".join(str(row.k) for row in ilp)
    yield judge("003-kacluk-clearly", above, kacluk=penalties["kacluk"], ks=ks)
    yield judge("003-figure-6", in_part_if(above and min(more) > 0))
    yield judge("003-discernibility", bottom_up[0].k == 2, **shown(lambda row: row.discernibility, 0, ",d"))
    apart = max(
        max(at_k) / min(at_k) - 1
        for at_k in zip(*([row.discernibility for row in rows] for rows in by_method.values()), strict=True)
    )
    yield judge("003-equal", apart <= EQUAL, apart=percent(ceil(1000 * apart) / 1000))
    joined, of_tree = (
        {row.k: row for row in results.method_rows(name, AnonymisedForm.DIVERSE)}
        for name in (BOTTOM_UP, TREE)
    )
    joined_ilp = {row.k: row for row in results.method_rows(ILP, AnonymisedForm.DIVERSE)}
    costs = {
        name: f"{rows[5].ncp:.4f}"
        for name, rows in (("bottom_up", joined), ("ilp", joined_ilp), ("tree", of_tree))
    }
    yield judge(
        "003-all-in-all", Verdict.IN_PART if joined[5].ncp < joined_ilp[5].ncp else Verdict.HOLDS, **costs
    )
    yield judge("003-more-diverse", Verdict.BEYOND, **costs)
    yield judge("003-faster", Verdict.BEYOND)


def judgements_of_hasr(results: Results) -> Iterator[Judgement]:
    bottom_up, kacluk, ilp = map(results.method_rows, METHODS)
    at = {
        row.k: [percent(one[place].homogeneous, 2) for one in (bottom_up, ilp, kacluk)]
        for place, row in enumerate(ilp)
    }
    order = ("bottom_up", "ilp", "kacluk")
    first = dict(zip(order, at[2], strict=True))
    yield judge("003-hasr", ilp[0].homogeneous > 0, **first)
    tenth = {f"{name}10": at[10][place] for place, name in enumerate(order)} if 10 in at else {}
    pairs = list(zip(bottom_up, kacluk, strict=True))
    raised = [merged.homogeneous > drawn.homogeneous for merged, drawn in pairs]
    clustered = all(own.homogeneous > merged.homogeneous for own, merged in zip(ilp, bottom_up, strict=True))
    yield judge(
        "003-utility-weakens",
        in_part_if(raised[0]),
        **first,
        **(tenth or dict.fromkeys(("ilp10", "bottom_up10", "kacluk10"), "")),
    )
    later = [row.homogeneous for rows in (bottom_up, kacluk, ilp) for row in rows if row.k > 10]
    last = max(later, default=0.0)
    highs = ", ".join(percent(rows[0].homogeneous) for rows in (bottom_up, kacluk, ilp))
    is_high = min(rows[0].homogeneous for rows in (bottom_up, kacluk, ilp)) > 5 * last and last <= NEARLY_NONE
    yield judge("003-hasr-over-k", is_high, first=highs, last=percent(last))
    shown = {f"k{k}": ", ".join(at[k]) if k in at else "" for k in (2, 5, 10)}
    yield judge("003-clustering-raises", in_part_if(clustered), **shown)
    yield judge("003-figure-7", in_part_if(is_high and clustered))
    to_10 = (", ".join(percent(row.homogeneous, 2) for row in rows[:3]) for rows in (bottom_up, ilp, kacluk))
    yield judge("003-loss-raises", in_part_if(raised[0]), **dict(zip(order, to_10, strict=True)))


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
                "NCP has unit weights, ILP those from the data. Classes of two records cannot have three "
                "values, whatever is changed. KACLUK's classes have k to 2k records, but for one or two of "
                "a cluster that a class without a partner joined."
            ),
            "adult",
        ),
        Table(
            _("ILP's weight of each column"),
            [(_("column"), 0), (_("weight"), lambda row: f"{row[1]:.4f}")],
            list(results.weights.items()),
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
