"""What respondents are told of questions that are disguised together."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privacy.kinds.grouped.section import SensitiveQuestion, UnrelatedQuestionSection
from surveys.kinds.chance import Chance, SentIf, ThrownChances, chance_of


@dataclass(frozen=True, slots=True)
class SectionChances(ThrownChances):
    """`keep`: how often the true answers go out. `yes`: how often chance draws a yes, where that is the same for
    every question of the section, else None; `yes_label`: the design's word for it, where all have the same.
    `rarest`: how often the least likely of all answers goes out
    from accounts whose answer it is not.
    """

    questions: int
    asked: int
    keep: Chance
    yes: Chance | None
    rarest: Chance
    yes_label: str = ""

    template: ClassVar[str] = "intake/odds-grouped.html"

    @property
    def rotates(self) -> bool:
        return self.asked < self.questions


def grouped_chances(section: UnrelatedQuestionSection, language: str) -> SectionChances:
    return SectionChances(
        questions=len(section.questions),
        asked=section.asked,
        keep=chance_of(section.keep),
        yes=_same_yes(section.questions),
        rarest=chance_of((1 - section.keep) * _rarest(section.questions)),
        yes_label=_yes_label(section.questions, language),
    )


def _same_yes(questions: tuple[SensitiveQuestion, ...]) -> Chance | None:
    laws = {(question.form in ("yes-no", "many"), question.noise) for question in questions}
    if len(laws) > 1:
        return None
    is_yes_no, noise = laws.pop()
    return chance_of(noise[1]) if is_yes_no else None


def _yes_label(questions: tuple[SensitiveQuestion, ...], language: str) -> str:
    """The label of an option among several is no word for yes."""
    labels = {
        "" if asks.form == "many" else asks.choices[1].label.in_language(language) for asks in questions
    }
    return labels.pop() if len(labels) == 1 else ""


def _rarest(questions: tuple[SensitiveQuestion, ...]) -> Fraction:
    return min(min(question.noise) for question in questions)


def grouped_sent_if(section: UnrelatedQuestionSection, question: SensitiveQuestion) -> SentIf:
    """For each choice how often it goes out from people whose answer it is, and from people whose it is not.

    What others of its section are answered changes nothing in it, nor does the drawing of the questions: it
    is said of a question that was asked.
    """
    keep = section.keep
    return [(keep + (1 - keep) * by_chance, (1 - keep) * by_chance) for by_chance in question.noise]
