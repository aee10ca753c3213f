/** `game.json`, beside the pages */
export interface GameInfo {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly has_chat: boolean;
  readonly is_replay: boolean;
  readonly is_stepped: boolean;
  readonly side: number;
  readonly palette: readonly string[];
  readonly buttons: Readonly<Record<"UP" | "DOWN" | "LEFT" | "RIGHT" | "SELECT" | "A" | "B", number>>;
  readonly ticks_per_second: number;
}

export interface StoryEvent {
  readonly position: number;
  readonly tick: number;
  readonly kind: string;
  readonly player: string;
  readonly text: string;
}

/** `events.json`, of a replay; not complete while the server still reads the replay */
export interface Story {
  readonly length: number;
  readonly is_complete: boolean;
  readonly position: number;
  readonly error: string;
  readonly players: readonly { readonly name: string; readonly slot: number; readonly colour: string }[];
  readonly events: readonly StoryEvent[];
}

/** The state of a replay, from the labels of its sprites. */
export interface ReplayState {
  readonly position: number;
  readonly length: number;
  readonly tick: number;
  readonly isPlaying: boolean;
  readonly speed: number;
  readonly isLooping: boolean;
  /** why the replay cannot be played further; empty if it can */
  readonly error: string;
}

const TICK = 4002;
const STATE = 4003;
const SCRUBBER = 4004;

/** Return the state that the sprites of a replay server name; null for a live game. */
export function replayState(sprites: ReadonlyMap<number, { readonly label: string }>): ReplayState | null {
  const place = /^replay scrubber (\d+)\/(\d+)$/.exec(sprites.get(SCRUBBER)?.label ?? "");
  const controls = /^replay controls (.*)$/s.exec(sprites.get(STATE)?.label ?? "");
  if (!place || !controls) return null;
  const tick = /^replay tick (\d+)$/.exec(sprites.get(TICK)?.label ?? "");
  const state = /^(playing|paused) x(\d)( loop)?$/.exec(controls[1]!);
  return {
    position: Number(place[1]),
    length: Number(place[2]),
    tick: Number(tick?.[1] ?? 0),
    isPlaying: state?.[1] === "playing",
    speed: Number(state?.[2] ?? 1),
    isLooping: state?.[3] !== undefined,
    error: state ? "" : controls[1]!,
  };
}
