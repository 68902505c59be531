import type { ComponentChildren } from 'preact';
import { Dialog } from './dialog.tsx';
import { FailureLine } from './loaded.tsx';
import type { Deed } from './use-deed.ts';

/** Asks once more before something that reaches people, spends, or can not be taken back. */
export function Confirm({
  title,
  children,
  verb,
  danger = false,
  deed,
  onYes,
  onClose,
}: {
  title: string;
  /** What happens then. */
  children: ComponentChildren;
  /** What the button says. */
  verb: string;
  danger?: boolean;
  deed: Deed;
  onYes: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            class={danger ? 'button button-danger' : 'button button-primary'}
            disabled={deed.busy}
            onClick={onYes}
          >
            {verb}
          </button>
        </>
      }
    >
      {children}
      <FailureLine failure={deed.failure} />
    </Dialog>
  );
}
