"""The criteria of a specification: as values of a form, as its JSON document, and in words."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from releases.specification.roles import Document, undisguised

USUAL = {"k": 10, "method": "tree", "seconds": 1, "seed": 0}
SHARES = ("suppression", "cell_suppression", "falsification")
HALF = "0.5"
"""The cap on a class's most frequent sensitive value where a specification does not say another."""


def percent(share: object) -> Decimal | None:
    """A share of a specification in percent, without zeros at its end; None where there is none."""
    if share is None:
        return None
    number = (Decimal(str(share)) * 100).normalize()
    return number.quantize(Decimal(1)) if number == number.to_integral_value() else number


def share(percents: Decimal) -> str:
    """As a specification writes it: a text with four places."""
    return f"{percents / 100:.4f}"


def values_of(document: Document) -> dict[str, Any]:
    """The values that a form begins with."""
    values: dict[str, Any] = {key: document.get(key, usual) for key, usual in USUAL.items()}
    values["seconds"] = max(1, int(Decimal(str(values["seconds"]))))
    diversity = document.get("l") or {}
    values |= {
        "l_kind": diversity.get("kind", ""),
        "l_value": diversity.get("value"),
        "l_c": diversity.get("c"),
        "l_joint": diversity.get("joint", False),
    }
    values |= {key: percent(document.get(key)) for key in ("t", *SHARES)}
    values["max_frequency"] = percent(document.get("max_frequency", HALF))
    values["tries"] = document.get("tries")
    sample = document.get("sample", {})
    values |= {"fraction": percent(sample.get("fraction")), "weight": sample.get("weight", "")}
    rho = document.get("rho") or (None, None)
    values["rho1"], values["rho2"] = map(percent, rho)
    weights = document.get("weights", "unit")
    values["weights"] = weights if isinstance(weights, str) else "expert"
    return values


def with_criteria(document: Document, values: Mapping[str, Any]) -> Document:
    """The document with the values of a form. Keys of a sensitive column are left out where there is none."""
    changed = {**document, **{key: values[key] for key in USUAL}}
    for key in SHARES:
        changed.pop(key, None)
        if values.get(key):
            changed[key] = share(values[key])
    changed.pop("tries", None)
    if values.get("tries") is not None:
        changed["tries"] = values["tries"]
    changed.pop("sample", None)
    if values.get("weight"):
        changed["sample"] = {"weight": values["weight"]}
    elif values.get("fraction"):
        changed["sample"] = {"fraction": f"{(values['fraction'] / 100).normalize():f}"}
    if not undisguised(document):
        return changed
    for key in ("l", "t", "rho"):
        changed.pop(key, None)
    cap = values.get("max_frequency")
    changed["max_frequency"] = None if cap is None else share(cap)
    if values.get("l_kind"):
        changed["l"] = _diversity(values)
    if values.get("t") is not None:
        changed["t"] = share(values["t"])
    if values.get("rho1") is not None:
        changed["rho"] = [share(values["rho1"]), share(values["rho2"])]
    if values.get("weights") in ("unit", "data"):
        changed["weights"] = values["weights"]
    return changed


def _diversity(values: Mapping[str, Any]) -> dict[str, Any]:
    diversity: dict[str, Any] = {"kind": values["l_kind"], "value": values["l_value"]}
    if values["l_kind"] == "recursive":
        diversity["c"] = f"{values['l_c']:f}"
    if values.get("l_joint"):
        diversity["joint"] = True
    return diversity


def sentences(document: Document) -> list[str]:
    """What the specification asks for, one sentence each."""
    return list(_sentences(document, values_of(document)))


def _sentences(document: Document, values: Mapping[str, Any]) -> Iterator[str]:
    yield _(
        "Nobody can be told from at least %(others)s others by what others may know of them (k = %(k)s)."
    ) % {
        "others": values["k"] - 1,
        "k": values["k"],
    }
    if undisguised(document):
        if values["max_frequency"] is not None:
            yield _("No class gives a sensitive value away with more than %(share)s %%.") % {
                "share": values["max_frequency"]
            }
        if values["l_kind"]:
            yield _in_words(values["l_kind"]) % {"l": values["l_value"], "c": values["l_c"]}
        if values["t"] is not None:
            yield _(
                "The sensitive values of a class differ from those of the whole table by at most %(t)s %% "
                "(t-closeness)."
            ) % {"t": values["t"]}
        if values["rho1"] is not None:
            yield _(
                "What is at most %(before)s %% likely without the table stays less than %(after)s %% likely with it."
            ) % {"before": values["rho1"], "after": values["rho2"]}
    for column in document.get("sensitive", ()):
        if not isinstance(column, str) and "gamma" in column:
            yield _(
                "A row changes the odds of a value of %(column)s at most %(gamma)s times (disguised)."
            ) % {
                "column": column["name"],
                "gamma": column["gamma"],
            }
    if values["suppression"]:
        yield _("At most %(share)s %% of the records may be left out.") % {"share": values["suppression"]}
    if values["cell_suppression"]:
        yield _("At most %(share)s %% of the cells may be suppressed.") % {
            "share": values["cell_suppression"]
        }
    if values["falsification"]:
        yield _("At most %(share)s %% of the records may get a false sensitive value.") % {
            "share": values["falsification"]
        }


def _in_words(kind: str) -> str:
    return {
        "distinct": _("Every class holds at least %(l)s different sensitive values (l-diversity)."),
        "entropy": _(
            "The sensitive values of every class are as varied as %(l)s equally frequent ones (entropy)."
        ),
        "recursive": _(
            "In every class the most frequent sensitive value is less than %(c)s times as frequent as all from number "
            "%(l)s on (recursive l-diversity)."
        ),
    }[kind]
