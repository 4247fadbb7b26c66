"""Valid JavaScript modules made at random of pieces that are easily misread; the imports in each are known."""

import re
from dataclasses import dataclass, field
from random import Random

LURE = "import 'lure';"
"""In a text or comment it imports nothing."""
PIECES = {
    # What may stand between two tokens: g nothing or on one line, b a line break, l either, w never nothing.
    "g": ("", "", " ", "\t", "\xa0", "/**/", "/***/", "/*/*/", "/* // */", "/* ' */", "/*`*/", f"/* {LURE} */"),
    "b": ("\n", "\r", "\r\n", "\u2028", "\u2029"),
    "l": ("%g", "%b", "//%b", f"// {LURE}%b", "/* %b */", "//*%b"),
    "w": (" ", "%b", "/**/", "//%b", f"// {LURE}%b", "/* %b */", "/** @type {X} */"),
    # Short expressions: q strings, x regular expressions, n numbers, v variables, A any of them, also properties.
    "q": ('"/*"', "'*/'", '"//"', "'`'", '"${"', '"\'"', "'\"'", r'"\""', r"'\\'", '"\\\n"', "'\u2028'", f'"{LURE}"'),
    "x": ("/a/", "/[/]/g", r"/\//", "/['\"`]/u", "/[/*]/", r"/\/*/i", "/=/", f"/{LURE}/", r"/[\]/\\]/", "/}/", '/"/'),
    "n": ("1", ".5", "1.", "0x1F", "1e-3", "1_000n", "1..a"),
    "v": ("x", "$", "_y", "ł"),
    "A": ("%q", "%x", "%n", "%v", "this", "from", "x.return", "x?.if", "x.typeof", "x . in", "of"),
    # Expressions E, with templates T of texts t.
    "o": ("+", "*", "<", ">", "===", "in", "instanceof", "&&", ","),
    "t": ("", "/*", "*/", "//", "'", '"', r"\`", r"\${", "$", "{", "}", "\n", LURE),
    "T": ("`%t`", "`%t${%l%E%g}%t`", "`%t${%l%E%g}%t${%E}%t`"),
    "E": (
        "(%E%g/ %g%E)", "(%E%g)/ %E", "[%g%E%g]%g/ 2", "(%E %o %E)", "(%v ? %E : %E)", "(%v = %E)", "(%v++%g, %E)",
        "(typeof %E, void %E)", "[...typeof%g %x, !%E]", "%v(%E,%g%E)", "(() => %E)", "(() => {%S})", "%T", "%v%T",
        "(function* () { yield (%E); %S })", "(async () => { await (%E); for await (const v of x) (%E); })",
        "(%v = { a: %E, if: %E, return() { return %E; } })", "(x.if(%E)%g/ %E)",
        "(class { static #a = %E; return = %E; if() { return this.#b / 2; } #b = %E })",
    ),
    # Statements S, one R with a regular expression, and what ends a statement.
    "R": ("%x.test(x);",),
    ";": (";",),
    "S": (
        "x =%g%E;", "void %E;", "%R", "%T;", "%q;", "if%g(%E%g)%g%R", "if (x) %E; else%g %R", "if (x) { x = %E }%g",
        "while (0)%g%R", "do x = %E; while (x)%g%R", "for (const v of%g (%E)) %R", "for (const v in %E) %R",
        "switch (x) { case %E: break; default:%g%R }", "%N: { x = %E; break %N%;%g%R }",
        "function %N(a = %E) { return%g %E; }", "function %N() { throw %E; }", "class %N { a = %E; static { %R } }",
        "let %N%;%g%R", "var a, %N%;%g%R", "const %N =%g%E;", "try { %R } catch { x = %E }", "{ %R }",
    ),
    # Imports I, and statements M of a module.
    "I": (
        "import%l%a", "import%l{%l}%lfrom%l%a", "import%l*%las%w%N%wfrom%l%a", "import%w%N%wfrom%l%a",
        "import%l{%la%was%w%N%l}%lfrom%l%a", 'import%l{%l"a b"%las%w%N%l}%lfrom%l%a',
        "import%w%N%l,%l{%ldefault%was%w%O%l}%lfrom%l%a", 'import%w%N%wfrom%l%a%lwith%l{%ltype%l:%l"json"%l}',
        "export%l*%lfrom%l%a", "export%l*%las%w%N%wfrom%l%a", "export%l{%lfrom%was%w%N%l}%lfrom%l%a",
        'export%l{%l"a b"%las%w%N%l}%lfrom%l%a', "export%l{%ldefault%was%w%N%l,%lb%was%w%O%l}%lfrom%l%a",
    ),
    "M": ("%S", "%I%;%g%R", "%I%bx = %E;", "x =%g%E\n%I;", "export const %N =%g%E;", "await%g (x), %E;"),
    # After a brace a regular expression would be refused.
    "+": (";",),
}  # fmt: skip
"""Pieces by kind. In a piece, % and a kind stand for one of its pieces, %N and %O for new names, %a for an address."""
REFUSED = {
    "E": (
        "(%v++%g/ 2)", "(%v = { a: %E }%g/ 2)", "(function* () { yield %x; })", "(%E\n/ 2)",
        "(async () => { await %E; for await (const v of x) %x; })",
    ),
    "S": ("for (const v of %x) %R",),
    ";": ("%b", "//\n", "/*\u2028*/"),
    "+": ("",),
}  # fmt: skip
"""Pieces by kind that may put a slash where it could divide as well as begin a regular expression. They are rare."""
RARE = 0.03


@dataclass
class RandomScript:
    """`imports`: the addresses in the code, each once, in their order."""

    random: Random
    code: str = ""
    imports: list[str] = field(default_factory=list)
    names: int = 0

    def __post_init__(self) -> None:
        for _ in range(self.random.randrange(1, 7)):
            self.code += self.piece("l", 0) + self.piece("M", 3) + self.piece("+", 0)

    def piece(self, kind: str, depth: int) -> str:
        """Of this kind, with all that it stands for; `depth`: how many expressions may stand in one another."""
        if kind == "E" and (depth <= 0 or self.random.random() < 0.3):
            kind = "A"
        pieces = REFUSED if kind in REFUSED and self.random.random() < RARE else PIECES
        own: dict[str, str] = {}

        def replace_placeholder(found: re.Match[str]) -> str:
            if found[1] in "NO":
                return own.setdefault(found[1], self.new_name())
            return self.address() if found[1] == "a" else self.piece(found[1], depth - (kind in "ES"))

        return re.sub("%(.)", replace_placeholder, self.random.choice(pieces[kind]))

    def new_name(self) -> str:
        self.names += 1
        return f"n{self.names}"

    def address(self) -> str:
        folder = self.random.choice(("./", "../kinds/", "/static/"))
        self.imports.append(f"{folder}m{len(self.imports)}.a1.js")
        return f"{{0}}{self.imports[-1]}{{0}}".format(self.random.choice("'\""))
