"""Several files as one zip, made while it is sent."""

from collections.abc import Iterable, Iterator
from zipfile import ZIP_DEFLATED, ZipFile

from surveys.recordfiles.pipe import Pipe

Member = tuple[str, Iterable[bytes]]
LEVEL = 4
"""Of compression: columns of few words shrink to a tenth, and more effort gains little."""


def zipped(members: Iterable[Member]) -> Iterator[bytes]:
    pipe = Pipe()
    with ZipFile(pipe, "w", ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for name, pieces in members:
            with archive.open(name, "w", force_zip64=True) as member:
                for piece in pieces:
                    member.write(piece)
                    yield pipe.taken()
    yield pipe.taken()
