"""R code that estimates the shares of single answers from a record file.

In one sensitive question alone an answer is the true one with probability keep, else drawn from the noise. Inverting
that takes one line of R; the package RRreg has the same as its FR, forced response, with p = (1 - keep) noise.
"""

import json
from collections.abc import Callable, Iterable

from django.template.loader import render_to_string

from privacy.designs import Design, SensitiveQuestion, UnrelatedQuestionSection
from privacy.designs.spreadsheet_cells import harmless
from privacy.kinds.grouped.form import decimal
from surveys.recordfiles.variables import names


def code(design: Design, file: str, title: str) -> str:
    """A script that reads `file`, which lies beside it; in ASCII but for its comments."""
    context = {
        "file": file,
        "kind": file.rpartition(".")[2],
        "title": " ".join(title.split()),
        "fingerprint": design.fingerprint,
        "questions": list(_questions(design, harmless if file.endswith(".csv") else str)),
    }
    return render_to_string("recordfiles/analysis.txt", context)


def _questions(design: Design, cell: Callable[[str], str]) -> Iterable[str]:
    """With names as they are written in the cells of the file."""
    variables = iter(names(design))
    for section in design.sections:
        for question, variable in zip(section.questions, variables, strict=False):
            if isinstance(section, UnrelatedQuestionSection) and isinstance(question, SensitiveQuestion):
                choices = ", ".join(literal(cell(choice.name)) for choice in question.choices)
                noise = ", ".join(map(decimal, question.parts))
                yield (
                    f"list(name = {literal(cell(question.name))}, variable = {literal(variable)}, "
                    f"choices = c({choices}), keep = {decimal(section.keep_parts)}, noise = c({noise}))"
                )


def literal(text: str) -> str:
    r"""A string of R in ASCII; beyond the plane of \u, R writes \U and eight digits."""
    written = (
        f"\\U{ord(character):08x}" if ord(character) > 0xFFFF else json.dumps(character)[1:-1]
        for character in text
    )
    return f'"{"".join(written)}"'
