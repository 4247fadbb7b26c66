"""Unpacks zip files of other programs; refuses damaged ones, and those whose content is too large."""

import zlib
from collections.abc import Container
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from django.utils.translation import gettext as _

from importing.faults import FileRefused, file_refusal

MOST_MEMBERS, MOST_UNPACKED = 500, 10_000_000
ZIP = b"PK"
DAMAGES = (BadZipFile, zlib.error, ValueError, NotImplementedError, OSError, EOFError, RuntimeError)


def member_names(data: bytes) -> list[str]:
    """Returns the names of a zip file's members, without unpacking any."""
    try:
        with ZipFile(BytesIO(data)) as archive:
            return archive.namelist()
    except DAMAGES:
        raise file_refusal(_("is a damaged archive or spreadsheet; save it again")) from None


def unpack(data: bytes, names: Container[str]) -> list[bytes]:
    """Returns the contents of the members with these names, none larger than its declared size.

    Raises `FileRefused` for a damaged archive, too many members, or too large ones.
    """
    damage = file_refusal(_("is a damaged archive or spreadsheet; save it again"))
    try:
        with ZipFile(BytesIO(data)) as archive:
            members = [member for member in archive.infolist() if member.filename in names]
            # Other ways to compress, which no spreadsheet program uses, may claim gigabytes to unpack.
            if any(member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for member in members):
                raise damage
            is_too_much = sum(member.file_size for member in members) > MOST_UNPACKED
            if is_too_much or len(archive.infolist()) > MOST_MEMBERS:
                raise file_refusal(_("unpacks to more than a questionnaire holds"))
            return [archive.read(member) for member in members]
    except FileRefused:
        raise
    except DAMAGES:
        raise damage from None
