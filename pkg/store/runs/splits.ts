import type { SplitControl, SplitMetric, SplitSettings } from '../../domain/split-settings.ts';
import type { Tx } from '../../postgres/database.ts';

/** Control of one split node. */
export interface SplitRow extends SplitControl {
  workflowId: string;
  nodeId: string;
}

/** What was found out about a split, beside what people set; times epoch ms, product time. */
export interface SplitJudgement {
  judgedAt: number | null;
  /** The branch that was told as the winner, and `since` of the exposures that made it one. */
  toldWinner: string | null;
  toldSince: number | null;
}

/** A share of half a float's size is read by its text: its nearest double is 0.10000000149 where 0.1 was given. */
const COLUMNS = `workflow_id as "workflowId", node_id as "nodeId", mode, metric, weights, min_exposures as "minExposures",
  min_arm_share::text::float8 as "minArmShare", maturity_hours as "maturityHours", promoted, learnt, learnt_at as "learntAt", since`;

/** What was found out about these workflows' splits; of one that nobody judged there is none. */
export function readJudgements(
  tx: Tx,
  workspaceId: string,
  workflowIds: readonly string[],
): Promise<(SplitJudgement & { workflowId: string; nodeId: string })[]> {
  return tx.rows(
    `select
       workflow_id as "workflowId", node_id as "nodeId", judged_at as "judgedAt", told_winner as "toldWinner",
       told_since as "toldSince"
     from split_control
     where workspace_id = $1 and workflow_id = any ($2::text[])`,
    [workspaceId, workflowIds],
  );
}

/** A split of a campaign as it was judged. */
export interface JudgedSplit {
  workspaceId: string;
  campaignId: string;
  workflowId: string;
  nodeId: string;
  since: number;
  /** Epoch ms, product time. */
  now: number;
}

/** Notes that a split was judged; one that has a winner who was not told yet is an event. @param winner null: it has none yet */
export async function noteJudged(tx: Tx, split: JudgedSplit, winner: string | null): Promise<void> {
  const { workspaceId, campaignId, workflowId, nodeId, since, now } = split;
  await tx.exec(
    `insert into split_control (workspace_id, workflow_id, node_id, judged_at, updated_at, updated_by)
     values ($1, $2, $3, $4, $4, 'engine')
     on conflict (workflow_id, node_id) do update set judged_at = excluded.judged_at`,
    [workspaceId, workflowId, nodeId, now],
  );
  if (winner === null) return;
  await tx.exec(
    `with fresh as (
       update split_control
       set told_winner = $5, told_since = $6
       where workflow_id = $2
         and node_id = $3
         and since = $6
         and (told_winner, told_since) is distinct from ($5, $6)
       returning workspace_id
     )
     insert into run_event (workspace_id, at, kind, node_id, actor, data)
     select
       workspace_id, $4, 'split.winner_ready', $3, 'engine',
       jsonb_build_object('workflowId', $2::text, 'campaignId', $7::text, 'nodeId', $3::text, 'winner', $5::text)
     from fresh
     where workspace_id = $1`,
    [workspaceId, workflowId, nodeId, now, winner, since, campaignId],
  );
}

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
  /** Of the matured ones. */
  successes: number;
  /** Successes that came already and whose window has not passed; they are judged with the others of their time. */
  early: number;
}

/** What of a line `e` of a history is a success: what the funnel counts (campaigns/funnel.ts). */
const SUCCESS: Record<SplitMetric, string> = {
  accepted: `e.kind = 'connection.accepted'`,
  replied: `e.kind = 'reply.received' and app.is_answer(e.data ->> 'class')`,
  positive_reply: `e.kind = 'reply.received' and e.data ->> 'class' = 'positive'`,
  meeting: `e.kind = 'meeting.created'`,
};

/** The same of all runs of the lead in the campaign: an answer is told to the run that it ends, also to one that is over. */
function hitOf(metric: SplitMetric): string {
  return `exists (
            select 1
            from run o
            join run_event e on e.run_id = o.id
            where o.workspace_id = $1
              and o.lead_id = x.lead_id
              and o.campaign_id = x.campaign_id
              and e.at >= x.at
              and e.at <= x.at + $5::bigint
              and ${SUCCESS[metric]}
          )`;
}

/** Runs that tell enough of a split: more make its rates known no better than people change, and take longer to count than a statement may. */
export const TELLING_RUNS = 20_000;

/** Passages of all runs: whole tables are read, and joined. */
const ALL_PASSAGES = `passed as (
       select r.id as run_id, r.lead_id, r.campaign_id, r.arms ->> $3 as branch, min(e.at) as at
       from run r join run_event e on e.run_id = r.id and e.kind = 'run.step_done' and e.node_id = $3
       where r.workspace_id = $1 and r.workflow_id = $2 and r.arms ? $3 group by r.id)`;
/** Of the newest: each is found by index, in the months since its run began. */
const NEWEST_PASSAGES = `taken as (
       select id, lead_id, campaign_id, started_at, arms ->> $3 as branch from run
       where workspace_id = $1 and workflow_id = $2 and arms ->> $3 is not null
         and started_at <= $4::bigint - $5::bigint order by id desc limit $8),
     passed as (
       select r.id as run_id, r.lead_id, r.campaign_id, r.branch, first.at from taken r cross join lateral (
         select min(e.at) as at from run_event e
         where e.run_id = r.id and e.kind = 'run.step_done' and e.node_id = $3 and e.at >= r.started_at) first)`;
/** The first effect behind the arm; an arm that has none exposes by itself. Who waits for the first one is not exposed yet. */
const EXPOSED = `exposed as (
       select p.run_id, p.lead_id, p.campaign_id, p.branch,
         coalesce(f.at, case when p.branch = any ($7::text[]) then p.at end) as at
       from passed p
       cross join lateral (
         select min(s.dispatched_at) as at from send s
         where s.run_id = p.run_id and s.state = 'confirmed' and s.dispatched_at >= p.at) f)`;

/**
 * Counts a split's arms at `now`. An exposure begins with the first effect behind the arm, and its window runs from then: who
 * waits for a budget has seen nothing. A lead counts once, by its first exposure. It is judged only when its window has
 * passed, hit or miss: early answers alone would flatter those who answer fast.
 * @param split.silent branches behind which there is no effect
 * @param newest so many runs at most, the newest of those that began before the window of judgement; null: all
 */
export function countArms(
  tx: Tx,
  split: { workspaceId: string; workflowId: string; nodeId: string; now: number; silent: readonly string[] },
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
    split.silent,
  ];
  return tx.rows<ArmCounts>(
    `with ${newest === null ? ALL_PASSAGES : NEWEST_PASSAGES},
     ${EXPOSED},
     x as (select distinct on (lead_id) * from exposed where at >= $6::bigint order by lead_id, at, run_id),
     judged as (select x.branch, x.at + $5::bigint <= $4::bigint as ripe, ${hitOf(settings.metric)} as hit from x)
     select j.branch, count(*)::int as exposures, count(*) filter (where j.ripe)::int as matured,
       count(*) filter (where j.ripe and j.hit)::int as successes,
       count(*) filter (where not j.ripe and j.hit)::int as early
     from judged j group by j.branch order by j.branch`,
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
