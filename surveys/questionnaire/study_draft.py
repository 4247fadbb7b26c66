"""What makes a draft a study, in normal form: the share asked directly, the design that it repeats, its hypotheses."""

from collections.abc import Mapping
from typing import Any

from privacy.designs.parsing import HASH, LEAST_DIRECT, LEAST_DIRECT_RECORDS, MOST_DIRECT
from privacy.grammar.node import PARTS
from surveys.hypotheses import normal_plan
from surveys.questionnaire.normal_values import Node, probability


def study_keys(draft: Mapping[str, Any]) -> Node:
    """Only the keys that are used."""
    follows = draft.get("follows")
    found = {
        "direct": _direct(draft.get("direct")),
        "follows": follows if isinstance(follows, str) and HASH.fullmatch(follows) else "",
        "plan": normal_plan(draft.get("plan")),
    }
    return {key: value for key, value in found.items() if value}


def _direct(value: object) -> str:
    share = probability(value)
    return share if share and LEAST_DIRECT <= direct_parts({"direct": share}) <= MOST_DIRECT else ""


def direct_parts(draft: Mapping[str, Any]) -> int:
    """The share of devices that are asked directly in ten-thousandths, 0 without arms; of a draft in normal form."""
    return int(str(draft.get("direct", "0.0")).removeprefix("0."))


def least_with(parts: int) -> int:
    """The smallest minimum batch size with this share asked directly."""
    return -(-LEAST_DIRECT_RECORDS * PARTS // parts)
