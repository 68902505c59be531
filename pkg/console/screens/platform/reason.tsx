import type { Signal } from '@preact/signals';
import { TextField } from '../../parts/form.tsx';

/** Why something is done: the audit log keeps it. */
export function Reason({ reason }: { reason: Signal<string> }) {
  return (
    <TextField
      label="Why"
      hint="Kept in the audit log"
      required
      maxLength={500}
      value={reason.value}
      onValue={(value) => {
        reason.value = value;
      }}
    />
  );
}
