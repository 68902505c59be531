import { UserError } from '../../base/errors.ts';
import type { BudgetAction } from '../../domain/actions.ts';
import type { Tx } from '../../postgres/database.ts';
import { notFound, wrongState } from '../errors.ts';
import { accountBudgets } from '../network-accounts/account-budgets.ts';
import { ACCOUNT_COLUMNS, type AccountRow, isPaused, restOf } from '../network-accounts/account-row.ts';

/** Accounts of a workspace that are looked at for one that may act. */
const MOST = 50;

/** Who acts, and what it may still do today and this week of what is asked. */
export interface ActingAccount {
  account: AccountRow;
  remaining: number;
}

/** What is asked of an account. */
export interface ActingRequest {
  workspaceId: string;
  /** The account that the caller names; absent: the first that may act. */
  networkAccountId?: string | undefined;
  /** Accounts that know the person, which come first. */
  preferred?: readonly string[];
  /** Budgets that give a unit each; none for what costs nothing. */
  budgets: readonly BudgetAction[];
  /** Whether one that rests, or is paused, does: it only reads. Absent: it does not. */
  rests?: 'may';
  /** Epoch ms, product time. */
  now: number;
}

/**
 * The account that acts: the one that is named, else the first healthy one of the workspace with budget left. Source: catalog,
 * networkAccountId of the tools of outreach.
 * @throws UserError that says why the named one, or none, may act
 */
export async function actingAccount(tx: Tx, request: ActingRequest): Promise<ActingAccount> {
  const accounts = await linkedAccounts(tx, request);
  let why: UserError | undefined;
  for (const account of accounts) {
    const found = await judge(tx, account, request);
    if (!(found instanceof UserError)) return found;
    why ??= found;
  }
  throw why ?? wrongState('No network account is linked to the workspace', 'svc_list_network_accounts');
}

async function linkedAccounts(tx: Tx, request: ActingRequest): Promise<AccountRow[]> {
  const { workspaceId, networkAccountId, preferred = [] } = request;
  const rows = await tx.rows<AccountRow>(
    `select ${ACCOUNT_COLUMNS}
     where a.kind = 'network'
       and a.id in (select k.account_id from account_link k where k.workspace_id = $1)
       and ($2::text is null or a.id = $2)
     order by a.id = any ($3::text[]) desc, a.created_at, a.id limit ${MOST}`,
    [workspaceId, networkAccountId ?? null, preferred],
  );
  if (rows.length === 0 && networkAccountId !== undefined) throw notFound('networkAccount', networkAccountId);
  return rows;
}

async function judge(tx: Tx, account: AccountRow, request: ActingRequest): Promise<ActingAccount | UserError> {
  const ill = request.rests === 'may' ? statusOf(account) : illnessOf(account, request.now);
  if (ill) return wrongState(`Network account "${account.id}" ${ill}`, 'svc_get_network_account_health');
  const lines = (await accountBudgets(tx, account, request.now)).filter((line) =>
    request.budgets.some((action) => action === line.action),
  );
  const left = lines.map((line) => (line.window === 'day' ? line.workspaceShareRemaining : line.remaining));
  const spent = lines.findIndex((_, index) => (left[index] ?? 0) <= 0);
  const line = lines[spent];
  if (!line) return { account, remaining: Math.min(Number.MAX_SAFE_INTEGER, ...left) };
  return new UserError(
    `The ${line.window === 'day' ? 'daily' : 'weekly'} ${line.action} budget of network account "${account.id}" ` +
      `is used up; it resets at ${line.resetsAt}. Call svc_get_network_account_budgets.`,
    'BudgetUsedUp',
  );
}

function statusOf({ status }: AccountRow): string | null {
  return status === 'ok' ? null : `is ${status.replaceAll('_', ' ')}`;
}

/** Why it does nothing now; null: it may. */
function illnessOf(account: AccountRow, now: number): string | null {
  const status = statusOf(account);
  if (status) return status;
  if (isPaused(account)) return 'is paused';
  return restOf(account, now) ?? (account.health <= 0 ? 'has no health left' : null);
}
