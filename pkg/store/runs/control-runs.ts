import type { Tx } from '../../postgres/database.ts';

/** Lets the engine look at a run now, unless it is paused or over. @param now epoch ms UTC, product time */
export async function lookAtRun(tx: Tx, runId: string, now: number): Promise<void> {
  await tx.exec(
    `update run set due_at = $2, version = version + 1 where id = $1 and ended_at is null and state <> 'paused'`,
    [runId, now],
  );
}

/**
 * Pauses a live run. What it waited for is no reason to go on any more (only a person or its time ends a pause), and the
 * pause no time in which it is blocked. @param resumeAt epoch ms UTC, product time; null: until a person resumes it
 */
export async function pauseRun(tx: Tx, runId: string, resumeAt: number | null): Promise<void> {
  await tx.exec(
    `update run
     set
       state = 'paused',
       wait_reason = null,
       due_at = $2,
       facts = facts - 'blockedSince',
       version = version + 1
     where id = $1`,
    [runId, resumeAt],
  );
}

/** As what a run u goes on where it stands: the engine reads the drafts of who is in review, also those that are decided. */
const GOES_ON = `
  select
    case
      when exists (
        select 1
        from review_item i
        where i.run_id = u.id
          and i.conversation_id is null
          and i.node_id = u.node_id
          and i.created_at >= u.entered_at
          and i.state in ('pending', 'approved', 'rejected', 'expired')
      ) then 'in_review'
      else 'waiting'
    end as state
  from run u
  where u.id = $1`;
const WHY = `case k.state when 'in_review' then 'review' else 'duration' end`;

/**
 * Goes on where the run was held; a draft that was shown there is still the one to decide.
 * @param now epoch ms UTC, product time
 */
export async function resumeRun(tx: Tx, runId: string, now: number): Promise<void> {
  await tx.exec(
    `update run r
     set state = k.state, wait_reason = ${WHY}, due_at = $2, version = r.version + 1
     from (${GOES_ON}) k
     where r.id = $1`,
    [runId, now],
  );
}

/** Ends a run and withdraws its drafts. @param now epoch ms UTC, product time */
export async function stopRun(tx: Tx, runId: string, now: number, reason: string): Promise<void> {
  await tx.exec(
    `update run
     set
       state = 'stopped',
       due_at = null,
       wait_reason = null,
       ended_at = $2,
       end_reason = $3,
       version = version + 1
     where id = $1`,
    [runId, now, reason],
  );
  await withdrawDrafts(tx, runId, now, 'the run was stopped');
}

/**
 * Lets a run that has ended go on where it ended. Its end took back what was approved and not sent, so that people are
 * asked anew; what they had rejected counts. @param now epoch ms UTC, product time
 */
export async function reviveRun(tx: Tx, runId: string, now: number): Promise<void> {
  await tx.exec(
    `update run r
     set
       state = k.state,
       wait_reason = ${WHY},
       due_at = $2,
       ended_at = null,
       end_reason = null,
       send_id = null,
       version = r.version + 1,
       facts = r.facts - array['approved', 'approvedSubjects']
     from (${GOES_ON}) k
     where r.id = $1`,
    [runId, now],
  );
}

/** Lets a run go on whose draft expired: that draft is over, and people are asked anew. @param now epoch ms UTC, product time */
export async function reviveExpired(tx: Tx, runId: string, now: number): Promise<void> {
  await tx.exec(
    `update review_item
     set state = 'cancelled', reason = 'the lead was taken up again'
     where run_id = $1 and conversation_id is null and state = 'expired'`,
    [runId],
  );
  await reviveRun(tx, runId, now);
}

/**
 * Takes back the draft of a live run whose time is over and which nobody has closed yet, so that people are asked anew.
 * @param now epoch ms UTC, product time
 * @returns whether there was one
 */
export async function renewExpired(tx: Tx, runId: string, now: number): Promise<boolean> {
  const taken = await tx.exec(
    `update review_item
     set state = 'cancelled', reason = 'the lead was taken up again', decided_at = $2
     where run_id = $1 and conversation_id is null and state = 'pending' and expires_at <= $2`,
    [runId, now],
  );
  if (taken > 0) await lookAtRun(tx, runId, now);
  return taken > 0;
}

/**
 * Puts a live run at another node, and withdraws the drafts of the one that it leaves. Each visit of a node has tries of
 * its own. @param now epoch ms UTC, product time
 */
export async function moveRun(tx: Tx, runId: string, nodeId: string, now: number): Promise<void> {
  await withdrawDrafts(tx, runId, now, 'the run was moved');
  await tx.exec(
    `update run
     set
       node_id = $2,
       entered_at = $3,
       state = 'waiting',
       wait_reason = 'duration',
       due_at = $3,
       send_id = null,
       version = version + 1,
       facts = facts - array['tries', 'failingSince', 'blockedSince', 'redrafting', 'awayUntil']
     where id = $1`,
    [runId, nodeId, now],
  );
}

/** Lets the engine look at the run of a send now, while it waits for that send. @param now epoch ms UTC, product time */
export async function lookAtRunOfSend(tx: Tx, runId: string, sendId: string, now: number): Promise<void> {
  await tx.exec(
    `update run
     set due_at = $2
     where id = $1 and send_id = $3 and ended_at is null and state not in ('paused', 'replied')`,
    [runId, now, sendId],
  );
}

/** Nobody is asked any more about drafts of a step that is not to come. */
async function withdrawDrafts(tx: Tx, runId: string, now: number, reason: string): Promise<void> {
  await tx.exec(
    `update review_item set state = 'cancelled', reason = $3, decided_at = $2
     where run_id = $1 and state = 'pending' and conversation_id is null`,
    [runId, now, reason],
  );
}
