"""A real nginx with the blocks of docs/, in front of two instances."""

import getpass
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import servers

BLOCK, UPSTREAM = (
    (servers.ROOT / f"docs/{name}.conf").read_text(encoding="utf-8") for name in ("nginx", "nginx-upstream")
)
OURS = "survey.example.org"


@contextmanager
def nginx(folder: Path, one: int, other: int) -> Iterator[int]:
    """In front of two instances."""
    port = servers.free_port()
    certificate = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    certificate += ["-subj", f"/CN={OURS}", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"]
    subprocess.run(certificate, check=True, capture_output=True)
    (folder / "block.conf").write_text(BLOCK)
    upstream = UPSTREAM.replace("127.0.0.1:8000", f"127.0.0.1:{one}").replace(
        "127.0.0.1:8001", f"127.0.0.1:{other}"
    )
    (folder / "upstream.conf").write_text(upstream)
    temporary = "\n".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"user {getpass.getuser()}; daemon off; pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
        f"http {{ access_log {folder}/access.log; {temporary} include {folder}/upstream.conf;\n"
        f"server {{ listen 127.0.0.1:{port} ssl; server_name {OURS};\n"
        f"ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem; include {folder}/block.conf; }} }}"
    )
    process = subprocess.Popen(["nginx", "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"])
    try:
        servers.wait(lambda: servers.listening(port), "nginx listening")
        yield port
    finally:
        process.terminate()
        process.wait(servers.PATIENCE)
