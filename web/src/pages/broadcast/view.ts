import type { Episode } from "../../decode";
import type { MatchState } from "../../live/match";
import { Pace } from "../../live/pace";
import { button, el, onClick, setText } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App } from "../app";
import { formatNumber } from "../format";
import { Spectated } from "./game";
import { BroadcastSource } from "./source";

/** Steps per second that a person can follow; a faster match is played slower than it happens. */
const FASTEST = 40;
const SPEED = 10;

/** The page's services for a running match. */
export interface BroadcastPage {
  show(episode: Episode): void;
  /** load the replay of the match; null if that fails, after the page has said why */
  load(address: string): Promise<Episode | null>;
  waiting(sentence: string): void;
  say(sentence: string): void;
  failed(sentence: string): void;
}

/** A running match: follows its newest tick, or plays it at a speed for people, and continues with its replay. */
export class BroadcastView {
  readonly bar: HTMLElement;
  readonly banner = el("p", { class: "live-banner", attrs: { role: "status", "data-testid": "banner" } });
  readonly game = new Spectated();
  private readonly liveButton = el("button", {
    class: "live-button",
    attrs: { type: "button", "data-testid": "live" },
  });
  private readonly startButton: HTMLButtonElement;
  private readonly status = el("span", { class: "live-status", attrs: { "data-testid": "live-status" } });
  private readonly source: BroadcastSource;
  private pace = new Pace();
  private delay = 0;
  private state: MatchState = "";
  private sentence = "";
  private isLost = false;
  private hasChosenPace = false;
  private hasShown = false;

  constructor(
    private readonly app: App,
    address: URL,
    private readonly page: BroadcastPage,
    /** whether nothing should move before the spectator asks for it */
    private readonly isStill: boolean,
  ) {
    app.live = this.game;
    onClick(this.liveButton, () => this.goLive());
    this.startButton = button("Watch from the first tick", ICONS.start, () => this.fromStart(), "From the start");
    this.startButton.dataset.testid = "from-start";
    this.bar = el(
      "section",
      { class: "live-bar", attrs: { "aria-label": "Running match" } },
      el("div", { class: "live-group" }, this.liveButton, this.startButton, this.status),
    );
    this.banner.hidden = true;
    this.source = new BroadcastSource(address, {
      hello: (delay) => {
        [this.delay, this.isLost] = [delay, false];
        this.update();
      },
      episode: (episode) => this.begin(episode),
      grown: () => this.grown(),
      status: (state, sentence) => this.stand(state, sentence),
      final: (sentence, replay) => void this.finish(sentence, replay),
      lost: () => {
        this.isLost = true;
        this.update();
      },
      refused: (sentence) => this.refuse(sentence),
    });
    app.onChange(() => this.update());
  }

  close(): void {
    this.source.close();
  }

  private begin(episode: Episode): void {
    const isAgain = this.hasShown;
    this.hasShown = true;
    this.pace = new Pace();
    this.hasChosenPace = false;
    this.page.show(episode);
    this.app.goLive();
    if (this.isStill) this.app.play(false);
    if (isAgain) this.page.say("The match is shown from its first tick again");
    this.update();
  }

  private grown(): void {
    this.game.grown++;
    this.pace.grown(performance.now() / 1000, this.app.lastTick);
    this.app.hasGrown();
    const { rate } = this.pace;
    if (!this.hasChosenPace && rate !== null) this.choosePace(rate);
  }

  /** Play a match that is too fast to be followed from where the spectator joined, unless the spectator has moved. */
  private choosePace(rate: number): void {
    this.hasChosenPace = true;
    if (rate <= FASTEST || !this.app.isAtEdge) return;
    this.playFrom(Math.min(this.pace.joined, this.app.lastTick - 1));
  }

  private goLive(): void {
    this.hasChosenPace = true;
    this.app.goLive();
  }

  private fromStart(): void {
    this.hasChosenPace = true;
    this.playFrom(this.app.firstTick);
  }

  private playFrom(tick: number): void {
    this.app.seek(tick);
    this.app.isAtEdge = false;
    this.app.setSpeed(SPEED);
    this.app.play(true);
  }

  private stand(state: MatchState, sentence: string): void {
    [this.state, this.sentence] = [state, sentence];
    if (!this.hasShown && sentence) this.page.waiting(sentence);
    this.update();
  }

  /** Continue with the replay at the same tick. It has what is not shown during a match. */
  private async finish(sentence: string, address: string): Promise<void> {
    const { app } = this;
    this.game.isOver = true;
    this.state = "ended";
    this.sentence = sentence;
    if (!address) {
      if (this.hasShown) this.page.say(sentence);
      else this.page.failed(sentence);
      return this.update();
    }
    const episode = await this.page.load(address);
    if (!episode) return;
    const [wasPlaying, wasAtEdge] = [app.isPlaying, app.isAtEdge];
    app.isAtEdge = false;
    app.live = null;
    app.address = address;
    this.page.show(episode);
    if (this.hasShown) this.page.say(`${sentence}. This is its replay`);
    // A match that was over before its first tick could be shown plays from its start.
    if (!this.hasShown) app.seek(app.firstTick);
    const repeats = app.isLooping && wasAtEdge;
    if ((!this.hasShown && !this.isStill) || (wasPlaying && !wasAtEdge) || repeats) app.play(true);
    this.bar.hidden = this.banner.hidden = true;
    app.changed("live");
  }

  private refuse(sentence: string): void {
    this.game.isOver = true;
    if (this.hasShown) {
      this.sentence = sentence;
      this.page.say(sentence);
    } else this.page.failed(sentence);
    this.update();
  }

  private update(): void {
    const { app, game } = this;
    if (app.live !== game) return;
    const behind = Math.max(0, app.lastTick - Math.floor(app.time));
    this.liveButton.classList.toggle("is-live", app.isAtEdge && !game.isOver);
    this.liveButton.disabled = !this.hasShown;
    const isFollowing = app.isAtEdge || !this.hasShown;
    setText(this.liveButton, game.isOver ? "Over" : isFollowing ? "Live" : `Go live (${formatNumber(behind)} behind)`);
    this.liveButton.title = game.isOver ? "The match is over" : "To the newest tick (End)";
    this.startButton.disabled = !this.hasShown;
    setText(this.status, this.statusText());
    const warning = this.isLost ? "The connection to the server is lost; reconnecting" : this.warning();
    this.banner.hidden = warning === "";
    setText(this.banner, warning);
  }

  private warning(): string {
    return this.hasShown && this.state !== "live" && this.state !== "starting" ? this.sentence : "";
  }

  private statusText(): string {
    const { rate } = this.pace;
    const speed = rate === null ? "" : `${formatNumber(Number(rate.toFixed(rate < 10 ? 1 : 0)))} steps/s`;
    const delay = this.delay ? `${formatNumber(this.delay)} s later than played` : "";
    return this.game.isOver ? "" : [speed, delay].filter(Boolean).join(", ");
  }
}
