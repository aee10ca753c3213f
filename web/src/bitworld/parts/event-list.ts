import { el, onClick, replace } from "../../ui/dom";
import { isAtRoot, type Story, type StoryEvent } from "../wire";
import { clock, groupOf, phaseColour, phaseName } from "./words";

/** groups that are not shown at first */
const QUIET = new Set(["Tasks"]);

/** The players and the events of a replay. Names and chat come from players: they are text and never markup. */
export class EventList {
  readonly element: HTMLElement;
  private readonly players = el("ul", { class: "players", attrs: { "aria-label": "Players" } });
  private readonly filters = el("div", { class: "chips", attrs: { role: "group", "aria-label": "Shown events" } });
  private readonly rows = el("ol", { class: "events", attrs: { "data-testid": "events" } });
  private readonly summary = el("p", { class: "quiet" }, "Reading the replay");
  private readonly hidden = new Set(QUIET);
  private story: Story | null = null;
  private shown: { position: number; element: HTMLElement }[] = [];
  private current = -1;

  constructor(
    private readonly seek: (position: number) => void,
    private readonly ticksPerSecond: number,
  ) {
    this.element = el(
      "aside",
      { class: "side", attrs: { "aria-label": "Events" } },
      el("h2", {}, "Players"),
      this.players,
      el("h2", {}, "Events"),
      this.filters,
      this.summary,
      this.rows,
    );
  }

  list(story: Story): void {
    this.story = story;
    const dot = (colour: string) => {
      const mark = el("i", { class: "dot", attrs: { "aria-hidden": "true" } });
      if (colour) mark.style.background = colour;
      return mark;
    };
    replace(
      this.players,
      ...story.players.map(({ name, slot, colour }) =>
        el(
          "li",
          { title: `Slot ${slot}` },
          dot(colour),
          watchLink(name, slot),
          el("span", { class: "quiet" }, `slot ${slot}`),
        ),
      ),
    );
    this.renew();
  }

  /** Mark the last event before a position. */
  show(position: number): void {
    let index = -1;
    while (index + 1 < this.shown.length && this.shown[index + 1]!.position <= position) index++;
    if (index === this.current) return;
    this.shown[this.current]?.element.removeAttribute("aria-current");
    this.current = index;
    const element = this.shown[index]?.element;
    if (!element) return;
    element.setAttribute("aria-current", "true");
    const [top, height] = [element.offsetTop - this.rows.offsetTop, this.rows.clientHeight];
    if (!this.rows.matches(":hover, :focus-within")) this.rows.scrollTop = top - height / 2;
  }

  private renew(): void {
    const { story } = this;
    if (!story) return;
    const groups = [...new Set(story.events.map((event) => groupOf(event.kind)))];
    replace(this.filters, ...groups.map((group) => this.filter(group)));
    const events = story.events.filter((event) => !this.hidden.has(groupOf(event.kind)));
    const colours = new Map(story.players.map(({ name, colour }) => [name, colour]));
    this.shown = events.map((event) => ({ position: event.position, element: this.row(event, colours) }));
    this.current = -1;
    this.rows.replaceChildren(...this.shown.map(({ element }) => el("li", {}, element)));
    this.summary.hidden = story.is_complete && !story.error && story.events.length > 0;
    replace(this.summary, story.error || (story.is_complete ? "No events" : "Reading the replay"));
  }

  private filter(group: string): HTMLElement {
    const chip = el(
      "button",
      { class: "chip", attrs: { type: "button", "aria-pressed": !this.hidden.has(group) } },
      group,
    );
    chip.setAttribute("aria-pressed", String(!this.hidden.has(group)));
    onClick(chip, () => {
      if (!this.hidden.delete(group)) this.hidden.add(group);
      this.renew();
    });
    return chip;
  }

  private row(event: StoryEvent, colours: ReadonlyMap<string, string>): HTMLElement {
    const mark = el("i", { class: "dot", attrs: { "aria-hidden": "true" } });
    const colour = event.kind === "phase" ? phaseColour(event.text) : colours.get(event.player);
    if (colour) mark.style.background = colour;
    const text =
      event.kind === "phase"
        ? el("span", { class: "phase" }, phaseName(event.text))
        : event.kind === "chat"
          ? el("span", {}, el("b", {}, event.player), `: ${event.text}`)
          : el("span", {}, event.text);
    const element = el(
      "button",
      {
        class: `event event-${event.kind}`,
        attrs: { type: "button", "data-kind": event.kind, "data-position": event.position },
      },
      el("span", { class: "quiet number" }, clock(event.position, this.ticksPerSecond)),
      mark,
      text,
    );
    onClick(element, () => this.seek(event.position));
    return element;
  }
}

/** Link to what a player saw. Behind a proxy, a replay has no addresses of players. */
function watchLink(name: string, slot: number): HTMLElement {
  if (!isAtRoot(location.href)) return el("span", {}, name);
  return el("a", { title: `What ${name} saw`, attrs: { href: `player?slot=${slot}` } }, name);
}
