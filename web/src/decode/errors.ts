/** What can be wrong with a replay. The message is one sentence for people. */
export class ReplayError extends Error {
  override readonly name = "ReplayError";
}

export function damaged(what: string): ReplayError {
  return new ReplayError(`The replay is damaged: ${what}`);
}
