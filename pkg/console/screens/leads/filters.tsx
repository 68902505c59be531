import { useSignal } from '@preact/signals';
import { useTool } from '../../api/resource.ts';
import { may, workspace } from '../../app/session.ts';
import { Check, Select, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { filtersOf, type LeadFilters, narrowing } from './lead-filters.ts';

interface FiltersProps {
  filters: LeadFilters;
  onChange: (next: LeadFilters) => void;
}

/** What narrows the list; it is folded away until it is needed. */
export function Filters({ filters, onChange }: FiltersProps) {
  const count = narrowing(filters);
  const open = useSignal(count > 0);
  return (
    <div class="lead-filters">
      <div class="row">
        <button
          type="button"
          class="button button-small"
          aria-expanded={open.value}
          aria-controls="lead-filters"
          onClick={() => {
            open.value = !open.value;
          }}
        >
          <Icon name="filter" size={16} /> Filters{count > 0 ? ` (${count})` : ''}
        </button>
        {count > 0 ? (
          <button
            type="button"
            class="button button-quiet button-small"
            onClick={() => onChange({ ...filtersOf({}), q: filters.q })}
          >
            <Icon name="close" size={16} /> Take them away
          </button>
        ) : null}
      </div>
      <div id="lead-filters" hidden={!open.value}>
        {open.value ? <Fields filters={filters} onChange={onChange} /> : null}
      </div>
    </div>
  );
}

function Fields({ filters, onChange }: FiltersProps) {
  const set =
    <N extends keyof LeadFilters>(name: N) =>
    (value: LeadFilters[N]): void =>
      onChange({ ...filters, [name]: value });
  return (
    <div class="form-grid card card-body">
      {may('lead_lists:read') ? <ListFilter value={filters.list} onValue={set('list')} /> : null}
      {may('campaigns:read') ? <CampaignFilter value={filters.campaign} onValue={set('campaign')} /> : null}
      <Typed label="Job title" value={filters.title} onValue={set('title')} />
      <Typed label="Place" value={filters.location} onValue={set('location')} />
      <Typed label="Tag" value={filters.tag} onValue={set('tag')} />
      <Select label="Mail address" value={filters.mail} options={MAIL} onValue={set('mail')} />
      <Select label="Whose" value={filters.of} options={OF} onValue={set('of')} />
      <Check
        label="Also people who are excluded"
        checked={filters.excluded === 'yes'}
        onChecked={(checked) => set('excluded')(checked ? 'yes' : '')}
      />
    </div>
  );
}

const MAIL = [
  { value: '', label: 'Known or not' },
  { value: 'yes', label: 'Known' },
  { value: 'no', label: 'Not known' },
] as const;

const OF = [
  { value: '', label: 'All' },
  { value: 'private', label: 'Ours alone' },
  { value: 'shared', label: 'The shared pool' },
] as const;

/** A text that narrows once it is left, or Enter is pressed: it is of several words. */
function Typed({ label, value, onValue }: { label: string; value: string; onValue: (value: string) => void }) {
  const typed = useSignal(value);
  return (
    <TextField
      label={label}
      hint="Several with commas"
      value={typed.value}
      maxLength={300}
      onValue={(next) => {
        typed.value = next;
      }}
      onChange={() => onValue(typed.value)}
    />
  );
}

function ListFilter({ value, onValue }: { value: string; onValue: (value: string) => void }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const lists = useTool('svc_list_lead_lists', { workspaceId, limit: 100 });
  const known = lists.state.value.data?.leadLists ?? [];
  const options = known.map(({ leadListId, name = '', leadCount }) => ({
    value: leadListId,
    label: leadCount === undefined ? name : `${name} (${leadCount})`,
  }));
  return (
    <Select
      label="List"
      value={value}
      options={[{ value: '', label: 'Any' }, ...withOwn(options, value)]}
      onValue={onValue}
    />
  );
}

function CampaignFilter({ value, onValue }: { value: string; onValue: (value: string) => void }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const campaigns = useTool('svc_list_campaigns', { workspaceId, limit: 100 });
  const known = campaigns.state.value.data?.campaigns ?? [];
  const options = known.map(({ campaignId, title }) => ({ value: campaignId, label: title }));
  const all = [{ value: '', label: 'None' }, ...withOwn(options, value)];
  return <Select label="Scores of campaign" value={value} options={all} onValue={onValue} />;
}

/** The one of the address is an option though the list has not come, or is longer than what was read. */
function withOwn(options: { value: string; label: string }[], value: string): { value: string; label: string }[] {
  return value === '' || options.some((one) => one.value === value) ? options : [...options, { value, label: value }];
}
