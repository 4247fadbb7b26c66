"""Answers that have words for sentences: nothing is quoted, in any language; without such words nothing changes."""

from collections.abc import Callable
from dataclasses import fields, replace
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import pytest
from django.utils import translation

from config.start import demo_content
from config.start.demo_true_answers import employee_population
from mining.nodes.number_nodes import (
    MeanEstimate,
    NumberEstimates,
    NumberNode,
    NumberShare,
    QuantileStatement,
)
from mining.nodes.report_nodes import Cell, ClassDifference, GroupRow, GroupTable, Report
from mining.nodes.study_nodes import HypothesisResult, UnderstandingDifference
from privacy.designs import Design
from reports.answer_labels import Labels
from reports.sentences.arm_differences import arms_finding, points_text
from reports.sentences.association_pairs import pair_finding
from reports.sentences.disguise_understanding_check import understanding_difference_finding
from reports.sentences.draft_sentence_preview import line_of_report
from reports.sentences.finding import Finding
from reports.sentences.first_finding_sentences import headline_findings
from reports.sentences.hypotheses import hypothesis_finding
from reports.sentences.sensitive_numbers import number_findings
from reports.sentences.sentence_parts import as_html, as_text, quote
from reports.sentences.shares import class_difference_finding, share_finding
from reports.simulated_reports.simulated_surveys import SimulatedSurveys
from surveys.draft_json import Draft
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire.hypotheses import read_plan
from surveys.questionnaire.question_block_editing import all_blocks, block_key
from surveys.questionnaire.report_sentence_texts import COLONS, QUOTATION_MARKS, SentenceTexts
from tests.reports import made_nodes
from tests.reports.made_nodes import DESIGN, LATE, OLD, THEFT, about_run, arms, rule, share, weak_rule
from tests.reports.sentences.test_fixed_sentences import sentence_text, with_usual_spaces

TOOK = {
    "en": "took supplies home", "de": "nahmen Material mit nach Hause", "fr": "ont emporté des fournitures",
    "es": "se llevaron material", "ar": "أخذوا لوازم", "zh-hans": "把办公用品带回了家",
}  # fmt: skip
OLDER = {
    "en": "people aged 40 or older", "de": "Personen ab 40", "fr": "les personnes de 40 ans ou plus",
    "es": "las personas de 40 años o más", "ar": "من أعمارهم 40 أو أكثر", "zh-hans": "40 岁及以上的人",
}  # fmt: skip
BOTH = SentenceTexts({"theft=yes": TOOK}, {"age=40+": OLDER})


def labels_with(texts: SentenceTexts, language: str = "en", design: Any = DESIGN) -> Labels:
    return Labels(design, language, texts)


@pytest.fixture(scope="module")
def demonstration() -> tuple[Design, Draft, Report]:
    """The demo's report of 4,000 simulated employees, made in memory: hypotheses, pairs, a share and numbers."""
    draft = demo_content.demo_questionnaire_draft(date(2026, 11, 1))
    design = freeze_design(draft)
    simulated = SimulatedSurveys(
        design,
        demo_content.PARAMETERS,
        4_000,
        read_plan(draft["plan"]),
        replace(about_run(), fingerprint=design.fingerprint, rehearsal=True),
        employee_population(design),
        7,
    )
    return design, draft, simulated.simulate_report(np.random.default_rng(7))


@pytest.mark.at_push(2)
@pytest.mark.page
@pytest.mark.parametrize("language", SHIPPED)
def test_demo_sentences_need_no_quotation_marks(
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
    draft = demo_content.demo_questionnaire_draft(date(2026, 11, 1))
    design = freeze_design(draft).mined
    texts = SentenceTexts.from_draft(draft)
    for language in SHIPPED:
        with translation.override(language):
            labels = labels_with(texts, language, design)
            missing = [
                name for name in labels.names if not labels.predicate([name]) or not labels.people([name])
            ]
        assert missing == []


FRONT = ClassDifference("age=40+", 0.17, 0.06, 0.28, 1e-5)
CLASS_ROW = GroupRow("theft=yes", (Cell(400), Cell(600)), None, None, front=FRONT)
TABLE = GroupTable("age", ("age=18-39", "age=40+"), (CLASS_ROW,))


def hypothesis(kind: str, *numbers: float, met: bool, **more: Any) -> Callable[[Labels], Finding]:
    values: dict[str, Any] = dict(zip(("estimate", "low", "high"), numbers, strict=True))
    found = HypothesisResult(name="H1", kind=kind, **values, p=0.01, holm=0.01, met=met, **more)
    return partial(hypothesis_finding, found)


def understanding_difference(difference: float, low: float, high: float) -> UnderstandingDifference:
    nothing: Any = dict.fromkeys(field.name for field in fields(UnderstandingDifference))
    values = {"difference": difference, "low": low, "high": high, "p": 0.001, "holm": 0.001}
    return UnderstandingDifference(**nothing | values | {"item": "theft=yes"})


Made = Callable[[Labels], Finding]
SHOWN: list[tuple[Made, str, str]] = [
    (partial(pair_finding, rule()),
     ("Of people aged 40 or older, at least 1.3 times as many took supplies home as among all. "
      "The estimate is 1.4 times as many (1.3–1.6), and the share 54 % (49–59)."),
     ("Mindestens 1,3-mal so viele der Personen ab 40 wie unter allen nahmen Material mit nach Hause. "
      "Geschätzt sind 1,4-mal so viele (1,3–1,6) bei einem Anteil von 54 % (49–59).")),
    (partial(pair_finding, weak_rule()),
     ("Of people aged 40 or older, 40 % (30–50) took supplies home. No difference is shown, compared with all. "
      "Less often and more often are both possible, from 0.78 to 1.3 times as often."),
     ("40 % (30–50) der Personen ab 40 nahmen Material mit nach Hause. Ein Unterschied ist nicht gezeigt, verglichen "
      "mit allen. Seltener und häufiger sind beide möglich, von 0,78- bis 1,3-mal so häufig.")),
    (partial(pair_finding, rule(antecedent=(*OLD, *LATE), said="rule")),
     ("Of people who answered “Age: 40 or older” and “Late: Yes”, at least 1.3 times as many took supplies home as "
      "among all. The estimate is 1.4 times as many (1.3–1.6), and the share 54 % (49–59)."),
     ("Mindestens 1,3-mal so viele der Personen, die „Age: 40 or older“ und „Late: Ja“ antworteten, wie unter allen "
      "nahmen Material mit nach Hause. Geschätzt sind 1,4-mal so viele (1,3–1,6) bei einem Anteil von 54 % (49–59).")),
    (partial(pair_finding, rule(antecedent=(*OLD, *THEFT), consequent=LATE, said="rule")),
     ("Of people who said they were people aged 40 or older and took supplies home, at least 1.3 times as many "
      "answered “Late: Yes” as among all. The estimate is 1.4 times as many (1.3–1.6), and the share 54 % (49–59)."),
     ("Von den Personen mit der Antwort „Age: 40 or older“ und „Theft: Ja“ antworteten mindestens 1,3-mal so viele "
      "„Late: Ja“ wie unter allen. Geschätzt sind 1,4-mal so viele (1,3–1,6) bei einem Anteil von 54 % (49–59).")),
    (partial(share_finding, share()),
     "Of all, 38 % (35–41) took supplies home.",
     "38 % (35–41) von allen nahmen Material mit nach Hause."),
    (partial(share_finding, share(disguised_only=True)),
     "Of all who chose disguise, 38 % (35–41) took supplies home.",
     "38 % (35–41) von allen, die Verschleierung gewählt haben, nahmen Material mit nach Hause."),
    (partial(share_finding, share(low=None)),
     "It cannot be said how many answered “Theft: Yes”: the counts contradict each other.",
     "Es lässt sich nicht sagen, wie viele „Theft: Ja“ antworteten: Die Zählungen widersprechen einander."),
    (partial(class_difference_finding, TABLE, CLASS_ROW),
     ("Of people aged 40 or older, at least 6 percentage points more took supplies home than of all others. "
      "The estimate is 17 percentage points (6–28)."),
     ("Mindestens 6 Prozentpunkte mehr der Personen ab 40 nahmen Material mit nach Hause als von allen anderen. "
      "Geschätzt sind 17 Prozentpunkte (6–28).")),
    (partial(arms_finding, arms(0.38, 0.54, 0.16, 0.08, 0.24, 0.001, 0.002)),
     ("Asked directly, 38 % (35–41) took supplies home; with disguise, at least 8 percentage points more. "
      "The estimate is 16 percentage points (8–24)."),
     ("38 % (35–41) der direkt Gefragten nahmen Material mit nach Hause; mit Verschleierung mindestens "
      "8 Prozentpunkte mehr. Geschätzt sind 16 Prozentpunkte (8–24).")),
    (partial(arms_finding, arms(0.38, 0.41, 0.03, -0.05, 0.11, 0.4, 0.8)),
     ("Asked directly, 38 % (35–41) took supplies home. No difference with disguise is shown; anything between "
      "5 percentage points fewer and 11 percentage points more is possible."),
     ("38 % (35–41) der direkt Gefragten nahmen Material mit nach Hause. Ein Unterschied mit Verschleierung ist "
      "nicht gezeigt; bis zu 5 Prozentpunkte weniger und bis zu 11 Prozentpunkte mehr sind möglich.")),
    (partial(understanding_difference_finding, understanding_difference(-0.1, -0.15, -0.05)),
     ("Of people who understood, at least 5 percentage points fewer took supplies home than of the others. "
      "The estimate is 10 percentage points (5–15)."),
     ("Mindestens 5 Prozentpunkte weniger von Menschen, die es verstanden, nahmen Material mit nach Hause als von den "
      "anderen. Geschätzt sind 10 Prozentpunkte (5–15).")),
    (hypothesis("share", 0.38, 0.35, 0.41, met=True, item="theft=yes", than="0.2000"),
     "Of all, 38 % (35–41) took supplies home. That is above 20 %.",
     "38 % (35–41) von allen nahmen Material mit nach Hause. Das liegt über 20 %."),
    (hypothesis("arms", 0.05, 0.02, 0.08, met=True, item="age=40+"),
     ("With disguise, 5 percentage points (2–8) more said they were people aged 40 or older than when asked "
      "directly."),
     ("5 Prozentpunkte (2–8) mehr als bei direkter Frage gehörten zur Gruppe der Personen ab 40, wenn ihre Antwort "
      "verschleiert war.")),
    (hypothesis("association", 1.5, 1.2, 1.9, met=True, antecedent=OLD, consequent=THEFT),
     ("Of people aged 40 or older, more took supplies home than expected by chance, 1.5 times as many (1.2–1.9)."),
     ("Mehr der Personen ab 40 nahmen Material mit nach Hause, als durch Zufall zu erwarten wäre, nämlich 1,5-mal "
      "so viele (1,2–1,9).")),
    (hypothesis("association", 1.1, 0.8, 1.5, met=False, antecedent=OLD, consequent=THEFT),
     ("It is not shown that more or fewer of people aged 40 or older took supplies home than expected by chance. "
      "Less often and more often are both possible, from 0.80 to 1.5 times as often."),
     ("Mehr oder weniger der Personen ab 40 nahmen Material mit nach Hause, als durch Zufall zu erwarten wäre; "
      "gezeigt ist das nicht. Seltener und häufiger sind beide möglich, von 0,80- bis 1,5-mal so häufig.")),
    (hypothesis("coefficient", 0.1, 0.04, 0.16, met=True, item="theft=yes", of="age=40+", model="linear"),
     ("Of people aged 40 or older, 10 percentage points (4–16) more took supplies home than of people who answered "
      "“Age: 18 to 39”."),
     ("10 Prozentpunkte (4–16) mehr der Personen ab 40 als der Personen, die „Age: 18 to 39“ antworteten, nahmen "
      "Material mit nach Hause.")),
    (hypothesis("coefficient", -0.31, -0.42, -0.2, met=True, item="theft=yes", of="age=40+", model="linear",
                covariates=("age", "late")),
     ("Of people aged 40 or older, 31 percentage points (20–42) fewer took supplies home than of people who answered "
      "“Age: 18 to 39”. The compared people are alike in all else that the model holds."),
     ""),
    (hypothesis("coefficient", 0.4, 0.1, 0.7, met=True, item="theft=yes", of="age=40+", model="logit"),
     ("In the model of people who took supplies home, the coefficient of people aged 40 or older compared with people "
      "who answered “Age: 18 to 39” is 0.40 (0.10–0.70)."),
     ""),
]  # fmt: skip


def test_sentences_use_the_words_of_their_answers(subtests: pytest.Subtests) -> None:
    """German cannot derive people from what they did: such a side keeps the quoted form."""
    for made, english, german in SHOWN:
        with subtests.test(english):
            assert sentence_text(made(labels_with(BOTH)).sentence) == english
            if german:
                with translation.override("de"):
                    assert sentence_text(made(labels_with(BOTH, "de")).sentence) == german
    assert sentence_text(pair_finding(rule(), labels_with(BOTH)).converse) == (
        "Of people who took supplies home, 77 % (70–83) said they were people aged 40 or older."
    )
    with translation.override("de"):
        assert sentence_text(pair_finding(rule(), labels_with(BOTH, "de")).converse) == (
            "77 % (70–83) der Personen, die „Theft: Ja“ antworteten, gehörten zur Gruppe der Personen ab 40."
        )


def test_beneath_a_result_of_the_plan_stands_what_the_plan_claims() -> None:
    of_class: Any = {"item": "theft=yes", "of": "age=40+"}
    claims: list[tuple[Made, str]] = [
        (hypothesis("share", 0.38, 0.35, 0.41, met=True, item="theft=yes", than="0.2000"),
         "The share of people who took supplies home is not 20 %."),
        (hypothesis("arms", 0.05, 0.02, 0.08, met=True, item="theft=yes"),
         "The share of people who took supplies home is not the same with disguise as when asked directly."),
        (hypothesis("version", 0.05, 0.02, 0.08, met=True, item="theft=yes", by="late"),
         "The share of people who took supplies home is not the same in both versions of “Late”."),
        (hypothesis("association", 1.5, 1.2, 1.9, met=True, antecedent=OLD, consequent=THEFT),
         "Of people aged 40 or older, more or fewer took supplies home than expected by chance."),
        *(
            (hypothesis("coefficient", 0.1, 0.04, 0.16, met=True, model=model, **of_class),
             (f"In the {model} model of people who took supplies home, the coefficient of people aged 40 or older "
             "compared with people who answered “Age: 18 to 39” is not 0."))
            for model in ("linear", "logit")
        ),
    ]  # fmt: skip
    for made, claim in claims:
        beneath = sentence_text(made(labels_with(BOTH)).beneath)
        assert beneath == f"Planned before the survey opened: {claim} Met; p 0.010 after Holm."


DERIVED = {
    "en": ("people who took supplies home", "said they were people aged 40 or older"),
    "de": ("", "gehörten zur Gruppe der Personen ab 40"),
    "fr": ("les personnes qui ont emporté des fournitures",
           "ont dit compter parmi les personnes de 40 ans ou plus"),
    "es": ("las personas que se llevaron material", "dijeron estar entre las personas de 40 años o más"),
    "ar": ("من أخذوا لوازم", "قالوا إنهم من من أعمارهم 40 أو أكثر"),
    "zh-hans": ("把办公用品带回了家的人", "是40 岁及以上的人"),
}  # fmt: skip


def test_one_answer_text_is_derived_from_the_other_if_grammar_permits() -> None:
    for language, derived in DERIVED.items():
        with translation.override(language):
            labels = labels_with(BOTH, language)
            assert (labels.people(THEFT), labels.predicate(OLD)) == derived
            assert (labels.people(LATE), labels.predicate(LATE)) == ("", "")
    # Words of another language are not put into a sentence.
    english = SentenceTexts({"theft=yes": {"en": "took supplies home"}}, {})
    with translation.override("de"):
        text = sentence_text(share_finding(share(), labels_with(english, "de")).sentence)
    assert text == "38 % (35–41) von allen antworteten „Theft: Ja“."
    # A negative difference has the plural of its size.
    with translation.override("fr"):
        assert points_text(-0.29).endswith("points de pourcentage")


def test_a_german_clause_ends_with_a_comma_inside_a_sentence() -> None:
    texts = SentenceTexts({}, {"theft=yes": {"de": "Personen, die Material mitnahmen"}, "age=40+": OLDER})
    with translation.override("de"):
        found = pair_finding(rule(), labels_with(texts, "de"))
    assert sentence_text(found.converse).startswith(
        "77 % (70–83) der Personen, die Material mitnahmen, gehörten zur Gruppe"
    )
    assert sentence_text(found.sentence).endswith(
        "gehörten zur Gruppe der Personen, die Material mitnahmen. "
        "Geschätzt sind 1,4-mal so viele (1,3–1,6) bei einem Anteil von 54 % (49–59)."
    )


def test_a_number_is_said_by_its_quantity_and_its_unit_in_the_readers_language() -> None:
    design = made_nodes.numbers_design(open_answers=False).mined
    estimates = NumberEstimates(
        900, 0, MeanEstimate(1834.0, 80.0, 1671.0, 1998.0), (QuantileStatement(0.5, 500, 2000),),
        shares=(NumberShare(500, None, 900, 0.7, 0.02, 0.65, 0.75),),
    )  # fmt: skip
    node = NumberNode("debt", "classes", estimates)
    texts = SentenceTexts(
        quantities={"debt": {"en": "their debts", "de": "ihren Schulden"}}, units={"debt": {"de": "Euro"}}
    )
    for language, sentences in {
        "en": [
            "The average of their debts is 1,830 euros (1,670–2,000).",
            "The median of their debts is at least 500 euros and below 2,000 euros.",
            "Of all, 70 % (65–75) answered 500 euros or more for their debts.",
        ],
        "de": [
            "Der Durchschnitt von ihren Schulden ist 1.830 Euro (1.670–2.000).",
            "Der Median von ihren Schulden ist mindestens 500 Euro und liegt unter 2.000 Euro.",
            "70 % (65–75) von allen gaben bei ihren Schulden 500 Euro oder mehr an.",
        ],
    }.items():
        with translation.override(language):
            found = number_findings(node, labels_with(texts, language, design))
            assert [sentence_text(one.sentence) for one in found] == sentences


CHINESE = "一二三四五六七八九十"


def test_in_arabic_no_quotation_mark_is_parted_from_its_word() -> None:
    """In brackets: what is not parted."""
    start, end = "«\u2068", "\u2069»"
    for label, expected in (
        ("Theft: Yes", f"[{start}Theft:] [Yes{end}]"),
        ("Ate too much", f"[{start}Ate] too [much{end}]"),
        ("Theft", f"[{start}Theft{end}]"),
        (f"{CHINESE}{CHINESE}一二三", f"[{start}{CHINESE}]一二三[四五六七八九十一二三{end}]"),
    ):
        with translation.override("ar"):
            html = expected.replace("[", '<span class="nowrap">').replace("]", "</span>")
            assert as_html(quote(label)) == html
    with translation.override("de"):
        assert as_html(quote("Theft: Yes")) == "„\u2068Theft: Yes\u2069“"


@pytest.mark.parametrize(
    ("name", "language", "said"),
    [
        ("supplies", "en", "Of all, 25 % took office supplies home."),
        ("supplies", "zh-hans", "全体中，25%把办公用品带回了家自用。"),
        ("hours", "en", "The average of the hours reported but not worked last month is 24 hours."),
    ],
)
def test_the_line_of_a_question_has_an_invented_figure_and_the_words_of_the_draft(
    name: str, language: str, said: str
) -> None:
    draft = read_questionnaire(demo_content.demo_questionnaire_draft(date(2026, 11, 1)))
    block = next(block for _position, block in all_blocks(draft) if block_key(block) == name)
    line = line_of_report(draft, block, language)
    assert line is not None
    assert (with_usual_spaces(line.sentence), line.quotes) == (said, False)


def test_line_of_a_number_states_an_average_only_where_records_give_one() -> None:
    """The invented number is .4 of 10,000."""
    debt = {"name": "debt", "text": {"en": "How much do you owe?"}, "unit": {"en": "euros"}, "law": "classes",
            "low": 0, "high": 10000, "step": 1, "limits": [2000, 4000, 6000], "cuts": 2}  # fmt: skip
    for rest, said in (
        (2, "The average of “Debt” is 4,000 euros."),
        (0, "The median of “Debt” is at least 4,000 euros and below 6,000 euros."),
    ):
        section = {"kind": "number", "keep": "0.5", "questions": [{**debt, "rest": rest}]}
        draft = read_questionnaire({"format": "candor-design/1", "languages": ["en"], "sections": [section]})
        line = line_of_report(draft, draft.sections[0].questions, "en")
        assert line is not None
        assert with_usual_spaces(line.sentence) == said


def test_an_option_is_quoted_with_its_question() -> None:
    names = [f"used-{name}" for name in ("rum", "gin")]
    options = [
        {"name": name, "text": {"en": "What did you drink?"}, "form": "many", "of": "used",
         "choices": [{"name": "no"}, {"name": "yes", "label": {"en": name[5:].title()}}]}
        for name in names
    ]  # fmt: skip
    section = {"kind": "unrelated-question", "keep": "0.5", "questions": options}
    draft = read_questionnaire({"format": "candor-design/1", "languages": ["en"], "sections": [section]})
    line = line_of_report(draft, draft.sections[0].questions, "en")
    assert line is not None
    assert with_usual_spaces(line.sentence) == "Of all, 25 % answered “Used: Rum”."
