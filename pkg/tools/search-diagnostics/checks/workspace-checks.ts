import { UserError } from '../../../base/errors.ts';
import { CREDIT_PRICES } from '../../../domain/credits.ts';
import { iso } from '../../times.ts';
import { type Check, type CheckContext, fail, pass } from './check.ts';
import { freezeText } from './freeze-text.ts';

interface Facts {
  operating_mode: string;
  /** Why the workspace is held, whatever its mode. */
  hold: string | null;
  freeze: { scope: string; channel: string; reason: string; until: number | null } | null;
  accounts: number;
  healthy: number;
  /** Linked accounts of the network; mailboxes are not among them. */
  network: number;
  /** Of them: connected, and paused by somebody. */
  paused: number;
  /** Linked mailboxes that are paused. */
  paused_mailboxes: number;
  /** The first accounts that can't act, each with its state. */
  ill: string | null;
  /** The first mailboxes with mails of the last 30 days whose text could not be read, and how many each has. */
  unread: string | null;
  workflows: number;
  enabled: number;
  held: number;
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

/** Everything that can stop a whole workspace, first blocker first. */
export async function workspaceChecks(context: CheckContext): Promise<Check[]> {
  const { now } = context;
  const facts = await readFacts(context);
  if (!facts) throw new UserError('The workspace was deleted. Call svc_whoami.', 'NotFound');
  return [
    runningCheck(facts),
    facts.freeze === null
      ? pass('send_freeze', 'No send freeze is in force.')
      : fail('send_freeze', freezeText(facts.freeze), 'svc_admin_set_send_freeze'),
    facts.accounts === 0
      ? fail('accounts_linked', 'No network account is linked to this workspace.', 'svc_admin_link_account')
      : pass('accounts_linked', `${facts.accounts} network accounts are linked.`),
    facts.healthy === 0
      ? accountsIll(facts)
      : pass('accounts_healthy', `${facts.healthy} of ${facts.accounts} accounts can act.${unreadNote(facts)}`),
    facts.leads === 0
      ? fail('leads_present', 'The workspace has no leads of its own.', 'svc_import_leads_csv')
      : pass('leads_present', 'Leads are there.'),
    facts.workflows === 0
      ? fail('workflows_present', 'There is no workflow yet.', 'svc_create_workflow')
      : pass('workflows_present', `${facts.workflows} workflows exist.`),
    facts.workflows > 0 && facts.enabled === 0
      ? fail('workflows_enabled', 'No workflow is enabled.', 'svc_update_workflow_status')
      : pass('workflows_enabled', `${facts.enabled} workflows are enabled.`),
    facts.held > 0
      ? fail(
          'holds',
          `${facts.held} workflows are stopped by a tool although their resource says enabled.`,
          'svc_update_workflow_status',
        )
      : pass('holds', 'Nothing is held.'),
    executorCheck(facts, now),
    facts.pending > 0
      ? fail(
          'reviews',
          `${facts.pending} drafts wait for a person, the first expires ${iso(facts.oldest_review ?? now)}.`,
          'svc_list_review_items',
        )
      : pass('reviews', 'No draft waits for a person.'),
    facts.dead > 0
      ? fail(
          'dead_letters',
          `${facts.dead} actions have an outcome that could not be found out.`,
          'svc_admin_list_dead_letters',
        )
      : pass('dead_letters', 'Every action has a known outcome.'),
    facts.poor
      ? fail(
          'credits',
          facts.balance > 0
            ? `${facts.balance} credits are left, fewer than leads wait for; a platform admin grants them.`
            : 'No credits are left, and leads wait for some; a platform admin grants them.',
          'svc_admin_adjust_credits',
        )
      : pass('credits', `${facts.balance} credits.`),
  ];
}

function runningCheck({ operating_mode: mode, hold }: Facts): Check {
  if (mode !== 'Running')
    return fail(
      'workspace_running',
      'The workspace is suspended; nothing acts until a platform admin sets it to active.',
      'svc_admin_update_workspace',
    );
  if (hold === null) return pass('workspace_running', 'The workspace runs.');
  return fail(
    'workspace_running',
    `The workspace is held (${hold}); nothing acts until the annotation outrider.dev/release-hold of its resource releases it.`,
    'svc_get_workspace',
  );
}

/** It stops nobody: who wrote is left alone where the head of the mail could be read. */
function unreadNote({ unread }: Pick<Facts, 'unread'>): string {
  if (unread === null) return '';
  return ` Mails that could not be read lie in mailboxes (${unread}): \`outrider mailbox unread <address>\` lists them; look at them there.`;
}

/** No tool mends a mailbox: the text names the command, and the tool a network account beside it. */
function accountsIll({ paused, paused_mailboxes: mailboxes, network, ill, unread }: Facts): Check {
  const how = ' An operator resumes a paused mailbox by `outrider mailbox connect <address> --resume`.';
  const resume = `${mailboxes > 0 ? how : ''}${unreadNote({ unread })}`;
  if (paused > 0) {
    const text = `${paused} accounts are paused, the others are not connected (${ill}).${resume}`;
    return fail('accounts_healthy', text, 'svc_update_network_account_settings');
  }
  if (network > 0)
    return fail(
      'accounts_healthy',
      `No linked network account is connected (${ill}).${resume}`,
      'svc_get_network_account_health',
    );
  const text =
    ill === null
      ? 'No account is there that could act.'
      : `No mailbox can send (${ill}), and no network account is linked.${resume}`;
  return fail('accounts_healthy', text, 'svc_admin_link_account');
}

/** Work that is overdue by more than this without an executor is a fault worth showing (product ms, or real ms where it was due at once). */
const LATE_MS = 120_000;

function executorCheck({ claimed, due_at: due, woken_ms: woken }: Facts, now: number): Check {
  if (claimed) return pass('executor', 'The executor runs.');
  if (due === null) return pass('executor', 'Nothing is due; the executor sleeps.');
  if (due > now) return pass('executor', `The executor sleeps until ${iso(due)}.`);
  const late = due > 0 ? due < now - LATE_MS : (woken ?? 0) > LATE_MS;
  if (!late) return pass('executor', 'Work has just become due; the executor starts.');
  return fail(
    'executor',
    `Work is due${due > 0 ? ` since ${iso(due)}` : ''} and no executor runs. Look at the workspace's Pod.`,
    'svc_get_workspace',
  );
}

/** Who has as many credits waits for none: what is dearest costs no more. */
const DEAREST = Math.max(...Object.values(CREDIT_PRICES).map((price) => price.credits));

async function readFacts({ tx, workspaceId, now, channels }: CheckContext): Promise<Facts | undefined> {
  return tx.row<Facts>(
    `select
       w.operating_mode,
       (
         select jsonb_build_object('scope', f.scope, 'channel', f.channel, 'reason', f.reason, 'until', f.until)
         from send_freeze f
         where (f.scope = 'platform' or (f.scope = 'workspace' and f.target = w.id))
           and (f.until is null or f.until > $2)
           and ($4::text[] is null or f.channel = any ($4))
         order by f.until desc nulls first, f.since limit 1
       ) as freeze,
       (select h.reason from hold h where h.kind = 'workspace' and h.id = w.id) as hold,
       (select count(*) from account_link l where l.workspace_id = w.id)::int as accounts,
       (
         select count(*)
         from account_link l
         join network_account a on a.id = l.account_id
         where l.workspace_id = w.id and a.status = 'ok' and not a.paused
       )::int as healthy,
       (
         select count(*)
         from account_link l
         join network_account a on a.id = l.account_id
         where l.workspace_id = w.id
           and a.kind = 'network'
           and a.status = 'ok'
           and a.paused
       )::int as paused,
       (
         select count(*)
         from account_link l
         join network_account a on a.id = l.account_id
         where l.workspace_id = w.id and a.kind = 'network'
       )::int as network,
       (
         select count(*)
         from account_link l
         join network_account a on a.id = l.account_id
         where l.workspace_id = w.id and a.kind = 'mail' and a.paused
       )::int as paused_mailboxes,
       (
         select string_agg(x.id || ' ' || x.state, ', ')
         from (
           select
             a.id,
             case
               when a.paused then 'paused' || coalesce(': ' || nullif(m.pause_reason, ''), '')
               else a.status
             end as state
           from account_link l
           join network_account a on a.id = l.account_id
           left join mailbox m on m.account_id = a.id
           where l.workspace_id = w.id and (a.status <> 'ok' or a.paused)
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
         where r.workspace_id = w.id and r.state = 'pending' and r.expires_at > $2
       ) as oldest_review
     from workspace w
     where w.id = $1 and w.deleted_at is null`,
    [workspaceId, now, DEAREST, channels ?? null],
  );
}
