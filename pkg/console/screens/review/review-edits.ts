import { signal } from '@preact/signals';
import { keepTyped } from '../../app/typed.ts';

/** A text that somebody is changing, kept while they look at others. */
export interface Edit {
  body: string;
  subject: string | null;
  /** The draft that it began with. */
  version: number;
  before: string;
}

/** By item. They are of this tab alone, and go with it. */
export const edits = signal<ReadonlyMap<string, Edit>>(new Map());

/** Keeps what was typed so far; undefined: it is not wanted any more. */
export function keepEdit(id: string, edit: Edit | undefined): void {
  const next = new Map(edits.value);
  if (edit) next.set(id, edit);
  else next.delete(id);
  edits.value = next;
}

keepTyped({
  any: () => [...edits.value.values()].some((edit) => edit.body !== edit.before),
  forget: () => {
    edits.value = new Map();
  },
});
