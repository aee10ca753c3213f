import { teamColour } from "../../board/palette";
import { EVENT_KINDS, type EventKind, eventRows, type GameEvent } from "../../decode";
import { el, onClick, renew, replace } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App, Change } from "../app";
import type { Panel } from "./panel";

const NAMES: Readonly<Record<EventKind, string>> = {
  capture: "Captures",
  loss: "Losses",
  wave: "Waves",
  death: "Deaths",
  role: "Roles",
  talk: "Talk",
  gone: "Used up",
};
const SIGNS: Readonly<Record<EventKind, string>> = {
  capture: "▲",
  loss: "▼",
  wave: "◆",
  death: "✕",
  role: "⚙",
  talk: "❝",
  gone: "∅",
};
const MOST_SHOWN = 400;

/** The list of events, derived from the recorded data; a click goes to the event. */
export class EventsPanel implements Panel {
  readonly name = "events";
  readonly title = "Events";
  readonly icon = ICONS.events;
  readonly element = el("div", { class: "panel-body" });
  private readonly kinds = new Set<EventKind>(["capture", "loss", "wave", "death", "talk"]);
  private readonly filters = el("div", { class: "chips", attrs: { role: "group", "aria-label": "Kinds of events" } });
  private readonly list = el("ol", { class: "events" });
  private readonly note = el("p", { class: "quiet" });
  private rows: { event: GameEvent; element: HTMLElement }[] = [];
  private current: HTMLElement | null = null;

  constructor(
    private readonly app: App,
    private readonly lookAt: (place: { x: number; y: number }) => void,
  ) {
    this.element.append(this.filters, this.note, this.list);
  }

  update(changes: ReadonlySet<Change>): void {
    if (!this.app.left) return;
    if (
      changes.has("replay") ||
      changes.has("grown") ||
      changes.has("panel") ||
      changes.has("settings") ||
      !this.rows.length
    )
      this.fill();
    this.mark();
  }

  table(): { name: string; rows: (string | number)[][] } | null {
    return this.app.left ? { name: "events", rows: eventRows(this.app.left.events) } : null;
  }

  private shown(): GameEvent[] {
    return this.app.left!.events.filter((event) => this.kinds.has(event.kind));
  }

  private fill(): void {
    const { events } = this.app.left!;
    const counts = new Map<EventKind, number>();
    for (const { kind } of events) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    renew(
      this.filters,
      ...EVENT_KINDS.filter((kind) => counts.has(kind)).map((kind) => {
        const chip = el(
          "button",
          { class: "chip", attrs: { type: "button", "aria-pressed": String(this.kinds.has(kind)), "data-kind": kind } },
          `${SIGNS[kind]} ${NAMES[kind]} ${counts.get(kind)}`,
        );
        onClick(chip, () => {
          if (!this.kinds.delete(kind)) this.kinds.add(kind);
          this.fill();
          this.mark();
        });
        return chip;
      }),
    );
    const shown = this.shown();
    // If there are too many, show those around the current tick: a list of thousands would be slow.
    const before = shown.findLastIndex((event) => event.tick <= this.app.tick);
    const from =
      shown.length <= MOST_SHOWN ? 0 : Math.max(0, Math.min(before - MOST_SHOWN / 2, shown.length - MOST_SHOWN));
    this.rows = shown.slice(from, from + MOST_SHOWN).map((event) => ({ event, element: this.row(event) }));
    this.note.textContent =
      shown.length > MOST_SHOWN
        ? `${MOST_SHOWN} of ${shown.length} events around this tick`
        : events.length
          ? ""
          : "No events";
    this.note.hidden = !this.note.textContent;
    replace(this.list, ...this.rows.map(({ element }) => element));
  }

  private row(event: GameEvent): HTMLElement {
    const sign = el("span", { class: "event-sign" }, SIGNS[event.kind]);
    if (event.team) sign.style.color = teamColour(event.team, this.app.palette);
    const row = el(
      "button",
      {
        class: "event",
        attrs: { type: "button", "data-tick": event.tick, "data-kind": event.kind, "data-object": event.object },
      },
      el("span", { class: "event-tick" }, event.tick),
      sign,
      el("span", { class: "grow" }, event.text),
    );
    onClick(row, () => {
      this.app.halt();
      this.app.seek(event.tick);
      const id = event.object >= 0 ? this.app.left!.replay.parts.ids[event.object] : 0;
      if (id) this.app.select(id);
      this.lookAt(event);
    });
    return el("li", {}, row);
  }

  /** Return the last event at or before the current tick. */
  private mark(): void {
    const { tick } = this.app;
    let at = -1;
    for (let i = 0; i < this.rows.length && this.rows[i].event.tick <= tick; i++) at = i;
    const element = at < 0 ? null : this.rows[at].element;
    if (element === this.current) return;
    this.current?.classList.remove("is-now");
    element?.classList.add("is-now");
    if (element && this.app.isRunning) element.scrollIntoView({ block: "nearest" });
    this.current = element;
  }
}
