import type { SplitControl, SplitMetric, SplitSettings } from '../../domain/split-settings.ts';
import type { Tx } from '../../postgres/database.ts';

/** Control of one split node. */
export interface SplitRow extends SplitControl {
  workflowId: string;
  nodeId: string;
}

/** A share of half a float's size is read by its text: its nearest double is 0.10000000149 where 0.1 was given. */
const COLUMNS = `workflow_id as "workflowId", node_id as "nodeId", mode, metric, weights, min_exposures as "minExposures",
  min_arm_share::text::float8 as "minArmShare", maturity_hours as "maturityHours", promoted, learnt, learnt_at as "learntAt", since`;

/** Controls of these workflows' splits; a split that nobody touched and that learnt nothing has none. */
export function readSplits(tx: Tx, workspaceId: string, workflowIds: readonly string[]): Promise<SplitRow[]> {
  return tx.named<SplitRow>(
    'read_splits',
    `select ${COLUMNS} from split_control where workspace_id = $1 and workflow_id = any ($2::text[])`,
    [workspaceId, workflowIds],
  );
}

/** Writes a control as a person set it. @param by who */
export async function writeSplit(
  tx: Tx,
  workspaceId: string,
  row: SplitRow,
  about: { by: string; now: number },
): Promise<void> {
  await tx.exec(
    `insert into split_control (
       workspace_id, workflow_id, node_id, mode, metric, weights, min_exposures, min_arm_share, maturity_hours,
       promoted, learnt, learnt_at, since, updated_at, updated_by
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     on conflict (workflow_id, node_id) do update set
       mode = excluded.mode,
       metric = excluded.metric,
       weights = excluded.weights,
       min_exposures = excluded.min_exposures,
       min_arm_share = excluded.min_arm_share,
       maturity_hours = excluded.maturity_hours,
       promoted = excluded.promoted,
       learnt = excluded.learnt,
       learnt_at = excluded.learnt_at,
       since = excluded.since,
       updated_at = excluded.updated_at,
       updated_by = excluded.updated_by`,
    [
      workspaceId,
      row.workflowId,
      row.nodeId,
      row.mode,
      row.metric,
      row.weights === null ? null : JSON.stringify(row.weights),
      row.minExposures,
      row.minArmShare,
      row.maturityHours,
      row.promoted,
      row.learnt === null ? null : JSON.stringify(row.learnt),
      row.learntAt,
      row.since,
      about.now,
      about.by,
    ],
  );
}

/**
 * Keeps learnt shares; what a person set stays as it is. What a person changed since `from` was read has made the outcomes others:
 * then nothing is kept.
 */
export async function writeLearnt(
  tx: Tx,
  workspaceId: string,
  split: {
    workflowId: string;
    nodeId: string;
    learnt: Readonly<Record<string, number>>;
    now: number;
    from: Pick<SplitControl, 'mode' | 'metric' | 'since'> | null;
  },
): Promise<void> {
  const { workflowId, nodeId, learnt, now, from } = split;
  await tx.exec(
    `insert into split_control (workspace_id, workflow_id, node_id, learnt, learnt_at, updated_at, updated_by)
     values ($1, $2, $3, $4, $5, $5, 'engine')
     on conflict (workflow_id, node_id) do update set learnt = excluded.learnt, learnt_at = excluded.learnt_at
       where split_control.promoted is null
         and split_control.since = $6
         and split_control.mode is not distinct from $7
         and split_control.metric is not distinct from $8`,
    [
      workspaceId,
      workflowId,
      nodeId,
      JSON.stringify(learnt),
      now,
      from?.since ?? 0,
      from?.mode ?? null,
      from?.metric ?? null,
    ],
  );
}

/** Exposures of one arm. */
export interface ArmCounts {
  branch: string;
  exposures: number;
  /** Exposures whose outcome window has passed; only these are judged. */
  matured: number;
  successes: number;
}

/**
 * What of an inbound message, a relation or an event is a success. Replies are read from the inbox too, so that an answer
 * counts that came after its run had ended; the class of a message is the reader's own.
 */
const HIT: Record<SplitMetric, string> = {
  accepted: `exists (
               select 1
               from relation v
               where v.person_id = x.person_id
                 and v.requested_at is not null
                 and v.connected_at > x.at
                 and v.connected_at <= x.at + $5
             )
             or exists (
               select 1
               from run_event e
               where e.run_id = x.run_id
                 and e.kind = 'connection.accepted'
                 and e.at > x.at
                 and e.at <= x.at + $5
             )`,
  replied: inbound('app.is_answer(m.reply_class)', `app.is_answer(e.data ->> 'class')`),
  positive_reply: inbound(`m.reply_class = 'positive'`, `e.data ->> 'class' = 'positive'`),
  meeting: `exists (
              select 1
              from run_event e
              where e.run_id = x.run_id
                and e.kind = 'meeting.created'
                and e.at > x.at
                and e.at <= x.at + $5
            )`,
};

function inbound(ofMessage: string, ofEvent: string): string {
  return `exists (
            select 1
            from conversation k
            join message m on m.conversation_id = k.id
            where k.person_id = x.person_id
              and m.direction = 'in'
              and m.sent_at > x.at
              and m.sent_at <= x.at + $5
              and ${ofMessage}
          )
          or exists (
            select 1
            from run_event e
            where e.run_id = x.run_id
              and e.kind = 'reply.received'
              and e.at > x.at
              and e.at <= x.at + $5
              and ${ofEvent}
          )`;
}

/** Runs that tell enough of a split: more make its rates known no better than people change, and take longer to count than a statement may. */
export const TELLING_RUNS = 20_000;

/** Passages of all runs: whole tables are read, and joined. */
const ALL_PASSAGES = `passed as (
       select r.id as run_id, r.lead_id, r.person_id, r.arms ->> $3 as branch, min(e.at) as at
       from run r join run_event e on e.run_id = r.id and e.kind = 'run.step_done' and e.node_id = $3
       where r.workspace_id = $1 and r.workflow_id = $2 and r.arms ? $3 group by r.id)`;
/** Of the newest: each is found by index, in the months since its run began. */
const NEWEST_PASSAGES = `taken as (
       select id, lead_id, person_id, started_at, arms ->> $3 as branch from run
       where workspace_id = $1 and workflow_id = $2 and arms ->> $3 is not null and started_at <= $4::bigint - $5::bigint order by id desc limit $7),
     passed as (
       select r.id as run_id, r.lead_id, r.person_id, r.branch, first.at from taken r cross join lateral (
         select min(e.at) as at from run_event e where e.run_id = r.id and e.kind = 'run.step_done' and e.node_id = $3 and e.at >= r.started_at) first)`;

/**
 * Counts a split's arms at `now`. A lead counts once, by its first passage. An exposure is judged only when its window has
 * passed, hit or miss: early answers alone would flatter those who answer fast.
 * @param newest so many runs at most, the newest of those that began before the window of judgement; null: all
 */
export function countArms(
  tx: Tx,
  split: { workspaceId: string; workflowId: string; nodeId: string; now: number },
  settings: Pick<SplitSettings, 'metric' | 'maturityHours' | 'since'>,
  newest: number | null = null,
): Promise<ArmCounts[]> {
  const values = [
    split.workspaceId,
    split.workflowId,
    split.nodeId,
    split.now,
    settings.maturityHours * 3_600_000,
    settings.since,
  ];
  return tx.rows<ArmCounts>(
    `with ${newest === null ? ALL_PASSAGES : NEWEST_PASSAGES},
     x as (select distinct on (lead_id) * from passed where at >= $6 order by lead_id, at, run_id)
     select x.branch, count(*)::int as exposures, count(*) filter (where x.at + $5 <= $4)::int as matured,
       count(*) filter (where x.at + $5 <= $4 and (${HIT[settings.metric]}))::int as successes
     from x group by x.branch order by x.branch`,
    newest === null ? values : [...values, newest],
  );
}

/** Arms that leads of these runs took in earlier runs of the same workflow, of each split the last: an arm stays with the lead. */
export function readEarlierArms(
  tx: Tx,
  workspaceId: string,
  runs: readonly { id: string; workflowId: string; leadId: string }[],
): Promise<{ runId: string; arms: Record<string, string> }[]> {
  return tx.named(
    'earlier_arms',
    `select k.run_id as "runId", e.arms
     from unnest($2::uuid[], $3::text[], $4::uuid[]) as k (run_id, workflow_id, lead_id)
     join lateral (
       select jsonb_object_agg(a.key, a.value order by r.started_at, r.id desc) as arms
       from run r
       cross join jsonb_each(r.arms) a
       where r.workspace_id = $1
         and r.workflow_id = k.workflow_id
         and r.lead_id = k.lead_id
         and r.id <> k.run_id
         and r.arms is not null
     ) e on e.arms is not null`,
    [workspaceId, runs.map((run) => run.id), runs.map((run) => run.workflowId), runs.map((run) => run.leadId)],
  );
}
