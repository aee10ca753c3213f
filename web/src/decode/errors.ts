/** An invalid replay. The message is one sentence for users. */
export class ReplayError extends Error {
  override readonly name = "ReplayError";
}

/** `newest` is the newest version of the format that the viewer reads. */
export function unknownVersion(version: number, newest: number): ReplayError {
  return new ReplayError(
    `The replay has format version ${version}, and this viewer reads versions 1 to ${newest}; a newer release may read it`,
  );
}

/** An invalid value of a key of the document; `rule` says what it must be. */
export function invalid(key: string, rule: string): ReplayError {
  return new ReplayError(`The replay has an invalid \`${key}\`: it must be ${rule}`);
}

export function tooLong(ticks: number, agents: number): ReplayError {
  return new ReplayError(`The replay is too long: ${ticks} steps of ${agents} agents`);
}

export function damaged(what: string): ReplayError {
  return new ReplayError(`The replay is damaged: ${what}`);
}
