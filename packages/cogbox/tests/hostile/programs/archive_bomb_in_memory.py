"""A zip of a few hundred KiB that is 96 MiB, expanded in memory."""

import io
import zipfile

archive = io.BytesIO()
with (
    zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as writer,
    writer.open("zeros", "w", force_zip64=True) as member,
):
    for _ in range(96):
        member.write(bytes(1 << 20))
held = []
with zipfile.ZipFile(archive) as reader, reader.open("zeros") as member:
    while block := member.read(4 << 20):
        held.append(block)
print("ESCAPED holds", sum(map(len, held)) >> 20, "MiB")
