"""Builds all tables of a report's files; answers are written as `question=choice`."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mining.json_codec import required_names
from mining.nodes.report_nodes import Cell, Estimate, GroupTest, Pair, Report, Rule, WeightedShare
from mining.nodes.rule_lists import places_in_lists
from privacy.designs import Question
from privacy.designs.labels import number_sections
from reports.answer_labels import Labels
from reports.export_table import AnswersToText, ExportTable, column_name, disguised_only_text, node_table
from reports.exports.regression_tables import model_tables
from reports.exports.study_tables import TRUTH_OF_ARMS, study_tables
from reports.kinds.number.mean_and_quantile_texts import range_text
from reports.kinds.number.number_file_tables import TRUTH_OF_NUMBERS, number_tables
from reports.kinds.number.shown_number import shown_numbers
from reports.kinds.place.place_files import place_tables
from reports.kinds.place.shown_place import shown_places

if TYPE_CHECKING:
    from reports.review.report_page_data import ReportPage

TRUTH = ("truth", "truth_shown")
TRUTH_OF_RULES = ("truth_converse",)
CELL = tuple(name for name in required_names(Cell) if name not in (*TRUTH, "disguised_only"))


def all_tables(report: "ReportPage") -> list[ExportTable]:
    content, labels = report.published_content_with_rules, report.labels

    def answers_to_text(names: Sequence[str]) -> str:
        return labels.join_full(names)

    searched = {"coherent", "low_listed", "high_listed"}
    results = [
        questions_table(report),
        *study_tables(content.study, answers_to_text),
        node_table(Estimate, "shares", content.shares, answers_to_text, omitted_members=searched),
        class_shares_table(content, answers_to_text),
        node_table(Estimate, "itemsets", content.itemsets, answers_to_text),
        rules_table(content, answers_to_text),
        node_table(Pair, "pairs", content.pairs, answers_to_text),
        node_table(GroupTest, "open_and_disguised", content.compared, answers_to_text),
    ]
    if content.numbers:
        results += number_tables(shown_numbers(report))
    if content.places:
        results += place_tables(shown_places(report, content))
    if content.weighted:
        results.append(node_table(WeightedShare, "weighted", content.weighted.shares, answers_to_text))
    if report.has_models:
        results += model_tables(report)
    if not content.knows_truth:
        results = [
            remove_columns(table, (*TRUTH, *TRUTH_OF_RULES, *TRUTH_OF_NUMBERS, *TRUTH_OF_ARMS))
            for table in results
        ]
    return results


def questions_table(report: "ReportPage") -> ExportTable:
    rows = [
        (number, asked.kind, str(asked.as_json().get("keep", "")), question.name, *words)
        for number, (asked, mined) in number_sections(
            zip(report.design.sections, report.mined_design.sections, strict=True)
        )
        for question in mined.questions
        for words in choice_rows(asked.questions[0], question, report.labels)
    ]
    columns = ("section", "kind", "keep", "question", "choice", "question_text", "choice_text")
    return ExportTable("questions", columns, tuple(rows))


def choice_rows(asked: Question, mined: Question, labels: Labels) -> Iterator[tuple[str, str, str]]:
    """Yields name, question text and choice text of each choice; a number without choices yields its range."""
    for choice in mined.choices:
        said = labels.answer(f"{mined.name}={choice.name}")
        yield choice.name, said.question, said.choice
    if not mined.choices and (words := range_text(asked, labels)):
        yield "", labels.question_text(asked), words


def rules_table(content: Report, answers_to_text: AnswersToText) -> ExportTable:
    """Returns the table of the rules, each with its place: list and number in it."""
    table = node_table(Rule, "rules", content.rules, answers_to_text)
    places = places_in_lists((len(rule.items) for rule in content.rules), content.about.statements)
    rows = tuple((*row, *place) for row, place in zip(table.rows, places, strict=True))
    return replace(table, columns=(*table.columns, "list", "place"), rows=rows)


def class_shares_table(content: Report, answers_to_text: AnswersToText) -> ExportTable:
    """Returns the table of the shares of sensitive answers among the people of each class of a plain question."""
    rows = [
        (
            table.question,
            of_class,
            row.item,
            answers_to_text((row.item,)),
            *(getattr(cell, name) for name in CELL),
            row.p,
            disguised_only_text(cell.disguised_only),
            *(getattr(cell, name) for name in TRUTH),
        )
        for table in content.groups
        for row in table.rows
        for of_class, cell in zip(table.classes, row.cells, strict=True)
    ]
    columns = ("question", "class", "item", "item_in_words", *map(column_name, CELL), "p", "among", *TRUTH)
    return ExportTable("groups", columns, tuple(rows))


def remove_columns(table: ExportTable, columns: Collection[str]) -> ExportTable:
    """Returns the table without the columns of the given names."""
    places = [place for place, column in enumerate(table.columns) if column not in columns]
    rest = [tuple(row[place] for place in places) for row in (table.columns, *table.rows)]
    return ExportTable(table.name, rest[0], tuple(rest[1:]))
