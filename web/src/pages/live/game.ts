import type { LiveMarks } from "../../board/view";
import { type Episode, inside, isInteger, type JsonObject } from "../../decode";
import type { App, Live } from "../app";
import { Admin } from "./admin";
import type { Door } from "./door";
import { Driver } from "./driver";
import { LiveLine } from "./line";
import { type GameState, type Goal, type Hello, type Lesson, type LineInfo, textOf } from "./messages";

/** Whether the page around this one has asked the user; the address changes later. */
const IS_READY = globalThis.location?.hash === "#ready";

/** Callbacks of the page for a live game. */
export interface GameEvents {
  /** show these lines: the played one, and another one beside it or null */
  show(episode: Episode, beside: Episode | null): void;
  /** show a message about a failure or an event */
  say(sentence: string, link?: string): void;
  /** driving of the selected cog has started */
  drives(): void;
  /** the page cannot continue */
  failed(sentence: string): void;
}

/** A live game: one or two of its lines, the driven cog, and the host's controls. */
export class LiveGame implements Live {
  readonly canSteer = true;
  hello: Hello | null = null;
  driver: Driver | null = null;
  /** seconds until the next reconnect; null while connected */
  lostFor: number | null = null;
  isBranching = false;
  version = 0;
  grown = 0;
  private lines: readonly LineInfo[] = [];
  private main: LiveLine;
  private beside: LiveLine | null = null;
  private admin: Admin | null = null;
  private isFirst = true;
  private lastDriven = -1;
  private hasBegunLesson = false;
  /** whether the user has pressed Ready, here or on the page around this one */
  private isReady = IS_READY;

  constructor(
    private readonly app: App,
    readonly door: Door,
    private readonly events: GameEvents,
  ) {
    this.main = this.watch(0);
  }

  /* ---- state ---- */

  get state(): GameState | null {
    return this.main.state;
  }

  get lesson(): Lesson | null {
    return this.main.lesson;
  }

  get line(): number {
    return this.main.number;
  }

  get besideLine(): number | null {
    return this.beside?.number ?? null;
  }

  get allLines(): readonly LineInfo[] {
    return this.lines;
  }

  get isHost(): boolean {
    return this.hello?.rights === "host";
  }

  get isOver(): boolean {
    return this.main.isOver || this.state?.isDone === true;
  }

  get isRunning(): boolean {
    return !this.isOver && this.lostFor === null && this.state?.isPaused === false;
  }

  get speed(): number {
    return this.state?.speed ?? 0;
  }

  get title(): string {
    return this.hello?.title ?? "";
  }

  get goal(): Goal | null {
    return this.hello?.goal ?? null;
  }

  /** Return whether the game has to wait for this user's Ready: for a seat, or for a host before the first step. */
  get awaitsReady(): boolean {
    if (this.isReady || this.isOver || this.lesson || !this.hello || this.lostFor !== null) return false;
    if (this.door.page === "player") return this.hello.slot !== null && this.driven < 0;
    return this.door.page === null && this.isHost && this.state?.isPaused === true && this.state.step === 0;
  }

  /** Take the seat, or start the game of a host. */
  becomeReady(): void {
    this.isReady = true;
    if (this.door.page === "player") this.drive(this.hello?.slot ?? 0);
    else this.play(true);
    this.changed();
  }

  /** The agent that this page drives, or -1. */
  get driven(): number {
    return this.driver ? this.driver.slot : -1;
  }

  driverOf(agent: number): string | null {
    return agent === this.driven ? "you" : (this.state?.seats[agent]?.driver ?? null);
  }

  /** Return whether the link allows driving. The admin page of a Coworld has no seat. */
  get mayDrive(): boolean {
    const rights = this.hello?.rights ?? "watch";
    return rights === "player" || (rights === "host" && this.door.page === null);
  }

  canDrive(agent: number): boolean {
    if (!this.hello || !this.mayDrive || this.isOver || agent < 0) return false;
    return this.hello.slot === null || this.hello.slot === agent;
  }

  /** Return [maximum characters, steps between two texts]; null if the game has no talk. */
  get talkLimits(): [length: number, cooldown: number] | null {
    const talk = inside(this.main.episode?.replay.parts.config, "game", "talk");
    if (inside(talk, "enabled") !== true) return null;
    const [length, cooldown] = [inside(talk, "max_length"), inside(talk, "cooldown_steps")];
    return [isInteger(length, 1) ? length : 140, isInteger(cooldown, 0) ? cooldown : 0];
  }

  /** Return the steps until the driven agent may speak again. */
  get silence(): number {
    const { episode } = this.main;
    const limits = this.talkLimits;
    if (!episode || !limits || this.driven < 0) return 0;
    const last = episode.replay.parts.notes[this.driven]?.talk.at(-1);
    return last ? Math.max(0, last.tick + limits[1] - episode.replay.lastTick) : 0;
  }

  /** Return the board's live data at the newest tick of the played line. */
  marksFor(episode: Episode): LiveMarks {
    const isMain = episode === this.main.episode;
    const seats = (isMain ? this.state : this.beside?.state)?.seats ?? [];
    const lesson = isMain ? this.lesson : null;
    return {
      plans: this.app.isAtEdge ? seats.flatMap(({ plan }, agent) => (plan.length ? [{ agent, cells: plan }] : [])) : [],
      drivers: seats.flatMap(({ driver }, agent) => (driver ? [agent] : [])),
      own: isMain ? this.driven : -1,
      cells: lesson?.cells ?? [],
      objects: lesson?.objects ?? [],
    };
  }

  /* ---- the clock ---- */

  play(on: boolean): void {
    this.ask({ type: on ? "resume" : "pause" });
  }

  step(count: number): void {
    this.ask({ type: "step", count });
  }

  setSpeed(speed: number): void {
    this.ask({ type: "speed", steps_per_second: speed });
  }

  get waitsForPeople(): boolean {
    return this.state?.tickMode === "tick_when_act";
  }

  waitForPeople(on: boolean): void {
    this.ask({ type: "mode", tick_mode: on ? "tick_when_act" : "fixed" });
  }

  end(): void {
    this.ask({ type: "end" });
  }

  /* ---- driving ---- */

  drive(agent: number, force = false): void {
    if (this.driven === agent || !this.canDrive(agent)) return;
    this.handBack();
    this.lastDriven = agent;
    this.driver = new Driver(
      this.line,
      agent,
      this.door,
      {
        changed: () => this.changed(),
        failed: (sentence) => this.events.say(sentence),
        ended: (sentence) => {
          this.driver?.release();
          this.driver = null;
          if (sentence) this.events.say(sentence);
          this.changed();
        },
      },
      force,
    );
    this.app.goLive();
    const number = this.app.left?.replay.agentObjects[agent] ?? -1;
    if (number >= 0) this.app.select(this.app.left!.replay.parts.ids[number]);
    this.events.drives();
    this.changed();
  }

  handBack(): void {
    if (!this.driver) return;
    this.driver.release();
    this.driver = null;
    this.changed();
  }

  /* ---- branches and guests ---- */

  /** Branch at a tick and show the branch beside this line; the driver moves to the branch. */
  async branch(tick: number): Promise<void> {
    if (this.isBranching) return;
    this.isBranching = true;
    this.changed();
    const driven = this.driven;
    try {
      const { line } = await this.request({ type: "branch", tick });
      if (!isInteger(line, 0)) return;
      this.handBack();
      this.showLine(line);
      if (driven >= 0) this.drive(driven);
    } catch (error) {
      this.events.say((error as Error).message);
    } finally {
      this.isBranching = false;
      this.changed();
    }
  }

  /** Return whether the host can play the game once more. */
  get canRepeat(): boolean {
    return this.isOver && this.isHost && this.hello?.canBranch === true;
  }

  /** Play the game once more from its first tick, in a new line that is shown alone. */
  async repeat(): Promise<void> {
    const [before, driven] = [this.line, this.lastDriven];
    try {
      const { line } = await this.request({ type: "branch", line: 0, tick: 0 });
      if (!isInteger(line, 0)) return;
      this.isReady = false;
      this.showLine(line, true);
      if (driven >= 0) this.drive(driven);
      if (before) await this.request({ type: "close_line", line: before });
    } catch (error) {
      this.events.say((error as Error).message);
    }
  }

  /** Show a line beside its parent, or alone; line 0 has no parent. */
  showLine(number: number, isAlone = false): void {
    if (number === this.line) return;
    this.handBack();
    const lineParent = this.lines.find(({ line }) => line === number)?.parent ?? (number ? this.line : null);
    const parent = isAlone ? null : lineParent;
    const known = [this.main, this.beside].filter((line) => line !== null);
    const take = (wanted: number) => known.find((line) => line.number === wanted) ?? this.watch(wanted);
    this.main = take(number);
    this.beside = parent === null ? null : take(parent);
    for (const line of known) if (line !== this.main && line !== this.beside) line.close();
    this.app.goLive();
    this.present();
    this.changed();
  }

  /** Close the current branch and return to its parent. */
  closeBranch(): void {
    const number = this.line;
    if (!number) return;
    this.showLine(this.besideLine ?? 0);
    this.request({ type: "close_line", line: number }).catch((error: Error) => this.events.say(error.message));
  }

  /** Return an invitation link. */
  async invite(rights: "player" | "watch", slot: number | null): Promise<string> {
    const answer = await this.request({ type: "invite", rights, ...(slot === null ? {} : { slot }) });
    return textOf(answer.address);
  }

  private ask(message: JsonObject): void {
    this.request({ ...message, line: this.line }).catch((error: Error) => this.events.say(error.message));
  }

  private request(message: JsonObject): Promise<JsonObject> {
    if (!this.isHost) return Promise.reject(new Error("Only the host of the game can do this"));
    this.admin ??= new Admin(this.door);
    return this.admin.ask({ line: this.line, ...message });
  }

  /* ---- watching ---- */

  private watch(number: number): LiveLine {
    const line: LiveLine = new LiveLine(number, this.door, {
      hello: (hello) => {
        this.hello = hello;
        this.lines = hello.lines;
        this.lostFor = null;
        if (hello.rights === "host") this.admin ??= new Admin(this.door);
        this.changed();
      },
      episode: () => this.present(),
      grown: () => {
        if (line !== this.main && line !== this.beside) return;
        this.grown++;
        this.app.hasGrown();
      },
      state: () => {
        this.beginLesson();
        this.changed();
      },
      lines: (lines) => this.takeLines(lines),
      lost: (seconds) => {
        if (line !== this.main) return;
        this.lostFor = seconds;
        this.changed();
      },
      refused: (sentence) => this.refused(line, sentence),
      over: () => {
        if (line === this.main) this.handBack();
        this.changed();
      },
      failed: (sentence) => this.events.say(sentence),
    });
    return line;
  }

  /** A lesson starts with the user driving, until the user hands the cog back. */
  private beginLesson(): void {
    if (!this.lesson || this.hasBegunLesson || !this.main.episode) return;
    this.hasBegunLesson = true;
    if (this.driven < 0) this.drive(this.hello?.slot ?? 0);
  }

  private refused(line: LiveLine, sentence: string): void {
    if (line !== this.main) return;
    this.handBack();
    if (line.number && line.episode) return this.showLine(0); // the branch was closed
    this.events.failed(sentence);
  }

  private takeLines(lines: readonly LineInfo[]): void {
    this.lines = lines;
    if (!lines.some(({ line }) => line === this.line)) this.showLine(0);
    else if (this.beside && !lines.some(({ line }) => line === this.beside!.number)) {
      this.beside.close();
      this.beside = null;
      this.present();
    }
    this.changed();
  }

  /** Show the lines once all of them are loaded. */
  private present(): void {
    const [episode, other] = [this.main.episode, this.beside?.episode ?? null];
    if (!episode || (this.beside && !other)) return;
    if (episode === this.app.left && other === this.app.right) return;
    this.events.show(episode, other);
    const slot = this.hello?.slot ?? null;
    if (this.isFirst) {
      this.app.goLive();
      if (this.door.page === "player" && slot !== null && this.isReady) this.drive(slot);
    }
    this.isFirst = false;
    this.beginLesson();
    this.changed();
  }

  private changed(): void {
    this.version++;
    this.app.changed("live");
  }
}
