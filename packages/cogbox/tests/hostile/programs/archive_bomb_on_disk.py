"""A small zip with many members, each far larger than it looks, unpacked into the private folder."""

import io
import time
import zipfile

archive = io.BytesIO()
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
    for index in range(16):
        writer.writestr(f"member-{index}", bytes(4 << 20), compresslevel=1)
with zipfile.ZipFile(archive) as reader:
    reader.extractall()
time.sleep(1)
print("ESCAPED unpacked 64 MiB")
