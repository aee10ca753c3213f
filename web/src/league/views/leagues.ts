import { el, renew } from "../../ui/dom";
import { empty, link } from "../parts/bits";
import { leagueCard } from "../parts/league-cards";
import { to } from "../router";
import { View } from "../view";

/** All leagues that the user may see. */
export class LeaguesView extends View {
  override title = "Leagues";
  private readonly leagues = this.source(
    (signal) => this.site.api.get("/observatory/api/leagues", {}, {}, signal),
    "league",
    "league_entry",
    "round",
    "round_episode",
    "division",
  );

  draw(): void {
    const value = this.dataOf(this.leagues);
    if (!value) return;
    renew(
      this.content,
      el("h1", {}, "Leagues"),
      el("p", { class: "quiet" }, "A league plays rounds of one game for as long as its owner lets it."),
      value.length
        ? el("div", { class: "cards" }, ...value.map(leagueCard))
        : empty(
            "No leagues yet. The author of a Coworld creates one with `coworld league create`.",
            link(to.home(), "All seasons"),
          ),
    );
  }
}
