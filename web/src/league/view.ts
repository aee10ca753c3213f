import { el, renew } from "../ui/dom";
import type { Api } from "./api";
import type { Change, Live } from "./live";
import { problem, waitingFor } from "./parts/bits";
import type { Route } from "./router";
import { Source } from "./source";

/** Services that all pages share. */
export interface Site {
  readonly api: Api;
  readonly live: Live;
  /** navigate to another page, like a click on a link */
  go(path: string): void;
  /** show a sentence, and announce it to screen readers */
  say(text: string): void;
}

/**
 * A page: an element, and the sources that fill it. Stateful parts (tables, forms, charts) are put into
 * `content` once and stay there; `draw` runs after each response and updates the rest in place.
 */
export abstract class View<R extends Route = Route> {
  readonly element = el("main", { id: "main" });
  title = "";
  protected readonly content = el("div", { class: "column", attrs: { hidden: true } });
  private readonly status = el("div", { class: "column" });
  private readonly sources: Source<unknown>[] = [];

  constructor(
    protected readonly site: Site,
    protected route: R,
  ) {
    this.element.append(this.status, this.content);
  }

  /** The address of this page's event stream. */
  get stream(): string {
    return "/observatory/api/events";
  }

  abstract draw(): void;

  start(): void {
    this.draw();
    for (const source of this.sources) void source.load();
  }

  /** Move to another address of the same page if possible; return whether it did. */
  navigate(_route: Route): boolean {
    return false;
  }

  handleChanges(changes: readonly Change[]): void {
    for (const source of this.sources) source.handleChanges(changes);
  }

  /** Reload all sources: changes may have been missed. */
  refresh(): void {
    for (const source of this.sources) source.reload();
  }

  close(): void {
    for (const source of this.sources) source.close();
  }

  /** Return the source's data; while it loads or after an error, show that instead. */
  protected dataOf<T>(source: Source<T>): T | null {
    const { value, error } = source;
    this.content.hidden = value === null;
    if (value === null) renew(this.status, waitingFor(error, location.pathname + location.search));
    else renew(this.status, error && problem(error));
    return value;
  }

  protected source<T>(ask: (signal: AbortSignal) => Promise<T>, ...kinds: string[]): Source<T> {
    const source = new Source<T>(
      ask,
      () => this.draw(),
      (change) => kinds.length === 0 || kinds.includes(change.kind),
    );
    this.sources.push(source as Source<unknown>);
    return source;
  }
}
