import { inflate, MatchSocket, type MatchState } from "../live/match";
import { Pace } from "../live/pace";
import { el, setText } from "../ui/dom";
import { hasSingleKeys, isSingleKey } from "../ui/shortcuts";
import { showTheme } from "../ui/theme";
import { Bar } from "./parts/bar";
import { isControl } from "./parts/keyboard";
import { MapView } from "./parts/map-view";
import { MatchControls } from "./parts/match-controls";
import { Playback } from "./parts/playback";
import "./style.css";
import { BadMessage, Film, recordedMessages } from "./wire";

/** ticks per second that a person can follow; a faster match is played slower than it happens */
const FASTEST = 40;

/** The page of a match of a league: `?watch=` names a running match, `?replay=` a recorded one. */
class MatchPage {
  private readonly film = new Film();
  private readonly playback = new Playback();
  private readonly map: MapView;
  private readonly bar: Bar;
  private readonly controls: MatchControls;
  private readonly notice = el("p", { class: "notice", attrs: { role: "status", "data-testid": "notice" } });
  private socket: MatchSocket | null = null;
  private pace = new Pace();
  private hasChosenPace = false;
  private isRunning = false;
  private delay = 0;
  private state: MatchState = "";
  private before = 0;

  constructor(app: HTMLElement, query: URLSearchParams) {
    this.map = new MapView(
      () => this.film.scene,
      () => {},
      this.notice,
    );
    this.map.painter.isHidden = (sprite) => sprite.label.startsWith("replay tick ");
    this.bar = new Bar(...this.map.buttons);
    this.controls = new MatchControls({
      play: () => this.playback.toggle(this.film.lastTick, this.isRunning),
      live: () => this.follow(),
      seek: (tick) => this.seek(tick),
      speed: (factor) => {
        this.playback.speed = factor;
      },
    });
    const isSmall = query.get("mini") === "1";
    app.className = isSmall ? "global small" : "global";
    app.replaceChildren(...(isSmall ? [this.map.stage] : [this.bar.element, this.map.stage, this.controls.element]));
    // Nothing moves before the spectator asks for it.
    if (matchMedia("(prefers-reduced-motion: reduce)").matches)
      this.playback.isPlaying = this.playback.isAtEdge = false;
    addEventListener("keydown", (event) => this.key(event));
    requestAnimationFrame((now) => this.frame(now));
    this.open(query);
  }

  /** The tick that is shown; null before there is one. */
  get tick(): number | null {
    return this.film.isEmpty ? null : Math.floor(this.playback.tick);
  }

  private open(query: URLSearchParams): void {
    const tick = Number(query.get("tick") ?? new URLSearchParams(location.hash.slice(1)).get("tick") ?? Number.NaN);
    const [watch, replay] = [query.get("watch"), query.get("replay")];
    if (watch) this.watch(new URL(watch, location.href));
    else if (replay) void this.load(new URL(replay, location.href), Number.isFinite(tick) ? tick : 0);
    else this.say("The address names no match");
  }

  private watch(address: URL): void {
    if (address.origin !== location.origin) return this.say("A match is watched on its own server");
    this.isRunning = true;
    this.say("Connecting");
    this.socket = new MatchSocket(address, {
      hello: (delay) => {
        this.delay = delay;
      },
      data: (message) => this.receive(message),
      damaged: (error) => this.fail(error),
      status: (state, sentence) => this.stand(state, sentence),
      final: (sentence, replay) => void this.finish(sentence, replay),
      lost: () => this.show("lost", "The connection to the server is lost; reconnecting"),
      refused: (sentence) => {
        this.isRunning = false;
        this.show("closed", sentence);
        this.say(sentence);
      },
    });
  }

  private receive(message: Uint8Array): void {
    const isEmpty = this.film.isEmpty;
    this.film.read(message);
    if (this.film.isEmpty) {
      // The first message of the match: it begins, or is played again.
      this.pace = new Pace();
      this.hasChosenPace = false;
      this.begin();
      return;
    }
    if (isEmpty) this.say("");
    this.pace.grown(performance.now() / 1000, this.film.lastTick);
    const { rate } = this.pace;
    if (rate === null || this.hasChosenPace) return;
    this.hasChosenPace = true;
    if (rate > FASTEST && this.playback.isAtEdge) this.playback.seek(this.pace.joined, this.film.lastTick);
  }

  private begin(): void {
    const head = this.film.head!;
    this.playback.ticksPerSecond = head.ticksPerSecond;
    const hidden = head.hidesSecrets ? ", without secrets" : "";
    this.bar.name(head.title, this.isRunning ? `Live${hidden}` : "Replay");
  }

  private stand(state: MatchState, sentence: string): void {
    this.state = state;
    this.show(state === "live" ? "open" : state === "lost" || state === "again" ? "lost" : "connecting", sentence);
    if (this.film.isEmpty || state === "lost" || state === "again" || state === "long") this.say(sentence);
    else this.say("");
  }

  /** Continue with the recorded match at the same tick: it also shows what was hidden. */
  private async finish(sentence: string, replay: string): Promise<void> {
    this.isRunning = false;
    this.show("open", sentence);
    if (replay) await this.load(new URL(replay, location.href), this.playback.tick);
    else if (this.film.isEmpty) this.say(sentence);
  }

  private async load(address: URL, tick: number): Promise<void> {
    if (this.film.isEmpty) this.say("Loading the replay");
    try {
      const response = await fetch(address);
      if (response.status === 404) throw new BadMessage("the server has no pictures of it");
      if (!response.ok) throw new BadMessage(`the server answered ${response.status}`);
      const data = await inflate(new Uint8Array(await response.arrayBuffer()));
      for (const message of recordedMessages(data)) this.film.read(message);
    } catch (error) {
      return this.fail(error);
    }
    this.begin();
    this.say("");
    this.playback.seek(tick, this.film.lastTick);
  }

  private follow(): void {
    this.hasChosenPace = true;
    this.playback.follow();
  }

  private seek(tick: number): void {
    this.hasChosenPace = true;
    this.playback.seek(tick, this.film.lastTick);
  }

  private frame(now: number): void {
    const seconds = Math.min((now - (this.before || now)) / 1000, 0.25);
    this.before = now;
    const { film, playback } = this;
    if (!film.isEmpty) {
      playback.advance(seconds, film.lastTick, this.isRunning);
      try {
        film.seek(Math.floor(playback.tick));
        this.map.redraw();
      } catch (error) {
        this.fail(error);
        return;
      }
    }
    this.controls.show({
      tick: playback.tick,
      last: film.lastTick,
      ticksPerSecond: playback.ticksPerSecond,
      isPlaying: playback.isPlaying,
      isAtEdge: playback.isAtEdge && playback.isPlaying,
      isRunning: this.isRunning,
      hasFrames: !film.isEmpty,
      detail: this.detail(),
    });
    requestAnimationFrame((time) => this.frame(time));
  }

  private detail(): string {
    if (!this.isRunning) return "";
    const { rate } = this.pace;
    const speed = rate === null || this.state !== "live" ? "" : `${Math.round(rate)} ticks/s`;
    return [speed, this.delay ? `${this.delay} s later than played` : ""].filter(Boolean).join(", ");
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isControl(event)) return;
    if (isSingleKey(event) && !hasSingleKeys()) return;
    if (event.key === " ") this.playback.toggle(this.film.lastTick, this.isRunning);
    else if (event.key === "Home") this.seek(0);
    else if (event.key === "End" && this.isRunning) this.follow();
    else if (event.key === "End") this.seek(this.film.lastTick);
    else if (!this.map.key(event)) return;
    event.preventDefault();
  }

  private fail(error: unknown): void {
    this.socket?.close();
    this.isRunning = false;
    const reason = error instanceof BadMessage ? error.message : "it could not be read";
    this.show("closed", "Damaged");
    this.say(`The match cannot be shown: ${reason}`);
  }

  private show(state: "connecting" | "open" | "lost" | "closed", text: string): void {
    this.bar.show({ state, text: text || "Connected" });
  }

  private say(sentence: string): void {
    this.notice.hidden = sentence === "";
    setText(this.notice, sentence);
  }
}

showTheme();
// A page on another site names its match in the document, so that its address cannot change it.
const place = document.querySelector<HTMLMetaElement>('meta[name="mettascope-place"]')?.content ?? location.search;
const page = new MatchPage(document.getElementById("app")!, new URLSearchParams(place));
// For links to a moment, which the page around this one makes.
Object.assign(window, { matchPage: page });
