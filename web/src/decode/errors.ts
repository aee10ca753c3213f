/** An invalid replay. The message is one sentence for users. */
export class ReplayError extends Error {
  override readonly name = "ReplayError";
}

export function damaged(what: string): ReplayError {
  return new ReplayError(`The replay is damaged: ${what}`);
}
