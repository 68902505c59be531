import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { FAULT_POINTS, type FaultPoint } from '../../pkg/engine/fault-points.ts';

/** The descriptor of a child on which it tells what it passes. */
const TRACE_FD = 4;

/** All points, in an order in which each comes up after a kill at the one before. */
export const KILL_ORDER: readonly FaultPoint[] = [
  'claiming',
  'claimed',
  'prepared',
  'dispatching',
  'dispatched',
  'recovering',
  'recovered',
  'before_settle',
  'settling',
  'looking_up',
  'looked_up',
  'settled',
];

/** At which points of the ledger executors were when they were killed. */
export class FaultTrace {
  readonly #killed = new Map<FaultPoint, number>();
  readonly #read: Promise<void>[] = [];
  kills = 0;

  /** Listens to an executor until it ends; one that was killed is counted at the last point of each effect under way. */
  watch(child: ChildProcess): void {
    const stream = child.stdio[TRACE_FD] as Readable | null | undefined;
    if (!stream) return;
    const last = new Map<string, FaultPoint>();
    let tail: string | undefined;
    const lines = createInterface({ input: stream });
    lines.on('line', (line) => {
      const [point, id = ''] = line.split(' ') as [FaultPoint, string];
      // An effect that is settled is over, unless the executor was killed right there.
      if (tail !== undefined) last.delete(tail);
      tail = point === 'settled' ? id : undefined;
      last.set(id, point);
      // What is said of the takeover is over with the first effect.
      if (id !== '') last.delete('');
    });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const told = new Promise<void>((resolve) => lines.once('close', () => resolve()));
    this.#read.push(
      Promise.all([ended, told]).then(() => {
        if (child.signalCode !== 'SIGKILL') return;
        this.kills++;
        for (const point of last.values()) this.#killed.set(point, (this.#killed.get(point) ?? 0) + 1);
      }),
    );
  }

  /** How many effects were at each point when their executor was killed; all of them must have ended. */
  async counts(): Promise<Record<FaultPoint, number>> {
    await Promise.all(this.#read);
    return Object.fromEntries(FAULT_POINTS.map((point) => [point, this.#killed.get(point) ?? 0])) as Record<
      FaultPoint,
      number
    >;
  }

  /** One line for people. */
  async text(): Promise<string> {
    const counts = Object.entries(await this.counts()).map(([point, count]) => `${point} ${count}`);
    return `${this.kills} kills; effects under way by the last point they passed: ${counts.join(', ')}`;
  }
}
