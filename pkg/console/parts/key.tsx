import { keysOn } from './keys.ts';

/** The key that does what a button does, where keys are on. */
export function Key({ of }: { of: string }) {
  if (!keysOn.value) return null;
  return (
    <span class="key" aria-hidden="true">
      {of}
    </span>
  );
}
