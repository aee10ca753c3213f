import { el, renew } from "../../ui/dom";
import type { SearchHit } from "../api-types";
import { count } from "../format";
import { kindsOf, kindWord, nextPlace } from "../hits";
import { act, chip, empty, name } from "../parts/bits";
import { type Route, to } from "../router";
import { type Site, View } from "../view";

type SearchRoute = Extract<Route, { page: "search" }>;

const PAUSE = 150;

/** Everything that fits a name, two names of policies or the beginning of an id, in one list, best first. */
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
      placeholder: "A name, two policies, or the beginning of an id",
      autocomplete: "off",
      maxlength: 100,
    },
  });
  private readonly hits = el("div", { class: "column", attrs: { "aria-live": "polite" } });
  private timer = 0;
  /** the kind that the list is limited to */
  private kind = "";

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
    this.content.addEventListener("keydown", (event) => this.pressed(event));
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
    const kinds = kindsOf(value.hits);
    if (!kinds.some(([kind]) => kind === this.kind)) this.kind = "";
    const shown = value.hits.filter((hit) => !this.kind || hit.kind === this.kind);
    renew(
      this.hits,
      kinds.length > 1 ? el("p", { class: "filters" }, ...this.filters(kinds, value.hits.length)) : null,
      shown.length
        ? el("section", { class: "panel" }, el("ol", { class: "ranked" }, ...shown.map(line)))
        : empty(
            value.query
              ? `No results for “${value.query}”.`
              : "Search for policies, people, seasons, leagues and games by name, for matches by the names of two policies, and for everything by id.",
          ),
    );
  }

  private filters(kinds: [string, number][], total: number): HTMLElement[] {
    const filter = (kind: string, text: string) => {
      const button = act(
        text,
        () => {
          this.kind = kind;
          this.draw();
        },
        "",
        `filter ${kind} ${text} ${this.kind === kind}`,
      );
      button.setAttribute("aria-pressed", String(this.kind === kind));
      return button;
    };
    return [
      filter("", `All (${count(total)})`),
      ...kinds.map(([kind, number]) => filter(kind, `${kindWord(kind)} (${count(number)})`)),
    ];
  }

  /** Arrow keys move between the field and the results. */
  private pressed(event: KeyboardEvent): void {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const links = [...this.hits.querySelectorAll<HTMLElement>(".ranked a")];
    const place = nextPlace(links.indexOf(document.activeElement as HTMLElement), event.key, links.length);
    event.preventDefault();
    (links[place] ?? this.input).focus();
  }
}

function line(hit: SearchHit): HTMLElement {
  return el(
    "li",
    { attrs: { "data-kind": hit.kind } },
    el(
      "a",
      { attrs: { href: hit.url } },
      el("span", {}, chip("plain", kindWord(hit.kind))),
      name(hit.title),
      el("span", { class: "quiet small about" }, name(hit.about.replace(/^[A-Z][a-z]+ · /, ""))),
    ),
  );
}
