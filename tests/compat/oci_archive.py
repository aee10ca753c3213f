"""Write a docker image to stdout as an OCI layout, as `docker image save` does since docker 25.

usage: oci_archive.py DOCKER IMAGE     DOCKER is the docker command

`coworld` 0.1.64 reads `index.json` from the archive; Debian's docker writes `manifest.json` alone.
"""

import hashlib
import io
import json
import subprocess
import sys
import tarfile
import tempfile
from typing import Any

OCI = "application/vnd.oci.image"


def main(docker: str, image: str) -> None:
    with tempfile.TemporaryFile() as saved:
        subprocess.run([docker, "image", "save", image], check=True, stdout=saved)
        saved.seek(0)
        with tarfile.open(fileobj=saved) as source, tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as target:
            (entry,) = json.loads(_read(source, "manifest.json"))

            def add(data: bytes, media_type: str) -> dict[str, Any]:
                digest = hashlib.sha256(data).hexdigest()
                _write(target, f"blobs/sha256/{digest}", data)
                return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(data)}

            layers = [add(_read(source, name), f"{OCI}.layer.v1.tar") for name in entry["Layers"]]
            config = add(_read(source, entry["Config"]), f"{OCI}.config.v1+json")
            manifest = {"schemaVersion": 2, "mediaType": f"{OCI}.manifest.v1+json", "config": config, "layers": layers}
            described = add(json.dumps(manifest).encode(), f"{OCI}.manifest.v1+json")
            described |= {"platform": {"os": "linux", "architecture": "amd64"}}
            _write(target, "index.json", json.dumps({"schemaVersion": 2, "manifests": [described]}).encode())
            _write(target, "oci-layout", json.dumps({"imageLayoutVersion": "1.0.0"}).encode())
            entry |= {"Config": _path(config), "Layers": [_path(layer) for layer in layers]}
            _write(target, "manifest.json", json.dumps([entry]).encode())


def _path(descriptor: dict[str, Any]) -> str:
    return f"blobs/sha256/{descriptor['digest'].removeprefix('sha256:')}"


def _read(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    assert file is not None
    return file.read()


def _write(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    archive.addfile(member, io.BytesIO(data))


if __name__ == "__main__":
    main(*sys.argv[1:])
