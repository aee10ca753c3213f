import { el, renew } from "../../ui/dom";
import type { SearchHit } from "../api-types";
import { count } from "../format";
import { hitGroups } from "../hits";
import { empty, link, name } from "../parts/bits";
import { type Route, to } from "../router";
import { type Site, View } from "../view";

type SearchRoute = Extract<Route, { page: "search" }>;

const PAUSE = 150;

/** Everything that fits a name or the beginning of an id. */
export class SearchView extends View<SearchRoute> {
  override title = "Search";
  private readonly found = this.source((signal) =>
    this.site.api.get("/observatory/api/search", {}, { q: this.route.query }, signal),
  );
  private readonly input = el("input", {
    class: "field search-field",
    attrs: {
      type: "search",
      "aria-label": "Search",
      placeholder: "A name, or the beginning of an id",
      autocomplete: "off",
      maxlength: 100,
    },
  });
  private readonly hits = el("div", { class: "column", attrs: { "aria-live": "polite" } });
  private timer = 0;

  constructor(site: Site, route: SearchRoute) {
    super(site, route);
    const form = el("form", { attrs: { role: "search" } }, this.input);
    this.content.append(el("h1", {}, "Search"), form, this.hits);
    this.input.value = route.query;
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.ask(), PAUSE);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask();
    });
  }

  override start(): void {
    super.start();
    requestAnimationFrame(() => this.input.focus());
  }

  override navigate(route: Route): boolean {
    if (route.page !== "search") return false;
    this.route = route;
    if (this.input.value.trim() !== route.query) this.input.value = route.query;
    void this.found.load();
    return true;
  }

  /** The results of a search do not change by themselves. */
  override handleChanges(): void {}

  private ask(): void {
    const query = this.input.value.trim();
    if (query === this.route.query) return;
    this.route = { page: "search", query };
    history.replaceState(null, "", to.search(query));
    void this.found.load();
  }

  draw(): void {
    const value = this.dataOf(this.found);
    if (!value) return;
    const groups = hitGroups(value.hits);
    renew(
      this.hits,
      ...(groups.length
        ? groups.map((group) =>
            el(
              "section",
              { class: "panel" },
              el("h2", {}, `${group.title} (${count(group.hits.length)})`),
              el("ul", { class: "plain-list" }, ...group.hits.map(line)),
            ),
          )
        : [
            empty(
              value.query
                ? `Nothing that you may see is called “${value.query}”.`
                : "Search for seasons, leagues, policies, players and games by name, and for matches and episodes by id.",
            ),
          ]),
    );
  }
}

function line(hit: SearchHit): HTMLElement {
  return el("li", {}, link(hit.url, name(hit.title)), el("span", { class: "quiet small" }, name(hit.about)));
}
