import { el, renew } from "../../ui/dom";
import type { CoworldCard } from "../api-types";
import { count } from "../format";
import { certificationChip, seatsText } from "../parts/badges";
import { chip, empty, facts, link, name } from "../parts/bits";
import { command } from "../parts/commands";
import { to } from "../router";
import { View } from "../view";

/** The catalogue of games. */
export class CoworldsView extends View {
  override title = "Games";
  private readonly coworlds = this.source(
    (signal) => this.site.api.get("/observatory/api/coworlds", {}, {}, signal),
    "queue",
    "league",
  );

  draw(): void {
    const value = this.dataOf(this.coworlds);
    if (!value) return;
    renew(
      this.content,
      el(
        "header",
        { class: "page-head" },
        el("h1", {}, "Games"),
        el(
          "p",
          { class: "quiet" },
          "Each game is a Coworld: a package with the game, its rules, players and replays. Watch it, play it, or write a policy for it.",
        ),
      ),
      value.length
        ? el("div", { class: "cards" }, ...value.map(card))
        : el(
            "div",
            { class: "panel" },
            empty("No games yet. Package one and upload it from your machine."),
            command(`coworld upload-coworld coworld_manifest.json --server ${location.origin}`),
          ),
    );
  }
}

function card(coworld: CoworldCard): HTMLElement {
  const reference = coworld.canonical ? coworld.name : coworld.id;
  return el(
    "article",
    { class: "card", attrs: { "data-coworld": coworld.name } },
    el("h2", {}, link(to.coworld(reference), name(coworld.name)), el("span", { class: "version" }, coworld.version)),
    el(
      "p",
      { class: "chips" },
      certificationChip(coworld.certification),
      !coworld.public && chip("out", "private"),
      ...coworld.tags.slice(0, 3).map((tag) => chip("plain", tag)),
    ),
    el("p", { class: "grow" }, coworld.description),
    coworld.leagues.length > 0 &&
      el(
        "p",
        { class: "small" },
        el("span", { class: "quiet" }, "Leagues: "),
        ...coworld.leagues
          .slice(0, 3)
          .flatMap((league, i) => [i ? ", " : "", link(to.league(league.id), name(league.name))]),
      ),
    facts(
      ["Seats", seatsText(coworld.seats_min, coworld.seats_max)],
      ["Variants", count(coworld.variants)],
      ["Comes with", coworld.roles.map((role) => role.replace("_", " ")).join(", ")],
      ["By", name(coworld.owner || coworld.uploader)],
    ),
  );
}
