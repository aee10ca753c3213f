import type { Change } from "../live";
import { Source } from "../source";
import type { Site } from "../view";

/** A part of a page that loads its data when it is first shown, and again after relevant changes. */
export abstract class Pane<T> {
  abstract readonly element: HTMLElement;
  protected readonly source: Source<T>;
  private isOpen = false;

  constructor(
    protected readonly site: Site,
    protected readonly season: string,
    kinds: readonly string[],
  ) {
    this.source = new Source<T>(
      (signal) => this.ask(signal),
      () => this.draw(),
      (change) => kinds.includes(change.kind),
    );
  }

  protected abstract ask(signal: AbortSignal): Promise<T>;
  protected abstract draw(): void;

  protected open(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    void this.source.load();
  }

  handleChanges(changes: readonly Change[]): void {
    if (this.isOpen) this.source.handleChanges(changes);
  }

  refresh(): void {
    if (this.isOpen) this.source.reload();
  }

  close(): void {
    this.source.close();
  }
}
