"""Random nodes in every language: each number is the node's, and a sentence says no more than its interval.

Numbers are read out of the sentences and held against the nodes by their distance, not by our own rounding.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.utils import translation
from django.utils.translation import gettext
from hypothesis import assume, example, given, settings, strategies as st

from mining.nodes.report_nodes import Cell, ClassDifference, Estimate, GroupRow, GroupTable, Rule
from reports.answer_labels import Labels
from reports.models import Review
from reports.pages.first_findings import first_findings
from reports.review.report_page_data import ReportPage
from reports.sentences.arm_differences import arms_finding
from reports.sentences.association_pairs import order_directions, pair_finding
from reports.sentences.finding import Finding, MeasuredValue
from reports.sentences.first_finding_sentences import headline_findings
from reports.sentences.sentence_parts import FIRST_STRONG_ISOLATE, POP_ISOLATE, Sentence, as_text
from reports.sentences.shares import class_difference_finding, share_finding
from surveys.phrases.languages import SHIPPED
from tests.reports.made_nodes import LATE, OLD, THEFT, arms, labels_in, rule, share, weak_rule

pytestmark = pytest.mark.proof
many = settings(max_examples=5 * settings().max_examples // 2)
"""25 at each push, 250 at night."""

POINT = {"en": ".", "zh-hans": ".", "de": ",", "fr": ",", "es": ",", "ar": "."}
PERCENT = {"en": "\u00a0%", "zh-hans": "%", "de": "\u00a0%", "fr": "\u00a0%", "es": "\u00a0%", "ar": "%"}
BETWEEN = dict.fromkeys(SHIPPED, "\u2060–\u2060") | {"ar": "\u00a0إلى\u00a0"}
TIMES_AS_MANY = {
    "en": "times as many", "zh-hans": "中比例的", "de": "-mal so viele", "fr": "fois autant",
    "es": "veces esa proporción", "ar": "تلك النسبة مضروبة",
}  # fmt: skip
NOT_SHOWN = {
    "en": "No difference is shown", "zh-hans": "未显示差异", "de": "Ein Unterschied ist nicht gezeigt",
    "fr": "Aucune différence", "es": "No se muestra ninguna diferencia", "ar": "لم يثبت فرق",
}  # fmt: skip
BOTH_WAYS = {
    "en": "Less often and more often are both possible",
    "zh-hans": "更少见与更常见都有可能",
    "de": "Seltener und häufiger sind beide möglich",
    "fr": "Moins souvent et plus souvent sont tous deux possibles",
    "es": "Menos a menudo y más a menudo son ambos posibles",
    "ar": "الأقل والأكثر كلاهما ممكن",
}
MORE_OR_FEWER = {
    "en": r"percentage points? (more|fewer)\.",
    "zh-hans": r"时至少[多少][^到]*个百分点。",
    "de": r"mindestens [^.]*Prozentpunkte? (mehr|weniger)\.",
    "fr": r"au moins [^.]*de pourcentage de (plus|moins)\.",
    "es": r"mínimo [^.]*porcentuale?s? (más|menos)\.",
    "ar": r"(أكثر|أقل) بمقدار .*الأقل\.",
}
ISOLATED = re.compile(f"{FIRST_STRONG_ISOLATE}[^{POP_ISOLATE}]*{POP_ISOLATE}")

LABELS = {language: labels_in(language) for language in SHIPPED}


def without_labels(sentence: Sentence) -> str:
    return ISOLATED.sub("", as_text(sentence))


def figures(text: str, language: str) -> list[str]:
    """The numbers of a text, each with a point."""
    found = re.findall(rf"\d+(?:{re.escape(POINT[language])}\d+)?", text)
    return [number.replace(POINT[language], ".") for number in found]


def in_every_language() -> Iterator[tuple[str, Labels]]:
    for language, labels in LABELS.items():
        with translation.override(language):
            yield language, labels


def is_nearest(said: str, value: float) -> bool:
    """Whether it is the number of its decimals that is nearest to the value."""
    decimals = len(said.partition(".")[2])
    return abs(float(said) - value) <= 0.5 * 0.1**decimals + 1e-9


def assert_are(said: list[str], values: list[float]) -> None:
    assert len(said) == len(values), (said, values)
    assert all(is_nearest(one, value) for one, value in zip(said, values, strict=True)), (said, values)


def assert_ratio(said: str, ratio: float) -> None:
    decimals = 2 if ratio < 1.05 else 1 if ratio < 9.95 else 0
    assert len(said.partition(".")[2]) == decimals
    assert is_nearest(said, ratio)


def assert_in_language(finding: Finding, language: str) -> None:
    """Nothing of it is left in English, and every label is isolated."""
    for sentence in (finding.sentence, finding.beneath, finding.converse):
        text = without_labels(sentence)
        assert FIRST_STRONG_ISOLATE not in text
        assert POP_ISOLATE not in text
        assert "%(" not in text
        if language in {"zh-hans", "ar"}:
            assert not re.search("[A-Za-z]", text), text
            assert not re.search(r"[多少] 至|至[多少][\d%]", text), text
        elif language != "en":
            english = {"of", "who", "answered", "the", "did", "people", "share", "answers", "is"}
            assert not english & set(re.findall(r"\w+", text.lower())), text
        assert all(unicodedata.decimal(digit) == int(digit) for digit in re.findall(r"\d", text))
        assert re.findall(r"\d", text) == re.findall("[0-9]", text)


shares = st.floats(0, 1)
Three = tuple[float, float, float]


@st.composite
def share_with_interval(draw: st.DrawFn) -> Three:
    """A share with its interval; in one case of eight it is impossible; it excludes something, and is at no end."""
    low, high = sorted((draw(shares), draw(shares)))
    assume((low > 0.01 or high < 0.99) and high > 0.0051 and low < 0.9949)
    if draw(st.integers(0, 7)):
        return draw(st.floats(max(low, 0.0051), min(high, 0.9949))), low, high
    return draw(st.sampled_from((low - 0.1, high + 0.1))), low, high


@st.composite
def lifts(draw: st.DrawFn) -> tuple[float, float | None, float | None]:
    """A ratio with its interval, which may be far from 1, hold it, touch it, or have no upper or no end."""
    sizes = st.one_of(st.floats(0, 1), st.floats(0.95, 1.1), st.floats(1, 30))
    low, value, high = sorted(draw(sizes) for _end in range(3))
    low = max(low, 0.01)
    value, high = max(low, value), max(low, high)
    ends: list[tuple[float | None, float | None]] = [*[(low, high)] * 3, (low, None), (None, None)]
    return value, *draw(st.sampled_from(ends))


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """The badge is that of the interval of the ratio; without an interval it may be any."""
    lift, low, high = draw(lifts())
    badge = draw(st.sampled_from((-1, 0, 1)))
    if low is not None:
        badge = 1 if low > 1 else -1 if high is not None and high < 1 else 0
    values: dict[str, Any] = {}
    for names in (
        ("confidence", "confidence_low_listed", "confidence_high_listed"),
        ("converse", "converse_low_listed", "converse_high_listed"),
        ("consequent_support", "consequent_low", "consequent_high"),
        ("antecedent_support", "antecedent_low", "antecedent_high"),
    ):
        values |= zip(names, draw(share_with_interval()), strict=True)
    return rule(
        **values, lift=lift, lift_low_listed=low, lift_high_listed=high, association=badge,
        antecedent=draw(st.sampled_from((OLD, LATE, (*OLD, *LATE)))), consequent=THEFT,
        said=draw(st.sampled_from(("both", "rule", "converse"))), n_asked=2_000_000,
        n_shown_all=draw(st.one_of(st.just(2_000_000), st.integers(1, 2_000_000))),
        disguised_only=draw(st.booleans()),
    )  # fmt: skip


def percents(*values: float | None) -> list[float]:
    return [100 * value for value in values if value is not None]


@many
@example(rule())
@example(weak_rule())
@example(rule(lift_low_listed=None, lift_high_listed=None))
@example(rule(lift_low_listed=None, lift_high_listed=None, association=0))
@given(rules())
def test_pair_sentence_has_its_numbers_and_claims_no_more_than_the_interval(of: Rule) -> None:
    first, _other = order_directions(of, LABELS["en"])
    low, high = of.lift_low_listed, of.lift_high_listed
    for language, labels in in_every_language():
        finding = pair_finding(of, labels)
        text = without_labels(finding.sentence)
        said = figures(text, language)
        assert_in_language(finding, language)
        assert_base_rate(of, first.base, without_labels(finding.beneath), language)
        # French and Spanish say by the same words that it cannot be said.
        stated = text.replace(gettext("How many times as often cannot be said."), "")
        claims = TIMES_AS_MANY[language] in stated.partition(BOTH_WAYS[language])[0]
        if not first.is_known:
            assert finding.is_noise
            assert not claims
            continue
        share = first.share
        assert share.low is not None
        assert share.high is not None
        assert finding.verdict == of.association
        assert claims == (of.association != 0 and low is not None)
        assert (NOT_SHOWN[language] in text) == (of.association == 0)
        assert (BOTH_WAYS[language] in text) == (of.association == 0 and low is not None)
        # The near end begins; of an interval without an upper end it alone is said.
        near = low if of.association > 0 else high
        ratios = [one for one in ((near, of.lift, low, high) if claims else (low, high)) if one is not None]
        if claims and high is None:
            ratios, shares_said = ratios[:1], []
        else:
            shares_said = said[len(ratios) :] if claims else said[:3]
            assert_are(shares_said, percents(share.value, share.low, share.high))
            assert (
                f"{shares_said[0]}{PERCENT[language]} ({shares_said[1]}{BETWEEN[language]}{shares_said[2]})"
                in text
            )
        assert len(said) == len(shares_said) + len(ratios)
        for one, ratio in zip(said if claims else said[3:], ratios, strict=False):
            assert_ratio(one, ratio)


def assert_base_rate(of: Rule, base: MeasuredValue, beneath: str, language: str) -> None:
    """With its interval and its people."""
    head = re.split(r"[.。](?!\d)", beneath)[0]
    assert "".join(re.findall(r"\d", head)) == str(of.n_shown_all)
    if base.is_known:
        said = figures(beneath[len(head) :], language)
        assert_are(said, percents(base.value, base.low, base.high))
        assert f"({said[1]}{BETWEEN[language]}{said[2]})" in beneath


@many
@given(share_with_interval(), st.booleans(), st.booleans(), st.integers(1, 2_000_000))
def test_share_sentence_has_its_numbers(of: Three, is_hidden: bool, disguised_only: bool, n: int) -> None:
    value, low, high = of
    ends = {"support": value, "low": low, "high": high}
    node: Estimate = share(disguised_only=disguised_only, n_asked=n, shown=n, **ends)
    if is_hidden:
        shown = replace(node, share_shown=value, low_shown=low, high_shown=high)
        node = replace(shown, n_asked=n + 1, support=0.123, low=0.1, high=0.2)
    for language, labels in in_every_language():
        finding = share_finding(node, labels)
        text = without_labels(finding.sentence)
        assert_in_language(finding, language)
        assert "".join(re.findall(r"\d", without_labels(finding.beneath))) == str(n)
        if low - 1e-9 <= value <= high + 1e-9:
            said = figures(text, language)
            assert_are(said, percents(value, low, high))
            assert f"{said[0]}{PERCENT[language]} ({said[1]}{BETWEEN[language]}{said[2]})" in text
        else:
            assert finding.is_noise
            assert_are(figures(text, language), percents(high if value < low else low))


def test_share_at_an_end_of_the_range_is_stated_by_the_other_bound() -> None:
    for ends, number in (((0.0, 0.0, 0.28), "28"), ((1.0, 0.72, 1.0), "72")):
        node = share(**dict(zip(("support", "low", "high"), ends, strict=True)))
        of = MeasuredValue(*ends)
        pair = rule(consequent_support=of.value, consequent_low=of.low, consequent_high=of.high)
        for language, labels in in_every_language():
            finding = share_finding(node, labels)
            assert_in_language(finding, language)
            assert figures(without_labels(finding.sentence), language) == [number]
            assert finding.measured.bound_text in as_text(finding.sentence)
            assert finding.measured.bound_text in without_labels(pair_finding(pair, labels).beneath)


@many
@given(st.lists(st.floats(0.001, 1), min_size=3, max_size=3), st.booleans())
def test_class_sentence_states_its_difference_from_all_others(of: list[float], is_more: bool) -> None:
    low, difference, high = sorted(of) if is_more else sorted(-end for end in of)
    front = ClassDifference("age=40+", difference, low, high, 1e-6)
    row = GroupRow("theft=yes", (Cell(400), Cell(600)), None, None, front=front)
    table = GroupTable("age", ("age=18-39", "age=40+"), (row,))
    for language, labels in in_every_language():
        finding = class_difference_finding(table, row, labels)
        assert_in_language(finding, language)
        assert finding.verdict == (1 if low > 0 else -1)


@many
@example(0.3, [-1.0, 0.1, 1.0], 0.5, None)
@given(shares, st.lists(st.floats(-1, 1), min_size=3, max_size=3), shares, st.one_of(st.none(), shares))
def test_arm_sentence_states_its_difference(
    direct: float, of: list[float], p: float, holm: float | None
) -> None:
    low, difference, high = sorted(of)
    p = min(p, 0.01) if low > 0 or high < 0 else max(p, 0.06)
    direct = min(max(direct, 0.0051), 0.9949)
    ends = max(direct - 0.05, 0.0), min(direct + 0.05, 1.0)
    node = arms(direct, direct + difference, difference, low, high, p, holm, low=ends[0], high=ends[1])
    shown = (low > 0 or high < 0) and (holm is None or holm <= 0.05)
    for language, labels in in_every_language():
        finding = arms_finding(node, labels)
        text = without_labels(finding.sentence)
        said = figures(text, language)
        assert_in_language(finding, language)
        assert bool(re.search(MORE_OR_FEWER[language], text)) == shown == bool(finding.verdict)
        assert finding.is_noise == (round(low, 2) == -1 and round(high, 2) == 1)
        if finding.is_noise:
            assert said == []
            continue
        assert_are(said[:3], percents(direct, *ends))
        if shown:
            near, far = sorted((abs(low), abs(high)))
            assert_are(said[3:], percents(near, abs(difference), near, far))
        elif low <= 0 <= high:
            assert_are(said[3:], percents(-low, high))
        else:
            assert said[3:] == []


def test_labels_of_every_script_are_isolated_and_cannot_end_it() -> None:
    hostile = "\u2069سرقة\u2067 (1"
    labels = Labels(LABELS["en"].design, "en")
    labels._answers["theft=yes"] = replace(labels.answer("theft=yes"), short=hostile)
    for language in SHIPPED:
        with translation.override(language):
            text = as_text(pair_finding(rule(), labels).sentence)
        assert f"{FIRST_STRONG_ISOLATE}سرقة (1{POP_ISOLATE}" in text
        assert text.count(FIRST_STRONG_ISOLATE) == text.count(POP_ISOLATE) == 2


def test_pair_sentence_uses_the_readers_language() -> None:
    joins = {"en": " and ", "zh-hans": " 且 ", "de": " und ", "fr": " et ", "es": " y ", "ar": " و"}
    marks = {"de": ("„", "“"), "fr": ("«", "»"), "es": ("«", "»"), "ar": ("«", "»")}
    for language, labels in in_every_language():
        text = without_labels(pair_finding(rule(antecedent=(*OLD, *LATE)), labels).sentence)
        opening, closing = marks.get(language, ("“", "”"))
        space = "\u00a0" if language == "fr" else ""
        quoted = f"{opening}{space}{space}{closing}"
        assert f"{quoted}{joins[language]}{quoted}" in text, language


@pytest.mark.page
@pytest.mark.django_db
def test_a_run_has_findings_with_sentences_in_every_language(review: Review) -> None:
    page = ReportPage(review, whole=True)
    content = replace(page.content, rules=tuple(page.read_rules(page.rules.order_by("place"))))
    pairs = [("theft=yes", "late=yes"), ("late=yes", "theft=yes"), ("cash=yes", "late=yes")]
    for language in SHIPPED:
        with translation.override(language):
            found = headline_findings(content, Labels(page.mined_design, language))
        verdicts = [(one.kind, one.verdict) for one in found]
        assert verdicts == [("pair", 1), ("pair", 1), ("share", None), ("pair", 0)], language
        items = [getattr(one.node, "items", ()) for one in found]
        assert items == [*pairs[:2], ("theft=yes",), pairs[2]], language
        for one in found:
            assert_in_language(one, language)


@pytest.mark.page
@pytest.mark.django_db
def test_a_report_reads_the_words_of_answers_from_the_frozen_draft(review: Review) -> None:
    choices = [{"name": "no"}, {"name": "yes", "predicate": {"de": "nahmen Material mit nach Hause"}}]
    review.run.survey.draft = {"sections": [{"questions": [{"name": "theft", "choices": choices}]}]}
    with translation.override("de"):
        rows = first_findings(ReportPage(review, whole=True))
        row = next(row for row in rows if row.finding.kind == "share")
        assert as_text(row.finding.sentence).endswith(" von allen nahmen Material mit nach Hause.")
