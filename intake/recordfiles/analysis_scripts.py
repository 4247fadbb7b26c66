"""Writes scripts in R and Python that estimate a report's figures from a record file.

In a sensitive question an answer is the true one with probability keep, else drawn from the noise, so a
record has a score whose mean is the share (docs/mathematics.md, Estimators and Scores of codes). The
templates hold the formulas.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from django.conf import settings
from django.template.loader import render_to_string

from intake.recordfiles.spss_and_stata_variables import SPSS, STATA, spss_values, variable_names
from mining.inference.selection_correction import plan_critical_z
from mining.studies.comparison_with_truth import AMONG
from mining.studies.front_page_statements import arm_hypothesis_names, group_hypothesis_names
from privacy.designs import Design
from privacy.designs.formula_escape import escape_formula
from privacy.designs.hypothesis_plan import Hypothesis, Plan
from privacy.grammar.json_node import PARTS
from surveys.kinds.record_file_columns import Fact, MarkableCellText
from surveys.kinds.registry import get_kind


@cache
def r_package_source() -> str:
    """Returns the sources of the R package for itemsets and rules, which the R script contains."""
    folder = settings.BASE_DIR / "r" / "R"
    names = ("intervals", "supports", "rules")
    return "\n".join((folder / f"{name}.R").read_text(encoding="ascii").rstrip() for name in names)


class Analysis:
    """Template context of an analysis script: facts of the survey, and of each question that the script estimates.

    `kind`: file kind, such as csv; scripts for SPSS and Stata files also get the cell of each value. `arms`: only the
    direct arm, with share `direct`, and the disguised arm are compared. `plan_critical_z`: z0, the critical value for
    the hypotheses of the plan. `knows_plan`: the reader of the script may see the plan.
    """

    def __init__(self, design: Design, kind: str, plan: Plan | None) -> None:
        self.fingerprint, self.arms, self.open_answers = (
            design.fingerprint,
            design.has_arms,
            design.offers_choice,
        )
        self.is_disguised = design.has_disguise
        self.direct = Decimal(design.direct_parts) / PARTS
        hypotheses = plan.hypotheses if plan else ()
        self.has_plan, self.knows_plan = bool(design.plan), bool(plan)
        self.plan_critical_z = plan_critical_z(len(hypotheses))
        self.questions = list(script_facts_by_question(design, kind, hypotheses))
        self.kinds = {facts["kind"] for facts in self.questions}


def script_facts_by_question(
    design: Design, kind: str, hypotheses: Sequence[Hypothesis] = ()
) -> Iterator[Mapping[str, Fact]]:
    """Yields the facts of each question that the scripts estimate.

    `items`: the answers in the report; `listed`: for each of them, if the report's tables by group contain
    it. `planned`: for a sensitive question its answers whose arms the plan compares; for a plain question the
    answers that are compared between its classes.
    """
    answers = [(item.partition("=")[0], item) for item in arm_hypothesis_names(hypotheses) if design.has_arms]
    answers += [(by, item) for item, by in group_hypothesis_names(hypotheses, design)]
    variables = zip(
        variable_names(design, STATA if kind == "dta" else SPSS), spss_values(design), strict=True
    )
    for number, section in enumerate(design.sections, 1):
        columns = get_kind(section).file_columns(section)
        for question, mined in zip(section.questions, section.as_mined().questions, strict=True):
            variable, values = next(variables)
            script_facts = columns.script(section, question)
            if not script_facts:
                continue
            facts: dict[str, Fact] = {
                "kind": columns.listed,
                "variable": variable,
                "name": question.name,
                "column": MarkableCellText(question.name),
                "sensitive": section.sensitive,
                "hidden": bool(question.show_if),
                "section": number,
                "show_if": tuple(
                    f"{rule.question}={choice}" for rule in question.show_if for choice in rule.choices
                ),
                "asked_if_shown": mined.asked_if_shown,
                "withheld_if_open": question.withheld_if_open,
                "items": tuple(choice.name for choice in mined.choices),
                "listed": tuple(code in mined.listed_codes for code in range(len(mined.choices))),
                "planned": tuple(item for name, item in answers if name == question.name),
                **script_facts,
            }
            if kind in ("sav", "dta") and not values.texts:
                if columns.listed == "windows":
                    facts["missing"] = values.missing
                else:
                    facts["values"] = tuple(values.numbers)
            yield facts


@dataclass(frozen=True)
class ScriptLanguage:
    """R or Python: `text`, `array` and `record` write literals of a text, of a list of literals, and of named
    literals."""

    file: str
    template: str
    text: Callable[[str], str]
    array: Callable[[list[str]], str]
    record: Callable[[Mapping[str, str]], str]
    booleans: tuple[str, str]
    left_out: frozenset[str] = frozenset()
    """Names of the facts of a question that this language's script does not use."""

    def value(self, fact: Fact, *, escaped: bool) -> str:
        """Returns a fact as a literal in this language.

        `escaped`: the file marks cells that a spreadsheet would take for formulas, so the literal has the mark too.
        """
        if isinstance(fact, str):
            return self.text(
                escape_formula(fact) if escaped and isinstance(fact, MarkableCellText) else str(fact)
            )
        if isinstance(fact, tuple):
            return self.array([self.value(part, escaped=escaped) for part in fact])
        if isinstance(fact, bool):
            return self.booleans[fact]
        return format(fact, "f") if isinstance(fact, Decimal) else str(fact)

    def script(self, design: Design, file: str, title: str, plan: Plan | None = None) -> str:
        """Returns an analysis script that reads `file` from the script's own folder and computes estimates; ASCII
        except for its comments."""
        kind = file.rpartition(".")[2]
        analysis, escaped = Analysis(design, kind, plan), kind == "csv"
        context = {
            "file": file,
            "kind": kind,
            "title": " ".join(title.split()),
            "analysis": analysis,
            "arms": self.value(analysis.arms, escaped=False),
            "plan_critical_z": repr(analysis.plan_critical_z),
            "open_answers": self.value(analysis.open_answers, escaped=False),
            "among": self.text(AMONG),
            "questions": [
                self.record(
                    {
                        name: self.value(fact, escaped=escaped)
                        for name, fact in facts.items()
                        if name not in self.left_out
                    }
                )
                for facts in analysis.questions
            ],
            "kinds": analysis.kinds,
            "language": self.file,
            "package": r_package_source() if self is R else "",
        }
        return render_to_string(self.template, context)


def quote_r_text(text: str) -> str:
    r"""Returns a string literal of R in ASCII; characters beyond \\uFFFF are written as \\U and eight digits."""
    literals = (
        f"\\U{ord(character):08x}" if ord(character) > 0xFFFF else json.dumps(character)[1:-1]
        for character in text
    )
    return f'"{"".join(literals)}"'


R = ScriptLanguage(
    "analysis.R",
    "intake/recordfiles/analysis-r.txt",
    quote_r_text,
    lambda values: f"c({', '.join(values)})",
    lambda fields: f"list({', '.join(f'{name} = {value}' for name, value in fields.items())})",
    ("FALSE", "TRUE"),
)
PYTHON = ScriptLanguage(
    "analysis.py",
    "intake/recordfiles/analysis-python.txt",
    ascii,
    lambda values: f"[{', '.join(values)}]",
    lambda fields: f"dict({', '.join(f'{name}={value}' for name, value in fields.items())})",
    ("False", "True"),
    # Of itemsets and rules, which are R's.
    frozenset({"section", "show_if"}),
)
LANGUAGES = (R, PYTHON)
