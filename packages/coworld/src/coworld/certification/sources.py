"""Find the published source of each runnable. It never fails a certification, and is looked up only on request."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from coworld.models.manifest import CoworldManifest
from coworld.models.reporters import CoworldReporterContainer
from coworld.models.runnables import MANIFEST_ROLE_SECTIONS
from coworld.models.transcript import SourceUrlResult

API = "https://api.github.com"
_GITHUB = re.compile(
    r"https?://(?:www\.)?github\.com/(?P<owner>[^/]+)/(?P<repo>[^/#?]+?)(?:\.git)?"
    r"(?:/(?:tree|blob)/(?P<ref>[^/]+)(?:/(?P<path>.*))?)?/?"
)


@dataclass(frozen=True)
class GitHubSource:
    """A GitHub repository, or a folder or file in it."""

    owner: str
    repo: str
    ref: str | None
    path: str


def github_source(source_url: str) -> GitHubSource | None:
    match = _GITHUB.fullmatch(source_url.split("#")[0].split("?")[0])
    if match is None:
        return None
    return GitHubSource(match["owner"], match["repo"], match["ref"], (match["path"] or "").strip("/"))


def source_references(manifest: CoworldManifest) -> Iterator[tuple[str, str | None]]:
    """Return every runnable by its path in the manifest, with the source URL that it declares."""
    yield "game", manifest.game.runnable.source_url
    for section in MANIFEST_ROLE_SECTIONS:
        for entry in getattr(manifest, section):
            yield f"{section}:{entry.id}", entry.source_url
    for reporter in manifest.reporter:
        if isinstance(reporter, CoworldReporterContainer):
            yield f"reporter:{reporter.id}", reporter.source_url


def inspect_sources(manifest: CoworldManifest, *, look: bool, api: str = API) -> list[SourceUrlResult]:
    """Return the status of each source. With `look`, request public pages without credentials; else none."""
    return [_inspect(name, url, look, api) for name, url in source_references(manifest)]


def _inspect(name: str, url: str | None, look: bool, api: str) -> SourceUrlResult:
    def result(status: str, detail: str) -> SourceUrlResult:
        return SourceUrlResult.model_validate(
            {
                "runnable": name,
                "source_url": url,
                "status": status,
                "publicly_accessible": status == "resolved",
                "detail": detail,
            }
        )

    if url is None:
        return result("not_declared", "no source_url")
    source = github_source(url)
    if source is None:
        return result("unsupported", "only github.com addresses can be looked up")
    floating = (
        "" if source.ref and re.fullmatch("[0-9a-f]{40}", source.ref) else "; the address is not pinned to a commit"
    )
    if not look:
        return result("unresolved", f"not looked up{floating}")
    problem = _missing(source, api)
    return result("unresolved", problem + floating) if problem else result("resolved", f"found{floating}")


def _missing(source: GitHubSource, api: str) -> str:
    """Return why the source does not count; "" when it has contents, and a Dockerfile there or above."""
    import httpx

    query = {"ref": source.ref} if source.ref else {}
    parts = [part for part in source.path.split("/") if part]
    folders = ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]
    try:
        with httpx.Client(timeout=10, follow_redirects=True, headers={"User-Agent": "coworld-certify"}) as client:
            for index, folder in enumerate(folders):
                answer = client.get(f"{api}/repos/{source.owner}/{source.repo}/contents/{folder}", params=query)
                if index == 0 and answer.status_code != 200:
                    return f"the address answered HTTP {answer.status_code}"
                if answer.status_code == 200 and _has_dockerfile(answer.json()):
                    return ""
    except (httpx.HTTPError, ValueError) as error:
        return f"it could not be asked for: {type(error).__name__}"
    return "there is no Dockerfile there or above"


def _has_dockerfile(contents: object) -> bool:
    items = contents if isinstance(contents, list) else [contents]
    names = [item.get("name", "") for item in items if isinstance(item, dict)]
    return any(name == "Dockerfile" or name.startswith("Dockerfile.") for name in names)
