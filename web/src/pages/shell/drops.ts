export interface Drop {
  readonly files: readonly File[];
  /** of a dropped link; "" for none */
  readonly address: string;
  readonly hasShift: boolean;
}

/** Listen to files and links that the user drops on the page. */
export function listenToDrops(root: HTMLElement, dropped: (drop: Drop) => void): void {
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    root.classList.add("is-dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) root.classList.remove("is-dropping");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    root.classList.remove("is-dropping");
    const links = event.dataTransfer?.getData("text/uri-list") ?? "";
    dropped({
      files: [...(event.dataTransfer?.files ?? [])],
      address: links.split("\n")[0].trim(),
      hasShift: event.shiftKey,
    });
  });
}
