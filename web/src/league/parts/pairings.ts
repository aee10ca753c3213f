import { type Child, el, renew } from "../../ui/dom";
import type { Pairings, RoundEntrant } from "../api-types";
import { plainName } from "../format";
import { type Meeting, meetingText, square } from "../lines";
import { to } from "../router";
import type { Site } from "../view";
import { name, problem } from "./bits";
import { playerLink } from "./league-bits";
import { Pane } from "./pane";

/** With more entrants a square of meetings is not readable. */
const MOST_ENTRANTS = 60;

/** The meetings of a round as a square: each row shows the results of one entrant against all others. */
export class PairingSquare extends Pane<Pairings> {
  readonly element = el("section", { class: "panel", attrs: { "aria-label": "Meetings", hidden: true } });
  private readonly body = el("div", {
    class: "scroll",
    attrs: { tabindex: 0, role: "region", "aria-label": "Meetings" },
  });

  constructor(site: Site, round: string) {
    super(site, round, ["round", "round_episode"]);
    this.element.append(
      el("h2", {}, "Meetings"),
      this.body,
      el(
        "p",
        { class: "quiet small" },
        "Episodes won and lost by the entrant of the row; draws follow after an equals sign.",
      ),
    );
  }

  show(): void {
    this.open();
  }

  protected ask(signal: AbortSignal): Promise<Pairings> {
    const words = { round_id: this.season };
    return this.site.api.get("/observatory/api/rounds/{round_id}/pairings", words, {}, signal);
  }

  protected draw(): void {
    const { value, error } = this.source;
    if (error) renew(this.body, problem(error));
    if (!value) return;
    const { entrants, cells } = value;
    this.element.hidden = cells.length === 0 || entrants.length < 2 || entrants.length > MOST_ENTRANTS;
    if (!this.element.hidden) renew(this.body, squareTable(entrants, square(entrants.length, cells)));
  }
}

function label(entrant: RoundEntrant): string {
  return plainName(entrant.player?.name ?? entrant.policy.name);
}

function squareTable(entrants: readonly RoundEntrant[], rows: readonly (Meeting | null)[][]): HTMLElement {
  const heads = entrants.map((entrant, i) =>
    el("th", { title: label(entrant), attrs: { scope: "col" } }, el("abbr", { title: label(entrant) }, String(i + 1))),
  );
  const body = entrants.map((entrant, i) =>
    el(
      "tr",
      {},
      el(
        "th",
        { attrs: { scope: "row" } },
        el("span", { class: "quiet small" }, `${i + 1} `),
        entrant.player ? playerLink(entrant.player) : name(entrant.policy.name),
      ),
      ...rows[i].map((meeting, j) =>
        el("td", { class: toneOf(meeting, i === j) }, cellOf(meeting, entrant, entrants[j])),
      ),
    ),
  );
  return el(
    "table",
    { class: "rows square" },
    el("caption", { class: "unseen" }, "Meetings of the entrants"),
    el("thead", {}, el("tr", {}, el("th", { attrs: { scope: "col" } }, "Entrant"), ...heads)),
    el("tbody", {}, ...body),
  );
}

function toneOf(meeting: Meeting | null, isSelf: boolean): string {
  if (isSelf) return "is-self";
  if (!meeting) return "";
  return meeting.won > meeting.lost ? "is-won" : meeting.won < meeting.lost ? "is-lost" : "is-even";
}

function cellOf(meeting: Meeting | null, own: RoundEntrant, other: RoundEntrant): Child {
  if (!meeting) return "";
  const { won, lost, drawn } = meeting;
  const words = `${label(own)} against ${label(other)}: ${won} won, ${lost} lost, ${drawn} drawn`;
  return el(
    "a",
    { title: words, attrs: { href: to.episode(meeting.episode), "aria-label": words } },
    meetingText(meeting),
  );
}
