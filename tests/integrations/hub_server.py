"""A stand-in for the Hugging Face hub on this machine, for as long as a test runs."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit


class Hub:
    """Repositories as `{"org/name": {revision: {file: content}}}`, and what was asked for."""

    def __init__(self, repositories: dict[str, dict[str, dict[str, bytes]]]) -> None:
        self.repositories = repositories
        self.asked: list[str] = []
        self.tokens: set[str | None] = set()
        self.endpoint = ""

    def files(self, repository: str, revision: str) -> dict[str, bytes] | None:
        """The files of a revision, by its name or as a commit."""
        revisions = self.repositories.get(repository, {})
        by_commit = {commit_of(name): files for name, files in revisions.items()}
        return revisions.get(revision) or by_commit.get(revision)

    def commit(self, repository: str, revision: str) -> str:
        """The commit of a revision."""
        known = self.repositories[repository]
        return commit_of(revision) if revision in known else revision


def commit_of(revision: str) -> str:
    """A commit, made up from the name of a revision."""
    return hashlib.sha1(revision.encode()).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Answers for one `Hub`."""

    hub: Hub

    def answer(self, code: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(code)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.asked.append(path)
        self.hub.tokens.add(self.headers.get("Authorization"))
        parts = path.strip("/").split("/")
        if parts[:2] == ["api", "models"]:
            repository, revision = "/".join(parts[2:4]), parts[5] if len(parts) > 5 else "main"
        else:
            repository, revision = "/".join(parts[:2]), parts[3] if len(parts) > 3 else ""
        files = self.hub.files(repository, revision)
        if files is None:
            missing = (
                "RepoNotFound" if repository not in self.hub.repositories else "RevisionNotFound"
            )
            return self.answer(404, b"", {"X-Error-Code": missing})
        commit = self.hub.commit(repository, revision)
        if parts[0] == "api" and parts[4:5] == ["tree"]:
            listing = [
                {"type": "file", "path": name, "size": len(content), "oid": hash_of(content)}
                for name, content in files.items()
            ]
            return self.answer(
                200, json.dumps(listing).encode(), {"Content-Type": "application/json"}
            )
        if parts[0] == "api":
            siblings = [{"rfilename": name} for name in files]
            info = {"id": repository, "sha": commit, "siblings": siblings, "tags": []}
            return self.answer(200, json.dumps(info).encode(), {"Content-Type": "application/json"})
        content = files.get("/".join(parts[4:]))
        headers = {"X-Repo-Commit": commit}
        if content is None:
            return self.answer(404, b"", headers | {"X-Error-Code": "EntryNotFound"})
        return self.answer(200, content, headers | {"ETag": f'"{hash_of(content)}"'})

    do_HEAD = do_GET

    def log_message(self, *arguments: object) -> None:
        """Says nothing."""


def hash_of(content: bytes) -> str:
    """The name of a content in the cache."""
    return hashlib.sha1(content).hexdigest()


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """Serves a hub at `hub.endpoint`."""
    handler = type("OneHandler", (Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
