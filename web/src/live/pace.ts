/** The growth of a running match, from which follows how a person can watch it. */
export class Pace {
  /** the newest tick when the history had arrived: where the spectator joined */
  joined = 0;
  private readonly marks: [seconds: number, tick: number][] = [];

  /** Seconds over which the speed is measured. */
  private static readonly SPAN = 3;
  /** Seconds without measurement at first, in which the history arrives. */
  private static readonly SETTLING = 0.6;
  private began: number | null = null;

  grown(seconds: number, tick: number): void {
    this.began ??= seconds;
    if (seconds - this.began < Pace.SETTLING) {
      this.joined = tick;
      return;
    }
    this.marks.push([seconds, tick]);
    while (this.marks.length > 2 && this.marks[0][0] < seconds - Pace.SPAN) this.marks.shift();
  }

  /** Return the steps per second of late; null before that is known. */
  get rate(): number | null {
    const [first, last] = [this.marks[0], this.marks.at(-1)];
    if (!first || !last || last[0] - first[0] < Pace.SETTLING) return null;
    return (last[1] - first[1]) / (last[0] - first[0]);
  }
}
