import { UserError } from '../../../base/errors.ts';
import { CREDIT_PRICES } from '../../../domain/credits.ts';
import { NEVER_EXPIRES } from '../../../domain/review-expiry.ts';
import { iso } from '../../times.ts';
import { type Check, type CheckContext, fail, pass } from './check.ts';
import { freezeCheck } from './freeze-check.ts';
import { activationOf } from './stop-checks.ts';

interface Facts {
  operating_mode: string;
  /** Why the workspace is held, whatever its mode. */
  hold: string | null;
  accounts: number;
  healthy: number;
  /** Linked accounts of the network; mailboxes are not among them. */
  network: number;
  /** Of them: connected, and paused by somebody. */
  paused: number;
  /** The first of them. */
  paused_id: string | null;
  /** The first account of the network that is not connected. */
  ill_id: string | null;
  /** Linked mailboxes that are paused. */
  paused_mailboxes: number;
  /** The first accounts that can't act, each with its state. */
  ill: string | null;
  /** The first mailboxes with mails of the last 30 days whose text could not be read, and how many each has. */
  unread: string | null;
  workflows: number;
  enabled: number;
  held: number;
  /** The newest of those that a tool holds. */
  held_id: string | null;
  /** The workflow that is enabled most easily, its campaign and that one's state; without a workflow the newest campaign. */
  workflow_id: string | null;
  campaign_id: string | null;
  campaign_state: string | null;
  leads: number;
  claimed: boolean;
  due_at: number | null;
  /** Real time since `due_at` was set, ms. */
  woken_ms: number | null;
  balance: number;
  /** Leads wait for credits. */
  poor: boolean;
  dead: number;
  pending: number;
  oldest_review: number | null;
}

/**
 * Everything that can stop a whole workspace, first blocker first.
 * @param freeze whether sending is frozen, where that is asked for less than the workspace
 */
export async function workspaceChecks(context: CheckContext, freeze?: Check): Promise<Check[]> {
  const { now, workspaceId } = context;
  const facts = await readFacts(context);
  if (!facts) throw new UserError('The workspace was deleted. Call svc_whoami.', 'NotFound');
  return [
    runningCheck(facts, workspaceId),
    freeze ?? (await freezeCheck(context)),
    facts.accounts === 0
      ? fail('accounts_linked', 'No network account is linked to this workspace.', 'svc_admin_link_account', {
          action: 'register',
          accountKind: 'network',
          workspaceId,
        })
      : pass('accounts_linked', `${facts.accounts} network accounts are linked.`),
    facts.healthy === 0
      ? accountsIll(facts, workspaceId)
      : pass('accounts_healthy', `${facts.healthy} of ${facts.accounts} accounts can act.${unreadNote(facts)}`),
    facts.leads === 0
      ? fail('leads_present', 'The workspace has no leads of its own.', 'svc_import_leads_csv', { workspaceId })
      : pass('leads_present', 'Leads are there.'),
    ...flowChecks(facts, workspaceId),
    executorCheck(facts, { now, workspaceId }),
    facts.pending > 0
      ? fail(
          'reviews',
          `${facts.pending} drafts wait for a person${expiryOf(facts.oldest_review)}.`,
          'svc_list_review_items',
          { workspaceId },
        )
      : pass('reviews', 'No draft waits for a person.'),
    facts.dead > 0
      ? fail(
          'dead_letters',
          `${facts.dead} actions have an outcome that could not be found out.`,
          'svc_admin_list_dead_letters',
          { workspaceId },
        )
      : pass('dead_letters', 'Every action has a known outcome.'),
    facts.poor
      ? fail(
          'credits',
          facts.balance > 0
            ? `${facts.balance} credits are left, fewer than leads wait for; a platform admin grants them.`
            : 'No credits are left, and leads wait for some; a platform admin grants them.',
          'svc_admin_adjust_credits',
          { workspaceId },
        )
      : pass('credits', `${facts.balance} credits.`),
  ];
}

/** What there is to run, in the order in which it is made: a campaign, a workflow of it, and that it is enabled. */
function flowChecks(facts: Facts, workspaceId: string): Check[] {
  const { campaign_id: campaignId, campaign_state: state, workflow_id: workflowId, held_id: heldId } = facts;
  const enable = 'svc_update_workflow_status';
  const present =
    facts.workflows > 0
      ? pass('workflows_present', `${facts.workflows} workflows exist.`)
      : campaignId === null
        ? fail('workflows_present', 'There is no workflow yet, and no campaign to have one.', 'svc_create_campaign', {
            workspaceId,
          })
        : fail('workflows_present', 'There is no workflow yet.', 'svc_create_workflow', { campaignId });
  const startable = state === 'draft' || state === 'active';
  const enabled =
    facts.workflows === 0 || facts.enabled > 0
      ? pass('workflows_enabled', `${facts.enabled} workflows are enabled.`)
      : startable || state === null
        ? fail('workflows_enabled', 'No workflow is enabled.', enable, { workflowId, enabled: true })
        : fail(
            'workflows_enabled',
            `No workflow is enabled, and campaign ${campaignId}, which has one, is ${state}.`,
            'svc_update_campaign',
            { campaignId, ...activationOf(state) },
          );
  const held =
    facts.held > 0
      ? fail('holds', `${facts.held} workflows are stopped by a tool although their resource says enabled.`, enable, {
          workflowId: heldId,
          enabled: true,
        })
      : pass('holds', 'Nothing is held.');
  return [present, enabled, held];
}

function expiryOf(at: number | null): string {
  return at === null ? '' : `, the first stops at ${iso(at)} if nobody decides`;
}

function runningCheck({ operating_mode: mode, hold }: Facts, workspaceId: string): Check {
  if (mode !== 'Running')
    return fail(
      'workspace_running',
      'The workspace is suspended; nothing acts until a platform admin sets it to active.',
      'svc_admin_update_workspace',
      { workspaceId, status: 'active', reason: 'Its suspension is over' },
    );
  if (hold === null) return pass('workspace_running', 'The workspace runs.');
  return fail(
    'workspace_running',
    `The workspace is held (${hold}); nothing acts until the annotation outrider.dev/release-hold of its resource releases it.`,
    'svc_get_workspace',
    { workspaceId },
  );
}

/** It stops nobody: who wrote is left alone where the head of the mail could be read. */
function unreadNote({ unread }: Pick<Facts, 'unread'>): string {
  if (unread === null) return '';
  return ` Mails that could not be read lie in mailboxes (${unread}): \`outrider mailbox unread <address>\` lists them; look at them there.`;
}

/** No tool mends a mailbox: the text names the command, and the tool a network account beside it. */
function accountsIll(
  { paused, paused_mailboxes: mailboxes, network, ill, unread, paused_id: pausedId, ill_id: illId }: Facts,
  workspaceId: string,
): Check {
  const how = ' An operator resumes a paused mailbox by `outrider mailbox connect <address> --resume`.';
  const resume = `${mailboxes > 0 ? how : ''}${unreadNote({ unread })}`;
  if (paused > 0) {
    const text = `${paused} accounts are paused, the others are not connected (${ill}).${resume}`;
    const input = { networkAccountId: pausedId, paused: false };
    return fail('accounts_healthy', text, 'svc_update_network_account_settings', input);
  }
  if (network > 0)
    return fail(
      'accounts_healthy',
      `No linked network account is connected (${ill}).${resume}`,
      'svc_get_network_account_health',
      { networkAccountId: illId },
    );
  const text =
    ill === null
      ? 'No account is there that could act.'
      : `No mailbox can send (${ill}), and no network account is linked.${resume}`;
  return fail('accounts_healthy', text, 'svc_admin_link_account', {
    action: 'register',
    accountKind: 'network',
    workspaceId,
  });
}

/** Work that is overdue by more than this without an executor is a fault worth showing (product ms, or real ms where it was due at once). */
const LATE_MS = 120_000;

function executorCheck(
  { claimed, due_at: due, woken_ms: woken }: Facts,
  { now, workspaceId }: { now: number; workspaceId: string },
): Check {
  if (claimed) return pass('executor', 'The executor runs.');
  if (due === null) return pass('executor', 'Nothing is due; the executor sleeps.');
  if (due > now) return pass('executor', `The executor sleeps until ${iso(due)}.`);
  const late = due > 0 ? due < now - LATE_MS : (woken ?? 0) > LATE_MS;
  if (!late) return pass('executor', 'Work has just become due; the executor starts.');
  return fail(
    'executor',
    `Work is due${due > 0 ? ` since ${iso(due)}` : ''} and no executor runs. Look at the workspace's Pod.`,
    'svc_get_workspace',
    { workspaceId },
  );
}

/** Who has as many credits waits for none: what is dearest costs no more. */
const DEAREST = Math.max(...Object.values(CREDIT_PRICES).map((price) => price.credits));

async function readFacts({ tx, workspaceId, now }: CheckContext): Promise<Facts | undefined> {
  return tx.row<Facts>(
    `select
       w.operating_mode,
       (select h.reason from hold h where h.kind = 'workspace' and h.id = w.id) as hold,
       (select count(*) from account_link l where l.workspace_id = w.id)::int as accounts,
       (
         select count(*)
         from account_link l
         join network_account a on a.id = l.account_id
         where l.workspace_id = w.id and a.status = 'ok' and not a.paused and not l.paused
       )::int as healthy,
       (
         select count(*)
         from account_link l
         join network_account a on a.id = l.account_id
         where l.workspace_id = w.id
           and a.kind = 'network'
           and a.status = 'ok'
           and (a.paused or l.paused)
       )::int as paused,
       (
         select count(*)
         from account_link l
         join network_account a on a.id = l.account_id
         where l.workspace_id = w.id and a.kind = 'network'
       )::int as network,
       (
         select min(a.id)
         from account_link l
         join network_account a on a.id = l.account_id
         where l.workspace_id = w.id and a.kind = 'network' and a.status = 'ok' and a.paused
       ) as paused_id,
       (
         select min(a.id)
         from account_link l
         join network_account a on a.id = l.account_id
         where l.workspace_id = w.id and a.kind = 'network' and a.status <> 'ok'
       ) as ill_id,
       (
         select count(*)
         from account_link l
         join network_account a on a.id = l.account_id
         where l.workspace_id = w.id and a.kind = 'mail' and (a.paused or l.paused)
       )::int as paused_mailboxes,
       (
         select string_agg(x.id || ' ' || x.state, ', ')
         from (
           select
             a.id,
             case
               when a.paused or l.paused then 'paused' || coalesce(': ' || nullif(m.pause_reason, ''), '')
               else a.status
             end as state
           from account_link l
           join network_account a on a.id = l.account_id
           left join mailbox m on m.account_id = a.id
           where l.workspace_id = w.id and (a.status <> 'ok' or a.paused or l.paused)
           order by a.id limit 3
         ) x
       ) as ill,
       (
         select string_agg(x.address || ' ' || x.mails, ', ')
         from (
           select m.address, count(*) as mails
           from account_link l
           join mailbox m on m.account_id = l.account_id
           join unread_mail u on u.account_id = l.account_id
           where l.workspace_id = w.id and u.at > $2 - 30 * 86400000::bigint
           group by m.address
           order by m.address limit 3
         ) x
       ) as unread,
       (select count(*) from workflow f where f.workspace_id = w.id and f.deleted_at is null)::int as workflows,
       (
         select count(*)
         from workflow f
         where f.workspace_id = w.id and f.deleted_at is null and f.enabled
       )::int as enabled,
       (
         select count(*)
         from hold h
         join workflow f on f.id = h.id
         where h.kind = 'workflow' and h.workspace_id = w.id and f.enabled
       )::int as held,
       (
         select h.id
         from hold h
         join workflow f on f.id = h.id
         where h.kind = 'workflow' and h.workspace_id = w.id and f.enabled
         order by h.created_at desc, h.id limit 1
       ) as held_id,
       p.workflow_id,
       p.campaign_id,
       p.campaign_state,
       (select count(*) from (select 1 from lead l where l.workspace_id = w.id limit 1) x)::int as leads,
       coalesce(
         (select c.expires_at > clock_timestamp() from claim c where c.kind = 'workspace' and c.key = w.id),
         false
       ) as claimed,
       (select k.due_at from workspace_wake k where k.workspace_id = w.id) as due_at,
       (
         select extract(epoch from clock_timestamp() - k.woken_at)::float8 * 1000
         from workspace_wake k
         where k.workspace_id = w.id
       ) as woken_ms,
       coalesce((select b.balance - b.held from credit_balance b where b.workspace_id = w.id), 0) as balance,
       case
         when coalesce((select b.balance - b.held from credit_balance b where b.workspace_id = w.id), 0) < $3
           then exists (
             select 1
             from run r
             where r.workspace_id = w.id and r.wait_reason = 'credits' and r.ended_at is null
           )
         else false
       end as poor,
       (select count(*) from send s where s.workspace_id = w.id and s.dead_letter_state = 'open')::int + (
         select count(*)
         from node_call c
         where c.workspace_id = w.id and c.dead_letter_state = 'open'
       )::int as dead,
       (
         select count(*)
         from review_item r
         where r.workspace_id = w.id and r.state = 'pending' and r.expires_at > $2
       )::int as pending,
       (
         select min(r.expires_at)
         from review_item r
         where r.workspace_id = w.id and r.state = 'pending' and r.expires_at > $2 and r.expires_at < $4
       ) as oldest_review
     from workspace w
     left join lateral (
       select f.id as workflow_id, c.id as campaign_id, c.state as campaign_state
       from campaign c
       left join workflow f on f.campaign_id = c.id and f.deleted_at is null and f.graph_version > 0
       where c.workspace_id = w.id and c.deleted_at is null
       order by
         f.id is null, c.state in ('draft', 'active') desc, c.state = 'archived', f.created_at desc, c.created_at desc,
         c.id
       limit 1
     ) p on true
     where w.id = $1 and w.deleted_at is null`,
    [workspaceId, now, DEAREST, NEVER_EXPIRES],
  );
}
