import type { Database } from '../../../pkg/postgres/database.ts';
import { type ClaimRequest, type DispatchAnswer, dispatchSends } from '../../../pkg/store/ledger/ledger.ts';
import { addAccount } from './fixtures.ts';
import type { Bench } from './harness.ts';
import { ledgerTools, type Place } from './ledger-tools.ts';

/** Two people whom one account is about to write to. */
export interface LedgerCase {
  at: Place;
  /** A message each, to the two people. */
  one: ClaimRequest;
  other: ClaimRequest;
  account: string;
  /** Runs SQL; `:ws`, `:camp`, `:flow`, `:runs` (an array), `:account`, `:now` stand for those of the case. */
  happen(sql: string): Promise<void>;
  /** The number of rows of a query of that kind. */
  count(sql: string): Promise<number>;
  dispatch(): Promise<DispatchAnswer | undefined>;
}

/** @param settings of the campaign's contact policy */
export async function openCase(
  bench: Bench,
  owner: Database,
  settings: object = {},
  agency: string | null = null,
): Promise<LedgerCase> {
  const { place, runs, request } = ledgerTools(() => bench);
  const at = await place(settings, agency);
  const account = await addAccount(bench.app, [at.ws]);
  const ids = await runs(at, 2);
  const [one, other] = ids.map((id) => request(id, account, 'message'));
  if (!one || !other) throw new Error('nobody was enrolled');
  const named: Record<string, string> = {
    now: String(bench.clock.now()),
    runs: `array['${ids.join("','")}']::uuid[]`,
  };
  for (const [name, id] of Object.entries({ ws: at.ws, camp: at.camp, flow: at.flow, account }))
    named[name] = `'${id}'`;
  const fill = (sql: string): string => sql.replaceAll(/(?<!:):([a-z]+)\b/g, (all, name: string) => named[name] ?? all);
  return {
    at,
    account,
    one,
    other,
    async happen(sql) {
      await owner.tx({ kind: 'none' }, (tx) => tx.exec(fill(sql)));
    },
    async count(sql) {
      return (await owner.tx({ kind: 'none' }, (tx) => tx.rows(fill(sql)))).length;
    },
    async dispatch() {
      return (await at.claim.tx((tx) => dispatchSends(tx, bench.clock.now(), [one.sendId])))[0];
    },
  };
}
