"""Criteria and method of a specification in three forms: values of the form, JSON document, sentences."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _, gettext_lazy

from releases.specification.column_role_editing import Document, undisguised_sensitive_columns
from ui.number_format import format_count

USUAL = {"k": 10, "method": "tree", "seconds": 1, "seed": 0}
SHARES = ("suppression", "cell_suppression", "falsification")
HALF = "0.5"
"""Usual largest share of a class's most frequent sensitive value, if the specification names none."""
METHOD_NAMES = {
    "tree": gettext_lazy("Tree"),
    "bottom-up": gettext_lazy("Bottom-up"),
    "samarati": gettext_lazy("Samarati"),
    "datafly": gettext_lazy("Datafly"),
    "k-member": gettext_lazy("k-member"),
    "ilp": gettext_lazy("ILP"),
}
"""Methods that pages offer; that of a document alone, *kacluk*, is for comparisons outside."""
METHOD_SENTENCES = {
    "tree": gettext_lazy(
        "Tree: cuts the table into ever smaller classes; neither falsifies nor leaves out anything"
    ),
    "bottom-up": gettext_lazy("Bottom-up: joins classes until each keeps the criteria; slow on large tables"),
    "samarati": gettext_lazy("Samarati: one level of detail for each whole column; may leave records out"),
    "datafly": gettext_lazy("Datafly: coarsens the column with most values again and again; a baseline"),
    "k-member": gettext_lazy(
        "k-member: fills one class after another with the nearest records; slow on large tables"
    ),
    "ilp": gettext_lazy("ILP: joins classes by the information-loss penalty"),
}
"""Description of each method; a method without one is shown by its name."""
DIVERSITY_SENTENCES = {
    "distinct": gettext_lazy("Every class holds at least %(l)s different sensitive values (l-diversity)."),
    "entropy": gettext_lazy(
        "The sensitive values of every class are as varied as %(l)s equally frequent ones (entropy)."
    ),
    "recursive": gettext_lazy(
        "In every class the most frequent sensitive value is less than %(c)s times as frequent as all from number "
        "%(l)s on (recursive l-diversity)."
    ),
}
SHARE_SENTENCES = {
    "suppression": gettext_lazy("At most %(share)s %% of the records may be left out."),
    "cell_suppression": gettext_lazy("At most %(share)s %% of the cells may be suppressed."),
    "falsification": gettext_lazy("At most %(share)s %% of the records may get a false sensitive value."),
}


def method_rank(method: str) -> int:
    """Returns the rank of a method in lists: Candor's own first, methods without a name last."""
    return [*METHOD_NAMES, method].index(method)


def as_percent(share: object) -> Decimal | None:
    """Returns a share of a specification in percent, without trailing zeros; None for no share."""
    if share is None:
        return None
    number = (Decimal(str(share)) * 100).normalize()
    return number.quantize(Decimal(1)) if number == number.to_integral_value() else number


def share_from_percent(percents: Decimal) -> str:
    """Returns percents as a specification writes shares: a text with four decimals."""
    return f"{percents / 100:.4f}"


def criteria_form_values(document: Document) -> dict[str, Any]:
    """Returns the initial values of the criteria form for a specification."""
    diversity, sample = document.get("l") or {}, document.get("sample", {})
    weights, rho = document.get("weights", "unit"), document.get("rho") or (None, None)
    values = {key: document.get(key, usual) for key, usual in USUAL.items()}
    return {
        **values,
        "seconds": max(1, int(Decimal(str(values["seconds"])))),
        "l_kind": diversity.get("kind", ""),
        "l_value": diversity.get("value"),
        "l_c": diversity.get("c"),
        "l_joint": diversity.get("joint", False),
        **{key: as_percent(document.get(key)) for key in ("t", *SHARES)},
        "max_frequency": as_percent(document.get("max_frequency", HALF)),
        "tries": document.get("tries"),
        "fraction": as_percent(sample.get("fraction")),
        "weight": sample.get("weight", ""),
        "rho1": as_percent(rho[0]),
        "rho2": as_percent(rho[1]),
        "weights": weights if isinstance(weights, str) else "expert",
    }


def apply_criteria_form(document: Document, values: Mapping[str, Any]) -> Document:
    """Returns the specification with the criteria and method from the form's values.

    Leaves out keys about sensitive columns if there is none.
    """
    has_sensitive = bool(undisguised_sensitive_columns(document))
    replaced = {*SHARES, "tries", "sample", *(("l", "t", "rho") if has_sensitive else ())}
    changed = {key: value for key, value in document.items() if key not in replaced}
    changed |= {key: values[key] for key in USUAL}
    changed |= {key: share_from_percent(values[key]) for key in SHARES if values.get(key)}
    if values.get("tries") is not None:
        changed["tries"] = values["tries"]
    if values.get("weight"):
        changed["sample"] = {"weight": values["weight"]}
    elif values.get("fraction"):
        changed["sample"] = {"fraction": f"{(values['fraction'] / 100).normalize():f}"}
    if not has_sensitive:
        return changed
    cap = values.get("max_frequency")
    changed["max_frequency"] = None if cap is None else share_from_percent(cap)
    if values.get("l_kind"):
        changed["l"] = {"kind": values["l_kind"], "value": values["l_value"]}
        if values["l_kind"] == "recursive":
            changed["l"]["c"] = f"{values['l_c']:f}"
        if values.get("l_joint"):
            changed["l"]["joint"] = True
    if values.get("t") is not None:
        changed["t"] = share_from_percent(values["t"])
    if values.get("rho1") is not None:
        changed["rho"] = [share_from_percent(values["rho1"]), share_from_percent(values["rho2"])]
    if values.get("weights") in ("unit", "data"):
        changed["weights"] = values["weights"]
    return changed


def criteria_sentences(document: Document) -> list[str]:
    """Returns the criteria of a specification as sentences, one for each criterion."""
    values = criteria_form_values(document)
    lines = [
        _("Nobody can be told from at least %(others)s others by what others may know of them (k = %(k)s).")
        % {"others": format_count(values["k"] - 1), "k": format_count(values["k"])}
    ]
    if undisguised_sensitive_columns(document):
        if values["max_frequency"] is not None:
            words = _("No class gives a sensitive value away with more than %(share)s %%.")
            lines.append(words % {"share": values["max_frequency"]})
        if values["l_kind"]:
            lines.append(DIVERSITY_SENTENCES[values["l_kind"]] % {"l": values["l_value"], "c": values["l_c"]})
        if values["t"] is not None:
            words = _(
                "The sensitive values of a class differ from those of the whole table by at most %(t)s %% "
                "(t-closeness)."
            )
            lines.append(words % {"t": values["t"]})
        if values["rho1"] is not None:
            words = _(
                "What is at most %(before)s %% likely without the table stays less than %(after)s %% likely with it."
            )
            lines.append(words % {"before": values["rho1"], "after": values["rho2"]})
    for column in document.get("sensitive", ()):
        if not isinstance(column, str) and "gamma" in column:
            words = _("A row changes the odds of a value of %(column)s at most %(gamma)s times (disguised).")
            lines.append(words % {"column": column["name"], "gamma": column["gamma"]})
    return lines + [words % {"share": values[key]} for key, words in SHARE_SENTENCES.items() if values[key]]
