/** What reporters, graders and diagnosers of a game wrote about an episode. */
import { el, renew } from "../../ui/dom";
import type { EpisodeOutput, EpisodePage, EpisodeRole, EpisodeRoleRun } from "../api-types";
import { bytes, plainName, words } from "../format";
import type { Site } from "../view";
import { act, chip, empty, problem, time } from "./bits";
import { reportFrame } from "./game-frame";
import { rich } from "./rich";

const MOST_LETTERS = 200_000;

/** The runs of roles with their outputs, and buttons for users who may start more. */
export class Reports {
  readonly element = el("div", { class: "column" });
  private readonly buttons = el("div", { class: "column" });
  private readonly list = el("div", { class: "column" });
  private readonly runs = new Map<string, Run>();

  constructor(
    private readonly site: Site,
    private readonly episode: string,
    private readonly reload: () => void,
    private readonly frameUrl: (output: string) => Promise<string | null>,
  ) {
    this.element.append(this.list, this.buttons);
  }

  update(page: EpisodePage): void {
    const names = new Map(page.roles.map((role) => [`${role.role} ${role.id}`, role]));
    const shown = page.runs.map((run) => {
      const known = this.runs.get(run.id) ?? new Run(this.site, this.episode, this.frameUrl);
      this.runs.set(run.id, known);
      known.update(run, names.get(`${run.role} ${run.role_id}`), page);
      return known.element;
    });
    if (shown.length !== this.list.children.length || shown.some((one, i) => one !== this.list.children[i]))
      this.list.replaceChildren(...shown);
    renew(this.buttons, ...this.offers(page));
  }

  private offers(page: EpisodePage): HTMLElement[] {
    if (!page.roles.length) return [empty("This game has no reporter, grader or diagnoser.")];
    if (!page.may_run_roles)
      return page.runs.length
        ? []
        : [empty("No reports yet. The requester, owners of the policies and the owner of the game may ask for them.")];
    const has = (role: EpisodeRole, seat: number | null) =>
      page.runs.some(
        (run) => run.role === role.role && run.role_id === role.id && run.seat === seat && run.status !== "failed",
      );
    const buttons = page.roles.flatMap((role) =>
      role.role === "diagnoser"
        ? page.seats
            .filter((seat) => seat.policy && !has(role, seat.position))
            .map((seat) => this.button(`Diagnose ${plainName(seat.name)}`, role, seat.position))
        : has(role, null)
          ? []
          : [this.button(`Run ${plainName(role.name)}`, role, null)],
    );
    return buttons.length ? [el("p", { class: "actions" }, ...buttons)] : [];
  }

  private button(text: string, role: EpisodeRole, seat: number | null): HTMLElement {
    const control = act(text, () => void this.run(role, seat));
    control.dataset.runs = `${role.role} ${role.id} ${seat ?? ""}`; // so that it is never reused for another role
    return control;
  }

  private async run(role: EpisodeRole, target: number | null): Promise<void> {
    try {
      await this.site.api.post(
        "/v2/episode-requests/{request_id}/role-runs",
        { request_id: this.episode },
        { role: role.role, role_id: role.id, target },
      );
      this.site.say(`${plainName(role.name)} is queued`);
      this.reload();
    } catch (error) {
      this.site.say((error as Error).message);
    }
  }
}

class Run {
  readonly element = el("article", { class: "report" });
  private readonly head = el("header", { class: "chips" });
  private readonly note = el("div");
  private readonly outputs = el("div", { class: "column" });
  private shown = "";

  constructor(
    private readonly site: Site,
    private readonly episode: string,
    private readonly frameUrl: (output: string) => Promise<string | null>,
  ) {
    this.element.append(this.head, this.note, this.outputs);
  }

  update(run: EpisodeRoleRun, role: EpisodeRole | undefined, page: EpisodePage): void {
    const seat = run.seat === null ? undefined : page.seats.find((one) => one.position === run.seat);
    renew(
      this.head,
      el("h3", {}, `${role ? plainName(role.name) : run.role_id}${seat ? `: ${plainName(seat.name)}` : ""}`),
      chip("plain", run.role),
      chip(run.status),
      run.completed_at ? el("span", { class: "quiet small" }, time(run.completed_at)) : null,
    );
    renew(this.note, run.error ? problem(new Error(run.error)) : null);
    const key = run.outputs.map((output) => output.id).join();
    if (key === this.shown) return;
    this.shown = key;
    // Pages and texts come first, files for programs last.
    const order = [...run.outputs].sort((a, b) => rankOf(a) - rankOf(b));
    this.outputs.replaceChildren(...order.map((output, i) => this.output(output, i === 0)));
  }

  private output(output: EpisodeOutput, isOpen: boolean): HTMLElement {
    const body = el("div", { class: "column" });
    const box = el(
      "details",
      {},
      el("summary", {}, words(output.name), el("span", { class: "quiet small" }, ` ${bytes(output.size_bytes)}`)),
      body,
    );
    box.addEventListener("toggle", () => {
      if (box.open && !body.firstChild) void this.load(body, output);
    });
    box.open = isOpen;
    return box;
  }

  private async load(body: HTMLElement, output: EpisodeOutput): Promise<void> {
    renew(body, el("p", { class: "quiet" }, "Loading …"));
    try {
      if (output.type === "render-html") {
        const address = await this.frameUrl(output.id);
        body.replaceChildren(
          address ? reportFrame("Report", address) : el("p", { class: "quiet" }, "The report is not available."),
        );
        return;
      }
      const text = await this.site.api.text(`/observatory/api/episodes/${this.episode}/outputs/${output.id}`);
      body.replaceChildren(output.type === "render-markdown" ? rich(text) : plain(output, text));
    } catch (error) {
      renew(body, problem(error as Error));
    }
  }
}

function rankOf(output: EpisodeOutput): number {
  const order = ["render-html", "render-markdown", "json"];
  const place = order.indexOf(output.type);
  return place < 0 ? order.length : place;
}

/** A text as it is; JSON with indentation. */
function plain(output: EpisodeOutput, text: string): HTMLElement {
  let shown = text.slice(0, MOST_LETTERS);
  if (output.type === "json" || /^\s*[[{]/.test(text)) {
    try {
      shown = JSON.stringify(JSON.parse(text), null, 2).slice(0, MOST_LETTERS);
    } catch {
      // Not JSON after all: the text stays as it is.
    }
  }
  return el("pre", { attrs: { tabindex: 0 } }, shown);
}
