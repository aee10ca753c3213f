import { el, renew } from "../../ui/dom";
import type { LeaguePage } from "../api-types";
import type { Site } from "../view";
import { act, facts, Part, problem, time } from "./bits";

/** What the owner of a league may do at once: pause, start a round, lock submissions and the game's version. */
export class LeagueControls {
  readonly element: HTMLElement;
  private readonly part = new Part("Operate");
  private readonly answer = el("div", { attrs: { role: "status" } });
  private readonly pause = act("Pause rounds", () => void this.change("pause"));
  private readonly trigger = act("Start a round now", () => void this.change("trigger"), "is-main");
  private readonly submissions = act("Lock submissions", () => void this.change("submissions"));
  private readonly version = act("Lock the game version", () => void this.change("version"));
  private readonly state = el("div");
  private league: LeaguePage | null = null;

  constructor(
    private readonly site: Site,
    private readonly changed: () => void,
  ) {
    this.element = this.part.element;
    this.part.body.append(
      this.state,
      el("p", { class: "actions" }, this.trigger, this.pause, this.submissions, this.version),
      el(
        "p",
        { class: "quiet small" },
        "A pause lets the rounds that have begun end as usual. A locked version stays the one the league plays, ",
        "also when a newer one is certified.",
      ),
      this.answer,
    );
  }

  update(league: LeaguePage): void {
    this.league = league;
    const { locks } = league;
    renew(
      this.state,
      facts(
        ["Rounds", league.paused_at ? el("span", {}, "paused ", time(league.paused_at)) : "not paused"],
        ["Submissions", locks.submissions_locked ? "locked" : "open"],
        [
          "Game version",
          locks.game_version_locked
            ? `locked at ${locks.locked_game_version ?? "?"}; ${locks.canonical_game_version} is canonical`
            : `follows the canonical version, ${locks.canonical_game_version || "none yet"}`,
        ],
        league.commissioner_problem
          ? ["Commissioner", el("span", { class: "bad" }, league.commissioner_problem)]
          : null,
      ),
    );
    this.pause.textContent = league.paused_at ? "Resume rounds" : "Pause rounds";
    this.trigger.disabled = league.paused_at !== null;
    this.submissions.textContent = locks.submissions_locked ? "Open submissions" : "Lock submissions";
    this.version.textContent = locks.game_version_locked ? "Unlock the game version" : "Lock the game version";
  }

  private async change(what: "pause" | "trigger" | "submissions" | "version"): Promise<void> {
    const { league } = this;
    if (!league) return;
    const { api } = this.site;
    const words = { league_id: league.id };
    const { submissions_locked, game_version_locked } = league.locks;
    renew(this.answer);
    try {
      if (what === "pause") {
        await api.post("/v2/leagues/{league_id}/rounds-paused", words, { paused: league.paused_at === null });
        this.site.say(league.paused_at ? "Rounds continue" : "Rounds are paused");
      } else if (what === "trigger") {
        await api.post("/v2/leagues/{league_id}/trigger-round", words);
        this.site.say("The next round of each division starts as soon as it can");
      } else {
        await api.post("/v2/leagues/{league_id}/locks", words, {
          submissions_locked: what === "submissions" ? !submissions_locked : submissions_locked,
          game_version_locked: what === "version" ? !game_version_locked : game_version_locked,
        });
        this.site.say("Saved");
      }
      this.changed();
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
  }
}
