"""Answers that have words for sentences: nothing is quoted, in any language; without such words nothing changes."""

from dataclasses import fields, replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from django.utils import translation

from config.start import demo_content
from config.start.demo_true_answers import employees
from mining.report.number_nodes import (
    MeanEstimate,
    NumberEstimates,
    NumberNode,
    NumberShare,
    QuantileStatement,
)
from mining.report.report_nodes import Cell, ClassDifference, GroupRow, GroupTable, Report
from mining.report.study_nodes import HypothesisResult, UnderstandingDifference
from privacy.designs import Design
from reports.answer_labels import Labels
from reports.sentences.arm_differences import arms_finding, points_text
from reports.sentences.association_pairs import pair_finding
from reports.sentences.draft_sentence_preview import example_sentences
from reports.sentences.first_finding_sentences import headline_findings
from reports.sentences.hypotheses import hypothesis_finding
from reports.sentences.sensitive_numbers import number_findings
from reports.sentences.sentence_parts import Sentence, as_html, as_text, quote
from reports.sentences.shares import class_difference_finding, share_finding
from reports.sentences.understanding_check import understanding_difference_finding
from reports.simulated_reports.simulated_surveys import SimulatedSurveys
from surveys.draft_json import Draft
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire.hypotheses import read_plan
from surveys.questionnaire.report_sentence_texts import COLONS, QUOTATION_MARKS, SentenceTexts
from tests.reports import made_nodes
from tests.reports.made_nodes import DESIGN, LATE, OLD, THEFT, about, arms, rule, share, weak
from tests.reports.sentences.test_fixed_sentences import with_usual_spaces

TOOK = {
    "en": "took supplies home",
    "de": "nahmen Material mit nach Hause",
    "fr": "ont emporté des fournitures",
    "es": "se llevaron material",
    "ar": "أخذوا لوازم",
    "zh-hans": "把办公用品带回了家",
}
OLDER = {
    "en": "people aged 40 or older",
    "de": "Personen ab 40",
    "fr": "les personnes de 40 ans ou plus",
    "es": "las personas de 40 años o más",
    "ar": "من أعمارهم 40 أو أكثر",
    "zh-hans": "40 岁及以上的人",
}
BOTH = SentenceTexts({"theft=yes": TOOK}, {"age=40+": OLDER})


def labels_with(texts: SentenceTexts, language: str = "en", design: Any = DESIGN) -> Labels:
    return Labels(design, language, texts)


def said(sentence: Sentence) -> str:
    return with_usual_spaces(as_text(sentence))


# --- the demo -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demonstration() -> tuple[Design, Draft, Report]:
    """The demo's report of 4,000 simulated employees, made in memory: hypotheses, pairs, a share and numbers."""
    draft = demo_content.questionnaire(date(2026, 11, 1))
    design = freeze_design(draft)
    simulated = SimulatedSurveys(
        design,
        demo_content.PARAMETERS,
        4_000,
        read_plan(draft["plan"]),
        replace(about(), fingerprint=design.fingerprint, rehearsal=True),
        employees(design),
        7,
    )
    return design, draft, simulated.simulate_report(np.random.default_rng(7))


@pytest.mark.at_push(2)
@pytest.mark.page
@pytest.mark.parametrize("language", SHIPPED)
def test_the_findings_of_the_demo_quote_nothing_in_any_language(
    language: str, demonstration: tuple[Design, Draft, Report]
) -> None:
    design, draft, report = demonstration
    labels = labels_with(SentenceTexts.from_draft(draft), language, design.mined)
    with translation.override(language):
        told = list(headline_findings(report, labels))
        kinds = {finding.kind for finding in told}
        numbers = [finding for node in report.numbers for finding in number_findings(node, labels)]
        pairs = [pair_finding(rule, labels) for rule in report.rules]
        yes = translation.gettext("Yes")
    assert kinds == {"hypothesis", "pair", "share", "number"}
    assert len(numbers) > 5
    known = [finding for finding in (*told, *numbers, *pairs) if not finding.is_noise]
    sentences = [as_text(finding.sentence) for finding in known]
    sentences += [as_text(finding.converse) for finding in told if finding.converse]
    assert len(sentences) > 20
    for text in sentences:
        assert not (QUOTATION_MARKS | COLONS) & set(text), text
        assert yes not in text.split(), text
        assert "%(" not in text
        if language in {"zh-hans", "ar"}:
            assert not any("a" <= letter <= "z" for letter in text.lower()), text
        elif language != "en":
            assert not {"the", "who", "people", "said", "hours", "of"} & set(text.lower().split()), text


def test_every_answer_of_the_demo_has_its_words_in_every_language() -> None:
    draft = demo_content.questionnaire(date(2026, 11, 1))
    design = freeze_design(draft).mined
    texts = SentenceTexts.from_draft(draft)
    for language in SHIPPED:
        with translation.override(language):
            labels = labels_with(texts, language, design)
            missing = [
                name for name in labels.names if not labels.predicate([name]) or not labels.people([name])
            ]
        assert missing == []


# --- each kind of sentence ------------------------------------------------------------------------------

FRONT = ClassDifference("age=40+", 0.17, 0.06, 0.28, 1e-5)
CLASS_ROW = GroupRow("theft=yes", (Cell(400), Cell(600)), None, None, front=FRONT)
TABLE = GroupTable("age", ("age=18-39", "age=40+"), (CLASS_ROW,))


def hypothesis(
    kind: str, estimate: float, low: float, high: float, *, met: bool, **more: Any
) -> HypothesisResult:
    values = {"estimate": estimate, "low": low, "high": high, "p": 0.01, "holm": 0.01, "met": met}
    return HypothesisResult(name="H1", kind=kind, **values | more)


def differing(difference: float, low: float, high: float) -> UnderstandingDifference:
    nothing: Any = dict.fromkeys(field.name for field in fields(UnderstandingDifference))
    values = {
        "item": "theft=yes",
        "difference": difference,
        "low": low,
        "high": high,
        "p": 0.001,
        "holm": 0.001,
    }
    return UnderstandingDifference(**nothing | values)


SHOWN: list[tuple[Any, str, str]] = [
    (
        lambda labels: pair_finding(rule(), labels).sentence,
        ("Of people aged 40 or older, 54 % (49–59) took supplies home; of all, 38 % did. That is 1.4 times as many "
        "(1.3–1.6)."),
        ("54 % (49–59) der Personen ab 40 nahmen Material mit nach Hause; von allen waren es 38 %. Das sind 1,4-mal so "
        "viele (1,3–1,6)."),
    ),
    (
        lambda labels: pair_finding(rule(), labels).converse,
        "Of people who took supplies home, 77 % (70–83) said they were people aged 40 or older; of all, 54 % did.",
        ("77 % (70–83) der Personen, die „Theft: Ja“ antworteten, gehörten zur Gruppe der Personen ab 40; von allen "
        "waren es 54 %."),
    ),
    (
        lambda labels: pair_finding(weak(), labels).sentence,
        ("No association is shown. Of people aged 40 or older, 40 % (30–50) took supplies home; of all, 38 % did. "
        "Less often and more often are both possible, from 0.78 to 1.3 times as often."),
        ("Ein Zusammenhang ist nicht gezeigt. 40 % (30–50) der Personen ab 40 nahmen Material mit nach Hause; von "
        "allen waren es 38 %. Seltener und häufiger sind beide möglich, von 0,78- bis 1,3-mal so häufig."),
    ),
    (
        lambda labels: pair_finding(rule(antecedent=(*OLD, *LATE), said="rule"), labels).sentence,
        ("Of people who answered “Age: 40 or older” and “Late: Yes”, 54 % (49–59) took supplies home; of all, 38 % "
        "did. That is 1.4 times as many (1.3–1.6)."),
        ("54 % (49–59) der Personen, die „Age: 40 or older“ und „Late: Ja“ antworteten, nahmen Material mit nach "
        "Hause; von allen waren es 38 %. Das sind 1,4-mal so viele (1,3–1,6)."),
    ),
    (
        lambda labels: pair_finding(rule(antecedent=(*OLD, *THEFT), consequent=LATE, said="rule"), labels).sentence,
        ("Of people who said they were people aged 40 or older and took supplies home, 54 % (49–59) answered “Late: "
        "Yes”; of all, 38 % did. That is 1.4 times as many (1.3–1.6)."),
        ("Von den Personen mit der Antwort „Age: 40 or older“ und „Theft: Ja“ antworteten 54 % (49–59) „Late: Ja“; "
        "von allen waren es 38 %: 1,4-mal so viele (1,3–1,6)."),
    ),
    (
        lambda labels: share_finding(share(), labels).sentence,
        "Of all, 38 % (35–41) took supplies home.",
        "38 % (35–41) von allen nahmen Material mit nach Hause.",
    ),
    (
        lambda labels: share_finding(share(disguised_only=True), labels).sentence,
        "Of all who chose disguise, 38 % (35–41) took supplies home.",
        "38 % (35–41) von allen, die Verschleierung gewählt haben, nahmen Material mit nach Hause.",
    ),
    (
        lambda labels: share_finding(share(low=None), labels).sentence,
        "It cannot be said how many answered “Theft: Yes”: the counts contradict each other.",
        "Es lässt sich nicht sagen, wie viele „Theft: Ja“ antworteten: Die Zählungen widersprechen einander.",
    ),
    (
        lambda labels: class_difference_finding(TABLE, CLASS_ROW, labels).sentence,
        "Of people aged 40 or older, 17 percentage points (6–28) more took supplies home than of all others.",
        "17 Prozentpunkte (6–28) mehr der Personen ab 40 nahmen Material mit nach Hause als von allen anderen.",
    ),
    (
        lambda labels: arms_finding(arms(0.38, 0.54, 0.16, 0.08, 0.24, 0.001, 0.002), labels).sentence,
        "Asked directly, 38 % (35–41) took supplies home; with disguise, 16 percentage points (8–24) more.",
        ("38 % (35–41) der direkt Gefragten nahmen Material mit nach Hause; mit Verschleierung 16 Prozentpunkte (8–24) "
        "mehr."),
    ),
    (
        lambda labels: arms_finding(arms(0.38, 0.41, 0.03, -0.05, 0.11, 0.4, 0.8), labels).sentence,
        ("Asked directly, 38 % (35–41) took supplies home. No difference with disguise is shown; anything between "
        "5 percentage points fewer and 11 percentage points more is possible."),
        ("38 % (35–41) der direkt Gefragten nahmen Material mit nach Hause. Ein Unterschied mit Verschleierung ist "
        "nicht gezeigt; bis zu 5 Prozentpunkte weniger und bis zu 11 Prozentpunkte mehr sind möglich."),
    ),
    (
        lambda labels: understanding_difference_finding(differing(-0.1, -0.15, -0.05), labels).sentence,
        "Of people who understood, 10 percentage points (5–15) fewer took supplies home than of the others.",
        ("10 Prozentpunkte (5–15) weniger von Menschen, die es verstanden, nahmen Material mit nach Hause als von den "
        "anderen."),
    ),
    (
        lambda labels: hypothesis_finding(
            hypothesis("share", 0.38, 0.35, 0.41, met=True, item="theft=yes", than="0.2000"), labels
        ).sentence,
        "The share of people who took supplies home is above 20 %.",
        "Der Anteil der Menschen, die „Theft: Ja“ antworteten, liegt über 20 %.",
    ),
    (
        lambda labels: hypothesis_finding(
            hypothesis("arms", 0.05, 0.02, 0.08, met=True, item="age=40+"), labels
        ).sentence,
        ("With disguise, 5 percentage points (2–8) more said they were people aged 40 or older than when asked "
        "directly."),
        ("5 Prozentpunkte (2–8) mehr als bei direkter Frage gehörten zur Gruppe der Personen ab 40, wenn ihre Antwort "
        "verschleiert war."),
    ),
    (
        lambda labels: hypothesis_finding(
            hypothesis("association", 1.5, 1.2, 1.9, met=True, antecedent=OLD, consequent=THEFT), labels
        ).sentence,
        (
            "Of people aged 40 or older, more took supplies home than expected by chance, "
            "1.5 times as many (1.2–1.9)."
        ),
        ("Mehr der Personen ab 40 nahmen Material mit nach Hause, als durch Zufall zu erwarten wäre, nämlich 1,5-mal "
        "so viele (1,2–1,9)."),
    ),
    (
        lambda labels: hypothesis_finding(
            hypothesis("association", 1.1, 0.8, 1.5, met=False, antecedent=OLD, consequent=THEFT),
            labels,
        ).sentence,
        ("It is not shown that more or fewer of people aged 40 or older took supplies home than expected by chance. "
        "Less often "
        "and more often are both possible, from 0.80 to 1.5 times as often."),
        ("Mehr oder weniger der Personen ab 40 nahmen Material mit nach Hause, als durch Zufall zu erwarten wäre; "
        "gezeigt ist das nicht. Seltener und häufiger sind beide möglich, von 0,80- bis 1,5-mal so häufig."),
    ),
    (
        lambda labels: hypothesis_finding(
            hypothesis(
                "coefficient", 0.1, 0.04, 0.16, met=True, item="theft=yes", of="age=40+", model="linear"
            ),
            labels,
        ).sentence,
        ("In the model of people who took supplies home, the coefficient of people aged 40 or older is 10 percentage "
        "points (4.0–16.0)."),
        "Im Modell von „Theft: Ja“ ist der Koeffizient von Personen ab 40 10 Prozentpunkte (4,0–16,0).",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("made", "english", "german"), SHOWN)
def test_each_sentence_says_the_words_of_its_answers(made: Any, english: str, german: str) -> None:
    """German cannot derive people from what they did: such a side keeps the quoted form."""
    assert said(made(labels_with(BOTH))) == english
    with translation.override("de"):
        assert said(made(labels_with(BOTH, "de"))) == german


def test_words_of_another_language_are_not_put_into_a_sentence() -> None:
    with translation.override("de"):
        labels = labels_with(SentenceTexts({"theft=yes": {"en": "took supplies home"}}, {}), "de")
        assert (
            said(share_finding(share(), labels).sentence) == "Von allen antworteten 38 % (35–41) „Theft: Ja“."
        )


@pytest.mark.parametrize(
    ("language", "people", "predicate"),
    [
        ("en", "people who took supplies home", "said they were people aged 40 or older"),
        ("de", "", "gehörten zur Gruppe der Personen ab 40"),
        ("fr", "les personnes qui ont emporté des fournitures", "ont dit compter parmi les personnes de 40 ans ou plus"),  # noqa: E501
        ("es", "las personas que se llevaron material", "dijeron estar entre las personas de 40 años o más"),
        ("ar", "من أخذوا لوازم", "قالوا إنهم من من أعمارهم 40 أو أكثر"),
        ("zh-hans", "把办公用品带回了家的人", "是40 岁及以上的人"),
    ],
)  # fmt: skip
def test_one_text_gives_the_other_where_the_grammar_permits_it(
    language: str, people: str, predicate: str
) -> None:
    with translation.override(language):
        labels = labels_with(BOTH, language)
        assert (labels.people(THEFT), labels.predicate(OLD)) == (people, predicate)
        assert (labels.people(LATE), labels.predicate(LATE)) == ("", "")


def test_a_german_clause_ends_with_a_comma_inside_a_sentence() -> None:
    texts = SentenceTexts({}, {"theft=yes": {"de": "Personen, die Material mitnahmen"}, "age=40+": OLDER})
    with translation.override("de"):
        found = pair_finding(rule(), labels_with(texts, "de"))
    assert said(found.converse).startswith(
        "77 % (70–83) der Personen, die Material mitnahmen, gehörten zur Gruppe"
    )
    assert said(found.sentence).endswith(
        "gehörten zur Gruppe der Personen, die Material mitnahmen; von allen waren es 38 %. Das sind 1,4-mal so "
        "viele (1,3–1,6)."
    )


def test_a_number_is_said_by_its_quantity_and_its_unit_in_the_readers_language() -> None:
    design = made_nodes.numbers_design(open_answers=False).mined
    estimates = NumberEstimates(
        900, 0, MeanEstimate(1835.0, 80.0, 1671.0, 1998.0), (QuantileStatement(0.5, 500, 2000),),
        shares=(NumberShare(500, None, 900, 0.7, 0.02, 0.65, 0.75),),
    )  # fmt: skip
    node = NumberNode("debt", "classes", estimates)
    texts = SentenceTexts(
        quantities={"debt": {"en": "their debts", "de": "ihren Schulden"}}, units={"debt": {"de": "Euro"}}
    )
    assert [said(found.sentence) for found in number_findings(node, labels_with(texts, "en", design))] == [
        "The average of their debts is 1,835 euros (1,671–1,998).",
        "The median of their debts is at least 500 euros and below 2,000 euros.",
        "Of all, 70 % (65–75) answered 500 euros or more for their debts.",
    ]
    with translation.override("de"):
        assert [
            said(found.sentence) for found in number_findings(node, labels_with(texts, "de", design))
        ] == [
            "Der Durchschnitt von ihren Schulden ist 1.835 Euro (1.671–1.998).",
            "Der Median von ihren Schulden ist mindestens 500 Euro und liegt unter 2.000 Euro.",
            "70 % (65–75) von allen gaben bei ihren Schulden 500 Euro oder mehr an.",
        ]


def test_a_negative_difference_has_the_plural_of_its_size() -> None:
    with translation.override("fr"):
        assert points_text(-0.29).endswith("points de pourcentage")


# --- marks and examples ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "label", "expected"),
    [
        ("ar", "Theft: Yes", '<span class="nowrap">«\u2068Theft:</span> <span class="nowrap">Yes\u2069»</span>'),
        ("ar", "Ate too much", '<span class="nowrap">«\u2068Ate</span> too <span class="nowrap">much\u2069»</span>'),
        ("ar", "Theft", '<span class="nowrap">«\u2068Theft\u2069»</span>'),
        ("ar", "一二三四五六七八九十一二三四五六七八九十一二三", '<span class="nowrap">«\u2068一二三四五六七八九十</span>一二三<span class="nowrap">四五六七八九十一二三\u2069»</span>'),  # noqa: E501
        ("de", "Theft: Yes", "„\u2068Theft: Yes\u2069“"),
    ],
)  # fmt: skip
def test_in_arabic_no_quotation_mark_is_parted_from_its_word(
    language: str, label: str, expected: str
) -> None:
    with translation.override(language):
        assert as_html(quote(label)) == expected


def test_examples_have_invented_figures_and_the_words_of_the_draft() -> None:
    draft = demo_content.questionnaire(date(2026, 11, 1))
    examples = dict(example_sentences(freeze_design(draft), draft))
    assert list(examples) == ["en", "zh-hans"]
    told = [with_usual_spaces(text) for text in examples["en"]]
    assert told[0].startswith("Of people aged 18 to 34, <b>54 %</b> ")
    assert any(
        text.startswith("Of all, <b>32 %</b>") and text.endswith("took office supplies home.")
        for text in told
    )
    assert told[-1].startswith("The average of the hours reported but not worked last month is <b>3.2")
    bare = {**draft, "sections": []}
    assert example_sentences(freeze_design(draft), bare) == []
