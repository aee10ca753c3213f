import { el, renew } from "../../ui/dom";
import type { LiveLine } from "../api-types";
import { Source } from "../source";
import type { Site } from "../view";
import { name } from "./bits";
import { watchLink } from "./watch";

/** What can be watched now in a season or a league; hidden while there is nothing. */
export class LiveNow {
  readonly element = el("section", { class: "panel live-now", attrs: { "aria-label": "Live now", hidden: true } });
  private readonly list = el("ul", { class: "plain-list" });
  private readonly source: Source<LiveLine[]>;

  constructor(site: Site, place: { season: string } | { league: string }) {
    this.source = new Source<LiveLine[]>(
      (signal) => site.api.get("/observatory/api/live", {}, place, signal),
      () => this.draw(),
    );
    this.element.append(el("h2", {}, "Live now"), this.list);
  }

  /** Ask again; the page calls it when its own data has changed. */
  reload(): void {
    this.source.reload();
  }

  close(): void {
    this.source.close();
  }

  private draw(): void {
    const lines = this.source.value ?? [];
    this.element.hidden = lines.length === 0;
    renew(
      this.list,
      ...lines.map((line) =>
        el("li", {}, name(line.title), el("span", { class: "quiet small" }, name(line.about)), watchLink(line.url)),
      ),
    );
  }
}
