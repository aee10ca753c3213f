import { eventRows, historyRows } from "../../decode";
import { el, icon } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App } from "../app";
import { saveBlob, saveTable } from "../files";
import type { Boards } from "./boards";
import type { Notice } from "./notice";
import type { Side } from "./side";

interface Parts {
  readonly app: App;
  readonly boards: Boards;
  readonly side: Side;
  readonly notice: Notice;
}

/** Downloads of pictures and tables. */
export class Exports {
  constructor(private readonly parts: Parts) {}

  /** Create the menu; `close` closes it before an export. */
  menu(close: () => void): HTMLElement {
    const { app } = this.parts;
    const entry = (name: string, run: () => void) => {
      const item = el("button", { class: "menu-entry", attrs: { type: "button" } }, name);
      item.addEventListener("click", () => {
        close();
        if (app.left) run();
      });
      return item;
    };
    return el(
      "details",
      { class: "menu" },
      el("summary", { class: "button", title: "Export", attrs: { "aria-label": "Export" } }, icon(ICONS.export)),
      el(
        "div",
        { class: "menu-body" },
        entry("Board as a picture (PNG)", () => this.savePicture()),
        entry("Table of this panel (CSV)", () => this.saveTable()),
        entry("Teams over time (CSV)", () =>
          saveTable(historyRows(app.left!.history, app.left!.replay), `${this.baseName()}-teams`),
        ),
        entry("All events (CSV)", () => saveTable(eventRows(app.left!.events), `${this.baseName()}-events`)),
      ),
    );
  }

  savePicture(): void {
    const { app, boards } = this.parts;
    void boards.first.picture().then((blob) => {
      if (blob && app.left) saveBlob(blob, `${this.baseName()}-tick-${app.tick}.png`);
    });
  }

  saveTable(): void {
    const { app, side, notice } = this.parts;
    const table = app.left && side.table();
    if (table) saveTable(table.rows, `${this.baseName()}-${table.name}`);
    else notice.say("This panel has no table to save");
  }

  private baseName(): string {
    return (this.parts.app.left?.name ?? "replay").replace(/(\.json)?\.(z|gz|json|cogreplay|replay|bin)$/, "");
  }
}
