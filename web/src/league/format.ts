/** Numbers, times and names for people. No DOM. */

export const NONE = "–";
const MINUS = "\u2212";

/** Format a single score with its significant digits; scores of one table share the number of digits. */
export function score(value: number | null | undefined, digits?: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  return signed(value.toFixed(digits ?? digitsFor(Math.abs(value))));
}

/** Return the decimal places for values of this size or spread: three significant digits. */
export function digitsFor(size: number): number {
  return size > 0 ? Math.min(4, Math.max(0, 2 - Math.floor(Math.log10(size)))) : 2;
}

/** Return the decimal places of a rating: one for Elo and its like, three for a mean score. */
export function ratingDigits(...values: (number | null)[]): number {
  return values.some((value) => value !== null && Math.abs(value) >= 10) ? 1 : 3;
}

/** Format a difference, always with its sign. */
export function difference(value: number | null | undefined, digits?: number): string {
  const text = score(value, digits);
  return text === NONE || text.startsWith(MINUS) || Number(text) === 0 ? text : `+${text}`;
}

export function count(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  return signed(Math.round(value).toLocaleString("en-US").replaceAll(",", "\u202F"));
}

/** `1 match`, `12 matches`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function percent(part: number): string {
  return `${Math.round(100 * Math.min(1, Math.max(0, part)))} %`;
}

/** Format a number of a table under its label: a share under `Win %` as a percentage. */
export function labelled(value: number | null | undefined, label: string, digits?: number): string {
  const isShare = label.endsWith("%") && typeof value === "number" && Math.abs(value) <= 1;
  return isShare ? percent(value) : score(value, digits);
}

/** Format the possible ranks as `2` or `2–5`. */
export function ranks(low: number | null | undefined, high: number | null | undefined): string {
  if (low === null || low === undefined || high === null || high === undefined) return NONE;
  return low === high ? String(low) : `${low}–${high}`;
}

/** Format a time relative to now. */
export function ago(then: number, now: number): string {
  const seconds = Math.round((now - then) / 1000);
  if (Math.abs(seconds) < 10) return "just now";
  const text = long(Math.abs(seconds));
  return seconds > 0 ? `${text} ago` : `in ${text}`;
}

function long(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  const days = Math.floor(seconds / 86_400);
  return days === 1 ? "1 day" : `${days} days`;
}

export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return NONE;
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 1) return `${trimmed(seconds * 1000)} ms`;
  if (seconds < 60) return `${trimmed(seconds)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function bytes(size: number): string {
  const units = ["B", "KB", "MB", "GB"];
  let [value, unit] = [size, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit === 0 ? value : trimmed(value)} ${units[unit]}`;
}

/** Format a time in full, in the user's time zone. */
export function moment(then: number): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" }).format(then);
}

/** Format `policy_error` as `policy error`. */
export function words(name: string): string {
  return name.replaceAll("_", " ").replaceAll("-", " ");
}

/** Remove invisible and direction-changing characters from a name; keep emoji. */
export function plainName(name: string): string {
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: the two are alternatives before a joiner
  return name.replace(/(?<![\p{Extended_Pictographic}\uFE0F])\u200D|(?!\u200D)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD");
}

/** Suggest a policy name from a file name. */
export function nameFromFile(file: string): string {
  const stem = file
    .replace(/\.(zip|ZIP)$/, "")
    .replaceAll(":", "-")
    .trim();
  return [...stem].slice(0, 64).join("");
}

function trimmed(value: number): string {
  return String(Number(value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)));
}

function signed(text: string): string {
  const isZero = Number(text.replace(/[^\d.-]/g, "")) === 0;
  return text.startsWith("-") ? (isZero ? text.slice(1) : MINUS + text.slice(1)) : text;
}

/** Explain why a match has no replay. */
export function whyNoReplay(match: { status: string; digests: Record<string, string> }): string {
  if (match.status === "running") return "The replay is available after the match.";
  if (match.status !== "failed" && match.status !== "completed") return "The match has not started yet.";
  if ("replay.json.z" in match.digests) return "The replay has expired.";
  return "The match failed before a replay was recorded.";
}
