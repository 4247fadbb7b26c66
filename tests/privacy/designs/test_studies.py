"""Arms, drawn questions, control items, crosswise questions and plans in designs: what is read and what is refused."""

import json
from typing import Any

import pytest

from privacy.designs import Design, InputError, parse
from privacy.kinds.crosswise.section import CrosswiseSection
from tests.privacy.questionnaires import (
    HALF,
    THIRDS,
    WORK,
    crosswise,
    design,
    drawn,
    plain,
    question,
    sensitive,
    written,
)

THEFT = question("theft", *HALF)
OK = sensitive("0.5", THEFT)
PRINT = "0123456789abcdef" * 4
VERSION = drawn("version", *HALF)


def closed(*sections: Any, **more: Any) -> dict[str, Any]:
    return written(*(sections or (OK,)), open_answers=False, **more)


def read(source: dict[str, Any]) -> Design:
    found = parse(json.dumps(source))
    assert parse(found.canonical) == found
    return found


def member(found: Design, place: int) -> dict[str, Any]:
    questions = [each for section in json.loads(found.canonical)["sections"] for each in section["questions"]]
    found_member: dict[str, Any] = questions[place]
    return found_member


def test_arms_a_predecessor_and_a_plan_are_canonical_where_they_are_used() -> None:
    found = read(closed(direct="0.5", follows=PRINT, plan="f" * 64))
    whole = json.loads(found.canonical)
    assert (whole["direct"], whole["follows"], whole["plan"]) == ("0.5000", PRINT, "f" * 64)
    assert (found.direct_parts, found.follows, found.plan) == (5_000, PRINT, "f" * 64)
    assert not {"direct", "follows", "plan", "panel"} & json.loads(read(closed()).canonical).keys()


def test_the_minimum_batch_holds_twenty_direct_records_on_average(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, int]] = [("0.1", 200), ("0.9", 23), ("0.35", 58), ("0.2", 100)]
    for direct, least in cases:
        with subtests.test(f"{direct!r:.60} {least}"):
            assert read(closed(direct=direct, least=least)).least == least
            with pytest.raises(
                InputError, match=rf"^least: with .* the minimum batch size is at least {least}$"
            ):
                parse(json.dumps(closed(direct=direct, least=least - 1)))


def test_only_arms_and_open_answers_give_records_of_group_0() -> None:
    assert read(closed(direct="0.5")).has_group_open
    assert design(OK).has_group_open
    assert not read(closed()).has_group_open


def test_a_drawn_question_has_shares_and_may_stand_in_rules() -> None:
    found = read(written(plain(VERSION), sensitive("0.5", {**THEFT, "show_if": {"version": ["b"]}})))
    assert member(found, 0)["shares"] == ["0.5000", "0.5000"]
    assert found.questions[0].share_parts == (5_000, 5_000)
    assert found.questions[1].show_if[0].codes == {1}


def test_a_control_item_has_a_known_share(subtests: pytest.Subtests) -> None:
    for known in ["0", "0.0000", "0.3", "0.7000", "1", "1.0000"]:
        with subtests.test(f"{known}"):
            for section in (
                plain({"name": "moon", "choices": ["no", "yes"], "known": known}),
                sensitive("0.5", {**THEFT, "known": known}),
            ):
                found = read(written(section))
                assert member(found, 0)["known"] == f"{float(known):.4f}"
                assert found.questions[0].known_parts == round(float(known) * 10_000)


def test_a_crosswise_question_is_read_with_its_secret() -> None:
    secret: dict[str, Any] = {
        "secret": {"en": "Born before April?"},
        "share": "0.2466",
        "source": "Register 2020",
    }
    found = read(
        written(plain(VERSION), crosswise("theft", **secret, turned_by="version", turned="Born from April?"))
    )
    assert member(found, 1) == {
        "name": "theft",
        "form": "yes-no",
        "text": {},
        "help": {},
        "show_if": {},
        "choices": [{"name": "no", "label": {}}, {"name": "yes", "label": {}}],
        **secret,
        "turned_by": "version",
        "turned": {"en": "Born from April?"},
    }
    section = found.sections[1]
    assert isinstance(section, CrosswiseSection)
    assert section.keep_parts == 5_068
    assert section.question.turned_place == 0


def test_a_crosswise_question_says_only_what_it_uses() -> None:
    found = read(written(crosswise("theft", "0.2")))
    assert not {"noise", "turned_by", "turned", "known"} & member(found, 0).keys()
    assert (member(found, 0)["secret"], member(found, 0)["source"]) == ({}, "")


Q = "sections[0].questions[0]"
MOON = {"name": "moon", "choices": ["no", "yes"]}
BORN = {"secret": "Born before April?"}


def turned(version: dict[str, Any], *between: dict[str, Any], by: str = "version") -> dict[str, Any]:
    return written(plain(version), *between, crosswise("theft", "0.2", turned_by=by, turned="x"))


def with_drawn(**changes: Any) -> dict[str, Any]:
    return written(plain({**VERSION, **changes}))


REFUSED = [
    (
        written(OK, direct="0.5"),
        "direct: in a design with a direct arm nobody can choose to answer without disguise: the device decides",
    ),
    (closed(direct="0.0999"), "direct: must lie between 0.1000 and 0.9000"),
    (closed(direct="0.9001"), "direct: must lie between 0.1000 and 0.9000"),
    (closed(direct="0"), "direct: a probability of 0 is not allowed"),
    (closed(direct=0.5), "direct: a probability is a text"),
    (closed(direct="0.1"), "direct: with 0.1000 asked directly the minimum batch size is at least 200"),
    (closed(follows=PRINT[1:]), "follows: must be 64 lowercase hexadecimal digits"),
    (closed(plan=PRINT.upper()), "plan: must be 64 lowercase hexadecimal digits"),
    # control items
    *[
        (written(plain({**MOON, "known": known})), f"{Q}.known: {float(known):.4f} is too near to one half")
        for known in ("0.3001", "0.5", "0.6999")
    ],
    (written(plain({**MOON, "known": "1.0001"})), f"{Q}.known: a probability of 1.0001 is not allowed"),
    (written(plain({**WORK, "known": "0.1"})), f"{Q}.known: only a yes/no question is a control item"),
    (
        written(sensitive("0.5", {**question("drink", *THIRDS), "known": "0.1"})),
        f"{Q}.known: only a yes/no question is a control item",
    ),
    # drawn questions
    (with_drawn(shares=["0.5", "0.4"]), f"{Q}.shares: the probabilities sum to 0.9000, not 1"),
    (with_drawn(shares=["1"]), f"{Q}.shares[0]: a probability of 1 is not allowed"),
    (with_drawn(shares=["0.2", "0.3", "0.5"]), f"{Q}.shares: 3 probabilities for 2 choices"),
    (written(plain({"name": "v", "form": "drawn", "choices": ["a", "b"]})), f"{Q}: 'shares' is missing"),
    (with_drawn(form="one"), f"{Q}.shares: only a question of the form drawn has shares"),
    (with_drawn(of="x"), f"{Q}.of: only questions of the form many share a group"),
    (with_drawn(known="0.1"), f"{Q}.known: only a yes/no question is a control item"),
    (
        written(plain(WORK, {**VERSION, "show_if": {"work": ["not"]}})),
        "sections[0].questions[1].show_if: a drawn question is drawn for everybody: leave out its rules",
    ),
    (
        written(sensitive("0.5", {**THEFT, "form": "drawn"})),
        f"{Q}.form: a drawn question must be in a sensitive section",
    ),
    (written(sensitive("0.5", {**THEFT, "shares": list(HALF)})), f"{Q}: unknown key 'shares'"),
    # crosswise questions
    (written(crosswise("theft", "0.5")), f"{Q}.share: with a share of one half the answers say nothing"),
    (written(crosswise("theft", "0.0499")), f"{Q}.share: must lie between 0.0500 and 0.9500"),
    (written(crosswise("theft", "0.9501")), f"{Q}.share: must lie between 0.0500 and 0.9500"),
    (
        written(crosswise("theft", "0.2", choices=["yes", "no"])),
        f"{Q}.choices: a crosswise question has the choices no, yes in this order",
    ),
    (
        written(
            {
                "kind": "crosswise",
                "questions": [{**MOON, "share": "0.2"}, {**MOON, "name": "b", "share": "0.2"}],
            }
        ),
        "sections[0].questions: a crosswise section has one question",
    ),
    (written({"kind": "crosswise", "questions": [MOON]}), f"{Q}: 'share' is missing"),
    (written({**crosswise("theft", "0.2"), "keep": "0.5"}), "sections[0]: unknown key 'keep'"),
    (written({**crosswise("theft", "0.2"), "order": "random"}), "sections[0]: unknown key 'order'"),
    (
        written(crosswise("theft", "0.2", **BORN), crosswise("tax", "0.2", secret="  born  before APRIL? ")),
        "sections[1].questions[0].secret: this secret is used already: choose another for this question",
    ),
    (
        written(
            plain(VERSION),
            crosswise("theft", "0.2", **BORN),
            crosswise("tax", "0.8", secret="x", turned_by="version", turned=BORN["secret"]),
        ),
        "sections[2].questions[0].turned: this secret is used already",
    ),
    (
        turned(drawn("version", "0.4", "0.6")),
        "sections[1].questions[0].turned_by: 'version' has not two choices",
    ),
    (turned(drawn("version", *THIRDS)), "sections[1].questions[0].turned_by: 'version' has not two choices"),
    (
        turned(WORK, by="work"),
        "sections[1].questions[0].turned_by: no earlier drawn question is called 'work'",
    ),
    (
        written(crosswise("theft", "0.2", turned_by="version"), plain(VERSION)),
        f"{Q}.turned_by: no earlier drawn question is called 'version'",
    ),
    (written(crosswise("theft", "0.2", turned="x")), f"{Q}.turned: 'turned_by' is missing"),
    (
        written(crosswise("theft", "0.2"), plain({**WORK, "show_if": {"theft": ["yes"]}})),
        "sections[1].questions[0].show_if.theft: 'theft' is sensitive",
    ),
]


def test_a_study_is_refused_with_the_place_and_the_reason(subtests: pytest.Subtests) -> None:
    for source, said in REFUSED:
        with subtests.test(f"{source!r:.60} {said!r:.60}"):
            with pytest.raises(InputError) as caught:
                parse(json.dumps(source))
            assert str(caught.value).startswith(said)
            assert len(str(caught.value).splitlines()) == 1
