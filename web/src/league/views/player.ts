import { el, renew } from "../../ui/dom";
import type { PlayerEpisode, PlayerMembership, PlayerPage, PlayerRound, PlayerSeason } from "../api-types";
import { count, counted, difference, plainName, ratingDigits, score, words } from "../format";
import type { Change } from "../live";
import { chip, empty, link, name, Part, policyLink, time } from "../parts/bits";
import { crumbs, divisionLink, playerLink } from "../parts/league-bits";
import { MembershipHistory } from "../parts/membership-history";
import { RatingChart } from "../parts/rating-chart";
import { LiveTable } from "../parts/table";
import { type Route, to } from "../router";
import { type Site, View } from "../view";

type PlayerRoute = Extract<Route, { page: "player" }>;

/** A player: memberships over all leagues, ratings, history, policies, seasons, recent rounds and episodes. */
export class PlayerView extends View<PlayerRoute> {
  private readonly page = this.source(
    (signal) => this.site.api.get("/observatory/api/players/{player_id}", { player_id: this.route.player }, {}, signal),
    "league_entry",
    "round",
    "membership",
    "policy",
  );
  private readonly head = el("header", { class: "page-head" });
  private readonly memberships = membershipTable();
  private readonly league = el("select", { class: "field", attrs: { "aria-label": "League" } });
  private readonly chart = new RatingChart();
  private readonly rounds = roundTable();
  private readonly history: MembershipHistory;
  private readonly parts = {
    memberships: new Part("Leagues", this.memberships.element),
    chart: new Part("Rating, round by round", el("p", { class: "fields" }, this.league), this.chart.element),
    rounds: new Part("Recent rounds", this.rounds.element),
    episodes: new Part("Recent episodes"),
    policies: new Part("Policies"),
    seasons: new Part("Seasons"),
  };

  constructor(site: Site, route: PlayerRoute) {
    super(site, route);
    this.title = "Player";
    this.history = new MembershipHistory(site, route.player);
    this.league.addEventListener("change", () => this.drawChart());
    const { memberships, chart, rounds, episodes, policies, seasons } = this.parts;
    this.content.append(
      this.head,
      memberships.element,
      chart.element,
      rounds.element,
      this.history.element,
      episodes.element,
      policies.element,
      seasons.element,
    );
  }

  override handleChanges(changes: readonly Change[]): void {
    super.handleChanges(changes);
    this.history.handleChanges(changes);
  }

  override refresh(): void {
    super.refresh();
    this.history.refresh();
  }

  override close(): void {
    super.close();
    this.history.close();
  }

  draw(): void {
    const page = this.dataOf(this.page);
    if (!page) return;
    this.title = plainName(page.player.name);
    document.title = `${this.title} · Alignment League`;
    const live = page.memberships.filter((row) => row.is_live);
    renew(
      this.head,
      crumbs(link(to.leagues(), "Leagues"), el("span", { class: "quiet" }, "Player")),
      el("h1", {}, name(page.player.name)),
      el(
        "p",
        { class: "quiet" },
        "a player of ",
        name(page.owner),
        page.mine ? " (you)" : "",
        ` · ${counted(new Set(live.map((row) => row.league.id)).size, "league")} · since `,
        time(page.created_at),
      ),
    );
    this.memberships.update(page.memberships);
    this.parts.memberships.show(
      "Leagues",
      page.memberships.length > 0,
      empty("Not in a league yet.", link(to.leagues(), "All leagues")),
    );
    this.drawChart();
    this.rounds.update(page.rounds);
    this.parts.rounds.show("Recent rounds", page.rounds.length > 0, empty("No completed rounds yet."));
    renew(this.parts.episodes.body, el("ul", { class: "plain-list" }, ...page.episodes.map(episodeLine)));
    this.parts.episodes.show("Recent episodes", page.episodes.length > 0, empty("No episodes of rounds yet."));
    renew(
      this.parts.policies.body,
      el(
        "ul",
        { class: "plain-list" },
        ...page.policies.map((row) =>
          el(
            "li",
            {},
            policyLink(row.policy),
            el(
              "span",
              { class: "quiet small" },
              `${counted(row.versions, "version")}, the last one `,
              time(row.created_at),
            ),
          ),
        ),
      ),
    );
    this.parts.policies.show(
      `Policies (${count(page.policies.length)})`,
      page.policies.length > 0,
      empty("No policies yet."),
    );
    this.drawSeasons(page);
    this.history.show();
  }

  private drawSeasons(page: PlayerPage): void {
    this.parts.seasons.element.hidden = page.seasons.length === 0;
    renew(
      this.parts.seasons.body,
      el("p", { class: "quiet small" }, "Policies of ", name(page.owner), " in seasons"),
      el("ul", { class: "plain-list" }, ...page.seasons.map(seasonLine)),
    );
  }

  private drawChart(): void {
    const { value } = this.page;
    if (!value) return;
    const { ratings } = value;
    const key = JSON.stringify(ratings.map(({ league }) => league));
    if (this.league.dataset.leagues !== key) {
      this.league.dataset.leagues = key;
      const chosen = this.league.value;
      this.league.replaceChildren(
        ...ratings.map(({ league }) => el("option", { attrs: { value: league.id } }, plainName(league.name))),
      );
      if (ratings.some(({ league }) => league.id === chosen)) this.league.value = chosen;
    }
    this.league.parentElement!.hidden = ratings.length < 2;
    const shown = ratings.find(({ league }) => league.id === this.league.value) ?? ratings[0];
    const title = shown?.label ? `${shown.label}, round by round` : "Score, round by round";
    this.parts.chart.show(title, Boolean(shown?.points.length), empty("No completed rounds yet."));
    if (shown) this.chart.update(shown);
  }
}

function membershipTable(): LiveTable<PlayerMembership> {
  return new LiveTable<PlayerMembership>(
    "Leagues",
    [
      {
        title: "League",
        kind: "name",
        cell: (row) => [
          link(to.league(row.league.id), name(row.league.name)),
          el("span", { class: "small quiet" }, " ", divisionLink(row.division)),
          el("span", { class: "to-phone small" }, policyLink(row.policy)),
        ],
      },
      { title: "Policy", from: "tablet", cell: (row) => policyLink(row.policy) },
      { title: "Status", cell: (row) => statusOf(row) },
      { title: "Rank", kind: "number", cell: (row) => (row.rank === null ? "–" : `${row.rank} of ${count(row.of)}`) },
      {
        title: "Score",
        kind: "number",
        from: "tablet",
        cell: (row) =>
          row.score === null
            ? "–"
            : [
                score(row.score, ratingDigits(row.score)),
                el("span", { class: "small quiet" }, ` ${row.score_label}${row.settling ? ", settling" : ""}`),
              ],
      },
      { title: "Since", from: "desktop", cell: (row) => time(row.since) },
    ],
    (row) => row.id,
    (row) => (row.is_live ? "" : "is-out"),
  );
}

function statusOf(row: PlayerMembership): HTMLElement {
  if (row.is_champion) return chip("champion");
  if (!row.is_live && row.status !== "disqualified") return chip("plain", "retired");
  return chip(row.status, row.substatus === "benched" ? "benched" : words(row.status));
}

function roundTable(): LiveTable<PlayerRound> {
  return new LiveTable<PlayerRound>(
    "Recent rounds",
    [
      {
        title: "Round",
        kind: "name",
        cell: (row) => [
          link(to.round(row.round_id), `Round ${row.number}`),
          el("span", { class: "small quiet" }, " ", divisionLink(row.division), " in ", name(row.league.name)),
        ],
      },
      { title: "Rank", kind: "number", cell: (row) => `${row.rank} of ${count(row.of)}` },
      { title: "Score", kind: "number", from: "tablet", cell: (row) => score(row.score) },
      {
        title: "Rating",
        kind: "number",
        cell: (row) =>
          row.after === null
            ? "–"
            : [
                score(row.after, ratingDigits(row.before, row.after)),
                row.before === null
                  ? null
                  : el(
                      "span",
                      { class: `small ${row.after >= row.before ? "good" : "bad"}` },
                      ` ${difference(row.after - row.before, ratingDigits(row.before, row.after))}`,
                    ),
              ],
      },
      { title: "When", from: "tablet", cell: (row) => time(row.at) },
    ],
    (row) => row.round_id,
  );
}

function episodeLine(row: PlayerEpisode): HTMLElement {
  const others = row.opponents.flatMap((one, i) => (i ? [", ", playerLink(one)] : [playerLink(one)]));
  return el(
    "li",
    {},
    link(to.episode(row.id), "Episode"),
    el("span", { class: "small" }, ...(others.length ? ["with ", ...others] : ["alone"])),
    chip(row.status, words(row.status)),
    row.score === null ? null : el("span", { class: "number" }, score(row.score)),
    el("span", { class: "small quiet" }, link(to.round(row.round_id), `round ${row.round_number}`), " ", time(row.at)),
  );
}

function seasonLine(row: PlayerSeason): HTMLElement {
  return el(
    "li",
    {},
    policyLink(row.policy),
    link(to.season(`${row.season}:v${row.season_version}`), row.display_name),
    el("span", { class: "mono small quiet" }, row.pool),
    row.active ? chip("active") : chip("plain", "inactive"),
  );
}
