import { type Signal, useSignal } from '@preact/signals';
import { Dialog } from '../../parts/dialog.tsx';
import { TextArea } from '../../parts/form.tsx';
import type { Then } from './decisions.ts';

const REASONS = ['Wrong person', 'Not true', 'Too pushy', 'Says nothing new', 'Wrong tone'] as const;

const NEXT: readonly { value: Then; label: string; about: string }[] = [
  { value: 'skip_step', label: 'Skip this step', about: 'The lead goes on with the next one.' },
  { value: 'recraft', label: 'Write it anew', about: 'Another draft comes here. Not for answers in a conversation.' },
  { value: 'stop_lead', label: 'Stop with this lead', about: 'Nothing more of this workflow reaches them.' },
];

/** Why a draft is rejected, and what becomes of the lead. */
export function RejectDialog({
  title,
  reason: kept,
  onClose,
  onReject,
}: {
  title: string;
  /** Where the reason is kept while the dialog is closed; absent: it goes with it. */
  reason?: Signal<string>;
  onClose: () => void;
  onReject: (reason: string, next: Then) => void;
}) {
  const own = useSignal('');
  const reason = kept ?? own;
  const next = useSignal<Then>('skip_step');
  const problem = useSignal<string | undefined>(undefined);
  const reject = (): void => {
    if (reason.value.trim() === '') problem.value = 'Say why: it teaches the writing of the next ones.';
    else onReject(reason.value.trim(), next.value);
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" class="button button-danger" onClick={reject}>
            Reject
          </button>
        </>
      }
    >
      <TextArea
        label="Why"
        value={reason.value}
        maxLength={1_000}
        rows={3}
        autoFocus
        problem={problem.value}
        onValue={(value) => {
          reason.value = value;
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) reject();
        }}
      />
      <div class="row">
        {REASONS.map((one) => (
          <button
            key={one}
            type="button"
            class="button button-small"
            onClick={() => {
              reason.value = one;
            }}
          >
            {one}
          </button>
        ))}
      </div>
      <fieldset class="stack">
        <legend class="field-label">And the lead</legend>
        {NEXT.map(({ value, label, about }) => (
          <label key={value} class="check">
            <input
              type="radio"
              name="then"
              checked={next.value === value}
              onChange={() => {
                next.value = value;
              }}
            />
            <span>
              {label} <span class="soft small">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </Dialog>
  );
}
