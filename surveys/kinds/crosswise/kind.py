"""Crosswise questions: people say only whether two of their answers are the same, one of them to a secret question.
Form, protection, warnings and columns of record files.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from privacy.designs import Texts
from privacy.grammar.json_node import PARTS
from privacy.grammar.question import DRAWN
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_error import (
    NORMAL_95,
    SectionParameters,
    SupposedSupports,
    itemset_error_curve,
)
from privacy.kinds.crosswise.section import (
    DIFFERENT,
    LEAST_SHARE,
    MOST_SHARE,
    SAME,
    CrosswiseQuestion,
    CrosswiseSection,
)
from privacy.kinds.grouped.law import SectionLaw
from surveys.draft_json import DEFAULT_SHARE
from surveys.kinds.crosswise.draft import (
    LONGEST_SOURCE,
    CrosswiseDraft,
    CrosswiseDraftQuestion,
    crosswise_questions,
    is_secret_share_allowed,
)
from surveys.kinds.kind_interface import ComparedItem, QuestionKind, QuestionProtection
from surveys.kinds.percent_fields import (
    ProbabilityField,
    percent_text,
    probability_text,
    ten_thousandths_from_percent,
)
from surveys.kinds.protection_page_elements import (
    WIDE,
    SettingsWarning,
    few_answers_warning,
    margin_text,
    wide_margin_warning,
)
from surveys.kinds.question_form import QuestionBlockForm, QuestionBlockSummary, translated_text_field
from surveys.kinds.record_file_columns import GROUPED_COLUMNS, FileColumns
from surveys.kinds.start_page_probabilities import Chance, Chances, chance_from_share
from surveys.questionnaire.draft_question import QuestionInput
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.question_block_editing import (
    Block,
    block_html_id,
    find_block,
    question_text_with_fallback,
    unused_question_name,
)
from surveys.questionnaire.questionnaire import CommandResult, Questionnaire, Sent, read_question_key
from surveys.questionnaire.show_if_rules import questions_that_rules_may_name
from surveys.questionnaire.value_normalization import normal_text
from ui.number_format import format_percent

EXPECTED_SHARE = float(DEFAULT_SHARE)  # of yes, which the margin of error supposes
HALVES = ("0.5000", "0.5000")
ALIKE, PIECE, COMPARED = 0.5, 3, 400
"""For `text_similarity`: the similarity from which a warning is shown, the length of pieces, and the number
of characters compared."""


@dataclass(frozen=True)
class CrosswiseProtection(QuestionProtection):
    """Protection and expected errors of a crosswise question."""

    template: ClassVar[str] = "builder/crosswise-results.html"

    laws: tuple[SectionLaw]
    section: CrosswiseDraft

    @property
    def secret_share(self) -> float:
        """Share of people of whom the secret is true."""
        return self.section.question.secret_share_in_ten_thousandths / PARTS

    @property
    def truth_probability(self) -> float:
        """Probability that a record shows the true answer."""
        return max(self.secret_share, 1 - self.secret_share)

    @cached_property
    def half_width(self) -> float:
        curve = itemset_error_curve(
            [(SectionParameters.from_law(self.laws[0], [1]), [0])], SupposedSupports((EXPECTED_SHARE,))
        )
        assert curve is not None
        return float(NORMAL_95 * curve.error_for(self.respondents).se)

    @property
    def share_margins(self) -> tuple[float, ...]:
        return (self.half_width,) if self.has_enough_answers else ()

    @property
    def margin_text(self) -> str:
        return margin_text(self.half_width, self.has_enough_answers)

    @property
    def settings_and_error_text(self) -> str:
        values = {"share": format_percent(self.secret_share, 2), "margin": self.margin_text}
        return _("secret true for %(share)s of people, share %(margin)s") % values


def crosswise_protection(
    section: CrosswiseDraft, respondents: int, prior: Fraction, language: str = ""
) -> CrosswiseProtection | None:
    """Returns guarantee and expected errors of a crosswise section; None if the secret's share is not allowed."""
    law = section.disguise_law()
    return CrosswiseProtection((law,), respondents, prior, section) if law else None


class CrosswiseForm(QuestionBlockForm):
    """Form for the secret, its share of people with the source, and the question by whose random answer a device asks
    the opposite secret."""

    template = "builder/question-crosswise.html"
    section: CrosswiseDraft

    def add_kind_fields(self) -> None:
        question = self.section.question
        share = ProbabilityField(
            label=_("Share of people of whom the secret is true (%)"),
            help_text=_("From 5 to 95, and not 50. Nearer to 50 protects more and shows less."),
        )
        path = f"sections[{self.position.section}].questions[0].source"
        source = translated_text_field(
            _("Source of this share"), path, required=False, max_length=LONGEST_SOURCE
        )
        source.help_text = _("Respondents can read it in the survey design.")
        self.fields.update(share=share, source=source)
        self.initial.update(share=percent_text(question.share), source=question.source)
        # Drawn questions above that can turn it, or did so before.
        offered = {
            block[0].name: question_text_with_fallback(block, self.language)
            for block in questions_that_rules_may_name(self.draft, self.key)
            if block[0].form == DRAWN and block[0].shares == HALVES
        }
        if now := question.turned_by:
            offered.setdefault(now, now)
        if offered:
            self.fields["turned_by"] = forms.ChoiceField(
                label=_("Ask the opposite secret in half of the cases, by"),
                choices=[("", _("Never")), *offered.items()],
                required=False,
                widget=forms.Select(attrs={"data-keeps-not": ""}),
            )
            self.initial["turned_by"] = now
        self.add_name_field()

    def clean_share(self) -> Decimal:
        share: Decimal = self.cleaned_data["share"]
        if not is_secret_share_allowed(ten_thousandths_from_percent(share)):
            raise forms.ValidationError(
                _("From %(least)s to %(most)s, and not 50: at 50 the answers would say nothing.")
                % {"least": LEAST_SHARE * 100 // PARTS, "most": MOST_SHARE * 100 // PARTS}
            )
        return share

    def apply_to_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        (question,) = block
        assert isinstance(question, CrosswiseDraftQuestion)
        source = normal_text(cleaned["source"]).strip()
        question = replace(question, share=probability_text(cleaned["share"]), source=source)
        return [question.with_turning_question(cleaned.get("turned_by", question.turned_by))]

    @cached_property
    def saved_protection(self) -> CrosswiseProtection | None:
        """Guarantee and errors of the saved question, without unsaved input."""
        return crosswise_protection(self.section, self.draft.disguised_respondents, PRIOR)


@dataclass(frozen=True, slots=True)
class CrosswiseChances(Chances):
    """Probabilities that the start page states for a crosswise question.

    `share`: the share of people who say yes to the secret question, according to `source`. `rarest`: how often the
    record of a person suggests the wrong answer. `has_forms`: the device draws whether it asks the opposite secret.
    """

    share: Chance
    rarest: Chance
    source: str
    has_forms: bool
    template: ClassVar[str] = "intake/odds-crosswise.html"


def announce_opposite_secret_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    """Returns a message that says whether the opposite secret is asked; changes nothing, since the form has already
    saved that."""
    key = read_question_key(sent)
    _position, (question,) = find_block(draft, key)
    is_turned = isinstance(question, CrosswiseDraftQuestion) and question.turned_by
    message = _("Write the opposite secret.") if is_turned else _("The secret is the same for everybody.")
    return CommandResult(draft, message, key, True, f"{block_html_id(key)}-turned_by")


class CrosswiseKind(QuestionKind[CrosswiseDraft]):
    draft = CrosswiseDraft
    device = "privacy/kinds/crosswise.js"
    module = "crosswise"
    title = gettext_lazy("Crosswise question")
    adds = gettext_lazy("A crosswise question")
    button = gettext_lazy("Add a crosswise question")
    form_class = CrosswiseForm
    promise = "builder/promise-crosswise.html"
    panel = "builder/results-crosswise.html"
    heading = gettext_lazy("A crosswise question: %(name)s")
    commands = {"turn": announce_opposite_secret_command}
    protection = staticmethod(crosswise_protection)

    def new_section(self, draft: Questionnaire) -> CrosswiseDraft:
        question = CrosswiseDraft.read_question(
            QuestionInput({}, {"name": unused_question_name(draft)}, draft.languages)
        )
        return CrosswiseDraft(questions=(question,))

    def summary_line(self, block: Block, language: str) -> QuestionBlockSummary:
        (question,) = block
        secret = question.secret.get(language) if isinstance(question, CrosswiseDraftQuestion) else None
        return QuestionBlockSummary(_("Crosswise question"), (secret,) if secret else ())

    def section_within_limit(self, section: CrosswiseDraft, limit: GammaLimit) -> None:
        """Returns None: the protection depends on the secret's share only, so no setting can be changed."""
        return

    def settings_that_end_presets(self, section: CrosswiseDraft) -> Any:
        """Returns the question's name and the secret's share, which only the page of the questionnaire changes."""
        return [section.question.name, section.question.share]

    def start_page_chances(self, section: CrosswiseSection, language: str) -> CrosswiseChances:
        question = section.question
        true = Fraction(question.secret_parts, PARTS)
        return CrosswiseChances(
            chance_from_share(true),
            chance_from_share(min(true, 1 - true)),
            question.source,
            bool(question.turned_by),
        )

    def items_compared_between_arms(self, section: CrosswiseDraft) -> Iterator[ComparedItem]:
        if law := section.disguise_law():
            yield ComparedItem.from_law(law, EXPECTED_SHARE, Fraction(1, 2))

    def secret_texts(self, question: CrosswiseQuestion) -> Texts:
        return question.secret

    def answers_without_script(self, question: CrosswiseQuestion) -> Sequence[tuple[str, int]]:
        answers = ((SAME, "crosswise_same"), (DIFFERENT, "crosswise_different"))
        return [(phrase, question.yes_or_no_code(word, turned=False)) for word, phrase in answers]

    def file_columns(self, section: CrosswiseSection) -> FileColumns:
        return GROUPED_COLUMNS

    def warnings(self, draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
        section = draft.sections[number]
        assert isinstance(section, CrosswiseDraft)
        if not section.question.source.strip():
            text = _(
                "The share of the secret has no source. A wrong share makes the estimate wrong: write where it comes "
                "from, for example a register or a calendar."
            )
            yield SettingsWarning("source", text, (), number)
        earlier = (question for index, question in crosswise_questions(draft) if index < number)
        alike = (
            question.name
            for question in earlier
            if any(
                text_similarity(*pair) >= ALIKE
                for pair in product(section.question.secret_texts, question.secret_texts)
            )
        )
        if name := next(alike, ""):
            text = _(
                "The secret is similar to that of “%(name)s”. If one secret tells about the other, the two answers "
                "together tell more than stated. Ask about another person."
            )
            yield SettingsWarning("alike", text % {"name": name}, (), number)
        protection = crosswise_protection(section, draft.disguised_respondents, PRIOR)
        if protection and not protection.has_enough_answers:
            yield few_answers_warning(draft, number)
        elif protection and protection.half_width > WIDE:
            text = _(
                "With %(expected)s answers, the share of this crosswise question is known only to ±%(points)s points."
            )
            yield wide_margin_warning(text, draft, protection.half_width, number)


def text_similarity(first: str, second: str) -> float:
    """Returns how similar two secrets are, from 0 to 1, to warn if one is asked twice.

    Jaccard index of the sets of three-letter substrings of their beginnings, ignoring case and repeated spaces.
    """
    pieces, others = _trigrams(first), _trigrams(second)
    return len(pieces & others) / len(pieces | others) if pieces and others else 0.0


def _trigrams(text: str) -> set[str]:
    """Returns the set of three-letter substrings of a text's beginning."""
    letters = " ".join(text.split()).casefold()[:COMPARED]
    starts = range(max(1, len(letters) - PIECE + 1)) if letters else ()
    return {letters[start : start + PIECE] for start in starts}
