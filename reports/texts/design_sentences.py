"""The sentences of reports about the design of a survey and its run, each with the conditions under which it is true.

Their words stand beside their conditions in templates/reports/design-sentences/.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from django.template import Context, Engine, Node, TemplateSyntaxError
from django.template.base import Parser, Token
from django.utils.translation import gettext

from mining.findings.compute_findings import CONTROLS
from mining.nodes.study_nodes import SHARE
from privacy.guarantee.presets import BEFORE
from privacy.guarantee.repeated_surveys import person_guarantee
from privacy.kinds.disguise_law_interface import Protected
from privacy.kinds.number.classes.section import ClassesQuestion
from privacy.kinds.number.window.section import WindowQuestion
from surveys.permission import Basis
from surveys.phrases.fixed_page_sentence import PLACEHOLDER
from ui.sentence_joining import join_sentences

if TYPE_CHECKING:
    from reports.review.report_page_data import ReportPage

PUBLIC, SIGNED_IN = (f"reports/design-sentences/{name}.html" for name in ("public", "signed-in"))


def _asks_number_by(law: str) -> "Callable[[ReportPage], bool]":
    return lambda report: (
        law
        in {
            question.law_name for question in report.design.questions if isinstance(question, ClassesQuestion)
        }
    )


def _protects_inside_only(report: "ReportPage") -> bool:
    person = person_guarantee(report.design)
    return person is not None and person.protected_people is Protected.INSIDE


def _hardly_protects(report: "ReportPage") -> bool:
    """True if somebody can be surer than 99 % after reading what a person sent."""
    person = person_guarantee(report.design)
    return person is not None and person.posterior_rounded_up(BEFORE, 2) == 1


def _plans_share(report: "ReportPage") -> bool:
    plan = report.content.study.plan
    return plan is not None and any(one.kind == SHARE for one in plan.hypotheses)


CONDITIONS: "Mapping[str, Callable[[ReportPage], bool]]" = {
    "disguise": lambda report: report.design.has_disguise,
    "devices": lambda report: report.design.devices_disguise,
    "secrets": lambda report: report.design.has_crosswise,
    "choice": lambda report: report.design.offers_choice,
    "arms": lambda report: report.design.has_arms,
    "arms-compared": lambda report: (
        report.design.has_arms
        and any(
            not question.scored
            for section in report.mined_design.sections
            for question in section.questions
            if section.sensitive
        )
    ),
    "undisguised": lambda report: report.design.has_group_open,
    "outside": lambda report: any(one.sends_some_as_they_are for one in report.mined_design.sections),
    "inside-only": _protects_inside_only,
    "hardly-protected": _hardly_protects,
    "partly-asked": lambda report: (
        any(one.rotates for one in report.design.sections)
        or any(question.show_if for question in report.design.questions)
    ),
    "drawn-versions": lambda report: bool(report.design.drawn),
    "control-item": lambda report: report.has_study_part(CONTROLS),
    "understanding": lambda report: report.design.understanding,
    "follows": lambda report: bool(report.design.follows),
    "plan": lambda report: report.has_plan,
    "planned-share": _plans_share,
    "numbers": lambda report: report.asks_numbers,
    "places": lambda report: report.asks_places,
    "scores": lambda report: any(question.scored for question in report.mined_design.questions),
    "each-value": _asks_number_by("each-value"),
    "all-limits": _asks_number_by("all-limits"),
    "drawn-values": _asks_number_by("drawn-values"),
    "drawn-limits": _asks_number_by("drawn-limits"),
    "mean-bit": lambda report: any(getattr(question, "rest", 0) for question in report.design.questions),
    "windows": lambda report: any(isinstance(one, WindowQuestion) for one in report.design.questions),
    "asker": lambda report: bool(report.design.asker),
    "contact": lambda report: bool(report.design.contact),
    "host": lambda report: bool(report.design.host),
    "invited": lambda report: report.survey.invited,
    "quotas": lambda report: bool(report.design.quotas),
    "rehearsal": lambda report: report.about.rehearsal,
    "finished": lambda report: report.about.finished,
    "disguised-only": lambda report: report.about.disguised_only,
    "open-records": lambda report: report.about.n_open > 0,
    "left-out": lambda report: report.about.left_out > 0,
    "stratified": lambda report: report.about.estimator == "stratified",
    "pooled": lambda report: report.about.estimator == "pooled",
    "combined": lambda report: report.about.estimator == "combined",
    "pairs": lambda report: report.about.family > 0,
    "one-list": lambda report: report.about.is_one_list,
    "truth": lambda report: report.content.knows_truth,
    "proposed-words": lambda report: report.labels.language in report.labels.sentences.proposal_languages,
    "weighted": lambda report: report.content.weighted is not None,
    "published": lambda report: report.publication is not None,
    "owner-reviewed": lambda report: Basis.OWNER in report.bases_of_decisions,
    "owner-named-reviewer": lambda report: Basis.NAMED in report.bases_of_decisions,
}
"""What a sentence can need, or need the absence of: by its name, whether a report has it."""


@dataclass(frozen=True)
class DesignSentence:
    """A sentence with its conditions: whether each of these must hold, or must not.

    `key`: where it stands, a dot, and its name there; `text`: the English original.
    """

    key: str
    text: str
    conditions: Mapping[str, bool]

    def holds(self, report: "ReportPage") -> bool:
        return all(CONDITIONS[name](report) is is_needed for name, is_needed in self.conditions.items())


@dataclass
class DesignSentenceNode(Node):
    sentence: DesignSentence

    def render(self, context: Context) -> str:
        return ""


def parse_design_sentence(_parser: Parser, token: Token) -> DesignSentenceNode:
    """Parses {% design_sentence "key" _("Text") if condition and not condition %}."""
    _tag, key, text, *words = token.split_contents()
    terms = " ".join(words).removeprefix("if ").split(" and ") if words else []
    conditions = {term.removeprefix("not "): not term.startswith("not ") for term in terms}
    if unknown := conditions.keys() - CONDITIONS.keys():
        raise TemplateSyntaxError(f"{key} needs what is no condition: {', '.join(unknown)}")
    return DesignSentenceNode(DesignSentence(key[1:-1], text[3:-2], conditions))


@cache
def read_design_sentences(template: str) -> tuple[DesignSentence, ...]:
    nodes = Engine.get_default().get_template(template).nodelist.get_nodes_by_type(DesignSentenceNode)
    return tuple(node.sentence for node in nodes if isinstance(node, DesignSentenceNode))


def true_sentences(place: str, report: "ReportPage", **values: object) -> Iterator[str]:
    """Yields the sentences of a place, or the one of a key, that are true of the report, in the reader's language.

    `values` replace the placeholders of the texts.
    """
    for one in (*read_design_sentences(PUBLIC), *read_design_sentences(SIGNED_IN)):
        if place in (one.key, one.key.partition(".")[0]) and one.holds(report):
            yield PLACEHOLDER.sub(lambda match: str(values[match[1]]), gettext(one.text))


def say(place: str, report: "ReportPage", **values: object) -> str:
    """Returns what `true_sentences` yields as one text; empty if nothing of it is true."""
    return join_sentences(true_sentences(place, report, **values))
