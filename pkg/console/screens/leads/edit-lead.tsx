import { useSignal } from '@preact/signals';
import { call, type Input } from '../../api/call.ts';
import { workspace } from '../../app/session.ts';
import { Ask } from '../../parts/ask.tsx';
import { TextField } from '../../parts/form.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import type { Lead } from './lead-types.ts';

const FIELDS = [
  ['firstName', 'First name'],
  ['lastName', 'Last name'],
  ['title', 'Title'],
  ['company', 'Company'],
  ['email', 'Mail address'],
  ['phone', 'Phone'],
  ['profileUrl', 'Profile address'],
  ['location', 'Place'],
  ['timezone', 'Time zone (such as Europe/Berlin)'],
] as const;
type Name = (typeof FIELDS)[number][0];

/** Changes what is known of a person. Only what was changed is sent: it counts as entered by hand, and no import changes it again. */
export function EditLead({ lead, onClose, onDone }: { lead: Lead; onClose: () => void; onDone: () => void }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const before = Object.fromEntries(FIELDS.map(([name]) => [name, lead[name] ?? ''])) as Record<Name, string>;
  const now = useSignal(before);
  const deed = useDeed();
  const changed = FIELDS.filter(([name]) => now.value[name].trim() !== before[name]);
  const save = (): void => {
    const change: Input<'svc_upsert_lead'> = Object.fromEntries(
      changed.map(([name]) => [name, now.value[name].trim()]),
    );
    deed.run(async () => {
      await call('svc_upsert_lead', { ...change, workspaceId, leadId: lead.leadId });
      say('The lead was changed.', { tone: 'good' });
      onDone();
      onClose();
    });
  };
  return (
    <Ask
      title="Edit the lead"
      verb="Save"
      formClass="form-grid"
      ready={changed.length > 0}
      deed={deed}
      onYes={save}
      onClose={onClose}
    >
      {FIELDS.map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          value={now.value[name]}
          maxLength={500}
          onValue={(value) => {
            now.value = { ...now.value, [name]: value };
          }}
        />
      ))}
    </Ask>
  );
}
