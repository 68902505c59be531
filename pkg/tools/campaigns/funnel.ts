import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { ANSWERED, HEARD, REQUESTS } from '../../store/figures/funnel-words.ts';
import type { CampaignRow } from './campaign-row.ts';

/** Catalog record Funnel; rates are null below 20 cases. */
export const funnel = z.object({
  inPool: z.number(),
  enrolled: z.number(),
  contacted: z.number(),
  requested: z.number(),
  accepted: z.number(),
  replied: z.number(),
  positive: z.number(),
  meetings: z.number(),
  suppressed: z.number(),
  bounced: z.number(),
  rates: z.object({ acceptance: z.number().nullable(), reply: z.number().nullable(), positive: z.number().nullable() }),
});
type Funnel = z.input<typeof funnel>;

/** What is counted; the rest of a funnel follows. */
type Counts = Omit<Funnel, 'rates' | 'meetings'>;

export const EMPTY: Counts = {
  inPool: 0,
  enrolled: 0,
  contacted: 0,
  requested: 0,
  accepted: 0,
  replied: 0,
  positive: 0,
  suppressed: 0,
  bounced: 0,
};

/** A rate of fewer cases says nothing. Source: catalog record Funnel. */
const LEAST_CASES = 20;

/** To four digits, as people read it. */
const rounded = (rate: number): number => Math.round(rate * 10_000) / 10_000;

/** Counts with their rates. Meetings come from a channel that this version does not have. */
export function funnelOf(counts: Counts): Funnel {
  const rate = (part: number, whole: number): number | null => (whole < LEAST_CASES ? null : rounded(part / whole));
  return {
    ...counts,
    meetings: 0,
    rates: {
      acceptance: rate(counts.accepted, counts.requested),
      reply: rate(counts.replied, counts.contacted),
      positive: rate(counts.positive, counts.replied),
    },
  };
}

/** A funnel without the rates of too few cases. */
export function shortFunnel({ rates, ...counts }: Funnel): object {
  const known = Object.entries(rates).filter(([, rate]) => rate !== null);
  return known.length === 0 ? counts : { ...counts, rates: Object.fromEntries(known) };
}

/** A span cut into points of `step`; all epoch ms UTC, `to` exclusive. */
interface Span {
  from: number;
  to: number;
  step: number;
}

/** One funnel per point of the span, in which a lead counts once of each kind. The pool is the one of now: it has no history. */
export async function funnelsOf(tx: Tx, row: CampaignRow, { from, to, step }: Span): Promise<Funnel[]> {
  const points = Math.ceil((to - from) / step);
  const found = await tx.rows<Counts & { point: number }>(
    `with runs as (
       select id, lead_id, state, started_at, ended_at
       from run
       where workspace_id = $1 and campaign_id = $2
     ),
     sends as (
       select ((settled_at - $3) / $5)::int as point, lead_id, action
       from send
       where workspace_id = $1
         and campaign_id = $2
         and state = 'confirmed'
         and settled_at >= $3
         and settled_at < $4
     ),
     sent as (
       select
         point,
         count(distinct lead_id) filter (where app.is_contact(action)) as contacted,
         count(distinct lead_id) filter (where action in ${REQUESTS}) as requested
       from sends
       group by point
     ),
     heard as (
       select
         ((e.at - $3) / $5)::int as point,
         count(distinct r.lead_id) filter (where e.kind = 'connection.accepted') as accepted,
         count(distinct r.lead_id) filter (where ${ANSWERED}) as replied,
         count(distinct r.lead_id) filter (
           where e.kind = 'reply.received' and e.data ->> 'class' = 'positive'
         ) as positive,
         count(distinct r.lead_id) filter (where e.kind = 'mail.bounced') as bounced
       from run_event e
       join runs r on r.id = e.run_id
       where e.workspace_id = $1
         and e.kind in ${HEARD}
         and e.at >= $3
         and e.at < $4
       group by 1
     ),
     began as (
       select ((started_at - $3) / $5)::int as point, count(distinct lead_id) as enrolled
       from runs
       where started_at >= $3 and started_at < $4
       group by 1
     ),
     ended as (
       select ((ended_at - $3) / $5)::int as point, count(distinct lead_id) as suppressed
       from runs
       where state = 'suppressed' and ended_at >= $3 and ended_at < $4
       group by 1
     ),
     pool as (select coalesce(max(leads), 0) as leads from campaign_pool where campaign_id = $2)
     select
       p.point,
       pool.leads::int as "inPool",
       coalesce(enrolled, 0)::int as enrolled,
       coalesce(contacted, 0)::int as contacted,
       coalesce(requested, 0)::int as requested,
       coalesce(accepted, 0)::int as accepted,
       coalesce(replied, 0)::int as replied,
       coalesce(positive, 0)::int as positive,
       coalesce(suppressed, 0)::int as suppressed,
       coalesce(bounced, 0)::int as bounced
     from generate_series(0, $6::int - 1) p (point)
     cross join pool
     left join sent using (point)
     left join heard using (point)
     left join began using (point)
     left join ended using (point)
     order by p.point`,
    [row.workspace_id, row.id, from, to, step, points],
  );
  return found.map(({ point: _, ...counts }) => funnelOf(counts));
}
