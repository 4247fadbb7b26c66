"""Every marked word of what everybody reads is found by the catalogue of its languages."""

import ast

from config.update_message_catalogues import OF_SENTENCES, ROOT, read_catalogue


def test_no_marked_word_stands_inside_an_f_string() -> None:
    found = []
    for module in OF_SENTENCES:
        for node in ast.walk(ast.parse((ROOT / module).read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
                found += [module for call in calls if isinstance(call.func, ast.Name) and call.func.id == "_"]
    assert not found


def test_the_legend_of_a_map_is_in_the_catalogues_of_everybody() -> None:
    """Its words are marked lazily."""
    for language in ("de", "fr", "es", "ar"):
        message = read_catalogue(language).get("withheld, or too few records")
        assert message is not None, language
        assert message.string, language
