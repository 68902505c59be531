import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Diff } from '../../parts/diff.tsx';
import { Check, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { FailureLine } from '../../parts/loaded.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { saveEdit } from './decisions.ts';
import { type Edit, keepEdit } from './review-edits.ts';
import type { ReviewItem } from './review-types.ts';

const LONGEST = 8_000;

/** The text as somebody changes it. What is typed stays while they look at other drafts. */
export function Editor({
  item,
  edit,
  isChanged,
  onApprove,
}: {
  item: ReviewItem;
  edit: Edit;
  /** Somebody else changed the draft meanwhile. */
  isChanged: boolean;
  onApprove: () => void;
}) {
  const area = useRef<HTMLTextAreaElement>(null);
  const deed = useDeed();
  const showsDiff = useSignal(false);
  const id = item.reviewItemId;
  useEffect(() => {
    area.current?.focus();
  }, []);
  const change = (with_: Partial<Edit>): void => keepEdit(id, { ...edit, ...with_ });
  const save = (): void =>
    deed.run(async () => {
      await saveEdit(id, edit);
      say('Saved. The draft still waits for a decision.', { tone: 'good' });
    });
  const isBlank = edit.body.trim() === '';
  return (
    <form
      class="card item-text stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBlank && !isChanged) onApprove();
      }}
    >
      {edit.subject === null ? null : (
        <TextField label="Subject" value={edit.subject} maxLength={200} onValue={(subject) => change({ subject })} />
      )}
      <label class="unseen" for="draft-text">
        Text of the draft
      </label>
      <textarea
        id="draft-text"
        ref={area}
        class="editor"
        rows={12}
        maxLength={LONGEST}
        value={edit.body}
        onInput={(event) => change({ body: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            if (!isBlank && !isChanged) onApprove();
          }
        }}
      />
      <div class="row small">
        <span class="soft">{edit.body.length} characters</span>
        <span class="grow" />
        {edit.body === edit.before ? null : (
          <Check
            label="Show changes"
            checked={showsDiff.value}
            onChecked={(checked) => {
              showsDiff.value = checked;
            }}
          />
        )}
      </div>
      {showsDiff.value && edit.body !== edit.before ? <Diff before={edit.before} after={edit.body} /> : null}
      <FailureLine failure={deed.failure} />
      <div class="row">
        <button type="submit" class="button button-primary" disabled={isBlank || isChanged || deed.busy}>
          <Icon name="check" /> Approve this text
        </button>
        <button type="button" class="button" disabled={isBlank || isChanged || deed.busy} onClick={save}>
          Save, decide later
        </button>
        <button type="button" class="button button-quiet" onClick={() => keepEdit(id, undefined)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
