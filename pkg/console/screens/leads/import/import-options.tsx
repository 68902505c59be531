import { useTool } from '../../../api/resource.ts';
import { may } from '../../../app/session.ts';
import { Select, TextField } from '../../../parts/form.tsx';
import type { ImportOptions, ImportWork } from './import-work.ts';

const DUPLICATES = [
  { value: 'fill_empty', label: 'Fill in what is not known of them' },
  { value: 'overwrite', label: 'Replace what is known, but for what people entered by hand' },
  { value: 'skip', label: 'Leave them as they are' },
] as const satisfies readonly { value: ImportOptions['onDuplicate']; label: string }[];

/** Where the people go, and what becomes of those who are there already. */
export function ImportOptionsForm({ work }: { work: ImportWork }) {
  const { list, newList, tags, onDuplicate, sourceNote } = work.options.value;
  return (
    <div class="form-grid">
      {may('lead_lists:read') ? <ListChoice work={work} /> : null}
      {list === 'new' ? (
        <TextField
          label="Name of the new list"
          value={newList}
          maxLength={120}
          onValue={(value) => work.set({ newList: value })}
        />
      ) : null}
      {may('campaigns:read') ? <CampaignChoice work={work} /> : null}
      <TextField
        label="Tags for all of them"
        hint="Several with commas"
        value={tags}
        maxLength={1_000}
        onValue={(value) => work.set({ tags: value })}
      />
      <Select
        label="Who is there already"
        value={onDuplicate}
        options={DUPLICATES}
        onValue={(value) => work.set({ onDuplicate: value })}
      />
      <TextField
        label="Where the data came from"
        hint="Kept with each field, for whoever asks where you have it from"
        value={sourceNote}
        maxLength={500}
        onValue={(value) => work.set({ sourceNote: value })}
      />
    </div>
  );
}

function ListChoice({ work }: { work: ImportWork }) {
  const { workspaceId } = work;
  const lists = useTool('svc_list_lead_lists', { workspaceId, type: 'static', limit: 100 });
  const known = lists.state.value.data?.leadLists ?? [];
  return (
    <Select
      label="List"
      hint="A workflow may take people from it"
      value={work.options.value.list}
      options={[
        { value: '', label: 'None' },
        ...(may('lead_lists:write') ? [{ value: 'new', label: 'A new list …' }] : []),
        ...known.map(({ leadListId, name = '' }) => ({ value: leadListId, label: name })),
      ]}
      onValue={(value) => work.set({ list: value })}
    />
  );
}

function CampaignChoice({ work }: { work: ImportWork }) {
  const { workspaceId } = work;
  const campaigns = useTool('svc_list_campaigns', { workspaceId, limit: 100 });
  const known = campaigns.state.value.data?.campaigns ?? [];
  return (
    <Select
      label="Campaign"
      hint="Its scores are counted for them"
      value={work.options.value.campaign}
      options={[
        { value: '', label: 'None' },
        ...known.map(({ campaignId, title }) => ({ value: campaignId, label: title })),
      ]}
      onValue={(value) => work.set({ campaign: value })}
    />
  );
}
