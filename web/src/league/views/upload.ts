import { el, icon, renew, setText } from "../../ui/dom";
import type { PolicyVersionResponse, SeasonCard } from "../api-types";
import { bytes, nameFromFile, percent, plainName } from "../format";
import { act, buttonLink, coded, empty, ICONS, link, problem, progressBar } from "../parts/bits";
import { command } from "../parts/commands";
import { Following } from "../parts/following";
import { SecretFields } from "../parts/secrets";
import { type Route, to } from "../router";
import { putFile } from "../sending";
import { type Site, View } from "../view";

type UploadRoute = Extract<Route, { page: "upload" }>;

/** Upload a bundle: choose or drop it, name it, enter it in a season, and follow its progress. */
export class UploadView extends View<UploadRoute> {
  override title = "Upload";
  private readonly seasons = this.source(
    (signal) => this.site.api.get("/observatory/api/seasons", {}, {}, signal),
    "season",
  );
  private readonly form = el("form", { class: "panel upload" });
  private readonly input = el("input", {
    id: "bundle",
    class: "unseen",
    attrs: { type: "file", accept: ".zip,application/zip" },
  });
  private readonly chosen = el("p", { class: "drop-file" });
  private readonly drop = el(
    "label",
    { class: "drop", attrs: { for: "bundle" } },
    icon(ICONS.upload),
    el("strong", {}, "Drop a bundle here, or choose one"),
    el("span", { class: "quiet small" }, ...coded("a .zip file from `cogames create-bundle`")),
    this.chosen,
  );
  private readonly name = el("input", {
    id: "name",
    class: "field",
    attrs: { type: "text", maxlength: 64, required: true, autocomplete: "off" },
  });
  private readonly season = el("select", { id: "season", class: "field" });
  private readonly secrets = new SecretFields();
  private readonly send = el("button", { class: "button solid", attrs: { type: "submit" } }, "Upload");
  private readonly progress = el("div", { class: "column", attrs: { "aria-live": "polite" } });
  private readonly result = el("div", { class: "column" });
  private readonly signIn = el("div");
  private file: File | null = null;
  private following: Following | null = null;

  constructor(site: Site, route: UploadRoute) {
    super(site, route);
    this.form.append(
      this.input,
      this.drop,
      el("label", { attrs: { for: "name" } }, "Policy name"),
      this.name,
      el(
        "p",
        { class: "quiet small" },
        "If you already have a policy with this name, the upload becomes its next version.",
      ),
      el("label", { attrs: { for: "season" } }, "Season"),
      this.season,
      this.secrets.element,
      el("p", { class: "actions" }, this.send),
    );
    this.content.append(
      el("h1", {}, "Upload a policy"),
      this.signIn,
      this.form,
      this.progress,
      this.result,
      forLeagues(),
    );
    this.input.addEventListener("change", () => this.choose(this.input.files?.[0] ?? null));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.upload();
    });
    for (const kind of ["dragenter", "dragover", "dragleave", "drop"] as const) {
      this.element.addEventListener(kind, (event) => this.dragged(event));
    }
  }

  override start(): void {
    super.start();
    document.addEventListener("dragover", stay);
    document.addEventListener("drop", stay);
  }

  override close(): void {
    super.close();
    this.following?.close();
    document.removeEventListener("dragover", stay);
    document.removeEventListener("drop", stay);
  }

  override handleChanges(changes: Parameters<View["handleChanges"]>[0]): void {
    super.handleChanges(changes);
    this.following?.handleChanges(changes);
  }

  override refresh(): void {
    super.refresh();
    this.following?.refresh();
  }

  draw(): void {
    const seasons = this.dataOf(this.seasons);
    if (!seasons) return;
    const isIn = this.site.api.me?.signed_in ?? false;
    this.form.hidden = !isIn;
    renew(
      this.signIn,
      isIn
        ? null
        : empty("Sign in to upload policies.", buttonLink(to.signIn(location.pathname + location.search), "Sign in")),
    );
    this.offer(seasons.filter((season) => season.status !== "complete"));
  }

  private offer(seasons: readonly SeasonCard[]): void {
    const seasonsKey = seasons.map((season) => season.name).join("\n");
    if (this.season.dataset.seasons === seasonsKey) return;
    this.season.dataset.seasons = seasonsKey;
    const before = this.season.value;
    this.season.replaceChildren(
      ...seasons.map((season) =>
        el("option", { attrs: { value: season.name } }, `${season.display_name} (${season.name})`),
      ),
      el("option", { attrs: { value: "" } }, "none (upload only)"),
    );
    const proposed = this.route.season || seasons.find((season) => season.is_default)?.name || seasons[0]?.name || "";
    this.season.value = before || (seasons.some((season) => season.name === proposed) ? proposed : "");
  }

  private dragged(event: DragEvent): void {
    event.preventDefault();
    if (this.form.hidden) return;
    this.drop.classList.toggle("is-over", event.type === "dragenter" || event.type === "dragover");
    if (event.type === "drop") this.choose(event.dataTransfer?.files[0] ?? null);
  }

  private choose(file: File | null): void {
    this.file = file;
    renew(this.result);
    setText(this.chosen, file ? `${plainName(file.name)}, ${bytes(file.size)}` : "");
    if (file && !this.name.value) this.name.value = nameFromFile(file.name);
  }

  private async upload(): Promise<void> {
    if (!this.file) {
      renew(this.result, problem(new Error("Choose a bundle first")));
      this.input.focus();
      return;
    }
    this.send.disabled = true;
    renew(this.result);
    try {
      const secrets = this.secrets.read();
      const { api } = this.site;
      const { upload_url: url, upload_id: id } = await api.post("/stats/policies/submit/presigned-url", {});
      await putFile(url, this.file, (part) => this.showProgress(`Uploading: ${percent(part)}`, part));
      this.showProgress("Checking the bundle …", 1);
      const body = {
        upload_id: id,
        name: this.name.value.trim(),
        season: this.season.value || null,
        policy_secret_env: secrets,
      };
      this.done(await api.post("/stats/policies/submit/complete", {}, body));
    } catch (error) {
      renew(this.result, problem(error as Error));
    } finally {
      renew(this.progress);
      this.send.disabled = false;
    }
  }

  private showProgress(text: string, part: number): void {
    renew(this.progress, progressBar(part, "Sent"), el("p", {}, text));
  }

  private done(version: PolicyVersionResponse): void {
    this.following?.close();
    this.following = null;
    this.secrets.clear();
    const season = this.season.value;
    const title = el(
      "h2",
      {},
      link(to.policy(version.id), `${plainName(version.name)} v${version.version}`),
      " is uploaded",
    );
    if (version.submit_error) {
      renew(
        this.result,
        el(
          "section",
          { class: "panel" },
          title,
          problem(new Error(`It was not entered in ${season}: ${version.submit_error}`)),
        ),
      );
      return;
    }
    const box = el("section", { class: "panel", attrs: { "data-testid": "uploaded" } }, title);
    if (season) {
      this.following = new Following(this.site, season, version.id);
      box.append(
        this.following.element,
        el(
          "p",
          { class: "actions" },
          link(to.season(season), "Leaderboard"),
          act("Upload another", () => this.again()),
        ),
      );
    } else
      box.append(
        el("p", {}, "It is not in a season yet: open one and submit it."),
        el("p", { class: "actions" }, link(to.home(), "All competitions")),
      );
    this.result.replaceChildren(box);
  }

  private again(): void {
    renew(this.result);
    this.input.value = "";
    this.choose(null);
    this.input.focus();
  }
}

/** Leagues of other games take container images and files, which are sent from a terminal. */
function forLeagues(): HTMLElement {
  const server = `--server ${location.origin}`;
  return el(
    "section",
    { class: "panel" },
    el("h2", {}, "For a league"),
    el(
      "p",
      {},
      "Seasons take a bundle, which you can drop above. Leagues of packaged games take a container image or a file, which you send from your machine:",
    ),
    command(`coworld upload-policy my-player:latest --name my-player ${server}`),
    command(`coworld submit my-player --league LEAGUE ${server}`),
    el(
      "p",
      { class: "quiet small" },
      "The page of a league names its id; the page of its ",
      link(to.coworlds(), "game"),
      " has the rules and the protocol for players.",
    ),
  );
}

/** A file dropped outside the field must not replace the page. */
function stay(event: Event): void {
  event.preventDefault();
}
