import { NEVER_EXPIRES } from '../../../domain/review-expiry.ts';
import { iso } from '../../times.ts';
import { requireWorkflow, type WorkflowRow } from '../../workflows/workflow-row.ts';
import { accountCause } from './account-cause.ts';
import { budgetCause } from './budget-cause.ts';
import { type Cause, type Check, type CheckContext, fail, pass, waits } from './check.ts';
import { BLOCKING_WAITS, type BlockingWait, stopsWorkspace } from './check-names.ts';
import { freezeCheck } from './freeze-check.ts';
import { sourceCheck } from './source-check.ts';
import { channelsOf, creditsCause, freezeCause, STOPS, stopChecks } from './stop-checks.ts';
import { workspaceChecks } from './workspace-checks.ts';

/** Checks that come before the workflow is enabled: an enabling would be refused. */
const BEFORE_ENABLING: ReadonlySet<string> = new Set(['workspace_running', 'accounts_linked', 'accounts_healthy']);

/** Waits whose check names the accounts. */
const ABOUT_ACCOUNTS = ['budget', 'account_unhealthy', 'unknown_outcome'];

/** Why a workflow does nothing: its own state, its campaign, its leads, and what stops the workspace, in the order in which it is ended. */
export async function workflowChecks(asked: CheckContext): Promise<Check[]> {
  const { tx, targetId } = asked;
  const workflow = await requireWorkflow(tx, targetId);
  const context = { ...asked, channels: await channelsOf(asked, targetId) };
  const stops = await stopChecks(context, workflow);
  const freeze = await freezeCheck(context, { workflowId: workflow.id });
  const workspace = (await workspaceChecks(context, freeze)).filter((check) => stopsWorkspace(check.check));
  const stopped = [...stops, ...workspace].find((check) => !check.ok && STOPS.has(check.check));
  return [
    workflow.graph_problem === null
      ? pass('graph_valid', 'The graph is valid.')
      : fail(
          'graph_valid',
          `The last change of the graph was not taken: ${workflow.graph_problem} The version before it is in force; svc_get_workflow shows it.`,
          'svc_update_workflow',
          { workflowId: workflow.id },
        ),
    ...workspace.filter(({ check }) => BEFORE_ENABLING.has(check)),
    ...stops,
    await sourceCheck(context, workflow),
    ...workspace.filter(({ check }) => !BEFORE_ENABLING.has(check)),
    ...(await waitChecks(context, workflow, stopped)),
  ];
}

interface Waiting {
  wait_reason: string;
  count: number;
  /** Accounts of the leads, some at most. */
  ids: string[];
  /** The first accounts that the leads wait for. */
  accounts: string | null;
  /** When the first of them is looked at again, epoch ms; null: an event ends the wait. */
  next_at: number | null;
}

async function waitChecks(context: CheckContext, workflow: WorkflowRow, stopped: Check | undefined): Promise<Check[]> {
  const { tx, workspaceId, targetId } = context;
  const rows = await tx.rows<Waiting>(
    `select r.wait_reason, r.count, r.next_at, coalesce(r.ids, '{}') as ids, a.accounts
     from (
       select
         wait_reason,
         count(*)::int as count,
         min(due_at) as next_at,
         array_agg(distinct account_id) filter (where account_id is not null) as ids
       from run
       where workflow_id = $1 and ended_at is null and wait_reason is not null
       group by 1
     ) r
     left join lateral (
       select string_agg(x.id, ', ') as accounts
       from (
         select n.id
         from network_account n
         where n.id = any (r.ids)
           or (
             r.ids is null
             and r.wait_reason = 'account_unhealthy'
             and (n.paused or n.status <> 'ok')
             and exists (select 1 from account_link l where l.account_id = n.id and l.workspace_id = $2)
           )
         order by n.paused desc, n.id limit 3
       ) x
     ) a on true
     order by r.count desc`,
    [targetId, workspaceId],
  );
  const drafts = rows.some((row) => row.wait_reason === 'review') ? await firstDeadline(context) : null;
  const checks: Check[] = [];
  for (const row of rows) {
    const cause = await causeOf(context, workflow, stopped, row);
    checks.push(waitCheck(row, cause, { now: context.now, drafts }));
  }
  return checks;
}

/** When the first draft of the workflow expires that waits for a person, epoch ms; null: none ever does. */
async function firstDeadline({ tx, targetId, workspaceId, now }: CheckContext): Promise<number | null> {
  const row = await tx.row<{ at: number | null }>(
    `select min(i.expires_at) as at
     from review_item i
     where i.workspace_id = $1
       and i.workflow_id = $2
       and i.state = 'pending'
       and i.expires_at > $3
       and i.expires_at < $4`,
    [workspaceId, targetId, now, NEVER_EXPIRES],
  );
  return row?.at ?? null;
}

/** Why leads wait, and what ends it; null: it passes by itself. */
async function causeOf(
  context: CheckContext,
  workflow: WorkflowRow,
  stopped: Check | undefined,
  { wait_reason: reason, ids }: Waiting,
): Promise<Cause | null> {
  const { workspaceId } = context;
  if (!isBlocking(reason)) return null;
  switch (reason) {
    case 'budget':
      return budgetCause(context, workflow, ids);
    case 'account_unhealthy':
      return accountCause(context, workflow.id, ids);
    case 'credits':
      return creditsCause(context, workflow.campaign_id);
    case 'review':
      return {
        text: 'wait for a person',
        tool: 'svc_list_review_items',
        input: { workspaceId, workflowId: workflow.id },
      };
    case 'unknown_outcome':
      return {
        text: 'wait until the outcome of a send is known',
        tool: 'svc_admin_list_dead_letters',
        input: { workspaceId },
      };
    case 'send_freeze': {
      if (!stopped) return inWait(await freezeCause(context, ids));
      const text = `wait because of this: ${stopped.detail.replace(/\.$/, '')}`;
      return { text, tool: stopped.nextTool ?? 'svc_get_workflow', input: stopped.nextInput ?? {} };
    }
  }
}

function inWait(cause: Cause | null): Cause | null {
  return cause && { ...cause, text: `wait: ${cause.text.replace(/\.$/, '')}` };
}

function waitCheck(
  { wait_reason: reason, count, accounts, next_at: next }: Waiting,
  cause: Cause | null,
  { now, drafts }: { now: number; drafts: number | null },
): Check {
  const named = accounts && ABOUT_ACCOUNTS.includes(reason) ? ` (${accounts})` : '';
  if (!cause || !isBlocking(reason)) {
    const until = next === null ? '' : ` The first acts next ${iso(next === 0 ? now : next)}.`;
    return waits(`waiting_${reason}`, `${count} leads wait (${reason})${named}; this passes by itself.${until}`);
  }
  const deadline =
    reason !== 'review' || drafts === null ? '' : `; the first stops at ${iso(drafts)} if nobody decides`;
  return fail(`waiting_${reason}`, `${count} leads ${cause.text}${named}${deadline}.`, cause.tool, cause.input);
}

function isBlocking(reason: string): reason is BlockingWait {
  return (BLOCKING_WAITS as readonly string[]).includes(reason);
}
