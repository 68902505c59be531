import { type Call, Refusal, type Reply } from './http.ts';
import { readCursor, readLimit, writeCursor } from './listing.ts';
import type { AccountRow, World } from './world.ts';

/** How the provider words that an account may not act; everything else is a session that has ended. */
const MAY_NOT_ACT: Readonly<Record<string, readonly [status: number, type: string]>> = {
  PERMISSIONS: [403, 'account_restricted'],
  CREDENTIALS: [401, 'expired_credentials'],
};

/** The account, if it may act. @throws Refusal when its session has ended or the network restricted it */
export function accountOf(world: World, accountId: string): AccountRow {
  const account = world.account(accountId);
  if (account.status === 'OK') return account;
  const [status, type] = MAY_NOT_ACT[account.status] ?? [401, 'disconnected_account'];
  throw new Refusal(status, type, `the account's status is ${account.status}`);
}

/** `GET accounts` */
export function listAccounts(world: World, call: Call): Reply {
  const limit = readLimit(call);
  const offset = readCursor(call) ?? 0;
  const rows = world.store.all<AccountRow>('select * from account order by id limit ? offset ?', limit + 1, offset);
  const items = rows.slice(0, limit).map(accountItem);
  return {
    status: 200,
    body: { object: 'AccountList', items, cursor: rows.length > limit ? writeCursor(offset + limit) : null },
  };
}

/** `GET accounts/{id}` */
export function getAccount(world: World, call: Call): Reply {
  return { status: 200, body: accountItem(world.account(call.path[1] ?? '')) };
}

function accountItem(account: AccountRow): object {
  return {
    object: 'Account',
    id: account.id,
    type: 'LINKEDIN',
    name: account.id,
    created_at: new Date(account.created_at).toISOString(),
    groups: [],
    signatures: [],
    connection_params: { im: { id: account.id, username: account.id, premiumContractId: null } },
    sources: [{ id: `${account.id}_MESSAGING`, status: account.status }],
  };
}
