import type { GameEvent } from "./events";
import type { HeatMap } from "./heat";
import type { Replay } from "./replay";
import type { Series, TeamHistory } from "./series";

export type Cell = string | number;

/** Format rows as CSV. Escapes texts that a spreadsheet would interpret as formulas. */
export function csv(rows: readonly (readonly Cell[])[]): string {
  const lines = rows.map((row) => row.map(cell).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

function cell(value: Cell): string {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One row per tick and team. */
export function historyRows(history: TeamHistory, replay: Replay): Cell[][] {
  const names = replay.parts.resourceNames.slice(0, history.teams[0]?.stored.length ?? 0);
  const head = ["tick", "team", "held", "reward", ...names.flatMap((name) => [`${name} stored`, `${name} carried`])];
  const rows: Cell[][] = [head];
  history.ticks.forEach((tick, i) => {
    for (const { team, held, reward, stored, carried } of history.teams) {
      const amounts = names.flatMap((_, r) => [stored[r][i], carried[r][i]]);
      rows.push([tick, team.name, held[i], reward.length ? reward[i] : "", ...amounts]);
    }
  });
  return rows;
}

export function eventRows(events: readonly GameEvent[]): Cell[][] {
  const head = ["tick", "kind", "team", "agent", "column", "row", "text"];
  return [
    head,
    ...events.map(({ tick, kind, team, agent, x, y, text }) => [
      tick,
      kind,
      team?.name ?? "",
      agent < 0 ? "" : agent,
      x,
      y,
      text,
    ]),
  ];
}

/** One row per cell with a count above 0. */
export function heatRows(heat: HeatMap, replay: Replay): Cell[][] {
  const rows: Cell[][] = [["column", "row", heat.kind]];
  heat.counts.forEach((count, i) => {
    if (count) rows.push([i % replay.parts.width, Math.floor(i / replay.parts.width), count]);
  });
  return rows;
}

export function seriesRows(ticks: Int32Array, series: readonly Series[]): Cell[][] {
  const head = ["tick", ...series.map(({ name }) => name)];
  return [head, ...Array.from(ticks, (tick, i) => [tick, ...series.map(({ values }) => values[i])])];
}
