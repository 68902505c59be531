import { useLayoutEffect } from 'preact/hooks';

/** A second click, or a key that stays down, comes sooner than this. */
const SETTLE_MS = 500;

let shown: { id: string; since: number } | undefined;

/** Notes which draft is seen. */
export function useShown(id: string): void {
  useLayoutEffect(() => {
    if (shown?.id !== id) shown = { id, since: shown === undefined ? 0 : Date.now() };
  }, [id]);
}

/** Whether a draft took the place of another just now: what is clicked or pressed was meant for that, and nobody has read this one. */
export function isSettling(): boolean {
  return shown !== undefined && Date.now() - shown.since < SETTLE_MS;
}
