/** How the kinds of events are named, filtered and marked on the time line. */
export const KINDS: Readonly<Record<string, { readonly group: string; readonly mark?: string }>> = {
  phase: { group: "Phases" },
  kill: { group: "Kills", mark: "#ff004d" },
  meeting: { group: "Meetings", mark: "#ffa300" },
  ejection: { group: "Meetings" },
  vote: { group: "Votes" },
  chat: { group: "Chat" },
  task: { group: "Tasks" },
  win: { group: "Phases", mark: "#00e436" },
  join: { group: "Players" },
  leave: { group: "Players" },
};

/** Return the group of a kind; kinds that a game adds are shown under `Other`. */
export function groupOf(kind: string): string {
  return KINDS[kind]?.group ?? "Other";
}

/** `vote_result` becomes `Vote result`. */
export function phaseName(phase: string): string {
  const words = phase.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const COLOURS: Readonly<Record<string, string>> = {
  lobby: "#83769c",
  role_reveal: "#ff77a8",
  playing: "#29adff",
  voting: "#ffa300",
  vote_result: "#ab5236",
  game_over: "#008751",
};

export function phaseColour(phase: string): string {
  return COLOURS[phase] ?? "#29adff";
}

/** Return a number of ticks as minutes and seconds. */
export function clock(ticks: number, ticksPerSecond: number): string {
  const seconds = Math.floor(ticks / ticksPerSecond);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
