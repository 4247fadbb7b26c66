"""Reads Qualtrics surveys (.qsf): converts them to LimeSurvey's structure, from which the LimeSurvey reader makes the
draft."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused
from importing.import_result import ImportResult
from importing.limesurvey.draft_reader import LOOPS, OF_QUALTRICS, draft_from_survey
from importing.limesurvey.question_types import EXCLUDING, NOTE, NUMBER
from importing.limesurvey.survey_structure import LimeGroup, LimeQuestion, LimeQuota, LimeSurvey, add_text
from importing.markup_removal import plain_text

MARK = b'"SurveyElements"'
Members = Mapping[str, Any]
SINGLE, SEVERAL, TABLE, FREE_TEXT, NUMBERS = "O", "P", "F", "S", "K"
"""LimeSurvey's types that answers of Qualtrics become; those of lists leave words in one's own out."""
OTHER_KINDS = {
    "DB": NOTE,
    "RO": "R",
    "CS": NUMBERS,
    "FileUpload": "|",
    "Meta": "*",
    "Timing": "*",
    "SBS": "1",
}
CHINESE = {"zh-s": "zh-hans", "zh-t": "zh-hant"}
ENDS = "EndCurrentSurvey"
"""What a quota does that ends the survey for a person who is over it."""
MOST_NESTED = 20
"""Branches within branches."""


def looks_like_qsf(data: bytes) -> bool:
    """True if the file begins as a Qualtrics survey does."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and MARK in data


def read(data: bytes) -> ImportResult:
    """Returns the import result; raises `FileRefused` with every reason if there is no draft in the file."""
    return draft_from_survey(parse(data))


def parse(data: bytes) -> LimeSurvey:
    """Returns the survey of a .qsf file in LimeSurvey's structure."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise _file_refusal(_("is damaged; export it from Qualtrics again")) from None
    elements = [
        each for each in _as_list(_as_mapping(content).get("SurveyElements")) if isinstance(each, Mapping)
    ]
    if not elements:
        raise _file_refusal(_("is no survey of Qualtrics (.qsf)"))
    return _SurveyElements(_as_mapping(content.get("SurveyEntry")), elements).make_survey()


def _file_refusal(reason: str) -> FileRefused:
    return FileRefused([Fault(_("the file"), reason)])


def _as_mapping(node: object) -> Members:
    return node if isinstance(node, Mapping) else {}


def _as_list(node: object) -> list[Any]:
    """Returns the items of a list, which Qualtrics writes as an array or as an object with numbers for keys."""
    return list(node.values()) if isinstance(node, Mapping) else node if isinstance(node, list) else []


def _as_text(node: object) -> str:
    """Returns a text with its inserted expressions (`${...}`) in LimeSurvey's notation."""
    return str(node).replace("${", "{") if isinstance(node, str | int | float) else ""


def _language_code(name: str) -> str:
    code = name.strip().lower()
    return CHINESE.get(code, code)


class _SurveyElements:
    """The elements of a .qsf file by kind (questions, blocks, flow), from which the survey is made."""

    def __init__(self, entry: Members, elements: list[Members]) -> None:
        self._entry, self._base = entry, _language_code(_as_text(entry.get("SurveyLanguage"))) or "en"
        self._languages = {self._base: None}
        of_kind: dict[str, list[Members]] = {}
        for element in elements:
            of_kind.setdefault(_as_text(element.get("Element")), []).append(element)
        self._questions = {
            _as_text(each.get("PrimaryAttribute")): _as_mapping(each.get("Payload"))
            for each in of_kind.get("SQ", [])
        }
        blocks = [
            _as_mapping(block) for each in of_kind.get("BL", []) for block in _as_list(each.get("Payload"))
        ]
        self._blocks = {_as_text(block.get("ID")): block for block in blocks if block.get("Type") != "Trash"}
        self._quotas = [_as_mapping(each.get("Payload")) for each in of_kind.get("QO", [])]
        self._flow = [
            step for each in of_kind.get("FL", []) for step in self._flow_steps(each.get("Payload"))
        ]

    def make_survey(self) -> LimeSurvey:
        survey = LimeSurvey()
        add_text(
            survey.words.setdefault("surveyls_title", {}), self._base, _as_text(self._entry.get("SurveyName"))
        )
        # A block that several branches lead to is asked once, wherever one of them holds.
        led_to: dict[str, list[str]] = {}
        for identity, condition in self._flow or [(block, "") for block in self._blocks]:
            led_to.setdefault(identity, []).append(condition)
        for identity, conditions in led_to.items():
            if block := self._blocks.get(identity):
                relevance = " or ".join(conditions) if all(conditions) else ""
                survey.groups.append(self._make_group(block, relevance, len(survey.groups) + 1))
        survey.languages = dict(self._languages)
        survey.quotas = {str(number): self._quota(quota) for number, quota in enumerate(self._quotas)}
        return survey

    def _quota(self, quota: Members) -> LimeQuota:
        """A quota that ends the survey for people who selected certain choices; any other is named."""
        name, limit = _as_text(quota.get("Name")), _as_text(quota.get("Occurrences"))
        if quota.get("QuotaAction") != ENDS:
            return LimeQuota(name, limit, obstacle=_("does not end the survey for people who are over it"))
        sets = _numbered_members(quota.get("Logic"))
        terms = [term for one_set in sets for term in _numbered_members(one_set)]
        members = [self._quota_member(term) for term in terms]
        signs = {_as_text(term.get("Conjuction")).lower() or "and" for term in terms[1:]}
        if len(sets) != 1 or signs - {"and"} or None in members or quota.get("QuotaSchedule"):
            return LimeQuota(name, limit, obstacle=_("has a condition that no quota here can say"))
        return LimeQuota(name, limit, [member for member in members if member])

    def _quota_member(self, term: Members) -> tuple[str, str] | None:
        """The code of a question and of its choice that was selected; None for any other term."""
        parts = _as_text(term.get("LeftOperand") or term.get("ChoiceLocator")).removeprefix("q://").split("/")
        if term.get("Operator") != "Selected" or len(parts) != 3 or parts[1] != "SelectableChoice":
            return None
        return _as_text(self._questions.get(parts[0], {}).get("DataExportTag")) or parts[0], parts[2]

    def _flow_steps(self, node: object, condition: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
        """Yields each block in the order in which it is asked, with the joined conditions of its branches."""
        if depth > MOST_NESTED:
            raise _file_refusal(_("holds more than a questionnaire"))
        for step in map(_as_mapping, _as_list(_as_mapping(node).get("Flow"))):
            if identity := _as_text(step.get("ID")):
                yield identity, condition
            both = [each for each in (condition, self._condition_expression(step.get("BranchLogic"))) if each]
            yield from self._flow_steps(step, " and ".join(both), depth + 1)

    def _make_group(self, block: Members, condition: str, number: int) -> LimeGroup:
        """Returns the questions of a block; the block's name is left out, since respondents never see it."""
        group = LimeGroup(_("group %(number)s") % {"number": number}, relevance=condition)
        is_repeated = bool(_as_mapping(block.get("Options")).get("Looping") not in (None, "None", ""))
        for element in map(_as_mapping, _as_list(block.get("BlockElements"))):
            if (asked := self._questions.get(_as_text(element.get("QuestionID")))) is not None:
                group.questions.append(
                    self._make_question(_as_text(element["QuestionID"]), asked, is_repeated)
                )
        return group

    def _make_question(self, question_id: str, payload: Members, is_repeated: bool) -> LimeQuestion:
        code = _as_text(payload.get("DataExportTag")) or question_id
        settings = _as_mapping(_as_mapping(payload.get("Validation")).get("Settings"))
        question = LimeQuestion(
            _("question %(code)s") % {"code": code},
            code,
            _question_type(payload, settings),
            relevance=self._condition_expression(payload.get("DisplayLogic")),
            mandatory=settings.get("ForceResponse") == "ON",
            aliases=(_variable_name(question_id),),
        )
        parts = question.subquestions if question.kind in (TABLE, SEVERAL) else question.answers
        words = {self._base: payload}
        for language, spoken in _as_mapping(payload.get("Language")).items():
            words[_language_code(language)] = _as_mapping(spoken)
        for language, said in words.items():
            self._languages[language] = None
            add_text(question.text, language, _as_text(said.get("QuestionText")))
            for key, label in _ordered_labels(payload, said, "Choice"):
                add_text(parts.setdefault(("0", key), {}), language, label)
            for key, label in _ordered_labels(payload, said, "Answer") if question.kind == TABLE else ():
                add_text(question.answers.setdefault(("0", key), {}), language, label)
        choices = list(map(_as_mapping, _as_list(payload.get("Choices"))))
        question.has_conditional_parts = any(choice.get("DisplayLogic") for choice in choices)
        question.attributes = dict(_advanced_settings(payload, settings))
        if is_repeated:
            question.attributes[LOOPS] = "1"
        return question

    def _condition_expression(self, logic: object) -> str:
        """Returns display logic or branch logic as a LimeSurvey expression.

        Parts that cannot be expressed stay sentences, and are refused later.
        """
        joined = ""
        for terms in _numbered_members(logic):
            written = self._terms_expression(_numbered_members(terms))
            sign = "or" if terms.get("Type") == "OrIf" else "and"
            joined = f"{joined} {sign} {written}" if joined else written
        return f"({joined})" if joined else ""

    def _terms_expression(self, terms: list[Members]) -> str:
        """Returns a set of terms as an expression; if "and" and "or" are mixed, or a term is unknown, as sentences."""
        signs = {_as_text(term.get("Conjuction")).lower() or "and" for term in terms[1:]}
        written = [self._term_expression(term) for term in terms]
        if len(signs) > 1 or not all(written):
            # Of a mixture of and and or nothing says what is meant first.
            return " ".join(plain_text(_as_text(term.get("Description"))) for term in terms) or "?"
        return "(" + f" {next(iter(signs), 'and')} ".join(written) + ")"

    def _term_expression(self, term: Members) -> str:
        """Returns the test of whether one choice was selected; empty for any other term."""
        sign = {"Selected": "==", "NotSelected": "!="}.get(_as_text(term.get("Operator")))
        parts = _as_text(term.get("LeftOperand") or term.get("ChoiceLocator")).removeprefix("q://").split("/")
        if sign is None or len(parts) != 3 or parts[1] != "SelectableChoice":
            return ""
        identity, _selectable, choice = parts
        asked = self._questions.get(identity, {})
        if _question_type(asked, {}) == SEVERAL:
            return f'{_variable_name(identity)}{choice} {sign} "Y"'
        return f'{_variable_name(identity)} {sign} "{choice}"'


def _question_type(payload: Members, settings: Members) -> str:
    """Returns LimeSurvey's type letter of a Qualtrics question."""
    kind, selector = _as_text(payload.get("QuestionType")), _as_text(payload.get("Selector"))
    if kind == "MC":
        return SEVERAL if selector.startswith("MA") or selector == "MSB" else SINGLE
    if kind == "Matrix":
        return TABLE if payload.get("SubSelector") in ("SingleAnswer", "DL") else "?"
    if kind == "TE":
        return NUMBER if settings.get("ContentType") == "ValidNumber" else FREE_TEXT
    if kind == "Slider":
        return NUMBER if len(_as_list(payload.get("Choices"))) == 1 else NUMBERS
    return OTHER_KINDS.get(kind, "?")


def _ordered_labels(payload: Members, translation: Members, member: str) -> Iterator[tuple[str, str]]:
    """Yields the choices or answers (`member`) of a question in their order, with their labels in one language."""
    words = translation.get(f"{member}s")
    by_key = words if isinstance(words, Mapping) else dict(enumerate(_as_list(words), 1))
    labels = {str(key): _as_text(_as_mapping(each).get("Display")) for key, each in by_key.items()}
    order = [_as_text(key) for key in _as_list(payload.get(f"{member}Order"))]
    for key in dict.fromkeys([*(each for each in order if each in labels), *labels]):
        yield key, labels[key]


def _advanced_settings(payload: Members, settings: Members) -> Iterator[tuple[str, str]]:
    """Yields the advanced settings by LimeSurvey's names; settings without one by Qualtrics' names."""
    configuration, number = (
        _as_mapping(payload.get("Configuration")),
        _as_mapping(settings.get("ValidNumber")),
    )
    yield "min_num_value_n", _as_text(number.get("Min") or configuration.get("CSSliderMin"))
    yield "max_num_value_n", _as_text(number.get("Max") or configuration.get("CSSliderMax"))
    randomised = _as_text(_as_mapping(payload.get("Randomization")).get("Type"))
    yield "random_order", {"All": "1", "None": ""}.get(randomised, randomised)
    exclusive = [
        str(key)
        for key, each in _as_mapping(payload.get("Choices")).items()
        if _as_mapping(each).get("ExclusiveAnswer")
    ]
    yield EXCLUDING, ";".join(exclusive)
    yield from ((name, "1") for name in OF_QUALTRICS if payload.get(name))


def _variable_name(question_id: str) -> str:
    """Returns the name of a question in conditions; an appended number refers to that option or row."""
    return f"{question_id}_"


def _numbered_members(node: object) -> list[Members]:
    """Returns the members with numbers for keys in their order: the sets of a logic, or the terms of a set."""
    members = _as_mapping(node)
    return [_as_mapping(members[key]) for key in sorted(filter(str.isdecimal, members), key=int)]
