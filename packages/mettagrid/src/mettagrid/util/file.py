"""Read and write bytes by path or URI: `file://` and bare paths, `s3://`, and `http(s)://`.

Buckets need boto3 (the extra `s3`) and its usual credentials. A signed URL of a bucket is used unchanged; a plain URL
(`https://<bucket>.s3.amazonaws.com/<key>`) means `s3://<bucket>/<key>`. Writing to any other http(s) URL is a PUT.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from mettagrid.util.uri_resolvers.base import FileParsedScheme, ParsedScheme, S3ParsedScheme
from mettagrid.util.uri_resolvers.schemes import HttpSchemeResolver, parse_uri

__all__ = [
    "copy_data",
    "exists",
    "http_url",
    "is_public_uri",
    "local_copy",
    "read",
    "write_data",
    "write_file",
]

_HTTP_TIMEOUT_S = 300.0
_DEFAULT_TYPE = "application/octet-stream"
# The umask can only be read by setting it, so read it once, before there are threads.
_UMASK = os.umask(0)
os.umask(_UMASK)


def read(path: str) -> bytes:
    """Return the content of a file or object. Raises `FileNotFoundError` if there is none."""
    if _is_plain_http(path):
        return _http(path)
    parsed = _parsed(path, "read()")
    if isinstance(parsed, FileParsedScheme):
        return parsed.local_path.read_bytes()
    with _s3_errors(path):
        body: bytes = _s3_client().get_object(Bucket=parsed.bucket, Key=parsed.key)["Body"].read()
        return body


def write_data(path: str, data: str | bytes, *, content_type: str = _DEFAULT_TYPE) -> None:
    """Write a file or object; text is encoded as UTF-8. Missing folders are created; files are written atomically."""
    content = data.encode() if isinstance(data, str) else data
    if _is_plain_http(path):
        _http(path, data=content, method="PUT", headers={"Content-Type": content_type})
        return
    parsed = _parsed(path, "write_data()")
    if isinstance(parsed, FileParsedScheme):
        with _replacing(parsed.local_path) as temporary:
            temporary.write_bytes(content)
        return
    with _s3_errors(path):
        _s3_client().put_object(Body=content, Bucket=parsed.bucket, Key=parsed.key, ContentType=content_type)


def write_file(path: str, local_file: str, *, content_type: str = _DEFAULT_TYPE) -> None:
    """Write the content of a local file to `path`."""
    parsed = None if _is_plain_http(path) else _parsed(path, "write_file()")
    if isinstance(parsed, FileParsedScheme):
        source = Path(local_file)
        with source.open("rb"), _replacing(parsed.local_path) as temporary:
            shutil.copyfile(source, temporary)
    elif isinstance(parsed, S3ParsedScheme):
        with _s3_errors(path):
            _s3_client().upload_file(local_file, parsed.bucket, parsed.key, ExtraArgs={"ContentType": content_type})
    else:
        write_data(path, Path(local_file).read_bytes(), content_type=content_type)


def copy_data(src: str, dest: str, content_type: str = _DEFAULT_TYPE) -> None:
    """Copy one file or object."""
    write_data(dest, read(src), content_type=content_type)


def exists(path: str) -> bool:
    """Return whether a file, folder or object exists. `mock://` always exists."""
    if _is_plain_http(path):
        try:
            _http(path, method="HEAD")
        except FileNotFoundError:
            return False
        return True
    parsed = parse_uri(path)
    if isinstance(parsed, FileParsedScheme):
        return parsed.local_path.exists()
    if isinstance(parsed, S3ParsedScheme):
        try:
            with _s3_errors(path):
                _s3_client().head_object(Bucket=parsed.bucket, Key=parsed.key)
        except FileNotFoundError:
            return False
    return True


@contextmanager
def local_copy(path: str) -> Iterator[Path]:
    """Yield the file itself, or a copy of an object that is deleted afterwards."""
    parsed = None if _is_plain_http(path) else _parsed(path, "local_copy()")
    if isinstance(parsed, FileParsedScheme):
        yield parsed.local_path
        return
    with tempfile.TemporaryDirectory(prefix="mettagrid-copy-") as folder:
        copy = Path(folder) / (Path(urlsplit(path).path).name or "content")
        copy.write_bytes(read(path))
        yield copy


def http_url(path: str) -> str:
    """Return the URL that opens an object in a browser; other URIs in their canonical form."""
    if _is_plain_http(path):
        return path
    parsed = parse_uri(path)
    if isinstance(parsed, S3ParsedScheme):
        return f"https://{parsed.bucket}.s3.amazonaws.com/{quote(parsed.key, safe='/%:?&=+~!*()')}"
    return parsed.canonical


def is_public_uri(url: str | None) -> bool:
    """Return whether `url` can be opened without this machine's files and credentials."""
    return bool(url) and str(url).startswith(("http://", "https://"))


def list_s3_keys(bucket: str, prefix: str) -> Iterator[str]:
    """Yield all keys in a bucket that start with `prefix`."""
    with _s3_errors(f"s3://{bucket}/{prefix}"):
        for page in _s3_client().get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
            yield from (entry["Key"] for entry in page.get("Contents", ()))


def _parsed(path: str, user: str) -> FileParsedScheme | S3ParsedScheme:
    parsed: ParsedScheme | None = parse_uri(path, allow_none=True)
    if not isinstance(parsed, FileParsedScheme | S3ParsedScheme):
        raise ValueError(f"Unsupported URI for {user}: {path}")
    return parsed


def _is_plain_http(path: str) -> bool:
    """Return whether a URL is used unchanged: not a bucket's, or signed."""
    if not path.startswith(("http://", "https://")):
        return False
    try:
        HttpSchemeResolver().parse(path)
    except ValueError:
        return True
    return _is_presigned_s3_url(path)


_SIGNATURE_KEYS = {"X-Amz-Algorithm", "X-Amz-Signature", "AWSAccessKeyId"}


def _is_presigned_s3_url(url: str) -> bool:
    """Return whether the query of a URL has a signature of either S3 version."""
    return not _SIGNATURE_KEYS.isdisjoint(parse_qs(urlsplit(url).query, keep_blank_values=True))


def _http(url: str, **settings: Any) -> bytes:
    # Loads TLS, which takes longer than all else that a policy in a box needs of this module.
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    request = Request(url, **settings)
    try:
        with urlopen(request, timeout=_HTTP_TIMEOUT_S) as response:
            content: bytes = response.read()
            return content
    except HTTPError as error:
        # The query may contain a signature, which must not appear in a message.
        place = request.full_url.partition("?")[0]
        with error:
            if error.code in (404, 410):
                raise FileNotFoundError(f"There is nothing at {place}") from None
            raise OSError(f"{request.get_method()} {place} was answered with status {error.code}") from None


@contextmanager
def _replacing(target: Path) -> Iterator[Path]:
    """Yield a temporary file next to `target` that replaces it at the end."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:64]}.")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_UMASK)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _s3_client() -> Any:
    from mettagrid.envs._optional import extra

    with extra("s3"):
        import boto3

    return boto3.client("s3")


@contextmanager
def _s3_errors(path: str) -> Iterator[None]:
    """Turn a missing object into FileNotFoundError and missing credentials into PermissionError."""
    try:
        yield
    except Exception as error:
        code = getattr(error, "response", {}).get("Error", {}).get("Code")
        if code in ("404", "NoSuchKey", "NotFound", "NoSuchBucket"):
            raise FileNotFoundError(f"There is nothing at {path}") from error
        if type(error).__name__ == "NoCredentialsError":
            raise PermissionError(f"No credentials for {path}; configure them for boto3 and try again") from error
        raise
