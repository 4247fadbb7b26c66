"""What people see of a text, for comparing words that somebody may have disguised, and what may not be in one."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache

from privacy.grammar.input_error import InputError, mark_for_translation as _

LOOKALIKES = str.maketrans(
    "авсԁеһіјӏморѕтухѵαβεηικμνορστυχɑօսցհոvl1|!¡035$§€9@偽僞裝ىیکہھەة",
    "abcdehijimopstuxuabehikmuopotuxaoughnuiiiiioesssega伪伪装ييكهههه",
)
"""After case and accents are gone; u and v are one letter."""
SHAPES = {
    "a": "Ꭺᗅ⍺ꓮ𐊠𖽀",
    "b": "ƄЬᏏᏴᑲᖯᗷꓐꞴ𐊂𐊡𐌁",
    "c": "ϲϹᏟⲤⲥꓚꮯ𐊢𐌂𐐕𐐽𐔜𑣩𑣲🝌",
    "d": "ᎠᏧᑯᗞᗪꓒꓓ",
    "e": "ҽᎬ℮⋿ⴹꓰ𐊆𑢦𑢮",
    "f": "Ϝքᖴẝꓝ𐊇𐊥𐔥𑢢𑣂𝈓𝟊",
    "g": "ƍԌᏀᏳꓖ",
    "h": "НᎻᏂᕼⲎꓧ𐋏",
    "i": "Ɩǀɩ۱Ꭵᛁ∣⍳⏽Ⲓⵏꓲꙇꭵ￨𐊊𐌉𐌠𑣃𖼨",
    "m": "ϺᎷᗰᛖⲘꓟ𐊰𐌑",
    "o": "۵०০੦૦ଠ୦௦ం౦ಂ೦ംഠ൦ං๐໐ဝ၀ჿዐⲞⲟⵔ〇ꓳ𐊒𐊫𐐄𐐬𐓂𐓪𐔖𑓐𑢵𑣈𑣗𑣠",
    "r": "гᎡᏒᖇᴦⲅꓣꭇꮁ𐒴𖼵𝈖",
    "s": "ƽՏᏕᏚꓢꮪ𐊖𐐠𐑈𑣁𖼺",
    "t": "Ꭲ⊤⟙Ⲧꓔ𐊗𐊱𐌕𑢼𖼊🝨",
    "u": "ʋሀᑌ∪⋃ꓴꞟ𐓎𐓶𑢸𑣘𖽂",
    "v": "۷Ꮩᐯ∨⋁ⴸꓦꛟꮩ𐔝𑜆𑢠𑣀𖼈𝈍",
}
"""Letters of other scripts, digits and signs that look like these Latin letters as they stand: a capital may, and its
small letter not (after Unicode's confusables.txt)."""
AS_THEY_STAND = str.maketrans({char: letter for letter, chars in SHAPES.items() for char in chars})
NO_LETTERS = re.compile("[^a-z]+", re.ASCII)
FILLERS = "\u115f\u1160"
"""Letters of Hangul that nobody sees."""
FORCED_DIRECTION = re.compile("[\u202a-\u202e]")
"""Characters that force a direction of writing. Marks, isolates and joiners, which languages need, are none of them."""


def letters_as_seen(text: str) -> str:
    """Returns the letters of a text without case, accents, spaces and invisible characters; letters that look alike are
    the same, and rn is m, cl is d."""
    shapes = text if text.isascii() else text.translate(AS_THEY_STAND)
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", shapes).casefold())
    if not plain.isascii():
        plain = "".join(map(_latin_if_named, plain))
    plain = plain.translate(LOOKALIKES)
    letters = NO_LETTERS.sub("", plain) if plain.isascii() else "".join(filter(_is_letter, plain))
    return letters.replace("rn", "m").replace("ci", "d")


@lru_cache(10_000)
def _is_letter(char: str) -> bool:
    """True for letters but those that only modify others, such as the stroke that stretches an Arabic word."""
    return char.isalpha() and unicodedata.category(char) != "Lm" and char not in FILLERS


@lru_cache(10_000)
def _latin_if_named(char: str) -> str:
    """Returns the Latin letter that a character such as ᴅ, ı, ɡ, ø and 🅳 is a form of, by its Unicode name; else the
    character."""
    name = unicodedata.name(char, "")
    if "LATIN" not in name and not name.startswith("REGIONAL"):
        return char
    last = name.partition("LETTER ")[2].partition(" WITH ")[0].rpartition(" ")[2]
    return last.lower() if len(last) == 1 and last.isascii() else char


def texts_with_paths(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Yields each text in a JSON value, after its path as in a design."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, member in value.items():
            yield from texts_with_paths(member, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from texts_with_paths(member, f"{path}[{index}]")


def refuse_forced_direction(canonical: str) -> None:
    """Raises InputError if a text in the JSON of a design forces a direction of writing, so that people read another
    text than is compared."""
    if FORCED_DIRECTION.search(canonical):
        for path, text in texts_with_paths(json.loads(canonical)):
            if match := FORCED_DIRECTION.search(text):
                raise InputError(path, _("holds the character U+%(code)s"), code=f"{ord(match[0]):04X}")
