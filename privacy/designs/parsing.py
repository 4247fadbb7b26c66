"""Parses a design from JSON."""

import re
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from math import prod
from pathlib import Path

from privacy.blind_signatures.protocol import BITS, read_public_key
from privacy.designs.asked_at import read_asked_at
from privacy.designs.asked_at_refusals import asked_at_refusal
from privacy.designs.design import DUTIES, FORMAT, LEAST, UNDERSTANDINGS, UNDERSTOOD, Design
from privacy.designs.embedding_sites import MOST_SITES, normalise_site
from privacy.designs.quotas import read_quotas
from privacy.designs.record_encryption_key import read_sealing_key
from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value
from privacy.grammar.json_node import PARTS, Node, parts_to_decimal, read_json, read_json_file
from privacy.grammar.question_reading import ParsedSoFar
from privacy.grammar.translated_texts import Texts, read_languages_or_english, read_texts
from privacy.kinds.crosswise import section as crosswise
from privacy.kinds.grouped import section as grouped
from privacy.kinds.number import section as number_question
from privacy.kinds.number.number_question import NumberSection
from privacy.kinds.place import section as place
from privacy.kinds.plain import section as plain
from privacy.kinds.section import Section
from privacy.kinds.subset import section as subset

KINDS: dict[str, Callable[[Node, ParsedSoFar], Section]] = {
    plain.PlainSection.kind: plain.read_section,
    grouped.UnrelatedQuestionSection.kind: grouped.read_section,
    NumberSection.kind: number_question.read_section,
    place.PlaceSection.kind: place.read_section,
    crosswise.CrosswiseSection.kind: crosswise.read_section,
    subset.SubsetSection.kind: subset.read_section,
}

LEAST_FLOOR = 20
MOST = 10**9
DAY_MINUTES = 24 * 60
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
PHRASE = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
TEXTS = ("title", "asker", "why", "intro", "consent", "thanks", "panel", *DUTIES, "logo_alt")
REQUIRED = frozenset({"format", "sections"})
OPTIONAL = frozenset(
    {*TEXTS, *("languages", "contact", "minutes", "least", "retention", "open_answers", "rehearsal")}
    | {
        "accent",
        "asked_at",
        "direct",
        "follows",
        "invitation_key",
        "leave_to",
        "logo",
        "plan",
        "phrases",
        "quotas",
        "rounds",
        "sealing_key",
        "sites",
        "study",
        "token_key",
        "understanding",
    }
)
LEAST_DIRECT, MOST_DIRECT = PARTS // 10, PARTS * 9 // 10
LEAST_DIRECT_RECORDS = 20
"""Least number of direct records in a batch, on average."""
ADDRESS = re.compile(r"\Ahttps://[!-~]{1,492}\Z", re.ASCII)
MOST_ROUNDS = 52
"""Most surveys of which each person is asked in one: a year of weeks."""
LEAST_CODES = Fraction(1, 2**47)
"""Least probability of a permanent draw of all lasting sections that a code of eighty bits covers."""
HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)
COLOUR = re.compile(r"#[0-9a-f]{6}", re.ASCII)


def parse_design(text: str | bytes) -> Design:
    """Reads and checks a survey design in JSON; raises `InputError` for a fault."""
    members = read_json(text, "design").members(REQUIRED, OPTIONAL)
    if members["format"].text() != FORMAT:
        raise members["format"].refuse(_("must be %(format)s"), format=FORMAT)
    languages = read_languages_or_english(members.get("languages"))
    contact, minutes, least = members.get("contact"), members.get("minutes"), members.get("least")
    open_answers, rehearsal = members.get("open_answers"), members.get("rehearsal")
    understanding = members.get("understanding")
    direct = _read_direct_share(members)
    design = Design(
        direct_parts=direct,
        follows=_read_hash_or_empty(members.get("follows")),
        study=_read_hash_or_empty(members.get("study")),
        rounds=members["rounds"].integer(2, MOST_ROUNDS) if "rounds" in members else 0,
        plan=_read_hash_or_empty(members.get("plan")),
        invitation_key=_read_invitation_key_or_empty(members.get("invitation_key")),
        token_key=_read_invitation_key_or_empty(members.get("token_key")),
        sealing_key=_read_sealing_key_or_empty(members.get("sealing_key")),
        logo=_read_hash_or_empty(members.get("logo")),
        accent=_read_colour_or_empty(members.get("accent")),
        languages=languages,
        **{name: read_texts(members.get(name), languages) for name in TEXTS},
        contact=contact.text() if contact else "",
        leave_to=_read_https_address(members.get("leave_to")),
        sites=_read_sites(members.get("sites")),
        minutes=minutes.integer(0, DAY_MINUTES) if minutes else 0,
        least=least.integer(LEAST_FLOOR, MOST) if least else LEAST,
        retention=_read_day(members.get("retention")),
        open_answers=open_answers.boolean() if open_answers else False,
        rehearsal=rehearsal.boolean() if rehearsal else False,
        understanding=understanding.boolean() if understanding else False,
        phrases=_read_phrases(members.get("phrases"), languages),
        sections=(sections := _read_sections(members["sections"], ParsedSoFar(languages))),
        quotas=read_quotas(members.get("quotas"), sections),
        asked_at=read_asked_at(members.get("asked_at")),
    )
    _check_permanent_disguise(design)
    _check_understanding(design)
    _check_field_devices(design)
    if refusal := asked_at_refusal(design):
        raise refusal
    if design.rounds and (design.follows or design.lasting_sections):
        raise members["rounds"].refuse(
            _(
                "each person is asked in one round only: then no survey is asked again, and no disguise has to last"
            )
        )
    return design


def _check_field_devices(design: Design) -> None:
    """Refuses a design with only one of the two keys of field devices, or with settings they cannot have.

    A field device is one device on which many people answer without a network.
    """
    if bool(design.token_key) != bool(design.sealing_key):
        missing = "token_key" if design.sealing_key else "sealing_key"
        raise InputError(missing, _("must be there: field devices need two keys"))
    if design.has_field_devices and design.lasting_sections:
        raise InputError("sealing_key", _("is not for a design that asks for a person's code"))
    if design.has_field_devices and design.panel:
        raise InputError("sealing_key", _("is not for a design with a completion code"))


def _check_permanent_disguise(design: Design) -> None:
    """Refuses a design whose permanent disguise a person's code cannot protect, or some people would not get.

    The draws of a permanent disguise follow from a code that the person keeps for all rounds of a study.
    """
    laws = [law for section in design.lasting_sections if (law := section.lasting_law)]
    if not laws:
        if design.study:
            raise InputError("study", _("is only for a design with a section whose disguise lasts"))
        return
    if design.has_arms:
        raise InputError(
            "direct", _("in a design with a section whose disguise lasts, nobody is asked directly")
        )
    if bool(design.study) != bool(design.follows):
        raise InputError(
            "study",
            _("must be the fingerprint of the first survey of the study")
            if design.follows
            else _("is only for a design that follows another: the first one is its own study"),
        )
    if prod((law.rarest_draw_probability for law in laws), start=Fraction(1)) < LEAST_CODES:
        raise InputError(
            "sections",
            _(
                "too many sections whose disguise lasts, or too many questions in them: a code of eighteen characters "
                "does not cover their draws"
            ),
        )


def _check_understanding(design: Design) -> None:
    """Refuses a design whose check of understanding is not its plain last question, asked of everybody.

    Refuses the check, too, in a design that disguises nothing.
    """
    if not design.understanding:
        return
    if not any(section.sensitive for section in design.sections):
        raise InputError("understanding", _("nothing is disguised, so there is nothing to understand"))
    last, question = design.sections[-1], design.questions[-1]
    is_check = (question.name, question.form, question.code_names) == (UNDERSTOOD, "one", UNDERSTANDINGS)
    if last.sensitive or len(last.questions) > 1 or question.show_if or not is_check:
        raise InputError(
            "understanding",
            _("the last section must be the plain question %(name)s with the choices %(choices)s"),
            name=quote_value(UNDERSTOOD),
            choices=", ".join(UNDERSTANDINGS),
        )


def _read_direct_share(members: dict[str, Node]) -> int:
    """Reads the share of devices that are asked directly, in ten-thousandths; 0 if nobody is."""
    node, least, open_answers = (members.get(key) for key in ("direct", "least", "open_answers"))
    if node is None:
        return 0
    direct = node.probability_between(LEAST_DIRECT, MOST_DIRECT)
    if open_answers is not None and open_answers.boolean():
        raise node.refuse(
            _(
                "in a design with a direct arm nobody can choose to answer without disguise: the "
                "device decides"
            )
        )
    needed = -(-LEAST_DIRECT_RECORDS * PARTS // direct)
    if (least.integer(LEAST_FLOOR, MOST) if least else LEAST) < needed:
        raise (least or node).refuse(
            _("with %(direct)s asked directly the minimum batch size is at least %(needed)s"),
            direct=parts_to_decimal(direct),
            needed=needed,
        )
    return direct


def _read_hash_or_empty(node: Node | None) -> str:
    if node is None:
        return ""
    written = node.text()
    if HASH.fullmatch(written) is None:
        raise node.refuse(_("must be 64 lowercase hexadecimal digits"))
    return written


def _read_invitation_key_or_empty(node: Node | None) -> str:
    """Reads a public RSA key as base64url; an empty text if there is none."""
    written = node.text() if node else ""
    try:
        return read_public_key(written).text if node and written else ""
    except ValueError:
        assert node is not None
        raise node.refuse(
            _("must be the modulus of an RSA key of %(bits)s bits as base64url"), bits=BITS
        ) from None


def _read_sealing_key_or_empty(node: Node | None) -> str:
    written = node.text() if node else ""
    if node and written:
        try:
            read_sealing_key(written)
        except ValueError:
            raise node.refuse(_("must be a public key of P-256 as base64url")) from None
    return written


def _read_colour_or_empty(node: Node | None) -> str:
    written = node.text() if node else ""
    if node and COLOUR.fullmatch(written) is None:
        raise node.refuse(_("must be a colour such as %(example)s"), example="#7a1f3d")
    return written


def _read_https_address(node: Node | None) -> str:
    written = node.text() if node else ""
    if node and written and not ADDRESS.fullmatch(written):
        raise node.refuse(_("must be an address that begins with https://, of at most 500 characters"))
    return written


def _read_sites(node: Node | None) -> tuple[str, ...]:
    nodes = list(node.items()) if node else []
    if node and len(nodes) > MOST_SITES:
        raise node.refuse(_("at most %(most)s sites"), most=MOST_SITES)
    sites: list[str] = []
    for item in nodes:
        site = normalise_site(item.text(), item.path)
        if site != item.text():
            raise item.refuse(_("must be written as %(site)s"), site=site)
        if site in sites:
            raise item.refuse(_("is there twice"))
        sites.append(site)
    return tuple(sites)


def _read_phrases(node: Node | None, languages: tuple[str, ...]) -> tuple[tuple[str, Texts], ...]:
    """Reads the researcher's own wordings of fixed sentences of the pages, sorted by id; omits empty ones."""
    if node is None:
        return ()
    members = node.object_members()
    for key, phrase in members.items():
        if PHRASE.fullmatch(key) is None:
            raise phrase.refuse(_("%(key)s is not the id of a phrase"), key=quote_value(key))
    phrases = ((key, read_texts(members[key], languages)) for key in sorted(members))
    return tuple((key, texts) for key, texts in phrases if texts)


def _read_day(node: Node | None) -> date | None:
    if node is None or not (written := node.text()):
        return None
    try:
        if DAY.fullmatch(written):
            return date.fromisoformat(written)
    except ValueError:
        pass
    raise node.refuse(_('%(value)s is not a day such as "2027-12-31"'), value=quote_value(written))


def _read_sections(node: Node, sofar: ParsedSoFar) -> tuple[Section, ...]:
    sections = tuple(_read_section(item, sofar) for item in node.items())
    if not sections:
        raise node.refuse(_("at least one section"))
    return sections


def _read_section(node: Node, sofar: ParsedSoFar) -> Section:
    kind = node.object_members().get("kind")
    if kind is None:
        raise node.refuse(_("%(key)s is missing"), key="'kind'")
    name = kind.text()
    if name not in KINDS:
        raise kind.refuse(
            _("%(kind)s is not a kind of section (%(kinds)s)"), kind=quote_value(name), kinds=", ".join(KINDS)
        )
    if name != grouped.UnrelatedQuestionSection.kind and (
        lasting := node.object_members().get(grouped.LASTING)
    ):
        raise lasting.refuse(
            _("only the disguise of questions with choices can last, not that of the kind %(kind)s"),
            kind=name,
        )
    return KINDS[name](node, sofar)


def parse_design_file(path: Path) -> Design:
    """Reads and checks a design file of at most 4 MB; a refusal names the file too."""
    return read_json_file(path, parse_design)
