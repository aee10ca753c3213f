import { el, icon, renew } from "../../ui/dom";
import type { EpisodeFileLine, EpisodePage, SeatLine } from "../api-types";
import { count, duration, NONE, plainName, score, words } from "../format";
import { act, chip, empty, facts, ICONS, link, name, Part, problem, time } from "../parts/bits";
import { command } from "../parts/commands";
import { episodeTitle, seatName } from "../parts/episodes";
import { GameFrame } from "../parts/game-frame";
import { TextFiles } from "../parts/logs";
import { Reports } from "../parts/report";
import { LiveTable } from "../parts/table";
import { resultTables, type Scalar } from "../results";
import { type Route, to } from "../router";
import { type Site, View } from "../view";

const POLL_MS = 1000;
const MOST_TRIES = 90;

type EpisodeRoute = Extract<Route, { page: "episode" }>;

/** An episode of a Coworld: what happened, the game's own replay, results, logs and reports. */
export class EpisodeView extends View<EpisodeRoute> {
  private readonly episode = this.source(
    (signal) => this.site.api.get("/observatory/api/episodes/{episode}", { episode: this.route.episode }, {}, signal),
    "queue",
    "round_episode",
    "round",
  );
  private readonly head = el("header", { class: "page-head" });
  private readonly seats = new LiveTable<SeatLine>(
    "Seats",
    [
      { title: "Seat", kind: "rank", cell: (seat) => String(seat.position) },
      {
        title: "Policy",
        kind: "name",
        cell: (seat) => [
          seatName(seat),
          seat.at_fault ? chip("failed", "at fault") : null,
          seat.is_filler ? chip("plain", "fills a seat") : null,
          seat.policy ? null : chip("plain", "player of the game"),
        ],
      },
      {
        title: "Player",
        from: "tablet",
        cell: (seat) => (seat.player_id ? link(to.player(seat.player_id), name(seat.player ?? "")) : NONE),
      },
      { title: "Score", kind: "number", cell: (seat) => score(seat.score) },
      { title: "Rank", kind: "number", cell: (seat) => count(seat.rank) },
    ],
    (seat) => String(seat.position),
    (seat) => (seat.at_fault ? "is-guilty" : ""),
  );
  private readonly replay = el("div", { class: "column" });
  private readonly frame = new GameFrame("The game's replay page", { takesKeyboard: false });
  private readonly results = el("div", { class: "column" });
  private readonly files = new TextFiles();
  private readonly reports: Reports;
  private readonly parts = {
    replay: new Part("Replay", this.replay),
    seats: new Part("Seats", this.seats.element),
    results: new Part("Results", this.results),
    reports: new Part("Reports and grades"),
    files: new Part("Logs and files", this.files.element),
    details: new Part("Details"),
  };
  private hasClosed = false;
  private shownReplay = "";
  private shownResults = "";

  constructor(site: Site, route: EpisodeRoute) {
    super(site, route);
    this.title = "Episode";
    this.reports = new Reports(
      site,
      route.episode,
      () => this.episode.reload(),
      async (output) => (await this.frames()).output_urls[output] ?? null,
    );
    this.parts.reports.body.append(this.reports.element);
    this.content.append(this.head, ...Object.values(this.parts).map((part) => part.element));
  }

  override close(): void {
    super.close();
    this.hasClosed = true;
    this.frame.clear();
  }

  draw(): void {
    const episode = this.dataOf(this.episode);
    if (!episode) return;
    this.title = episode.seats.map((seat) => plainName(seat.name)).join(" – ") || "Episode";
    document.title = `${this.title} · Alignment League`;
    renew(this.head, ...headOf(episode));
    this.seats.update(episode.seats);
    this.drawReplay(episode);
    void this.drawResults(episode);
    this.reports.update(episode);
    this.drawFiles(episode);
    renew(this.parts.details.body, ...details(episode));
  }

  private frames() {
    return this.site.api.get("/observatory/api/episodes/{episode}/frames", { episode: this.route.episode });
  }

  /** Show the game's own page while the episode is played. */
  private async drawLive(): Promise<void> {
    this.parts.replay.show("Live", true, "");
    if (this.shownReplay === "live") return;
    this.shownReplay = "live";
    try {
      const { live_url } = await this.frames();
      if (!live_url || this.shownReplay !== "live") return;
      this.replay.replaceChildren(this.frame.element);
      this.frame.show(live_url);
    } catch (error) {
      this.replay.replaceChildren(problem(error as Error));
    }
  }

  private drawReplay(episode: EpisodePage): void {
    if (episode.is_live) return void this.drawLive();
    if (this.shownReplay === "live") {
      // The episode has ended, or another worker will play it again.
      this.shownReplay = "";
      this.frame.clear();
      this.replay.replaceChildren();
    }
    const { kind, why, download_url } = episode.replay;
    this.parts.replay.show("Replay", kind !== "none", empty(`${why ?? "There is no replay"}.`));
    if (kind === "none" || this.shownReplay === kind) return;
    this.shownReplay = kind;
    const download = download_url
      ? el(
          "a",
          { class: "button bordered", attrs: { href: download_url, download: `${episode.id}.replay` } },
          icon(ICONS.down),
          "Download the replay",
        )
      : null;
    if (kind === "hosted") {
      const open = act("Open the replay", () => void this.openHosted(episode), "solid");
      open.prepend(icon(ICONS.play));
      this.replay.replaceChildren(
        el(
          "p",
          { class: "quiet" },
          "This game shows replays itself. The server starts the game for you; it stops when you leave.",
        ),
        el("p", { class: "actions" }, open, download ?? ""),
      );
      return;
    }
    void this.openFrame(kind === "viewer", download);
  }

  private async openFrame(isOwn: boolean, download: HTMLElement | null): Promise<void> {
    try {
      const { page_url, replay_url } = await this.frames();
      if (!page_url) throw new Error("The replay cannot be shown; download it instead.");
      if (isOwn) {
        const shown = el("iframe", { title: "The replay", attrs: { src: page_url, allow: "fullscreen" } });
        this.replay.replaceChildren(el("div", { class: "replay" }, shown));
      } else {
        this.replay.replaceChildren(this.frame.element);
        this.frame.show(withReplay(page_url, replay_url));
      }
      if (download) this.replay.append(el("p", { class: "actions" }, download));
    } catch (error) {
      this.replay.replaceChildren(problem(error as Error), el("p", { class: "actions" }, download ?? ""));
    }
  }

  /** Start the game for its replay page, and show the page as soon as the game answers. */
  private async openHosted(episode: EpisodePage): Promise<void> {
    if (!this.site.api.me?.signed_in) {
      location.assign(to.signIn(location.pathname));
      return;
    }
    this.replay.replaceChildren(el("p", { class: "quiet", attrs: { role: "status" } }, "Starting the game …"));
    try {
      const { replay_url } = await this.frames();
      const body = { coworld_id: episode.coworld.id, replay_uri: replay_url ?? "" };
      for (let i = 0; i < MOST_TRIES && !this.hasClosed; i++) {
        const { viewer_url, ready } = await this.site.api.post("/v2/coworlds/replays/session", {}, body);
        if (ready) {
          this.replay.replaceChildren(this.frame.element);
          this.frame.show(viewer_url);
          return;
        }
        await new Promise((done) => setTimeout(done, POLL_MS));
      }
      if (!this.hasClosed) throw new Error("The game did not start in time. Try again in a while.");
    } catch (error) {
      this.shownReplay = "";
      this.replay.replaceChildren(problem(error as Error));
    }
  }

  private async drawResults(episode: EpisodePage): Promise<void> {
    const { results } = this.parts;
    const hasEnded = episode.completed_at !== null;
    const why = !hasEnded
      ? "Results are available after the episode."
      : episode.status !== "completed"
        ? "The episode ended without results."
        : "The requester and owners of policies in this episode may read its results.";
    results.show("Results", episode.sees_results, empty(why));
    if (!episode.sees_results || this.shownResults === episode.id) return;
    this.shownResults = episode.id;
    try {
      const text = await this.site.api.text(`/v2/episode-requests/${episode.id}/artifacts/results`);
      this.results.replaceChildren(...resultParts(episode, text));
    } catch (error) {
      this.results.replaceChildren(problem(error as Error));
    }
  }

  private drawFiles(episode: EpisodePage): void {
    const hasFiles = episode.files.length > 0;
    this.parts.files.show("Logs and files", hasFiles, empty("The episode has no files yet."));
    this.files.update(this.site, episode.files.filter(isText));
    const downloads = episode.files.filter((file) => !isText(file));
    if (!hasFiles) return;
    renew(
      this.parts.files.note,
      el(
        "p",
        { class: "actions" },
        el(
          "a",
          { class: "button bordered", attrs: { href: episode.bundle_url, download: "" } },
          icon(ICONS.down),
          "Download all",
        ),
        ...downloads.map((file) => el("a", { attrs: { href: file.url, download: file.name } }, file.title)),
      ),
    );
  }
}

/** The address of a replay page, which takes the replay's address after `#replay=`. */
export function withReplay(page: string, replay: string | null): string {
  if (replay === null) return page;
  const whole = new URL(replay, location.href).href;
  return `${page}#replay=${encodeURIComponent(whole)}`;
}

const isText = (file: EpisodeFileLine) => file.kind === "log" || file.kind === "json";

function headOf(episode: EpisodePage): HTMLElement[] {
  const { round, coworld, fault } = episode;
  const crumbs = round
    ? [
        link(to.league(round.league_id), name(round.league)),
        " · ",
        link(to.division(round.division_id), name(round.division)),
        " · ",
        link(to.round(round.id), `Round ${round.number}`),
      ]
    : [link(to.coworlds(), "Games"), " · ", link(to.coworld(coworld.id), coworld.name)];
  const guilty = episode.seats.find((seat) => seat.at_fault);
  return [
    el("p", { class: "crumbs" }, ...crumbs),
    el("h1", {}, ...episodeTitle(episode.seats)),
    el("p", { class: "lead", attrs: { "data-testid": "sentence" } }, plainName(episode.sentence)),
    el(
      "p",
      { class: "chips" },
      chip(episode.status),
      link(to.coworld(coworld.id), chip("plain", `${coworld.name} ${coworld.version}`)),
      coworld.variant_id ? chip("plain", plainName(coworld.variant ?? coworld.variant_id)) : null,
      el(
        "span",
        { class: "quiet small" },
        episode.completed_at ? "ended " : "created ",
        time(episode.completed_at ?? episode.created_at),
      ),
    ),
    ...(fault
      ? [
          el(
            "div",
            { class: "problem", attrs: { role: "note" } },
            el("p", {}, el("strong", {}, words(fault.error_type)), fault.message ? `: ${fault.message}` : ""),
            guilty
              ? el("p", {}, "At fault: ", seatName(guilty), `, seat ${guilty.position}. The other seats lose nothing.`)
              : el(
                  "p",
                  {},
                  fault.kind === "game"
                    ? "The game is at fault. No policy loses anything."
                    : fault.kind === "server"
                      ? "The server is at fault. No policy loses anything."
                      : "It is not known which side is at fault. No policy loses anything.",
                ),
          ),
        ]
      : []),
  ];
}

function resultParts(episode: EpisodePage, text: string): HTMLElement[] {
  let results: unknown;
  try {
    results = JSON.parse(text);
  } catch {
    return [el("pre", { attrs: { tabindex: 0 } }, text)];
  }
  const { columns, facts: values, others } = resultTables(results, episode.results_schema, episode.seats.length);
  const parts: HTMLElement[] = [];
  if (columns.length) {
    const head = el("tr", {}, el("th", { class: "cell-name", attrs: { scope: "col" } }, "Seat"));
    for (const column of columns)
      head.append(el("th", { class: "cell-number", title: column.about, attrs: { scope: "col" } }, column.title));
    const rows = episode.seats.map((seat, i) =>
      el(
        "tr",
        {},
        el("th", { class: "cell-name", attrs: { scope: "row" } }, name(seat.name)),
        ...columns.map((column) => el("td", { class: "cell-number" }, shown(column.values[i]))),
      ),
    );
    const caption = el("caption", { class: "unseen" }, "Results of each seat");
    parts.push(
      el(
        "div",
        { class: "scroll" },
        el("table", { class: "rows" }, caption, el("thead", {}, head), el("tbody", {}, ...rows)),
      ),
    );
  }
  if (values.length) parts.push(facts(...values.map((fact): [string, string] => [fact.title, shown(fact.value)])));
  if (others.length) parts.push(el("p", { class: "quiet small" }, `Also in the document: ${others.join(", ")}`));
  parts.push(
    el(
      "details",
      {},
      el("summary", {}, "Results as JSON"),
      el("pre", { attrs: { tabindex: 0 } }, JSON.stringify(results, null, 2)),
    ),
  );
  return parts;
}

function shown(value: Scalar | undefined): string {
  if (value === null || value === undefined) return NONE;
  if (typeof value === "number") return Number.isInteger(value) ? count(value) : score(value);
  return typeof value === "boolean" ? (value ? "yes" : "no") : plainName(value);
}

function details(episode: EpisodePage): (HTMLElement | null)[] {
  const retries = Math.max(0, episode.attempts - 1);
  return [
    facts(
      ["Requested by", name(episode.requester)],
      ["Why", SOURCES[episode.source] ?? words(episode.source)],
      episode.request_id ? ["Request", el("span", { class: "mono small" }, episode.request_id)] : null,
      ["Seed", episode.seed === null ? NONE : el("span", { class: "mono" }, String(episode.seed))],
      ["Steps", count(episode.steps)],
      ["Queued for", duration(episode.timings.waited)],
      ["Duration", duration(episode.timings.played)],
      ["Retries", count(retries)],
    ),
    el(
      "details",
      {},
      el("summary", {}, "Configuration of the game"),
      el("pre", { attrs: { tabindex: 0 } }, JSON.stringify(episode.game_config, null, 2)),
    ),
    el("h3", {}, "On your machine"),
    command(`coworld replay-open ${episode.id} --server ${location.origin}`),
    command(`coworld episode-logs ${episode.id} --list --server ${location.origin}`),
  ];
}

const SOURCES: Record<string, string> = {
  experience_request: "an experience request",
  coworld_upload: "check of a new version of the game",
  round: "a round of a league",
  lobby: "a lobby",
};
