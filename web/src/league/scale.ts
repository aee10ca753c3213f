/** Positions on an axis, for bars and charts. No DOM. */

export interface Scale {
  readonly low: number;
  readonly high: number;
  /** 0 at the low end, 1 at the high end; clamped */
  at(value: number): number;
}

export function scaleFrom(low: number, high: number): Scale {
  const width = high - low;
  return { low, high, at: (value) => (width > 0 ? Math.min(1, Math.max(0, (value - low) / width)) : 0.5) };
}

export interface Interval {
  score: number | null;
  low?: number | null;
  high?: number | null;
}

/**
 * Return one scale for the intervals of all rows. The ends come from the scores and from all but the widest intervals:
 * a new policy whose interval is ten times as wide as the others must not make theirs invisible.
 */
export function intervalScale(rows: readonly Interval[]): Scale {
  const scores = rows.map((row) => row.score).filter(isNumber);
  if (scores.length === 0) return scaleFrom(0, 1);
  const widths = rows
    .map((row) => (isNumber(row.low) && isNumber(row.high) ? row.high - row.low : 0))
    .sort((a, b) => a - b);
  const most =
    3 * Math.max(widths[Math.floor(widths.length / 2)] ?? 0, (Math.max(...scores) - Math.min(...scores)) / 2);
  let [low, high] = [Math.min(...scores), Math.max(...scores)];
  for (const row of rows) {
    if (!isNumber(row.low) || !isNumber(row.high) || row.high - row.low > most) continue;
    [low, high] = [Math.min(low, row.low), Math.max(high, row.high)];
  }
  const pad = high > low ? (high - low) * 0.03 : Math.max(Math.abs(high) * 0.1, 0.5);
  // Round ends stay fixed while scores change a little, so the bars do not jump.
  const step = roundStep((high - low + 2 * pad) / 16);
  return scaleFrom(Math.floor((low - pad) / step) * step, Math.ceil((high + pad) / step) * step);
}

/** Round up to the next of 1, 2, 5, 10, ... */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
}

/** Return about `count` round numbers between the ends. */
export function ticks(low: number, high: number, count = 4): number[] {
  if (!(high > low)) return [low];
  const step = roundStep((high - low) / Math.max(1, count));
  const marks: number[] = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n++)
    marks.push(Number((n * step).toPrecision(12)));
  return marks;
}

function isNumber(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}
