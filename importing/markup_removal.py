"""Removes Markdown and HTML from the texts of imported forms. Every pattern runs in linear time."""

import html
import re

from surveys.questionnaire.value_normalization import CONTROLS

TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,15})(?:[\s/][^<>]{0,2000})?>")
COMMENT = re.compile(r"<!--[^<>]{0,2000}-->")
LINE_TAGS = frozenset(
    {
        *("br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "hr"),
    }
)
"""HTML tags that begin or end a line."""
SILENT_TAGS = frozenset({"script", "style"})
"""HTML tags whose content is not text."""
TAGS = {
    *LINE_TAGS,
    *SILENT_TAGS,
    *("a", "abbr", "audio", "b", "big", "blockquote", "center", "code", "em", "font", "i", "iframe"),
    *("img", "label", "mark", "object", "pre", "s", "section", "small", "source", "span", "strike"),
    *("strong", "sub", "sup", "tbody", "td", "tfoot", "th", "thead", "u", "video"),
}
ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
PICTURE = re.compile(r"!\[([^\[\]\n]{0,500})\]\([^()\s]{1,1000}\)")
ESCAPED = re.compile(r"\\([\\*_#<>\[\]()!`~])")
KEPT = 0xE000
BACK = {KEPT + ord(sign): sign for sign in "\\*_#<>[]()!`~"}
"""Characters of the private use area that replace characters escaped by a backslash while markup is removed."""
LINK = re.compile(r"\[([^\[\]\n]{1,500})\]\(([^()\s]{1,1000})\)")
HEADING = re.compile(r"^#{1,6}[ \t](?=[^\s#])", re.MULTILINE)
STRONG = re.compile(r"\*\*([^*\n]{1,2000})\*\*")
STRONG_LINE = re.compile(r"(?<![\w_])__([^_\n]{1,2000})__(?![\w_])")
EMPHASIS = re.compile(r"(?<![\w*])\*([^*\n]{1,2000})\*(?![\w*])")
EMPHASIS_LINE = re.compile(r"(?<![\w_])_([^_\n]{1,2000})_(?![\w_])")
SPACES = re.compile(r"[ \t\u00a0]+")


def plain_text(text: str) -> str:
    """Returns the text without markup and control characters; a text without any is returned unchanged."""
    text = text if text.isprintable() else CONTROLS.sub("", text)
    bare = ESCAPED.sub(lambda match: chr(KEPT + ord(match[1])), text)
    bare = PICTURE.sub(r"\1", _html_to_text(bare))
    for pattern in (STRONG, STRONG_LINE, EMPHASIS, EMPHASIS_LINE):
        bare = pattern.sub(_without_emphasis_signs, bare)
    bare = HEADING.sub("", LINK.sub(r"\1 (\2)", bare)).translate(BACK)
    return text if bare == text else _collapse_whitespace(bare)


def _without_emphasis_signs(match: re.Match[str]) -> str:
    """Returns the text between emphasis signs; signs with spaces, as in `2 * 3 * 4`, are no emphasis and are kept."""
    inside = match[1]
    return inside if inside == inside.strip() else match[0]


def _html_to_text(text: str) -> str:
    """Removes HTML tags and comments, and decodes entities; a tag that ends a line becomes a line break."""
    whole = COMMENT.sub("", text)
    kept: list[str] = []
    end, silent = 0, ""
    for tag in TAG.finditer(whole):
        closing, name = bool(tag[1]), tag[2].lower()
        if name not in TAGS:
            continue
        if not silent:
            kept += [whole[end : tag.start()], "\n" if name in LINE_TAGS else ""]
        if name in SILENT_TAGS:
            opened = silent or name
            silent = "" if closing and opened == name else opened
        end = tag.end()
    kept.append("" if silent else whole[end:])
    return ENTITY.sub(lambda match: html.unescape(match[0]), "".join(kept))


def _collapse_whitespace(text: str) -> str:
    """Removes repeated spaces and empty lines, which removed tags leave."""
    lines = [SPACES.sub(" ", line).strip() for line in text.split("\n")]
    made: list[str] = []
    for line in lines:
        if line or (made and made[-1]):
            made.append(line)
    return "\n".join(made).strip()
