/** Texts of a kind that somebody typed and that are kept in this page alone. */
export interface Typed {
  /** Whether there are any. */
  any: () => boolean;
  /** Drops them: they are of somebody who is not in any more. */
  forget: () => void;
}

const kinds = new Set<Typed>();

/** Makes texts known to what may end the page, or give it to somebody else. */
export function keepTyped(kind: Typed): void {
  kinds.add(kind);
  // Nobody loses a text that they typed by closing the wrong tab.
  addEventListener('beforeunload', (event) => {
    if (kind.any()) event.preventDefault();
  });
}

/** Whether anything is typed that would go with this page. */
export const hasTyped = (): boolean => [...kinds].some((kind) => kind.any());

/** Drops all that was typed. */
export function forgetTyped(): void {
  for (const kind of kinds) kind.forget();
}
