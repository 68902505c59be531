import type { ComponentChildren } from 'preact';
import { Dialog } from './dialog.tsx';
import { FailureLine } from './loaded.tsx';
import type { Deed } from './use-deed.ts';

/** Asks before something that can not be taken back easily, with what has to be said for it. */
export function Ask({
  title,
  children,
  verb,
  danger = false,
  ready = true,
  deed,
  onYes,
  onClose,
}: {
  title: string;
  /** What happens then, and fields that it needs. */
  children: ComponentChildren;
  /** What the button says. */
  verb: string;
  danger?: boolean;
  /** Whether its fields are filled in. */
  ready?: boolean;
  deed: Deed;
  onYes: () => void;
  onClose: () => void;
}) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (ready && !deed.busy) onYes();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {children}
        <FailureLine failure={deed.failure} />
        <div class="form-foot ask-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class={danger ? 'button button-danger' : 'button button-primary'}
            disabled={deed.busy || !ready}
          >
            {verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
