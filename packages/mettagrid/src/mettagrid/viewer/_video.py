"""Write a replay as a video. The pictures are drawn here; ffmpeg encodes them, or Pillow for GIFs."""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mettagrid.viewer.errors import VideoNotWritten

if TYPE_CHECKING:
    import numpy as np

    from mettagrid.replay import Replay
    from mettagrid.viewer._raster import Raster

KINDS = (".mp4", ".webm", ".gif")
MAX_GIF_FRAMES = 300
_GIF_FILTER = "split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=none"
_CODECS = {
    ".mp4": ["-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart"],
    ".webm": ["-c:v", "libvpx-vp9", "-crf", "32", "-b:v", "0", "-pix_fmt", "yuv420p"],
    ".gif": ["-filter_complex", _GIF_FILTER],
}


def write_video(
    replay: Replay | str | Path,
    out: str | Path,
    *,
    steps_per_second: float = 20.0,
    size: int = 720,
    every: int | None = None,
) -> Path:
    """Write the whole episode as `.mp4`, `.webm` or `.gif`; return the path.

    `size` is about the longer side in pixels, `every` takes only each n-th tick (for GIFs, by default so that there are
    at most 300 pictures). Raises `VideoNotWritten` if ffmpeg is missing, or for a GIF ffmpeg and Pillow.
    """
    from mettagrid.replay import load_replay

    path = Path(out)
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise VideoNotWritten(f"{path.name!r} must end in one of {', '.join(KINDS)}")
    if steps_per_second <= 0 or size < 16 or (every is not None and every < 1):
        raise ValueError("steps_per_second must be above 0, size at least 16 and every at least 1")
    encoder = shutil.which("ffmpeg")
    if encoder is None and not (kind == ".gif" and _has_pillow()):
        more = " or Pillow" if kind == ".gif" else ""
        raise VideoNotWritten(f"Writing {kind} needs ffmpeg{more}, which is not installed (Debian: ffmpeg)")
    from mettagrid.viewer._raster import Raster

    episode = load_replay(replay) if isinstance(replay, str | Path) else replay
    ticks = range(episode.first_tick, episode.last_tick + 1)
    stride = every or (max(1, math.ceil(len(ticks) / MAX_GIF_FRAMES)) if kind == ".gif" else 1)
    rate = steps_per_second / stride
    raster = Raster(episode, size=size)
    pictures = (raster.frame(tick) for tick in ticks[::stride])
    path.parent.mkdir(parents=True, exist_ok=True)
    if encoder is None:
        _with_pillow(pictures, path, rate)
    else:
        _with_ffmpeg(encoder, pictures, raster, path, rate, _CODECS[kind])
    return path


def _with_ffmpeg(
    encoder: str, pictures: Iterable[np.ndarray], raster: Raster, path: Path, rate: float, codec: Sequence[str]
) -> None:
    shape = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{raster.width}x{raster.height}", "-r", f"{rate:.6g}"]
    command = [encoder, "-loglevel", "error", "-nostdin", "-y", *shape, "-i", "pipe:0", *codec, f"file:{path}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stderr is not None
        try:
            for picture in pictures:
                process.stdin.write(picture.tobytes())
            process.stdin.close()
        except BrokenPipeError:
            pass  # ffmpeg has ended; its error is reported below
        lines = process.stderr.read().decode(errors="replace").strip().splitlines()
    if process.returncode:
        raise VideoNotWritten(f"ffmpeg could not write {path}: {lines[-1] if lines else 'it gave no reason'}")


def _with_pillow(pictures: Iterable[np.ndarray], path: Path, rate: float) -> None:
    from PIL import Image

    images = [Image.fromarray(picture).quantize(128) for picture in pictures]
    images[0].save(path, save_all=True, append_images=images[1:], duration=max(20, round(1000 / rate)), loop=0)


def _has_pillow() -> bool:
    try:
        import PIL  # noqa: F401
    except ImportError:
        return False
    return True
