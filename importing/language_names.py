"""Recognises languages in imported forms: by code, by English name, or by their name in their own script."""

import re
import unicodedata
from collections.abc import Iterator

from django.conf.locale import LANG_INFO

from privacy.grammar.translated_texts import LANGUAGE

CODE = re.compile(r"\(\s*([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*)\s*\)$")
LOCAL_CODES = 20 * 26
"""Number of codes from qaa to qtz, which ISO 639-2 reserves for languages without a code."""
MORE = {
    "zh-hans": "中文, 汉语, 普通话, 简体, chinese, mandarin, 中文(简体), 中文（简体）, chinese (simplified), zh",
    "zh-hant": "繁體, 繁体中文, 中文(繁體), 中文（繁體）, chinese (traditional)",
    "ar": "عربي, عربية, عربى",
    "ay": "aymara",
    "bn": "bangla",
    "am": "amharic, አማርኛ",
    "as": "assamese, অসমীয়া",
    "bi": "bislama",
    "bem": "bemba, ichibemba",
    "bm": "bambara, bamanankan",
    "ckb": "sorani, kurdish sorani, سۆرانی",
    "din": "dinka, thuɔŋjäŋ",
    "dyu": "dioula, dyula, jula",
    "dz": "dzongkha, རྫོང་ཁ",
    "ee": "ewe, eʋegbe",
    "es": "castellano, español latinoamérica, latin american spanish",
    "fa": "farsi, فارسي",
    "ff": "fula, fulfulde, pulaar",
    "gn": "guarani, avañe'ẽ",
    "gu": "gujarati, ગુજરાતી",
    "ha": "hausa",
    "hi": "हिन्दी",
    "ht": "haitian creole, creole, kreyòl, kreyòl ayisyen",
    "id": "bahasa",
    "ka": "ქართული",
    "km": "ខ្មែរ, ភាសាខ្មែរ",
    "kr": "kanuri",
    "kri": "krio",
    "ku": "kurdish, kurmanji, kurdî",
    "lg": "luganda, ganda",
    "ln": "lingala, lingála",
    "lo": "lao, ລາວ, ພາສາລາວ",
    "mg": "malagasy",
    "mn": "монгол",
    "mos": "mooré, moore, mossi",
    "ms": "malay, bahasa melayu",
    "my": "မြန်မာ, မြန်မာဘာသာ, ဗမာ, myanmar",
    "nd": "ndebele",
    "nus": "nuer, thok nath",
    "ny": "chichewa, nyanja, chinyanja",
    "om": "oromo, afaan oromo, afaan oromoo",
    "or": "odia, oriya, ଓଡ଼ିଆ",
    "prs": "dari, دری",
    "ps": "pashto, پښتو",
    "qu": "quechua, runa simi",
    "rhg": "rohingya",
    "rn": "kirundi, ikirundi, rundi",
    "rw": "kinyarwanda, ikinyarwanda",
    "sg": "sango",
    "si": "sinhala, සිංහල",
    "sn": "shona, chishona",
    "so": "somali, soomaali, af soomaali",
    "st": "sesotho, sotho",
    "tet": "tetum, tetun",
    "th": "ไทย, ภาษาไทย",
    "ti": "tigrinya, tigrigna, ትግርኛ",
    "tn": "setswana, tswana",
    "tl": "tagalog, filipino",
    "tpi": "tok pisin",
    "tw": "twi",
    "wo": "wolof",
    "xh": "xhosa, isixhosa",
    "yo": "yoruba, yorùbá",
    "zu": "zulu, isizulu",
}
"""Names of languages by code, separated by commas, that Django's table of languages lacks."""
COUNTRIES = frozenset({"be", "br", "ca", "et", "ga", "ml", "my", "ne", "sl", "sv", "uk"})
"""Language codes that forms also use for countries, after the name of another language."""


def find_language_code(name: str) -> str | None:
    """Returns the code of the language that a form calls by this name; None if it is not recognised."""
    match = CODE.search(name)
    if match and _normalize_name(name) not in BY_NAME:
        return _resolve_bracketed_code(name[: match.start()], match[1].lower().replace("_", "-"))
    code = name.strip().lower().replace("_", "-")
    if code in LANG_INFO:
        return code
    return BY_NAME.get(_normalize_name(name)) or (code if LANGUAGE.fullmatch(code) else None)


def _resolve_bracketed_code(name: str, code: str) -> str:
    """Returns the language code for a name with a code in brackets, such as English (UK) or Kiswahili (swa).

    In English (UK) and Português (BR) the code is a country's, in Kiswahili (swa) the language's.
    """
    named = BY_NAME.get(_normalize_name(name), "")
    first = named.partition("-")[0]
    if not named or name.strip().lower() == code:
        return code
    if code.partition("-")[0] == first:
        return BY_NAME.get(code, code)
    if len(code) == 2 and (regional := f"{first}-{code}") in LANG_INFO:
        return regional
    is_other_language = code in LANG_INFO and code not in COUNTRIES
    return code if is_other_language else named


def private_language_codes() -> Iterator[str]:
    """Yields the codes that ISO 639-2 reserves for private use (qaa to qtz), for languages that are not recognised."""
    for number in range(LOCAL_CODES):
        yield f"q{chr(ord('a') + number // 26)}{chr(ord('a') + number % 26)}"


def _normalize_name(name: str) -> str:
    """Returns a name without case, accents and vowel signs, which people often leave out."""
    letters = unicodedata.normalize("NFKD", name.strip().casefold())
    return "".join(letter for letter in letters if unicodedata.category(letter) != "Mn")


def _names_with_codes() -> Iterator[tuple[str, str]]:
    """Yields each known name of a language with its code."""
    for code, names in MORE.items():
        yield from ((_normalize_name(name), code) for name in names.split(", "))
    for code, known in LANG_INFO.items():
        yield from (
            (_normalize_name(str(known[key])), code) for key in ("name", "name_local") if key in known
        )


BY_NAME = dict(reversed(list(_names_with_codes())))
