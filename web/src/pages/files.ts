import { type Cell, csv } from "../decode";

/** Offer data as a download. */
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

/** Ask for a file; null if the user cancels. */
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
    document.body.append(input); // a detached input may be garbage-collected before the user chooses
    input.click();
  });
}
