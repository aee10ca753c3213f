import type { PaletteName } from "../../board/palette";
import { teamColour } from "../../board/palette";
import type { Cell, Episode, Json, ObjectView, Team } from "../../decode";
import { el, onClick } from "../../ui/dom";
import type { App, Change, PanelName } from "../app";
import { spriteIcon } from "../sprite-icon";

/** A part of the page beside the board. It is updated only while it is open. */
export interface Panel {
  readonly name: PanelName;
  readonly title: string;
  readonly icon: string;
  readonly element: HTMLElement;
  update(changes: ReadonlySet<Change>): void;
  /** move the keyboard focus to its field */
  focus?(): void;
  /** rows for `save as CSV` */
  table?(): { name: string; rows: Cell[][] } | null;
}

export function section(title: string, ...children: (Node | string | null)[]): HTMLElement {
  const body = children.filter((child) => child !== null);
  return el("section", { class: "part", attrs: { "data-part": title } }, el("h3", {}, title), ...body);
}

/** Names and values, two to a row. */
export function facts(rows: readonly (readonly [string, Node | string | number])[]): HTMLElement {
  const list = el("dl", { class: "facts" });
  for (const [name, value] of rows) {
    list.append(el("dt", {}, name), el("dd", { attrs: { "data-fact": name } }, value));
  }
  return list;
}

export function teamBadge(team: Team, palette: PaletteName): HTMLElement {
  const badge = el("span", { class: "team" }, team.name);
  badge.style.setProperty("--team", teamColour(team, palette));
  return badge;
}

/** The board's sprite of an object. */
export function objectIcon(app: App, episode: Episode, object: ObjectView): HTMLImageElement {
  const teams = episode.teams.of(object);
  const main = teams.length ? teamColour(teams[0], app.palette) : app.themeNow.neutral;
  const second = teams.length > 1 ? teamColour(teams[1], app.palette) : main;
  const paint = { main, second, label: object.type };
  if (object.agent < 0) {
    const isNeutral = object.type === "junction" && !teams.length;
    return spriteIcon(isNeutral ? "junction-neutral" : object.type, paint);
  }
  const role = episode.teams.roleOf(object);
  return spriteIcon(role < 0 ? "cog" : `cog:${episode.replay.parts.resourceNames[role]}`, paint);
}

/** A button that selects an object and moves the board to it. */
export function objectButton(
  app: App,
  episode: Episode,
  object: ObjectView,
  text: string,
  lookAt: (place: { x: number; y: number }) => void,
): HTMLButtonElement {
  const control = el(
    "button",
    { class: "row-button", attrs: { type: "button", "data-id": object.id } },
    objectIcon(app, episode, object),
    el("span", {}, text),
  );
  onClick(control, () => {
    app.select(object.id);
    const now = app.left && app.selectedObject(app.left, app.left.at(app.tick));
    if (now) lookAt(now);
  });
  return control;
}

const MOST_ENTRIES = 300;

/** A collapsible view of JSON; parts are rendered when they are opened. */
export function jsonTree(name: string, value: Json, isOpen = false): HTMLElement {
  if (typeof value !== "object" || value === null) {
    return el("div", { class: "json-leaf" }, el("span", { class: "json-key" }, name), ": ", JSON.stringify(value));
  }
  const entries = Object.entries(value);
  const kind = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  const tree = el("details", { class: "json" }, el("summary", {}, el("span", { class: "json-key" }, name), ` ${kind}`));
  const fill = () => {
    if (tree.dataset.filled) return;
    tree.dataset.filled = "yes";
    for (const [key, entry] of entries.slice(0, MOST_ENTRIES)) tree.append(jsonTree(key, entry));
    if (entries.length > MOST_ENTRIES)
      tree.append(el("p", { class: "quiet" }, `and ${entries.length - MOST_ENTRIES} more`));
  };
  tree.addEventListener("toggle", () => tree.open && fill());
  if (isOpen) {
    fill();
    tree.open = true;
  }
  return tree;
}
