/** Format a number: integers in full, others with significant digits. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Number.isInteger(value)) return value.toLocaleString("en-US").replaceAll(",", "\u2009");
  const digits = Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 1 ? 3 : 4;
  return String(Number(value.toFixed(digits)));
}
