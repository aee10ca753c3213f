"""The built-in schemes."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

from mettagrid.util.uri_resolvers.base import (
    FileParsedScheme,
    MockParsedScheme,
    S3ParsedScheme,
    SchemeResolver,
    run_and_epoch,
)
from mettagrid.util.uri_resolvers.checkpoints import find_bundle

__all__ = ["FileSchemeResolver", "HttpSchemeResolver", "MockSchemeResolver", "S3SchemeResolver"]

LATEST = ":latest"

_BUCKET_HOST = re.compile(r"(?P<bucket>[^.]+)\.s3(?:\.[a-z0-9-]+)?\.amazonaws\.com")


class FileSchemeResolver(SchemeResolver):
    """`file://` URIs, and bare paths where they are allowed."""

    @property
    def scheme(self) -> str:
        return "file"

    def parse(self, uri: str) -> FileParsedScheme:
        text = unquote(uri.removeprefix(self._expected_prefix)) if self.matches_scheme(uri) else uri
        if not text:
            raise ValueError(f"Malformed file URI: {uri!r} names no path")
        path = Path(os.path.expanduser(text)).resolve()
        return FileParsedScheme(canonical=path.as_uri(), local_path=path)

    def get_path_to_policy_spec(self, uri: str) -> str:
        parsed = self.parse(uri)
        bundle = find_bundle(parsed.local_path)
        if bundle is not None:
            return bundle.as_uri()
        if uri.endswith(LATEST):
            raise ValueError(f"No latest checkpoint found for {uri.removesuffix(LATEST)}")
        return parsed.canonical


class S3SchemeResolver(SchemeResolver):
    """`s3://bucket/key`."""

    @property
    def scheme(self) -> str:
        return "s3"

    def parse(self, uri: str) -> S3ParsedScheme:
        if not self.matches_scheme(uri):
            raise ValueError(f"Expected s3:// URI, got: {uri}")
        bucket, _, key = uri.removeprefix(self._expected_prefix).partition("/")
        if not bucket or not key:
            raise ValueError(f"Malformed S3 URI {uri!r}. Expected s3://bucket/key")
        return S3ParsedScheme(canonical=f"s3://{bucket}/{key}", bucket=bucket, key=key)

    def get_path_to_policy_spec(self, uri: str) -> str:
        parsed = self.parse(uri)
        if not parsed.key.endswith(LATEST):
            return parsed.canonical
        from mettagrid.util.file import list_s3_keys

        base = parsed.key.removesuffix(LATEST)
        versions = []
        for key in list_s3_keys(parsed.bucket, base):
            version = run_and_epoch(key)
            folder, _, name = key.rpartition("/")
            is_child = folder in (base.rstrip("/"), f"{base.rstrip('/')}/checkpoints")
            is_sibling = version is not None and key.startswith(f"{base}:v")
            if version is not None and name.endswith(".zip") and (is_child or is_sibling):
                versions.append((version[1], key))
        if not versions:
            raise ValueError(f"No latest checkpoint found for s3://{parsed.bucket}/{base}")
        return f"s3://{parsed.bucket}/{max(versions)[1]}"


class HttpSchemeResolver(SchemeResolver):
    """`https://<bucket>.s3[.<region>].amazonaws.com/<key>`, another way of writing `s3://<bucket>/<key>`."""

    @property
    def scheme(self) -> str:
        return "https"

    def matches_scheme(self, uri: str) -> bool:
        return uri.startswith(("https://", "http://"))

    def parse(self, uri: str) -> S3ParsedScheme:
        host, _, key = uri.partition("://")[2].partition("/")
        match = _BUCKET_HOST.fullmatch(host)
        if not self.matches_scheme(uri) or match is None or not key:
            raise ValueError(
                f"Policies cannot be loaded from {uri}; download the bundle and give its path, "
                "or use the address of an S3 bucket"
            )
        return S3ParsedScheme(canonical=f"s3://{match['bucket']}/{key}", bucket=match["bucket"], key=key)

    def get_path_to_policy_spec(self, uri: str) -> str:
        return S3SchemeResolver().get_path_to_policy_spec(self.parse(uri).canonical)


class MockSchemeResolver(SchemeResolver):
    """`mock://<name or class>`."""

    @property
    def scheme(self) -> str:
        return "mock"

    def parse(self, uri: str) -> MockParsedScheme:
        if not self.matches_scheme(uri):
            raise ValueError(f"Expected mock:// URI, got: {uri}")
        path = uri.removeprefix(self._expected_prefix)
        if not path:
            raise ValueError("mock:// URIs must include a path, such as mock://noop")
        return MockParsedScheme(canonical=uri, path=path)
