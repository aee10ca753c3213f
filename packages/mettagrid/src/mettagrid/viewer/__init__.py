"""View replays: in a browser, as one file, in a notebook, as a video.

    from mettagrid.viewer import serve, show, write_html, write_video

    with serve("episode.cogreplay") as server:  # until the block ends
        print(server.address)
        server.wait()
    write_html("episode.json.z", "episode.html")  # works from disk, without a network
    write_video("episode.cogreplay", "episode.mp4")  # with ffmpeg
    show("episode.cogreplay")  # in a notebook

`python -m mettagrid.viewer FILE` does the same from a terminal. The pages are built from `web/` and are part of the
installed package.
"""

from mettagrid.viewer._html import NotebookView, show, write_html
from mettagrid.viewer._pages import PageTemplate, page_template
from mettagrid.viewer._server import ReplayServer, serve
from mettagrid.viewer._video import write_video
from mettagrid.viewer.errors import PagesMissing, VideoNotWritten, ViewerError

__all__ = [
    "NotebookView",
    "PageTemplate",
    "PagesMissing",
    "ReplayServer",
    "VideoNotWritten",
    "ViewerError",
    "page_template",
    "serve",
    "show",
    "write_html",
    "write_video",
]
