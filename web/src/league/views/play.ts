import { el, renew, setText } from "../../ui/dom";
import type { PlaySession, PlaySessionSeat } from "../api-types";
import { act, chip, empty, facts, link, name, Part, problem, time } from "../parts/bits";
import { GameFrame } from "../parts/game-frame";
import { Ready } from "../parts/ready";
import { sharePart } from "../parts/share";
import { startGame } from "../parts/starting";
import { type Route, to } from "../router";
import { type Site, View } from "../view";

type PlayRoute = Extract<Route, { page: "play" }>;

const STATES: Record<string, string> = {
  open: "Waiting for players",
  starting: "Starting",
  running: "Running",
  ended: "Over",
};

/** A play session: who sits where, the choices of its owner, and the game in a frame. A guest sees the guest's own. */
export class PlayView extends View<PlayRoute> {
  override title = "Play";
  private readonly session = this.source(
    (signal) =>
      this.isGuest
        ? this.site.api.get("/observatory/api/guest/games/{session_id}", this.words, {}, signal)
        : this.site.api.get("/v2/coworlds/play/session/{session_id}", this.words, {}, signal),
    "hosted",
  );
  private readonly head = el("div", { class: "column" });
  private readonly failure = el("div");
  private readonly game = new Part("Game");
  private readonly frame = new GameFrame("The game");
  private readonly ready = new Ready(() => {
    this.draw();
    this.frame.element.scrollIntoView({ block: "start" });
  });
  private readonly goal = new Part("Goal");
  private readonly note = el("p", { class: "message", attrs: { role: "status" } });
  private readonly seats = new Part("Seats");
  private readonly settings = new Part("Settings");
  private readonly variant = el("select", { id: "variant", class: "field" });
  private readonly spectators = el("input", { id: "spectators", attrs: { type: "checkbox" } });
  private readonly share = sharePart(
    this.site,
    "Everyone who has this link and an account can join while a seat is free, or watch.",
  );
  private isWatching = false;
  private timer = 0;

  constructor(site: Site, route: PlayRoute) {
    super(site, route);
    this.game.body.append(this.note, this.ready.element, this.frame.element);
    this.settings.body.append(
      el("label", { attrs: { for: "variant" } }, "Variant"),
      this.variant,
      el("label", { class: "check" }, this.spectators, " Spectators may watch"),
    );
    this.variant.addEventListener("change", () => this.configure({ kind: "variant", variant_id: this.variant.value }));
    this.spectators.addEventListener("change", () =>
      this.configure({ kind: "spectators", allow_spectators: this.spectators.checked }),
    );
    this.content.append(
      this.head,
      this.failure,
      this.game.element,
      this.goal.element,
      this.seats.element,
      this.settings.element,
      this.share.element,
    );
  }

  private get isGuest(): boolean {
    return !this.site.api.me?.signed_in;
  }

  private get words() {
    return { session_id: this.route.session };
  }

  override close(): void {
    clearTimeout(this.timer);
    this.ready.close();
    this.frame.clear();
    super.close();
  }

  draw(): void {
    const session = this.dataOf(this.session);
    if (!session) return;
    this.title = `Play ${session.coworld_name}`;
    renew(this.head, ...this.heading(session));
    this.drawGame(session);
    this.drawGoal(session);
    this.seats.show("Seats", true);
    renew(this.seats.body, seatList(session), this.actions(session));
    this.drawSettings(session);
    this.share.element.hidden = session.status === "ended" || this.isGuest;
    // A game starts by itself some time after the last person joined; the page then says so without a reload.
    clearTimeout(this.timer);
    if (session.status === "open" && session.starts_at)
      this.timer = window.setTimeout(() => this.session.reload(), 2000);
  }

  private heading(session: PlaySession): HTMLElement[] {
    return [
      el("h1", {}, "Play ", name(session.coworld_name)),
      el("p", { class: "actions" }, chip(session.status, STATES[session.status] ?? session.status)),
      facts(
        ["Version", session.coworld_version],
        session.variant_id ? ["Variant", variantName(session)] : null,
        ["Created", time(session.created_at)],
        session.status === "open" && session.starts_at ? ["Starts at the latest", time(session.starts_at)] : null,
      ),
    ];
  }

  private drawGame(session: PlaySession): void {
    const isOver = session.status === "ended";
    const address = session.player_url ?? (this.isWatching ? session.global_url : null);
    const isRunning = session.status === "running";
    const hasToGetReady = isRunning && session.player_url !== null && !this.ready.isReady;
    this.ready.element.hidden = !hasToGetReady;
    if (address && isRunning && !hasToGetReady) {
      this.frame.show(session.player_url ? `${address}#ready` : address);
      this.frame.element.hidden = false;
    } else if (!isOver) this.frame.element.hidden = true;
    if (isOver) setText(this.note, session.error ? `The game is over. ${session.error}.` : "The game is over.");
    else if (isRunning)
      setText(
        this.note,
        hasToGetReady ? "" : session.player_url ? "Click the game to give it the keyboard." : "You are a spectator.",
      );
    else if (session.status === "starting") setText(this.note, "The server starts the game on a machine.");
    else setText(this.note, waiting(session));
    const isShown = isOver || session.status !== "open" || session.player_url !== null;
    this.game.element.hidden = !isShown;
    this.note.hidden = this.note.textContent === "";
  }

  private drawGoal(session: PlaySession): void {
    const texts = [session.description, session.variant_description].filter((text) => text !== "");
    this.goal.element.hidden = texts.length === 0;
    renew(
      this.goal.body,
      ...texts.map((text) => el("p", {}, text)),
      el("p", { class: "actions" }, link(to.coworld(session.coworld_id, "docs"), "Rules and hints")),
    );
  }

  private actions(session: PlaySession): HTMLElement {
    const isOver = session.status === "ended";
    const canWatch = !isOver && !session.player_url && session.global_url && !this.isWatching;
    return el(
      "p",
      { class: "actions" },
      session.can_join && act("Join", () => this.call("join"), "solid"),
      canWatch && session.status !== "open" && act("Watch", () => this.watch()),
      session.can_manage && session.status === "open" && act("Start now", () => this.call("start"), "solid"),
      session.can_manage && !isOver && act("End the session", () => this.call("end")),
      isOver && session.can_manage && act("Play again", () => void this.playAgain(session), "solid"),
      isOver && link(to.home(), "Front page"),
    );
  }

  private drawSettings(session: PlaySession): void {
    this.settings.element.hidden = !session.can_manage || session.status === "ended";
    if (document.activeElement !== this.variant)
      renew(
        this.variant,
        ...session.variants.map(({ id, name: label }) =>
          el("option", { attrs: { value: id ?? "", selected: id === session.variant_id } }, label ?? id ?? ""),
        ),
      );
    this.variant.value = session.variant_id ?? "";
    this.variant.disabled = session.status !== "open";
    this.spectators.checked = session.allow_spectators;
  }

  private watch(): void {
    this.isWatching = true;
    this.draw();
  }

  private configure(body: { kind: "variant"; variant_id: string } | { kind: "spectators"; allow_spectators: boolean }) {
    void this.run(this.site.api.put("/v2/coworlds/play/session/{session_id}/config", this.words, body));
  }

  /** Start the same game again: as a guest by the operator's name for it, else in a session of its own. */
  private async playAgain(session: PlaySession): Promise<void> {
    try {
      const { coworld_id, variant_id = null } = session;
      const { games } = this.isGuest ? await this.site.api.get("/observatory/api/guest/games", {}, {}) : { games: [] };
      const listed = games.find(
        (choice) => choice.coworld_name === session.coworld_name && choice.variant_id === variant_id,
      );
      this.site.go(await startGame(this.site, listed ?? { game: session.coworld_name, coworld_id, variant_id }));
    } catch (error) {
      renew(this.failure, problem(error as Error));
    }
  }

  private call(action: "join" | "start" | "end"): void {
    if (this.isGuest) {
      void this.run(this.site.api.post("/observatory/api/guest/games/{session_id}/end", this.words));
      return;
    }
    void this.run(
      action === "join"
        ? this.site.api.post("/v2/coworlds/play/session/{session_id}/join", this.words)
        : action === "start"
          ? this.site.api.post("/v2/coworlds/play/session/{session_id}/start", this.words)
          : this.site.api.post("/v2/coworlds/play/session/{session_id}/end", this.words),
    );
  }

  private async run(call: Promise<unknown>): Promise<void> {
    try {
      await call;
      renew(this.failure);
    } catch (error) {
      renew(this.failure, problem(error as Error));
    }
    await this.session.load();
  }
}

function waiting(session: PlaySession): string {
  const free = session.seats.filter(({ kind }) => kind === "free").length;
  return `The game starts when all seats are taken; ${free} ${free === 1 ? "is" : "are"} free. Its own players take seats that stay free.`;
}

function variantName(session: PlaySession): string {
  return session.variants.find(({ id }) => id === session.variant_id)?.name ?? session.variant_id ?? "";
}

function seatList(session: PlaySession): HTMLElement {
  if (session.seats.length === 0) return empty("This game has no seats");
  return el("ul", { class: "plain-list" }, ...session.seats.map(seatLine));
}

function seatLine(seat: PlaySessionSeat): HTMLElement {
  const occupant = seat.kind === "free" ? el("span", { class: "quiet" }, "Free") : name(seat.label ?? "");
  const kind = seat.is_me ? chip("running", "You") : seat.kind === "program" ? chip("plain", "Program") : null;
  return el("li", {}, el("span", { class: "quiet small" }, `Seat ${seat.slot}`), occupant, kind);
}
