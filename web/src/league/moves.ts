/** Changes in a list since the page was opened. No DOM. */

export interface Standing {
  rank: number;
  score: number | null;
}

export interface Move {
  /** places won; negative when lost */
  places: number;
  gain: number | null;
  isNew: boolean;
}

/** Stores a table's state when the page was opened and returns the changes of each row. */
export class Since {
  private first: Map<string, Standing> | null = null;

  see<R extends Standing>(rows: readonly R[], key: (row: R) => string): Map<string, Move> {
    this.first ??= new Map(rows.map((row) => [key(row), { rank: row.rank, score: row.score }]));
    const before = this.first;
    return new Map(rows.map((row) => [key(row), moveOf(before.get(key(row)), row)]));
  }
}

function moveOf(before: Standing | undefined, now: Standing): Move {
  if (!before) return { places: 0, gain: null, isNew: true };
  const gain = before.score === null || now.score === null ? null : now.score - before.score;
  return { places: before.rank - now.rank, gain, isNew: false };
}

/** Merge two pages of an infinite list: newer rows replace older ones with the same key, in the newer order. */
export function merged<R>(older: readonly R[], newer: readonly R[], key: (row: R) => string): R[] {
  const known = new Set(newer.map(key));
  return [...newer, ...older.filter((row) => !known.has(key(row)))];
}
