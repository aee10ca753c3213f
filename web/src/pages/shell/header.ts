import type { Episode } from "../../decode";
import { button, el } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App } from "../app";
import { spriteIcon } from "../sprite-icon";

interface HeaderActions {
  openFile(): void;
  openBeside(): void;
  copyLink(): void;
  showHelp(): void;
}

/** The bar at the top: the name of the replay, and the tools of the page. */
export class Header {
  readonly element: HTMLElement;
  private readonly title = el("h1", { class: "title", attrs: { "data-testid": "title" } });
  private readonly subtitle = el("span", { class: "subtitle quiet" });

  constructor(app: App, actions: HeaderActions, exportMenu: HTMLElement) {
    this.element = el(
      "header",
      { class: "top" },
      el("div", { class: "brand" }, spriteIcon("cog", { main: "#3fa9c9" }), el("span", {}, "MettaScope")),
      el("div", { class: "names grow" }, this.title, this.subtitle),
      el(
        "div",
        { class: "tools", attrs: { role: "group", "aria-label": "Page" } },
        button("Open a file (Shift O)", ICONS.open, () => actions.openFile()),
        button("Compare with a second replay (Shift B)", ICONS.compare, () => actions.openBeside()),
        button("Copy a link to this tick (Shift L)", ICONS.link, () => actions.copyLink()),
        exportMenu,
        button("Colour-blind palette (Y)", ICONS.palette, () =>
          app.set("palette", app.palette === "standard" ? "colour-blind" : "standard"),
        ),
        button("Switch theme (X)", ICONS.theme, () =>
          app.set("theme", app.themeNow.name === "dark" ? "light" : "dark"),
        ),
        button("Help (?)", ICONS.help, () => actions.showHelp()),
      ),
    );
  }

  /** Link the name of the viewer to the page about this replay: the viewer is in a frame of another site. */
  linkTo(page: string): void {
    const brand = this.element.querySelector(".brand");
    if (!page || !brand) return;
    const attrs = { href: page, target: "_blank", rel: "noopener", "data-testid": "source" };
    const link = el("a", { class: "brand", title: "Open this match in the Alignment League", attrs });
    link.append(...brand.childNodes);
    link.lastElementChild!.textContent = "Alignment League";
    brand.replaceWith(link);
  }

  /** Show the facts of a replay or of a live game, here and in the browser's tab. */
  describe(episode: Episode, live: { title: string } | null): void {
    const { parts } = episode.replay;
    const title = live?.title || parts.label || episode.name;
    this.title.textContent = this.title.title = title;
    const seed = parts.seed === null ? "" : `, seed ${parts.seed}`;
    const steps = live ? "live" : `${episode.replay.steps} steps`;
    this.subtitle.textContent = `${steps}, ${parts.numAgents} agents${seed}`;
    document.title = `${title} – MettaScope`;
  }
}
