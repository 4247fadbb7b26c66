"""How likely what a device sends is true: the odds that the start page and each question state."""

from dataclasses import dataclass
from fractions import Fraction

from look.odds import odds
from privacy.designs import Design, SensitiveQuestion, UnrelatedQuestionSection


@dataclass(frozen=True, slots=True)
class Chance:
    """A share to be said as odds and as a percentage; `places` are decimals: 60 % is not shown as 60.0 %."""

    value: float
    places: int


@dataclass(frozen=True, slots=True)
class SectionChances:
    """`first` is the number of the section's first question in the survey, from 1.

    `keep`: how often the true answers go out. `yes`: how often chance draws a yes, where that is the same for
    every question of the section, else None. `rarest`: how often the least likely of all answers goes out
    from people whose answer it is not.
    """

    first: int
    questions: int
    asked: int
    keep: Chance
    yes: Chance | None
    rarest: Chance

    @property
    def last(self) -> int:
        return self.first + self.questions - 1

    @property
    def rotates(self) -> bool:
        return self.asked < self.questions

    @property
    def strip(self) -> list[bool]:
        """The odds as a row of marks, True for each time that the true answers go out; empty beyond twenty."""
        said = odds(self.keep.value)
        if said is None or said[1] > 20:
            return []
        return [place < said[0] for place in range(said[1])]


def section_chances(design: Design) -> list[SectionChances]:
    """The sensitive sections of a design, in their order."""
    found: list[SectionChances] = []
    first = 1
    for section in design.sections:
        if isinstance(section, UnrelatedQuestionSection):
            found.append(
                SectionChances(
                    first=first,
                    questions=len(section.questions),
                    asked=section.asked,
                    keep=_share(section.keep),
                    yes=_same_yes(section.questions),
                    rarest=_share((1 - section.keep) * _rarest(section.questions)),
                )
            )
        first += len(section.questions)
    return found


def _share(share: Fraction) -> Chance:
    return Chance(float(share), 0 if (share * 100).denominator == 1 else 1)


def _same_yes(questions: tuple[SensitiveQuestion, ...]) -> Chance | None:
    laws = {(question.form in ("yes-no", "many"), question.noise) for question in questions}
    if len(laws) > 1:
        return None
    is_yes_no, noise = laws.pop()
    return _share(noise[1]) if is_yes_no else None


def _rarest(questions: tuple[SensitiveQuestion, ...]) -> Fraction:
    return min(min(question.noise) for question in questions)


def sent_if(keep: Fraction, question: SensitiveQuestion) -> list[tuple[Fraction, Fraction]]:
    """For each choice how often it goes out from people whose answer it is, and from people whose it is not.

    What others of its section are answered changes nothing in it, nor does the drawing of the questions: it
    is said of a question that was asked.
    """
    return [(keep + (1 - keep) * by_chance, (1 - keep) * by_chance) for by_chance in question.noise]


def question_chances(design: Design) -> dict[str, list[tuple[Fraction, Fraction]]]:
    """`sent_if` for every sensitive question, by name."""
    return {
        question.name: sent_if(section.keep, question)
        for section in design.sections
        if isinstance(section, UnrelatedQuestionSection)
        for question in section.questions
    }
