"""A design of a study comes in and can be edited: the builder knows all that it asks."""

import json
from typing import Any

import pytest

from importing import candor_format
from privacy.designs import parse
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.freeze_draft import design_json_from_draft

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


PLAIN = {"kind": "plain", "questions": [{"name": "a", "choices": YES_NO, "known": "0.1"}]}
VERSIONS = {"name": "v", "form": "drawn", "choices": ["a", "b"], "shares": ["0.5", "0.5"]}


@pytest.mark.parametrize(
    "design",
    [
        {"direct": "0.5", "sections": [DISGUISED]},
        {"follows": "0" * 64, "sections": [DISGUISED]},
        {"sections": [{"kind": "crosswise", "questions": [CROSSWISE]}]},
        {"sections": [PLAIN]},
        {"sections": [{"kind": "plain", "questions": [VERSIONS]}]},
    ],
    ids=["direct", "follows", "crosswise", "known", "drawn"],
)
def test_a_design_of_a_study_comes_in_and_can_be_edited(design: dict[str, Any]) -> None:
    written = json.dumps(DESIGN | design)
    draft = candor_format.read(written.encode())
    assert all(section.is_known for section in read_questionnaire(draft).sections)
    came_in = parse(design_json_from_draft(draft))
    given = parse(written)
    assert (came_in.direct_parts, came_in.follows) == (given.direct_parts, given.follows)
    assert [each.mined_law for each in came_in.sections] == [each.mined_law for each in given.sections]


def test_the_hash_of_frozen_hypotheses_stays_behind() -> None:
    """The file holds no hypotheses, so a draft that was made from it cannot keep the promise."""
    draft = candor_format.read(json.dumps(DESIGN | {"plan": "0" * 64, "sections": [DISGUISED]}).encode())
    assert "plan" not in draft
