import type { Cell } from "../../decode";
import { button, el, icon, replace } from "../../ui/dom";
import type { App, Change, PanelName } from "../app";
import type { Panel } from "../panels/panel";

/** The column beside the boards: the tabs, and the open panel. */
export class Side {
  private readonly holder = el("div", { class: "panel", attrs: { role: "region" } });
  private readonly tabs = el("nav", { class: "tabs", attrs: { "aria-label": "Panels" } });
  readonly element = el("aside", { class: "side" }, this.holder, this.tabs);
  private shown: Panel | null = null;

  constructor(
    private readonly app: App,
    private readonly panels: readonly Panel[],
  ) {
    for (const panel of panels) this.tabs.append(this.tab(panel));
  }

  /** Switch to the panel of the app's state, and update it. */
  update(changes: Set<Change>): void {
    const panel = this.find(this.app.panel);
    if (panel !== this.shown) {
      this.show(panel);
      changes.add("panel").add("replay");
    }
    if (changes.has("hover") && changes.size === 1 && panel?.name !== "heat") return;
    panel?.update(changes);
  }

  /** Return the open panel's rows; null if it has none. */
  table(): { name: string; rows: Cell[][] } | null {
    return this.shown?.table?.() ?? null;
  }

  /** Open the search panel and focus its field. */
  openSearch(): void {
    this.app.openPanel("search");
    queueMicrotask(() => requestAnimationFrame(() => this.find("search")?.focus?.()));
  }

  private find(name: PanelName | ""): Panel | null {
    return this.panels.find((panel) => panel.name === name) ?? null;
  }

  private show(panel: Panel | null): void {
    this.shown = panel;
    replace(this.holder, panel && el("h2", { class: "unseen" }, panel.title), panel?.element);
    if (panel) this.holder.setAttribute("aria-label", panel.title);
    this.element.classList.toggle("is-closed", !panel);
    for (const tab of this.tabs.children) {
      tab.setAttribute("aria-pressed", String((tab as HTMLElement).dataset.panel === panel?.name));
    }
  }

  private tab(panel: Panel): HTMLButtonElement {
    const control = button(panel.title, "", () => this.app.openPanel(this.app.panel === panel.name ? "" : panel.name));
    control.className = "tab";
    control.dataset.panel = panel.name;
    control.append(icon(panel.icon), el("span", {}, panel.title));
    return control;
  }
}
