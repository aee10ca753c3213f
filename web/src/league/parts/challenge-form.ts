import { el } from "../../ui/dom";
import type { ChallengeOptions, PolicyRef } from "../api-types";
import { plainName } from "../format";
import { to } from "../router";
import type { Site } from "../view";
import { act, link, problem } from "./bits";

/** A button that opens the form for a challenge to a policy; a link to sign in for visitors. */
export function challengeButton(site: Site, policy: PolicyRef): HTMLElement {
  if (!site.api.me?.signed_in) return link(to.signIn(location.pathname), "Sign in to challenge this policy");
  return act("Challenge", () => void openForm(site, policy.id), "", `challenge ${policy.id}`);
}

async function openForm(site: Site, policyId: string): Promise<void> {
  try {
    const path = "/observatory/api/friendlies/options/{policy_version_id}";
    const options = await site.api.get(path, { policy_version_id: policyId });
    if (options.why_not) site.say(options.why_not);
    else showForm(site, options);
  } catch (error) {
    site.say((error as Error).message);
  }
}

function showForm(site: Site, options: ChallengeOptions): void {
  const { opponent } = options;
  const own = choice(
    "challenge-policy",
    options.policies.map((policy) => [policy.id, `${plainName(policy.name)} v${policy.version}`]),
  );
  const mission = choice(
    "challenge-mission",
    options.missions.map(({ key, title }) => [key, plainName(title)]),
  );
  const note = el("div");
  const send = el("button", { class: "button is-main", attrs: { type: "submit" } }, "Challenge");
  const form = el(
    "form",
    { class: "stack" },
    el("div", {}, el("label", { attrs: { for: own.id } }, "Your policy"), own),
    el("div", {}, el("label", { attrs: { for: mission.id } }, "Game"), mission),
    el(
      "p",
      { class: "quiet small" },
      options.rule === "accept"
        ? "The match is played at once, after everything else in the queue."
        : "The owner is asked first. The match is played after everything else in the queue.",
      " It counts for no table.",
    ),
    note,
    el(
      "p",
      { class: "actions" },
      send,
      act("Cancel", () => dialog.close()),
    ),
  );
  const dialog = el(
    "dialog",
    { class: "panel confirm", attrs: { "aria-labelledby": "challenge-title" } },
    el("h2", { id: "challenge-title" }, `Challenge ${plainName(opponent.name)} v${opponent.version}`),
    form,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    try {
      const made = await site.api.post(
        "/observatory/api/friendlies",
        {},
        { policy_version_id: own.value, opponent_version_id: opponent.id, mission: mission.value },
      );
      dialog.close();
      site.go(to.friendly(made.id));
    } catch (error) {
      note.replaceChildren(problem(error as Error));
      send.disabled = false;
    }
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function choice(id: string, options: [string, string][]): HTMLSelectElement {
  return el(
    "select",
    { class: "field", id },
    ...options.map(([value, text]) => el("option", { attrs: { value } }, text)),
  );
}
