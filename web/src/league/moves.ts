/** What is new in a list since it was first seen. No DOM. */

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

/** Remembers how a table was when the reader opened it, and says for each row what has changed. */
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

/** Two pages of an endless list as one: the newer rows replace the older of the same key, in the newer order. */
export function merged<R>(older: readonly R[], newer: readonly R[], key: (row: R) => string): R[] {
  const known = new Set(newer.map(key));
  return [...newer, ...older.filter((row) => !known.has(key(row)))];
}
