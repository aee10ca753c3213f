"""A reporter: reads one episode bundle, writes a zip with a page about it. Change `page`."""

import io
import json
import os
import urllib.request
import zipfile
from html import escape
from pathlib import Path
from urllib.parse import unquote, urlsplit


def page(episode: str, results: dict, names: list) -> str:
    """Return the page. Names come from players: escape them."""
    scores = results.get("scores", [])
    rows = "".join(
        f"<tr><td>{escape(str(names[slot] if slot < len(names) else f'Seat {slot}'))}</td><td>{score}</td></tr>"
        for slot, score in sorted(enumerate(scores), key=lambda pair: -pair[1])
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(episode)}</title></head>'
        f"<body><h1>{escape(episode)}</h1><table><tr><th>Player</th><th>Score</th></tr>{rows}</table></body></html>\n"
    )


def main() -> None:
    with zipfile.ZipFile(io.BytesIO(read(os.environ["COGAME_EPISODE_BUNDLE_URI"]))) as bundle:
        manifest = json.loads(bundle.read("manifest.json"))
        files = manifest["files"]
        results = json.loads(bundle.read(files["results"])) if "results" in files else {}
        names = player_names(bundle.read(files["replay"])) if "replay" in files else []
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as report:
        report.writestr("manifest.json", json.dumps({"reporter_id": "{{NAME}}", "render": "report.html"}))
        report.writestr("report.html", page(manifest.get("ereq_id") or "episode", results, names))
    write(os.environ["COGAME_REPORT_URI"], output.getvalue())


def player_names(replay: bytes) -> list:
    """Read the players' names from the replay. Each game has its own format; Paint Arena's is JSON with names."""
    try:
        return json.loads(replay)["player_names"]
    except (ValueError, KeyError, TypeError):
        return []


def read(uri: str) -> bytes:
    if uri.startswith(("http://", "https://")):
        with urllib.request.urlopen(urllib.request.Request(uri, headers={"User-Agent": "{{NAME}}"})) as answer:
            return answer.read()
    return file(uri).read_bytes()


def write(uri: str, data: bytes) -> None:
    if uri.startswith(("http://", "https://")):
        request = urllib.request.Request(uri, data=data, method="PUT", headers={"User-Agent": "{{NAME}}"})
        urllib.request.urlopen(request).close()
    else:
        file(uri).write_bytes(data)


def file(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path)) if uri.startswith("file:") else Path(uri)


if __name__ == "__main__":
    main()
