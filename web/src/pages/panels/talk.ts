import { type Episode, monologueAt } from "../../decode";
import { el, onClick, renew } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App, Change } from "../app";
import { type Panel, section, teamBadge } from "./panel";

const MOST_SHOWN = 200;

/** Talk of all agents so far, and the monologue of the selected one. */
export class TalkPanel implements Panel {
  readonly name = "talk";
  readonly title = "Talk";
  readonly icon = ICONS.talk;
  readonly element = el("div", { class: "panel-body" });
  private onlyHeard = false;

  constructor(private readonly app: App) {}

  update(_: ReadonlySet<Change>): void {
    const { left } = this.app;
    if (!left) return renew(this.element);
    const agent = this.agent(left);
    const { tick } = this.app;
    const speech = left.events.filter((event) => event.kind === "talk" && event.tick <= tick);
    const heard = this.onlyHeard && agent >= 0 ? speech.filter((event) => canHear(left, agent, event)) : speech;
    const rows = heard
      .slice(-MOST_SHOWN)
      .reverse()
      .map((event) => {
        const text = event.text.slice(event.text.indexOf(": ") + 2);
        const row = el(
          "button",
          { class: "event", attrs: { type: "button", "data-tick": event.tick, "data-agent": event.agent } },
          el("span", { class: "event-tick" }, event.tick),
          el("span", { class: "grow" }, el("b", {}, `Agent ${event.agent} `), text),
          event.team ? teamBadge(event.team, this.app.palette) : null,
        );
        onClick(row, () => {
          this.app.seek(event.tick);
          this.app.select(this.app.left?.replay.parts.ids[event.object] ?? 0);
        });
        return el("li", {}, row);
      });
    const monologue = agent >= 0 ? monologueAt(left.replay, agent, tick) : "";
    renew(
      this.element,
      agent >= 0 ? this.chooser(agent) : null,
      rows.length
        ? el("ol", { class: "events" }, ...rows)
        : el("p", { class: "quiet" }, speech.length ? "This agent has heard nothing so far" : "No talk so far"),
      agent >= 0
        ? section(
            `Monologue of agent ${agent}`,
            monologue
              ? el("pre", { class: "monologue", attrs: { "data-testid": "monologue" } }, monologue)
              : el("p", { class: "quiet" }, "none recorded"),
          )
        : el("p", { class: "quiet" }, "Select an agent to read its monologue"),
    );
    const end = this.element.querySelector(".monologue");
    if (end) end.scrollTop = end.scrollHeight;
  }

  private chooser(agent: number): HTMLElement {
    const chip = el(
      "button",
      { class: "chip", attrs: { type: "button", "aria-pressed": String(this.onlyHeard) } },
      `heard by agent ${agent}`,
    );
    onClick(chip, () => {
      this.onlyHeard = !this.onlyHeard;
      this.update(new Set());
    });
    return el("div", { class: "chips" }, chip);
  }

  private agent(episode: Episode): number {
    const number = this.app.selectedNumber(episode);
    return number < 0 ? -1 : episode.replay.parts.agentOf[number];
  }
}

/** Agents hear speakers inside their window. */
function canHear(episode: Episode, agent: number, { tick, x, y }: { tick: number; x: number; y: number }): boolean {
  const [column, row] = episode.replay.placeAt(episode.replay.agentObjects[agent], tick);
  return episode.vision.has(x - column, y - row);
}
