"""Section kind `crosswise`: respondents say whether their answers to a yes/no question and to a secret are the same.

See docs/mathematics.md, Crosswise questions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from privacy.grammar.input_error import mark_for_translation as _, quote_value
from privacy.grammar.json_node import PARTS, Node, parts_to_decimal
from privacy.grammar.question import YES_NO
from privacy.grammar.question_reading import REQUIRED, ParsedSoFar, read_question_fields
from privacy.grammar.translated_texts import Texts, read_texts
from privacy.kinds.disguise_law_interface import MinedLaw
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.grouped.section import SensitiveQuestion
from privacy.kinds.section import OneQuestionSection, read_single_question
from privacy.kinds.section_intro_and_random_order import BARE, INTRO, Presentation

# --- law
# The law of a crosswise question: a section of one question whose coin is the respondent's own secret.
# With u the share of people of whom the secret is true, the record says *yes* with probability max(u, 1-u)
# where the true answer is yes, and min(u, 1-u) where it is no. This is a section with keep |1-2u| and noise
# (1/2, 1/2), and
# gamma = max(u, 1-u) / min(u, 1-u)
# Its inverse is that of the section (`SectionLaw.observed`). Reference (docs/references.md): yu-2008. See
# docs/mathematics.md, Crosswise questions.

HALVES = (PARTS // 2, PARTS // 2)


def crosswise_keep_parts(share_parts: int) -> int:
    """Returns the keep probability |1-2u| of a crosswise question, from the share u of its secret; both in
    ten-thousandths."""
    return abs(PARTS - 2 * share_parts)


def crosswise_law(share_parts: int) -> SectionLaw:
    """Returns the disguise law of a crosswise question: keep probability |1-2u|, noise one half for each answer.

    `share_parts`: u, the share of people for whom the secret is true, in ten-thousandths.
    """
    halves = (Fraction(1, 2), Fraction(1, 2))
    return SectionLaw(Fraction(crosswise_keep_parts(share_parts), PARTS), (halves,), 1)


# --- section

SAME, DIFFERENT = 0, 1
"""Codes of the two possible answers of a disguised respondent, in the place of no and yes."""
LEAST_SHARE, MOST_SHARE = PARTS // 20, PARTS * 19 // 20
OPTIONAL = frozenset(
    {"form", "known", "text", "label", "help", "show_if", "secret", "source", "turned_by", "turned"}
)


@dataclass(frozen=True, slots=True)
class CrosswiseQuestion(SensitiveQuestion):
    """A yes/no question answered together with a secret of the respondent, by *same* or *different*.

    `secret` is true of `secret_parts` ten-thousandths of people; `source` says where that share is from.
    `turned_by` names an earlier drawn question, at the index `turned_place`: respondents for whom its second
    choice is drawn are asked the opposite secret, `turned`.
    """

    secret: Texts = field(default_factory=Texts)
    secret_parts: int = 0
    source: str = ""
    turned_by: str = ""
    turned_place: int | None = None
    turned: Texts = field(default_factory=Texts)

    @property
    def secrets(self) -> tuple[Texts, ...]:
        return self.secret, self.turned

    def is_turned(self, codes: Sequence[int] | Mapping[int, int]) -> bool:
        """Returns True if the opposite secret is asked; `codes`: answers to the drawn questions, by index."""
        return self.turned_place is not None and codes[self.turned_place] == 1

    def secret_share(self, turned: bool) -> int:
        """Returns the share of people for whom the asked secret is true, in ten-thousandths.

        `turned`: True if the opposite secret is asked.
        """
        return PARTS - self.secret_parts if turned else self.secret_parts

    def yes_or_no_code(self, same_or_different: int, turned: bool) -> int:
        """Returns the code, 0 no or 1 yes, recorded for the answer *same* (0) or *different* (1).

        *yes* is recorded for *different* if the secret asked is true of fewer than half, else for *same*.
        """
        return same_or_different ^ (self.secret_share(turned) > PARTS // 2)

    def as_json(self) -> dict[str, Any]:
        members = SensitiveQuestion.as_json(self)
        del members["noise"]
        turned = {"turned_by": self.turned_by, "turned": self.turned.as_json()} if self.turned_by else {}
        secret = {
            "secret": self.secret.as_json(),
            "share": parts_to_decimal(self.secret_parts),
            "source": self.source,
        }
        return members | secret | turned


@dataclass(frozen=True, slots=True)
class CrosswiseSection(OneQuestionSection):
    """A section of one crosswise question: the respondent's secret is random, so the device draws nothing.

    The device records the answer of a disguised respondent, 0 *same* or 1 *different*, as no or yes. Open and direct
    respondents answer the plain question.
    """

    kind: ClassVar[str] = "crosswise"
    always_asked: ClassVar[str] = _("a crosswise question is always asked")

    questions: tuple[CrosswiseQuestion]
    presentation: Presentation = BARE

    @property
    def question(self) -> CrosswiseQuestion:
        return self.questions[0]

    @property
    def keep_parts(self) -> int:
        return crosswise_keep_parts(self.question.secret_parts)

    @property
    def law(self) -> SectionLaw:
        return crosswise_law(self.question.secret_parts)

    @property
    def itemset_law(self) -> SectionLaw:  # type: ignore[override]
        return self.law

    @property
    def mined_law(self) -> MinedLaw:
        return MinedLaw(self.keep_parts, (HALVES,))

    def sides_of_coins(self, modulus: int) -> list[int]:
        return []

    def code_to_send(
        self, true: int, coins: Sequence[int], modulus: int, is_open: bool, earlier: Sequence[int]
    ) -> int:
        return true if is_open else self.question.yes_or_no_code(true, self.question.is_turned(earlier))


def read_section(node: Node, sofar: ParsedSoFar) -> CrosswiseSection:
    members = node.members(frozenset({"kind", "questions"}), frozenset({INTRO}))
    return CrosswiseSection(
        *read_single_question(members, sofar, _read_question, _("a crosswise section has one question"))
    )


def _read_question(node: Node, sofar: ParsedSoFar) -> CrosswiseQuestion:
    members = node.members(REQUIRED | {"share"}, OPTIONAL)
    common = read_question_fields(members, sofar)
    if tuple(choice.name for choice in common["choices"]) != YES_NO:
        raise members["choices"].refuse(_("a crosswise question has the choices no, yes in this order"))
    share = members["share"].probability_between(LEAST_SHARE, MOST_SHARE)
    if share == PARTS // 2:
        raise members["share"].refuse(
            _("with a share of one half the answers say nothing: choose another secret")
        )
    source = members.get("source")
    return CrosswiseQuestion(
        **common,
        parts=HALVES,
        secret=_read_secret(members, "secret", sofar),
        secret_parts=share,
        source=source.text() if source else "",
        **_read_opposite_secret(members, sofar),
    )


def _read_opposite_secret(members: dict[str, Node], sofar: ParsedSoFar) -> dict[str, Any]:
    """Reads the drawn question that decides which secret is asked, its index, and the opposite secret."""
    node = members.get("turned_by")
    if node is None:
        if "turned" in members:
            raise members["turned"].refuse(_("%(key)s is missing"), key=quote_value("turned_by"))
        return {}
    name = node.text()
    if name not in sofar.drawn:
        raise node.refuse(_("no earlier drawn question is called %(name)s"), name=quote_value(name))
    if sofar.drawn[name] != HALVES:
        raise node.refuse(
            _("%(name)s has not two choices with a share of one half each"), name=quote_value(name)
        )
    return {
        "turned_by": name,
        "turned_place": sofar.places[name],
        "turned": _read_secret(members, "turned", sofar),
    }


def _read_secret(members: dict[str, Node], key: str, sofar: ParsedSoFar) -> Texts:
    """Reads the text of a secret; refuses a secret that an earlier question of the design uses.

    Two answers with the same secret would reveal whether the private answers agree.
    """
    texts = read_texts(members.get(key), sofar.languages)
    asked = {" ".join(text.split()).casefold() for _language, text in texts.entries}
    if asked & sofar.secrets:
        raise members[key].refuse(_("this secret is used already: choose another for this question"))
    sofar.secrets |= asked
    return texts
