import { Select } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { keysOn } from '../../parts/keys.ts';
import type { DraftState, ReviewQueue } from './use-queue.ts';

const STATES: readonly { value: DraftState; label: string }[] = [
  { value: 'pending', label: 'Waiting' },
  { value: 'approved', label: 'Approved, not sent yet' },
  { value: 'sent', label: 'Sent' },
  { value: 'rejected', label: 'Rejected' },
  { value: 'expired', label: 'Expired' },
  { value: 'cancelled', label: 'Cancelled' },
];

/** How many drafts wait, which ones are seen, and deciding the picked ones together. */
export function ReviewHead({
  queue,
  onState,
  onKeys,
  onBulk,
}: {
  queue: ReviewQueue;
  /** Others are looked at. */
  onState: () => void;
  onKeys: () => void;
  onBulk: () => void;
}) {
  // Those that went meanwhile are not picked any more.
  const count = queue.rows.value.filter((row) => queue.picked.value.includes(row.reviewItemId)).length;
  return (
    <header class="screen-head review-head">
      <h1>Review</h1>
      {queue.state.value === 'pending' ? <span class="soft">{queue.total.value.toLocaleString()} waiting</span> : null}
      <Select
        label="Which drafts"
        quiet
        value={queue.state.value}
        options={STATES}
        onValue={(state) => {
          queue.look(state);
          onState();
        }}
      />
      <span class="grow" />
      {count > 0 ? (
        <button type="button" class="button button-primary" onClick={onBulk}>
          Decide {count} together …
        </button>
      ) : null}
      <button type="button" class="button button-quiet keys-button" onClick={onKeys}>
        <Icon name="keyboard" /> Keys{keysOn.value ? '' : ' (off)'}
      </button>
    </header>
  );
}
