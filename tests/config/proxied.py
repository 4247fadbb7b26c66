"""A real nginx with the blocks of deploy/, in front of two instances."""

import getpass
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import servers

BLOCK, UPSTREAM = (
    (servers.ROOT / f"deploy/{name}.conf").read_text(encoding="utf-8") for name in ("nginx", "nginx-upstream")
)
OURS = "survey.example.org"
CONNECTIONS = 4_096
"""Of nginx: each request takes two. With its default of 512 it closes the others unanswered from 257 at once on."""


@contextmanager
def nginx(
    folder: Path, one: int, other: int, *, respondents: tuple[int, int] | None = None, tls: bool = True
) -> Iterator[int]:
    """In front of two instances; `respondents`: their ports for these, where they have some."""
    (folder / "block.conf").write_text(BLOCK)
    upstream = UPSTREAM.replace("127.0.0.1:8000", f"127.0.0.1:{one}")
    upstream = upstream.replace("127.0.0.1:8001", f"127.0.0.1:{other}")
    for written, port in zip((8100, 8101), respondents or (one, other), strict=True):
        upstream = upstream.replace(f"127.0.0.1:{written}", f"127.0.0.1:{port}")
    upstream = upstream.replace("/run/candor-files", f"{folder}/files")
    keys = ""
    if tls:
        certificate = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        certificate += ["-subj", f"/CN={OURS}", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"]
        subprocess.run(certificate, check=True, capture_output=True)
        keys = f"ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;"
    server = f"server_name {OURS}; {keys} include {folder}/block.conf;"
    with running(folder, upstream, server, " ssl" if tls else "") as port:
        yield port


@contextmanager
def reusing_connections(folder: Path, behind: int) -> Iterator[int]:
    """In front of one server, over connections that carry one request after the other; without TLS."""
    server = 'location / { proxy_pass http://one; proxy_http_version 1.1; proxy_set_header Connection ""; }'
    with running(folder, f"upstream one {{ server 127.0.0.1:{behind}; keepalive 1; }}", server) as port:
        yield port


@contextmanager
def running(folder: Path, upstream: str, server: str, kind: str = "") -> Iterator[int]:
    port = servers.free_port()
    temporary = "\n".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"user {getpass.getuser()}; daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"worker_rlimit_nofile {2 * CONNECTIONS}; events {{ worker_connections {CONNECTIONS}; }}\n"
        f"http {{ access_log {folder}/access.log; {temporary}\n{upstream}\n"
        f"server {{ listen 127.0.0.1:{port}{kind}; {server} }} }}"
    )
    process = subprocess.Popen(["nginx", "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"])
    try:
        servers.wait(lambda: servers.listening(port), "nginx listening")
        yield port
    finally:
        process.terminate()
        process.wait(servers.PATIENCE)
