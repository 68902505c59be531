import { ago, type DoctorCheck, describeWorkspace, type Finding, problem } from './finding.ts';

/** A claim that ended this long ago while its sends are open was not taken over (real ms). */
const STUCK_MS = 2 * 60_000;
/** An outcome that is unknown for longer is not being found out (real ms). */
const UNKNOWN_MS = 60 * 60_000;
const MAX_ROWS = 20;

/**
 * Sends that were claimed or dispatched, and calls that were dispatched, by an executor whose claim is gone, and that nobody took
 * over. Of a workspace that is stopped nobody comes, and what was only claimed waits for that; of one that is gone nothing does.
 */
export const stuckClaims: DoctorCheck = {
  name: 'every open action has an executor that holds its workspace',
  async run({ tx }): Promise<Finding[]> {
    const rows = await tx.rows<{ workspace_id: string; sends: number; idle_ms: number }>(
      `select
         s.workspace_id,
         count(*)::int as sends,
         (
           extract(
             epoch from clock_timestamp() - coalesce(
               max(c.expires_at),
               max(s.dispatched_real),
               clock_timestamp() - interval '1 day'
             )
           ) * 1000
         )::float8 as idle_ms
       from (
         select workspace_id, dispatched_real, state = 'dispatched' as
         left
         from send
         where state in ('planned', 'claimed', 'dispatched')
         union all
         select workspace_id, dispatched_real, true
         from node_call
         where state = 'dispatched'
       ) s
       join workspace w
         on w.id = s.workspace_id
           and w.deleted_at is null
           and (
             s.left
             or (
               w.operating_mode = 'Running'
               and not exists (select 1 from hold h where h.kind = 'workspace' and h.id = w.id)
             )
           )
       left join claim c on c.kind = 'workspace' and c.key = s.workspace_id
       group by 1
       having not coalesce(
         bool_or(c.holder is not null and c.expires_at > clock_timestamp() - make_interval(secs => $1)),
         false
       )
       order by 1 limit $2`,
      [STUCK_MS / 1_000, MAX_ROWS],
    );
    return rows.map((row) =>
      problem(
        'stuck_claims',
        `${row.sends} actions of workspace ${row.workspace_id} are open and no executor has held it for ${ago(row.idle_ms)}.`,
        `The next executor takes them over: see why none starts with ${describeWorkspace(row.workspace_id)}, and the operator's log.`,
      ),
    );
  },
};

/** Sends and pushes whose outcome could not be found out for an hour and that are no dead letters yet. */
export const unknownOutcomes: DoctorCheck = {
  name: 'unknown outcomes are being found out',
  async run({ tx }): Promise<Finding[]> {
    const rows = await tx.rows<{ account_id: string; workspace_id: string; sends: number; age_ms: number }>(
      `select
         account_id,
         min(s.workspace_id) as workspace_id,
         count(*)::int as sends,
         (extract(epoch from clock_timestamp() - min(dispatched_real)) * 1000)::float8 as age_ms
       from open_send o
       join send s on s.id = o.send_id
       join workspace w on w.id = s.workspace_id and w.deleted_at is null
       where state = 'unknown'
         and not maybe
         and dead_letter_state is null
         and dispatched_real < clock_timestamp() - make_interval(secs => $1)
       group by 1
       order by 1 limit $2`,
      [UNKNOWN_MS / 1_000, MAX_ROWS],
    );
    const pushes = await tx.rows<{ workspace_id: string; calls: number; age_ms: number; error: string | null }>(
      `select
         workspace_id,
         count(*)::int as calls,
         min(error) as error,
         (extract(epoch from clock_timestamp() - min(dispatched_real)) * 1000)::float8 as age_ms
       from node_call k
       join workspace w on w.id = k.workspace_id and w.deleted_at is null
       where state = 'unknown' and dispatched_real < clock_timestamp() - make_interval(secs => $1)
       group by 1
       order by 1 limit $2`,
      [UNKNOWN_MS / 1_000, MAX_ROWS],
    );
    return [
      ...rows.map((row) =>
        problem(
          'unknown_outcomes',
          `The outcome of ${row.sends} sends of account ${row.account_id} is unknown, the oldest for ${ago(row.age_ms)}; they are not sent again.`,
          `See why its look-ups fail: outrider doctor network_account ${row.account_id} --workspace ${row.workspace_id}.`,
        ),
      ),
      ...pushes.map((row) =>
        problem(
          'unknown_outcomes',
          `The outcome of ${row.calls} pushes of workspace ${row.workspace_id} is unknown, the oldest for ${ago(row.age_ms)} (${row.error ?? 'no answer'}); they are not made again.`,
          `See whether its integrations answer (outrider call svc_list_integrations '{"workspaceId":"${row.workspace_id}"}') and whether its executor runs: outrider doctor workspace ${row.workspace_id}.`,
        ),
      ),
    ];
  },
};

/** Sends and pushes that only a person can decide about. */
export const deadLetters: DoctorCheck = {
  name: 'no action waits for a person',
  async run({ tx, product }): Promise<Finding[]> {
    const row = await tx.row<{ sends: number; oldest: number | null }>(
      `select count(*)::int as sends, min(dead_letter_at) as oldest from (
         select dead_letter_at from send where dead_letter_state = 'open'
         union all select dead_letter_at from node_call where dead_letter_state = 'open') letters`,
    );
    if (!row || row.sends === 0) return [];
    return [
      problem(
        'dead_letters',
        `${row.sends} actions wait for a person, the oldest for ${ago(product - (row.oldest ?? product))}: nobody could find out whether they arrived.`,
        'Look at their evidence with outrider call svc_admin_list_dead_letters, decide with svc_admin_resolve_dead_letter.',
      ),
    ];
  },
};
