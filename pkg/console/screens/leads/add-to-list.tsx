import { useSignal } from '@preact/signals';
import { call } from '../../api/call.ts';
import { useTool } from '../../api/resource.ts';
import { workspace } from '../../app/session.ts';
import { Ask } from '../../parts/ask.tsx';
import { Select } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import type { Lead } from './lead-types.ts';

/** Puts a person on a list. */
export function AddToList({ lead, onClose }: { lead: Lead; onClose: () => void }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const lists = useTool('svc_list_lead_lists', { workspaceId, type: 'static', limit: 100 });
  const chosen = useSignal('');
  const deed = useDeed();
  const add = (): void => {
    deed.run(async () => {
      await call('svc_add_leads_to_list', { leadListId: chosen.value, leadIds: [lead.leadId] });
      say('The lead is on the list.', { tone: 'good' });
      onClose();
    });
  };
  return (
    <Ask title="Add to a list" verb="Add" ready={chosen.value !== ''} deed={deed} onYes={add} onClose={onClose}>
      <Loaded
        of={lists}
        lines={1}
        empty={{
          when: ({ leadLists }) => leadLists.length === 0,
          show: <p>There is no list yet: an import can make one.</p>,
        }}
      >
        {({ leadLists }) => (
          <Select
            label="List"
            hint="A workflow that takes people from the list may begin with them."
            value={chosen.value}
            options={[
              { value: '', label: 'Choose …' },
              ...leadLists.map(({ leadListId, name = '' }) => ({ value: leadListId, label: name })),
            ]}
            onValue={(value) => {
              chosen.value = value;
            }}
          />
        )}
      </Loaded>
    </Ask>
  );
}
