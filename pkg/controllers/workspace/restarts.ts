import type { Pod } from './pod.ts';

/** Notices when the container of an executor ended and was started again, so that it is told once. */
export class Restarts {
  readonly #known = new Map<string, { uid: string; count: number }>();

  /**
   * What to tell people of the pod of a workspace; null: nothing new. A pod that is seen for the first time tells
   * nothing: the one who led before did.
   */
  news(key: string, pod: Pod | undefined): string | null {
    if (!pod) {
      this.#known.delete(key);
      return null;
    }
    const uid = pod.metadata.uid ?? '';
    const [container] = pod.status?.containerStatuses ?? [];
    const count = container?.restartCount ?? 0;
    const before = this.#known.get(key);
    this.#known.set(key, { uid, count });
    if (before?.uid !== uid || count <= before.count) return null;
    const last = container?.lastState?.terminated;
    const how = last ? `${last.reason ?? 'an error'} (exit code ${last.exitCode ?? '?'})` : 'an error';
    return `The container of the executor ended with ${how} and was started again.`;
  }
}
