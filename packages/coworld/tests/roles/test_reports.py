"""What reporters produce: pages that may be shown, event logs, and the zip of a container reporter."""

import io
import json
import re
import subprocess
import sys
import zipfile

import pyarrow
import pyarrow.parquet
import pydantic
import pytest

from coworld.errors import BundleError, CoworldError, SourceError
from coworld.roles.html_safety import LARGEST_PAGE, html_violations
from coworld.roles.report_checks import (
    Event,
    ReportRenderError,
    ReportValidationError,
    assert_safe_render_html,
    declared_parts_missing,
    read_event_log,
    read_report,
    validate_report_zip,
    write_event_log,
)

SAFE = [
    "",
    "<!doctype html><html><head><meta charset='utf-8'><title>Recap</title></head><body><h1>Recap</h1></body></html>",
    "<style>td { color: red; background: url(data:image/png;base64,AA) }</style>",
    "<style>@media (width < 600px) { p { margin: 0 } }</style>",
    "<p style='fill: url(#gradient)'>x</p>",
    "<img src='data:image/png;base64,AA' srcset='data:image/png;base64,AA 1x, data:image/png;base64,BB 2x'>",
    "<a href='https://example.org/x'>more</a> <a href='#top'>top</a> <a href='mailto:a@example.org'>mail</a>",
    "<link rel='stylesheet' href='data:text/css,p{}'>",
    "<svg viewBox='0 0 1 1'><title>Board</title><use xlink:href='#tile'/><path d='M0 0' fill='url(#g)'/></svg>",
    "<table><tr><td>on time</td></tr></table><!-- a comment -->",
    "<details open><summary>More</summary>text</details>",
]
UNSAFE = [
    "<iframe src='data:x'></iframe>",
    "<frameset><frame></frameset>",
    "<object data='data:x'></object>",
    "<embed>",
    "<applet>",
    "<base href='#'>",
    "<form></form>",
    "<meta http-equiv='refresh' content='0'>",
    "<script>1</script>",
    "<SCRIPT type='application/json'>{}</SCRIPT>",
    "<script src='data:text/javascript,1'></script>",
    "<svg><script>1</script></svg>",
    "<template><script>1</script></template>",
    "<link rel='icon' href='data:,'>",
    "<link rel='stylesheet' href='https://example.org/x.css'>",
    "<p onclick='x'>",
    "<p ONMOUSEOVER=x>",
    "<a href='javascript:x'>",
    "<a href=' JAVA\nscript:x'>",
    "<a href='&#106;avascript:x'>",
    "<a href='java&Tab;script:x'>",
    "<a href='\x01javascript:x'>",
    "<a href='vbscript:x'>",
    "<a href='data:text/html,x'>",
    "<a href='data:image/svg+xml,x'>",
    "<math href='javascript:x'>",
    "<blockquote cite='javascript:x'>",
    "<a ping='https://example.org' href='#'>",
    "<button formaction='javascript:x'>",
    "<img src='https://example.org/x.png'>",
    "<img src='x.png'>",
    "<img src='//example.org/x'>",
    "<img src='blob:x'>",
    "<img srcset='data:image/png;base64,AA 1x, https://example.org/x 2x'>",
    "<video poster='x'>",
    "<td background='x'>",
    "<svg><use href='x.svg#a'/></svg>",
    "<svg><image href='https://example.org'/></svg>",
    "<svg><a xlink:href='javascript:x'/></svg>",
    "<svg><set attributeName='href' to='javascript:x'/></svg>",
    "<svg><animate attributeName='href' values='#a;javascript:x'/></svg>",
    "<svg><rect fill='url(https://example.org)'/></svg>",
    "<style>@import 'x'</style>",
    "<style>@\\69mport 'x'</style>",
    "<style>p { background: url(x) }</style>",
    '<style>p { background: url( "https://example.org" ) }</style>',
    "<style>p { background: u\\72l(https://example.org) }</style>",
    "<style>p { background: ur/**/l(x); background: url(/**/x) }</style>",
    "<style>p { width: expression (1) }</style>",
    "<style>p { b: javascript:x }</style>",
    "<style>p { background: image-set('x' 1x) }</style>",
    "<style>p { background: image-set(linear-gradient(red, blue) 1x, 'x' 2x) }</style>",
    "<style>p { background: url(x",
    "<p style='background: URL(//example.org)'>",
    # Text in which browsers see other tags than simple parsers do
    "<svg><style><img src=x onerror=1></style></svg>",
    "<!--><script>1</script>-->",
    "<!-- --!><script>1</script> -->",
    "<title><img title='</title><script>1</script>'></title>",
    "<textarea><img title='</textarea><script>1</script>'></textarea>",
    "<![CDATA[><script>1</script>]]>",
]


@pytest.mark.parametrize("html", SAFE)
def test_pages_that_only_show_something_pass(html: str) -> None:
    assert_safe_render_html(html)


@pytest.mark.parametrize("html", UNSAFE)
def test_pages_that_run_or_fetch_something_are_refused(html: str) -> None:
    with pytest.raises(ReportRenderError):
        assert_safe_render_html(html)
    with pytest.raises(ReportRenderError):  # also inside a page
        assert_safe_render_html(f"<!doctype html><body><p>text {html}")


def test_every_violation_is_told() -> None:
    with pytest.raises(ReportRenderError, match=r"render entry 'recap\.html' is unsafe to embed:") as caught:
        assert_safe_render_html("<p onclick=1><img src=x><iframe>", source="recap.html")
    assert len(caught.value.violations) == 3
    assert str(caught.value).splitlines()[1:] == [f"- {violation}" for violation in caught.value.violations]


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<script>1</script>", ["inline <script> element"]),
        ("<script src='x.js'></script>", ["external resource URL in 'src' on <script>: 'x.js'"]),
        ("<p onclick='x'>", ["event-handler attribute 'onclick' on <p>"]),
        ("<a href=' JavaScript:x'>", ["script URL in 'href' on <a>: ' JavaScript:x'"]),
        ("<a href='data:text/html,x'>", ["data:text/html URL in 'href' on <a>: 'data:text/html,x'"]),
        ("<iframe src='data:,'>", ["disallowed element <iframe>"]),
        ("<meta http-equiv='refresh'>", ["disallowed element <meta http-equiv>"]),
        ("<link href='data:text/css,'>", ["disallowed <link> without rel=stylesheet"]),
        ("<img src='/x.png'>", ["external resource URL in 'src' on <img>: '/x.png'"]),
        (
            "<img srcset='a.png 1x, //example.org/b 2x'>",
            [f"external resource URL in 'srcset' on <img>: {url!r}" for url in ("a.png", "//example.org/b")],
        ),
        ("<p style='background: URL(x.png)'>", ["external CSS url() in style attribute on <p>: 'x.png'"]),
        ("<p style='width: expression(1)'>", ["unsafe CSS token 'expression(' in style attribute on <p>"]),
        (
            "<style>@import url(x.css); p { b: javascript:x }</style>",
            [
                "unsafe CSS token 'javascript:' in <style> element",
                "unsafe CSS token '@import' in <style> element",
                "external CSS url() in <style> element: 'x.css'",
            ],
        ),
        (
            "<script>1</script><p onload=x><link rel=icon href=y>",
            [
                "inline <script> element",
                "event-handler attribute 'onload' on <p>",
                "disallowed <link> without rel=stylesheet",
                "external resource URL in 'href' on <link>: 'y'",
            ],
        ),
    ],
)
def test_violations_have_the_published_words(html: str, words: list[str]) -> None:
    with pytest.raises(ReportRenderError) as caught:
        assert_safe_render_html(html)
    assert [violation.partition(" (")[0] for violation in caught.value.violations] == words


ENTRIES = {"index.html", "assets/style.css", "assets/chart 1.png", "assets/app.js", "pages/second.html"}


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("index.html", "<link rel=stylesheet href=assets/style.css><script src=assets/app.js></script>"),
        ("index.html", "<img src='./assets/chart 1.png?v=2#top' srcset='assets/style.css 2x'>"),
        ("index.html", "<style>p { background: url(assets/../assets/app.js) }</style>"),
        ("pages/second.html", "<img src='../assets/app.js'><img src='second.html'>"),
    ],
)
def test_a_page_may_refer_to_files_of_its_zip(source: str, html: str) -> None:
    assert_safe_render_html(html, source=source, zip_entries=ENTRIES)
    with pytest.raises(ReportRenderError, match="external"):
        assert_safe_render_html(html, source=source)


@pytest.mark.parametrize(
    "url",
    [
        "assets/none.png",
        "/assets/app.js",
        "../index.html",
        "//assets/app.js",
        "https://example.org/assets/app.js",
        "file:assets/app.js",
        "assets%2Fapp.js",
        "assets\\app.js",
        "\\\\example.org/assets/app.js",
        "http://[assets/app.js",
    ],
)
def test_other_files_and_servers_stay_out_of_reach(url: str) -> None:
    for html in (f"<img src='{url}'>", f"<script src='{url}'></script>", f"<p style='background: url({url})'>"):
        with pytest.raises(ReportRenderError, match="external"):
            assert_safe_render_html(html, source="index.html", zip_entries=ENTRIES)
    with pytest.raises(ReportRenderError, match="@import"):
        assert_safe_render_html("<style>@import 'assets/style.css'</style>", source="index.html", zip_entries=ENTRIES)
    with pytest.raises(ReportRenderError, match="inline <script>"):
        assert_safe_render_html("<script>1</script>", source="index.html", zip_entries=ENTRIES)


EVENTS = [Event(0, -1, "start", "{}"), Event(3, 0, "paint", "5"), Event(9_000_000_000, 1, "näme", "ü" * 200)]


@pytest.mark.parametrize("events", [[], EVENTS, EVENTS * 4_000], ids=["none", "few", "many"])
def test_event_logs_are_parquet_that_others_read(events: list[Event]) -> None:
    data = write_event_log(events)
    file = pyarrow.parquet.ParquetFile(io.BytesIO(data))
    assert (file.metadata.num_rows, file.num_row_groups) == (len(events), 1)
    group = file.metadata.row_group(0)
    assert [group.column(index).compression for index in range(4)] == ["SNAPPY"] * 4
    assert file.schema_arrow.names == ["ts", "player", "key", "value"]
    assert read_event_log(data) == events
    assert write_event_log(events) == data


THREADS_AROUND_READING = """
import os

import pyarrow.parquet

from coworld.roles.report_checks import Event, read_event_log, write_event_log

data = write_event_log([Event(0, 0, "a", "b")] * 1000)
before = len(os.listdir("/proc/self/task"))
read_event_log(data)
print(before, len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_reading_an_event_log_starts_no_threads() -> None:
    ran = subprocess.run([sys.executable, "-c", THREADS_AROUND_READING], capture_output=True, text=True, check=True)
    before, after = ran.stdout.split()
    assert before == after


def parquet(**columns: object) -> bytes:
    target = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), target)
    return target.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not parquet"),
        (b"PAR1 and more PAR1", "not parquet"),
        (parquet(ts=[1]), "columns"),
        (parquet(ts=[1.5], player=[0], key=["a"], value=["b"]), "columns"),
        (parquet(ts=[1], player=[None], key=["a"], value=["b"]), "columns"),
        (parquet(ts=pyarrow.array([None], pyarrow.int64()), player=[0], key=["a"], value=["b"]), "empty cells"),
    ],
    ids=["empty", "magic", "few", "float", "null", "gap"],
)
def test_what_is_no_event_log_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(CoworldError, match=message):
        read_event_log(data)


def test_event_logs_of_other_writers_are_read() -> None:
    assert read_event_log(parquet(ts=[1, 2], player=[0, -1], key=["a", "b"], value=["x", ""])) == [
        Event(1, 0, "a", "x"),
        Event(2, -1, "b", ""),
    ]


def report(**files: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "."), data)
    return target.getvalue()


@pytest.mark.parametrize("entry", ["recap.html", {"path": "recap.html", "type": "render-html"}])
def test_the_zip_of_a_container_reporter_is_read(entry: object) -> None:
    manifest = {"reporter_id": "mine", "render": entry, "event_log": "events.parquet", "more": 1}
    found = read_report(
        report(
            manifest__json=json.dumps(manifest).encode(),
            recap__html=b"<p>x</p>",
            events__parquet=write_event_log(EVENTS),
        )
    )
    assert (found.manifest.reporter_id, found.render, found.events) == ("mine", ("recap.html", "<p>x</p>"), EVENTS)


def test_a_report_is_read_without_pyarrow_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coworld.roles.report_checks.find_spec", lambda name: None)
    manifest = b'{"event_log": "e"}'
    assert read_report(report(manifest__json=manifest, e=write_event_log(EVENTS))).events is None
    with pytest.raises(CoworldError, match="not parquet"):
        read_report(report(manifest__json=manifest, e=b"rows"))


def test_a_report_may_say_little_about_itself() -> None:
    found = read_report(report(notes__md=b"# Notes"))
    assert (found.manifest.reporter_id, found.render, found.events, found.files) == (None, None, None, ("notes.md",))


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({"manifest__json": b"{"}, SourceError),
        ({"manifest__json": b'{"render": "recap.html"}'}, BundleError),
        ({"manifest__json": b'{"render": "recap.html"}', "recap__html": b"<script>1</script>"}, ReportRenderError),
        ({"manifest__json": b'{"render": "recap.html"}', "recap__html": b"<img src=x.png>"}, ReportRenderError),
        ({"manifest__json": b'{"event_log": "e"}', "e": b"rows"}, CoworldError),
    ],
    ids=["json", "missing", "unsafe", "foreign", "events"],
)
def test_a_bad_report_is_refused(files: dict[str, bytes], error: type[Exception]) -> None:
    with pytest.raises(error):
        read_report(report(**files))


def test_declared_parts_must_be_emitted_unless_optional() -> None:
    attributes = {"outputs": [{"name": "recap"}, {"name": "log", "optional": True}, {"name": "data"}, "odd"]}
    assert declared_parts_missing(attributes, ["data"]) == ["recap"]
    assert declared_parts_missing({}, []) == []


@pytest.mark.parametrize(
    ("manifest", "files", "sentence"),
    [
        (None, {}, "report zip is missing a top-level manifest.json"),
        ({"render": "summary.md"}, {}, "manifest.render='summary.md' is not present in the report zip"),
        ({"render": "summary.txt"}, {"summary.txt": b"x"}, "has extension '.txt'; expected one of ['.html', '.md']"),
        ({"event_log": "events.csv"}, {"events.csv": b"x"}, "expected one of ['.parquet']"),
        ({"trace": "trace.txt"}, {"trace.txt": b"x"}, "expected one of ['.json', '.jsonl']"),
        ({"render": "page.HTML"}, {"page.HTML": b"<script>1</script>"}, "inline <script> element"),
        ({"render": "page.html"}, {"page.html": b"<img src=x.png>"}, "external resource URL"),
    ],
)
def test_strict_validation_refuses_what_the_published_one_refuses(
    manifest: dict[str, object] | None, files: dict[str, bytes], sentence: str
) -> None:
    with pytest.raises(ReportValidationError, match=re.escape(sentence)):
        validate_report_zip(_zipped(manifest and {"reporter_id": "r", **manifest}, files))


def test_strict_validation_raises_the_published_errors() -> None:
    with pytest.raises(ReportValidationError, match="report is not a valid zip"):
        validate_report_zip(b"rows")
    for manifest in ({}, {"reporter_id": "r", "surprise": 1}, {"reporter_id": "r", "render": {"path": "a.md"}}):
        with pytest.raises(pydantic.ValidationError):
            validate_report_zip(_zipped(manifest, {"a.md": b""}))
    with pytest.raises(UnicodeDecodeError, match=r"summary\.md of the report must be UTF-8"):
        validate_report_zip(_zipped({"reporter_id": "r", "render": "summary.md"}, {"summary.md": b"\xff"}))


def test_strict_validation_returns_the_manifest() -> None:
    files = {"summary.md": b"# Recap", "trace.jsonl": b"{}\n", "events.parquet": b"PAR1"}
    manifest: dict[str, object] = {
        "reporter_id": "r",
        "render": "summary.md",
        "event_log": "events.parquet",
        "trace": "trace.jsonl",
    }
    assert validate_report_zip(_zipped(manifest, files)).model_dump() == manifest
    page = {"index.html": b"<link rel=stylesheet href=a.css><img src=b.png>", "a.css": b"", "b.png": b""}
    assert validate_report_zip(_zipped({"reporter_id": "r", "render": "index.html"}, page)).render == "index.html"
    assert read_report(_zipped({"render": "index.html"}, page)).render == ("index.html", page["index.html"].decode())


def _zipped(manifest: dict[str, object] | None, files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        if manifest is not None:
            archive.writestr("manifest.json", json.dumps(manifest))
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("start", "repeated"),
    [("<style>", "image-set("), ("", "<a a='"), ("", "<style>"), ("<style>", "url("), ("<style>", "/*"), ("", "&#")],
)
def test_the_check_of_repeated_text_takes_linear_time(start: str, repeated: str) -> None:
    """Quadratic time would be hours here."""
    html_violations(start + repeated * 50_000)


def test_a_page_that_is_too_large_to_check_is_refused() -> None:
    page = b" " * (LARGEST_PAGE + 1)
    with pytest.raises(BundleError, match="is larger than 16 MiB"):
        read_report(_zipped({"reporter_id": "r", "render": "a.html"}, {"a.html": page}))
