"""Adds a sensitive place, and changes its cells, regions and levels of protection; also the commands of the buttons in
its form.
"""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from privacy.grammar.input_error import InputError
from privacy.guarantee.best_place_settings import Wanted, best_place_level, largest_odds
from privacy.guarantee.presets import DEFAULT
from privacy.kinds.place.law import PlaceLevel
from privacy.kinds.place.section import LAND, MOST_REGIONS
from surveys.kinds.place.draft import NEAR, Cell, PlaceDraft, PlaceDraftQuestion, Region
from surveys.kinds.place.map_cell_creation import grid_cells
from surveys.kinds.place.protection_levels import stronger_levels_with_same_excess
from surveys.questionnaire.problems_and_refusals import NotAllowed, Problem, reason_text
from surveys.questionnaire.protection import gamma_limit_for_section
from surveys.questionnaire.question_block_editing import (
    block_html_id,
    find_block,
    replace_block,
    undo_data_for_kind_change,
    unused_question_name,
)
from surveys.questionnaire.questionnaire import (
    Command,
    CommandResult,
    Questionnaire,
    Sent,
    read_question_key,
    read_sent_number,
)
from surveys.questionnaire.value_normalization import Node, normal_name, unused_name
from ui.number_format import format_count

COLUMNS = ROWS = 8
LEARN: dict[str, Wanted] = {"regions": "regions", "map": "map"}


def new_place_section(draft: Questionnaire) -> PlaceDraft:
    """Returns a section with a new place without texts: a grid without a map and without regions, with the
    usual protection."""
    level = PlaceLevel(NEAR, largest_odds(gamma_limit_for_section(draft)))
    cells = tuple(grid_cells(COLUMNS, ROWS, None))
    question = PlaceDraftQuestion(name=unused_question_name(draft), cells=cells, level=level)
    return PlaceDraft(preset=DEFAULT.name, questions=(question,))


def find_place_section(draft: Questionnaire, key: str) -> tuple[int, PlaceDraft]:
    position, _block = find_block(draft, key)
    section = draft.sections[position.section]
    if not isinstance(section, PlaceDraft):
        raise NotAllowed(_("This question is not a place."))
    return position.section, section


def find_place_question(draft: Questionnaire, key: str) -> PlaceDraftQuestion:
    _number, section = find_place_section(draft, key)
    return section.question


def replace_cells(
    draft: Questionnaire, key: str, cells: Sequence[Cell], on_land: bool = False
) -> Questionnaire:
    """Replaces the cells of a place.

    Regions keep their cells that still exist. A region is removed if it keeps none, or if a new cell has its name.
    """
    question, names = find_place_question(draft, key), {cell.name for cell in cells}
    regions = (
        replace(region, cells=tuple(name for name in region.cells if name in names))
        for region in question.regions
        if region.name not in names
    )
    left = tuple(region for region in regions if region.cells)
    outline = LAND if on_land else None
    return replace_block(draft, key, [replace(question, cells=tuple(cells), regions=left, outline=outline)])


def rename_cells(draft: Questionnaire, key: str, names: Sequence[str]) -> Questionnaire:
    """Renames all cells; `names` are in the order of the cells, and refused if their number differs."""
    question = find_place_question(draft, key)
    if len(names) != len(question.cells):
        words = _("There are %(cells)s cells and %(names)s names.")
        raise NotAllowed(
            words % {"cells": format_count(len(question.cells)), "names": format_count(len(names))}
        )
    new_names = dict(zip(question.cell_names, names, strict=True))
    cells = tuple(replace(cell, name=new_names[cell.name]) for cell in question.cells)
    regions = tuple(
        replace(region, cells=tuple(new_names[name] for name in region.cells)) for region in question.regions
    )
    return replace_block(draft, key, [replace(question, cells=cells, regions=regions)])


def add_region(draft: Questionnaire, key: str) -> tuple[Questionnaire, int]:
    """Adds a region without cells; also returns its row."""
    question = find_place_question(draft, key)
    regions = question.regions
    if len(regions) >= MOST_REGIONS:
        raise NotAllowed(_("A place has at most %(most)s regions.") % {"most": MOST_REGIONS})
    names = {part.name for part in (*question.cells, *regions)}
    region = Region(unused_name("region-1", names))
    return replace_block(draft, key, [replace(question, regions=(*regions, region))]), len(regions)


def remove_region(draft: Questionnaire, key: str, row: int) -> Questionnaire:
    question, _region = _region_at(draft, key, row)
    left = question.regions[:row] + question.regions[row + 1 :]
    return replace_block(draft, key, [replace(question, regions=left)])


def _region_at(draft: Questionnaire, key: str, row: int) -> tuple[PlaceDraftQuestion, Region]:
    """Returns the question, and the region in this row; refused if it is gone."""
    question = find_place_question(draft, key)
    if not 0 <= row < len(question.regions):
        raise NotAllowed(_("This region is not there any more."))
    return question, question.regions[row]


def give_region_special_level(draft: Questionnaire, key: str, row: int) -> Questionnaire:
    """Gives the region a stronger protection level: that of the regions that have a level of their own, else the
    strongest that fits the question's level."""
    question, region = _region_at(draft, key, row)
    level = question.level_of_special_regions or next(
        stronger_levels_with_same_excess(question.level, len(region.cells)), None
    )
    if level is None:
        words = _(
            "No stronger protection is possible: it needs more near cells than the %(near)s of the "
            "other regions, at most the %(cells)s cells of this one, and near times (odds − 1) as "
            "there."
        )
        raise NotAllowed(words % {"near": question.level.near, "cells": format_count(len(region.cells))})
    return _set_region_level(draft, key, row, level)


def reset_region_protection(draft: Questionnaire, key: str, row: int) -> Questionnaire:
    """Gives the region the protection level of the question again."""
    return _set_region_level(draft, key, row, None)


def _set_region_level(draft: Questionnaire, key: str, row: int, level: PlaceLevel | None) -> Questionnaire:
    question, region = _region_at(draft, key, row)
    regions = (*question.regions[:row], replace(region, level=level), *question.regions[row + 1 :])
    return replace_block(draft, key, [replace(question, regions=regions)])


def rename_regions(draft: Questionnaire, key: str, names: Sequence[str]) -> Questionnaire:
    """Renames the regions in record files; an empty name changes nothing."""
    question = find_place_question(draft, key)
    others, regions = set(question.cell_names), []
    for region, text in zip(question.regions, names, strict=True):
        name = normal_name(text) or region.name
        if name in others:
            raise NotAllowed(_("Another cell or region is called “%(name)s”.") % {"name": name})
        others.add(name)
        regions.append(replace(region, name=name))
    return replace_block(draft, key, [replace(question, regions=tuple(regions))])


def set_best_level(draft: Questionnaire, key: str, target: Wanted) -> Questionnaire:
    """Gives all regions the protection level with the least error within the section's limit of gamma.

    `target`: whether the error of the regions' shares counts, or that of the whole map.
    """
    number, section = find_place_section(draft, key)
    limit, question = gamma_limit_for_section(draft, number), section.question
    regions = tuple(replace(region, level=None) for region in question.regions)
    bare = replace(question, regions=regions, level=PlaceLevel(NEAR, largest_odds(limit)))
    try:
        asked = replace(section, questions=(bare,)).as_design_section().question
        best = best_place_level(asked, limit, target, draft.disguised_respondents)
    except InputError as refusal:
        raise NotAllowed(Problem("", reason_text(refusal)).sentence) from None
    return replace_block(draft, key, [bare.with_levels(best.level)])


# Commands; `row` is that of a region.


def add_region_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = read_question_key(sent)
    after, row = add_region(draft, key)
    words = _("A new region. Name it, then choose its cells.")
    return CommandResult(after, words, key, True, f"{block_html_id(key)}-region-{row}")


def remove_region_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = read_question_key(sent)
    after = remove_region(draft, key, read_sent_number(sent, "row"))
    return CommandResult(
        after, _("The region is deleted."), key, True, "undo", undo_data_for_place(draft, after, key)
    )


def give_region_special_level_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    key, row = read_question_key(sent), read_sent_number(sent, "row")
    after = give_region_special_level(draft, key, row)
    words = _("The region is protected more.")
    return CommandResult(after, words, key, True, f"{block_html_id(key)}-region-{row}-less")


def reset_region_protection_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    key, row = read_question_key(sent), read_sent_number(sent, "row")
    after = reset_region_protection(draft, key, row)
    words = _("The region is protected like the others.")
    return CommandResult(after, words, key, True, f"{block_html_id(key)}-region-{row}-more")


def use_best_level_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    key, learn = read_question_key(sent), LEARN.get(sent.get("learn", ""))
    if learn is None:
        raise NotAllowed(_("That could not be understood. Reload the page and try again."))
    after = set_best_level(draft, key, learn)
    words, focus = _("What shows it best is proposed."), f"{block_html_id(key)}-best"
    return CommandResult(
        after, words, key, True, focus, undo_data_for_place(draft, after, key) if after != draft else None
    )


def undo_data_for_place(before: Questionnaire, after: Questionnaire, key: str) -> Node:
    """Returns the data that undoes a change of this question only, since a draft with places can be large."""
    return undo_data_for_kind_change(before, find_block(before, key)[0], find_block(after, key)[1])


COMMANDS: dict[str, Command] = {
    "region-add": add_region_command,
    "region-remove": remove_region_command,
    "region-more": give_region_special_level_command,
    "region-less": reset_region_protection_command,
    "best-level": use_best_level_command,
}
