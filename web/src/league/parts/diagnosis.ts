import { type Child, el, renew } from "../../ui/dom";
import type { DiagnosisPage, MissionMetrics } from "../api-types";
import { count, percent, score, words } from "../format";
import { Source } from "../source";
import type { Site } from "../view";
import { act, chip, empty, loading, problem, progressBar, time } from "./bits";
import { LiveTable } from "./table";

type MissionRow = MissionMetrics & { mission: string };

const PATH = "/observatory/api/policies/{policy_version_id}/diagnosis";

/** The diagnosis of one's own policy: a button that queues it, its progress, and its findings. */
export class Diagnosis {
  readonly element = el("div", { class: "column" });
  readonly source: Source<DiagnosisPage>;
  private readonly state = el("div", { class: "column" });
  private readonly findings = el("div", { class: "column" });
  private readonly missions = new LiveTable<MissionRow>(
    "Missions of the diagnosis",
    [
      { title: "Mission", kind: "name", cell: (row) => words(row.mission) },
      { title: "Moves that succeed", kind: "number", cell: (row) => percent(row.mean_move_success ?? 0) },
      { title: "Failed actions", kind: "number", from: "tablet", cell: (row) => percent(row.mean_action_failed ?? 0) },
      {
        title: "Steps stuck",
        kind: "number",
        about: "longest time without motion",
        cell: (row) => score(row.mean_stuck_steps, 0),
      },
      { title: "Deadlines missed", kind: "number", from: "tablet", cell: (row) => percent(row.timeout_rate ?? 0) },
      {
        title: "Episodes with a reward",
        kind: "number",
        from: "tablet",
        cell: (row) => percent((row.non_zero_episode_pct ?? 0) / 100),
      },
    ],
    (row) => row.mission,
  );
  private failure: Error | null = null;
  private isStarting = false;

  constructor(
    private readonly site: Site,
    private readonly policy: string,
  ) {
    this.source = new Source<DiagnosisPage>(
      (signal) => this.site.api.get(PATH, { policy_version_id: this.policy }, {}, signal),
      () => this.draw(),
      (change) => change.kind === "assay" || change.kind === "queue",
    );
    this.element.append(this.state, this.findings, this.missions.element);
  }

  private draw(): void {
    const { value, error } = this.source;
    if (!value) {
      renew(this.state, error ? problem(error) : loading());
      this.missions.element.hidden = true;
      return;
    }
    const { run, axes } = value;
    const isRunning = run?.status === "pending";
    renew(
      this.state,
      this.failure ? problem(this.failure) : null,
      run ? runLine(value) : empty("Not diagnosed yet. The server plays it on six missions, three times each."),
      isRunning && run
        ? progressBar((run.completed_jobs + run.failed_jobs) / Math.max(1, run.total_jobs), "Progress of the diagnosis")
        : null,
      this.button(isRunning, value.why_not),
      axes.length ? axisList(value) : null,
    );
    renew(this.findings, ...findingList(value));
    const rows = Object.entries(value.missions).map(([mission, metrics]) => ({ ...metrics, mission }));
    this.missions.element.hidden = rows.length === 0;
    this.missions.update(rows);
  }

  private button(isRunning: boolean, whyNot: string | null): Child {
    if (isRunning) return null;
    if (whyNot !== null) return el("p", { class: "quiet" }, `${whyNot}.`);
    const button = act(this.isStarting ? "Starting …" : "Diagnose on the server", () => void this.begin());
    button.disabled = this.isStarting;
    return el("p", { class: "actions" }, button);
  }

  private async begin(): Promise<void> {
    if (this.isStarting) return;
    this.isStarting = true;
    this.failure = null;
    this.draw();
    try {
      this.source.value = await this.site.api.post(PATH, { policy_version_id: this.policy });
      this.site.say("The diagnosis is queued");
    } catch (error) {
      this.failure = error as Error;
    } finally {
      this.isStarting = false;
      this.draw();
    }
  }
}

function runLine({ run }: DiagnosisPage): HTMLElement {
  const { status, completed_jobs: played, failed_jobs: failed, total_jobs: total, error } = run!;
  const text = `${count(played)} of ${count(total)} episodes played`;
  const bad = failed ? `, ${count(failed)} failed: the policy did not play to the end` : "";
  return el(
    "p",
    { class: "chips" },
    chip(status === "pending" ? "running" : status),
    el("span", {}, text, bad, error ? `. ${error}` : ""),
    el("span", { class: "quiet small" }, time(run!.completed_at ?? run!.created_at)),
  );
}

function axisList({ axes }: DiagnosisPage): HTMLElement {
  return el(
    "ul",
    { class: "plain-list" },
    ...axes.map(({ axis, score: points }) =>
      el("li", {}, el("strong", {}, words(axis)), el("span", { class: "number" }, `${score(points, 0)} of 100`)),
    ),
  );
}

function findingList(page: DiagnosisPage): Child[] {
  if (!page.axes.length) return [];
  if (!page.findings.length) return [empty("No weakness was found on these missions.")];
  return [
    el("h3", {}, "Findings, the worst first"),
    el(
      "ol",
      { class: "moments" },
      ...page.findings.map((finding) =>
        el(
          "li",
          {},
          el("p", {}, el("strong", {}, words(finding.axis)), `: ${finding.likely_cause}`),
          el("p", {}, finding.action),
          el("p", { class: "quiet small" }, finding.expected_effect),
        ),
      ),
    ),
  ];
}
