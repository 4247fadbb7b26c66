"""Arms, drawn questions, control items, crosswise questions and plans in designs: what is read and what is refused."""

import json
from typing import Any

from privacy.designs import Design, parse_design
from privacy.kinds.crosswise.section import CrosswiseSection
from tests.privacy import questionnaires as q

THEFT = q.question("theft", *q.HALF)
OK = q.sensitive("0.5", THEFT)
PRINT = "0123456789abcdef" * 4
VERSION = q.drawn_question("version", *q.HALF)
MOON = {"name": "moon", "choices": ["no", "yes"]}


def closed_design(*sections: Any, **more: Any) -> dict[str, Any]:
    return q.make_design(*(sections or (OK,)), open_answers=False, **more)


def read(source: dict[str, Any]) -> Design:
    found = parse_design(json.dumps(source))
    assert parse_design(found.canonical) == found
    return found


def member(found: Design, place: int) -> dict[str, Any]:
    sections: list[Any] = json.loads(found.canonical)["sections"]
    questions: list[dict[str, Any]] = [each for section in sections for each in section["questions"]]
    return questions[place]


def test_arms_a_predecessor_and_a_plan_are_canonical_where_they_are_used() -> None:
    found = read(closed_design(direct="0.5", follows=PRINT, plan="f" * 64))
    whole = json.loads(found.canonical)
    assert (whole["direct"], whole["follows"], whole["plan"]) == ("0.5000", PRINT, "f" * 64)
    assert (found.direct_parts, found.follows, found.plan) == (5_000, PRINT, "f" * 64)
    assert not {"direct", "follows", "plan", "panel"} & json.loads(read(closed_design()).canonical).keys()


def test_the_minimum_batch_holds_twenty_direct_records_on_average() -> None:
    for direct, least in {"0.1": 200, "0.9": 23, "0.35": 58, "0.2": 100}.items():
        assert read(closed_design(direct=direct, least=least)).least == least
        said = q.refusal(read, closed_design(direct=direct, least=least - 1))
        assert said.startswith("least: with "), direct
        assert said.endswith(f"the minimum batch size is at least {least}"), direct
    # Only arms and open answers give records of group 0.
    of_groups = read(closed_design(direct="0.5")), q.design(OK), read(closed_design())
    assert [of.has_group_open for of in of_groups] == [True, True, False]


def test_a_drawn_question_has_shares_and_may_stand_in_rules() -> None:
    found = read(
        q.make_design(q.plain(VERSION), q.sensitive("0.5", {**THEFT, "show_if": {"version": ["b"]}}))
    )
    assert member(found, 0)["shares"] == ["0.5000", "0.5000"]
    assert found.questions[0].share_parts == (5_000, 5_000)
    assert found.questions[1].show_if[0].codes == {1}


def test_a_control_item_has_a_known_share() -> None:
    for known in ("0", "0.0000", "0.3", "0.7000", "1", "1.0000"):
        for section in (q.plain({**MOON, "known": known}), q.sensitive("0.5", {**THEFT, "known": known})):
            found = read(q.make_design(section))
            assert member(found, 0)["known"] == f"{float(known):.4f}"
            assert found.questions[0].known_parts == round(float(known) * 10_000)


def test_a_crosswise_question_is_read_with_its_secret() -> None:
    said: dict[str, Any] = {"secret": {"en": BORN["secret"]}, "share": "0.2466", "source": "Register 2020"}
    turned: dict[str, Any] = {"turned_by": "version", "turned": {"en": "Born from April?"}}
    found = read(q.make_design(q.plain(VERSION), q.crosswise("theft", **said, **turned)))
    choices: list[Any] = [{"name": name, "label": {}} for name in ("no", "yes")]
    common: dict[str, Any] = {"form": "yes-no", "text": {}, "help": {}, "show_if": {}, "choices": choices}
    assert member(found, 1) == {"name": "theft", **common, **said, **turned}
    section = found.sections[1]
    assert isinstance(section, CrosswiseSection)
    assert (section.keep_parts, section.question.turned_place) == (5_068, 0)
    # It says only what it uses.
    bare = member(read(q.make_design(q.crosswise("theft", "0.2"))), 0)
    assert not {"noise", "turned_by", "turned", "known"} & bare.keys()
    assert (bare["secret"], bare["source"]) == ({}, "")


Q = "sections[0].questions[0]"
BORN = {"secret": "Born before April?"}


def turned_design(version: Any, *between: Any, by: str = "version", **more: Any) -> dict[str, Any]:
    theft = q.crosswise("theft", "0.2", turned_by=by, turned="x", **more)
    return q.make_design(q.plain(version), *between, theft)


def with_drawn(**changes: Any) -> dict[str, Any]:
    return q.make_design(q.plain({**VERSION, **changes}))


KNOWN = f"{Q}.known: only a yes/no question is a control item"
TWO_CHOICES, NOT_DRAWN = "'version' has not two choices", "no earlier drawn question is called"
TWICE = {"kind": "crosswise", "questions": [{**MOON, "share": "0.2"}, {**MOON, "name": "b", "share": "0.2"}]}
SPACED, ORDER = "  born  before APRIL? ", [q.WORK, {**VERSION, "show_if": {"work": ["not"]}}]
REFUSED = [
    (q.make_design(OK, direct="0.5"), "direct: in a design with a direct arm nobody can choose"),
    *(
        (closed_design(direct=of), "direct: must lie between 0.1000 and 0.9000")
        for of in ("0.0999", "0.9001")
    ),
    (closed_design(direct="0"), "direct: a probability of 0 is not allowed"),
    (
        closed_design(direct="0.1"),
        "direct: with 0.1000 asked directly the minimum batch size is at least 200",
    ),
    (closed_design(follows=PRINT[1:]), "follows: must be 64 lowercase hexadecimal digits"),
    (closed_design(plan=PRINT.upper()), "plan: must be 64 lowercase hexadecimal digits"),
    # control items
    *[
        (q.make_design(q.plain({**MOON, "known": of})), f"{Q}.known: {float(of):.4f} is too near to one half")
        for of in ("0.3001", "0.5", "0.6999")
    ],
    (
        q.make_design(q.plain({**MOON, "known": "1.0001"})),
        f"{Q}.known: a probability of 1.0001 is not allowed",
    ),
    (q.make_design(q.plain({**q.WORK, "known": "0.1"})), KNOWN),
    (q.make_design(q.sensitive("0.5", {**q.question("drink", *q.THIRDS), "known": "0.1"})), KNOWN),
    # drawn questions
    (with_drawn(shares=["0.5", "0.4"]), f"{Q}.shares: the probabilities sum to 0.9000, not 1"),
    (with_drawn(shares=["1"]), f"{Q}.shares[0]: a probability of 1 is not allowed"),
    (with_drawn(shares=["0.2", "0.3", "0.5"]), f"{Q}.shares: 3 probabilities for 2 choices"),
    (
        q.make_design(q.plain({"name": "v", "form": "drawn", "choices": ["a", "b"]})),
        f"{Q}: 'shares' is missing",
    ),
    (with_drawn(form="one"), f"{Q}.shares: only a question of the form drawn has shares"),
    (with_drawn(of="x"), f"{Q}.of: only questions of the form many share a group"),
    (with_drawn(known="0.1"), KNOWN),
    (q.make_design(q.plain(*ORDER)), "sections[0].questions[1].show_if: a drawn question is drawn for"),
    (q.make_design(q.sensitive("0.5", {**THEFT, "form": "drawn"})), f"{Q}.form: a drawn question must be in"),
    (q.make_design(q.sensitive("0.5", {**THEFT, "shares": list(q.HALF)})), f"{Q}: unknown key 'shares'"),
    # crosswise questions
    (
        q.make_design(q.crosswise("theft", "0.5")),
        f"{Q}.share: with a share of one half the answers say nothing",
    ),
    *(
        (q.make_design(q.crosswise("theft", share)), f"{Q}.share: must lie between 0.0500 and 0.9500")
        for share in ("0.0499", "0.9501")
    ),
    (q.make_design(q.crosswise("theft", "0.2", choices=["yes", "no"])), f"{Q}.choices: a crosswise question"),
    (q.make_design(TWICE), "sections[0].questions: a crosswise section has one question"),
    (q.make_design({"kind": "crosswise", "questions": [MOON]}), f"{Q}: 'share' is missing"),
    (
        q.make_design(q.crosswise("theft", "0.2", **BORN), q.crosswise("tax", "0.2", secret=SPACED)),
        "sections[1].questions[0].secret: this secret is used already: choose another for this question",
    ),
    (
        turned_design(VERSION, q.crosswise("tax", "0.2", secret="x"), secret="y"),
        "sections[2].questions[0].turned: this secret is used already",
    ),
    (
        turned_design(q.drawn_question("version", "0.4", "0.6")),
        f"sections[1].questions[0].turned_by: {TWO_CHOICES}",
    ),
    (
        turned_design(q.drawn_question("version", *q.THIRDS)),
        f"sections[1].questions[0].turned_by: {TWO_CHOICES}",
    ),
    (turned_design(q.WORK, by="work"), f"sections[1].questions[0].turned_by: {NOT_DRAWN} 'work'"),
    (
        q.make_design(q.crosswise("theft", "0.2", turned_by="version"), q.plain(VERSION)),
        f"{Q}.turned_by: {NOT_DRAWN} 'version'",
    ),
    (q.make_design(q.crosswise("theft", "0.2", turned="x")), f"{Q}.turned: 'turned_by' is missing"),
    (
        q.make_design(q.crosswise("theft", "0.2"), q.plain({**q.WORK, "show_if": {"theft": ["yes"]}})),
        "sections[1].questions[0].show_if.theft: 'theft' is sensitive",
    ),
]


def test_a_study_is_refused_with_the_place_and_the_reason() -> None:
    assert q.refused_otherwise(lambda source: parse_design(json.dumps(source)), REFUSED) == []
