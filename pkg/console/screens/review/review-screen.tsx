import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { usePages } from '../../api/pages.ts';
import { useGo } from '../../app/address.ts';
import { decidedIds, undo } from '../../app/outbox.ts';
import type { ScreenProps } from '../../app/screen-props.ts';
import { workspace } from '../../app/session.ts';
import { Select } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { keysOn, useKeys } from '../../parts/keys.ts';
import { KeysDialog } from '../../parts/keys-dialog.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { say } from '../../parts/toasts.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import type { After } from './decisions.ts';
import { type ItemDeeds, NO_DEEDS } from './item-deeds.ts';
import { ItemPane } from './item-pane.tsx';
import { Queue } from './queue.tsx';
import { decides } from './review-rights.ts';
import { type QueueRow, ROW_FIELDS } from './review-types.ts';
import './review.css';

type State = 'pending' | 'approved' | 'rejected' | 'expired' | 'cancelled' | 'sent';

const STATES: readonly { value: State; label: string }[] = [
  { value: 'pending', label: 'Waiting' },
  { value: 'approved', label: 'Approved, not sent yet' },
  { value: 'sent', label: 'Sent' },
  { value: 'rejected', label: 'Rejected' },
  { value: 'expired', label: 'Expired' },
  { value: 'cancelled', label: 'Cancelled' },
];

/** More texts at once nobody reads. */
const MOST_AT_ONCE = 20;

const KEYS: readonly (readonly [string, string])[] = [
  ['j', 'Next draft'],
  ['k', 'Draft before'],
  ['a', 'Approve it as it stands'],
  ['e', 'Change its text'],
  ['r', 'Reject it'],
  ['x', 'Pick it, to decide several at once'],
  ['u', 'Take back the last decision'],
  ['?', 'This list, and the switch of keys'],
];

/** Drafts that wait for somebody, and the one that is read. `rest` is the id of that one. */
export default function ReviewScreen({ rest }: ScreenProps) {
  const workspaceId = workspace.value?.workspaceId ?? '';
  const state = useSignal<State>('pending');
  const picked = useSignal<readonly string[]>([]);
  const showsKeys = useSignal(false);
  const decidesMany = useSignal(false);
  const deeds = useSignal<ItemDeeds>(NO_DEEDS);
  const go = useGo();
  const pages = usePages(
    'svc_list_review_items',
    { workspaceId, state: state.value, fields: ROW_FIELDS, limit: 50 },
    (answer) => answer.reviewItems as QueueRow[],
    { on: ['review', 'run'] },
  );
  const isWaiting = state.value === 'pending';
  const rows = useComputed(() => {
    const { items = [] } = pages.resource.state.value.data ?? {};
    return state.value === 'pending' ? items.filter((row) => !decidedIds.value.has(row.reviewItemId)) : items;
  });
  const total = (pages.resource.state.value.data?.first as { pendingCount?: number } | undefined)?.pendingCount ?? 0;

  const place = rows.value.findIndex((row) => row.reviewItemId === rest);
  const show = (id: string): void => go('review', id, { replace: rest !== '' });
  const step = (by: 1 | -1): void => {
    const next = rows.value[place < 0 ? 0 : place + by];
    if (next) show(next.reviewItemId);
  };
  /** The one that is read after those are decided. */
  const leave = (ids: readonly string[]): void => {
    const left = rows.peek().filter((row) => !ids.includes(row.reviewItemId));
    const before = rows
      .peek()
      .slice(0, Math.max(0, place))
      .filter((row) => !ids.includes(row.reviewItemId)).length;
    const next = left[before] ?? left.at(-1);
    picked.value = picked.value.filter((id) => !ids.includes(id));
    go('review', next?.reviewItemId ?? '', { replace: true });
  };
  const after: After = {
    undone: (id) => go('review', id, { replace: true }),
    refused: (_id, failure) => {
      say(failure.message, { tone: 'bad' });
      pages.resource.reload();
    },
  };
  const pick = (id: string): void => {
    if (picked.value.includes(id)) picked.value = picked.value.filter((one) => one !== id);
    else if (picked.value.length < MOST_AT_ONCE) picked.value = [...picked.value, id];
    else say(`More than ${MOST_AT_ONCE} texts at once nobody reads. Decide these first.`);
  };

  const mayDecide = isWaiting && decides();
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    '?': () => {
      showsKeys.value = true;
    },
    u: () => undo(),
    ...(mayDecide
      ? {
          a: () => deeds.value.approve(),
          e: () => deeds.value.edit(),
          r: () => deeds.value.reject(),
          x: () => {
            if (rest !== '') pick(rest);
          },
        }
      : {}),
  });
  // Whoever comes to the queue on a wide page reads its first draft.
  const firstId = rows.value[0]?.reviewItemId;
  useEffect(() => {
    if (rest === '' && firstId !== undefined && matchMedia('(min-width: 60rem)').matches) show(firstId);
  }, [rest, firstId]);
  // What went meanwhile is not picked any more.
  const there = rows.value.filter((row) => picked.value.includes(row.reviewItemId));

  return (
    <div class={rest === '' ? 'review' : 'review review-reading'}>
      <header class="screen-head review-head">
        <h1>Review</h1>
        <span class="soft">
          {isWaiting ? `${Math.max(0, total - decidedIds.value.size).toLocaleString()} waiting` : ''}
        </span>
        <Select
          label="Which drafts"
          quiet
          value={state.value}
          options={STATES}
          onValue={(value) => {
            state.value = value;
            picked.value = [];
            go('review', '', { replace: true });
          }}
        />
        <span class="grow" />
        {there.length > 0 ? (
          <button
            type="button"
            class="button button-primary"
            onClick={() => {
              decidesMany.value = true;
            }}
          >
            Decide {there.length} together …
          </button>
        ) : null}
        <button
          type="button"
          class="button button-quiet keys-button"
          onClick={() => {
            showsKeys.value = true;
          }}
        >
          <Icon name="keyboard" /> Keys{keysOn.value ? '' : ' (off)'}
        </button>
      </header>
      <div class="review-queue">
        <Loaded
          of={pages.resource}
          lines={8}
          empty={{ when: () => rows.value.length === 0, show: <NothingWaits isWaiting={isWaiting} /> }}
        >
          {() => (
            <Queue
              rows={rows.value}
              current={rest}
              picked={mayDecide ? picked.value : null}
              onPick={pick}
              pages={pages}
            />
          )}
        </Loaded>
      </div>
      {rest === '' ? (
        <div class="review-item review-none">
          {rows.value.length > 0 ? <Empty icon="review" title="Choose a draft to read it" /> : null}
        </div>
      ) : (
        <ItemPane
          key={rest}
          id={rest}
          nextId={rows.value[place + 1]?.reviewItemId}
          deeds={deeds}
          onDecided={(id) => leave([id])}
          after={after}
        />
      )}
      {showsKeys.value ? (
        <KeysDialog
          keys={KEYS}
          onClose={() => {
            showsKeys.value = false;
          }}
        />
      ) : null}
      {decidesMany.value ? (
        <BulkDialog
          rows={there}
          after={after}
          onClose={() => {
            decidesMany.value = false;
          }}
          onDecided={leave}
        />
      ) : null}
    </div>
  );
}

function NothingWaits({ isWaiting }: { isWaiting: boolean }) {
  if (!isWaiting) return <Empty icon="review" title="There are none" />;
  return (
    <Empty title="Nothing waits for you">
      <p>Drafts come here when a campaign or a node of a workflow wants a person to read them first.</p>
    </Empty>
  );
}
