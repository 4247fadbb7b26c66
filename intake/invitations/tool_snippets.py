"""What a researcher pastes into the tool that shows a survey's page and gets its records: a text for each tool."""

from collections.abc import Mapping

from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _

TOOLS = {
    "html-form": _("Any HTML form (LimeSurvey, REDCap and oTree: untried)"),
    "surveyjs": "SurveyJS",
    "jspsych": "jsPsych",
    "qualtrics": _("Qualtrics (tried with its documented calls, not on its servers)"),
}
"""Names of the tools, by the template of their text."""


def tool_snippets(address: str, fingerprint: str) -> Mapping[str, str]:
    """Returns the texts by template; `address`: of the survey's page, `fingerprint`: of its design."""
    given = {"address": address, "fingerprint": fingerprint}
    return {name: render_to_string(f"intake/handing/{name}.txt", given) for name in TOOLS}
