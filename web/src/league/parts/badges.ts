/** Marks of Coworlds. */
import { chip } from "./bits";

const STATES: Record<string, [tone: string, text: string]> = {
  certified: ["completed", "certified"],
  certifying: ["running", "certification runs"],
  queued: ["plain", "certification queued"],
  failed: ["failed", "certification failed"],
  never_run: ["plain", "not certified"],
};

/** The state of a version's certification by this server. */
export function certificationChip(state: string): HTMLElement {
  const [tone, text] = STATES[state] ?? ["plain", state];
  return chip(tone, text);
}

/** `2 seats`, `2 to 8 seats`. */
export function seatsText(low: number, high: number): string {
  if (low === high) return low === 1 ? "1 seat" : `${low} seats`;
  return `${low} to ${high} seats`;
}
