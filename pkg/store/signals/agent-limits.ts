import type { Tx } from '../../postgres/database.ts';

/** All agents of a workspace together find a person at most once in so long: an agent does not feed on what it started. */
export const ONCE_IN_MS = 90 * 86_400_000;

/**
 * What an agent spent on a day of its workspace, locked: until the end of the transaction nobody else spends for it.
 * @param day such as 2026-03-02
 */
export async function lockDay(
  tx: Tx,
  agent: { id: string; workspaceId: string },
  day: string,
): Promise<{ leads: number; credits: number }> {
  await tx.exec(
    'insert into signal_agent_day (agent_id, day, workspace_id) values ($1, $2, $3) on conflict do nothing',
    [agent.id, day, agent.workspaceId],
  );
  const row = await tx.row<{ leads: number; credits: number }>(
    'select leads, credits from signal_agent_day where agent_id = $1 and day = $2 for update',
    [agent.id, day],
  );
  if (!row) throw new Error('the day of the agent is gone');
  return row;
}

/**
 * Spends of an agent's day, in the transaction that enqueues.
 * @param limit most leads and credits of the day; null: no limit
 * @throws Error when that is more than is left: nothing of the transaction is kept
 */
export async function spendOfDay(
  tx: Tx,
  agentId: string,
  day: string,
  spent: { leads: number; credits: number },
  limit: { leads: number; credits: number | null },
): Promise<void> {
  const taken = await tx.exec(
    `update signal_agent_day
     set leads = leads + $3, credits = credits + $4
     where agent_id = $1
       and day = $2
       and leads + $3 <= $5
       and ($6::int is null or $4 = 0 or credits + $4 <= $6)`,
    [agentId, day, spent.leads, spent.credits, limit.leads, limit.credits],
  );
  if (taken === 0) throw new Error('the limit of the day is exceeded');
}

/**
 * Counts signals about which somebody is asked on an agent's day, before that is done: a question whose answer is lost was asked.
 * @param most of a day
 * @returns how many of `wanted` may be asked about
 */
export async function takeJudgements(
  tx: Tx,
  agentId: string,
  day: string,
  { wanted, most }: { wanted: number; most: number },
): Promise<number> {
  const row = await tx.row<{ granted: number }>(
    `update signal_agent_day d
     set judgements = d.judgements + k.granted
     from (
       select agent_id, day, greatest(0, least($3::int, $4::int - judgements)) as granted
       from signal_agent_day
       where agent_id = $1 and day = $2
       for update
     ) k
     where d.agent_id = k.agent_id and d.day = k.day
     returning k.granted`,
    [agentId, day, wanted, most],
  );
  return row?.granted ?? 0;
}

/** Takes back what `takeJudgements` counted: nobody was asked about so many of them. */
export async function giveBackJudgements(tx: Tx, agentId: string, day: string, count: number): Promise<void> {
  await tx.exec(
    'update signal_agent_day set judgements = greatest(0, judgements - $3) where agent_id = $1 and day = $2',
    [agentId, day, count],
  );
}

/**
 * Notes that the agent found persons, where no agent of the workspace did in the last 90 days; of agents that find the same person at
 * once one waits for the other. Persons are taken in their order.
 * @returns those who are free
 */
export async function takePersons(
  tx: Tx,
  agent: { id: string; workspaceId: string },
  personIds: readonly string[],
  now: number,
): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string }>(
    `insert into signal_person as p (workspace_id, person_id, agent_id, found_at)
     select $1, u.id, $2, $4 from (select distinct x as id from unnest($3::uuid[]) x order by x) u
     on conflict (workspace_id, person_id) do update set
       agent_id = excluded.agent_id,
       found_at = excluded.found_at,
       found_before = p.found_at
       where p.found_at <= $4 - ${ONCE_IN_MS}
     returning p.person_id as id`,
    [agent.workspaceId, agent.id, personIds, now],
  );
  return new Set(rows.map((row) => row.id));
}

/** Takes back what `takePersons` noted: they were not enrolled. */
export async function freePersons(tx: Tx, workspaceId: string, personIds: readonly string[]): Promise<void> {
  if (personIds.length === 0) return;
  await tx.exec(
    'update signal_person set found_at = found_before where workspace_id = $1 and person_id = any ($2::uuid[])',
    [workspaceId, personIds],
  );
}
