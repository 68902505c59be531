import type { ReportFigures } from '../../domain/schedule/report-text.ts';
import type { Tx } from '../../postgres/database.ts';
import { ANSWERED, HEARD, REQUESTS } from './funnel-words.ts';

export const METRIC_GROUPS = ['campaign', 'network_account', 'workflow', 'day', 'week'] as const;
export type MetricGroup = (typeof METRIC_GROUPS)[number];

/** Counts of one group, credits included. */
export interface MetricCounts extends ReportFigures {
  key: string;
}

/** Of a group that nothing happened in. */
export const NO_FIGURES: ReportFigures = {
  inPool: 0,
  enrolled: 0,
  contacted: 0,
  requested: 0,
  accepted: 0,
  replied: 0,
  positive: 0,
  suppressed: 0,
  bounced: 0,
  credits: 0,
};

/** The group of a row r, of a time (UTC): what each count is grouped by. */
const KEYS: Record<MetricGroup | 'all', (time: string) => string> = {
  campaign: () => 'r.campaign_id',
  workflow: () => 'r.workflow_id',
  network_account: () => 'r.account_id',
  day: (time) => `to_char(to_timestamp(${time} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD')`,
  week: (time) => `to_char(date_trunc('week', to_timestamp(${time} / 1000.0) at time zone 'UTC'), 'YYYY-MM-DD')`,
  all: () => `'all'`,
};

/** Which rows to count. Times epoch ms UTC, `to` exclusive. */
export interface MetricQuery {
  workspaceId: string;
  group: MetricGroup | 'all';
  from: number;
  to: number;
  /** This key alone; absent: all. */
  only?: string;
  /** Keys after this one. */
  after: string | null;
  limit: number;
}

/**
 * Counts by group, in the order of their keys. A lead counts once per group and kind. The pool has no history and belongs
 * to campaigns: it is counted as it is now, for groups of campaigns and for all together, else 0.
 */
export function metricRows(tx: Tx, query: MetricQuery): Promise<MetricCounts[]> {
  const key = KEYS[query.group];
  return tx.rows<MetricCounts>(
    `with counted as (
       select ${key('r.started_at')} as key, 'enrolled' as what, count(distinct r.lead_id) as n
       from run r
       where r.workspace_id = $1 and r.started_at >= $2 and r.started_at < $3
       group by 1
       union all
       select ${key('r.ended_at')}, 'suppressed', count(distinct r.lead_id)
       from run r
       where r.workspace_id = $1
         and r.state = 'suppressed'
         and r.ended_at >= $2
         and r.ended_at < $3
       group by 1
       union all
       select s.key, c.what, c.n
       from (
         select
           ${key('r.settled_at')} as key,
           count(distinct r.lead_id) as contacted,
           count(distinct r.lead_id) filter (where r.action in ${REQUESTS}) as requested
         from send r
         where r.workspace_id = $1
           and r.state = 'confirmed'
           and r.settled_at >= $2
           and r.settled_at < $3
           and app.is_contact(r.action)
         group by 1
       ) s
       cross join lateral (values ('contacted', s.contacted), ('requested', s.requested)) c (what, n)
       union all
       select h.key, c.what, c.n
       from (
         select
           ${key('e.at')} as key,
           count(distinct r.lead_id) filter (where e.kind = 'connection.accepted') as accepted,
           count(distinct r.lead_id) filter (where ${ANSWERED}) as replied,
           count(distinct r.lead_id) filter (
             where e.kind = 'reply.received' and e.data ->> 'class' = 'positive'
           ) as positive,
           count(distinct r.lead_id) filter (where e.kind = 'mail.bounced') as bounced
         from run_event e
         join run r on r.id = e.run_id
         where e.workspace_id = $1
           and e.kind in ${HEARD}
           and e.at >= $2
           and e.at < $3
         group by 1
       ) h
       cross join lateral (
         values ('accepted', h.accepted), ('replied', h.replied), ('positive', h.positive), ('bounced', h.bounced)
       ) c (what, n)
       union all ${credits(query.group)} ${pool(query.group)}
     )
     select
       key,
       ${['enrolled', 'contacted', 'requested', 'accepted', 'replied', 'positive', 'suppressed', 'bounced', 'credits']
         .map((what) => `coalesce(sum(n) filter (where what = '${what}'), 0)::int as ${what}`)
         .join(', ')},
       coalesce(sum(n) filter (where what = 'pool'), 0)::int as "inPool"
     from counted
     where key is not null and ($4::text is null or key > $4) and ($6::text is null or key = $6)
     group by key
     order by key limit $5`,
    [query.workspaceId, query.from, query.to, query.after, query.limit, query.only ?? null],
  );
}

/** Credits spent: settled less refunded. Those of a run belong to its workflow and account too. */
function credits(group: MetricGroup | 'all'): string {
  const of = group === 'workflow' || group === 'network_account' ? 'join run r on r.id = c.run_id' : '';
  const key = group === 'campaign' ? 'c.campaign_id' : KEYS[group]('c.at');
  return `select ${key}, 'credits', -sum(c.amount) from credit_entry c ${of}
    where c.workspace_id = $1 and c.kind in ('settle', 'refund') and c.at >= $2 and c.at < $3 group by 1`;
}

/** A campaign's pool is counted as it changes; a lead in those of several campaigns counts once for all together. */
function pool(group: MetricGroup | 'all'): string {
  if (group === 'campaign')
    return `union all select c.id, 'pool', coalesce(p.leads, 0)
      from campaign c left join campaign_pool p on p.campaign_id = c.id where c.workspace_id = $1 and c.deleted_at is null`;
  if (group !== 'all') return '';
  return `union all select ${KEYS.all('0')}, 'pool', count(distinct s.lead_id)
    from (select c.id as campaign_id, app.score_min(c.settings) as least from campaign c where c.workspace_id = $1 and c.deleted_at is null) r
      left join lead_score s on s.campaign_id = r.campaign_id and s.total >= r.least group by 1`;
}

/** Names of the groups; a day or week is its own. */
export async function metricLabels(
  tx: Tx,
  workspaceId: string,
  group: MetricGroup,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const source = LABELS[group];
  if (source === null || keys.length === 0) return new Map();
  const rows = await tx.rows<{ id: string; name: string }>(source, [workspaceId, keys]);
  return new Map(rows.map((row) => [row.id, row.name]));
}

const LABELS: Record<MetricGroup, string | null> = {
  campaign: 'select id, title as name from campaign where workspace_id = $1 and id = any ($2::text[])',
  workflow: 'select id, name from workflow where workspace_id = $1 and id = any ($2::text[])',
  network_account: `select a.id, a.display_name as name
                    from network_account a
                    join account_link l on l.account_id = a.id
                    where l.workspace_id = $1 and a.id = any ($2::text[])`,
  day: null,
  week: null,
};
