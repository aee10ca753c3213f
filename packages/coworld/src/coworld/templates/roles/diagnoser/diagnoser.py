"""A diagnoser: reads one episode bundle and writes advice for one policy. Change `advise`."""

import io
import json
import os
import urllib.request
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # fixed, so that the same episode gives the same bytes


def advise(results: dict, policy: str) -> list[str]:
    """Return advice for the policy, most useful first."""
    scores = results["scores"]
    if max(scores) == min(scores):
        return ["All seats have the same score: change one thing and play again."]
    return [f"Seat {scores.index(max(scores))} won by {max(scores) - sorted(scores)[-2]:g}: see how in the replay."]


def main() -> None:
    policy = os.environ["COGAME_TARGET_POLICY_URI"]
    with zipfile.ZipFile(io.BytesIO(read(os.environ["COGAME_EPISODE_BUNDLE_URI"]))) as bundle:
        files = json.loads(bundle.read("manifest.json"))["files"]
        advice = advise(json.loads(bundle.read(files["results"])), policy)
    members = {
        "manifest.json": json.dumps(
            {"diagnoser_id": "{{NAME}}", "render": "diagnosis.md", "findings": "findings.json"}
        ),
        "diagnosis.md": "# Diagnosis\n\n" + "".join(f"- {text}\n" for text in advice),
        "findings.json": json.dumps({"target_policy_uri": policy, "recommendations": advice}),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name, FIRST_DATE), text)
    write(os.environ["COGAME_DIAGNOSIS_URI"], buffer.getvalue())


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
