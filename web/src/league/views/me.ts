import { el, renew } from "../../ui/dom";
import { RequestError } from "../api";
import type {
  HostedLine,
  PlayerLine,
  PolicyVersionRow,
  Profile,
  RequestLine,
  SubmissionLine,
  TokenLine,
} from "../api-types";
import { count } from "../format";
import { buttonLink, chip, coded, empty, link, name, Part, policyLink, time } from "../parts/bits";
import { episodeTable } from "../parts/episodes";
import { meTabs } from "../parts/me-tabs";
import { leagueEntry, seasonEntry } from "../parts/own-entries";
import { OwnTokens } from "../parts/own-tokens";
import { LiveTable } from "../parts/table";
import { type Route, to } from "../router";
import { type Site, View } from "../view";

/** Everything of the user: policies, entries, requests, episodes, players and tokens. */
export class MeView extends View {
  override title = "Profile";
  private readonly versions = this.source(
    (signal) =>
      this.signedIn(() => this.site.api.get("/stats/policy-versions", {}, { mine: true, limit: 200 }, signal)),
    "policy",
  );
  private readonly profile = this.source(
    (signal) => this.signedIn(() => this.site.api.get("/observatory/api/profile", {}, {}, signal)),
    "policy",
    "membership",
    "table",
    "league",
    "league_entry",
    "round",
    "queue",
    "hosted",
  );
  private readonly head = el("header", { class: "page-head" });
  private readonly table = new LiveTable<PolicyVersionRow>(
    "Your policies",
    [
      {
        title: "Policy",
        kind: "name",
        cell: (row) => [
          el(
            "a",
            { class: "policy", attrs: { href: to.policy(row.id) } },
            name(row.name),
            el("span", { class: "version" }, `v${row.version}`),
          ),
        ],
      },
      { title: "Uploaded", cell: (row) => time(row.created_at) },
      { title: "Id", from: "tablet", cell: (row) => el("span", { class: "mono small quiet" }, row.id) },
    ],
    (row) => row.id,
  );
  private readonly episodeTable = episodeTable("Your last episodes");
  private readonly parts = {
    entries: new Part("Seasons and leagues"),
    policies: new Part("Policies", this.table.element),
    submissions: new Part("League submissions"),
    episodes: new Part("Last episodes", this.episodeTable.element),
    requests: new Part("Experience requests"),
    hosted: new Part("Hosted games"),
    players: new Part("Players"),
    tokens: new Part("Tokens"),
    account: new Part("Account"),
  };

  constructor(site: Site, route: Route) {
    super(site, route);
    this.content.append(this.head, ...Object.values(this.parts).map((part) => part.element));
    const csrf = el("input", { attrs: { type: "hidden", name: "csrf", value: site.api.me?.csrf ?? "" } });
    const out = el(
      "form",
      { attrs: { method: "post", action: "/sign-out" } },
      csrf,
      el("button", { class: "button bordered", attrs: { type: "submit" } }, "Sign out"),
    );
    this.parts.tokens.element.replaceWith(new OwnTokens(site).element);
    this.parts.account.body.append(
      el(
        "p",
        {},
        el("a", { attrs: { href: "/observatory/home" } }, "Manage tokens and players"),
        el("span", { class: "quiet" }, ": make, view or revoke them"),
      ),
      el(
        "p",
        { class: "quiet small" },
        ...coded("On a command line, `cogames auth login` or `softmax login` gets a separate token."),
      ),
      out,
    );
  }

  private signedIn<T>(ask: () => Promise<T>): Promise<T> {
    if (this.site.api.me?.signed_in) return ask();
    return Promise.reject(new RequestError("Sign in to see your profile", 401));
  }

  draw(): void {
    const value = this.dataOf(this.versions);
    if (!value) return;
    const { me } = this.site.api;
    renew(
      this.head,
      el("h1", {}, name(me?.name ?? "Me")),
      el("p", { class: "quiet" }, name(me?.email ?? "")),
      meTabs("me", me?.user_id ?? ""),
    );
    this.table.update(value.entries);
    this.parts.policies.show(
      `Policies (${count(value.total_count)})`,
      value.entries.length > 0,
      empty("You have no policies yet.", buttonLink(to.upload(), "Upload one"), link(to.home(), "All competitions")),
    );
    if (this.profile.value) this.drawProfile(this.profile.value);
  }

  private drawProfile(profile: Profile): void {
    const { entries, submissions, episodes, requests, hosted, players, tokens } = this.parts;
    list(entries, [...profile.leagues.map(leagueEntry), ...profile.seasons.map(seasonEntry)]);
    entries.show(
      "Seasons and leagues",
      profile.leagues.length + profile.seasons.length > 0,
      empty("None of your policies is in a season or league.", link(to.home(), "Choose one")),
    );
    list(submissions, profile.submissions.map(submission));
    submissions.show(
      "League submissions",
      profile.submissions.length > 0,
      empty("You have submitted nothing to a league. `coworld submit POLICY --league LEAGUE` does it."),
    );
    this.episodeTable.update(profile.episodes);
    episodes.show("Last episodes", profile.episodes.length > 0, empty("No episodes with your policies yet."));
    list(requests, profile.requests.map(request));
    requests.show(
      "Experience requests",
      profile.requests.length > 0,
      empty(
        "You have requested no episodes. `coworld xp-request create FILE` lets your policies play what you choose.",
      ),
    );
    list(hosted, profile.hosted.map(hostedGame));
    hosted.show(
      "Hosted games",
      profile.hosted.length > 0,
      empty("You have played no game in the browser yet.", link(to.coworlds(), "Choose a game")),
    );
    list(players, profile.players.map(player));
    players.show(
      `Players (${count(profile.players.length)})`,
      profile.players.length > 0,
      empty("You have no players."),
    );
    list(tokens, profile.tokens.map(token));
    tokens.show(
      `Tokens (${count(profile.tokens.length)})`,
      profile.tokens.length > 0,
      empty("You have no tokens. `softmax login` makes one."),
    );
  }
}

function list(part: Part, lines: readonly HTMLElement[]): void {
  renew(part.body, el("ul", { class: "plain-list" }, ...lines));
}

function submission(line: SubmissionLine): HTMLElement {
  return el(
    "li",
    {},
    policyLink(line.policy),
    el("span", {}, "to ", link(to.league(line.league_id), name(line.league))),
    chip(line.status === "rejected" ? "failed" : line.status === "placed" ? "completed" : "plain", line.status),
    line.notes ? el("span", { class: "small" }, name(line.notes)) : null,
    el("span", { class: "quiet small" }, time(line.created_at)),
  );
}

function request(line: RequestLine): HTMLElement {
  const title = line.title || `${count(line.episodes)} × ${line.coworld}`;
  return el(
    "li",
    {},
    line.first_episode ? link(to.episode(line.first_episode), name(title)) : name(title),
    link(to.coworld(line.coworld_id), name(line.coworld)),
    chip(line.status),
    el(
      "span",
      { class: "small" },
      `${count(line.ended)} of ${count(line.episodes)} ended`,
      line.failed ? el("span", { class: "bad" }, `, ${count(line.failed)} failed`) : "",
    ),
    el("span", { class: "mono small quiet" }, line.id),
    el("span", { class: "quiet small" }, time(line.created_at)),
  );
}

function hostedGame(line: HostedLine): HTMLElement {
  const title = `${HOSTED[line.kind] ?? line.kind} of ${line.coworld}`;
  return el(
    "li",
    {},
    line.url ? link(line.url, name(title)) : name(title),
    chip(line.status === "ended" ? "finished" : "running", line.status),
    el("span", { class: "quiet small" }, time(line.created_at)),
  );
}

const HOSTED: Record<string, string> = { play: "Game", lobby: "Lobby", replay: "Replay" };

function player(line: PlayerLine): HTMLElement {
  return el(
    "li",
    {},
    link(to.player(line.id), name(line.name)),
    line.is_default ? chip("plain", "default") : null,
    el("span", { class: "mono small quiet" }, line.id),
  );
}

function token(line: TokenLine): HTMLElement {
  return el(
    "li",
    {},
    name(line.name),
    el("code", {}, line.preview),
    chip("plain", line.kind.replaceAll("_", " ")),
    el(
      "span",
      { class: "quiet small" },
      line.expires_at ? "expires " : "",
      line.expires_at ? time(line.expires_at) : "",
    ),
  );
}
