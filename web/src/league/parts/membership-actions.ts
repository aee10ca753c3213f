import type { Site } from "../view";
import { act } from "./bits";
import { confirmed } from "./confirm";

interface Acting {
  membership_id: string;
  can_be_champion: boolean;
  can_retire: boolean;
  policy: { name: string; version: number };
}

/** The buttons of a membership for those who may use them; `done` runs after a change. */
export function membershipActions(
  site: Site,
  row: Acting,
  done: () => void,
  failed: (error: Error) => void,
): HTMLButtonElement[] {
  const label = `${row.policy.name} v${row.policy.version}`;
  const words = { membership_id: row.membership_id };
  const buttons: HTMLButtonElement[] = [];
  const add = (text: string, run: () => Promise<boolean>) => {
    const button = act(text, () => {
      button.disabled = true;
      run()
        .then((changed) => changed && done())
        .catch((error: Error) => failed(error))
        .finally(() => {
          button.disabled = false;
        });
    });
    button.setAttribute("aria-label", `${text}: ${label}`);
    button.dataset.membership = row.membership_id;
    buttons.push(button);
  };
  if (row.can_be_champion)
    add("Make champion", async () => {
      await site.api.post("/v2/league-policy-memberships/{membership_id}/champion", words);
      site.say(`${label} is the champion now`);
      return true;
    });
  if (row.can_retire)
    add("Retire", async () => {
      const reason = await confirmed({
        title: `Retire ${label}?`,
        text: "It leaves the league and plays no more rounds. To enter it again, submit it again.",
        action: "Retire",
        reason: "Reason (everyone can read it)",
      });
      if (reason === null) return false;
      await site.api.post("/v2/league-policy-memberships/{membership_id}/retire", words, { reason: reason || null });
      site.say(`${label} was retired`);
      return true;
    });
  return buttons;
}
