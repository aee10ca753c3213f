import type { App } from "../app";
import { hashOf } from "../url";

const SECONDS_PER_UPDATE = 1;

/** Keeps the fragment of the address equal to the current view. */
export class AddressBar {
  private due = 0;

  constructor(private readonly app: App) {}

  /** Write the fragment, at most once per interval. */
  advance(seconds: number): void {
    this.due -= seconds;
    if (this.due <= 0) this.write();
  }

  private write(): void {
    this.due = SECONDS_PER_UPDATE;
    if (!this.app.left) return;
    const hash = hashOf(this.app);
    if (location.hash === hash) return;
    try {
      history.replaceState(null, "", hash);
    } catch {
      this.due = Infinity; // an embedded page may not be allowed to
    }
  }
}
