import { useState } from 'preact/hooks';
import type { Output } from '../../api/call.ts';
import { useTool } from '../../api/resource.ts';
import { Bar } from '../../parts/bar.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Table } from '../../parts/table.tsx';
import { shortTime } from '../../parts/time.tsx';
import { useSlowly } from '../../parts/use-slowly.ts';
import { count, counted, percent } from '../../parts/words.ts';

type Funnel = Output<'svc_get_campaign_stats'>['funnel'];

/** Steps of the funnel, each with the step that its rate is of. */
const STEPS: readonly { of: Exclude<keyof Funnel, 'rates'>; name: string; rate?: keyof Funnel['rates'] }[] = [
  { of: 'inPool', name: 'In the pool' },
  { of: 'enrolled', name: 'Enrolled' },
  { of: 'contacted', name: 'Contacted' },
  { of: 'requested', name: 'Asked to connect' },
  { of: 'accepted', name: 'Accepted', rate: 'acceptance' },
  { of: 'replied', name: 'Replied', rate: 'reply' },
  { of: 'positive', name: 'Positive', rate: 'positive' },
];
const RATES = { acceptance: 'of those asked', reply: 'of those contacted', positive: 'of the replies' } as const;
/** Weeks that are shown. */
const WEEKS = 12;
const WEEK_MS = 7 * 86_400_000;

/** How far the people of a campaign came, and week by week. */
export function CampaignFunnel({ campaignId }: { campaignId: string }) {
  const stats = useTool('svc_get_campaign_stats', { campaignId });
  useSlowly(stats, ['run', 'reply', 'connection', 'message']);
  return (
    <section class="part" aria-labelledby="funnel-title">
      <h2 id="funnel-title">Funnel</h2>
      <Loaded of={stats}>
        {({ funnel, creditsSpent }) => (
          <>
            <ol class="funnel">
              {STEPS.map((step) => (
                <FunnelStep key={step.of} step={step} funnel={funnel} />
              ))}
            </ol>
            <p class="small soft">
              {[
                `${count(funnel.suppressed)} suppressed`,
                `${count(funnel.bounced)} bounced`,
                counted(creditsSpent, 'credit spent', 'credits spent'),
              ].join(' · ')}
            </p>
            <Weeks campaignId={campaignId} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function FunnelStep({ step, funnel }: { step: (typeof STEPS)[number]; funnel: Funnel }) {
  const most = Math.max(1, ...STEPS.map(({ of }) => funnel[of]));
  const rate = step.rate === undefined ? null : funnel.rates[step.rate];
  return (
    <li class="funnel-step">
      <span class="funnel-name">{step.name}</span>
      <Bar whole={most} parts={[{ value: funnel[step.of], tone: 'accent' }]} />
      <span class="funnel-count">{count(funnel[step.of])}</span>
      <span class="funnel-rate">
        {step.rate === undefined || rate === null ? '' : `${percent(rate)} ${RATES[step.rate]}`}
      </span>
    </li>
  );
}

/** Read when somebody opens them. */
function Weeks({ campaignId }: { campaignId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="more-about" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Week by week</summary>
      {open ? <WeekTable campaignId={campaignId} /> : null}
    </details>
  );
}

/** The weeks that something happened in, the last first. */
function WeekTable({ campaignId }: { campaignId: string }) {
  const fromDate = new Date(Math.floor(Date.now() / WEEK_MS) * WEEK_MS - WEEKS * WEEK_MS).toISOString();
  const stats = useTool('svc_get_campaign_stats', { campaignId, fromDate, granularity: 'week' });
  return (
    <Loaded of={stats} lines={4}>
      {({ series }) => {
        const rows = series.filter(({ funnel }) => funnel.enrolled + funnel.contacted + funnel.replied > 0).reverse();
        if (rows.length === 0) return <p class="hint">Nothing happened in the last {WEEKS} weeks.</p>;
        return (
          <Table
            label="Funnel by week"
            rows={rows}
            keyOf={({ from }) => from}
            columns={[
              { head: 'From', cell: ({ from }) => shortTime(from).replace(/,[^,]*$/, '') },
              { head: 'Enrolled', align: 'right', cell: ({ funnel }) => count(funnel.enrolled) },
              { head: 'Contacted', align: 'right', cell: ({ funnel }) => count(funnel.contacted) },
              { head: 'Accepted', align: 'right', cell: ({ funnel }) => count(funnel.accepted) },
              { head: 'Replied', align: 'right', cell: ({ funnel }) => count(funnel.replied) },
              { head: 'Positive', align: 'right', cell: ({ funnel }) => count(funnel.positive) },
            ]}
          />
        );
      }}
    </Loaded>
  );
}
