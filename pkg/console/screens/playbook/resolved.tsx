import { useSignal } from '@preact/signals';
import { useTool } from '../../api/resource.ts';
import { workspace } from '../../app/session.ts';
import { Select } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';

/** Which text a campaign really uses, and why. */
export function Resolved() {
  const { workspaceId = '' } = workspace.value ?? {};
  const campaigns = useTool('svc_list_campaigns', { workspaceId, limit: 100 });
  const chosen = useSignal('');
  const known = campaigns.state.value.data?.campaigns ?? [];
  if (known.length === 0) return null;
  return (
    <Section title="What a campaign uses" about="A campaign may add to the playbook, or have one of its own.">
      <Select
        label="Campaign"
        value={chosen.value}
        options={[
          { value: '', label: 'Choose …' },
          ...known.map(({ campaignId, title }) => ({ value: campaignId, label: title })),
        ]}
        onValue={(value) => {
          chosen.value = value;
        }}
      />
      {chosen.value === '' ? null : <OfCampaign key={chosen.value} campaignId={chosen.value} />}
    </Section>
  );
}

function OfCampaign({ campaignId }: { campaignId: string }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const read = useTool('svc_get_playbook', { workspaceId, campaignId });
  return (
    <Loaded of={read} lines={3}>
      {({ resolved }) => (
        <>
          <p>
            <bdi>{resolved.reason}</bdi>
          </p>
          {resolved.text === null ? (
            <p class="soft">There is no text.</p>
          ) : (
            <details>
              <summary>The text that is used</summary>
              <p class="pre playbook-text">
                <bdi>{resolved.text}</bdi>
              </p>
            </details>
          )}
        </>
      )}
    </Loaded>
  );
}
