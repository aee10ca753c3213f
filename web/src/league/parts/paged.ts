import { el, renew, setText } from "../../ui/dom";
import { merged } from "../moves";
import type { Site } from "../view";
import { act, loading, problem } from "./bits";
import { Pane } from "./pane";

interface PageOf<R> {
  rows: R[];
  next_cursor: string | null;
}

/** A list that comes in pages along a cursor, newest first. A button below it loads the next page. */
export abstract class PagedPane<R, P extends PageOf<R>> extends Pane<P> {
  readonly element: HTMLElement;
  protected readonly heading = el("h2");
  protected readonly filters = el("div");
  protected readonly note = el("div");
  protected rows: R[] = [];
  private readonly head = el("div");
  private readonly more = act("Show more", () => void this.next());
  private cursor: string | null = null;
  private isLoading = false;
  private generation = 0;

  constructor(site: Site, id: string, kinds: readonly string[], title: string) {
    super(site, id, kinds);
    this.heading.textContent = title;
    this.element = el("section", { class: "panel", attrs: { "aria-label": title } });
    this.more.hidden = true;
  }

  /** Put the list into the section; a subclass calls this once it has made its table. */
  protected place(list: HTMLElement): void {
    this.element.append(this.heading, this.filters, this.head, list, this.note, this.more);
  }

  show(): void {
    this.open();
  }

  protected abstract page(cursor: string | null, signal?: AbortSignal): Promise<P>;
  protected abstract key(row: R): string;
  /** Draw `rows`; `value` is the last page that was loaded. */
  protected abstract drawRows(value: P): void;

  protected ask(signal: AbortSignal): Promise<P> {
    return this.page(null, signal);
  }

  /** Start again with the first page: a filter has changed. */
  protected restart(): void {
    this.generation++;
    [this.rows, this.cursor] = [[], null];
    this.source.value = null;
    void this.source.load();
  }

  protected draw(): void {
    const { value, error } = this.source;
    renew(this.head, error ? problem(error) : value ? null : loading());
    if (!value) return;
    const isFirst = this.rows.length === 0;
    // A list that fits on one page shows what the server has now; rows may also have left it.
    this.rows = value.next_cursor === null ? value.rows : merged(this.rows, value.rows, (row) => this.key(row));
    if (isFirst || value.next_cursor === null) this.cursor = value.next_cursor;
    this.finish(value);
  }

  private finish(value: P): void {
    this.more.hidden = this.cursor === null;
    this.drawRows(value);
  }

  private async next(): Promise<void> {
    if (this.cursor === null || this.isLoading) return;
    this.isLoading = true;
    setText(this.more, "Loading …");
    const { generation } = this;
    try {
      const page = await this.page(this.cursor);
      if (generation !== this.generation) return;
      this.rows = merged(page.rows, this.rows, (row) => this.key(row));
      this.cursor = page.next_cursor;
      this.finish(page);
    } catch (error) {
      renew(this.head, problem(error as Error));
    } finally {
      this.isLoading = false;
      setText(this.more, "Show more");
    }
  }
}
