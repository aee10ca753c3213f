import { type Observation, readableName, type Token } from "../../decode";
import { el, onClick, renew } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App, Change } from "../app";
import { objectIcon, type Panel, section } from "./panel";

/** The selected agent's observation: its window, and every token with its meaning. */
export class SightPanel implements Panel {
  readonly name = "sight";
  readonly title = "Observation";
  readonly icon = ICONS.eye;
  readonly element = el("div", { class: "panel-body" });
  private cell: readonly [number, number] | null = null;

  constructor(private readonly app: App) {}

  update(changes: ReadonlySet<Change>): void {
    const { left } = this.app;
    if (changes.has("selection")) this.cell = null;
    if (!left) return renew(this.element);
    const frame = left.at(this.app.tick);
    const own = this.app.selectedObject(left, frame);
    if (!own || own.agent < 0) {
      return renew(this.element, el("p", { class: "quiet" }, "Select an agent to see its observation (keys , and .)"));
    }
    const observation = left.observer.observe(own.agent, frame);
    renew(
      this.element,
      el("p", { class: "quiet" }, this.origin(observation)),
      section(`Window of agent ${own.agent}`, this.window()),
      this.tokens(observation),
    );
  }

  table(): { name: string; rows: (string | number)[][] } | null {
    const { left } = this.app;
    const own = left && this.app.selectedObject(left, left.at(this.app.tick));
    if (!left || !own || own.agent < 0) return null;
    const { tokens } = left.observer.observe(own.agent, left.at(this.app.tick));
    const head = ["location", "columns away", "rows away", "feature id", "feature", "value", "meaning"];
    const rows = tokens.map((token) => [
      token.location,
      token.offset?.[0] ?? "",
      token.offset?.[1] ?? "",
      token.featureId,
      token.feature,
      token.value,
      token.meaning,
    ]);
    return { name: `observation-agent-${own.agent}-tick-${this.app.tick}`, rows: [head, ...rows] };
  }

  private origin({ tokens, missing }: Observation): string {
    const { source } = this.app.left!.territory;
    const notes = [`${tokens.length} tokens, rebuilt from the recorded state: replays do not store observations.`];
    if (missing.length) notes.push(`Not recorded, so left out: ${missing.join(", ")}.`);
    if (source === "derived") notes.push("Territory is derived from the config.");
    if (!this.app.left!.vision.isKnown) notes.push("The size of the window is not recorded; 13 by 13 is assumed.");
    return notes.join(" ");
  }

  /** The cells around the agent with their contents; a click filters the list to one cell. */
  private window(): HTMLElement {
    const episode = this.app.left!;
    const frame = episode.at(this.app.tick);
    const own = this.app.selectedObject(episode, frame)!;
    const { width } = episode.replay.parts;
    const [columns, rows] = [episode.vision.width, episode.vision.height];
    const radius = episode.vision.radiusOf(own.agent, frame);
    const seen = new Set(episode.vision.cellsFrom(own.x, own.y, frame, radius));
    const objectAt = new Map(frame.objects.map((object) => [object.y * width + object.x, object]));
    const walls = new Set(
      episode.replay.walls.map((wall) => {
        const [x, y] = episode.replay.placeAt(wall, episode.replay.firstTick);
        return y * width + x;
      }),
    );
    const grid = el("div", { class: "window" });
    grid.style.setProperty("--columns", String(columns));
    for (let dy = -(rows >> 1); dy <= rows >> 1; dy++) {
      for (let dx = -(columns >> 1); dx <= columns >> 1; dx++) {
        const [x, y] = [own.x + dx, own.y + dy];
        const cell = y * width + x;
        const isSeen = x >= 0 && x < width && seen.has(cell);
        const object = isSeen ? objectAt.get(cell) : undefined;
        const isWall = isSeen && walls.has(cell);
        const what = object ? readableName(object.type) : isWall ? "wall" : isSeen ? "empty" : "not seen";
        const square = el("button", {
          class: `square ${isSeen ? (isWall ? "is-wall" : "is-seen") : ""}`,
          title: `${x}, ${y}: ${what}`,
          attrs: { type: "button", tabindex: object ? 0 : -1, "aria-label": `${what} at ${dx}, ${dy}` },
        });
        if (object) square.append(objectIcon(this.app, episode, object));
        if (this.cell && this.cell[0] === dx && this.cell[1] === dy) square.classList.add("is-chosen");
        if (isSeen) onClick(square, () => this.choose(dx, dy));
        grid.append(square);
      }
    }
    return grid;
  }

  private choose(dx: number, dy: number): void {
    const isSame = this.cell && this.cell[0] === dx && this.cell[1] === dy;
    this.cell = isSame ? null : [dx, dy];
    this.update(new Set());
  }

  private tokens({ tokens }: Observation): HTMLElement {
    const { cell } = this;
    const shown = cell
      ? tokens.filter(({ offset }) => offset && offset[0] === cell[0] && offset[1] === cell[1])
      : tokens;
    const body = el("tbody");
    for (const token of shown) body.append(tokenRow(token));
    const head = el("tr", {}, ...["Where", "Feature", "Value", "Meaning"].map((name) => el("th", {}, name)));
    const title = cell ? `Tokens of the cell ${cell[0]}, ${cell[1]} from the agent` : "Tokens";
    return section(title, el("table", { class: "tokens" }, el("thead", {}, head), body));
  }
}

function tokenRow(token: Token): HTMLElement {
  const where = token.offset
    ? token.offset[0] || token.offset[1]
      ? `${token.offset[0]}, ${token.offset[1]}`
      : "itself"
    : "–";
  const attrs = { "data-token": `${token.location},${token.featureId},${token.value}` };
  return el(
    "tr",
    { attrs },
    el("td", { title: `location byte ${token.location}` }, where),
    el("td", { title: `feature ${token.featureId}` }, token.feature),
    el("td", {}, token.value),
    el("td", {}, token.meaning),
  );
}
