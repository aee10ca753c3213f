/** The numbers of one player, by name: `reward` first. */
export interface Account {
  readonly player: string;
  readonly numbers: ReadonlyMap<string, number>;
}

/** Read a text of the reward protocol: lines of name, player and number. Other lines are ignored; the last one wins. */
export function readRewards(text: string): Account[] {
  const players = new Map<string, Map<string, number>>();
  for (const line of text.split("\n")) {
    const [, name, player, number] = /^(\S+) (\S+) (-?\d{1,15})$/.exec(line) ?? [];
    if (name === undefined || player === undefined) continue;
    const numbers = players.get(player) ?? new Map<string, number>();
    players.set(player, numbers.set(name, Number(number)));
  }
  return [...players].map(([player, numbers]) => ({ player, numbers }));
}
