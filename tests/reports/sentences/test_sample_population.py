"""Under quotas nothing is said of all, but of those who were asked; and each count is of what it names."""

from typing import Any

from mining.nodes.report_nodes import Cell, GroupRow, GroupTable, Report, Told, Weighted, WeightedShare
from mining.nodes.study_nodes import SHARE, HypothesisResult, PlanResult, Study
from reports.answer_labels import Labels
from reports.pages.public.public_page_texts import heading_texts
from reports.sentences.association_pairs import pair_finding
from reports.sentences.first_finding_sentences import headline_findings
from reports.sentences.sample_population import SharePopulation, quota_sentences
from reports.sentences.shares import share_finding
from tests.intake import asked
from tests.reports import made, made_nodes
from tests.reports.made_nodes import about_run, labels_in, page_about, report, rule, share, weak_rule
from tests.reports.sentences.test_choose import kinds
from tests.reports.sentences.test_fixed_sentences import sentence_text

YOUNG, OLD = {"answers": {"age": "18-39"}, "limit": 200}, {"answers": {"age": "40+"}, "limit": 200}
AGES = "Age: 18 to 39", "Age: 40 or older"
NO_LONGER = "These people were no longer asked once about"
NOTHING_ELSE = about_run(family=0, statements={})


def labels_under(*quotas: dict[str, Any]) -> Labels:
    return Labels(made.design(quotas=list(quotas)), "en")


def first_sentence(content: Report, labels: Labels) -> str:
    return sentence_text(headline_findings(content, labels)[0].sentence)


def shares_by_age(low: float | None = 0.14) -> GroupTable:
    cells = (Cell(400, 0.18, low, 0.22), Cell(600, 0.32, 0.29, 0.35))
    return GroupTable("age", ("age=18-39", "age=40+"), (GroupRow("theft=yes", cells, 0.28, 0.4),))


def weighted_study(*questions: str) -> Weighted:
    of_theft = WeightedShare("theft=yes", 0.21, 0.02, 0.17, 0.25, is_large=False)
    return Weighted("census.csv", (of_theft,), questions)


def test_people_of_a_full_quota_are_named_once_with_its_number_and_then_whom_all_is_of() -> None:
    said = [sentence_text(one) for one in quota_sentences(labels_under(YOUNG, OLD))]
    assert said == [
        f"{NO_LONGER} 200 of each had answered: people who answered “{AGES[0]}”; people who answered “{AGES[1]}”.",
        "Shares, differences and associations are among those asked.",
    ]
    assert [*quota_sentences(labels_in())] == []
    two = [sentence_text(one) for one in quota_sentences(labels_under(YOUNG, OLD | {"limit": 30}))]
    assert [one.split(" of each")[0] for one in two[:2]] == [f"{NO_LONGER} 30", f"{NO_LONGER} 200"]


def test_whom_quotas_did_not_stop_is_said_of_rehearsals_and_of_field_devices() -> None:
    keys = made.design(
        token_key=asked.signing_key(0).public.text, sealing_key=asked.sealing_key(0)[1], quotas=[YOUNG]
    )
    for design, start in (
        (keys, "A field device learns of it only"),
        (made.design(rehearsal=True, quotas=[YOUNG]), "Sim"),
    ):
        _limit, said, _whom = quota_sentences(Labels(design, "en"))
        assert sentence_text(said).startswith(start)


def test_shares_under_quotas_are_not_called_of_all() -> None:
    labels = labels_under(OLD)
    assert (
        sentence_text(share_finding(share(), labels).sentence)
        == "Of those asked, 38 % (35–41) answered “Theft: Yes”."
    )
    assert (
        sentence_text(pair_finding(rule(), labels).sentence)
        .partition(". ")[0]
        .endswith("as among those asked")
    )
    assert sentence_text(pair_finding(rule(), labels).beneath).endswith("Among those asked: 38 % (35–41).")
    assert "compared with those asked." in sentence_text(pair_finding(weak_rule(), labels).sentence)
    of_all, of_asked = (heading_texts(page_about(of.design))["of_all"] for of in (labels_in(), labels))
    assert (of_all, of_asked) == ("dashed line: the share of all", "dashed line: the share of those asked")


def test_the_share_weighted_by_the_question_of_the_quotas_comes_first_with_its_file() -> None:
    content = report(about=NOTHING_ELSE, weighted=weighted_study("age", "sex"), groups=(shares_by_age(),))
    (found,) = headline_findings(content, labels_under(YOUNG, OLD))
    assert sentence_text(found.sentence) == (
        "Weighted by census.csv, 21 % (17–25) answered “Theft: Yes”; of those asked, 38 % (35–41)."
    )
    assert (found.measured.value, found.measured.low, found.measured.high) == (0.21, 0.17, 0.25)
    # Without quotas the share of all is what it was.
    assert first_sentence(content, labels_in()) == "Of all, 38 % (35–41) answered “Theft: Yes”."


def test_unweighted_quota_surveys_start_with_shares_by_quota() -> None:
    labels = labels_under(YOUNG, OLD)
    content = report(about=NOTHING_ELSE, weighted=weighted_study("sex"), groups=(shares_by_age(),))
    assert first_sentence(content, labels) == (
        "By quota, people who answered “Age: 18 to 39”: 18 % (14–22); people who answered “Age: 40 or older”: "
        "32 % (29–35); of those asked, 38 % (35–41) answered “Theft: Yes”."
    )
    alone = "Of those asked, 38 % (35–41) answered “Theft: Yes”."
    assert first_sentence(report(about=NOTHING_ELSE, groups=(shares_by_age(None),)), labels) == alone
    assert first_sentence(report(about=NOTHING_ELSE), labels) == alone


def test_a_planned_share_is_not_weighted_and_says_so() -> None:
    result = HypothesisResult(
        "H1", SHARE, "theft=yes", "0.2000", estimate=0.38, p=0.001, holm=0.001, met=True, low=0.35, high=0.41
    )
    study = Study(plan=PlanResult("0" * 64, None, (result,)))
    content = report(study=study, weighted=weighted_study("age"), groups=(shares_by_age(),))
    said = first_sentence(content, labels_under(YOUNG, OLD))
    assert said == "Of those asked, under quotas, 38 % (35–41) answered “Theft: Yes”. That is above 20 %."


def test_everybody_is_asked_a_number_though_some_send_a_bit_for_its_mean_in_place_of_their_class() -> None:
    """2,159 of 2,691 sent a class: nobody says that 2,159 were asked."""
    labels = Labels(made_nodes.numbers_design(open_answers=False).mined, "en")
    of_debt = rule(antecedent=("age=18-39",), consequent=("debt=>=500",), n_asked=2159, n_shown_all=2159)
    assert SharePopulation.of_rule(of_debt, labels).among == "all"
    assert (
        sentence_text(pair_finding(of_debt, labels).beneath)
        == "Estimated from 2,159 answers. Among all: 38 % (35–41)."
    )
    # A number that a rule hides is asked only of some.
    of_overtime = rule(antecedent=("age=18-39",), consequent=("overtime=>=5",))
    assert SharePopulation.of_rule(of_overtime, labels).among == "all who were asked these questions"
    # They can be three.
    of_three = rule(antecedent=("age=18-39", "debt=>=500"), consequent=("overtime=>=5",))
    assert sentence_text(pair_finding(of_three, labels).beneath).endswith(
        "all who were asked these questions: 54 % (52–56)."
    )


def plain_survey() -> Labels:
    two = [{"name": name, "text": {"en": name}, "choices": ["no", "yes"]} for name in ("late", "theft")]
    return Labels(asked.make_design({"kind": "plain", "questions": two}), "en")


def test_a_survey_of_plain_questions_begins_with_the_share_of_its_first_answer_that_can_be_said() -> None:
    late = share(items=("late=yes",), support=0.1, low=0.05, high=0.18)
    content = report(about=NOTHING_ELSE, shares=(share(), late))
    assert first_sentence(content, plain_survey()) == "Of all, 10 % (5–18) answered “Late: Yes”."
    # Beside a sensitive question no plain share stands there.
    assert kinds(headline_findings(report(about=NOTHING_ELSE, shares=(late,)), labels_in())) == ["share"]
    age = share(items=("age=40+",))
    assert headline_findings(report(about=NOTHING_ELSE, shares=(age,)), labels_in()) == ()


def test_where_no_two_questions_may_be_told_together_a_sentence_says_why() -> None:
    withheld = Told(questions=(("late", "theft"),))
    found = headline_findings(report(about=NOTHING_ELSE, told=withheld), plain_survey())
    assert kinds(found) == ["share", "withheld"]
    assert sentence_text(found[1].sentence) == (
        "No association is stated: a table of any two questions could reveal something about fewer than ten people."
    )
    assert kinds(headline_findings(report(about=NOTHING_ELSE), plain_survey())) == ["share"]
    # Of three questions one pair alone is withheld.
    assert kinds(headline_findings(report(about=NOTHING_ELSE, told=withheld), labels_in())) == ["share"]


def test_a_pair_without_an_association_is_never_first_where_the_list_shows_one() -> None:
    # Its p is too large for the front.
    listed = rule(p=0.01)
    assert headline_findings(report(listed, weak_rule(number=2), shares=()), labels_in()) == ()
    assert kinds(headline_findings(report(listed, weak_rule(number=2)), labels_in())) == ["share", "pair"]
    assert kinds(
        headline_findings(report(weak_rule(number=2), about=about_run(family=0), shares=()), labels_in())
    ) == ["pair"]
