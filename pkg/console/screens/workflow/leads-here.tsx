import { usePages } from '../../api/pages.ts';
import { here } from '../../app/address.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useSlowly } from '../../parts/use-slowly.ts';
import { waitWords } from '../../parts/words.ts';

/** Who stands at a step, since when, and what they wait for. */
export function LeadsHere({
  workflowId,
  nodeId,
  label,
  onClose,
}: {
  workflowId: string;
  nodeId: string;
  label: string;
  onClose: () => void;
}) {
  const leads = usePages('svc_list_leads_at_node', { workflowId, nodeId }, (answer) => answer.leads);
  useSlowly(leads.resource, ['run', 'review', 'reply', 'connection']);
  return (
    <section class="part leads-here" aria-labelledby="leads-title">
      <header class="card-head">
        <h2 id="leads-title" tabIndex={-1}>
          Leads at <bdi>{label}</bdi>
        </h2>
        <button type="button" class="button button-quiet button-icon" aria-label="Close the list" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <Loaded
        of={leads.resource}
        lines={4}
        empty={{ when: ({ items }) => items.length === 0, show: <Empty icon="leads" title="Nobody is here now" /> }}
      >
        {({ items }) => (
          <>
            <Table
              label={`Leads at ${label}`}
              rows={items}
              keyOf={({ runId }) => runId}
              columns={[
                {
                  head: 'Lead',
                  cell: ({ leadId, fullName }) => (
                    <a href={here.value('leads', leadId)}>
                      <bdi>{fullName || 'without a name'}</bdi>
                    </a>
                  ),
                },
                { head: 'Company', minor: true, cell: ({ company }) => <bdi>{company}</bdi> },
                { head: 'Since', cell: ({ since }) => <Time at={since} /> },
                {
                  head: 'Why',
                  cell: ({ waitReason }) => (waitReason === null ? 'about to go on' : waitWords(waitReason)),
                },
                {
                  head: 'Next',
                  cell: ({ nextActionAt }) => (nextActionAt === null ? '–' : <Time at={nextActionAt} />),
                },
              ]}
            />
            <More of={leads} />
          </>
        )}
      </Loaded>
    </section>
  );
}
