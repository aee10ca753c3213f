import { el, renew } from "../../ui/dom";
import type { FrontMatch } from "../api-types";
import type { Change } from "../live";
import { to } from "../router";
import { Source } from "../source";
import type { Site } from "../view";
import { chip, empty, link, loading, name } from "./bits";
import { matchText, matchTitle } from "./matches";

/** How long a match stays before another one may take its place. */
const SHORTEST_MS = 60_000;

/**
 * A match that is played now, in a small viewer; without one, the newest replay. The viewer of a live match continues
 * with its replay by itself. A view puts `element` into its page, calls `start` once, and passes on changes.
 */
export class LiveMatch {
  readonly element = el("section", { class: "panel live-match", attrs: { "aria-label": "A match" } });
  private readonly frame = el("iframe", {
    class: "live-match-frame",
    title: "A match",
    attrs: { loading: "lazy", tabindex: 0 },
  });
  private readonly note = el("div", { class: "live-match-note" });
  private readonly source: Source<FrontMatch>;
  private shown: FrontMatch | null = null;
  private shownAt = 0;

  constructor(site: Site) {
    this.source = new Source<FrontMatch>(
      (signal) => site.api.get("/observatory/api/front-match", {}, {}, signal),
      () => this.draw(),
      ({ kind }) => kind === "match" || kind === "season",
    );
    this.frame.hidden = true;
    this.element.append(this.frame, this.note);
  }

  start(): void {
    this.draw();
    void this.source.load();
  }

  handleChanges(changes: readonly Change[]): void {
    this.source.handleChanges(changes);
  }

  close(): void {
    this.source.close();
    this.frame.src = "about:blank";
  }

  private draw(): void {
    const { value, error } = this.source;
    if (value && this.shouldShow(value)) this.show(value);
    if (this.shown) return;
    this.frame.hidden = true;
    const none = "No match was played yet. The newest one plays here.";
    renew(this.note, value ? empty(none) : error ? empty(error.message) : loading());
  }

  /** A live match takes the place of a replay at once, and that of another live match after a while. */
  private shouldShow(next: FrontMatch): boolean {
    const { shown } = this;
    if (!next.viewer_url || !next.match) return false;
    if (!shown?.match) return true;
    if (next.match.id === shown.match.id || next.kind !== "live") return false;
    return shown.kind === "replay" || performance.now() - this.shownAt > SHORTEST_MS;
  }

  private show(front: FrontMatch): void {
    const match = front.match!;
    [this.shown, this.shownAt] = [front, performance.now()];
    this.frame.hidden = false;
    this.frame.title = `The match ${matchText(match)}`;
    this.frame.src = front.viewer_url!;
    renew(
      this.note,
      el(
        "p",
        { class: "live-match-title" },
        front.kind === "live" ? chip("running", "live") : chip("plain", "replay"),
        link(to.match(match.id), ...matchTitle(match)),
        el(
          "span",
          { class: "quiet small" },
          " in ",
          link(to.season(match.season), name(front.season_display_name ?? "")),
        ),
      ),
    );
  }
}
