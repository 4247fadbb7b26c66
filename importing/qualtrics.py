"""Reads Qualtrics surveys (.qsf): converts them to LimeSurvey's structure, from which the LimeSurvey reader makes the
draft."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from importing.condition_tokens import parse_number
from importing.faults import Fault, file_refusal, too_large_refusal
from importing.import_result import ImportResult
from importing.limesurvey.draft_reader import draft_from_survey
from importing.limesurvey.question_types import EXCLUDING, NOTE, NUMBER
from importing.limesurvey.survey_structure import (
    LimeGroup,
    LimeQuestion,
    LimeQuota,
    LimeSurvey,
    add_text_if_missing,
)
from importing.loose_json import Members, items_or_values_or_empty, members_or_empty
from importing.markup_removal import plain_text
from importing.row_outcome_collector import join_texts

MARK = "SurveyElements"
SINGLE, SEVERAL, TABLE, FREE_TEXT, NUMBERS = "L", "M", "F", "S", "K"
"""LimeSurvey's letters for the question types to which Qualtrics' are converted."""
WITH_COMMENT = {SINGLE: "O", SEVERAL: "P"}
"""LimeSurvey's types of lists with a free-text answer, which is left out."""
LEFT_SETTINGS = ("LoopAndMerge", "QuestionJS", "DynamicChoices", "DefaultChoices")
"""Settings that repeat a question, run scripts on its page, change its choices by earlier answers, or
preselect choices; they are left out."""
OTHER_KINDS = {
    "DB": NOTE,
    "RO": "R",
    "CS": NUMBERS,
    "FileUpload": "|",
    "Meta": "*",
    "Timing": "*",
    "SBS": "1",
}
SIGNS = {"Selected": "==", "NotSelected": "!=", "EqualTo": "==", "NotEqualTo": "!="}
SIGNS |= {"GreaterThan": ">", "GreaterThanOrEqual": ">=", "LessThan": "<", "LessThanOrEqual": "<="}
NO_BRACKETS = str.maketrans("[]", "()")
CHINESE = {"zh-s": "zh-hans", "zh-t": "zh-hant"}
ENDS = "EndCurrentSurvey"
"""The action of a quota that ends the survey for a person above the quota."""
MOST_NESTED = 20
"""Highest depth of nested branches."""
MOST_ENDS = 500
"""Highest number of skip rules and survey ends; each adds a condition to the questions that follow."""
END_OF_BLOCK, END_OF_SURVEY = "ENDOFBLOCK", "ENDOFSURVEY"
RANDOMISER = "BlockRandomizer"
UNREAD_STEPS = frozenset({"Authenticator", "WebService", "TableOfContents", "ReferenceSurvey", "Conjoint"})
"""Steps of the flow that decide who is asked which question, and that cannot be imported."""
BIPOLAR, SEVERAL_A_ROW = "Bipolar", "MultipleAnswer"


@dataclass(frozen=True)
class _FlowBlock:
    """A block at one position of the flow. `condition`: the condition of its branches.

    `earlier_ends`: conditions of earlier survey ends, none of which may hold. `is_reached`: False if the
    survey ends for everybody before it.
    """

    identity: str
    condition: str = ""
    earlier_ends: tuple[str, ...] = ()
    is_reached: bool = True


def looks_like_qsf(root: Members) -> bool:
    """True if the content of a JSON file has the elements of a Qualtrics survey."""
    return MARK in root


def read(root: Members) -> ImportResult:
    """Returns the draft made from a Qualtrics survey, with the outcome of each question.

    Raises `FileRefused` with every reason if no question can be imported.
    """
    return draft_from_survey(parse(root))


def parse(root: Members) -> LimeSurvey:
    """Returns the survey of a .qsf file in LimeSurvey's structure."""
    elements = [each for each in items_or_values_or_empty(root.get(MARK)) if members_or_empty(each)]
    if not elements:
        raise file_refusal(_("is no survey of Qualtrics (.qsf)"))
    return _SurveyElements(members_or_empty(root.get("SurveyEntry")), elements).make_survey()


def _limesurvey_text(node: object) -> str:
    """Returns a text with inserted expressions (`${...}`) written in LimeSurvey's notation."""
    return str(node).replace("${", "{") if isinstance(node, str | int | float) else ""


def _language_code(name: str) -> str:
    code = name.strip().lower()
    return CHINESE.get(code, code)


class _SurveyElements:
    """The elements of a .qsf file by kind (questions, blocks, flow), converted to the structure of a survey."""

    def __init__(self, entry: Members, elements: list[Members]) -> None:
        self._entry, self._base = entry, _language_code(_limesurvey_text(entry.get("SurveyLanguage"))) or "en"
        self._languages = {self._base: None}
        of_kind: dict[str, list[Members]] = {}
        for element in elements:
            of_kind.setdefault(_limesurvey_text(element.get("Element")), []).append(element)
        self._questions = {
            _limesurvey_text(each.get("PrimaryAttribute")): members_or_empty(each.get("Payload"))
            for each in of_kind.get("SQ", [])
        }
        blocks = [
            members_or_empty(block)
            for each in of_kind.get("BL", [])
            for block in items_or_values_or_empty(each.get("Payload"))
        ]
        self._blocks = {
            _limesurvey_text(block.get("ID")): block for block in blocks if block.get("Type") != "Trash"
        }
        self._quotas = [members_or_empty(each.get("Payload")) for each in of_kind.get("QO", [])]
        self._losses: list[Fault] = []
        self._written_conditions: dict[str, str] = {}
        self._ends: list[str] = []
        self._has_ended = False
        self._number_of_ends = 0
        # By the identity of the object: names may repeat in a file.
        self._skip_rules: dict[int, tuple[Members, list[Members]]] = {}
        self._flow = [
            step for each in of_kind.get("FL", []) for step in self._flow_blocks(each.get("Payload"))
        ]

    def make_survey(self) -> LimeSurvey:
        survey = LimeSurvey()
        add_text_if_missing(
            survey.words.setdefault("surveyls_title", {}),
            self._base,
            _limesurvey_text(self._entry.get("SurveyName")),
        )
        # A block that several branches lead to is asked once, wherever one of them holds.
        led_to: dict[str, list[_FlowBlock]] = {}
        for step in self._flow or map(_FlowBlock, self._blocks):
            led_to.setdefault(step.identity, []).append(step)
        for identity, found in led_to.items():
            if block := self._blocks.get(identity):
                steps = [step for step in found if step.is_reached]
                group = self._make_group(block, len(survey.groups) + 1)
                if not steps:
                    group.obstacle = _("stands after the end of the survey, so nobody is asked")
                    steps = found
                conditions = [step.condition for step in steps]
                group.relevance = " or ".join(conditions) if all(conditions) else ""
                group.conditions = [f"!({end})" for end in steps[0].earlier_ends]
                survey.groups.append(group)
                if len(steps) > 1:
                    said = _("stands %(n)s times in the flow; here it is asked once, at its first place")
                    self._losses.append(Fault(group.location, said % {"n": len(steps)}))
        self._convert_skip_rules_to_conditions(survey)
        survey.languages = dict(self._languages)
        survey.losses, survey.written_conditions = self._losses, self._written_conditions
        survey.quotas = {str(number): self._convert_quota(quota) for number, quota in enumerate(self._quotas)}
        return survey

    def _convert_skip_rules_to_conditions(self, survey: LimeSurvey) -> None:
        """Adds, to each question that a skip rule jumps over, the condition that the rule does not apply."""
        for number, group in enumerate(survey.groups):
            for place, question in enumerate(group.questions):
                payload, rules = self._skip_rules.get(id(question), ({}, []))
                for rule in rules:
                    self._count_end_or_refuse()
                    target = _limesurvey_text(rule.get("SkipToDestination"))
                    written = self._skip_expression(rule)
                    later = group.questions[place + 1 :]
                    stops = [n for n, each in enumerate(later) if _variable_name(target) in each.aliases]
                    if not written or not (stops or target in (END_OF_BLOCK, END_OF_SURVEY)):
                        words = plain_text(_limesurvey_text(rule.get("Description"))) or target
                        said = _("has a skip rule that is left out, so nobody skips: %(rule)s")
                        self._losses.append(Fault(question.location, said % {"rule": words}))
                        continue
                    otherwise = self._other_answers_expression(rule, payload)
                    followers: list[LimeQuestion | LimeGroup] = [*later[: stops[0] if stops else None]]
                    followers += survey.groups[number + 1 :] if target == END_OF_SURVEY else []
                    is_certain = not (question.relevance or group.relevance)
                    for each in followers:
                        kept = {*each.conditions, *(group.conditions if each in later else ())}
                        # If so, everybody here was asked, and the condition need not allow for others.
                        is_asked = is_certain and kept.issuperset([*question.conditions, *group.conditions])
                        each.conditions.append(otherwise if otherwise and is_asked else f"!({written})")

    def _skip_expression(self, rule: Members) -> str:
        """Returns the test that a skip rule applies, which is true only for people who were asked its question."""
        written = self._term_expression_or_empty({**rule, "Operator": rule.get("Condition")})
        variable, sign, answer = written.partition(" != ")
        if answer == '"Y"':
            return f'{variable} == "N"'
        return f'({written} and {variable} != "")' if sign else written

    def _other_answers_expression(self, rule: Members, payload: Members) -> str:
        """Returns the test that an asked question has another answer than the rule's; empty if it cannot be
        expressed."""
        parts = _limesurvey_text(rule.get("ChoiceLocator")).removeprefix("q://").split("/")
        if rule.get("Condition") != "Selected" or len(parts) != 3:
            return ""
        variable = _variable_name(parts[0])
        if _has_several_answers(payload):
            return f'({variable}{parts[2]} == "N")'
        others = [key for key, _label in _ordered_labels(payload, payload, "Choice") if key != parts[2]]
        return "(" + " or ".join(f'{variable} == "{key}"' for key in others) + ")" if others else ""

    def _count_end_or_refuse(self) -> None:
        self._number_of_ends += 1
        if self._number_of_ends > MOST_ENDS:
            raise too_large_refusal()

    def _convert_quota(self, quota: Members) -> LimeQuota:
        """Returns a quota in LimeSurvey's structure; one that cannot be imported has the reason as its `obstacle`.

        Only quotas that end the survey for people who selected certain choices can be imported.
        """
        name, limit = _limesurvey_text(quota.get("Name")), _limesurvey_text(quota.get("Occurrences"))
        if quota.get("QuotaAction") != ENDS:
            return LimeQuota(name, limit, obstacle=_("does not end the survey for people who are over it"))
        sets = _numbered_members(quota.get("Logic"))
        terms = [term for one_set in sets for term in _numbered_members(one_set)]
        counted = [self._convert_quota_term(term) for term in terms]
        signs = {_limesurvey_text(term.get("Conjuction")).lower() or "and" for term in terms[1:]}
        if len(sets) != 1 or signs - {"and"} or None in counted or quota.get("QuotaSchedule"):
            return LimeQuota(name, limit, obstacle=_("has a condition that no quota here can say"))
        return LimeQuota(name, limit, [member for member in counted if member])

    def _convert_quota_term(self, term: Members) -> tuple[str, str] | None:
        """Returns the codes of a question and of its choice, if the term tests that this choice was selected; else
        None."""
        parts = (
            _limesurvey_text(term.get("LeftOperand") or term.get("ChoiceLocator"))
            .removeprefix("q://")
            .split("/")
        )
        if term.get("Operator") != "Selected" or len(parts) != 3 or parts[1] != "SelectableChoice":
            return None
        return _limesurvey_text(self._questions.get(parts[0], {}).get("DataExportTag")) or parts[0], parts[2]

    def _flow_blocks(
        self, node: object, condition: str = "", around: tuple[str, ...] = ()
    ) -> Iterator[_FlowBlock]:
        """Yields each block in the order in which it is asked; reports steps that cannot be imported.

        `around`: the kinds of the enclosing steps.
        """
        if len(around) > MOST_NESTED:
            raise too_large_refusal()
        for step in map(members_or_empty, items_or_values_or_empty(members_or_empty(node).get("Flow"))):
            if identity := _limesurvey_text(step.get("ID")):
                yield _FlowBlock(identity, condition, tuple(self._ends), not self._has_ended)
            kind = _limesurvey_text(step.get("Type"))
            self._record_end_or_losses(step, kind, condition, around)
            both = [each for each in (condition, self._condition_expression(step.get("BranchLogic"))) if each]
            yield from self._flow_blocks(step, " and ".join(both), (*around, kind))

    def _record_end_or_losses(
        self, step: Members, kind: str, condition: str, around: tuple[str, ...]
    ) -> None:
        """Reads one step: stores a survey end as a condition for what follows, and reports changes that
        cannot be imported."""
        place = _("flow %(step)s") % {"step": _limesurvey_text(step.get("FlowID")) or kind}
        if kind == "EndSurvey":
            self._count_end_or_refuse()
            if {*around} <= {"Group"}:
                self._has_ended = True
            elif condition and RANDOMISER not in around:
                self._ends.append(condition)
            else:
                self._losses.append(Fault(place, _("may end the survey; here the rest is asked")))
        elif kind == RANDOMISER:
            inner = list(map(members_or_empty, items_or_values_or_empty(step.get("Flow"))))
            blocks, shown = len(inner), _limesurvey_text(step.get("SubSet"))
            if inner and all(each.get("Type") == "EmbeddedData" for each in inner):
                said = _("draws some of %(n)s groups of values at random, which are left out")
                self._losses.append(Fault(place, said % {"n": blocks}))
            elif shown.isdecimal() and len(shown) < 10 and int(shown) < blocks:
                said = _("shows %(some)s of %(n)s blocks at random; here everybody is asked all")
                self._losses.append(Fault(place, said % {"some": int(shown), "n": blocks}))
            else:
                said = _("shows its %(n)s blocks in random order; here they keep the order of the file")
                self._losses.append(Fault(place, said % {"n": blocks}))
        elif kind in UNREAD_STEPS:
            said = _("is a step of the kind %(kind)s, which is left out")
            self._losses.append(Fault(place, said % {"kind": kind}))
        elif kind == "Branch" and not self._condition_expression(step.get("BranchLogic")):
            self._losses.append(Fault(place, _("has no condition that can be read; everybody is asked")))

    def _make_group(self, block: Members, number: int) -> LimeGroup:
        """Returns the questions of a block as a group, without the block's name, which respondents never see."""
        group = LimeGroup(_("group %(number)s") % {"number": number})
        options = members_or_empty(block.get("Options"))
        is_repeated = bool(options.get("Looping") not in (None, "None", ""))
        if options.get("RandomizeQuestions") not in (None, False, "false", ""):
            said = _("shuffles its questions, or draws some of them; here all keep the order of the file")
            self._losses.append(Fault(group.location, said))
        for element in map(members_or_empty, items_or_values_or_empty(block.get("BlockElements"))):
            if (asked := self._questions.get(_limesurvey_text(element.get("QuestionID")))) is not None:
                question = self._make_question(
                    _limesurvey_text(element.get("QuestionID")), asked, is_repeated
                )
                group.questions += (
                    _split_table_rows(question) if _has_several_answers_per_row(asked) else [question]
                )
                rules = [
                    *items_or_values_or_empty(element.get("SkipLogic")),
                    *items_or_values_or_empty(asked.get("SkipLogic")),
                ]
                if rules and group.questions:
                    self._skip_rules[id(group.questions[-1])] = asked, list(map(members_or_empty, rules))
        return group

    def _make_question(self, question_id: str, payload: Members, is_repeated: bool) -> LimeQuestion:
        code = _limesurvey_text(payload.get("DataExportTag")) or question_id
        settings = members_or_empty(members_or_empty(payload.get("Validation")).get("Settings"))
        question = LimeQuestion(
            _("question %(code)s") % {"code": code},
            code,
            _question_type(payload, settings),
            relevance=self._condition_expression(payload.get("DisplayLogic")),
            mandatory=settings.get("ForceResponse") == "ON",
            aliases=(_variable_name(question_id),),
        )
        has_rows = question.kind == TABLE or _has_several_answers(payload)
        parts = question.subquestions if has_rows else question.answers
        words = {self._base: payload}
        for language, spoken in members_or_empty(payload.get("Language")).items():
            words[_language_code(language)] = members_or_empty(spoken)
        for language, said in words.items():
            self._languages[language] = None
            add_text_if_missing(question.text, language, _limesurvey_text(said.get("QuestionText")))
            for key, label in _ordered_labels(payload, said, "Choice"):
                shown = _bipolar_row_label(label, payload) if payload.get("Selector") == BIPOLAR else label
                add_text_if_missing(parts.setdefault(("0", key), {}), language, shown)
            for key, label in _ordered_labels(payload, said, "Answer") if question.kind == TABLE else ():
                add_text_if_missing(question.answers.setdefault(("0", key), {}), language, label)
        choices = list(map(members_or_empty, items_or_values_or_empty(payload.get("Choices"))))
        answers = list(map(members_or_empty, items_or_values_or_empty(payload.get("Answers"))))
        question.has_conditional_parts = any(each.get("DisplayLogic") for each in (*choices, *answers))
        question.attributes = dict(_advanced_settings(payload, settings))
        question.left_settings = tuple(_unimportable_settings(payload, settings, is_repeated))
        if drawn := _count_randomly_shown_answers(members_or_empty(payload.get("Randomization"))):
            shown = _("Of its %(n)s answers, or rows, %(some)s are drawn at random; here all are shown.")
            question.remarks = (shown % {"n": len(choices), "some": drawn},)
        return question

    def _condition_expression(self, logic: object) -> str:
        """Returns display or branch logic as a LimeSurvey expression.

        Parts that cannot be expressed are kept as sentences, which are refused later.
        """
        joined, written_terms = "", list[str]()
        for terms in _numbered_members(logic):
            counted = [term for term in _numbered_members(terms) if not term.get("_HiddenExpression")]
            if not counted:
                continue
            written_terms += [plain_text(_limesurvey_text(term.get("Description"))) for term in counted]
            written = self._terms_expression(counted)
            sign = "or" if terms.get("Type") == "OrIf" else "and"
            joined = f"{joined} {sign} {written}" if joined else written
        if all(written_terms):
            self._written_conditions[f"({joined})"] = "; ".join(written_terms)
        return f"({joined})" if joined else ""

    def _terms_expression(self, terms: list[Members]) -> str:
        """Returns a set of terms as an expression; a term that cannot be converted is Qualtrics' own sentence in
        brackets."""
        written = [self._term_expression_or_empty(term) or _sentence(term) for term in terms]
        # Qualtrics takes and before or, as expressions do.
        signs = [_limesurvey_text(term.get("Conjuction")).lower() or "and" for term in terms[1:]]
        return "(" + written[0] + "".join(map(" {} {}".format, signs, written[1:])) + ")"

    def _term_expression_or_empty(self, term: Members) -> str:
        """Returns the test that a choice, or an answer in a row of a table, was selected, or that a number is so large;
        empty for any other term."""
        sign = SIGNS.get(_limesurvey_text(term.get("Operator")))
        parts = (
            _limesurvey_text(term.get("LeftOperand") or term.get("ChoiceLocator"))
            .removeprefix("q://")
            .split("/")
        )
        right = _limesurvey_text(term.get("RightOperand")).strip()
        if parts[1:] == ["ChoiceTextEntryValue"] and sign and parse_number(right) is not None:
            return f"{_variable_name(parts[0])} {sign} {right}"
        if sign not in ("==", "!=") or len(parts) not in (3, 4) or parts[1] != "SelectableChoice":
            return ""
        identity, _selectable, *row, choice = parts
        asked, variable = self._questions.get(identity, {}), f"{_variable_name(identity)}{''.join(row)}"
        if _has_several_answers_per_row(asked) and row:
            return f'{variable}_{choice} {sign} "Y"'
        if _has_several_answers(asked):
            return f'{variable}{choice} {sign} "Y"'
        return f'{variable} {sign} "{choice}"'


def _sentence(term: Members) -> str:
    return f"[{plain_text(_limesurvey_text(term.get('Description'))).translate(NO_BRACKETS) or '?'}]"


def _question_type(payload: Members, settings: Members) -> str:
    """Returns LimeSurvey's type letter of a Qualtrics question."""
    kind, selector = _limesurvey_text(payload.get("QuestionType")), _limesurvey_text(payload.get("Selector"))
    if kind == "MC":
        letter = SEVERAL if _has_several_answers(payload) else SINGLE
        has_words = any(
            members_or_empty(each).get("TextEntry")
            for each in items_or_values_or_empty(payload.get("Choices"))
        )
        return WITH_COMMENT[letter] if has_words else letter
    if kind == "Matrix":
        is_table = payload.get("SubSelector") in ("SingleAnswer", "DL") or selector == BIPOLAR
        return TABLE if is_table or _has_several_answers_per_row(payload) else "?"
    if kind == "TE":
        return NUMBER if settings.get("ContentType") == "ValidNumber" else FREE_TEXT
    if kind == "Slider":
        return NUMBER if len(items_or_values_or_empty(payload.get("Choices"))) == 1 else NUMBERS
    return OTHER_KINDS.get(kind, "?")


def _has_several_answers(payload: Members) -> bool:
    selector = _limesurvey_text(payload.get("Selector"))
    return payload.get("QuestionType") == "MC" and (selector.startswith("MA") or selector == "MSB")


def _has_several_answers_per_row(payload: Members) -> bool:
    return payload.get("QuestionType") == "Matrix" and payload.get("SubSelector") == SEVERAL_A_ROW


def _split_table_rows(table: LimeQuestion) -> Iterator[LimeQuestion]:
    """Yields a question with several answers for each row of a table with several answers per row."""
    for (_scale, code), row in table.subquestions.items():
        question = replace(table, code=f"{table.code}-{code}", kind=SEVERAL, text=join_texts(table.text, row))
        question.subquestions, question.answers = table.answers, {}
        question.conditions = []
        question.aliases = tuple(f"{alias}{code}_" for alias in table.aliases)
        question.remarks = (_("Each row of its table became a question with several answers."),)
        yield question


def _bipolar_row_label(label: str, payload: Members) -> str:
    """Returns the label of a row in a bipolar table with the texts of both ends, which Qualtrics joins by a colon."""
    left, colon, right = plain_text(label).partition(":")
    return (
        f"1 = {left.strip()}; {len(items_or_values_or_empty(payload.get('Answers')))} = {right.strip()}"
        if colon
        else label
    )


def _ordered_labels(payload: Members, translation: Members, member: str) -> Iterator[tuple[str, str]]:
    """Yields the choices or answers (`member`) of a question in their order, with their labels in one language."""
    words = translation.get(f"{member}s")
    by_key = words if isinstance(words, Mapping) else dict(enumerate(items_or_values_or_empty(words), 1))
    labels = {
        str(key): _limesurvey_text(members_or_empty(each).get("Display")) for key, each in by_key.items()
    }
    if member == "Answer" and payload.get("Selector") == BIPOLAR:
        labels = {key: label.strip() or key for key, label in labels.items()}
    order = [_limesurvey_text(key) for key in items_or_values_or_empty(payload.get(f"{member}Order"))]
    for key in dict.fromkeys([*(each for each in order if each in labels), *labels]):
        yield key, labels[key]


def _advanced_settings(payload: Members, settings: Members) -> Iterator[tuple[str, str]]:
    """Yields the advanced settings under LimeSurvey's names, or under Qualtrics' names if LimeSurvey has none."""
    configuration, number = (
        members_or_empty(payload.get("Configuration")),
        members_or_empty(settings.get("ValidNumber")),
    )
    yield "min_num_value_n", _limesurvey_text(number.get("Min") or configuration.get("CSSliderMin"))
    yield "max_num_value_n", _limesurvey_text(number.get("Max") or configuration.get("CSSliderMax"))
    if members_or_empty(payload.get("Randomization")).get("Type") == "All":
        yield "random_order", "1"
    exclusive = [
        str(key)
        for key, each in members_or_empty(payload.get("Choices")).items()
        if members_or_empty(each).get("ExclusiveAnswer")
    ]
    yield EXCLUDING, ";".join(exclusive)


def _unimportable_settings(payload: Members, settings: Members, is_repeated: bool) -> Iterator[str]:
    """Yields the names of a question's settings that cannot be imported."""
    yield from (name for name in ("MinChoices", "MaxChoices") if settings.get(name))
    if settings.get("Type") == "CustomValidation":
        yield "CustomValidation"
    randomization = members_or_empty(payload.get("Randomization"))
    if randomization.get("Type") not in (None, "", "None", "All") and not _count_randomly_shown_answers(
        randomization
    ):
        yield "Randomization"
    yield from (
        name for name in LEFT_SETTINGS if payload.get(name) or (is_repeated and name == LEFT_SETTINGS[0])
    )


def _count_randomly_shown_answers(randomization: Members) -> int:
    """Returns the number of answers, or rows of a table, that are drawn at random; 0 if all are shown."""
    advanced = members_or_empty(randomization.get("Advanced"))
    drawn = _limesurvey_text(advanced.get("TotalRandSubset") or randomization.get("TotalRandSubset"))
    return int(drawn) if drawn.isdecimal() and len(drawn) < 10 else 0


def _variable_name(question_id: str) -> str:
    """Returns the variable name of a question in conditions; a number appended to it means that option or row."""
    return f"{question_id}_"


def _numbered_members(node: object) -> list[Members]:
    """Returns the members with numeric keys, sorted by key: the sets of a logic, or the terms of a set."""
    by_key = members_or_empty(node)
    return [members_or_empty(by_key[key]) for key in sorted(filter(str.isdecimal, by_key), key=int)]
