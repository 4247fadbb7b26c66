"""Surveys of Qualtrics (.qsf): written as a survey of LimeSurvey, whose reader makes the draft of it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused
from importing.limesurvey.kinds import EXCLUDING, NOTE, NUMBER
from importing.limesurvey.reading import LOOPS, OF_QUALTRICS, read_survey
from importing.limesurvey.survey import LimeGroup, LimeQuestion, LimeQuota, LimeSurvey, add_text
from importing.markup import plain_text
from importing.read_through import ReadQuestionnaire

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
    return data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and MARK in data


def read(data: bytes) -> ReadQuestionnaire:
    """`FileRefused` with every reason why there is no draft in it."""
    return read_survey(parsed(data))


def parsed(data: bytes) -> LimeSurvey:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise _refused(_("is damaged; export it from Qualtrics again")) from None
    elements = [each for each in _items(_members(content).get("SurveyElements")) if isinstance(each, Mapping)]
    if not elements:
        raise _refused(_("is no survey of Qualtrics (.qsf)"))
    return _Elements(_members(content.get("SurveyEntry")), elements).survey()


def _refused(reason: str) -> FileRefused:
    return FileRefused([Fault(_("the file"), reason)])


def _members(node: object) -> Members:
    return node if isinstance(node, Mapping) else {}


def _items(node: object) -> list[Any]:
    """Qualtrics writes a list of things as a list, or as an object by number."""
    return list(node.values()) if isinstance(node, Mapping) else node if isinstance(node, list) else []


def _text(node: object) -> str:
    """Words that are inserted (`${...}`) as LimeSurvey writes them."""
    return str(node).replace("${", "{") if isinstance(node, str | int | float) else ""


def _language(written: str) -> str:
    code = written.strip().lower()
    return CHINESE.get(code, code)


class _Elements:
    """The elements of a file by kind, and the survey that they make."""

    def __init__(self, entry: Members, elements: list[Members]) -> None:
        self._entry, self._base = entry, _language(_text(entry.get("SurveyLanguage"))) or "en"
        self._languages = {self._base: None}
        of_kind: dict[str, list[Members]] = {}
        for element in elements:
            of_kind.setdefault(_text(element.get("Element")), []).append(element)
        self._questions = {
            _text(each.get("PrimaryAttribute")): _members(each.get("Payload"))
            for each in of_kind.get("SQ", [])
        }
        blocks = [_members(block) for each in of_kind.get("BL", []) for block in _items(each.get("Payload"))]
        self._blocks = {_text(block.get("ID")): block for block in blocks if block.get("Type") != "Trash"}
        self._quotas = [_members(each.get("Payload")) for each in of_kind.get("QO", [])]
        self._flow = [step for each in of_kind.get("FL", []) for step in self._steps(each.get("Payload"))]

    def survey(self) -> LimeSurvey:
        survey = LimeSurvey()
        add_text(
            survey.words.setdefault("surveyls_title", {}), self._base, _text(self._entry.get("SurveyName"))
        )
        # A block that several branches lead to is asked once, wherever one of them holds.
        led_to: dict[str, list[str]] = {}
        for identity, condition in self._flow or [(block, "") for block in self._blocks]:
            led_to.setdefault(identity, []).append(condition)
        for identity, conditions in led_to.items():
            if block := self._blocks.get(identity):
                relevance = " or ".join(conditions) if all(conditions) else ""
                survey.groups.append(self._group(block, relevance, len(survey.groups) + 1))
        survey.languages = dict(self._languages)
        survey.quotas = {str(number): self._quota(quota) for number, quota in enumerate(self._quotas)}
        return survey

    def _quota(self, quota: Members) -> LimeQuota:
        """A quota that ends the survey for people who selected certain choices; any other is named."""
        name, limit = _text(quota.get("Name")), _text(quota.get("Occurrences"))
        if quota.get("QuotaAction") != ENDS:
            return LimeQuota(name, limit, obstacle=_("does not end the survey for people who are over it"))
        sets = _numbered(quota.get("Logic"))
        terms = [term for one_set in sets for term in _numbered(one_set)]
        members = [self._quota_member(term) for term in terms]
        signs = {_text(term.get("Conjuction")).lower() or "and" for term in terms[1:]}
        if len(sets) != 1 or signs - {"and"} or None in members or quota.get("QuotaSchedule"):
            return LimeQuota(name, limit, obstacle=_("has a condition that no quota here can say"))
        return LimeQuota(name, limit, [member for member in members if member])

    def _quota_member(self, term: Members) -> tuple[str, str] | None:
        """The code of a question and of its choice that was selected; None for any other term."""
        parts = _text(term.get("LeftOperand") or term.get("ChoiceLocator")).removeprefix("q://").split("/")
        if term.get("Operator") != "Selected" or len(parts) != 3 or parts[1] != "SelectableChoice":
            return None
        return _text(self._questions.get(parts[0], {}).get("DataExportTag")) or parts[0], parts[2]

    def _steps(self, node: object, condition: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
        """The blocks in the order in which they are asked, each with the condition of its branches."""
        if depth > MOST_NESTED:
            raise _refused(_("holds more than a questionnaire"))
        for step in map(_members, _items(_members(node).get("Flow"))):
            if identity := _text(step.get("ID")):
                yield identity, condition
            both = [each for each in (condition, self._condition(step.get("BranchLogic"))) if each]
            yield from self._steps(step, " and ".join(both), depth + 1)

    def _group(self, block: Members, condition: str, number: int) -> LimeGroup:
        """What a block is called is not for respondents."""
        group = LimeGroup(_("group %(number)s") % {"number": number}, relevance=condition)
        is_repeated = bool(_members(block.get("Options")).get("Looping") not in (None, "None", ""))
        for element in map(_members, _items(block.get("BlockElements"))):
            if (asked := self._questions.get(_text(element.get("QuestionID")))) is not None:
                group.questions.append(self._question(_text(element["QuestionID"]), asked, is_repeated))
        return group

    def _question(self, identity: str, asked: Members, is_repeated: bool) -> LimeQuestion:
        code = _text(asked.get("DataExportTag")) or identity
        settings = _members(_members(asked.get("Validation")).get("Settings"))
        question = LimeQuestion(
            _("question %(code)s") % {"code": code},
            code,
            _kind(asked, settings),
            relevance=self._condition(asked.get("DisplayLogic")),
            mandatory=settings.get("ForceResponse") == "ON",
            aliases=(_variable(identity),),
        )
        parts = question.subquestions if question.kind in (TABLE, SEVERAL) else question.answers
        words = {self._base: asked}
        for language, spoken in _members(asked.get("Language")).items():
            words[_language(language)] = _members(spoken)
        for language, said in words.items():
            self._languages[language] = None
            add_text(question.text, language, _text(said.get("QuestionText")))
            for key, label in _ordered(asked, said, "Choice"):
                add_text(parts.setdefault(("0", key), {}), language, label)
            for key, label in _ordered(asked, said, "Answer") if question.kind == TABLE else ():
                add_text(question.answers.setdefault(("0", key), {}), language, label)
        choices = list(map(_members, _items(asked.get("Choices"))))
        question.has_conditional_parts = any(choice.get("DisplayLogic") for choice in choices)
        question.attributes = dict(_attributes(asked, settings))
        if is_repeated:
            question.attributes[LOOPS] = "1"
        return question

    def _condition(self, logic: object) -> str:
        """Logic of display or of a branch as an expression of LimeSurvey; what has no words there stays a sentence."""
        joined = ""
        for terms in _numbered(logic):
            written = self._terms(_numbered(terms))
            sign = "or" if terms.get("Type") == "OrIf" else "and"
            joined = f"{joined} {sign} {written}" if joined else written
        return f"({joined})" if joined else ""

    def _terms(self, terms: list[Members]) -> str:
        signs = {_text(term.get("Conjuction")).lower() or "and" for term in terms[1:]}
        written = [self._term(term) for term in terms]
        if len(signs) > 1 or not all(written):
            # Of a mixture of and and or nothing says what is meant first.
            return " ".join(plain_text(_text(term.get("Description"))) for term in terms) or "?"
        return "(" + f" {next(iter(signs), 'and')} ".join(written) + ")"

    def _term(self, term: Members) -> str:
        """Whether one choice of a question was selected; empty for anything else."""
        sign = {"Selected": "==", "NotSelected": "!="}.get(_text(term.get("Operator")))
        parts = _text(term.get("LeftOperand") or term.get("ChoiceLocator")).removeprefix("q://").split("/")
        if sign is None or len(parts) != 3 or parts[1] != "SelectableChoice":
            return ""
        identity, _selectable, choice = parts
        asked = self._questions.get(identity, {})
        if _kind(asked, {}) == SEVERAL:
            return f'{_variable(identity)}{choice} {sign} "Y"'
        return f'{_variable(identity)} {sign} "{choice}"'


def _kind(asked: Members, settings: Members) -> str:
    kind, selector = _text(asked.get("QuestionType")), _text(asked.get("Selector"))
    if kind == "MC":
        return SEVERAL if selector.startswith("MA") or selector == "MSB" else SINGLE
    if kind == "Matrix":
        return TABLE if asked.get("SubSelector") in ("SingleAnswer", "DL") else "?"
    if kind == "TE":
        return NUMBER if settings.get("ContentType") == "ValidNumber" else FREE_TEXT
    if kind == "Slider":
        return NUMBER if len(_items(asked.get("Choices"))) == 1 else NUMBERS
    return OTHER_KINDS.get(kind, "?")


def _ordered(asked: Members, said: Members, what: str) -> Iterator[tuple[str, str]]:
    """The choices or answers in the order of the question, with their words in one language."""
    words = said.get(f"{what}s")
    by_key = words if isinstance(words, Mapping) else dict(enumerate(_items(words), 1))
    labels = {str(key): _text(_members(each).get("Display")) for key, each in by_key.items()}
    order = [_text(key) for key in _items(asked.get(f"{what}Order"))]
    for key in dict.fromkeys([*(each for each in order if each in labels), *labels]):
        yield key, labels[key]


def _attributes(asked: Members, settings: Members) -> Iterator[tuple[str, str]]:
    """Advanced settings by LimeSurvey's names; those that it lacks by Qualtrics's."""
    configuration, number = _members(asked.get("Configuration")), _members(settings.get("ValidNumber"))
    yield "min_num_value_n", _text(number.get("Min") or configuration.get("CSSliderMin"))
    yield "max_num_value_n", _text(number.get("Max") or configuration.get("CSSliderMax"))
    randomised = _text(_members(asked.get("Randomization")).get("Type"))
    yield "random_order", {"All": "1", "None": ""}.get(randomised, randomised)
    exclusive = [
        str(key)
        for key, each in _members(asked.get("Choices")).items()
        if _members(each).get("ExclusiveAnswer")
    ]
    yield EXCLUDING, ";".join(exclusive)
    yield from ((name, "1") for name in OF_QUALTRICS if asked.get(name))


def _variable(identity: str) -> str:
    """What conditions call a question; with the number of an option or a row behind it they mean that."""
    return f"{identity}_"


def _numbered(node: object) -> list[Members]:
    """The sets of a logic, or the terms of a set: the members that are called by numbers, in their order."""
    members = _members(node)
    return [_members(members[key]) for key in sorted(filter(str.isdecimal, members), key=int)]
