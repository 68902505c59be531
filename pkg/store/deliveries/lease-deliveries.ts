import type { EventKind } from '../../domain/event-kinds.ts';
import type { ToldFrom } from '../../events/tell-event.ts';
import type { Tx } from '../../postgres/database.ts';

/** Real seconds until another server may try what a server left: longer than a try takes. */
const LEASE_SECONDS = 60;
/** Of what waits for an endpoint, the oldest that are looked at; where all of them wait for something, as many more. */
const LOOKED_AT = [200, 5_000];
/** Leads that these name together, at most: an event of an import names a thousand. */
const NAMED = 200_000;

/** A delivery under a lease, with the event that it tells; `event` null: retention took it. */
export interface LeasedDelivery {
  id: string;
  kind: EventKind;
  attempts: number;
  createdAt: number;
  event: ToldFrom | null;
  /** What the subscriber may read now. */
  scopes: string[];
  /** The kinds that the endpoint follows now. */
  events: EventKind[];
}

type Row = Omit<LeasedDelivery, 'event'> & ToldFrom & { gone: boolean };

/** What is asked of one endpoint. */
export interface LeaseAsked {
  integrationId: string;
  holder: string;
  limit: number;
  /** It does not answer: what was tried most goes first, so that its plan comes to an end. */
  probing: boolean;
  /** Epoch ms, product time. */
  now: number;
}

/**
 * Takes leases of deliveries of an endpoint that are due, oldest first; not of one while an earlier one waits that names the same lead.
 * Platform only.
 */
export async function leaseDeliveries(tx: Tx, asked: LeaseAsked): Promise<LeasedDelivery[]> {
  const { integrationId, holder, limit, probing, now } = asked;
  let rows: Row[] = [];
  for (const lookedAt of LOOKED_AT) {
    if (rows.length === 0)
      rows = await tx.rows<Row>(LEASE, [integrationId, now, limit, holder, probing, lookedAt, NAMED]);
  }
  return rows.map(({ id, kind, attempts, createdAt, scopes, events, gone, ...told }) => ({
    id,
    kind,
    attempts,
    createdAt,
    scopes,
    events,
    event: gone ? null : { ...told, kind },
  }));
}

/** $1 endpoint, $2 now, $3 limit, $4 holder, $5 probing, $6 rows that are looked at, $7 leads that they name. */
const LEASE = `
  with oldest as materialized (
    select w.*
    from (
      select
        d.id, d.number, d.lead_ids, d.attempts, d.due_at,
        coalesce(d.lease_until > clock_timestamp(), false) as held,
        sum(cardinality(d.lead_ids)) over (order by d.number rows unbounded preceding) as named
      from delivery d
      where d.integration_id = $1 and d.state = 'waiting'
      order by d.number limit $6
    ) w
    where w.named - cardinality(w.lead_ids) < $7
  ),
  first_of as (
    select lead, min(o.number) as number
    from oldest o, unnest(o.lead_ids) lead
    group by lead
  ),
  behind as (
    select o.id
    from oldest o, unnest(o.lead_ids) lead
    join first_of f using (lead)
    where f.number < o.number
  ),
  taken as (
    select o.id
    from oldest o
    where o.due_at <= $2 and not o.held and o.id not in (select id from behind)
    order by case when $5::boolean then -o.attempts end, o.number limit $3
  ),
  leased as (
    update delivery d
    set holder = $4, lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where d.id in (
        select x.id from delivery x where x.id in (select t.id from taken t) and x.state = 'waiting'
          and (x.lease_until is null or x.lease_until < clock_timestamp())
        for update skip locked
      )
    returning d.*
  )
  select
    d.id, d.kind, d.attempts, d.created_at as "createdAt", i.events,
    app.subscriber_scopes(i.workspace_id, i.subscriber_key, i.subscriber_user) as scopes,
    e.seq is null as gone, d.workspace_id as "workspaceId", d.number, d.seq, d.at, e.data,
    e.run_id as "runId", e.node_id as "nodeId", r.lead_id as "leadId", r.workflow_id as "workflowId",
    r.campaign_id as "campaignId"
  from leased d
  join integration i on i.id = d.integration_id
  left join run_event e on e.seq = d.seq and e.at = d.at and e.workspace_id = d.workspace_id
  left join run r on r.id = e.run_id
  order by d.number`;
