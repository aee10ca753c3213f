"""An S3 store: Amazon's, or a compatible one at another URL. boto3 finds the credentials."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from observatory.errors import NotConfigured, Unavailable
from observatory.store.base import Missing, Store, check_key, content_type_of

__all__ = ["S3Store"]

_PIECE = 1024 * 1024
_MISSING = ("404", "NoSuchKey", "NotFound")


class S3Store(Store):
    """One bucket, below a prefix. Uploads and downloads go straight to it by presigned URLs."""

    def __init__(
        self,
        bucket: str,
        *,
        prefix: str = "",
        endpoint_url: str | None = None,
        public_url: str | None = None,
        max_attempts: int = 5,
    ) -> None:
        try:
            import boto3
            from botocore.config import Config
        except ImportError:
            raise NotConfigured("The S3 store needs boto3: install `observatory[s3]`") from None
        self._bucket = bucket
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        config = Config(signature_version="s3v4", retries={"max_attempts": max_attempts, "mode": "standard"})
        self._client: Any = boto3.client("s3", endpoint_url=endpoint_url, config=config)
        # A signature covers the host: URLs for browsers and workers are signed for the host that they call.
        self._signer: Any = boto3.client("s3", endpoint_url=public_url, config=config) if public_url else self._client

    @property
    def is_remote(self) -> bool:
        return True

    @property
    def bucket(self) -> str:
        return self._bucket

    def put(self, key: str, data: bytes) -> None:
        with self._errors(key):
            self._client.put_object(Body=data, ContentType=content_type_of(key), **self._place(key))

    def put_file(self, key: str, path: Path) -> None:
        with self._errors(key):
            extra = {"ContentType": content_type_of(key)}
            self._client.upload_file(str(path), self._bucket, self._name(key), ExtraArgs=extra)

    def put_stream(self, key: str, pieces: Iterable[bytes]) -> None:
        with self._errors(key):
            extra = {"ContentType": content_type_of(key)}
            self._client.upload_fileobj(_Pieces(pieces), self._bucket, self._name(key), ExtraArgs=extra)

    def get(self, key: str) -> bytes:
        with self._errors(key):
            data: bytes = self._client.get_object(**self._place(key))["Body"].read()
            return data

    def stream(self, key: str) -> Iterator[bytes]:
        with self._errors(key):
            body = self._client.get_object(**self._place(key))["Body"]
            pieces: Iterator[bytes] = body.iter_chunks(_PIECE)
            return pieces

    @contextmanager
    def local(self, key: str) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="observatory-") as folder:
            path = Path(folder) / "object"
            with self._errors(key):
                self._client.download_file(self._bucket, self._name(key), str(path))
            yield path

    def size(self, key: str) -> int | None:
        try:
            with self._errors(key):
                return int(self._client.head_object(**self._place(key))["ContentLength"])
        except Missing:
            return None

    def etag(self, key: str) -> str | None:
        try:
            with self._errors(key):
                return str(self._client.head_object(**self._place(key))["ETag"])
        except Missing:
            return None

    def move(self, source: str, target: str) -> None:
        with self._errors(source):
            origin = self._place(source)
            self._client.copy(origin, self._bucket, self._name(target))
            self._client.delete_object(**origin)

    def delete(self, key: str) -> None:
        with self._errors(key):
            self._client.delete_object(**self._place(key))

    def keys(self, prefix: str) -> list[str]:
        with self._errors(prefix):
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=self._prefix + prefix
            )
            names = [entry["Key"] for page in pages for entry in page.get("Contents", ())]
        return sorted(name.removeprefix(self._prefix) for name in names)

    def modified_at(self, key: str) -> datetime | None:
        try:
            with self._errors(key):
                written: datetime = self._client.head_object(**self._place(key))["LastModified"]
                return written
        except Missing:
            return None

    def upload_url(
        self,
        key: str,
        *,
        content_type: str,
        max_bytes: int,
        seconds: int,
        replace: bool = False,
        exact: bool = False,
    ) -> str:
        # S3 signs one length or none, and cannot count uses. Where only a limit is known, the size is checked when the
        # upload completes.
        parameters: dict[str, object] = dict(self._place(key))
        if content_type:
            parameters["ContentType"] = content_type
        if exact:
            parameters["ContentLength"] = max_bytes
        return self._sign("put_object", parameters, seconds)

    def download_url(
        self, key: str, *, seconds: int, content_type: str | None = None, filename: str | None = None
    ) -> str:
        parameters: dict[str, object] = dict(self._place(key))
        if content_type is not None:
            parameters["ResponseContentType"] = content_type
        if filename is not None:
            parameters["ResponseContentDisposition"] = f'attachment; filename="{filename}"'
        return self._sign("get_object", parameters, seconds)

    def apply_rules(self, *, lifecycle: dict[str, Any], cors: dict[str, Any]) -> None:
        """Set the bucket's rules for old uploads, and for pages that read from it; both replace the existing ones."""
        with self._errors(self._bucket):
            self._client.put_bucket_lifecycle_configuration(Bucket=self._bucket, LifecycleConfiguration=lifecycle)
            self._client.put_bucket_cors(Bucket=self._bucket, CORSConfiguration=cors)

    def _sign(self, call: str, parameters: dict[str, object], seconds: int) -> str:
        url: str = self._signer.generate_presigned_url(call, Params=parameters, ExpiresIn=seconds)
        return url

    def _name(self, key: str) -> str:
        return self._prefix + check_key(key)

    def _place(self, key: str) -> dict[str, str]:
        return {"Bucket": self._bucket, "Key": self._name(key)}

    @contextmanager
    def _errors(self, key: str) -> Iterator[None]:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") in _MISSING:
                raise Missing(key) from None
            raise Unavailable("The object store refused the request; try again in a moment") from error
        except BotoCoreError as error:
            raise Unavailable("The object store does not answer; try again in a moment") from error


class _Pieces(io.RawIOBase):
    """Pieces as a file to read from."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._rest = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        parts, length = [self._rest], len(self._rest)
        while size < 0 or length < size:
            piece = next(self._pieces, None)
            if piece is None:
                break
            parts.append(piece)
            length += len(piece)
        data = b"".join(parts)
        end = len(data) if size < 0 else size
        self._rest = data[end:]
        return data[:end]
