import { type Cell, csv } from "../decode";

/** Lets the reader keep something as a file. */
export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name.replace(/[^\w.-]+/g, "-");
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function saveTable(rows: Cell[][], name: string): void {
  saveBlob(new Blob([csv(rows)], { type: "text/csv" }), `${name}.csv`);
}

/** Asks for a file; null when none is chosen. */
export function chooseFile(): Promise<File | null> {
  return new Promise((resolve) => {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = ".cogreplay,.z,.gz,.json,.replay,.bin";
    const answer = (file: File | null) => {
      input.remove();
      resolve(file);
    };
    input.addEventListener("change", () => answer(input.files?.[0] ?? null));
    input.addEventListener("cancel", () => answer(null));
    input.hidden = true;
    document.body.append(input); // one that is nowhere may be forgotten before the choice is made
    input.click();
  });
}
