"""What the package reads of files and estimates of them, by hand."""

import json
from fractions import Fraction
from pathlib import Path
from typing import get_args

import pytest

import candor
from candor.surveys import Target
from tests.privacy.questionnaires import HALF, classes, make_design, plain, question, refusal, sensitive

pytestmark = pytest.mark.page
SENSITIVE = sensitive("0.5", question("theft", *HALF), question("lying", *HALF))
TEXT = json.dumps(make_design(plain({"name": "sex", "choices": ["f", "m"]}), SENSITIVE))
ROWS = {"f,yes,yes": 36, "f,no,yes": 14, "m,yes,no": 34, "m,no,no": 66}


@pytest.fixture
def records(tmp_path: Path) -> candor.Records:
    (tmp_path / "design.json").write_text(TEXT)
    lines = [f"disguised,{row}" for row, many in ROWS.items() for _ in range(many)]
    (tmp_path / "records.csv").write_text("\n".join(["group,sex,theft,lying", *lines, ""]))
    return candor.read_records(tmp_path / "records.csv", tmp_path / "design.json")


def test_a_design_is_read_from_a_file_or_from_its_text(records: candor.Records) -> None:
    assert candor.read_design(TEXT) == records.design == candor.read_design(TEXT.encode())
    assert "none.json: cannot be read" in refusal(candor.read_design, "none.json")
    for read in (candor.read_design, lambda file: candor.read_records(file, records.design)):
        assert "cannot be read (embedded null byte)" in refusal(read, "a\0b")
    assert records.n == (0, 150)


def test_shares_and_supports_by_hand(records: candor.Records) -> None:
    """70 of 150 say yes to theft: .4667 = .5 s + .25. Of a section with one coin both are kept together."""
    shares = candor.shares(records).set_index("item")
    assert [*shares.index] == ["sex=f", "sex=m", "theft=no", "theft=yes", "lying=no", "lying=yes"]
    assert shares.loc["theft=yes", "support"] == pytest.approx((70 / 150 - 0.25) / 0.5)
    assert shares.loc["sex=f", "support"] == pytest.approx(1 / 3)
    (both,) = candor.supports(records, [["lying=yes", "theft=yes"]]).to_dict("records")
    assert both["itemset"] == "theft=yes lying=yes"
    assert both["support"] == pytest.approx((36 / 150 - 0.5 * 0.25) / 0.5)
    assert not both["disguised_only"]
    assert "one answer of a question" in refusal(candor.supports, records, [["sex=f", "sex=m"]])
    assert "write it as theft=yes" in refusal(candor.shares, records, ["theft"])
    # A text is one item, not its letters.
    assert candor.shares(records, "theft=yes")["item"].tolist() == ["theft=yes"]
    assert candor.supports(records, ["theft=yes", "sex=f"])["itemset"].tolist() == ["theft=yes", "sex=f"]


@pytest.mark.parametrize(("of_open", "is_of_disguised"), [("f", False), ("?", True)])
def test_supports_say_which_are_of_disguised_people_only(
    of_open: str, is_of_disguised: bool, tmp_path: Path
) -> None:
    """Of a plain answer too, where the file withholds it of the others."""
    text = json.dumps({**json.loads(TEXT), "open_answers": True})
    lines = ["group,sex,theft,lying", *[f"open,{of_open},yes,yes"] * 60, *["disguised,f,yes,yes"] * 60]
    (tmp_path / "records.csv").write_text("\n".join([*lines, ""]))
    records = candor.read_records(tmp_path / "records.csv", candor.read_design(text))
    table = candor.supports(records, [["sex=f", "theft=yes"], ["theft=yes", "lying=yes"], ["sex=f"]])
    assert table["disguised_only"].to_list() == [True, False, is_of_disguised]
    assert not len(candor.supports(records, []))


def test_classes_differ_by_their_shares(records: candor.Records) -> None:
    """36 of 50 women and 34 of 100 men say yes to theft."""
    table = candor.compare_classes(records, "sex=f", "sex=m").set_index("item")
    assert table.loc["theft=yes", "difference"] == pytest.approx((0.34 - 0.72) / 0.5)
    assert table.loc["theft=yes", "high"] < 0
    model = candor.fit_model(records, "theft=yes", ["sex"])
    assert model.coefficients[1].b == pytest.approx((0.34 - 0.72) / 0.5)


def test_scored_answers_are_not_compared_between_classes(records: candor.Records, tmp_path: Path) -> None:
    design = candor.read_design(
        json.dumps(
            make_design(plain({"name": "sex", "choices": ["f", "m"]}), classes("debt", "0.5", 0, 500, 1000))
        )
    )
    (tmp_path / "numbers.csv").write_text("group,sex,debt\ndisguised,f,>=500\n")
    numbers = candor.read_records(tmp_path / "numbers.csv", design)
    table = candor.compare_classes(numbers, "sex=f", "sex=m")
    assert not len(table)
    assert list(table.columns) == list(candor.compare_classes(records, "sex=f", "sex=m").columns)
    assert "sex=x" in refusal(candor.compare_classes, numbers, "sex=f", "sex=x")


def test_library_rules_match_the_command(records: candor.Records) -> None:
    rules = candor.rules(records, 0.1, 0.3)
    assert ["theft=yes"] in rules["antecedent"].tolist()
    assert rules["confidence"].min() >= 0.3
    found = candor.itemsets(records, 0.1)
    assert found["support"].is_monotonic_decreasing
    # Where nothing is found, the columns are the same.
    for none, some in ((candor.rules(records, 1, 1), rules), (candor.itemsets(records, 1), found)):
        assert (len(none), list(none.columns)) == (0, list(some.columns))


def test_the_place_of_a_rule_is_a_list_and_a_rank_in_it(records: candor.Records) -> None:
    rules = candor.rules(records, 0.02, 0.1)
    sizes = rules["antecedent"].str.len() + rules["consequent"].str.len()
    assert rules["list"].tolist() == ["larger" if size > 2 else "pairs" for size in sizes]
    assert rules["list"].is_monotonic_decreasing
    for _name, part in rules.groupby("list"):
        # A rule and its converse have one place.
        assert part["rank"].drop_duplicates().tolist() == [*range(1, part["rank"].max() + 1)]
        assert part["p"].round(9).is_monotonic_increasing


def test_maximal_and_closed_itemsets_have_no_larger_equal(records: candor.Records) -> None:
    """Brute force over the list of all."""
    found = candor.itemsets(records, 0.05)
    support = dict(zip(map(frozenset, found["items"]), found["support"], strict=True))
    larger = {one: [other for other in support if one < other] for one in support}
    maximal = {one for one in support if not larger[one]}
    closed = {one for one in support if all(support[other] < support[one] for other in larger[one])}
    for target, expected in zip(get_args(Target)[1:], (maximal, closed), strict=True):
        assert 0 < len(expected) < len(support)
        assert {*map(frozenset, candor.itemsets(records, 0.05, target=target)["items"])} == expected
    assert "frequent, maximal, closed" in refusal(candor.itemsets, records, 0.05, target="largest")


def test_audit_takes_numbers_as_written(records: candor.Records) -> None:
    exact = candor.audit(records.design, Fraction(1, 20), Fraction(1, 20), Fraction(1, 2))
    assert candor.audit(records.design) == exact == candor.audit(records.design, 0.05, "0.05", 0.5)
    assert "rho1 is below rho2" in refusal(candor.audit, records.design, rho1=0.5, rho2=0.5)
    for prior in ("abc", float("nan"), "1/0"):
        assert "between 0 and 1" in refusal(candor.audit, records.design, prior)


def test_a_table_is_anonymised_and_keeps_what_it_promises(tmp_path: Path) -> None:
    table, specification, out = (tmp_path / name for name in ("table.csv", "spec.json", "out.csv"))
    table.write_text("age,ill\n" + "".join(f"{20 + n % 40},{'yes' if n % 5 else 'no'}\n" for n in range(200)))
    columns = {"quasi_identifiers": [{"name": "age", "kind": "number"}], "sensitive": ["ill"]}
    limits = {"k": 5, "max_frequency": "0.9"}
    specification.write_text(json.dumps({"format": "candor-release/1", **columns, **limits}))
    candor.anonymize(table, specification, out)
    found = candor.attack(out, specification)
    assert found["holds"] is True
    assert found["rows"] == 200
    assert "must not be negative" in refusal(candor.attack, out, specification, ruled_out=-1)


def test_a_plan_has_its_fingerprint_before_there_are_records(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    wanted = {"name": "third", "kind": "share", "item": "theft=yes", "than": "0.3333"}
    path.write_text(json.dumps({"format": "candor-plan/1", "salt": "0" * 32, "hypotheses": [wanted]}))
    assert len(candor.plan(path).sha256) == 64
