import type { Change } from "./live";

/** Minimum time between two loads of the same resource. */
const SHORTEST_GAP = 400;

/**
 * A resource of the server that stays fresh: `load` when the page opens, `heard` with every change. While it loads,
 * further changes wait; the old data stays visible until the new response arrives.
 */
export class Source<T> {
  value: T | null = null;
  error: Error | null = null;
  private loading: AbortController | null = null;
  private isStale = false;
  private timer = 0;
  private last = 0;
  private closed = false;

  constructor(
    private readonly ask: (signal: AbortSignal) => Promise<T>,
    private readonly shown: () => void,
    /** whether a change invalidates this resource */
    private readonly concerns: (change: Change) => boolean = () => true,
  ) {}

  handleChanges(changes: readonly Change[]): void {
    if (changes.some((change) => this.concerns(change))) this.reload();
  }

  /** Schedule one load for all pending changes. */
  reload(): void {
    this.isStale = true;
    if (this.loading || this.timer || this.closed) return;
    const wait = Math.max(0, this.last + SHORTEST_GAP - performance.now());
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      void this.load();
    }, wait);
  }

  async load(): Promise<void> {
    this.loading?.abort();
    const own = new AbortController();
    this.loading = own;
    this.isStale = false;
    this.last = performance.now();
    try {
      const value = await this.ask(own.signal);
      if (own.signal.aborted) return;
      [this.value, this.error] = [value, null];
    } catch (error) {
      if (own.signal.aborted) return;
      this.error = error as Error;
    }
    this.loading = null;
    this.shown();
    if (this.isStale) this.reload();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.loading?.abort();
  }
}
