import { append, type Child, el, renew } from "../../ui/dom";

export interface Column<R> {
  title: string;
  /** tooltip that explains the column */
  about?: string;
  cell: (row: R) => Child | Child[];
  kind?: "number" | "name" | "rank" | "bar";
  /** a column in which this is null for every row is left out */
  value?: (row: R) => unknown;
  /** the smallest screen that has room for it */
  from?: "phone" | "tablet" | "desktop";
}

const MOST_MOVING = 80;
const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * A table whose rows stay the same elements while their numbers and their order change: nothing jumps, the keyboard
 * keeps its place, and a row that moves slides to its new place.
 */
export class LiveTable<R> {
  readonly element: HTMLTableElement;
  private readonly head = el("tr");
  private readonly body = el("tbody");
  private shown: readonly Column<R>[] = [];
  private readonly rows = new Map<string, { element: HTMLTableRowElement; stamp: string }>();

  constructor(
    caption: string,
    private readonly columns: readonly Column<R>[],
    private readonly key: (row: R) => string,
    private readonly rowClass: (row: R) => string = () => "",
    /** the content of a row that is one cell over all columns, such as a line between others; null for other rows */
    private readonly whole: (row: R) => Child = () => null,
  ) {
    this.show(columns);
    this.element = el(
      "table",
      { class: "rows" },
      el("caption", { class: "unseen" }, caption),
      el("thead", {}, this.head),
      this.body,
    );
  }

  /** `context` holds everything else that the cells of a row depend on. */
  update(rows: readonly R[], context: (row: R) => unknown = () => ""): void {
    const shown = this.columns.filter(({ value }) => !value || rows.some((row) => value(row) !== null));
    if (shown.length !== this.shown.length || shown.some((column, i) => column !== this.shown[i])) this.show(shown);
    const rowElements = rows.map((row) => {
      const key = this.key(row);
      const stamp = JSON.stringify([row, context(row)]);
      const known = this.rows.get(key) ?? { element: el("tr", { attrs: { "data-key": key } }), stamp: "" };
      this.rows.set(key, known);
      if (known.stamp !== stamp) this.fill(known.element, row);
      known.stamp = stamp;
      return known.element;
    });
    const current = new Set(rowElements);
    for (const [key, { element }] of this.rows) {
      if (current.has(element)) continue;
      element.remove();
      this.rows.delete(key);
    }
    this.order(rowElements);
  }

  private show(columns: readonly Column<R>[]): void {
    this.shown = columns;
    const cells = columns.map((column) => {
      const title = column.title || el("span", { class: "unseen" }, "Details"); // screen readers name every column
      return el("th", { class: classOf(column), title: column.about, attrs: { scope: "col" } }, title);
    });
    renew(this.head, ...cells);
    for (const row of this.rows.values()) row.stamp = "";
  }

  private fill(element: HTMLTableRowElement, row: R): void {
    const name = this.rowClass(row);
    if (element.className !== name) element.className = name;
    const whole = this.whole(row);
    if (whole !== null) {
      renew(element, el("td", { class: "cell-whole", attrs: { colspan: this.shown.length } }, whole));
      return;
    }
    const cells = this.shown.map((column) => {
      const isHead = column.kind === "name";
      const cell = el(isHead ? "th" : "td", { class: classOf(column), attrs: isHead ? { scope: "row" } : {} });
      const content = column.cell(row);
      append(cell, Array.isArray(content) ? content : [content]);
      return cell;
    });
    renew(element, ...cells);
  }

  private order(ordered: readonly HTMLTableRowElement[]): void {
    const before = [...this.body.children];
    if (before.length === ordered.length && before.every((element, i) => element === ordered[i])) return;
    const focused = document.activeElement;
    const moves = before.length > 0 && ordered.length <= MOST_MOVING && !isCalm() && this.body.isConnected;
    const tops = moves ? new Map(before.map((element) => [element, element.getBoundingClientRect().top])) : null;
    let next: Element | null = null;
    for (let i = ordered.length - 1; i >= 0; i--) {
      if (ordered[i].nextElementSibling !== next || ordered[i].parentElement !== this.body)
        this.body.insertBefore(ordered[i], next);
      next = ordered[i];
    }
    if (focused instanceof HTMLElement && this.body.contains(focused)) focused.focus({ preventScroll: true });
    if (tops) for (const element of ordered) slide(element, tops.get(element));
  }
}

function slide(element: HTMLElement, top: number | undefined): void {
  if (top === undefined) {
    element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 400, easing: "ease-out" });
    return;
  }
  const way = top - element.getBoundingClientRect().top;
  if (Math.abs(way) < 1) return;
  element.animate([{ transform: `translateY(${way}px)` }, { transform: "none" }], {
    duration: 600,
    easing: "ease-in-out",
  });
}

function classOf<R>(column: Column<R>): string {
  return [column.kind ? `cell-${column.kind}` : "", column.from ? `from-${column.from}` : ""].filter(Boolean).join(" ");
}
