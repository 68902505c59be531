import { CAMPAIGN_MOVES } from '../../../api/campaign-moves.ts';
import { type Cause, type Check, type CheckContext, fail, type NextInput, pass } from './check.ts';
import { freezeCauseOf, readFreezes } from './freeze-check.ts';
import { unconfiguredText } from './unconfigured-text.ts';

/** Checks of what parks every lead. */
export const STOPS: ReadonlySet<string> = new Set(['enabled', 'hold', 'campaign_active', 'workspace_running']);

/** A workflow, and what it belongs to. */
export interface Flow {
  id: string;
  campaign_id: string;
}

interface Hold {
  kind: 'campaign' | 'workflow';
  held_by: string;
  reason: string;
}

/**
 * What stops all leads of a workflow, itself or its campaign: the switch of each, and a hold that overrides it. In the order in
 * which they are to be ended: a workflow is enabled in a draft campaign, which that activates, and not in a paused one.
 */
export async function stopChecks({ tx }: Pick<CheckContext, 'tx'>, flow: Flow): Promise<Check[]> {
  const facts = await tx.row<{ enabled: boolean; state: string }>(
    'select w.enabled, c.state from workflow w join campaign c on c.id = $2 where w.id = $1',
    [flow.id, flow.campaign_id],
  );
  const hold = await tx.row<Hold>(
    `select kind, held_by, reason
     from hold
     where (kind = 'workflow' and id = $1) or (kind = 'campaign' and id = $2)
     order by kind desc limit 1`,
    [flow.id, flow.campaign_id],
  );
  const state = facts?.state ?? 'unknown';
  const enable = { workflowId: flow.id, enabled: true };
  const ofFlow = [
    facts?.enabled
      ? pass('enabled', 'The workflow is enabled.')
      : fail('enabled', 'The workflow is disabled.', 'svc_update_workflow_status', enable),
    hold ? holdCheck(hold, flow) : pass('hold', 'Nobody stopped it.'),
  ];
  const ofCampaign = campaignCheck(state, flow.campaign_id);
  return state === 'draft' || state === 'active' ? [...ofFlow, ofCampaign] : [ofCampaign, ...ofFlow];
}

/** The move that leads to a campaign that is at work; an archived one is a draft first. */
export function activationOf(state: string): NextInput {
  return { status: CAMPAIGN_MOVES[state]?.includes('active') ? 'active' : (CAMPAIGN_MOVES[state]?.[0] ?? 'active') };
}

function campaignCheck(state: string, campaignId: string): Check {
  if (state === 'active') return pass('campaign_active', 'The campaign is active.');
  const how = state === 'archived' ? ' It becomes a draft first, then active.' : '';
  const text = `The campaign is ${state}.${how}`;
  return fail('campaign_active', text, 'svc_update_campaign', { campaignId, ...activationOf(state) });
}

function holdCheck({ kind, held_by: by, reason }: Hold, flow: Flow): Check {
  const why = reason === 'StoppedByTool' ? '' : `: ${reason}`;
  const text = `The ${kind} was stopped by ${by}${why}.`;
  return kind === 'workflow'
    ? fail('hold', text, 'svc_update_workflow_status', { workflowId: flow.id, enabled: true })
    : fail('hold', text, 'svc_update_campaign', { campaignId: flow.campaign_id, status: 'active' });
}

/**
 * The freeze that lasts longest of those that bind leads of these accounts, else the comparison that is to come; null when
 * they go on by themselves.
 */
export async function freezeCause(context: CheckContext, accountIds: readonly string[]): Promise<Cause | null> {
  const { tx, workspaceId, channels, isConfigured } = context;
  const [freeze] = await readFreezes(context, accountIds, channels ?? null);
  if (freeze) return freezeCauseOf(freeze);
  const waiting = await tx.row<{ id: string; kind: string; provider: string }>(
    `select a.id, a.kind, a.provider
     from account_link l
     join network_account a on a.id = l.account_id
     where l.workspace_id = $1
       and not app.is_guarded(a.id)
       and (a.id = any ($2::text[]) or $2::text[] = '{}')
     order by a.id limit 1`,
    [workspaceId, accountIds],
  );
  if (!waiting) return null;
  // Anyone who can not be asked is never compared: that does not pass by itself.
  if (waiting.kind === 'network' && !isConfigured(waiting.provider))
    return {
      text: unconfiguredText(waiting.id, waiting.provider),
      tool: 'svc_admin_link_account',
      input: { action: 'register', accountKind: 'network', workspaceId },
    };
  return {
    text: `Postgres has started again and the sends of account ${waiting.id} were not compared with its provider yet; this passes by itself once the provider answers.`,
    tool: 'svc_get_network_account',
    input: { networkAccountId: waiting.id },
  };
}

/** Why leads of a campaign wait for credits: what it may still spend is less than what the workspace has, or that is what lacks. */
export async function creditsCause({ tx, workspaceId }: CheckContext, campaignId: string): Promise<Cause> {
  const row = await tx.row<{ left: number | null; available: number }>(
    `select nullif((c.settings ->> 'creditBudget')::float8, 0) - coalesce(
       (
         select sum(case when h.state = 'held' then h.amount else h.settled - h.refunded end)
         from credit_hold h
         where h.workspace_id = $1 and h.campaign_id = c.id and h.state in ('held', 'settled')
       ),
       0
     )::float8 as
     left
       ,
       coalesce((select b.balance - b.held from credit_balance b where b.workspace_id = $1), 0)::float8 as available
     from campaign c
     where c.id = $2`,
    [workspaceId, campaignId],
  );
  if (row && row.left !== null && row.left < row.available)
    return {
      text: `wait for credits: the creditBudget of the campaign has ${Math.max(0, row.left)} left; raise it, or 0 takes it away`,
      tool: 'svc_update_campaign',
      input: { campaignId },
    };
  return {
    text: 'wait for credits, which a platform admin grants',
    tool: 'svc_admin_adjust_credits',
    input: { workspaceId },
  };
}

/**
 * Channels through which a workflow acts, as its graph in force says it, and '' for the freezes of all. What is pushed into systems
 * outside is held with the webhooks.
 */
export async function channelsOf({ tx }: CheckContext, workflowId: string): Promise<string[]> {
  const rows = await tx.rows<{ channel: string }>(
    `select distinct regexp_replace(split_part(n ->> 'nodeType', ':', 1), '^(crm|outreach)$', 'webhook') as channel
     from workflow f
     join workflow_graph g on g.workflow_id = f.id and g.version = f.graph_version
     cross join jsonb_array_elements(g.graph -> 'nodes') n
     where f.id = $1`,
    [workflowId],
  );
  return ['', ...rows.map((row) => row.channel)];
}
