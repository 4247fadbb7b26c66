"""A design of a study is refused as a whole: the pages would lose what they do not know."""

import json
from typing import Any

import pytest

from privacy.designs import parse
from surveys.formats import own
from surveys.formats.faults import FileRefused

YES_NO = ["no", "yes"]
DESIGN = {"format": "candor-design/1", "least": 200}
DISGUISED = {"kind": "unrelated-question", "keep": "0.5", "questions": [{"name": "s", "choices": YES_NO}]}
CROSSWISE = {
    "name": "c",
    "text": {"en": "?"},
    "choices": YES_NO,
    "secret": {"en": "Spring?"},
    "share": "0.2466",
}


@pytest.mark.parametrize(
    ("design", "place"),
    [
        ({"direct": "0.5", "sections": [DISGUISED]}, "direct"),
        ({"follows": "0" * 64, "sections": [DISGUISED]}, "follows"),
        ({"plan": "0" * 64, "sections": [DISGUISED]}, "plan"),
        ({"sections": [{"kind": "crosswise", "questions": [CROSSWISE]}]}, "sections[0].kind"),
        (
            {
                "sections": [
                    {"kind": "plain", "questions": [{"name": "a", "choices": YES_NO, "known": "0.1"}]}
                ]
            },
            "sections[0].questions[0].known",
        ),
        (
            {
                "sections": [
                    {
                        "kind": "plain",
                        "questions": [
                            {"name": "v", "form": "drawn", "choices": ["a", "b"], "shares": ["0.5", "0.5"]}
                        ],
                    }
                ]
            },
            "sections[0].questions[0].shares",
        ),
    ],
)
def test_a_design_of_a_study_is_refused_by_its_place(design: dict[str, Any], place: str) -> None:
    written = json.dumps(DESIGN | design)
    parse(written)
    with pytest.raises(FileRefused) as refused:
        own.read(written.encode())
    assert refused.value.faults[0].place == place
    assert "use this file with the commands" in refused.value.faults[0].reason
