import { button, el, renew, setText } from "../ui/dom";
import { hasSingleKeys, setSingleKeys } from "../ui/shortcuts";
import { nextTheme, showTheme } from "../ui/theme";
import { Api } from "./api";
import { Live, type LiveState } from "./live";
import { Bell } from "./parts/bell";
import { ICONS, keepTimes, link, name } from "./parts/bits";
import { SearchBox } from "./parts/search-box";
import { type Route, readRoute, to } from "./router";
import type { Site, View } from "./view";
import { makeView } from "./views";

const LIVE_WORDS: Record<LiveState, string> = {
  connecting: "connecting",
  live: "live",
  reconnecting: "reconnecting",
  paused: "paused",
};

/** The pages of each entry of the navigation. */
const COMPETITIONS = new Set(["home", "season", "match", "compare", "league", "division", "round", "leagues"]);
const GAMES = new Set(["coworlds", "coworld", "play", "lobby"]);

/** The frame around all pages: navigation, the signed-in user, the connection status. */
export class App implements Site {
  readonly api = new Api();
  readonly live = new Live();
  private readonly nav = el("nav", { attrs: { "aria-label": "Site" } });
  private readonly account = el("div", { class: "account" });
  private readonly mark = el("span", { class: "live-mark", attrs: { role: "status", "data-testid": "live" } });
  private readonly toast = el("div", { class: "toast", attrs: { role: "status", "aria-live": "polite" } });
  private readonly search = new SearchBox(this.api, (path) => this.go(path));
  private readonly bell = new Bell(this.api);
  private view: View | null = null;
  private sayTimer = 0;

  constructor(private readonly root: HTMLElement) {
    const theme = button("Switch theme", ICONS.theme, () => nextTheme());
    const brand = el("a", { class: "brand", attrs: { href: to.home() } }, "Alignment League");
    const skip = el("a", { class: "skip", attrs: { href: "#main" } }, "Skip to content");
    skip.addEventListener("click", (event) => {
      event.preventDefault();
      this.focusMain();
    });
    const header = el(
      "header",
      { class: "top" },
      brand,
      this.nav,
      this.search.element,
      el("div", { class: "top-end" }, this.mark, this.search.link, theme, this.bell.element, this.account),
    );
    root.append(skip, header, document.createElement("main"), footer(), this.toast);
    showTheme();
    keepTimes(root);
    this.live.onState = (state) => this.showLive(state);
    this.live.onChanges = (changes) => {
      this.bell.handleChanges(changes);
      this.view?.handleChanges(changes);
    };
    this.live.onGap = () => {
      this.bell.refresh();
      this.view?.refresh();
    };
    document.addEventListener("click", (event) => this.clicked(event));
    addEventListener("popstate", () => this.show(false));
  }

  async start(): Promise<void> {
    this.showLive(this.live.state);
    this.showNav();
    try {
      await this.api.loadUser();
    } catch {
      // The page itself reports that the server does not respond; until then the user counts as signed out.
    }
    this.bell.refresh();
    this.show(false);
  }

  go(path: string): void {
    history.pushState(null, "", path);
    this.show(true);
  }

  say(text: string): void {
    setText(this.toast, text);
    this.toast.classList.toggle("is-shown", text !== "");
    clearTimeout(this.sayTimer);
    if (text) this.sayTimer = window.setTimeout(() => this.say(""), 6000);
  }

  /** Show the page of the current address; a new page gets the keyboard focus. */
  private show(isNew: boolean): void {
    const route = readRoute(location.pathname, location.search) ?? { page: "missing" };
    this.showNav(route);
    if (this.view?.navigate(route)) {
      this.showTitle();
      return;
    }
    this.view?.close();
    const view = makeView(this, route);
    this.view = view;
    this.root.querySelector("main")!.replaceWith(view.element);
    view.start();
    this.showTitle();
    this.live.headers = this.api.elevation;
    this.live.open(view.stream);
    if (isNew) {
      scrollTo(0, 0);
      this.focusMain();
    }
  }

  showTitle(): void {
    const title = this.view?.title;
    document.title = title ? `${title} · Alignment League` : "Alignment League";
  }

  private focusMain(): void {
    const main = this.root.querySelector("main")!;
    main.tabIndex = -1;
    main.focus({ preventScroll: true });
  }

  private clicked(event: MouseEvent): void {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const anchor = (event.target as Element | null)?.closest?.("a");
    if (!(anchor instanceof HTMLAnchorElement) || anchor.target || anchor.hasAttribute("download")) return;
    const url = new URL(anchor.href, location.href);
    if (url.origin !== location.origin || readRoute(url.pathname, url.search) === null) return;
    if (url.pathname === location.pathname && url.search === location.search && url.hash) return;
    event.preventDefault();
    this.go(url.pathname + url.search);
  }

  private showNav(route?: Route): void {
    const { me } = this.api;
    const currentIf = (isCurrent: boolean) => ({ "aria-current": isCurrent && "page" });
    const item = (href: string, text: string, isCurrent: boolean) =>
      el("a", { attrs: { href, ...currentIf(isCurrent) } }, text);
    renew(
      this.nav,
      item(to.home(), "Compete", COMPETITIONS.has(route?.page ?? "")),
      item(to.coworlds(), "Games", GAMES.has(route?.page ?? "")),
      item(to.queue(), "Queue", route?.page === "queue"),
      item(to.upload(), "Upload", route?.page === "upload"),
      me?.is_admin ? item(to.manage(), "Manage", route?.page === "manage") : null,
    );
    const next = location.pathname + location.search;
    const account = me?.signed_in
      ? el(
          "a",
          { class: "button bordered who", attrs: { href: to.me(), ...currentIf(route?.page === "me") } },
          name(me.name ?? me.email ?? "Me"),
        )
      : link(to.signIn(next), "Sign in");
    if (!me?.signed_in) account.className = "button bordered";
    renew(this.account, account);
  }

  private showLive(state: LiveState): void {
    this.mark.dataset.state = state;
    setText(this.mark, LIVE_WORDS[state]);
  }
}

/** The switch of the single-key shortcuts, which the viewer obeys too. */
function footer(): HTMLElement {
  const box = el("input", { id: "single-keys", attrs: { type: "checkbox", checked: hasSingleKeys() } });
  box.addEventListener("change", () => setSingleKeys(box.checked));
  return el(
    "footer",
    { class: "bottom" },
    el("label", { class: "check" }, box, "Single-key shortcuts, such as / for the search"),
  );
}
