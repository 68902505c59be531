import { type Cause, type Check, type CheckContext, fail, pass } from './check.ts';
import { freezeText } from './freeze-text.ts';

/** A freeze that is in force. */
export interface Freeze {
  scope: 'platform' | 'workspace' | 'account';
  target: string;
  channel: string;
  reason: string;
  until: number | null;
}

/** Accounts of a workspace that are looked at. */
const MOST_SENDERS = 1_000;

/**
 * Freezes in force, the longest first: of the platform, the workspace and these accounts.
 * @param channels whose freezes count, '' for those of all; null: every freeze does
 */
export function readFreezes(
  { tx, workspaceId, now }: Pick<CheckContext, 'tx' | 'workspaceId' | 'now'>,
  accountIds: readonly string[],
  channels: readonly string[] | null,
): Promise<Freeze[]> {
  return tx.rows<Freeze>(
    `select scope, target, channel, reason, until
     from send_freeze
     where (until is null or until > $3)
       and ($4::text[] is null or channel = any ($4))
       and (
         scope = 'platform'
         or (scope = 'workspace' and target = $1)
         or (scope = 'account' and target = any ($2::text[]))
       )
     order by until desc nulls first, since, id limit ${MOST_SENDERS}`,
    [workspaceId, accountIds, now, channels],
  );
}

/** What releases a freeze, and which. */
export function freezeCauseOf(freeze: Freeze): Cause {
  const { scope, target, channel } = freeze;
  const whose = scope === 'workspace' ? { workspaceId: target } : scope === 'account' ? { accountId: target } : {};
  const which = channel === '' ? {} : { channel };
  const input = { frozen: false, ...whose, ...which, reason: 'Its cause is over' };
  return { text: freezeText(freeze), tool: 'svc_admin_set_send_freeze', input };
}

/** Whose freezes a check asks for. */
export interface FreezeScope {
  /** The senders are those of this workflow; absent: all that are linked to the workspace. */
  workflowId?: string | undefined;
  /** One sender: its freezes bind all. */
  accountId?: string | undefined;
  /** Nobody sends through accounts. */
  noSenders?: true;
}

/** Whether sending is frozen: for everybody, for the workspace, or for each account that could send. */
export async function freezeCheck(context: CheckContext, scope: FreezeScope = {}): Promise<Check> {
  const senders = scope.accountId === undefined ? await sendersOf(context, scope) : [];
  const ids = scope.accountId === undefined ? senders.map(({ id }) => id) : [scope.accountId];
  const freezes = await readFreezes(context, ids, context.channels ?? null);
  const whole = freezes.find((freeze) => freeze.scope !== 'account' || scope.accountId !== undefined);
  const found = whole ?? frozenSenders(senders, freezes);
  if (found) {
    const { text, tool, input } = freezeCauseOf(found);
    return fail('send_freeze', text, tool, input);
  }
  const some = senders.filter(({ id, kind }) => freezeOf(id, kind, freezes));
  if (some.length === 0) return pass('send_freeze', 'No send freeze is in force.');
  return pass(
    'send_freeze',
    `${some.length} of ${senders.length} accounts are frozen (${some[0]?.id}); the others send.`,
  );
}

interface Sender {
  id: string;
  kind: string;
}

function freezeOf(id: string, kind: string, freezes: readonly Freeze[]): Freeze | undefined {
  return freezes.find(({ target, channel }) => target === id && (channel === '' || channel === kind));
}

/** The freeze of an account of a kind of which each account is frozen. */
function frozenSenders(senders: readonly Sender[], freezes: readonly Freeze[]): Freeze | undefined {
  for (const kind of ['network', 'mail']) {
    const found = senders.filter((sender) => sender.kind === kind).map(({ id }) => freezeOf(id, kind, freezes));
    if (found.length > 0 && found.every((freeze) => freeze !== undefined)) return found[0];
  }
  return undefined;
}

/** The accounts that send for a workflow, or for the workspace, of the channels that count. */
function sendersOf(
  { tx, workspaceId, channels }: CheckContext,
  { workflowId, noSenders }: FreezeScope,
): Promise<Sender[]> {
  if (noSenders) return Promise.resolve([]);
  return tx.rows<Sender>(
    `select a.id, a.kind
     from account_link l
     join network_account a on a.id = l.account_id
     left join workflow w on w.id = $2
     where l.workspace_id = $1
       and ($3::text[] is null or a.kind = any ($3))
       and (
         w.id is null
         or case a.kind
           when 'network' then cardinality(w.network_account_ids) = 0 or a.id = any (w.network_account_ids)
           else a.id = any (w.provider_account_ids)
             or not exists (
               select 1
               from account_link k
               join network_account b on b.id = k.account_id
               where k.workspace_id = $1 and b.kind = a.kind and b.id = any (w.provider_account_ids)
             )
         end
       )
     order by a.id limit ${MOST_SENDERS}`,
    [workspaceId, workflowId ?? '', channels ?? null],
  );
}
