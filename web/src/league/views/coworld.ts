import { el, icon, renew } from "../../ui/dom";
import type { CoworldDoc, CoworldPage, CoworldPart, CoworldVersionLine } from "../api-types";
import { count, plainName } from "../format";
import { safeHref } from "../markdown";
import { certificationChip, seatsText } from "../parts/badges";
import { act, chip, empty, facts, ICONS, link, name, Part, time } from "../parts/bits";
import { command } from "../parts/commands";
import { episodeTable } from "../parts/episodes";
import { TextFiles } from "../parts/logs";
import { rich } from "../parts/rich";
import { COWORLD_TABS, type CoworldTab, type Route, to } from "../router";
import { type Site, View } from "../view";

type CoworldRoute = Extract<Route, { page: "coworld" }>;

const TITLES: Record<CoworldTab, string> = {
  about: "About",
  docs: "Docs",
  versions: "Versions",
  episodes: "Episodes",
};

/** A game: what it is, its documentation, versions with their certification, leagues and episodes. */
export class CoworldView extends View<CoworldRoute> {
  private readonly page = this.source(
    (signal) => this.site.api.get("/observatory/api/coworlds/{coworld}", { coworld: this.route.coworld }, {}, signal),
    "queue",
    "league",
    "round",
  );
  private readonly head = el("header", { class: "page-head" });
  private readonly actions = el("p", { class: "actions" });
  private readonly tabs = el("nav", { class: "tabs", attrs: { "aria-label": "Game" } });
  private readonly about = el("div", { class: "column" });
  private readonly docs = el("div", { class: "docs" });
  private readonly versions = new Part("Versions");
  private readonly transcripts = new TextFiles();
  private readonly episodeTable = episodeTable("Last episodes");
  private readonly episodes = new Part("Last episodes", this.episodeTable.element);
  private readonly panes: Record<CoworldTab, HTMLElement> = {
    about: this.about,
    docs: this.docs,
    versions: this.versions.element,
    episodes: this.episodes.element,
  };
  private shownDoc = "";

  constructor(site: Site, route: CoworldRoute) {
    super(site, route);
    this.title = route.coworld;
    this.content.append(this.head, this.actions, this.tabs, ...Object.values(this.panes));
  }

  override navigate(route: Route): boolean {
    if (route.page !== "coworld" || route.coworld !== this.route.coworld) return false;
    this.route = route;
    this.draw();
    return true;
  }

  draw(): void {
    const page = this.dataOf(this.page);
    if (!page) return;
    const { tab } = this.route;
    this.title = tab === "about" ? page.name : `${TITLES[tab]} · ${page.name}`;
    document.title = `${plainName(this.title)} · Alignment League`;
    renew(this.head, ...headOf(page));
    this.drawActions(page);
    renew(
      this.tabs,
      ...COWORLD_TABS.map((one) =>
        el(
          "a",
          {
            attrs: {
              href: to.coworld(this.route.coworld, one),
              "aria-current": one === tab && "page",
            },
          },
          TITLES[one],
        ),
      ),
    );
    for (const one of COWORLD_TABS) this.panes[one].hidden = one !== tab;
    if (tab === "about") renew(this.about, ...aboutParts(page));
    if (tab === "docs") this.drawDocs(page);
    if (tab === "versions") this.drawVersions(page);
    this.episodeTable.update(page.episodes);
    this.episodes.show(
      "Last episodes",
      page.episodes.length > 0,
      empty("No episodes that you may see. `coworld xp-request create FILE` requests some."),
    );
  }

  private drawActions(page: CoworldPage): void {
    const key = `${page.can_play}`;
    if (this.actions.dataset.key === key) return;
    this.actions.dataset.key = key;
    this.actions.replaceChildren();
    if (!page.can_play) return;
    const play = act("Play in the browser", () => void this.play(page), "solid");
    play.prepend(icon(ICONS.play));
    this.actions.append(play);
  }

  private async play(page: CoworldPage): Promise<void> {
    if (!this.site.api.me?.signed_in) {
      location.assign(to.signIn(location.pathname));
      return;
    }
    try {
      const started = await this.site.api.post("/v2/coworlds/play/session", {}, { coworld_id: page.id });
      this.site.go(to.play(started.session_id));
    } catch (error) {
      this.site.say((error as Error).message);
    }
  }

  private drawDocs(page: CoworldPage): void {
    const shown = page.docs.find((doc) => doc.id === this.route.doc) ?? page.docs[0];
    const key = `${page.id} ${shown?.id}`;
    if (this.shownDoc === key) return;
    this.shownDoc = key;
    if (!shown) {
      this.docs.replaceChildren(empty("The game has no documentation."));
      return;
    }
    const items = page.docs.map((doc) =>
      el(
        "li",
        {},
        el(
          "a",
          {
            attrs: {
              href: to.coworld(this.route.coworld, "docs", doc.id),
              "aria-current": doc === shown && "page",
            },
          },
          plainName(doc.title),
        ),
      ),
    );
    this.docs.replaceChildren(
      el("nav", { class: "docs-list", attrs: { "aria-label": "Documentation" } }, el("ul", {}, ...items)),
      el(
        "article",
        { class: "panel docs-page" },
        el("h2", { class: shown.text?.trimStart().startsWith("# ") ? "unseen" : "" }, plainName(shown.title)),
        docBody(shown),
      ),
    );
  }

  private drawVersions(page: CoworldPage): void {
    renew(
      this.versions.body,
      el("ul", { class: "plain-list" }, ...page.all_versions.map((line) => versionLine(line, page))),
      page.shown.steps.length > 0
        ? el(
            "div",
            { class: "column" },
            el("h3", {}, `Certification of ${page.shown.version}`),
            page.shown.failure ? el("p", { class: "problem" }, page.shown.failure) : null,
            el(
              "ul",
              { class: "chips steps", attrs: { "aria-label": "Steps" } },
              ...page.shown.steps.map(([step, status]) =>
                el("li", {}, chip(status === "pass" ? "completed" : "failed", `${step}: ${status}`)),
              ),
            ),
          )
        : null,
      this.transcripts.element,
    );
    const url = page.shown.transcript_url;
    this.transcripts.update(this.site, url ? [{ title: `Transcript of ${page.shown.version}`, url }] : []);
  }
}

function headOf(page: CoworldPage): HTMLElement[] {
  return [
    el("p", { class: "crumbs" }, link(to.coworlds(), "Games")),
    el("h1", {}, name(page.name), el("span", { class: "version" }, page.version)),
    el("p", { class: "lead" }, page.description),
    el(
      "p",
      { class: "chips" },
      certificationChip(page.certification),
      page.canonical ? chip("running", "current version") : chip("plain", "not the current version"),
      !page.public && chip("out", "private"),
      ...page.tags.map((tag) => chip("plain", tag)),
    ),
  ];
}

function aboutParts(page: CoworldPage): HTMLElement[] {
  const server = `--server ${location.origin}`;
  const players = page.parts.filter((part) => part.role === "player");
  const roles = page.parts.filter((part) => part.role !== "player");
  return [
    section(
      "At a glance",
      facts(
        ["Seats", seatsText(page.seats_min, page.seats_max)],
        ["Versions", count(page.versions)],
        ["By", name(page.owner || page.uploader)],
        ["Uploaded by", name(page.uploader)],
        ["Uploaded", time(page.created_at)],
        ["Replays", REPLAYS[page.replay]],
      ),
    ),
    section(
      "Leagues",
      page.leagues.length
        ? el(
            "ul",
            { class: "plain-list" },
            ...page.leagues.map((league) => el("li", {}, link(to.league(league.id), name(league.name)))),
          )
        : empty("No league plays this game yet. Its owner creates one with `coworld league create`."),
    ),
    section(
      "Variants",
      el(
        "ul",
        { class: "plain-list" },
        ...page.variant_list.map((variant) =>
          el(
            "li",
            {},
            el("strong", {}, plainName(variant.name)),
            el("span", { class: "mono small quiet" }, variant.id),
            el("span", {}, plainName(variant.description)),
          ),
        ),
      ),
    ),
    section("Players included", partList(players, "The game has no players of its own.")),
    section("Roles", partList(roles, "The game has no commissioner, reporter, grader or diagnoser of its own.")),
    section(
      "Run it on your machine",
      command("pip install coworld"),
      command(`softmax login ${server}`),
      command(`coworld download ${page.id} ${server}`),
      command(`coworld play ${page.id}`),
      el("p", { class: "quiet small" }, "Prints a link for each seat. To enter a league with your own player:"),
      command(`coworld upload-policy my-player:latest --name my-player ${server}`),
      ...page.leagues.slice(0, 1).map((league) => command(`coworld submit my-player --league ${league.id} ${server}`)),
    ),
  ];
}

const REPLAYS: Record<string, string> = {
  bundle: "shown on this site by the game's own page",
  hosted: "the game is started to show them",
  viewer: "shown by the viewer of this site",
};

function section(title: string, ...children: HTMLElement[]): HTMLElement {
  return el("section", { class: "panel" }, el("h2", {}, title), ...children);
}

function partList(parts: readonly CoworldPart[], none: string): HTMLElement {
  if (!parts.length) return empty(none);
  return el(
    "ul",
    { class: "plain-list" },
    ...parts.map((part) =>
      el(
        "li",
        {},
        el("strong", {}, plainName(part.name)),
        part.role === "player" ? null : chip("plain", part.role),
        el("span", { class: "mono small quiet" }, part.id),
        el("span", {}, plainName(part.description)),
      ),
    ),
  );
}

function docBody(doc: CoworldDoc): HTMLElement {
  if (doc.text !== null) return rich(doc.text);
  const href = safeHref(doc.url ?? "");
  return el(
    "p",
    {},
    href ? el("a", { attrs: { href, rel: "noopener noreferrer nofollow" } }, href) : plainName(doc.url ?? ""),
  );
}

function versionLine(line: CoworldVersionLine, page: CoworldPage): HTMLElement {
  return el(
    "li",
    { class: line.id === page.id ? "is-shown" : "" },
    link(to.coworld(line.id, "versions"), line.version),
    certificationChip(line.certification),
    line.canonical ? chip("running", "current version") : null,
    line.public ? null : chip("out", "private"),
    line.failed_step ? el("span", { class: "small" }, `failed at ${line.failed_step}`) : null,
    el("span", { class: "quiet small" }, time(line.created_at)),
  );
}
