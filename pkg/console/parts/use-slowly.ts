import { useEffect } from 'preact/hooks';
import { onChange } from '../api/events.ts';
import type { Resource } from '../api/resource.ts';

/** Where something happens all the time, what is seen of it is as old as that at most, ms. */
const EVERY_MS = 15_000;

/** Reads something again as records change that change all the time: not with each of them, and soon after the first. */
export function useSlowly(resource: Resource<unknown>, types: readonly string[]): void {
  const key = types.join();
  useEffect(() => {
    const wanted = new Set(key.split(','));
    let [last, timer] = [0, 0];
    const read = (): void => {
      timer = 0;
      last = Date.now();
      resource.reload();
    };
    const stop = onChange((change) => {
      // After what was missed a resource is read by itself.
      if (change === 'missed' || !wanted.has(change.recordType)) return;
      if (timer === 0) timer = window.setTimeout(read, Math.max(1_000, last + EVERY_MS - Date.now()));
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [resource, key]);
}
