"""R code that estimates the shares of single answers from a record file, with the package RRreg.

In one sensitive question alone the disguise is a model that RRreg knows: an answer is the true one with
probability keep, else drawn from the noise. That is its UQTknown with p = (keep, P(yes)), and for any number of
choices its FR, forced response, with p = (1 - keep) noise. Two questions of one section share a coin, which no
model of RRreg says.
"""

import json
from collections.abc import Iterable

from django.template.loader import render_to_string

from privacy.designs import Design, SensitiveQuestion, UnrelatedQuestionSection
from privacy.designs.unrelated import decimal
from surveys.intake.recordfiles.variables import names


def code(design: Design, file: str, title: str) -> str:
    """A script that reads `file`, which lies beside it; in ASCII but for its comments."""
    context = {
        "file": file,
        "kind": file.rpartition(".")[2],
        "title": " ".join(title.split()),
        "fingerprint": design.fingerprint,
        "questions": list(_questions(design)),
    }
    return render_to_string("intake/staff/analysis.txt", context)


def _questions(design: Design) -> Iterable[str]:
    variables = iter(names(design))
    for section in design.sections:
        for question, variable in zip(section.questions, variables, strict=False):
            if isinstance(section, UnrelatedQuestionSection) and isinstance(question, SensitiveQuestion):
                choices = ", ".join(literal(choice.name) for choice in question.choices)
                noise = ", ".join(map(decimal, question.parts))
                yield (
                    f"list(name = {literal(question.name)}, variable = {literal(variable)}, "
                    f"choices = c({choices}), keep = {decimal(section.keep_parts)}, noise = c({noise}))"
                )


def literal(text: str) -> str:
    r"""A string of R in ASCII; beyond the plane of \u, R writes \U and eight digits."""
    written = (
        f"\\U{ord(character):08x}" if ord(character) > 0xFFFF else json.dumps(character)[1:-1]
        for character in text
    )
    return f'"{"".join(written)}"'
