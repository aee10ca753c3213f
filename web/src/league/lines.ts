/** The lines of a division's table, and the recent form of a player. No DOM. */
import type { DivisionLines, DivisionRow, FormPoint, PairingCell } from "./api-types";
import { score } from "./format";

export interface LineRow {
  line: "promotion" | "relegation";
  text: string;
}

export type TableEntry = DivisionRow | LineRow;

export function isLine(entry: TableEntry): entry is LineRow {
  return "line" in entry;
}

/** Put the lines between the rows, which are ordered best first: each stands where the score crosses it. */
export function withLines(rows: readonly DivisionRow[], lines: DivisionLines): TableEntry[] {
  const entries: TableEntry[] = [...rows];
  const insert = (limit: number, isAbove: (value: number) => boolean, line: LineRow) => {
    const at = entries.findIndex((entry) => !isLine(entry) && !(entry.score !== null && isAbove(entry.score)));
    entries.splice(at < 0 ? entries.length : at, 0, line);
    return limit;
  };
  const { promote_above: up, promote_to: above, relegate_below: down, relegate_to: below } = lines;
  if (rows.length === 0) return entries;
  if (up !== null && above)
    insert(up, (value) => value > up, {
      line: "promotion",
      text: `Promotion line ${score(up)}: players above it move up to ${above.name} after a round`,
    });
  if (down !== null && below)
    insert(down, (value) => value >= down, {
      line: "relegation",
      text: `Relegation line ${score(down)}: players below it move down to ${below.name} after a round`,
    });
  return entries;
}

/** Heights between 0 and 1 of the bars of a player's form: 1 for the first rank, low for the last. */
export function formBars(form: readonly FormPoint[]): number[] {
  return form.map(({ rank, of }) => (of > 1 ? Math.max(0.12, 1 - (Math.min(rank, of) - 1) / (of - 1)) : 1));
}

/** The form of a player in words. */
export function formWords(form: readonly FormPoint[]): string {
  if (form.length === 0) return "no rounds yet";
  return `ranks in the last rounds: ${form.map(({ rank, of }) => `${rank} of ${of}`).join(", ")}`;
}

export interface Meeting {
  won: number;
  drawn: number;
  lost: number;
  episode: string;
}

/** The meetings of a round as a square: `[row][column]` seen from the row; null where two have not met. */
export function square(size: number, cells: readonly PairingCell[]): (Meeting | null)[][] {
  const rows: (Meeting | null)[][] = Array.from({ length: size }, () => Array.from({ length: size }, () => null));
  for (const { first, second, won, drawn, lost, episode_id: episode } of cells) {
    if (!rows[first] || !rows[second]) continue;
    rows[first][second] = { won, drawn, lost, episode };
    rows[second][first] = { won: lost, drawn, lost: won, episode };
  }
  return rows;
}

/** A meeting as `2–1`, with draws as `2–1 =1`. */
export function meetingText({ won, drawn, lost }: Meeting): string {
  return `${won}–${lost}${drawn ? ` =${drawn}` : ""}`;
}
