import { useSignal } from '@preact/signals';
import { call } from '../../api/call.ts';
import { useGo } from '../../app/address.ts';
import { workspace } from '../../app/session.ts';
import { Ask } from '../../parts/ask.tsx';
import { Select } from '../../parts/form.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { nameOf } from './lead-names.ts';
import type { Lead } from './lead-types.ts';

const REASONS = [
  { value: 'data_subject_request', label: 'The person asked for it' },
  { value: 'client_request', label: 'The client asked for it' },
  { value: 'retention', label: 'It is not needed any more' },
] as const;

/** Erases a person for good. */
export function EraseLead({ lead, onClose }: { lead: Lead; onClose: () => void }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const reason = useSignal<(typeof REASONS)[number]['value']>('data_subject_request');
  const deed = useDeed();
  const go = useGo();
  const erase = (): void =>
    deed.run(async () => {
      await call('svc_erase_lead', { workspaceId, leadId: lead.leadId, reason: reason.value });
      say('The lead was erased.', { tone: 'good' });
      go('leads', '', { replace: true });
    });
  return (
    <Ask title="Erase this lead?" verb="Erase for good" danger deed={deed} onYes={erase} onClose={onClose}>
      <p>
        <strong>
          <bdi>{nameOf(lead)}</bdi>
        </strong>{' '}
        {lead.visibility === 'private'
          ? 'is erased with all that belongs to them. What is under way for them ends.'
          : 'is of the shared pool: what this workspace knows of them is erased, and what is under way for them ends.'}{' '}
        A hash stays, so that no import brings them back. Nobody can take this back.
      </p>
      <Select label="Why" value={reason.value} options={REASONS} onValue={(value) => (reason.value = value)} />
    </Ask>
  );
}
