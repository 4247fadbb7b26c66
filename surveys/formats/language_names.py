"""The languages that forms name: by code, in English, or in their own script."""

import re
import unicodedata
from collections.abc import Iterator

from django.conf.locale import LANG_INFO

from privacy.grammar.texts import LANGUAGE

CODE = re.compile(r"\(\s*([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*)\s*\)$")
MORE = {
    "zh-hans": "中文, 汉语, 普通话, 简体, chinese, mandarin, 中文(简体)",
    "zh-hant": "繁體, 繁体中文, 中文(繁體), chinese (traditional)",
    "am": "amharic, አማርኛ",
    "as": "assamese, অসমীয়া",
    "bi": "bislama",
    "bm": "bambara, bamanankan",
    "ckb": "sorani, kurdish sorani, سۆرانی",
    "ee": "ewe, eʋegbe",
    "fa": "farsi, فارسي",
    "ff": "fula, fulfulde, pulaar",
    "gu": "gujarati, ગુજરાતી",
    "ha": "hausa",
    "hi": "हिन्दी",
    "ht": "haitian creole, creole, kreyòl, kreyòl ayisyen",
    "ku": "kurdish, kurmanji, kurdî",
    "lg": "luganda, ganda",
    "ln": "lingala, lingála",
    "lo": "lao, ລາວ, ພາສາລາວ",
    "mg": "malagasy",
    "ms": "malay, bahasa melayu",
    "ny": "chichewa, nyanja, chinyanja",
    "om": "oromo, afaan oromo, afaan oromoo",
    "or": "odia, oriya, ଓଡ଼ିଆ",
    "prs": "dari, دری",
    "ps": "pashto, پښتو",
    "rhg": "rohingya",
    "rw": "kinyarwanda, ikinyarwanda",
    "si": "sinhala, සිංහල",
    "sn": "shona, chishona",
    "so": "somali, soomaali, af soomaali",
    "tet": "tetum, tetun",
    "ti": "tigrinya, ትግርኛ",
    "tl": "tagalog, filipino",
    "tpi": "tok pisin",
    "tw": "twi",
    "wo": "wolof",
    "xh": "xhosa, isixhosa",
    "yo": "yoruba, yorùbá",
    "zu": "zulu, isizulu",
}
"""By code the names that Django's table of languages lacks."""


def language_of(written: str) -> str | None:
    """The code of a language that a form names; None where it cannot be told."""
    found = CODE.search(written)
    if found:
        return found[1].lower().replace("_", "-")
    code = written.strip().lower().replace("_", "-")
    if code in LANG_INFO:
        return code
    return BY_NAME.get(_bare(written)) or (code if LANGUAGE.fullmatch(code) else None)


def _bare(name: str) -> str:
    """Without case, accents and vowel signs, which people leave out."""
    letters = unicodedata.normalize("NFKD", name.strip().casefold())
    return "".join(letter for letter in letters if unicodedata.category(letter) != "Mn")


def _names() -> Iterator[tuple[str, str]]:
    for code, names in MORE.items():
        yield from ((_bare(name), code) for name in names.split(", "))
    for code, known in LANG_INFO.items():
        yield from ((_bare(str(known[key])), code) for key in ("name", "name_local") if key in known)


BY_NAME = dict(reversed(list(_names())))
