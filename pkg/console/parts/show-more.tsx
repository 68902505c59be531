import type { Signal } from '@preact/signals';

/** Shows more of what is here already. @param shown how many of `all` are seen, raised by `step` each time */
export function ShowMore({ all, shown, step }: { all: number; shown: Signal<number>; step: number }) {
  if (all <= shown.value) return null;
  return (
    <div>
      <button
        type="button"
        class="button"
        onClick={() => {
          shown.value += step;
        }}
      >
        Show {Math.min(step, all - shown.value)} more
      </button>
    </div>
  );
}
