import type { LiveMarks } from "../../board/view";
import type { Live } from "../app";

const NO_MARKS: LiveMarks = { plans: [], drivers: [], own: -1, cells: [], objects: [] };

/** A running match of a league, which spectators watch and cannot steer. */
export class Spectated implements Live {
  readonly canSteer = false;
  readonly driven = -1;
  readonly speed = 0;
  isOver = false;
  version = 0;
  grown = 0;

  get isRunning(): boolean {
    return !this.isOver;
  }

  canDrive(): boolean {
    return false;
  }

  driverOf(): string | null {
    return null;
  }

  marksFor(): LiveMarks {
    return NO_MARKS;
  }

  // A spectator controls the page's own playback, and nothing of the match.
  play(): void {}
  step(): void {}
  setSpeed(): void {}
  drive(): void {}
  handBack(): void {}
}
