import { el, renew } from "../pages/dom";
import type { Api } from "./api";
import type { Change, Live } from "./live";
import { problem, waitingFor } from "./parts/bits";
import type { Route } from "./router";
import { Source } from "./source";

/** What pages share. */
export interface Site {
  readonly api: Api;
  readonly live: Live;
  /** to another page, as a click on a link */
  go(path: string): void;
  /** a sentence for everybody, also for those who listen */
  say(text: string): void;
}

/**
 * A page: an element, and the sources that fill it. What has a state of its own (tables, forms, charts) is put into
 * `content` once and stays there; `draw` runs after each answer and changes the rest in place.
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

  /** Where the changes of this page come from. */
  get stream(): string {
    return "/observatory/api/events";
  }

  abstract draw(): void;

  start(): void {
    this.draw();
    for (const source of this.sources) void source.load();
  }

  /** Whether another address is this same page, and it has moved there. */
  moved(_route: Route): boolean {
    return false;
  }

  heard(changes: readonly Change[]): void {
    for (const source of this.sources) source.heard(changes);
  }

  /** Everything again: changes may have been missed. */
  refresh(): void {
    for (const source of this.sources) source.reload();
  }

  close(): void {
    for (const source of this.sources) source.close();
  }

  /** What the source says, once it has said something; until then, or when it fails, the page says that. */
  protected given<T>(source: Source<T>): T | null {
    const { value, error } = source;
    this.content.hidden = value === null;
    if (value === null) renew(this.status, waitingFor(error, location.pathname + location.search));
    else renew(this.status, error && problem(error));
    return value;
  }

  protected source<T>(ask: (signal: AbortSignal) => Promise<T>, ...kinds: string[]): Source<T> {
    const made = new Source<T>(
      ask,
      () => this.draw(),
      (change) => kinds.length === 0 || kinds.includes(change.kind),
    );
    this.sources.push(made as Source<unknown>);
    return made;
  }
}
