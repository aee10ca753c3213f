/** The charts and counts of an explained match. No DOM. */
import type { Explanation } from "./api-types";
import { NONE, percent, score } from "./format";

export interface Line {
  name: string;
  values: readonly number[];
}

export interface Timeline {
  title: string;
  ticks: readonly number[];
  lines: readonly Line[];
}

type Policy = Explanation["policies"][number];

/** The timelines in which anything happens: objects held by teams, then what policies did, per agent. */
export function timelinesOf(explanation: Explanation): Timeline[] {
  const { ticks, teams, policies, held_name: held } = explanation;
  const found: Timeline[] = [];
  const add = (title: string, lines: Line[]) => {
    if (lines.some((line) => line.values.some((value) => value !== 0))) found.push({ title, ticks, lines });
  };
  if (held) {
    const holders = teams.filter((team) => team.agents.length > 0 || team.held.some((number) => number > 0));
    add(
      `${capital(held)} held`,
      holders.map((team) => ({ name: team.name, values: team.held })),
    );
  }
  const perAgent = (values: (policy: Policy) => readonly number[] | null) =>
    policies.flatMap((policy) => {
      const own = values(policy);
      return own ? [{ name: policy.name, values: own.map((value) => value / Math.max(1, policy.agents.length)) }] : [];
    });
  if (held)
    add(
      `${capital(held)} taken per agent`,
      perAgent((policy) => policy.taken),
    );
  add(
    "Hearts taken per agent",
    perAgent((policy) => policy.hearts),
  );
  add(
    "Deaths per agent",
    perAgent((policy) => policy.deaths),
  );
  const rewards = policies.map((policy) => ({ name: policy.name, values: policy.reward }));
  add("Reward so far", explanation.shared_reward && rewards.length ? [{ ...rewards[0], name: "all agents" }] : rewards);
  return found;
}

/** One row of the table of actions; null: not recorded. */
export interface PolicyCounts {
  index: number;
  name: string;
  agents: number;
  idle: number;
  blocked: number | null;
  failed: number | null;
  missed: number | null;
  taken: number | null;
  hearts: number | null;
  deaths: number | null;
  cells: number | null;
}

/** Shares of the steps, and numbers per agent. */
export function countsOf(explanation: Explanation): PolicyCounts[] {
  return explanation.policies.map((policy, index) => {
    const { counts } = policy;
    const agents = Math.max(1, policy.agents.length);
    const share = (number: number | null) => (number === null || !counts.steps ? null : number / counts.steps);
    const last = (values: readonly number[] | null) => (values?.length ? values[values.length - 1] / agents : null);
    return {
      index,
      name: policy.name,
      agents: policy.agents.length,
      idle: share(counts.idle) ?? 0,
      blocked: share(counts.blocked),
      failed: share(counts.failed),
      missed: counts.missed,
      taken: explanation.held_name ? last(policy.taken) : null,
      hearts: last(policy.hearts),
      deaths: last(policy.deaths),
      cells: counts.cells === null ? null : counts.cells / agents,
    };
  });
}

/** A title for what the policies did differently. */
export function differencesTitle(explanation: Explanation): string {
  const last = (policy: Policy) => policy.reward[policy.reward.length - 1] ?? 0;
  const [best, second] = [...explanation.policies].sort((a, b) => last(b) - last(a));
  if (explanation.shared_reward || !best || !second || last(best) === last(second))
    return "What the policies did differently";
  return `What ${best.name} (reward ${score(last(best))}) and the others did differently`;
}

/** Timelines of two matches with the same title, side by side; a match without one has null there. */
export function paired(left: readonly Timeline[], right: readonly Timeline[]): [Timeline | null, Timeline | null][] {
  const titles = [...new Set([...left, ...right].map((timeline) => timeline.title))];
  const of = (list: readonly Timeline[], title: string) => list.find((timeline) => timeline.title === title) ?? null;
  return titles.map((title) => [of(left, title), of(right, title)]);
}

export function highest(...timelines: (Timeline | null)[]): number {
  return Math.max(0, ...timelines.flatMap((timeline) => timeline?.lines.flatMap((line) => line.values) ?? []));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A measure of one policy in two matches. */
export interface ComparedCount {
  title: string;
  left: string;
  right: string;
  /** at least twice as much, and more than a trifle */
  isLarge: boolean;
}

const MEASURES: readonly [string, keyof PolicyCounts, "share" | "number", number][] = [
  ["Idle steps", "idle", "share", 0.1],
  ["Blocked moves", "blocked", "share", 0.1],
  ["Failed actions", "failed", "share", 0.1],
  ["Missed deadlines", "missed", "number", 1],
  ["Taken per agent", "taken", "number", 0.5],
  ["Hearts per agent", "hearts", "number", 0.5],
  ["Deaths per agent", "deaths", "number", 0.5],
  ["Cells visited per agent", "cells", "number", 10],
];

/** Compare what a policy did in two matches; measures that neither match has are left out. */
export function comparedCounts(left: PolicyCounts, right: PolicyCounts): ComparedCount[] {
  return MEASURES.flatMap(([title, key, kind, least]) => {
    const [a, b] = [left[key] as number | null, right[key] as number | null];
    if (a === null && b === null) return [];
    const text = (value: number | null) => (value === null ? NONE : kind === "share" ? percent(value) : score(value));
    const [low, high] = [Math.min(a ?? 0, b ?? 0), Math.max(a ?? 0, b ?? 0)];
    const isLarge = a !== null && b !== null && high - low >= least && high >= 2 * low;
    return [{ title, left: text(a), right: text(b), isLarge }];
  });
}
