import { type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals';
import { type Pages, usePages } from '../../api/pages.ts';
import { decidedIds } from '../../app/outbox.ts';
import { workspace } from '../../app/session.ts';
import { say } from '../../parts/toasts.tsx';
import { type QueueRow, ROW_FIELDS } from './review-types.ts';

/** States of drafts that are shown. */
export type DraftState = 'pending' | 'approved' | 'rejected' | 'expired' | 'cancelled' | 'sent';

/** More texts at once nobody reads. */
const MOST_AT_ONCE = 20;

/** The drafts that are looked at. */
export interface ReviewQueue {
  readonly state: ReadonlySignal<DraftState>;
  readonly pages: Pages<QueueRow>;
  /** Those that nothing was decided about here. */
  readonly rows: ReadonlySignal<readonly QueueRow[]>;
  /** How many wait, further pages included. */
  readonly total: ReadonlySignal<number>;
  /** Ids of those that are to be decided together. */
  readonly picked: Signal<readonly string[]>;
  look(state: DraftState): void;
  pick(id: string): void;
  /** Those of the picked ones that are still there. */
  pickedRows(): readonly QueueRow[];
  /** They are decided. @param place of the one that was read @returns id of the one to read next; '': none is left */
  after(ids: readonly string[], place: number): string;
}

/** The drafts of a workspace in one state, live. */
export function useQueue(): ReviewQueue {
  const workspaceId = workspace.value?.workspaceId ?? '';
  const state = useSignal<DraftState>('pending');
  const picked = useSignal<readonly string[]>([]);
  const pages = usePages(
    'svc_list_review_items',
    { workspaceId, state: state.value, fields: ROW_FIELDS, limit: 50 },
    (answer) => answer.reviewItems as QueueRow[],
    { on: ['review', 'run'] },
  );
  const { resource } = pages;
  const rows = useComputed(() => {
    const { items = [] } = resource.state.value.data ?? {};
    return state.value === 'pending' ? items.filter((row) => !decidedIds.value.has(row.reviewItemId)) : items;
  });
  const total = useComputed(() => {
    const { first, items = [] } = resource.state.value.data ?? {};
    const { pendingCount = 0 } = (first ?? {}) as { pendingCount?: number };
    // What is decided here is counted there until it is sent.
    return Math.max(0, pendingCount - items.filter((row) => decidedIds.value.has(row.reviewItemId)).length);
  });
  return {
    state,
    pages,
    rows,
    total,
    picked,
    look(next) {
      state.value = next;
      picked.value = [];
    },
    pick(id) {
      if (picked.value.includes(id)) picked.value = picked.value.filter((one) => one !== id);
      else if (picked.value.length < MOST_AT_ONCE) picked.value = [...picked.value, id];
      else say(`More than ${MOST_AT_ONCE} texts at once nobody reads. Decide these first.`);
    },
    pickedRows: () => rows.peek().filter((row) => picked.value.includes(row.reviewItemId)),
    after(ids, place) {
      const isLeft = (row: QueueRow): boolean => !ids.includes(row.reviewItemId);
      const all = rows.peek();
      const left = all.filter(isLeft);
      picked.value = picked.value.filter((id) => !ids.includes(id));
      const before = all.slice(0, Math.max(0, place)).filter(isLeft).length;
      return (left[before] ?? left.at(-1))?.reviewItemId ?? '';
    },
  };
}
