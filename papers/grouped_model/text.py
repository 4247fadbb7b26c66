"""grouped-model.md: the figures and short tables of their numbers."""

from collections.abc import Iterator, Mapping, Sequence

from papers.grouped_model.bias import DIFFERENCES, TRUTH, MeanAndBand
from papers.grouped_model.figures import DRAWN, OTHERS, PAPER, SIZES
from papers.grouped_model.mined import COUNTS, KINDS
from papers.grouped_model.rows import Error, SettingRow
from papers.grouped_model.settings import READINGS, PaperSetting, Reading, Varied
from papers.tables import markdown

WORDS: dict[Varied, str] = {
    "k": "the share k",
    "p": "the keep probability p",
    "theta": "the chance theta of a random yes",
    "questions": "the number of questions",
    "respondents": "the number of respondents",
    "min_support": "the smallest support",
    "min_confidence": "the smallest confidence",
}
RIGHT = "--:"
HEAD = [f"{kind} {count}" for kind in KINDS for count in ("in D", "in D*", "false", "missed")]


def text(rows: Sequence[SettingRow], bias: Mapping[str, Sequence[MeanAndBand]], repetitions: int) -> str:
    parts = [introduction(repetitions)]
    for varied, words in WORDS.items():
        parts.append(f"## Over {words}\n")
        for reading in READINGS:
            mine = [row for row in rows if row.varied == varied and row.setting.reading == reading]
            parts += _part(varied, reading, mine)
    parts += [BIAS, *_bias(bias)]
    return "\n".join(parts)


def introduction(repetitions: int) -> str:
    usual = PaperSetting("open")
    return INTRODUCTION.format(
        respondents=usual.respondents,
        p=usual.p,
        theta=usual.theta,
        k=usual.k,
        min_support=usual.min_support,
        min_confidence=usual.min_confidence,
        repetitions=repetitions,
        others=1 - usual.k,
    )


def _part(varied: Varied, reading: Reading, rows: Sequence[SettingRow]) -> Iterator[str]:
    yield f"### Reading: {READINGS[reading]}\n"
    name = f"by-{varied}-{reading}"
    if varied in DRAWN:
        yield f"![W of the paper's inversion over {varied}](w-{name}.svg)\n"
    yield "The paper's inversion (pooled):\n"
    yield _table(varied, [row for row in rows if row.estimator == PAPER])
    if varied in DRAWN:
        yield f"![False and missed itemsets and rules over {varied}](found-{name}.svg)\n"
        yield f"![W of the other estimators over {varied}](w-{name}-others.svg)\n"
    yield "The other estimators:\n"
    yield _table(varied, [row for row in rows if row.estimator in OTHERS])


def _table(varied: Varied, rows: Sequence[SettingRow]) -> str:
    several = len({row.estimator for row in rows}) > 1
    head = [varied, *(["estimator"] if several else []), *HEAD, *(f"W, {name}" for name in SIZES.values())]
    lines = [
        [
            f"{row.value:g}",
            *([row.estimator] if several else []),
            *(_count(row, kind, count) for kind in KINDS for count in COUNTS),
            *(_w(row.of_size(size)) for size in SIZES),
        ]
        for row in sorted(rows, key=lambda row: row.value)
    ]
    return markdown(head, lines, RIGHT)


def _count(row: SettingRow, kind: str, count: str) -> str:
    mean = row.counts[kind][count]
    if mean is None:
        return "not mined"
    theory = f" ({row.expected[count]:.2f})" if kind == "itemsets" and row.expected else ""
    return f"{mean.value:.2f} ± {mean.se:.2f}{theory}"


def _w(error: Error) -> str:
    theory = "" if error.theory is None else f" ({error.theory:.5f})"
    return f"{error.w.value:.5f} ± {error.w.se:.5f}{theory}"


def _bias(found: Mapping[str, Sequence[MeanAndBand]]) -> Iterator[str]:
    yield "![The support where open answerers differ](bias.svg)\n"
    lines = [
        [f"{difference:g}", *(f"{of.mean:.4f} ({of.low:.4f} to {of.high:.4f})" for of in spreads)]
        for difference, *spreads in zip(DIFFERENCES, *found.values(), strict=True)
    ]
    yield markdown(["share among the disguised less share among the open", *found], lines, RIGHT)


INTRODUCTION = """\
# The grouped unrelated-question model

The data D are the true answers of {respondents:,} simulated respondents to three yes/no questions a, b and c. Of the
population .44, .36 and .26 answer them with yes, and .10 all three. D* is what is received: some respondents answer
openly; of the others, each sends all true answers with probability p, else every answer is yes with probability
theta. Both are mined by this product as it is: D as open records, so that its itemsets and rules are exact, and D* by
reconstruction. An itemset or rule is false if it is reported from D* and is not in D, and missed if it is in D and
not reported from D*. W = |S - S'| is how far a reconstructed support is from that in D, over all itemsets of up to
three answers, frequent or not.

**Two readings of k.** In the paper's section 3, k is the share who answer openly; in its section 4, k is the share
who are randomised. Everything is shown for both. They are the same surveys under k <-> 1-k: with k = {k:g}, the first
reading randomises {others:.0%} of the respondents, the second {k:.0%}.

**Settings.** Unless it is varied: k = {k:g}, p = {p:g}, theta = {theta:g}, three questions, {respondents:,}
respondents, smallest support {min_support:g}, smallest confidence {min_confidence:g}, itemsets of up to three
answers. Further questions come in threes like a, b and c, independent of these. Every setting is simulated
{repetitions} times; the number behind ± is the standard error of the mean. In brackets stands what theory expects: of
W, sqrt(2/pi) times the standard deviation of S' - S; of the numbers of itemsets, what follows if S and S' - S are
normal. Rules and coherent supports have no theory here. p = 0 and p = 1 are no survey (a design refuses both), so
only theory goes so far.

**Estimators.** *pooled* is the paper's inversion, and alone in the figures that can be laid beside the paper's. The
others are apart: *stratified*, what this product uses unless told otherwise; *combined*, which weighs both groups by
how sure they are; and *coherent*, the distribution nearest to the stratified supports, which differs from them only
where they contradict each other. The product searches by the first three. Of coherent supports, which have no error
of their own, it makes no rules; the tables say which itemsets reach the smallest support by them. Open and randomised
respondents are alike here, as the paper assumes.

**Files.** `mined.csv` has the itemsets and rules; `w.csv` has W by size (0: all) and of every itemset, with
`w_theory` and, as `w_stated`, the mean of the expected W that the product states; `bias.csv` has the last figure,
`grouped-model.json` everything.
"""

BIAS = f"""\
## What the paper does not show

People who agree to answer openly are rarely like the others. Below, {TRUTH:.0%} of all have the attribute and half
answer openly, but the two halves differ by more and more. *pooled* and *combined* follow the group whose answers
count for more; *stratified* does not move. In brackets: where nine repetitions of ten lie.
"""
