"""An optimizer: reads the outputs of the other roles and writes a plan. Change `plan`."""

import json
import os
import urllib.request
from pathlib import Path
from urllib.parse import unquote, urlsplit

LISTS = {
    "reports": "COGAME_REPORT_URIS",
    "grader_outputs": "COGAME_GRADER_OUTPUT_URIS",
    "diagnoser_outputs": "COGAME_DIAGNOSER_OUTPUT_URIS",
}


def plan(manifest: dict, grades: list[dict]) -> list[str]:
    """Return recommendations, most useful first."""
    if not grades:
        return ["Play and grade some episodes first."]
    best = max(range(len(grades)), key=lambda index: grades[index]["score"])
    return [f"Look at episode {best} of {manifest['game']['name']}: it has the highest grade, {grades[best]['score']}."]


def main() -> None:
    inputs = {name: [uri for uri in os.environ.get(variable, "").split(",") if uri] for name, variable in LISTS.items()}
    manifest = json.loads(read(os.environ["COWORLD_MANIFEST_URI"]))
    document = {
        "optimizer_id": os.environ.get("COGAME_OPTIMIZER_ID", "{{NAME}}"),
        "coworld_name": manifest["game"]["name"],
        "policy_workspace_uri": os.environ.get("COGAME_POLICY_WORKSPACE_URI"),
        "input_counts": {name: len(uris) for name, uris in inputs.items()},
        "recommendations": plan(manifest, [json.loads(read(uri)) for uri in inputs["grader_outputs"]]),
    }
    write(os.environ["COGAME_OPTIMIZER_OUTPUT_URI"], json.dumps(document, indent=2).encode())


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
