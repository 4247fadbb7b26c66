"""Two people edit one draft: what the second does has its effect in its place, or is refused; nothing is lost."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from builder.editing import commands, undo
from builder.editing.commands import order_digest, section_digest
from builder.editing.questions_and_sections import remove_block
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_block_editing import all_blocks, block_key, find_block
from surveys.questionnaire.questionnaire import Questionnaire
from tests.surveys.drafts import bilingual_text, classes, draft, options, plain, question, sensitive

START = draft(
    plain(question("age"), question("work"), *options("use", "bus", "car"), intro=bilingual_text("first")),
    sensitive(
        question("theft", show_if={"work": ["a"]}), question("debt"), asked=1, intro=bilingual_text("second")
    ),
    plain(question("after", show_if={"age": ["a"]}), intro=bilingual_text("third")),
    classes("money", 0, 5, 20, show_if={"work": ["b"]}) | {"intro": bilingual_text("fourth")},
    sensitive(question("drugs"), question("fraud"), intro=bilingual_text("fifth")),
)

BIG = pytest.param(range(4_000), marks=pytest.mark.night(smaller="builder/test_two_people.py"))


@dataclass(frozen=True)
class Press:
    """One button, or one drag, as it stands on the page of one person.

    `section` and `into` are the texts before two sections, by which the same button is found on a page shown later.
    """

    do: str
    key: str = ""
    section: str = ""
    into: str = ""
    row: str = ""
    kind: str = ""

    def forms_to_send(self, page: Questionnaire) -> Iterator[dict[str, str]]:
        """What the button of this page would send: several if the section was duplicated, nothing if it is gone."""
        sent = {"do": self.do, "in": "en", "kind": self.kind, "statements": "A\nB", "scale": "agreement-5"}
        if self.key:
            if self.key not in [block_key(block) for _position, block in all_blocks(page)]:
                return
            sent |= {"order": order_digest(page)} if self.do in ("up", "down", "move") else {}
        wanted = self.section or self.into
        for number, section in enumerate(page.sections):
            if text(section) == wanted:
                place = {"section": str(number)}
                place |= {"row": self.row} if self.into else {"seen": section_digest(section)}
                yield sent | {"key": self.key} | place
        if not wanted:
            yield sent | {"key": self.key}


def text(section: DraftSection) -> str:
    return section.intro.get("en", "")


def presses(page: Questionnaire) -> list[Press]:
    """Whatever can be pressed on this page, and each question dragged anywhere."""
    found = [Press("section-add", kind=kind) for kind in ("sensitive", "plain", "number")]
    for section in page.sections:
        words = [("section-up", ""), ("section-down", ""), ("section-duplicate", ""), ("section-delete", "")]
        kinds = ("yes-no", "one", "many", "control", "number") if section.may_add_questions else ()
        adds = [("add", kind) for kind in kinds]
        for do, kind in [*words, *adds, ("battery-add", ""), ("sets", ""), ("one", "")]:
            found.append(Press(do, section=text(section), kind=kind))
    for _position, block in all_blocks(page):
        key = block_key(block)
        found += [Press(do, key) for do in ("up", "down", "duplicate", "delete")]
        for section in page.sections:
            found += [Press("move", key, into=text(section), row=str(row)) for row in (0, 1, 2)]
    return found


def run(now: Questionnaire, sent: dict[str, str]) -> Questionnaire | None:
    """None where it is refused."""
    try:
        return commands.QUESTIONNAIRE_COMMANDS[sent["do"]](now, sent).draft
    except NotAllowed:
        return None


def random_press(chance: random.Random, page: Questionnaire) -> Press:
    found = presses(page)
    do = chance.choice(sorted({press.do for press in found}))
    return chance.choice([press for press in found if press.do == do])


def section_of(now: Questionnaire, key: str) -> DraftSection:
    return now.sections[find_block(now, key)[0].section]


def protection_of(key: str, now: Questionnaire) -> tuple[str, str]:
    """The section where a question stands: the text before it, and its kind."""
    section = section_of(now, key)
    return text(section), section.kind


def after_some(chance: random.Random, now: Questionnaire, count: int) -> Questionnaire:
    for _edit in range(count):
        for sent in list(random_press(chance, now).forms_to_send(now))[:1]:
            now = run(now, sent) or now
    # A copied or a new section gets a text of its own, as somebody writes it.
    sections = [
        replace(section, intro=bilingual_text(f"section {chance.random()}")) if section.is_known else section
        for section in now.sections
    ]
    return replace(now, sections=tuple(sections))


@pytest.mark.parametrize("seeds", [range(150), BIG])
def test_button_of_an_older_page_acts_the_same_or_is_refused(seeds: range) -> None:
    accepted, wrong = 0, []
    for number in seeds:
        chance = random.Random(number)
        shown = after_some(chance, START, chance.randrange(3))
        first, second = random_press(chance, shown), random_press(chance, shown)
        now = next((after for sent in second.forms_to_send(shown) if (after := run(shown, sent))), None)
        if now is None:
            continue
        for sent in first.forms_to_send(shown):
            after = run(now, sent)
            accepted += after is not None
            fresh = [run(now, later) for later in first.forms_to_send(now)]
            # Of sections of one kind without a question none can be told from another.
            alike = any(not section.questions for section in shown.sections if text(section) == first.section)
            if after is not None and after not in fresh and not alike:
                wrong.append(f"{number}: {first} after {second}")
            if after is not None and first.do in ("up", "down", "move"):
                expected = run(shown, sent)
                assert expected is not None
                if protection_of(first.key, after) != protection_of(first.key, expected):
                    wrong.append(f"{number}: {first} after {second} is in another section")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:20])
    assert accepted > len(seeds) / 4


@pytest.mark.parametrize("seeds", [range(150), BIG])
def test_restored_question_returns_beside_its_neighbours(seeds: range) -> None:
    back, wrong = 0, []
    for number in seeds:
        chance = random.Random(number)
        shown = after_some(chance, START, chance.randrange(3))
        key = chance.choice([block_key(block) for _position, block in all_blocks(shown)])
        try:
            after, removed = remove_block(shown, key)
        except NotAllowed:  # another question is shown only after some of its answers
            continue
        second = random_press(chance, after)
        now = next((changed for sent in second.forms_to_send(after) if (changed := run(after, sent))), after)
        try:
            restored, again = undo.apply_undo_data(now, removed)
        except NotAllowed:
            continue
        back += 1
        if not again:  # a question with a section of its own
            continue
        before, section = section_of(shown, key), section_of(restored, again)
        company = {each.name for each in before.questions} & {each.name for each in section.questions}
        if section.sensitive != before.sensitive or (text(section) != text(before) and not company - {again}):
            wrong.append(f"{number}: {key} after {second}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:20])
    assert back > len(seeds) / 2


def test_undo_from_an_older_page_is_refused_in_words() -> None:
    after, removed = remove_block(START, "debt")
    for key in ("beside", "sensitive"):
        with pytest.raises(NotAllowed, match="cannot be taken back here"):
            undo.apply_undo_data(after, {name: value for name, value in removed.items() if name != key})
