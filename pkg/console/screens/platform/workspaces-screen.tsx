import { useSignal } from '@preact/signals';
import { usePages } from '../../api/pages.ts';
import { platformPath } from '../../app/address.ts';
import type { ScreenProps } from '../../app/screen-props.ts';
import { Chip } from '../../parts/chip.tsx';
import { Select, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useTyped } from '../../parts/use-typed.ts';
import { CreateWorkspace } from './create-workspace.tsx';
import '../../parts/section.css';
import './platform.css';
import { WorkspacePage } from './workspace-page.tsx';
import { lagWords, STATUS_TONES } from './workspace-words.ts';

/** All workspaces of the installation. */
export default function WorkspacesScreen({ rest }: ScreenProps) {
  return rest === '' ? <List /> : <WorkspacePage key={rest} workspaceId={rest} />;
}

const STATUSES = [
  { value: '', label: 'Any' },
  { value: 'active', label: 'Active' },
  { value: 'suspended', label: 'Suspended' },
  { value: 'deleting', label: 'To be deleted' },
] as const;

function List() {
  const query = useSignal('');
  const typed = useTyped((text) => {
    query.value = text;
  });
  const status = useSignal<(typeof STATUSES)[number]['value']>('');
  const creating = useSignal(false);
  const asked = { query: query.value || undefined, status: status.value || undefined, limit: 50 };
  const pages = usePages('svc_admin_list_workspaces', asked, ({ workspaces }) => workspaces);
  return (
    <>
      <ScreenHead title="Workspaces">
        <button
          type="button"
          class="button button-primary"
          onClick={() => {
            creating.value = true;
          }}
        >
          <Icon name="plus" size={16} /> New workspace
        </button>
      </ScreenHead>
      <search class="form-grid platform-filters">
        <TextField label="Name, id or owner" type="search" maxLength={200} {...typed} />
        <Select
          label="State"
          value={status.value}
          options={STATUSES}
          onValue={(value) => {
            status.value = value;
          }}
        />
      </search>
      <Loaded
        of={pages.resource}
        lines={8}
        empty={{ when: ({ items }) => items.length === 0, show: <Empty icon="search" title="No workspace fits" /> }}
      >
        {({ items }) => (
          <Table
            label="Workspaces"
            rows={items}
            keyOf={({ workspaceId }) => workspaceId}
            columns={[
              {
                head: 'Name',
                cell: ({ workspaceId, name }) => (
                  <a href={platformPath('workspaces', workspaceId)}>
                    <bdi>{name}</bdi>
                  </a>
                ),
              },
              { head: 'State', cell: (one) => <Chip tone={STATUS_TONES[one.status]}>{one.status}</Chip> },
              { head: 'Owner', cell: ({ ownerEmail }) => <bdi>{ownerEmail}</bdi>, minor: true },
              { head: 'Plan', cell: ({ plan }) => plan, minor: true },
              { head: 'Members', cell: ({ members }) => members, align: 'right', minor: true },
              { head: 'Keys', cell: ({ keys }) => keys, align: 'right', minor: true },
              { head: 'Credits', cell: ({ balance }) => balance.toLocaleString(), align: 'right' },
              { head: 'Executor', cell: ({ executor }) => lagWords(executor), minor: true },
              { head: 'Since', cell: ({ createdAt }) => <Time at={createdAt} />, minor: true },
            ]}
          />
        )}
      </Loaded>
      <More of={pages} />
      {creating.value ? (
        <CreateWorkspace
          onClose={() => {
            creating.value = false;
          }}
        />
      ) : null}
    </>
  );
}
