import { el, renew } from "../../ui/dom";
import type { CommissionerNote, QueuedMatch, RunningMatch, WorkerLine } from "../api-types";
import { count, counted, duration } from "../format";
import { chip, empty, link, name, Part, time } from "../parts/bits";
import { sharesTable } from "../parts/queue-shares";
import { LiveTable } from "../parts/table";
import { watchLink } from "../parts/watch";
import { type Route, to } from "../router";
import { type Site, View } from "../view";

/** Running and waiting jobs with reasons, workers, and the commissioner's last decisions. */
export class QueueView extends View {
  override title = "Queue";
  private readonly queue = this.source(
    (signal) => this.site.api.get("/observatory/api/queue", {}, {}, signal),
    "queue",
    "match",
    "season",
    "stage",
    "membership",
    "round",
    "round_episode",
  );
  private readonly running = new LiveTable<RunningMatch>(
    "Running",
    [
      { title: "Job", kind: "name", cell: jobCell },
      { title: "Kind", from: "tablet", cell: kindCell },
      { title: "Belongs to", from: "tablet", cell: aboutCell },
      { title: "Since", cell: ({ since }) => time(since) },
      { title: "Worker", from: "tablet", cell: ({ worker }) => worker ?? "–" },
      { title: "Watch", cell: ({ is_live, url }) => (is_live && url ? watchLink(url) : "") },
    ],
    (row) => row.url ?? `${row.worker} ${row.since}`,
  );
  private readonly queued = new LiveTable<QueuedMatch>(
    "Waiting",
    [
      { title: "Place", kind: "rank", cell: ({ place }) => count(place) },
      { title: "Job", kind: "name", cell: jobCell },
      { title: "Kind", from: "tablet", cell: kindCell },
      { title: "Belongs to", from: "tablet", cell: aboutCell },
      { title: "Since", from: "tablet", cell: ({ queued_at }) => time(queued_at) },
      { title: "Reason", cell: ({ why }) => why },
    ],
    (row) => `${row.place} ${row.url} ${row.queued_at}`,
  );

  private readonly shares = sharesTable();

  private readonly parts = {
    running: new Part("Running", this.running.element),
    queued: new Part("Waiting", this.queued.element),
    shares: new Part(
      "Shares",
      el(
        "p",
        { class: "quiet small" },
        "The next job is one of the season, league or kind of job that has had the least of the workers' time for its weight; within a season, of the person who has had the least.",
      ),
      this.shares.element,
    ),
    workers: new Part("Workers"),
    commissioner: new Part("Seasons"),
  };

  constructor(site: Site, route: Route) {
    super(site, route);
    this.content.append(el("h1", {}, "Queue"), ...Object.values(this.parts).map((part) => part.element));
  }

  draw(): void {
    const value = this.dataOf(this.queue);
    if (!value) return;
    const { running, queued, shares, workers, commissioner } = this.parts;
    this.running.update(value.running);
    this.queued.update(value.queued);
    running.show(`Running (${count(value.running.length)})`, value.running.length > 0, empty("No jobs are running."));
    const none =
      "No jobs are waiting. The section Seasons explains why; the page of a league says when its next round begins.";
    queued.show(`Waiting (${count(value.queued_total)})`, value.queued.length > 0, empty(none));
    const more = value.queued_total - value.queued.length;
    if (more > 0) renew(queued.note, el("p", { class: "quiet small" }, `and ${count(more)} more`));
    this.shares.update(value.shares);
    shares.show("Shares", value.shares.length > 0, empty("No jobs are waiting, so nothing is shared."));
    renew(workers.body, el("ul", { class: "plain-list workers" }, ...value.workers.map(worker)));
    const idle =
      "No worker has connected recently, so nothing will run. `observatory serve` starts its own, `observatory worker` adds others.";
    workers.show(`Workers (${count(value.workers.length)})`, value.workers.length > 0, empty(idle));
    renew(commissioner.body, el("ul", { class: "plain-list" }, ...value.commissioner.map(note)));
    commissioner.show(
      "Seasons",
      value.commissioner.length > 0,
      empty("No season was processed since the server started."),
    );
  }
}

type JobLine = Pick<RunningMatch, "kind" | "title" | "url" | "about" | "about_url">;

const KINDS: Record<JobLine["kind"], string> = {
  match: "season match",
  episode: "episode",
  commissioner: "commissioner",
  certification: "certification",
  report: "report",
  hosted_game: "hosted game",
  friendly: "friendly match",
  assay: "assay",
  private: "private",
};

function jobCell(job: JobLine): HTMLElement {
  return job.url ? link(job.url, name(job.title)) : el("span", { class: "quiet" }, name(job.title));
}

function kindCell(job: JobLine): HTMLElement {
  return chip("plain", KINDS[job.kind]);
}

function aboutCell(job: JobLine): HTMLElement | string {
  return job.about_url ? link(job.about_url, name(job.about)) : job.about;
}

function worker(line: WorkerLine): HTMLElement {
  return el(
    "li",
    {},
    el("span", { class: "mono" }, line.name),
    el("span", { class: "quiet small" }, `last seen ${duration(Math.round(line.seen_seconds_ago))} ago`),
  );
}

function note(line: CommissionerNote): HTMLElement {
  return el(
    "li",
    {},
    link(to.season(line.season), line.season),
    line.scheduled > 0 ? chip("running", counted(line.scheduled, "match", "matches")) : null,
    el("span", {}, line.sentence),
    el("span", { class: "quiet small" }, time(line.at)),
  );
}
