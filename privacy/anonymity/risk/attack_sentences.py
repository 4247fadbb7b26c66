"""Writes the results of attacks on an anonymised file as sentences (docs/formats.md, attack)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from privacy.grammar.input_error import mark_for_translation as _
from privacy.grammar.reader_language import ENGLISH, Language

Answer = Mapping[str, Any]
"""Result of one attack or of all attacks, as JSON (privacy.anonymity.risk.attacks)."""
MOST_LISTED = 10
CRITERIA = {
    "k": _("Minimum class size (k)"),
    "l": _("Different sensitive values in a class (l-diversity, %(kind)s)"),
    "t": _("Distance of a class from the whole table (t-closeness)"),
    "max_frequency": _("Most frequent sensitive value of a class"),
    "rho": _("From at most this likely before to less than this after"),
}
DIVERSITY = {"distinct": _("distinct"), "entropy": _("entropy"), "recursive": _("recursive")}


def criterion_name(name: str, criterion: Mapping[str, Any], language: Language) -> str:
    """Returns the name of an anonymity criterion in words. `name`: its key in a specification."""
    kind = DIVERSITY.get(criterion.get("kind", ""))
    return language.gettext(CRITERIA[name]) % {"kind": language.gettext(kind) if kind else ""}


def attack_sentences(answer: Answer, language: Language = ENGLISH) -> list[str]:
    """Returns sentences with the results of all attacks: first about people, then about rows."""
    lines = list(_register_sentences(answer["register"], language)) if "register" in answer else []
    if "criteria" in answer:
        lines += [*_criteria_sentences(answer, language), *_homogeneity_sentences(answer, language)]
    if "ruled_out" in answer:
        lines += _background_knowledge_sentences(answer["ruled_out"], language)
    for earlier in answer.get("beside", ()):
        lines += _linked_file_sentences(answer, earlier, language)
    return lines


def _register_sentences(attack: Answer, language: Language) -> Iterator[str]:
    _ = language.gettext
    number, values = attack["found"]["count"], {"people": language.format_count(attack["people"])}
    if not number:
        yield _("None of the %(people)s people in the register is found.") % values
    else:
        values |= {"found": language.format_count(number), "who": _list_people(attack["found"], language)}
        single = _("One of the %(people)s people in the register is found: %(who)s.")
        many = _("%(found)s of the %(people)s people in the register are found: %(who)s.")
        yield (single if number == 1 else many) % values
    for column, learned in attack["learned"].items():
        if learned["count"]:
            yield _(
                "Not found, but all rows that fit have the same %(column)s, for %(number)s of the people: %(who)s."
            ) % {
                "column": column,
                "number": language.format_count(learned["count"]),
                "who": _list_people(learned, language),
            }
    if attack["same_order"]:
        yield _("The rows are in the order of the register: each fits the person in the same place.")


def _list_people(matches: Answer, language: Language) -> str:
    """Returns a list of identified people, by name or row number, with table row and revealed values."""
    _ = language.gettext
    who = []
    for person in matches["people"]:
        name = person.get("name") or _("person %(number)s") % {"number": person["person"]}
        row = _("%(name)s (row %(row)s)") % {"name": name, "row": person["row"]} if "row" in person else name
        who.append(", ".join([row, *person.get("values", {}).values()]))
    return _list_with_rest(who, matches["count"], language, "; ")


def _list_with_rest(texts: Sequence[object], number: int, language: Language, separator: str = ", ") -> str:
    """Joins the first few texts to a list in words, which ends with the number of texts left out.

    `number`: the number of all texts.
    """
    _ = language.gettext
    texts = texts[:MOST_LISTED]
    listed = separator.join(map(str, texts))
    if number == len(texts):
        return listed
    return _("%(listed)s and %(more)s more") % {
        "listed": listed,
        "more": language.format_count(number - len(texts)),
    }


def _criteria_sentences(answer: Answer, language: Language) -> Iterator[str]:
    _ = language.gettext
    classes = language.format_count(answer["classes"])
    broken = {name: criterion for name, criterion in answer["criteria"].items() if criterion["classes"]}
    if not broken:
        yield _("All %(classes)s classes keep the criteria.") % {"classes": classes}
    for name, criterion in broken.items():
        yield _("“%(criterion)s” is broken in %(broken)s of %(classes)s classes: rows %(rows)s.") % {
            "criterion": criterion_name(name, criterion, language),
            "broken": language.format_count(criterion["classes"]),
            "classes": classes,
            "rows": _list_with_rest(criterion["rows"], criterion["records"], language),
        }
    if answer["identifiers"]:
        yield _("The file holds columns that the specification leaves out: %(columns)s.") % {
            "columns": ", ".join(answer["identifiers"])
        }
    if answer["hidden"]:
        yield _("Rows that show nothing, left aside: %(rows)s.") % {
            "rows": language.format_count(answer["hidden"])
        }


def _homogeneity_sentences(answer: Answer, language: Language) -> Iterator[str]:
    _ = language.gettext
    for column, disclosure in answer["homogeneity"].items():
        if not disclosure["classes"]:
            yield _("No class has only one value of %(column)s.") % {"column": column}
            continue
        yield _(
            "In %(single)s of %(classes)s classes everybody has the same %(column)s. So it is known of %(records)s "
            "people: rows %(rows)s."
        ) % {
            "single": language.format_count(disclosure["classes"]),
            "classes": language.format_count(answer["classes"]),
            "column": column,
            "records": language.format_count(disclosure["records"]),
            "rows": _list_with_rest(disclosure["rows"], disclosure["records"], language),
        }


def _background_knowledge_sentences(attack: Answer, language: Language) -> Iterator[str]:
    _ = language.gettext
    if attack["size"] > 1 and not attack["columns"]:
        yield _(
            "No sensitive column has more than %(size)s values, so that ruling out so many leaves none. Rule out fewer."
        ) % {"size": language.format_count(attack["size"])}
    for column, disclosure in attack["columns"].items():
        if not disclosure["worst"]:
            yield _("Knowing what a person’s %(column)s is not tells nobody what it is.") % {"column": column}
            continue
        yield _(
            "Somebody who knows that %(column)s is not %(values)s knows it of %(share)s of the people whose class does "
            "not tell it already: the worst case. On average over all values it is known of %(mean)s of them."
        ) % {
            "column": column,
            "values": language.format_list(disclosure["values"], _("or")),
            "share": language.format_percent(disclosure["worst"]),
            "mean": language.format_percent(disclosure["mean"]),
        }


def _linked_file_sentences(answer: Answer, earlier: Answer, language: Language) -> Iterator[str]:
    _ = language.gettext
    name = earlier["name"] or _("an earlier release of the same table")
    values = {
        "name": name,
        "k": language.format_count(answer["k"]),
        "rows": language.format_count(answer["rows"]),
    }
    if earlier.get("unlinked"):
        yield _(
            "%(number)s of %(rows)s rows fit no row of %(name)s: both files are not of the same people."
        ) % {**values, "number": language.format_count(earlier["unlinked"])}
        return
    below = earlier["below"]
    if not below["records"]:
        yield _("Together with %(name)s, nobody is known to be in a group of fewer than %(k)s.") % values
    else:
        yield _(
            "Together with %(name)s, the group has fewer than %(k)s people for %(number)s of %(rows)s rows; alone: "
            "%(alone)s."
        ) % {
            **values,
            "number": language.format_count(below["records"]),
            "alone": language.format_count(earlier["alone"]),
        }
    if below.get("rows"):
        yield _("These are rows %(rows)s.") % {
            "rows": _list_with_rest(below["rows"], below["records"], language)
        }
    if earlier.get("same_order"):
        yield _("The rows are in the order of %(name)s, so both are joined row by row.") % values
