import { el, renew, setText } from "../../ui/dom";
import type { CompetitionLobby, CompetitionLobbySeat, CompetitionMembership } from "../api-types";
import { act, chip, facts, link, name, Part, problem, time } from "../parts/bits";
import { GameFrame } from "../parts/game-frame";
import { Ready } from "../parts/ready";
import { sharePart } from "../parts/share";
import type { Route } from "../router";
import { type Site, View } from "../view";

type LobbyRoute = Extract<Route, { page: "lobby" }>;

const KINDS: [string, string][] = [
  ["human", "A person, before the start"],
  ["human_open", "A person, any time"],
  ["league_player", "A champion"],
  ["random", "A champion, drawn at the start"],
  ["closed", "Closed"],
];
const STATES: Record<string, string> = {
  draft: "Choosing seats",
  pending: "Starting",
  running: "Running",
  ended: "Over",
  cancelled: "Cancelled",
  expired: "Expired",
};
const TONES: Record<string, string> = { pending: "running", running: "running", ended: "finished" };

/** A lobby of a league: its seats, which the host edits and people claim, and then the game in a frame. */
export class LobbyView extends View<LobbyRoute> {
  override title = "Lobby";
  private readonly lobby = this.source(
    (signal) => this.site.api.get("/v2/lobbies/{lobby_id}", this.words, {}, signal),
    "hosted",
  );
  private readonly head = el("div", { class: "column" });
  private readonly failure = el("div");
  private readonly game = new Part("Game");
  private readonly note = el("p", { class: "message", attrs: { role: "status" } });
  private readonly frame = new GameFrame("The game");
  private readonly ready = new Ready(() => this.draw());
  private readonly seats = new Part("Seats");
  private readonly list = el("ul", { class: "plain-list lobby-seats" });
  private readonly actions = el("div");
  private readonly share = sharePart(this.site, "Everyone who sees the league can take a seat for a person, or watch.");
  private champions: CompetitionMembership[] | null = null;
  private isWatching = false;

  constructor(site: Site, route: LobbyRoute) {
    super(site, route);
    this.game.body.append(this.note, this.ready.element, this.frame.element);
    this.seats.body.append(this.list, this.actions);
    this.content.append(this.head, this.failure, this.game.element, this.seats.element, this.share.element);
  }

  private get words() {
    return { lobby_id: this.route.lobby };
  }

  override close(): void {
    this.ready.close();
    this.frame.clear();
    super.close();
  }

  draw(): void {
    const lobby = this.dataOf(this.lobby);
    if (!lobby) return;
    this.title = `Lobby of ${lobby.league_name ?? "a league"}`;
    if (lobby.permissions.can_edit && this.champions === null) void this.loadChampions(lobby);
    renew(this.head, ...heading(lobby));
    this.drawGame(lobby);
    this.seats.show("Seats", true);
    renew(this.list, ...lobby.seats.map((seat) => this.seatLine(lobby, seat)));
    renew(this.actions, this.buttons(lobby));
    this.share.element.hidden = !["draft", "pending", "running"].includes(lobby.status);
  }

  private drawGame(lobby: CompetitionLobby): void {
    const isActive = lobby.status === "pending" || lobby.status === "running";
    const address = lobby.play_url ?? (this.isWatching ? lobby.watch_url : null);
    this.game.element.hidden = lobby.status === "draft";
    const hasToGetReady = lobby.status === "running" && lobby.play_url !== null && !this.ready.isReady;
    this.ready.element.hidden = !hasToGetReady;
    if (lobby.status === "running" && address && !hasToGetReady) {
      this.frame.show(lobby.play_url ? `${address}#ready` : address);
      this.frame.element.hidden = false;
    } else if (isActive || !this.frame.element.isConnected) this.frame.element.hidden = true;
    const reason = lobby.error ? ` ${lobby.error}.` : "";
    if (hasToGetReady) setText(this.note, "The game is ready.");
    else if (lobby.status === "running")
      setText(this.note, lobby.play_url ? "Click the game to give it the keyboard." : "The game is running.");
    else if (lobby.status === "pending") setText(this.note, "The server starts the game on a machine.");
    else setText(this.note, `${lobby.status === "ended" ? "The game is over." : "There is no game."}${reason}`);
  }

  private seatLine(lobby: CompetitionLobby, seat: CompetitionLobbySeat): HTMLElement {
    const label = seat.claimant_label ?? seat.player_name;
    const kind = KINDS.find(([word]) => word === seat.kind)?.[1] ?? seat.kind;
    return el(
      "li",
      {},
      el("span", { class: "quiet small" }, `Seat ${seat.position}`),
      label ? name(label) : el("span", { class: "quiet" }, kind),
      seat.is_me && chip("running", "You"),
      lobby.permissions.can_edit && this.chooser(lobby, seat),
      seat.can_claim && act("Take this seat", () => this.claim(seat.position), "", `claim ${seat.position}`),
    );
  }

  /** The host's choice for a seat: a kind, or the champion of a player. */
  private chooser(lobby: CompetitionLobby, seat: CompetitionLobbySeat): HTMLSelectElement {
    const choices: [string, string][] = [
      ...KINDS.filter(([kind]) => kind !== "league_player"),
      ...(this.champions ?? []).map(({ player, policy_version }): [string, string] => [
        `league_player ${player?.id ?? ""}`,
        `Champion: ${player?.name ?? ""} (${policy_version.policy.name} v${policy_version.version})`,
      ]),
    ];
    const current = seat.kind === "league_player" ? `league_player ${seat.player_id ?? ""}` : seat.kind;
    if (!choices.some(([value]) => value === current)) choices.push([current, seat.player_name ?? current]);
    const select = el(
      "select",
      { class: "field", attrs: { "aria-label": `Occupant of seat ${seat.position}` } },
      ...choices.map(([value, label]) => el("option", { attrs: { value, selected: value === current } }, label)),
    );
    select.addEventListener("change", () => {
      const [kind = "", player] = select.value.split(" ");
      const body = {
        expected_revision: lobby.revision,
        kind: kind as "human",
        ...(player ? { player_id: player } : {}),
      };
      const words = { ...this.words, position: String(seat.position) };
      void this.run(this.site.api.put("/v2/lobbies/{lobby_id}/seats/{position}", words, body));
    });
    return select;
  }

  private buttons(lobby: CompetitionLobby): HTMLElement {
    const { permissions } = lobby;
    const isMine = lobby.seats.some(({ is_me }) => is_me);
    const canWatch = !lobby.play_url && lobby.watch_url && !this.isWatching;
    return el(
      "p",
      { class: "actions" },
      permissions.can_start && act("Start the game", () => this.startGame(), "solid"),
      canWatch && act("Watch", () => this.watch()),
      isMine &&
        lobby.status === "draft" &&
        act("Leave", () => this.run(this.site.api.post("/v2/lobbies/{lobby_id}/leave", this.words))),
      permissions.can_end_game &&
        act("End the game", () => this.run(this.site.api.post("/v2/lobbies/{lobby_id}/end", this.words))),
      permissions.can_edit &&
        act("Cancel the lobby", () => this.run(this.site.api.post("/v2/lobbies/{lobby_id}/cancel", this.words))),
      lobby.episode_request_id &&
        lobby.status === "ended" &&
        link(`/observatory/episodes/${encodeURIComponent(lobby.episode_request_id)}`, "Episode and replay"),
    );
  }

  private claim(position: number): void {
    const words = { ...this.words, position: String(position) };
    void this.run(this.site.api.post("/v2/lobbies/{lobby_id}/seats/{position}/claim", words));
  }

  private startGame(): void {
    const body = { idempotency_key: newKey(), expected_revision: this.lobby.value?.revision ?? 0 };
    void this.run(this.site.api.post("/v2/lobbies/{lobby_id}/start", this.words, body));
  }

  private watch(): void {
    this.isWatching = true;
    this.draw();
  }

  private async loadChampions(lobby: CompetitionLobby): Promise<void> {
    this.champions = [];
    const query = { league_id: lobby.league_id, champions_only: true, active_only: true, limit: 100 };
    try {
      this.champions = await this.site.api.get("/v2/league-policy-memberships", {}, query);
      this.draw();
    } catch {
      // The other kinds can still be chosen.
    }
  }

  private async run(call: Promise<unknown>): Promise<void> {
    try {
      await call;
      renew(this.failure);
    } catch (error) {
      renew(this.failure, problem(error as Error));
    }
    await this.lobby.load();
  }
}

/** A key that makes a repeated request harmless. Only secure pages have `crypto.randomUUID`. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function heading(lobby: CompetitionLobby): HTMLElement[] {
  const league = `/observatory/leagues/${encodeURIComponent(lobby.league_id)}`;
  const variant = lobby.variants.find(({ id }) => id === lobby.variant_id)?.name ?? lobby.variant_id;
  return [
    el("h1", {}, "Lobby of ", link(league, name(lobby.league_name ?? "a league"))),
    el("p", { class: "actions" }, chip(TONES[lobby.status] ?? lobby.status, STATES[lobby.status] ?? lobby.status)),
    facts(
      ["Game", `${lobby.coworld_name} ${lobby.coworld_version}`],
      variant ? ["Variant", variant] : null,
      ["Host", name(lobby.host_name ?? "")],
      lobby.status === "draft" ? ["Open until", time(lobby.expires_at)] : null,
    ),
  ];
}
