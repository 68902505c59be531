import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useGo } from '../../app/address.ts';
import { undo } from '../../app/outbox.ts';
import type { ScreenProps } from '../../app/screen-props.ts';
import { useKeys } from '../../parts/keys.ts';
import { KeysDialog } from '../../parts/keys-dialog.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import type { After } from './decisions.ts';
import { type ItemDeeds, NO_DEEDS } from './item-deeds.ts';
import { ItemPane } from './item-pane.tsx';
import { Queue } from './queue.tsx';
import { ReviewHead } from './review-head.tsx';
import { decides } from './review-rights.ts';
import { useQueue } from './use-queue.ts';
import './review.css';

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
  const queue = useQueue();
  const shows = useSignal<'keys' | 'bulk' | null>(null);
  const deeds = useSignal<ItemDeeds>(NO_DEEDS);
  const go = useGo();
  const rows = queue.rows.value;
  const place = rows.findIndex((row) => row.reviewItemId === rest);
  const mayDecide = queue.state.value === 'pending' && decides();

  const show = (id: string): void => go('review', id, { replace: rest !== '' });
  const step = (by: 1 | -1): void => {
    const next = rows[place < 0 ? 0 : place + by];
    if (next) show(next.reviewItemId);
  };
  /** Goes to the one that is read after those are decided. */
  const leave = (ids: readonly string[]): void => go('review', queue.after(ids, place), { replace: true });
  const after: After = {
    undone: (id) => go('review', id, { replace: true }),
    refused: () => queue.pages.resource.reload(),
  };
  const open = (what: 'keys' | 'bulk' | null) => (): void => {
    shows.value = what;
  };
  const deciding = {
    a: () => deeds.value.approve(),
    e: () => deeds.value.edit(),
    r: () => deeds.value.reject(),
    x: () => {
      if (rest !== '') queue.pick(rest);
    },
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    u: () => undo(),
    '?': open('keys'),
    ...(mayDecide ? deciding : {}),
  });
  // On a wide page the first draft is read at once.
  const firstId = rows[0]?.reviewItemId;
  useEffect(() => {
    if (rest === '' && firstId !== undefined && matchMedia('(min-width: 60rem)').matches) show(firstId);
  }, [rest, firstId]);

  return (
    <div class={rest === '' ? 'review' : 'review review-reading'}>
      <ReviewHead
        queue={queue}
        onState={() => go('review', '', { replace: true })}
        onKeys={open('keys')}
        onBulk={open('bulk')}
      />
      <div class="review-queue">
        <Loaded
          of={queue.pages.resource}
          lines={8}
          empty={{ when: () => rows.length === 0, show: <NothingWaits isWaiting={queue.state.value === 'pending'} /> }}
        >
          {() => (
            <Queue
              rows={rows}
              current={rest}
              picked={mayDecide ? queue.picked.value : null}
              onPick={queue.pick}
              pages={queue.pages}
            />
          )}
        </Loaded>
      </div>
      {rest === '' ? (
        <div class="review-item review-none">
          {rows.length > 0 ? <Empty icon="review" title="Choose a draft to read it" /> : null}
        </div>
      ) : (
        <ItemPane
          key={rest}
          id={rest}
          nextId={rows[place + 1]?.reviewItemId}
          deeds={deeds}
          onDecided={(id) => leave([id])}
          after={after}
        />
      )}
      {shows.value === 'keys' ? <KeysDialog keys={KEYS} onClose={open(null)} /> : null}
      {shows.value === 'bulk' ? (
        <BulkDialog rows={queue.pickedRows()} after={after} onClose={open(null)} onDecided={leave} />
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
