/** Challenges and friendly matches in lists. */
import { el } from "../../ui/dom";
import type { FriendlyLine } from "../api-types";
import { score, words } from "../format";
import { to } from "../router";
import type { Site } from "../view";
import { act, chip, link, name, policyLink, time } from "./bits";

const STATES: Record<string, string> = { asked: "waits for an answer", waiting: "queued" };

/** Return the state of a friendly match in words. */
export function friendlyState(line: FriendlyLine): string {
  return line.expired ? "expired" : (STATES[line.status] ?? words(line.status));
}

/** A line of a list; `answered` runs after the user has answered. */
export function friendlyItem(site: Site, line: FriendlyLine, answered: () => void): HTMLElement {
  const [own, other] = line.players;
  return el(
    "li",
    { attrs: { "data-friendly": line.id } },
    link(to.friendly(line.id), "Friendly match"),
    el("span", {}, policyLink(own!.policy), " – ", policyLink(other!.policy)),
    line.status === "completed"
      ? el("span", { class: "number" }, `${score(own!.score)} : ${score(other!.score)}`)
      : chip(line.expired ? "plain" : line.status, friendlyState(line)),
    el("span", { class: "quiet small" }, name(line.mission), " · ", time(line.completed_at ?? line.created_at)),
    ...answers(site, line, answered),
  );
}

/** The buttons with which the user answers or withdraws a challenge. */
export function answers(site: Site, line: FriendlyLine, answered: () => void): HTMLElement[] {
  const send = (verb: "accept" | "decline" | "withdraw", done: string) => async () => {
    try {
      await site.api.post(`/observatory/api/friendlies/{friendly_id}/${verb}`, { friendly_id: line.id });
      site.say(done);
      answered();
    } catch (error) {
      site.say((error as Error).message);
    }
  };
  const key = (verb: string) => `${verb} ${line.id}`;
  if (line.can_answer)
    return [
      act("Accept", send("accept", "The match is queued"), "is-main", key("accept")),
      act("Decline", send("decline", "Declined"), "", key("decline")),
    ];
  return line.can_withdraw ? [act("Withdraw", send("withdraw", "Withdrawn"), "", key("withdraw"))] : [];
}
