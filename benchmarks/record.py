"""Write one line of JSON per measurement to benchmarks/results/, with the data to repeat it."""

import datetime
import json
import os
import platform
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def machine() -> str:
    """Return the names of processor and system, and the number of usable cores."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        cpu = names[0] if names else cpu
    return f"{cpu}, {os.cpu_count()} cores, {platform.system()}"


def code_version() -> str:
    """Return the commit of the checkout, marked if files differ from it."""
    result = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return result.stdout.strip() or "unknown"


def record(name: str, command: str, measured: dict) -> Path:
    """Append a measurement to results/NAME.jsonl."""
    line = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "python": platform.python_version(),
        "code": code_version(),
        "command": command,
        **measured,
    }
    path = ROOT / "benchmarks" / "results" / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    with open(path, "a") as file:
        file.write(json.dumps(line) + "\n")
    return path
