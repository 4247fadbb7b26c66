"""A host that serves the folder of a survey's page, and may do what it should not."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from mimetypes import guess_type

from tests import servers


@dataclass
class Host:
    """`files`: what it serves below `/survey/`; `headers` and `statuses`: what it says beside them; by name.
    `always`: headers of each answer."""

    port: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    always: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"{self.origin}/survey/"

    @property
    def digest(self) -> str:
        return sha256(self.files["SHA256SUMS"]).hexdigest()

    def serve(self, **files: bytes) -> None:
        """Serves these files, with a list of them."""
        self.files = with_sums({name.replace("_", "."): content for name, content in files.items()})


def with_sums(files: Mapping[str, bytes]) -> dict[str, bytes]:
    lines = "".join(f"{sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    return {**files, "SHA256SUMS": lines.encode()}


@contextmanager
def serving_host() -> Iterator[Host]:
    host = Host()

    class Handler(servers.HTTPHandler):
        def do_GET(self) -> None:
            name = self.path.partition("?")[0].removeprefix("/survey/")
            host.asked.append(name)
            content = host.files.get(name or "index.html")
            status = host.statuses.get(name, 200 if content is not None else 404)
            kind = guess_type(name or "index.html")[0] or "application/octet-stream"
            self.send(
                content or b"", status, **{"Content-Type": kind, **host.always, **host.headers.get(name, {})}
            )

    with servers.serve_http(Handler) as host.port:
        yield host
