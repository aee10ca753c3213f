import { el, icon } from "../../ui/dom";
import { hasSingleKeys, isTyping } from "../../ui/shortcuts";
import type { Api } from "../api";
import type { SearchHit } from "../api-types";
import { plainName } from "../format";
import { kindWord, nextPlace } from "../hits";
import { to } from "../router";

const PAUSE = 120;
const GLASS = "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5";

/** The search field of the header: results while typing, arrow keys choose one, Enter opens it. */
export class SearchBox {
  readonly element = el("form", {
    class: "search",
    attrs: { role: "search", "aria-label": "Site", action: to.search() },
  });
  /** where small screens have no room for the field */
  readonly link = el(
    "a",
    { class: "button search-link", attrs: { href: to.search(), "aria-label": "Search", title: "Search" } },
    icon(GLASS),
  );
  private readonly input = el("input", {
    class: "field",
    attrs: {
      type: "search",
      name: "q",
      placeholder: "Search",
      "aria-label": "Search; press / to focus",
      autocomplete: "off",
      maxlength: 100,
      role: "combobox",
      "aria-expanded": "false",
      "aria-controls": "hits",
      "aria-autocomplete": "list",
    },
  });
  private readonly list = el("div", { id: "hits", class: "hits", attrs: { role: "listbox", hidden: true } });
  private hits: SearchHit[] = [];
  private place = -1;
  private timer = 0;
  private asking: AbortController | null = null;

  constructor(
    private readonly api: Api,
    private readonly go: (path: string) => void,
  ) {
    this.element.append(icon(GLASS), this.input, el("kbd", { attrs: { "aria-hidden": "true" } }, "/"), this.list);
    this.input.addEventListener("input", () => this.typed());
    this.input.addEventListener("keydown", (event) => this.pressed(event));
    this.input.addEventListener("focus", () => this.show(this.hits.length > 0 || this.input.value.trim() !== ""));
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.open(this.hits[this.place]?.url ?? to.search(this.input.value.trim()));
    });
    this.list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
    this.list.addEventListener("click", () => this.close());
    document.addEventListener("click", (event) => {
      if (!this.element.contains(event.target as Node)) this.show(false);
    });
    this.element.addEventListener("focusout", (event) => {
      if (!this.element.contains(event.relatedTarget as Node | null)) this.show(false);
    });
    document.addEventListener("keydown", (event) => this.hotkey(event));
  }

  private hotkey(event: KeyboardEvent): void {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event) || !hasSingleKeys()) return;
    event.preventDefault();
    if (this.input.offsetParent === null) this.go(to.search());
    else this.input.select();
    this.input.focus();
  }

  private typed(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.ask(), PAUSE);
  }

  private async ask(): Promise<void> {
    const query = this.input.value.trim();
    this.asking?.abort();
    if (!query) {
      this.hits = [];
      this.show(false);
      return;
    }
    this.asking = new AbortController();
    try {
      const { hits } = await this.api.get("/observatory/api/search", {}, { q: query }, this.asking.signal);
      this.draw(hits, query);
    } catch (error) {
      if (!(error instanceof DOMException)) this.draw([], query);
    }
  }

  private draw(hits: readonly SearchHit[], query: string): void {
    this.hits = [...hits];
    this.place = -1;
    const parts = this.hits.map((hit, i) => hitLink(hit, `hit-${i}`));
    this.list.replaceChildren(
      ...(parts.length ? parts : [el("p", { class: "quiet small hits-none" }, `Nothing is called “${query}”.`)]),
    );
    this.show(document.activeElement === this.input);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      this.show(false);
      this.input.blur();
      return;
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    this.place = nextPlace(this.place, event.key, this.hits.length);
    for (const [i, option] of [...this.list.querySelectorAll(".hit")].entries())
      option.setAttribute("aria-selected", String(i === this.place));
    const id = this.place < 0 ? null : `hit-${this.place}`;
    if (id) {
      this.input.setAttribute("aria-activedescendant", id);
      document.getElementById(id)?.scrollIntoView({ block: "nearest" });
    } else this.input.removeAttribute("aria-activedescendant");
  }

  private open(path: string): void {
    this.close();
    this.go(path);
  }

  private close(): void {
    this.show(false);
    this.input.value = "";
    this.hits = [];
    this.input.blur();
  }

  private show(isOpen: boolean): void {
    this.list.hidden = !isOpen || !this.list.firstChild;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
  }
}

/** A hit as an option of the list. */
function hitLink(hit: SearchHit, id: string): HTMLElement {
  return el(
    "a",
    { class: "hit", id, attrs: { href: hit.url, role: "option", "aria-selected": "false", tabindex: -1 } },
    el("bdi", { class: "name" }, plainName(hit.title)),
    el("span", { class: "quiet small" }, plainName(aboutOf(hit))),
  );
}

/** Where a hit belongs; it begins with its kind. */
function aboutOf(hit: SearchHit): string {
  const word = kindWord(hit.kind);
  return hit.about.startsWith(word) ? hit.about : `${word} · ${hit.about}`;
}
