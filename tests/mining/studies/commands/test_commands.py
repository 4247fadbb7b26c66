"""candor arms, controls, model, waves, and mine --margins."""

from itertools import chain
from typing import Any

import pytest

from tests.privacy.questionnaires import (
    HALF,
    crosswise,
    drawn_question,
    make_design,
    plain,
    question,
    sensitive,
)
from tests.runs.conftest import folder
from tests.runs.sealed import Done, Folder

__all__ = ["folder"]


# A survey with two plain questions and one sensitive one, and record files with given counts.

AGE: dict[str, Any] = {"name": "age", "choices": ["18-39", "40-59", "60+"], "form": "scale"}
SEX = {"name": "sex", "choices": ["f", "m"]}
SURVEY = make_design(plain(AGE, SEX), sensitive("0.5", question("theft", *HALF)))
HEADER = "group,age,sex,theft"


def cell(group: str, age: str, sex: str, received: float, n: int) -> list[str]:
    """n records of a class, of which this share has *yes* as received."""
    yes = round(received * n)
    return [f"{group},{age},{sex},{'yes' if place < yes else 'no'}" for place in range(n)]


def shares(**received: float) -> list[str]:
    """The disguised, 200 in each of four classes; `f1` are women of the first age."""
    of = {name: (AGE["choices"][int(name[1]) - 1], name[0]) for name in received}
    rows = [cell("disguised", *of[name], share, 200) for name, share in received.items()]
    return [HEADER, *chain(*rows)]


MOON = {"name": "moon", "choices": ["no", "yes"], "known": "0.0000"}
ARMS = make_design(
    plain(MOON),
    sensitive("0.5", question("theft", *HALF), question("lying", *HALF)),
    open_answers=False,
    direct="0.5",
)
OF_ARMS = ("n_direct", "direct_low", "direct_high", "n_disguised", "disguised_low", "disguised_high")
ARMS_HEADER = "group,moon,theft,lying"


def arms_rows(group: str, theft: int, lying: int, n: int, moon: str = "no") -> list[str]:
    """n records, the first of them with *yes*."""
    yes_no = ("no", "yes")
    return [f"{group},{moon},{yes_no[place < theft]},{yes_no[place < lying]}" for place in range(n)]


IN_ARMS = [ARMS_HEADER, *arms_rows("direct", 20, 20, 200), *arms_rows("disguised", 120, 90, 300)]


COMPARED = ("arms", "design.json", "records.csv")


def test_arms_dropouts_and_control_item_by_hand(folder: Folder) -> None:
    """Direct 20 of 200; disguised 120 of 300 received, so (.4 - .25) / .5 = .3."""
    found = folder.write_all(design=ARMS, records=IN_ARMS).run(*COMPARED).output
    assert list(found) == ["direct", "disguised", "share", "completion", "items", "controls"]
    assert (found["direct"], found["disguised"], found["share"]) == (200, 300, 0.5)
    theft, lying = found["items"]
    names = "item direct disguised difference low high p holm smallest_more smallest_fewer bounds"
    assert list(theft) == [*names.split(), *OF_ARMS]
    assert theft["item"] == "theft=yes"
    assert (theft["direct"], theft["disguised"], theft["difference"]) == pytest.approx((0.1, 0.3, 0.2))
    assert 0 < theft["low"] < 0.2 < theft["high"]
    assert (theft["n_direct"], theft["n_disguised"]) == (200, 300)
    assert theft["direct_low"] < 0.1 < theft["direct_high"]
    assert theft["direct_high"] < theft["disguised_low"] < 0.3 < theft["disguised_high"]
    # Lying: 90 of 300 received are .1 of them, as in the direct arm.
    assert (lying["difference"], lying["p"], lying["holm"]) == pytest.approx((0.0, 1.0, 1.0))
    assert theft["holm"] == pytest.approx(2 * theft["p"])
    assert theft["p"] < 0.01
    # Who left: 200 of 500 are direct where half were drawn: q = 2/3, so at most a third of the direct arm left for it.
    left = found["completion"]
    assert list(left) == ["completion", "low", "high", "p"]
    assert left["completion"] == pytest.approx(2 / 3)
    assert left["low"] < 2 / 3 < left["high"] < 1
    assert left["p"] < 0.001
    # (.3 - 1/3) / (2/3) is below 0; .3 / (2/3) = .45.
    assert theft["bounds"] == pytest.approx([-0.1, 0.35])
    # Control items stand beside the differences; Clopper and Pearson of none among 200, and among 300.
    (moon,) = found["controls"]
    assert list(moon) == ["item", "direct", "disguised", "difference", "low", "high", "p", *OF_ARMS]
    assert (moon["item"], moon["difference"]) == ("moon=yes", 0)
    ends = [200, 0, 1 - 0.025 ** (1 / 200), 300, 0, 1 - 0.025 ** (1 / 300)]
    assert [moon[name] for name in OF_ARMS] == pytest.approx(ends)


def test_few_direct_records_and_withheld_plain_answers(folder: Folder) -> None:
    withheld = [row.replace("direct,no", "direct,?") for row in IN_ARMS]
    assert "direct,?,yes,yes" in withheld
    folder.write_all(design=ARMS, records=IN_ARMS, withheld=withheld)
    whole, without = (folder.run(*COMPARED[:2], file).output for file in ("records.csv", "withheld.csv"))
    assert without["items"] == whole["items"]
    assert without["completion"] == whole["completion"]
    assert without["controls"][0]["difference"] is None
    # Too few of an arm are not compared.
    records = [ARMS_HEADER, *arms_rows("direct", 2, 2, 9), *arms_rows("disguised", 120, 90, 300)]
    found = folder.write_all(design=ARMS, records=records).run(*COMPARED).output
    for entry in found["items"]:
        known = {name: value for name, value in entry.items() if value is not None}
        assert known == {"item": entry["item"], "bounds": [None, None]}


def test_incomparable_designs_are_refused(folder: Folder) -> None:
    without = {key: value for key, value in ARMS.items() if key != "direct"}
    nothing = "direct: the design has no direct arm, so there is nothing to compare"
    for design, records, said in (
        (ARMS, [], "holds no record"),
        (without, ["disguised,no,no,no"], nothing),
        (ARMS, ["open,no,no,no"], "records.csv:2: the group is direct or disguised, not 'open'"),
    ):
        folder.write_all(design=design, records=[ARMS_HEADER, *records])
        assert said in folder.run(*COMPARED).refusal


pytestmark = pytest.mark.proof
THEFT = question("theft", *HALF)
PLAIN_CONTROL = make_design(plain(MOON), sensitive("0.5", THEFT))


def repeat_rows(**rows: int) -> list[str]:
    return [row.replace("_", ",") for row, times in rows.items() for _ in range(times)]


def run_controls(folder: Folder, design: dict[str, Any], records: list[str]) -> Done:
    return folder.write_all(design=design, records=records).run("controls", "design.json", "records.csv")


def test_plain_control_item_uses_disguised_people_only(folder: Folder) -> None:
    """20 of 400 say yes where nobody can: L = .05 / .5 = .1. Received .4, so .3, corrected (.3 - .05) / .9."""
    disguised = repeat_rows(
        disguised_yes_yes=8, disguised_yes_no=12, disguised_no_yes=152, disguised_no_no=228
    )
    records = ["group,moon,theft", *repeat_rows(open_yes_yes=100), *disguised]
    found = run_controls(folder, PLAIN_CONTROL, records).output
    assert list(found) == ["item", "known", "seen", "low", "high", "p", "careless", "items"]
    assert (found["item"], found["known"]) == ("moon=yes", 0)
    assert (found["seen"], found["careless"]) == pytest.approx((0.05, 0.1))
    assert 0.03 < found["low"] < 0.05 < found["high"] < 0.08
    assert found["p"] < 1e-9
    (theft,) = found["items"]
    assert " ".join(theft) == "item n share low high corrected corrected_low corrected_high"
    assert (theft["item"], theft["n"]) == ("theft=yes", 400)
    assert (theft["share"], theft["corrected"]) == pytest.approx((0.3, 0.25 / 0.9))
    assert theft["low"] < 0.3 < theft["high"]
    assert theft["corrected_low"] < theft["corrected"] < theft["corrected_high"]
    # Of a direct arm nothing is counted.
    disguised = repeat_rows(disguised_no_yes=160, disguised_no_no=240)
    records = ["group,moon,theft", *repeat_rows(direct_yes_yes=100), *disguised]
    found = run_controls(folder, PLAIN_CONTROL | {"open_answers": False, "direct": "0.5"}, records).output
    assert (found["seen"], found["careless"], found["items"][0]["n"]) == (0, 0, 400)


def test_control_item_before_or_after_the_answer_and_a_plain_one_first(folder: Folder) -> None:
    """Received: moon .3, so .1 and L = .2; theft .4, so .3, corrected (.3 - .1) / .8 = .25."""
    sections = [sensitive("0.5", question("moon", *HALF, known="0.0000")), sensitive("0.5", THEFT)]
    cells = repeat_rows(disguised_yes_yes=48, disguised_yes_no=72, disguised_no_yes=112, disguised_no_no=168)
    swapped = [",".join([row.split(",")[0], *row.split(",")[:0:-1]]) for row in cells]
    before, behind = ["group,moon,theft", *cells], ["group,theft,moon", *swapped]
    for design, records in ((make_design(*sections), before), (make_design(*reversed(sections)), behind)):
        found = run_controls(folder, design, records).output
        assert (found["seen"], found["careless"]) == pytest.approx((0.1, 0.2))
        (theft,) = found["items"]
        assert (theft["share"], theft["corrected"]) == pytest.approx((0.3, 0.25))
    design = make_design(sensitive("0.5", question("secret", *HALF, known="1.0000"), THEFT), plain(MOON))
    records = ["group,secret,theft,moon", *["disguised,yes,no,no"] * 100]
    assert run_controls(folder, design, records).output["item"] == "moon=yes"


def test_question_of_three_choices_is_corrected_by_a_third(folder: Folder) -> None:
    """L = .1: a choice received with .4, noise .2: (.4 - .1) / .5 = .6, corrected (.6 - .1 / 3) / .9."""
    design = make_design(plain(MOON), sensitive("0.5", question("drink", "0.2", "0.5", "0.3")))
    rows = ["disguised,yes,choice 1"] * 5 + ["disguised,no,choice 1"] * 55 + ["disguised,no,choice 0"] * 40
    found = run_controls(folder, design, ["group,moon,drink", *rows]).output
    (never,) = (entry for entry in found["items"] if entry["item"] == "drink=choice 0")
    assert (never["share"], never["corrected"]) == pytest.approx((0.6, (0.6 - 0.1 / 3) / 0.9))


def test_preferred_word_and_version_with_dropouts_are_detected(folder: Folder) -> None:
    """Without a control item the two versions alone are read: .2 and .5 of them recorded as yes, keep .5."""
    turned = crosswise("tax", "0.25", turned_by="version")
    design = make_design(plain(drawn_question("version", *HALF)), turned, open_answers=False)
    rows = repeat_rows(disguised_a_yes=20, disguised_a_no=80, disguised_b_yes=50, disguised_b_no=50)
    found = run_controls(folder, design, ["group,version,tax", *rows]).output
    assert list(found) == ["words", "drawn"]
    (tax,) = found["words"]
    assert (tax["item"], tax["difference"]) == ("tax=yes", pytest.approx(-0.6))
    # z = -.6 / (sqrt(.35 .65 .02) / .5)
    assert tax["z"] == pytest.approx(-0.3 / (0.35 * 0.65 * 0.02) ** 0.5)
    assert found["drawn"] == [{"question": "version", "records": {"a": 100, "b": 100}, "p": 1.0}]
    design = make_design(plain(drawn_question("version", "0.25", "0.75")), sensitive("0.5", THEFT))
    records = ["group,version,theft", *["open,a,no"] * 40, *["disguised,b,no"] * 60]
    (version,) = run_controls(folder, design, records).output["drawn"]
    # (40 - 25)^2 / 25 + (60 - 75)^2 / 75 = 12
    assert version["p"] == pytest.approx(0.000532, abs=1e-6)


def test_too_few_with_the_control_item_and_a_design_without_one_are_refused(folder: Folder) -> None:
    few = run_controls(folder, PLAIN_CONTROL, ["group,moon,theft", *["disguised,no,no"] * 49])
    assert "records: too few have moon=yes: at least 50 are needed" in few.refusal
    without = run_controls(folder, make_design(sensitive("0.5", THEFT)), ["group,theft", "disguised,yes"])
    assert "known: the design has no control item" in without.refusal


# (.4 - .25) / .5 = .3, (.5 - .25) / .5 = .5, and so on: women .3 and .5, men .1 and .3.
BY_AGE_AND_SEX = shares(f1=0.4, f2=0.5, m1=0.3, m2=0.4)
MODEL = ("model", "design.json", "records.csv", "--item", "theft=yes")
WITH_ARMS = {**SURVEY, "open_answers": False, "direct": "0.5"}
YOUNGER = {**AGE, "choices": AGE["choices"][:2]}
WITHOUT_60 = {**SURVEY, "sections": [plain(YOUNGER, SEX), SURVEY["sections"][1]]}


def test_linear_model_by_hand(folder: Folder) -> None:
    """Two thirds of the effects are exact: age adds .2, being a man takes .2 away."""
    folder.write_all(design=WITHOUT_60, records=BY_AGE_AND_SEX)
    found = folder.run(*MODEL, "--on", "age", "--on", "sex").output
    assert list(found) == ["n", "patterns", "coefficients", "terms", "fit"]
    assert (found["n"], found["patterns"]) == (800, 4)
    for of in found["coefficients"]:
        assert list(of) == ["of", "b", "se", "low", "high", "p", "item", "n", "population"]
        ends = of["b"] - 1.96 * of["se"], of["b"] + 1.96 * of["se"]
        assert (of["low"], of["high"]) == pytest.approx(ends)
    assert coefficients(found) == pytest.approx({"1": 0.3, "age=40-59": 0.2, "sex=m": -0.2})
    assert [(term["of"], term["df"]) for term in found["terms"]] == [("age", 1), ("sex", 1)]
    assert (found["fit"]["products"], found["fit"]["df"]) == (["age*sex"], 1)
    assert found["fit"]["p"] == pytest.approx(1)


def coefficients(found: dict[str, Any]) -> dict[str, float]:
    return {of["of"]: of["b"] for of in found["coefficients"]}


def test_products_numbers_filters_and_logits_are_requested(folder: Folder) -> None:
    folder.write_all(design=WITHOUT_60, records=BY_AGE_AND_SEX)
    crossed = folder.run(*MODEL, "--on", "age", "--on", "sex", "--product", "age*sex", "--logit").output
    assert list(coefficients(crossed)) == ["1", "age=40-59", "sex=m", "age=40-59*sex=m"]
    by_number = folder.run(*MODEL, "--on", "age", "--number", "age", "--among", "sex=f").output
    assert coefficients(by_number) == pytest.approx({"1": 0.3, "age": 0.2})
    assert by_number["n"] == 400
    for one in (*by_number["coefficients"], *by_number["terms"]):
        assert (one["item"], one["n"], one["population"]) == ("theft=yes", 400, "disguised")
        assert one["among"] == ["sex=f"]


def test_open_records_enter_no_model(folder: Folder) -> None:
    more = [*BY_AGE_AND_SEX, *cell("open", "18-39", "f", 1.0, 300)]
    folder.write_all(design=WITHOUT_60, records=BY_AGE_AND_SEX, more=more)
    files = ("records.csv", "more.csv")
    alone, beside = (folder.run(*MODEL[:2], file, *MODEL[3:], "--on", "sex").output for file in files)
    assert alone == beside


def test_arm_is_a_covariate_on_request_and_needs_plain_answers(folder: Folder) -> None:
    """Direct: women .1; so the disguised arm adds .2 to women."""
    arms = (("direct", 0.1, 100), ("disguised", 0.4, 200))
    both = [row for group, share, n in arms for sex in "fm" for row in cell(group, "18-39", sex, share, n)]
    folder.write_all(design=WITH_ARMS, records=[HEADER, *both])
    alone = folder.run(*MODEL, "--on", "sex").output
    assert (alone["n"], alone["coefficients"][0]["population"]) == (400, "disguised arm")
    found = folder.run(*MODEL, "--on", "arm").output
    assert (found["n"], found["terms"][0]["population"]) == (600, "both arms")
    assert coefficients(found) == pytest.approx({"1": 0.1, "arm": 0.2})
    withheld = [HEADER, "direct,?,?,no", *BY_AGE_AND_SEX[1:]]
    refusal = folder.write_all(design=WITH_ARMS, records=withheld).run(*MODEL, "--on", "arm").refusal
    words = "covariates: the file withholds what direct records say without disguise: leave the arm out"
    assert words in refusal


def test_invalid_model_is_refused(folder: Folder) -> None:
    folder.write_all(design=WITHOUT_60, records=BY_AGE_AND_SEX)
    constant = "--on", "age", "--among", "age=18-39"
    assert "covariates: the design has no question 'arm'" in folder.run(*MODEL, "--on", "arm").refusal
    assert "covariates: 'age' is constant" in folder.run(*MODEL, *constant).refusal


WAVES = ("waves", "before.json", "before.csv", "after.json", "after.csv")
# Asked again with another keep, and without age.
AGAIN = make_design(plain(SEX), sensitive("0.8", question("theft", *HALF)))
BEFORE = [HEADER, *cell("disguised", "60+", "f", 0.4, 200)]


def later_wave_rows(received: float, n: int, group: str = "disguised") -> list[str]:
    rows = cell(group, "60+", "f", received, n)
    return ["group,sex,theft", *(row.replace("60+,", "") for row in rows)]


def write_both_waves(folder: Folder, later: list[str], design: dict[str, Any] = AGAIN) -> Folder:
    folder.write_all(before=BEFORE, after=later)
    return folder.write_all(before=SURVEY, after=design)


def entry_of_theft(found: dict[str, Any]) -> dict[str, Any]:
    (theft,) = (entry for entry in found["items"] if entry["item"] == "theft=yes")
    return dict(theft)


def test_two_waves_by_hand_are_of_the_same_people_by_default(folder: Folder) -> None:
    """Earlier (.4 - .25) / .5 = .3, later (.5 - .1) / .8 = .5."""
    written = write_both_waves(folder, later_wave_rows(0.5, 400))
    found, drawn_anew = (written.run(*WAVES, *more).output for more in ((), ("--drawn-anew",)))
    assert (found["same_people"], drawn_anew["same_people"]) == (True, False)
    assert (found["earlier"], found["later"]) == (200, 400)
    same, anew = entry_of_theft(found), entry_of_theft(drawn_anew)
    names = ["item", "earlier", "later", "difference", "low", "high", "p", "holm", "n_earlier", "n_later"]
    assert list(same) == names
    assert (same["n_earlier"], same["n_later"]) == (200, 400)
    assert (same["earlier"], same["later"], same["difference"]) == pytest.approx((0.3, 0.5, 0.2))
    assert same["low"] < anew["low"] < 0.2 < anew["high"] < same["high"]
    assert same["p"] > anew["p"]
    # Only questions in the same words are compared, plain ones too.
    assert [entry["item"] for entry in found["items"]] == ["sex=f", "sex=m", "theft=yes"]
    assert found["items"][0]["difference"] == 0


def test_wave_uses_both_groups_and_no_direct_arm(folder: Folder) -> None:
    """Later: 100 open of whom half steal beside 400 disguised with .5."""
    later = [*later_wave_rows(0.5, 400), *later_wave_rows(0.5, 100, "open")[1:]]
    found = write_both_waves(folder, later).run(*WAVES).output
    theft = entry_of_theft(found)
    assert theft["later"] == pytest.approx(0.5)
    assert theft["low"] < 0.2 < theft["high"]
    # Of a direct arm nothing is compared.
    design = {**AGAIN, "open_answers": False, "direct": "0.5"}
    later = [*later_wave_rows(0.5, 400), *later_wave_rows(1.0, 100, "direct")[1:]]
    found = write_both_waves(folder, later, design).run(*WAVES).output
    assert found["later"] == 400
    theft = entry_of_theft(found)
    assert theft["later"] == pytest.approx(0.5)


def test_drawn_questions_and_small_waves_have_no_difference(folder: Folder) -> None:
    design = make_design(plain(drawn_question("version", *HALF)), SURVEY["sections"][1])
    records = ["group,version,theft", *["disguised,a,no"] * 60]
    folder.write_all(before=design, after=design).write_all(before=records, after=records)
    assert [entry["item"] for entry in folder.run(*WAVES).output["items"]] == ["theft=yes"]
    found = write_both_waves(folder, later_wave_rows(0.5, 49)).run(*WAVES).output
    assert {entry["difference"] for entry in found["items"]} == {None}


# 100 women of whom (.5 - .25) / .5 = .5 steal, 300 men of whom .1 do.
WOMEN_AND_MEN = [HEADER, *cell("disguised", "60+", "f", 0.5, 100), *cell("disguised", "60+", "m", 0.3, 300)]
HALVES = ["sex,share", "f,0.5", "m,0.5"]
ASKED = ("--min-support", ".01", "--min-confidence", ".9", "--margins", "margins.csv")
MINED = ("mine", "design.json", "records.csv", *ASKED)

TELLS_ALL = "Everything is told, small classes too: --told REPORT.json mines what a report may tell."


def weighted_entry(found: dict[str, Any], item: str) -> Any:
    (entry,) = (entry for entry in found["itemsets"] if entry["items"] == [item])
    return entry["weighted"]


def test_share_weighted_to_halves_by_hand(folder: Folder) -> None:
    """Unweighted .2; half women and half men: .3."""
    done = folder.write_all(design=SURVEY, records=WOMEN_AND_MEN, margins=HALVES).run(*MINED)
    theft = weighted_entry(done.output, "theft=yes")
    assert list(theft) == ["share", "se", "low", "high", "effective", "largest"]
    assert theft["share"] == pytest.approx(0.3)
    assert theft["low"] < 0.3 < theft["high"]
    # Women count twice: .5 / .25.
    assert theft["largest"] == pytest.approx(2)
    # By hand: variances y (1-y) / p^2 of the two classes of weights, a quarter each.
    classes = (0.5 * 0.5 / 100 + 0.3 * 0.7 / 300) / 0.25 / 4
    assert theft["se"] == pytest.approx(classes**0.5)
    assert theft["effective"] == pytest.approx(1 / (0.25 / 100 + 0.25 / 300))
    assert done.err.splitlines() == [TELLS_ALL]


def test_only_single_answers_are_weighted_and_none_without_margins(folder: Folder) -> None:
    found = folder.write_all(design=SURVEY, records=WOMEN_AND_MEN, margins=HALVES).run(*MINED).output
    assert {"weighted" in entry for entry in found["itemsets"] if len(entry["items"]) > 1} == {False}
    assert weighted_entry(found, "sex=f")["share"] == pytest.approx(0.5)
    assert not any("weighted" in rule for rule in found["rules"])
    found = folder.write_all(design=SURVEY, records=WOMEN_AND_MEN).run(*MINED[:-2]).output
    assert not any("weighted" in entry for entry in found["itemsets"])


def test_weighted_shares_are_of_disguised_people(folder: Folder) -> None:
    arms = {**SURVEY, "open_answers": False, "direct": "0.5"}
    for design, group, whose in (
        (SURVEY, "open", "of people who chose disguise"),
        (arms, "direct", "of the disguised arm"),
    ):
        more = [*WOMEN_AND_MEN, *cell(group, "60+", "f", 1.0, 200)]
        done = folder.write_all(design=design, records=more, margins=HALVES).run(*MINED)
        assert weighted_entry(done.output, "theft=yes")["share"] == pytest.approx(0.3)
        assert f"Weighted shares are {whose}.\n" in done.err
    few = [HEADER, *cell("disguised", "60+", "f", 0.5, 20), *cell("open", "60+", "m", 0.5, 60)]
    found = folder.write_all(design=SURVEY, records=few, margins=HALVES).run(*MINED).output
    assert weighted_entry(found, "theft=yes") is None


def test_weight_above_five_is_reported_and_impossible_margins_refused(folder: Folder) -> None:
    """A tenth of the records for .6 of the people."""
    records = [HEADER, *cell("disguised", "60+", "f", 0.5, 40), *cell("disguised", "60+", "m", 0.3, 360)]
    margins = ["sex,share", "f,0.6", "m,0.4"]
    done = folder.write_all(design=SURVEY, records=records, margins=margins).run(*MINED)
    warning = "A weight is 6.0 times the mean: few records represent many people."
    assert done.err.splitlines() == [TELLS_ALL, warning]
    assert weighted_entry(done.output, "theft=yes")["largest"] == pytest.approx(6)
    folder.write_all(design=SURVEY, records=WOMEN_AND_MEN, margins=["sex,share", "f,1"])
    assert "margins.csv: a row is missing: 'sex=m'" in folder.run(*MINED).refusal
