import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Output } from '../../api/call.ts';
import { type Pages, usePages } from '../../api/pages.ts';
import { here } from '../../app/address.ts';
import { may, workspace } from '../../app/session.ts';
import { Chip } from '../../parts/chip.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Filters } from './filters.tsx';
import { filtersOf, type LeadFilters, narrowing, queryOf, searchOf } from './lead-filters.ts';
import { IMPORT, nameOf } from './lead-names.ts';

type Lead = Output<'svc_search_leads'>['leads'][number];

/** Milliseconds without a letter after which the list is asked for. */
const TYPED_MS = 350;

/** The people of the workspace and of the shared pool. */
export function LeadList() {
  const { path, query, route } = useLocation();
  const filters = filtersOf(query);
  const change = (next: LeadFilters): void => route(`${path}${queryOf(next)}`, true);
  const { workspaceId = '' } = workspace.value ?? {};
  const pages = usePages('svc_search_leads', searchOf(filters, workspaceId), ({ leads }) => leads, {
    on: ['lead', 'import'],
  });
  return (
    <>
      <ScreenHead title="Leads">
        {may('leads:write') ? (
          <a class="button button-primary" href={here.value('leads', IMPORT)}>
            <Icon name="upload" /> Import a file
          </a>
        ) : null}
      </ScreenHead>
      <SearchLine filters={filters} onChange={change} />
      <Filters filters={filters} onChange={change} />
      <Loaded
        of={pages.resource}
        lines={10}
        empty={{ when: ({ items }) => items.length === 0, show: <Nobody filters={filters} onChange={change} /> }}
      >
        {({ items }) => <Found items={items} pages={pages} withScore={filters.campaign !== ''} />}
      </Loaded>
    </>
  );
}

/** Words that are looked for: asked for once nobody types any more, so that no letter is a search. */
function SearchLine({ filters, onChange }: { filters: LeadFilters; onChange: (next: LeadFilters) => void }) {
  const typed = useSignal(filters.q);
  const timer = useRef(0);
  const latest = useRef({ filters, onChange });
  latest.current = { filters, onChange };
  // Somebody went back, or took the filters away.
  useEffect(() => {
    if (document.activeElement?.id !== 'lead-search') typed.value = filters.q;
  }, [filters.q]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const ask = (): void => {
    clearTimeout(timer.current);
    const { filters: now, onChange: tell } = latest.current;
    if (now.q !== typed.value) tell({ ...now, q: typed.value });
  };
  return (
    <search class="lead-search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <label class="unseen" for="lead-search">
          Search leads
        </label>
        <Icon name="search" />
        <input
          id="lead-search"
          type="search"
          value={typed.value}
          placeholder="Name, title or company"
          maxLength={300}
          autocomplete="off"
          onInput={(event) => {
            typed.value = event.currentTarget.value;
            clearTimeout(timer.current);
            timer.current = window.setTimeout(ask, TYPED_MS);
          }}
        />
      </form>
    </search>
  );
}

function Found({ items, pages, withScore }: { items: readonly Lead[]; pages: Pages<Lead>; withScore: boolean }) {
  return (
    <>
      <div class="leads-table">
        <Table
          label="Leads"
          columns={withScore ? [...COLUMNS, SCORE] : COLUMNS}
          rows={items}
          keyOf={({ leadId }) => leadId}
        />
      </div>
      <More of={pages} />
    </>
  );
}

const COLUMNS: readonly Column<Lead>[] = [
  {
    head: 'Name',
    cell: (lead) => (
      <span class="lead-name">
        <a href={here.value('leads', lead.leadId)}>
          <bdi>{nameOf(lead)}</bdi>
        </a>
        {lead.suppression?.suppressed ? <Chip tone="bad">excluded</Chip> : null}
        {lead.visibility === 'shared' ? <Chip title="Of the pool that all workspaces share">shared</Chip> : null}
      </span>
    ),
  },
  { head: 'Title', cell: ({ title }) => <bdi>{title}</bdi>, minor: true },
  { head: 'Company', cell: ({ company }) => <bdi>{company}</bdi> },
  { head: 'Mail', cell: ({ email }) => (email ? <bdi>{email}</bdi> : <span class="soft">none</span>), minor: true },
  {
    head: 'Tags',
    cell: ({ tags = [] }) => (
      <span class="lead-tags">
        {tags.slice(0, MOST_TAGS).map((tag) => (
          <Chip key={tag}>{tag}</Chip>
        ))}
        {tags.length > MOST_TAGS ? <span class="soft small">+{tags.length - MOST_TAGS}</span> : null}
      </span>
    ),
    minor: true,
  },
  {
    head: 'Last contact',
    cell: ({ contact }) =>
      contact?.lastContactedAt ? <Time at={contact.lastContactedAt} /> : <span class="soft">never</span>,
    minor: true,
  },
];

const MOST_TAGS = 3;

const SCORE: Column<Lead> = {
  head: 'Score',
  cell: ({ score }) => (score ? <span title={score.icpName}>{score.total}</span> : <span class="soft">none</span>),
  align: 'right',
};

/** Nobody fits, or nobody is there yet. */
function Nobody({ filters, onChange }: { filters: LeadFilters; onChange: (next: LeadFilters) => void }) {
  const narrowed = narrowing(filters) > 0 || filters.q !== '';
  if (narrowed)
    return (
      <Empty icon="search" title="Nobody fits">
        <p>Fewer filters or other words find more. People who are excluded show only when you ask for them.</p>
        <button type="button" class="button" onClick={() => onChange(filtersOf({}))}>
          Take all filters away
        </button>
      </Empty>
    );
  return (
    <Empty icon="leads" title="No leads yet">
      <p>Drop a CSV file to bring your own people in. You see where each column goes before anything is stored.</p>
      {may('leads:write') ? (
        <a class="button button-primary" href={here.value('leads', IMPORT)}>
          <Icon name="upload" /> Import a file
        </a>
      ) : (
        <p>An owner, admin or member of the workspace can import a file.</p>
      )}
    </Empty>
  );
}
