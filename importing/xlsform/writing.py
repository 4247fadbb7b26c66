"""From a draft to an XLSForm that every tool for them reads, and that reads back here as the same draft."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused
from importing.xlsform import numbers, start_page
from importing.xlsform.columns import RANDOMIZE
from importing.xlsform.names import SAFE_CHOICE, SAFE_NAME, language_column, safe
from importing.xlsform.questions import REFERENCE, SHORT_LABEL
from importing.xlsform.sections import PLAIN, SENSITIVE
from importing.xlsform.workbook import LONGEST_CELL, written as written_workbook
from privacy.grammar.question import SHUFFLED, YES_NO
from privacy.grammar.refusal import Refusal
from privacy.kinds.place.section import PlaceSection
from privacy.kinds.presentation import INTRO, ORDER
from surveys import draft as drafts
from surveys.draft import Draft
from surveys.kinds.number.draft import NUMBER, read_section
from surveys.problems import reason_of
from surveys.questionnaire import normal_form
from surveys.questionnaire.blocks import Block, blocks, is_group
from surveys.questionnaire.section_kind import takes_questions

Node = Mapping[str, Any]
Cells = dict[str, str]
OURS = ("section", "keep", "asked", "noise", "role", "form", "group", "name")
OF_NUMBERS = (
    *("limits", "cuts", "rest", "keep_rest", "mean", "quantiles"),
    *("step", "window", "uniform", "expected_quartiles"),
)
SAME = ("text", "label", "help", "show_if", "role")
"""Values that must be equal in all options of a question of several, so that one row can express them."""


def written(draft: Draft, form_id: str = "candor") -> bytes:
    """`FileRefused` names what a spreadsheet cannot express."""
    draft = normal_form.normalized(draft)
    faults = list(_too_much(draft))
    writer = _Writer(draft)
    survey = list(writer.survey())
    if faults or writer.faults:
        raise FileRefused([*faults, *writer.faults])
    sheets = {
        "survey": _table(survey, writer.survey_columns()),
        "choices": _table(writer.choices, writer.choice_columns()),
        "settings": start_page.written(draft, form_id),
    }
    return written_workbook(sheets)


def dropped(draft: Draft) -> list[str]:
    """What of the draft the spreadsheet does not hold, in words."""
    found = []
    if draft.get("phrases"):
        found.append(_("your translations of the fixed sentences"))
    if any(section.get(drafts.PRESET) for section in drafts.sections(draft)):
        found.append(_("which preset of protection a section follows; its numbers are kept"))
    return found


def _table(rows: Sequence[Cells], columns: Sequence[str]) -> Iterator[Sequence[str]]:
    yield columns
    yield from ([row.get(column, "") for column in columns] for row in rows)


def _too_much(draft: Draft) -> Iterator[Fault]:
    for path, text in _texts(draft, ""):
        if len(text) > LONGEST_CELL:
            yield Fault(path, _("is longer than a cell of a spreadsheet can be"))
        elif REFERENCE in text and path.startswith("sections"):
            yield Fault(path, _("holds ${, which XLSForm takes for an earlier answer"))


def _texts(node: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, str):
        yield path, node
    elif isinstance(node, Mapping):
        for key, each in node.items():
            yield from _texts(each, f"{path}.{key}" if path else str(key))
    elif isinstance(node, list):
        for number, each in enumerate(node):
            yield from _texts(each, f"{path}[{number}]")


def _said(about: str, words: Mapping[str, str]) -> Cells:
    return {f"{about}::{language_column(code)}": text for code, text in words.items()}


def _is_number(section: Node) -> bool:
    return bool(section["kind"] == NUMBER)


class _Writer:
    """Goes down the draft once; what is above a question is known when its rule is written."""

    def __init__(self, draft: Draft) -> None:
        self._draft, self._languages = draft, drafts.languages(draft)
        self.choices: list[Cells] = []
        self.faults: list[Fault] = []
        self._lists: dict[str, str] = {}
        self._said: dict[tuple[str, str], str] = {}
        self._asked_for_no = {
            name
            for section in draft["sections"]
            for question in drafts.questions(section)
            for name, allowed in question.get("show_if", {}).items()
            if "no" in allowed
        }
        self._has_numbers = any(map(_is_number, draft["sections"]))
        self._has_order = any(ORDER in section for section in draft["sections"])
        every = [each for section in draft["sections"] for each in drafts.questions(section)]
        self._has_none = any("none" in each for each in every)
        self._has_labels = any(each.get("label") for each in every)
        self._has_shuffled = any(SHUFFLED in each for each in every)
        wishes = {f"section {number}": f"section_{number}" for number in range(1, len(draft["sections"]) + 1)}
        for section in draft["sections"]:
            if _is_number(section):
                wishes |= {
                    self._key(each, False): str(each.get("name")) for each in drafts.questions(section)
                }
                continue
            for block in blocks(section) if takes_questions(section) else ():
                many = self._is_one_row(block)
                wishes |= {self._key(each, many): each["of"] if many else each["name"] for each in block}
        self._names = safe(wishes, SAFE_NAME, "q")

    def _key(self, question: Node, many: bool) -> str:
        """No question can be called so, since = is in no name."""
        return f"of={question['of']}" if many else f"name={question['name']}"

    def _is_one_row(self, block: Block) -> bool:
        """Whether select_multiple can say it: options that differ in nothing but their words and their noise."""
        if not is_group(block):
            return False
        first = block[0]
        alike = all(each.get(key) == first.get(key) for each in block for key in SAME)
        plainly_no = all(not each["choices"][0]["label"] for each in block)
        # XLSForm cannot tell an option left out from a question that was not shown.
        unclear = bool(first["show_if"]) and any(each["name"] in self._asked_for_no for each in block)
        return alike and plainly_no and not unclear

    def survey_columns(self) -> list[str]:
        more = {
            SHORT_LABEL: self._has_labels,
            "candor_unit": self._has_numbers,
            "candor_none": self._has_none,
        }
        texts = ("label", "hint", *(about for about, is_used in more.items() if is_used))
        said = [f"{about}::{language_column(code)}" for about in texts for code in self._languages]
        constraint, ours = (["constraint"], (*OURS, *OF_NUMBERS)) if self._has_numbers else ([], OURS)
        ours = (*ours, ORDER) if self._has_order else ours
        return [
            "type",
            "name",
            *said,
            "required",
            "relevant",
            *constraint,
            *(["parameters"] if self._has_shuffled else []),
            *(f"candor_{each}" for each in ours),
        ]

    def choice_columns(self) -> list[str]:
        said = [f"label::{language_column(code)}" for code in self._languages]
        return ["list_name", "name", *said, "candor_name", "candor_preset"]

    def survey(self) -> Iterator[Cells]:
        for number, section in enumerate(self._draft["sections"]):
            if _is_number(section):
                if INTRO in section:
                    name = self._names[f"section {number + 1}"]
                    yield {"type": "note", "name": name, **_said("label", section[INTRO])}
                yield from self._number(section, f"sections[{number}]")
                continue
            if section["kind"] == PlaceSection.kind:
                words = _(
                    "a place and its cells have no words in XLSForm; export the survey in Candor’s own format"
                )
                self.faults.append(Fault(f"sections[{number}]", words))
                continue
            if not takes_questions(section):
                self.faults.append(
                    Fault(f"sections[{number}]", _("is of a kind that XLSForm has no word for"))
                )
                continue
            yield {
                "type": "begin_group",
                "name": self._names[f"section {number + 1}"],
                "candor_section": SENSITIVE if drafts.is_sensitive(section) else PLAIN,
                "candor_keep": section.get("keep", ""),
                "candor_asked": str(section.get("asked", "")),
                f"candor_{ORDER}": section.get(ORDER, ""),
                **_said("label", section.get(INTRO, {})),
            }
            for block in blocks(section):
                yield from self._rows(block, not drafts.is_sensitive(section))
            yield {"type": "end_group"}

    def _number(self, section: Node, path: str) -> Iterator[Cells]:
        """The row of a number; nothing where it is not finished, since no file could give it back."""
        try:
            read_section(dict(section))
        except Refusal as refusal:
            self.faults.append(Fault(path, reason_of(refusal)))
            return
        question = section["questions"][0]
        name = self._names[self._key(question, False)]
        yield {
            "name": name,
            "candor_name": question["name"] if question["name"] != name else "",
            **numbers.cells(section),
            **self._common(question),
            **_said("candor_unit", question["unit"]),
        }

    def _rows(self, block: Block, plain: bool) -> Iterator[Cells]:
        if self._is_one_row(block):
            yield self._many(block, plain)
        else:
            yield from (self._one(each, plain) for each in block)

    def _one(self, question: Node, plain: bool) -> Cells:
        name, form = self._names[self._key(question, False)], question["form"]
        called = safe({each["name"]: each["name"] for each in question["choices"]}, SAFE_CHOICE, "c")
        rows = [
            {
                "name": called[each["name"]],
                "candor_name": each["name"] if each["name"] != called[each["name"]] else "",
                "label": each["label"],
            }
            for each in question["choices"]
        ]
        inferred = "yes-no" if {each["name"] for each in question["choices"]} == set(YES_NO) else "one"
        cells = {
            "type": f"select_one {self._list(name, rows, question)}",
            "name": name,
            "candor_name": question["name"] if question["name"] != name else "",
            "candor_form": form if form != inferred else "",
            "candor_group": question.get("of", ""),
            "candor_noise": " ".join(
                f"{called[each['name']]}={noise}"
                for each, noise in zip(question["choices"], question.get("noise", ()), strict=False)
            ),
        }
        cells |= self._common(question)
        if plain:
            self._said |= {(question["name"], each): f"${{{name}}} = '{called[each]}'" for each in called}
        return cells

    def _many(self, block: Block, plain: bool) -> Cells:
        name, group = self._names[self._key(block[0], True)], block[0]["of"]
        options = {each["name"]: each["name"].removeprefix(f"{group}-") for each in block}
        called = safe(options, SAFE_CHOICE, "c")
        rows = [
            {
                "name": called[each["name"]],
                "candor_name": each["name"] if each["name"] != f"{group}-{called[each['name']]}" else "",
                "label": each["choices"][1]["label"],
            }
            for each in block
        ]
        cells = {
            "type": f"select_multiple {self._list(name, rows, block[0])}",
            "name": name,
            "candor_name": group if group != name else "",
            "candor_noise": " ".join(
                f"{called[each['name']]}={each['noise'][1]}" for each in block if "noise" in each
            ),
        }
        cells |= self._common(block[0])
        if plain:
            for option, choice in called.items():
                yes = f"selected(${{{name}}}, '{choice}')"
                self._said |= {(option, "yes"): yes, (option, "no"): f"not({yes})"}
        return cells

    def _common(self, question: Node) -> Cells:
        cells = {"required": "yes", "relevant": self._relevant(question)}
        texts = {
            "label": question["text"],
            "hint": question["help"],
            SHORT_LABEL: question.get("label", {}),
            "candor_none": question.get("none", {}),
        }
        for about, said in texts.items():
            cells |= _said(about, said)
        cells |= {"parameters": RANDOMIZE} if SHUFFLED in question else {}
        return cells | ({"candor_role": question["role"]} if question.get("role") == "quasi" else {})

    def _list(self, name: str, rows: Sequence[dict[str, Any]], question: Node) -> str:
        """The name of the list with these choices; questions with the same choices share it."""
        if not rows:
            self.faults.append(Fault(question["name"], _("has no choices yet")))
        key = json.dumps(rows, sort_keys=True)
        if key not in self._lists:
            self._lists[key] = name
            for row in rows:
                words = row["label"] or self._preset(row["candor_name"] or row["name"])
                named = {"list_name": name, "name": row["name"], "candor_name": row["candor_name"]}
                self.choices.append(
                    named | _said("label", words) | ({} if row["label"] else {"candor_preset": "yes"})
                )
        return self._lists[key]

    def _preset(self, name: str) -> dict[str, str]:
        """The label of a choice without one: Yes and No in our languages, else its name."""
        said = {}
        for code in self._languages:
            with drafts.speaking(code):
                said[code] = {"yes": _("Yes"), "no": _("No")}.get(name, name)
        return said

    def _relevant(self, question: Node) -> str:
        parts = []
        for name, allowed in question.get("show_if", {}).items():
            asks = [self._said.get((name, choice), "") for choice in allowed]
            if not asks or not all(asks):
                reason = _("its rule on %(name)s is broken; mend it first") % {"name": name}
                self.faults.append(Fault(question["name"], reason))
            parts.append(" or ".join(asks) if len(asks) == 1 else f"({' or '.join(asks)})")
        return " and ".join(parts)
