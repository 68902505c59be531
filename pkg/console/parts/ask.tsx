import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { FailureLine } from './loaded.tsx';
import type { Deed } from './use-deed.ts';

/** Asks for what a deed needs, or once more before one that reaches people, spends, or can not be taken back. */
export function Ask({
  title,
  children,
  verb,
  danger = false,
  ready = true,
  wide = false,
  formClass = 'stack',
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
  wide?: boolean;
  /** How its fields stand. */
  formClass?: 'stack' | 'form-grid';
  deed: Deed;
  onYes: () => void;
  onClose: () => void;
}) {
  const id = useId();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (ready && !deed.busy) onYes();
  };
  return (
    <Dialog
      title={title}
      wide={wide}
      onClose={onClose}
      actions={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            form={id}
            class={danger ? 'button button-danger' : 'button button-primary'}
            disabled={deed.busy || !ready}
          >
            {verb}
          </button>
        </>
      }
    >
      <form id={id} class={formClass} onSubmit={submit}>
        {children}
      </form>
      <FailureLine failure={deed.failure} />
    </Dialog>
  );
}
