"""An answer that is compared between people who are asked directly and people whose answers are disguised."""

from dataclasses import dataclass
from fractions import Fraction

from privacy.grammar.node import PARTS
from privacy.kinds.grouped.law import SectionLaw


@dataclass(frozen=True)
class ComparedItem:
    """One answer in both arms: its expected share and its law; `asked` is the part of the respondents asked it."""

    share: float
    keep: float
    chance: float
    asked: float

    @classmethod
    def of(cls, law: SectionLaw, share: float, noise: Fraction) -> "ComparedItem":
        keep = float(law.keep)
        return cls(share, keep, (1 - keep) * float(noise), law.asked / len(law.noise))

    def variance(self, direct: int) -> float:
        """Of the difference, with one respondent of whom so many parts are asked directly."""
        received = self.keep * self.share + self.chance
        spread = self.share * (1 - self.share) / direct
        return (spread + received * (1 - received) / self.keep**2 / (PARTS - direct)) / self.asked
