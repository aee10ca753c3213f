import { findObjects, type ObjectView, readableName } from "../../decode";
import { el, renew } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App, Change } from "../app";
import { objectButton, type Panel } from "./panel";

const MOST_SHOWN = 150;

/** Search for objects at this tick by type, tag, team, id or items. */
export class SearchPanel implements Panel {
  readonly name = "search";
  readonly title = "Search";
  readonly icon = ICONS.search;
  readonly element = el("div", { class: "panel-body" });
  private readonly input = el("input", {
    class: "field",
    attrs: {
      type: "search",
      placeholder: "junction team:cogs heart>0 @3 #512",
      "aria-label": "Search objects",
      spellcheck: "false",
    },
  });
  private readonly count = el("p", { class: "quiet", attrs: { "data-testid": "search-count", role: "status" } });
  private readonly list = el("div", { class: "rows" });

  constructor(
    private readonly app: App,
    private readonly lookAt: (place: { x: number; y: number }) => void,
  ) {
    const hint =
      "Words are parts of types, tags, teams and items. @3 is agent 3, #512 the object with that id, 5,7 a place, hp<20 an amount, -word leaves out.";
    this.element.append(this.input, el("p", { class: "quiet" }, hint), this.count, this.list);
    this.input.addEventListener("input", () => this.update(new Set()));
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }

  update(_: ReadonlySet<Change>): void {
    const { left } = this.app;
    if (!left) return;
    const matches = this.matches();
    const query = this.input.value.trim();
    this.count.textContent = query ? `${matches.length} found at tick ${this.app.tick}` : "";
    const { resourceNames } = left.replay.parts;
    renew(
      this.list,
      ...matches.slice(0, MOST_SHOWN).map((object) => {
        const name = object.agent >= 0 ? `Agent ${object.agent}` : `${readableName(object.type)} ${object.id}`;
        const row = objectButton(this.app, left, object, name, this.lookAt);
        const held = object.inventory
          .map(([resource, amount]) => `${resourceNames[resource] ?? resource} ${amount}`)
          .join(", ");
        row.append(
          el("span", { class: "quiet grow" }, held),
          el("span", { class: "quiet" }, `${object.x}, ${object.y}`),
        );
        return row;
      }),
      matches.length > MOST_SHOWN ? el("p", { class: "quiet" }, `and ${matches.length - MOST_SHOWN} more`) : null,
    );
  }

  table(): { name: string; rows: (string | number)[][] } | null {
    const { left } = this.app;
    if (!left) return null;
    const { resourceNames, tagNames } = left.replay.parts;
    const head = ["id", "type", "agent", "column", "row", "tags", ...resourceNames];
    const rows = this.matches().map((object) => [
      object.id,
      object.type,
      object.agent < 0 ? "" : object.agent,
      object.x,
      object.y,
      object.tags.map((tag) => tagNames[tag]).join(" "),
      ...resourceNames.map((_, resource) => object.inventory.find(([held]) => held === resource)?.[1] ?? 0),
    ]);
    return { name: `objects-tick-${this.app.tick}`, rows: [head, ...rows] };
  }

  private matches(): ObjectView[] {
    const left = this.app.left!;
    return findObjects(this.input.value, left.at(this.app.tick), left.replay, left.teams);
  }
}
