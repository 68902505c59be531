import { useState } from 'preact/hooks';
import type { Input } from '../../api/call.ts';
import { usePages } from '../../api/pages.ts';
import { here } from '../../app/address.ts';
import { may } from '../../app/session.ts';
import { Select } from '../../parts/form.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useSlowly } from '../../parts/use-slowly.ts';
import { plainWords } from '../../parts/words.ts';

type Outcome = NonNullable<Input<'svc_list_signal_agent_leads'>['outcome']>;

const OUTCOMES: readonly Outcome[] = [
  'enqueued',
  'limit',
  'below_score',
  'contacted',
  'duplicate',
  'excluded',
  'expired',
  'not_matched',
  'no_lead',
  'self_caused',
];

/** Whom an agent found, by which signal, and what became of them. */
export function AgentLeads({ signalAgentId }: { signalAgentId: string }) {
  const [outcome, setOutcome] = useState<Outcome | ''>('');
  return (
    <section class="part" aria-labelledby="found-title">
      <header class="card-head">
        <h2 id="found-title">Whom it found</h2>
        <Select<Outcome | ''>
          label="Outcome"
          quiet
          value={outcome}
          onValue={setOutcome}
          options={[
            { value: '', label: 'All outcomes' },
            ...OUTCOMES.map((value) => ({ value, label: value === 'enqueued' ? 'enrolled' : plainWords(value) })),
          ]}
        />
      </header>
      {may('leads:read') ? (
        <Found key={outcome} signalAgentId={signalAgentId} outcome={outcome} />
      ) : (
        <p class="hint">You need the right "leads:read" to see people.</p>
      )}
    </section>
  );
}

function Found({ signalAgentId, outcome }: { signalAgentId: string; outcome: Outcome | '' }) {
  const leads = usePages(
    'svc_list_signal_agent_leads',
    { signalAgentId, ...(outcome === '' ? {} : { outcome }) },
    (answer) => answer.leads,
  );
  useSlowly(leads.resource, ['signal']);
  return (
    <Loaded
      of={leads.resource}
      lines={4}
      empty={{ when: ({ items }) => items.length === 0, show: <Empty icon="leads" title="Nobody so far" /> }}
    >
      {({ items }) => (
        <>
          <Table
            label="Leads of the agent"
            rows={items}
            keyOf={({ signal, leadId, at }) => `${signal.signalId} ${leadId} ${at}`}
            columns={[
              {
                head: 'Lead',
                cell: ({ leadId, fullName = '' }) =>
                  leadId ? (
                    <a href={here.value('leads', leadId)}>
                      <bdi>{fullName || 'without a name'}</bdi>
                    </a>
                  ) : (
                    <bdi>{fullName || 'nobody known'}</bdi>
                  ),
              },
              { head: 'Company', minor: true, cell: ({ company = '' }) => <bdi>{company}</bdi> },
              { head: 'Signal', cell: ({ signal }) => <bdi>{signal.title ?? plainWords(signal.type ?? '')}</bdi> },
              {
                head: 'Became',
                cell: ({ outcome: became = '', reason = '' }) => (
                  <span title={reason}>{became === 'enqueued' ? 'enrolled' : plainWords(became)}</span>
                ),
              },
              { head: 'When', cell: ({ at }) => (at === undefined ? '' : <Time at={at} />) },
            ]}
          />
          <More of={leads} />
        </>
      )}
    </Loaded>
  );
}
