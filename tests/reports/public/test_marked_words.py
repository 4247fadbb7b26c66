"""No word of what everybody reads stands inside an f-string, where the catalogue of its languages does not find it."""

import ast

from config.catalogue import OF_SENTENCES, ROOT


def test_no_marked_word_stands_inside_an_f_string() -> None:
    found = []
    for module in OF_SENTENCES:
        for node in ast.walk(ast.parse((ROOT / module).read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
                found += [module for call in calls if isinstance(call.func, ast.Name) and call.func.id == "_"]
    assert not found
