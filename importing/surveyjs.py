"""Reads SurveyJS surveys (.json): converts them to LimeSurvey's structure, from which the LimeSurvey reader
makes the draft."""

import re
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from importing.condition_tokens import with_straight_quotes
from importing.faults import too_large_refusal
from importing.import_result import ImportResult
from importing.limesurvey.draft_reader import draft_from_survey
from importing.limesurvey.question_types import EXCLUDING
from importing.limesurvey.survey_structure import (
    EQUATION,
    Key,
    LanguageTexts,
    LimeGroup,
    LimeQuestion,
    LimeSurvey,
)
from importing.loose_json import Members, items_or_values_or_empty, members_or_empty, scalar_text
from surveys import default_draft_texts

MOST_NESTED, MOST_ELEMENTS = 20, 5_000
KINDS = {
    "radiogroup": "L",
    "dropdown": "L",
    "imagepicker": "L",
    "buttongroup": "L",
    "rating": "L",
    "boolean": "L",
    "checkbox": "M",
    "tagbox": "M",
    "matrix": "F",
    "html": "X",
    "comment": "T",
    "expression": "*",
    "file": "|",
    "signaturepad": "|",
    "ranking": "R",
    "multipletext": ";",
    "matrixdropdown": "1",
    "slider": "N",
}
PANELS = ("panel", "flowpanel")
KNOWN_TYPES = {*KINDS, *PANELS, "text", "paneldynamic", "matrixdynamic", "image"}
LEFT_OUT = (
    *("defaultValue", "defaultValueExpression", "validators", "setValueIf", "setValueExpression", "enableIf"),
    *("resetValueIf", "choicesByUrl", "choicesFromQuestion", "choicesVisibleIf", "choicesEnableIf"),
    *(
        "rowsVisibleIf",
        "columnsVisibleIf",
        "rowsOrder",
        "rowOrder",
        "minSelectedChoices",
        "maxSelectedChoices",
    ),
    *("requiredIf", "minValueExpression", "maxValueExpression", "eachRowUnique", "choicesOrder"),
)
"""Settings of a question that change which questions are asked or which answers are possible; they are left out."""
OF_PANEL = ("questionsOrder", "questionOrder", "enableIf", "timeLimit", "maxTimeToFinish")
OF_SURVEY = (
    *("calculatedValues", "questionsOrder", "questionOrder", "completedHtmlOnCondition", "timeLimit"),
    *("maxTimeToFinish", "navigateToUrlOnCondition"),
)
USUAL: tuple[object, ...] = (None, "", False, [], 0, "initial", "none", "default")
SPECIAL_CHOICES = (
    ("none", "None", ("hasNone", "showNoneItem"), "noneText"),
    ("refused", "Refuse to answer", ("showRefuseItem",), "refuseText"),
    ("dontknow", "Don't know", ("showDontKnowItem",), "dontKnowText"),
)
"""Choices that settings add: value, default text, names of the settings, and the member with another text."""
LISTED = re.compile(
    r"\{([^{}]{1,200})\} {1,3}(anyof|allof|contains|notcontains) {1,3}(\[[^\[\]]{0,1000}\]|'[^']*'|\"[^\"]*\"|\d+)",
    re.IGNORECASE,
)
EMPTY = re.compile(r"(\{[^{}]{1,200}\}) {1,3}(not)?empty\b", re.IGNORECASE)
LITERAL = re.compile(r"'([^']*)'|\"([^\"]*)\"|(-?[\w.]+)")
TRUTH = re.compile(r"(?<![\w'\".{])(true|false)(?![\w'\".}])", re.IGNORECASE)


def looks_like_survey(root: Members) -> bool:
    """True if the content of a JSON file has pages, or elements of a type that SurveyJS knows."""
    if any(
        {"elements", "questions"} & members_or_empty(each).keys()
        for each in items_or_values_or_empty(root.get("pages"))
    ):
        return True
    parts = [each for name in ("elements", "questions") for each in items_or_values_or_empty(root.get(name))]
    return any(scalar_text(members_or_empty(each).get("type")) in KNOWN_TYPES for each in parts)


def read(root: Members) -> ImportResult:
    """Returns the draft made from a SurveyJS survey, with the outcome of each question.

    Raises `FileRefused` with every reason if no question can be imported.
    """
    return draft_from_survey(_Form(root).make_survey())


class _Form:
    """A SurveyJS survey, whose pages and panels are converted to groups."""

    def __init__(self, root: Members) -> None:
        self._root, self._base = root, scalar_text(root.get("locale")) or "en"
        self._survey = LimeSurvey(languages={self._base: None})
        self._kinds: dict[str, str] = {}
        self._count = 0

    def make_survey(self) -> LimeSurvey:
        for name, words in (("title", "title"), ("description", "welcometext"), ("completedHtml", "endtext")):
            self._survey.words[f"surveyls_{words}"] = self._texts(self._root.get(name))
        pages = items_or_values_or_empty(self._root.get("pages")) or [self._root]
        self._find_kinds(pages, 0)
        for page in map(members_or_empty, pages):
            self._read_panel(page if page is not self._root else {"elements": self._elements(page)}, [], 0)
        for each in map(members_or_empty, items_or_values_or_empty(self._root.get("calculatedValues"))):
            name = f"{{{scalar_text(each.get('name'))}}}"
            self._survey.computed[name] = self._expression(each.get("expression"))
        for name in OF_SURVEY:
            if self._root.get(name) not in USUAL:
                self._survey.report_left_out_setting(_("the file"), name)
        if self._root.get("mode") == "display" or self._root.get("readOnly") is True:
            self._survey.report_left_out_setting(_("the file"), "readOnly")
        for trigger in map(members_or_empty, items_or_values_or_empty(self._root.get("triggers"))):
            about = [
                scalar_text(trigger.get(each))
                for each in ("type", "expression", "name", "gotoName", "setToName")
            ]
            about += map(scalar_text, items_or_values_or_empty(trigger.get("questions")))
            self._survey.report_left_out_setting(
                _("the file"), f"triggers ({', '.join(filter(None, about))})"
            )
        return self._survey

    def _elements(self, panel: Members) -> list[Members]:
        named = (
            *items_or_values_or_empty(panel.get("elements")),
            *items_or_values_or_empty(panel.get("questions")),
        )
        return list(map(members_or_empty, named))

    def _find_kinds(self, panels: list[Any], depth: int) -> None:
        """Finds the type of each question, which a condition may test before it."""
        if depth > MOST_NESTED:
            raise too_large_refusal()
        for element in (each for panel in map(members_or_empty, panels) for each in self._elements(panel)):
            self._count += 1
            if self._count > MOST_ELEMENTS:
                raise too_large_refusal()
            self._kinds.setdefault(scalar_text(element.get("name")), scalar_text(element.get("type")))
            if element.get("type") in PANELS:
                self._find_kinds([element], depth + 1)

    def _read_panel(self, panel: Members, conditions: list[str], depth: int, obstacle: str = "") -> None:
        written = [*conditions, *filter(None, [self._expression(panel.get("visibleIf"))])]
        obstacle = obstacle or _unanswerable_reason(panel)
        self._begin_group(panel, written, obstacle)
        is_first = True
        for element in self._elements(panel):
            if element.get("type") in PANELS:
                self._read_panel(element, written, depth + 1, obstacle)
                is_first = False
                continue
            if not is_first:
                self._begin_group({}, written, obstacle)
                is_first = True
            self._survey.groups[-1].questions.append(self._question(element))

    def _begin_group(self, panel: Members, conditions: list[str], obstacle: str) -> None:
        location = _("group %(number)s") % {"number": len(self._survey.groups) + 1}
        group = LimeGroup(location, self._texts(panel.get("title")), self._texts(panel.get("description")))
        group.conditions, group.obstacle = list(conditions), obstacle
        self._survey.groups.append(group)
        for name in OF_PANEL:
            if panel.get(name) not in USUAL:
                self._survey.report_left_out_setting(location, name)

    def _texts(self, node: object) -> dict[str, str]:
        """Returns a text by language; SurveyJS writes a text as a string or as an object by language."""
        written = node if isinstance(node, dict) else {"default": node}
        texts = {}
        for language, text in written.items():
            code = self._base if language == "default" else str(language)
            if scalar_text(text).strip():
                texts[code] = scalar_text(text)
                self._survey.languages.setdefault(code)
        return texts

    def _question(self, element: Members) -> LimeQuestion:
        kind, name = scalar_text(element.get("type")), scalar_text(element.get("name"))
        question = LimeQuestion(
            _("question %(code)s") % {"code": name},
            name,
            self._limesurvey_type(kind, element),
            relevance=self._expression(element.get("visibleIf")),
            mandatory=element.get("isRequired") is True,
            other=bool(element.get("hasOther") or element.get("showOtherItem")),
            aliases=(f"{{{name}}}",),
            text=self._texts(element.get("title")) or self._texts(element.get("html")) or self._texts(name),
            help=self._texts(element.get("description")),
            obstacle=_unanswerable_reason(element),
        )
        parts = [
            *items_or_values_or_empty(element.get("choices")),
            *items_or_values_or_empty(element.get("rows")),
        ]
        parts += items_or_values_or_empty(element.get("columns")) if question.kind == "F" else []
        question.has_conditional_parts = any(members_or_empty(each).get("visibleIf") for each in parts)
        self._add_entries(question, kind, element)
        if kind == "expression":
            question.attributes[EQUATION] = self._expression(element.get("expression"))
        for end in ("min", "max"):
            question.attributes[f"{end}_num_value_n"] = scalar_text(element.get(end))
        if element.get("choicesOrder") == "random":
            question.attributes["random_order"] = "1"
        is_shuffled = "random_order" in question.attributes
        question.left_settings = tuple(
            each
            for each in LEFT_OUT
            if element.get(each) not in USUAL and not (is_shuffled and each == "choicesOrder")
        )
        return question

    def _limesurvey_type(self, kind: str, element: Members) -> str:
        if kind == "text":
            asks = scalar_text(element.get("inputType"))
            return "N" if asks in ("number", "range") else "D" if asks.startswith(("date", "month")) else "S"
        if kind == "matrix" and element.get("cellType") == "checkbox":
            return "?"
        return KINDS.get(kind, "?")

    def _add_entries(self, question: LimeQuestion, kind: str, element: Members) -> None:
        entries = question.subquestions if question.kind == "M" else question.answers
        if kind == "boolean":
            labels = (
                ("true", "labelTrue", default_draft_texts.YES),
                ("false", "labelFalse", default_draft_texts.NO),
            )
            for value, setting, phrase in labels:
                usual = default_draft_texts.shipped_words_by_language(phrase, [self._base])
                entries["0", value] = self._texts(element.get(setting)) or dict(usual)
            return
        if kind == "rating" and not items_or_values_or_empty(element.get("rateValues")):
            entries |= {("0", str(n)): self._texts(str(n)) for n in _rating_points(element)}
            for end, setting in ((0, "minRateDescription"), (-1, "maxRateDescription")):
                key = list(entries)[end]
                for language, text in self._texts(element.get(setting)).items():
                    entries[key] = {**entries[key], language: f"{key[1]} {text}"}
            return
        if kind == "matrix":
            self._add_labelled_entries(question, entries, element.get("columns"))
            self._add_labelled_entries(question, question.subquestions, element.get("rows"))
            return
        self._add_labelled_entries(
            question, entries, element.get("rateValues" if kind == "rating" else "choices")
        )
        excluding = [
            scalar_text(members_or_empty(each).get("value"))
            for each in items_or_values_or_empty(element.get("choices"))
            if members_or_empty(each).get("isExclusive")
        ]
        for value, label, settings, words in SPECIAL_CHOICES:
            if any(element.get(setting) for setting in settings):
                entries["0", value] = self._texts(element.get(words)) or self._texts(label)
                excluding.append(value)
        question.attributes[EXCLUDING] = ";".join(excluding) if question.kind == "M" else ""

    def _add_labelled_entries(
        self, question: LimeQuestion, entries: dict[Key, LanguageTexts], node: object
    ) -> None:
        for item in items_or_values_or_empty(node):
            value = (
                scalar_text(members_or_empty(item).get("value"))
                or scalar_text(members_or_empty(item).get("name"))
                or scalar_text(item)
            )
            text = members_or_empty(item).get("text") or members_or_empty(item).get("title")
            if value:
                question.add_entry_or_remark(entries, value, self._texts(text) or self._texts(value))

    def _expression(self, written: object) -> str:
        """Returns a condition in LimeSurvey's notation; parts without an equivalent are refused later, quoted
        as written."""
        text = EMPTY.sub(
            lambda match: f'{match[1]} {"!=" if match[2] else "=="} ""',
            LISTED.sub(self._option_test_expression, with_straight_quotes(scalar_text(written))),
        )
        expression = TRUTH.sub(lambda match: f'"{match[1].lower()}"', text).replace("<>", "!=").strip()
        self._survey.written_conditions[expression] = scalar_text(written).strip()
        return expression

    def _option_test_expression(self, match: re.Match[str]) -> str:
        """Returns the test that one or several options of a list are selected."""
        values = ["".join(each.groups("")) for each in LITERAL.finditer(match[3])]
        name, sign, several = match[1], match[2].lower(), KINDS.get(self._kinds.get(match[1], "")) == "M"
        if name not in self._kinds or not values or (not several and sign != "anyof"):
            return match[0]
        equal = "!=" if sign == "notcontains" else "=="
        tests = (
            f'{{{name}.{each}}} {equal} "Y"' if several else f'{{{name}}} == "{each}"' for each in values
        )
        return f"({(' or ' if sign == 'anyof' else ' and ').join(tests)})"


def _unanswerable_reason(element: Members) -> str:
    """Returns the reason why nobody can answer a question, or the questions of a panel; empty if people can."""
    if element.get("visible") is False and not element.get("visibleIf"):
        return _("is hidden in the survey")
    return _("shows a question that cannot be answered") if element.get("readOnly") is True else ""


def _rating_points(element: Members) -> Iterator[int]:
    limits = [element.get("rateMin", 1), element.get("rateMax", element.get("rateCount", 5))]
    step = element.get("rateStep", 1)
    if (
        not all(isinstance(each, int) for each in (*limits, step))
        or not step > 0
        or limits[1] - limits[0] > 100 * step
    ):
        return iter(range(1, 6))
    return iter(range(limits[0], max(limits[1], limits[0]) + 1, step))
