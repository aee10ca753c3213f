"""A grader: reads one episode bundle, writes one number. Change `grade`."""

import io
import json
import os
import urllib.request
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlsplit


def grade(results: dict) -> float:
    """Return how interesting the episode was: 1 for a draw, 0 for a walkover."""
    scores = sorted(results["scores"], reverse=True)
    total = sum(abs(score) for score in scores)
    return round(1 - (scores[0] - scores[1]) / total, 4) if total else 1.0


def main() -> None:
    with zipfile.ZipFile(io.BytesIO(read(os.environ["COGAME_EPISODE_BUNDLE_URI"]))) as bundle:
        files = json.loads(bundle.read("manifest.json"))["files"]
        results = json.loads(bundle.read(files["results"]))
    document = {"grader_id": "{{NAME}}", "score": grade(results)}
    write(os.environ["COGAME_GRADE_URI"], json.dumps(document, indent=2).encode())


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
