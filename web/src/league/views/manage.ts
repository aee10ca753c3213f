import { el, renew } from "../../ui/dom";
import type { AdminJob, AdminSeason, AdminWorker, Failure, Finding } from "../api-types";
import { count, words } from "../format";
import type { Change } from "../live";
import { AuditLog } from "../parts/admin-audit";
import { Invitations } from "../parts/admin-invitations";
import { seasonTable } from "../parts/admin-season-table";
import { Users } from "../parts/admin-users";
import { workerTable } from "../parts/admin-workers";
import { act, buttonLink, chip, empty, link, name, Part, problem, time } from "../parts/bits";
import { confirmed } from "../parts/confirm";
import { SeasonEditor } from "../parts/season-editor";
import { takeStep } from "../parts/season-life";
import { LiveTable } from "../parts/table";
import { MANAGE_SECTIONS, type ManageSection, type Route, to } from "../router";
import { Source } from "../source";
import { type Site, View } from "../view";

type ManageRoute = Extract<Route, { page: "manage" }>;

const NEW = "new";

/** Administration: seasons, users, invitations, workers, jobs, failures, the audit log. */
export class ManageView extends View<ManageRoute> {
  override title = "Manage";
  private readonly tabs = el("nav", { class: "tabs", attrs: { "aria-label": "Manage" } });
  private readonly answer = el("div", { attrs: { role: "status" } });
  private readonly pane = el("div", { class: "column" });
  private source_: Source<unknown> | null = null;
  private showing = "";

  constructor(site: Site, route: ManageRoute) {
    super(site, route);
    this.content.append(el("h1", {}, "Manage"), this.tabs, this.answer, this.pane);
  }

  override navigate(route: Route): boolean {
    if (route.page !== "manage") return false;
    this.route = route;
    this.draw();
    return true;
  }

  override handleChanges(changes: readonly Change[]): void {
    this.source_?.handleChanges(changes);
  }

  override refresh(): void {
    this.source_?.reload();
  }

  override close(): void {
    this.source_?.close();
  }

  draw(): void {
    this.content.hidden = false;
    const { me } = this.site.api;
    if (!me?.is_admin) {
      renew(
        this.content,
        el("h1", {}, "Manage"),
        empty(
          "This page is for administrators.",
          me?.signed_in ? link(to.home(), "All seasons") : buttonLink(to.signIn(location.pathname), "Sign in"),
        ),
      );
      return;
    }
    const { section, item } = this.route;
    renew(
      this.tabs,
      ...MANAGE_SECTIONS.map((own) =>
        el("a", { attrs: { href: to.manage(own), "aria-current": own === section && "page" } }, words(own)),
      ),
    );
    const paneKey = `${section}/${item}`;
    if (paneKey === this.showing) return;
    this.showing = paneKey;
    this.source_?.close();
    this.source_ = null;
    renew(this.answer);
    this.pane.replaceChildren(section === "seasons" && item ? this.editor(item) : this.section(section));
  }

  private editor(item: string): HTMLElement {
    const editor = new SeasonEditor(this.site, item === NEW ? null : item, (text) => this.showMessage(text));
    return editor.element;
  }

  private section(section: ManageSection): HTMLElement {
    const { api } = this.site;
    switch (section) {
      case "seasons":
        return this.listed(
          "Seasons",
          seasonTable((row) => void this.change(row)),
          () => api.get("/observatory/api/admin/seasons", {}),
          ["season", "stage"],
          buttonLink(to.manage("seasons", NEW), "New season"),
          act("Check all results", () => void this.recompute(true)),
          act("Recompute", () => void this.recompute(false)),
        );
      case "users":
        return new Users(this.site).element;
      case "invitations":
        return new Invitations(this.site).element;
      case "audit":
        return new AuditLog(this.site).element;
      case "workers":
        return this.listed(
          "Workers",
          workerTable((row) => void this.drain(row)),
          () => api.get("/observatory/api/admin/workers", {}),
          ["queue"],
        );
      case "jobs":
        return this.listed("Jobs", jobTable(), () => api.get("/observatory/api/admin/jobs", {}, { limit: 100 }), [
          "queue",
        ]);
      case "failures":
        return this.listed(
          "Failures",
          failureTable((row) => void this.retry(row)),
          () => api.get("/observatory/api/admin/failures", {}, { limit: 100 }),
          ["match"],
        );
    }
  }

  private listed<R>(
    title: string,
    table: LiveTable<R>,
    ask: () => Promise<R[]>,
    kinds: readonly string[],
    ...actions: HTMLElement[]
  ): HTMLElement {
    const part = new Part(title, table.element);
    if (actions.length) part.heading.after(el("p", { class: "actions" }, ...actions));
    const source: Source<R[]> = new Source<R[]>(
      ask,
      () => {
        const { value, error } = source;
        if (value) table.update(value);
        part.show(
          `${title} (${count(value?.length ?? 0)})`,
          (value?.length ?? 0) > 0,
          error ? problem(error) : empty(`No ${title.toLowerCase()}.`),
        );
      },
      (change) => kinds.includes(change.kind),
    );
    this.source_ = source as Source<unknown>;
    void source.load();
    return part.element;
  }

  private async change(row: AdminSeason): Promise<void> {
    await this.attempt(() => takeStep(this.site, row));
  }

  private async drain(row: AdminWorker): Promise<void> {
    const words = { worker: row.name };
    if (row.drained_at) {
      await this.attempt(() => this.site.api.post("/observatory/api/admin/workers/{worker}/resume", words));
      return;
    }
    const answer = await confirmed({
      title: `Drain ${row.name}?`,
      text: "It finishes the job that it has and gets no more, also after a restart. `Resume` undoes it.",
      action: "Drain",
    });
    if (answer !== null)
      await this.attempt(() => this.site.api.post("/observatory/api/admin/workers/{worker}/drain", words));
  }

  private async retry(row: Failure): Promise<void> {
    await this.attempt(() =>
      this.site.api.post("/observatory/api/admin/matches/{match_id}/again", { match_id: row.match_id }),
    );
  }

  private async recompute(check: boolean): Promise<void> {
    this.showMessage(check ? "Checking …" : "Recomputing …");
    await this.attempt(() => this.site.api.post("/observatory/api/admin/recompute", {}, { check }));
  }

  private async attempt(run: () => Promise<{ sentence: string; findings?: Finding[] } | null>): Promise<void> {
    try {
      const done = await run();
      if (!done) return;
      const { sentence, findings = [] } = done;
      const list =
        findings.length > 0
          ? el(
              "ul",
              { class: "plain-list small" },
              ...findings.map((finding) =>
                el(
                  "li",
                  {},
                  finding.match_id ? link(to.match(finding.match_id), finding.kind) : el("strong", {}, finding.kind),
                  finding.sentence,
                ),
              ),
            )
          : null;
      renew(this.answer, el("div", { class: "message" }, sentence, list));
      this.source_?.reload();
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
  }

  private showMessage(text: string): void {
    renew(this.answer, el("p", { class: "message" }, text));
  }
}

function jobTable(): LiveTable<AdminJob> {
  return new LiveTable<AdminJob>(
    "Jobs",
    [
      { title: "Status", cell: (row) => chip(row.status) },
      {
        title: "Policies",
        kind: "name",
        cell: (row) => [
          row.match_id ? link(to.match(row.match_id), name(row.policies.join(" – "))) : name(row.policies.join(" – ")),
          row.error ? el("span", { class: "bad small" }, ` ${row.error}`) : null,
        ],
      },
      { title: "Season", from: "tablet", cell: (row) => row.season_name ?? "–" },
      { title: "Worker", from: "desktop", cell: (row) => row.worker ?? "–" },
      { title: "Attempts", kind: "number", from: "desktop", cell: (row) => count(row.attempts) },
      { title: "Created", from: "tablet", cell: (row) => time(row.created_at) },
    ],
    (row) => row.id,
  );
}

function failureTable(retry: (row: Failure) => void): LiveTable<Failure> {
  return new LiveTable<Failure>(
    "Failures",
    [
      {
        title: "Error",
        kind: "name",
        cell: (row) => [
          link(to.match(row.match_id), words(row.error_type ?? "failed")),
          el("span", { class: "small" }, ` ${row.error ?? ""}`),
        ],
      },
      {
        title: "At fault",
        cell: (row) =>
          row.blamed_policy_version_id
            ? link(to.policy(row.blamed_policy_version_id), name(row.blamed ?? ""))
            : "no policy",
      },
      { title: "Season", from: "tablet", cell: (row) => `${row.season_name} · ${row.pool_name}` },
      { title: "When", from: "tablet", cell: (row) => time(row.failed_at) },
      { title: "", cell: (row) => act("Retry", () => retry(row)) },
    ],
    (row) => row.match_id,
  );
}
