import { useSignal } from '@preact/signals';
import type { Output } from '../../api/call.ts';
import { usePages } from '../../api/pages.ts';
import { Chip, type Tone } from '../../parts/chip.tsx';
import { TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import '../../parts/section.css';
import './platform.css';

type Answer = Output<'svc_admin_list_audit_events'>;
type Entry = Answer['auditEvents'][number];

const NONE = { workspaceId: '', actorId: '', toolName: '', recordId: '', from: '', to: '' };
type Filters = typeof NONE;

/** Who did what, with which key, to which record. */
export default function AuditScreen() {
  const typed = useSignal<Filters>(NONE);
  const asked = useSignal<Filters>(NONE);
  const { workspaceId, actorId, toolName, recordId, from, to } = asked.value;
  const pages = usePages(
    'svc_admin_list_audit_events',
    {
      workspaceId: workspaceId || undefined,
      actorId: actorId || undefined,
      toolName: toolName || undefined,
      recordId: recordId || undefined,
      fromDate: instant(from),
      toDate: instant(to),
      limit: 50,
    },
    ({ auditEvents }) => auditEvents,
  );
  const set =
    (name: keyof Filters) =>
    (value: string): void => {
      typed.value = { ...typed.value, [name]: value };
    };
  const now = typed.value;
  return (
    <>
      <ScreenHead title="Audit log" />
      <search>
        <form
          class="stack platform-filters"
          onSubmit={(event) => {
            event.preventDefault();
            const trimmed = Object.entries(now).map(([name, value]) => [name, value.trim()]);
            asked.value = Object.fromEntries(trimmed) as Filters;
          }}
        >
          <div class="form-grid">
            <TextField label="Workspace" value={now.workspaceId} onValue={set('workspaceId')} />
            <TextField
              label="Tool"
              placeholder="svc_…"
              maxLength={100}
              value={now.toolName}
              onValue={set('toolName')}
            />
            <TextField label="Who (id)" value={now.actorId} onValue={set('actorId')} />
            <TextField label="Record (id)" value={now.recordId} onValue={set('recordId')} />
            <TextField label="From" type="datetime-local" value={now.from} onValue={set('from')} />
            <TextField label="To" type="datetime-local" value={now.to} onValue={set('to')} />
          </div>
          <div class="form-foot">
            <button type="submit" class="button button-primary">
              <Icon name="search" size={16} /> Look
            </button>
            <button
              type="button"
              class="button"
              onClick={() => {
                typed.value = NONE;
                asked.value = NONE;
              }}
            >
              All
            </button>
          </div>
        </form>
      </search>
      <Loaded
        of={pages.resource}
        lines={10}
        empty={{
          when: ({ items }) => items.length === 0,
          show: <Empty icon="search" title="Nothing of the kind was done" />,
        }}
      >
        {({ items, first }) => (
          <div class="audit-more">
            <Chain valid={(first as Answer).chainValid} />
            <Entries items={items} />
          </div>
        )}
      </Loaded>
      <More of={pages} />
    </>
  );
}

/** A moment of the viewer's clock. */
function instant(local: string): string | undefined {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

function Chain({ valid }: { valid: boolean }) {
  if (valid)
    return (
      <p class="soft small">
        <Icon name="check" size={14} /> The chain of these entries holds: none was changed or taken out.
      </p>
    );
  return (
    <p class="banner banner-bad" role="alert">
      <Icon name="warning" />
      <span>The chain of these entries is broken: something was changed or taken out.</span>
    </p>
  );
}

const OUTCOMES: Readonly<Record<string, Tone>> = {
  ok: 'good',
  done: 'good',
  refused: 'warn',
  denied: 'warn',
  failed: 'bad',
  fault: 'bad',
};

/** The key, or of what has none the beginning of the id. */
function whoOf({ kind, id, keyPrefix }: Entry['actor']): string {
  return keyPrefix === '' || keyPrefix === kind ? id.slice(0, 8) : keyPrefix;
}

function Entries({ items }: { items: readonly Entry[] }) {
  return (
    <Table
      label="Audit log"
      rows={items}
      keyOf={({ auditEventId }) => auditEventId}
      columns={[
        { head: 'When', cell: ({ at }) => <Time at={at} /> },
        { head: 'Tool', cell: ({ toolName }) => <code>{toolName}</code> },
        {
          head: 'Outcome',
          cell: ({ change }) => {
            const outcome = String(change['outcome'] ?? '');
            return <Chip tone={OUTCOMES[outcome] ?? 'plain'}>{outcome}</Chip>;
          },
        },
        {
          head: 'Who',
          cell: ({ actor }) => (
            <span title={actor.id}>
              {actor.kind} <code>{whoOf(actor)}</code>
            </span>
          ),
        },
        {
          head: 'Workspace',
          cell: ({ workspaceId }) => workspaceId ?? <span class="soft">platform</span>,
          minor: true,
        },
        {
          head: 'Record',
          cell: ({ recordType, recordId, change }) => (
            <span>
              {recordType} <span class="hash">{recordId}</span>
              {typeof change['reason'] === 'string' ? (
                <>
                  : <bdi>{change['reason']}</bdi>
                </>
              ) : null}
            </span>
          ),
          minor: true,
        },
        {
          head: 'Hash',
          cell: ({ hash }) => (
            <span class="hash" title={hash}>
              {hash.slice(0, 10)}
            </span>
          ),
          minor: true,
        },
      ]}
    />
  );
}
