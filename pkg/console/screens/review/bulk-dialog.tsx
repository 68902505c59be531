import { useSignal } from '@preact/signals';
import { Dialog } from '../../parts/dialog.tsx';
import { FlagList, isSerious } from '../../parts/facts/flags.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Time } from '../../parts/time.tsx';
import { type After, approveAll, nameOf, rejectAll } from './decisions.ts';
import { RejectDialog } from './reject-dialog.tsx';
import type { QueueRow } from './review-types.ts';

/** Several drafts, each with its whole text; each is a decision of its own, with an outcome of its own. */
export function BulkDialog({
  rows,
  after,
  onClose,
  onDecided,
}: {
  rows: readonly QueueRow[];
  after: After;
  onClose: () => void;
  onDecided: (ids: readonly string[]) => void;
}) {
  /** As they were when it opened: what is decided is what was read. */
  const shown = useSignal(rows);
  const left = useSignal<readonly string[]>([]);
  const rejects = useSignal(false);
  const chosen = shown.value.filter((row) => !left.value.includes(row.reviewItemId));
  const done = (): void => {
    onClose();
    onDecided(chosen.map((row) => row.reviewItemId));
  };
  const approve = (): void => {
    approveAll(chosen, after);
    done();
  };
  if (rejects.value) {
    return (
      <RejectDialog
        title={`Reject ${chosen.length} drafts`}
        onClose={() => {
          rejects.value = false;
        }}
        onReject={(reason, next) => {
          rejectAll(chosen, reason, next, after);
          done();
        }}
      />
    );
  }
  const toggle = (id: string): void => {
    left.value = left.value.includes(id) ? left.value.filter((one) => one !== id) : [...left.value, id];
  };
  return (
    <Dialog
      title={`Decide ${shown.value.length} drafts`}
      wide
      onClose={onClose}
      actions={
        <>
          <span class="soft small grow">Each is sent as its own decision. You have 10 seconds to take it back.</span>
          <button
            type="button"
            class="button button-danger"
            disabled={chosen.length === 0}
            onClick={() => {
              rejects.value = true;
            }}
          >
            Reject {chosen.length} …
          </button>
          <button type="button" class="button button-primary" disabled={chosen.length === 0} onClick={approve}>
            <Icon name="check" /> Approve {chosen.length}
          </button>
        </>
      }
    >
      {chosen.some((row) => isSerious(row.riskFlags)) ? (
        <p class="banner banner-warn">
          <Icon name="warning" />
          <span>Some of them have flags that want a look.</span>
        </p>
      ) : null}
      <ul class="bulk">
        {shown.value.map((row) => {
          const isIn = !left.value.includes(row.reviewItemId);
          return (
            <li key={row.reviewItemId} class={isIn ? 'card bulk-one' : 'card bulk-one bulk-left'}>
              <label class="check bulk-name">
                <input type="checkbox" checked={isIn} onChange={() => toggle(row.reviewItemId)} />
                <span>
                  <strong>{nameOf(row)}</strong>{' '}
                  <span class="soft">{[row.title, row.company].filter(Boolean).join(', ')}</span>
                </span>
              </label>
              <FlagList flags={row.riskFlags} />
              {row.subject ? <p class="item-subject">{row.subject}</p> : null}
              <p class="pre">{row.body}</p>
              <p class="soft small">
                {row.sender === null ? 'An account is chosen when it is sent' : `From ${row.sender}`}
                {row.earliestAt === null ? null : (
                  <>
                    , at the earliest <Time at={row.earliestAt} />
                  </>
                )}
              </p>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
