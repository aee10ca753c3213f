import { resourceColour, teamColour } from "../../board/palette";
import { agentSeries, historyRows, seriesRows } from "../../decode";
import { el, onClick, renew, replace } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App, Change } from "../app";
import { Chart, type Line } from "../chart";
import type { Panel } from "./panel";

/** Charts over time, of the teams or of the selected agent. */
export class ChartsPanel implements Panel {
  readonly name = "charts";
  readonly title = "Charts";
  readonly icon = ICONS.charts;
  readonly element = el("div", { class: "panel-body" });
  private readonly choice = el("div", { class: "chips", attrs: { role: "group", "aria-label": "Charts of" } });
  private readonly holder = el("div", { class: "charts" });
  private charts: Chart[] = [];
  private who: "teams" | "agent" = "teams";
  private drawnKey = "";

  constructor(private readonly app: App) {
    this.element.append(this.choice, this.holder);
    new ResizeObserver(() => {
      for (const chart of this.charts) chart.redraw();
    }).observe(this.holder);
  }

  update(changes: ReadonlySet<Change>): void {
    const { left } = this.app;
    if (!left) return;
    const agent = this.agent();
    const key = `${left.name}/${this.who}/${this.who === "agent" ? agent : ""}/${this.app.palette}/${this.app.themeNow.name}`;
    if (changes.has("replay") || changes.has("grown") || key !== this.drawnKey) {
      this.drawnKey = key;
      this.draw(agent);
    }
    for (const chart of this.charts) chart.update(this.app.tick);
  }

  table(): { name: string; rows: (string | number)[][] } | null {
    const { left } = this.app;
    if (!left) return null;
    const { history } = left;
    const agent = this.agent();
    if (this.who === "agent" && agent >= 0) {
      const rows = seriesRows(history.ticks, agentSeries(left.replay, agent, history.ticks));
      return { name: `agent-${agent}`, rows };
    }
    return { name: "teams", rows: historyRows(history, left.replay) };
  }

  private agent(): number {
    const { left } = this.app;
    const number = left ? this.app.selectedNumber(left) : -1;
    return number < 0 ? -1 : left!.replay.parts.agentOf[number];
  }

  private draw(agent: number): void {
    const choices = [
      ["teams", "Teams"],
      ["agent", agent < 0 ? "Selected agent" : `Agent ${agent}`],
    ] as const;
    renew(
      this.choice,
      ...choices.map(([who, name]) => {
        const chip = el(
          "button",
          { class: "chip", attrs: { type: "button", "aria-pressed": String(this.who === who) } },
          name,
        );
        onClick(chip, () => {
          this.who = who;
          this.update(new Set(["panel"]));
        });
        return chip;
      }),
    );
    if (this.who === "agent" && agent < 0) {
      this.charts = [];
      return replace(this.holder, el("p", { class: "quiet" }, "Select an agent (keys , and .)"));
    }
    this.charts = this.who === "teams" ? this.teamCharts() : this.agentCharts(agent);
    replace(this.holder, ...this.charts.map(({ element }) => element));
  }

  private teamCharts(): Chart[] {
    const episode = this.app.left!;
    const { ticks, teams } = episode.history;
    const charts: Chart[] = [];
    const add = (title: string, lines: Line[]) => {
      const shown = lines.filter(({ values }) => values.some((value) => value !== 0));
      if (shown.length) charts.push(new Chart({ title, ticks, lines: shown, onSeek: (tick) => this.app.seek(tick) }));
    };
    const colour = (index: number) => teamColour(teams[index].team, this.app.palette);
    const held = [...episode.teams.holdingTypes].map((type) => `${type}s`).join(", ");
    add(
      held ? `${held} held` : "held",
      teams.map(({ team, held }, i) => ({ name: team.name, colour: colour(i), values: held })),
    );
    add(
      "reward per agent",
      teams
        .filter(({ reward }) => reward.length)
        .map(({ team, reward }) => ({ name: team.name, colour: colour(team.index), values: reward })),
    );
    episode.replay.parts.resourceNames.forEach((name, resource) => {
      if (!teams[0] || resource >= teams[0].stored.length) return;
      add(
        name,
        teams.flatMap(({ team, stored, carried }, i) => [
          { name: `${team.name} stored`, colour: colour(i), values: stored[resource] },
          { name: `${team.name} carried`, colour: colour(i), values: carried[resource], dashed: true },
        ]),
      );
    });
    return charts;
  }

  private agentCharts(agent: number): Chart[] {
    const episode = this.app.left!;
    const { ticks } = episode.history;
    const own = episode.teams.ofAgent(agent);
    return agentSeries(episode.replay, agent, ticks)
      .filter(({ values }) => values.some((value) => value !== 0))
      .map(({ name, values }) => {
        const colour = name === "reward" && own ? teamColour(own, this.app.palette) : resourceColour(name);
        return new Chart({
          title: name,
          ticks,
          lines: [{ name, colour, values }],
          onSeek: (tick) => this.app.seek(tick),
        });
      });
  }
}
