import { teamColour } from "../../board/palette";
import { type Episode, type Frame, readableName, type Team } from "../../decode";
import { el, onClick, renew } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App, Change } from "../app";
import { formatNumber } from "../format";
import { spriteIcon } from "../sprite-icon";
import { facts, type Panel, teamBadge } from "./panel";

/** The score of each team at this tick. */
export class ScorePanel implements Panel {
  readonly name = "score";
  readonly title = "Score";
  readonly icon = ICONS.score;
  readonly element = el("div", { class: "panel-body" });

  constructor(private readonly app: App) {}

  update(_: ReadonlySet<Change>): void {
    const { left } = this.app;
    if (!left) return renew(this.element);
    const frame = left.at(this.app.tick);
    renew(this.element, ...left.teams.list.map((team) => this.team(left, frame, team)));
  }

  table(): { name: string; rows: (string | number)[][] } | null {
    const { left } = this.app;
    if (!left) return null;
    const frame = left.at(this.app.tick);
    const head = ["team", "agents", "held", "reward per agent"];
    const rows = left.teams.list.map((team) => [
      team.name,
      team.agents.length,
      heldBy(left, frame, team),
      meanReward(frame, team) ?? "",
    ]);
    return { name: `score-tick-${this.app.tick}`, rows: [head, ...rows] };
  }

  private team(episode: Episode, frame: Frame, team: Team): HTMLElement {
    const own = frame.objects.filter((object) => episode.teams.of(object).includes(team));
    const mean = meanReward(frame, team);
    const rows: [string, string | number][] = [];
    if (mean !== null) rows.push(["reward per agent", formatNumber(mean)]);
    for (const type of episode.teams.holdingTypes)
      rows.push([`${readableName(type)}s held`, own.filter((object) => object.type === type).length]);
    rows.push(["agents", team.agents.length]);
    const counts = new Map<string, number>();
    for (const object of own) {
      if (object.agent < 0 && !episode.teams.holdingTypes.has(object.type))
        counts.set(object.type, (counts.get(object.type) ?? 0) + 1);
    }
    for (const [type, count] of counts) rows.push([readableName(type), count]);
    return el(
      "section",
      { class: "part", attrs: { "data-team": team.name } },
      el("h3", { class: "score-head" }, teamBadge(team, this.app.palette), this.hider(team)),
      facts(rows),
      this.stock(
        episode,
        own.filter((object) => object.agent < 0),
      ),
      this.roles(episode, frame, team),
    );
  }

  private stock(episode: Episode, buildings: Frame["objects"]): HTMLElement | null {
    const sums = new Map<number, number>();
    for (const { inventory } of buildings)
      for (const [resource, amount] of inventory) sums.set(resource, (sums.get(resource) ?? 0) + amount);
    if (!sums.size) return null;
    const { resourceNames } = episode.replay.parts;
    const items = [...sums]
      .sort((a, b) => a[0] - b[0])
      .map(([resource, amount]) => {
        const name = resourceNames[resource] ?? String(resource);
        return el(
          "span",
          { class: "item", title: `${name} stored`, attrs: { "data-item": name, "data-amount": amount } },
          spriteIcon(`sign:${name}`, {}, name),
          amount,
        );
      });
    return el("div", { class: "items" }, ...items);
  }

  private roles(episode: Episode, frame: Frame, team: Team): HTMLElement | null {
    const counts = new Map<string, number>();
    for (const object of frame.objects) {
      if (object.agent < 0 || !team.agents.includes(object.agent)) continue;
      const role = episode.teams.roleOf(object);
      const name = role < 0 ? "" : episode.replay.parts.resourceNames[role];
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    if (!counts.size) return null;
    const main = teamColour(team, this.app.palette);
    const items = [...counts]
      .sort()
      .map(([name, count]) =>
        el(
          "span",
          { class: "item", title: name || "no role" },
          spriteIcon(name ? `cog:${name}` : "cog", { main }, name || "no role"),
          count,
        ),
      );
    return el("div", { class: "items" }, ...items);
  }

  private hider(team: Team): HTMLElement {
    const isShown = !this.app.hiddenTeams.has(team.name);
    const row = el(
      "button",
      { class: "chip", attrs: { type: "button", "aria-pressed": String(isShown) } },
      "territory",
    );
    onClick(row, () => {
      if (isShown) this.app.hiddenTeams.add(team.name);
      else this.app.hiddenTeams.delete(team.name);
      this.app.changed("settings");
    });
    return row;
  }
}

export function heldBy(episode: Episode, frame: Frame, team: Team): number {
  return frame.objects.filter((object) => episode.teams.holdingTypes.has(object.type) && object.tags.includes(team.tag))
    .length;
}

export function meanReward(frame: Frame, team: Team): number | null {
  if (!team.agents.length) return null;
  return team.agents.reduce((sum, agent) => sum + frame.agents[agent].total, 0) / team.agents.length;
}
