import { expect } from 'chai';
import fc from 'fast-check';
import { systemIds } from '../../../pkg/base/ids.ts';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import {
  expireHolds,
  extendHold,
  grantMonthlyCredits,
  holdCredits,
  moveCredits,
  releaseHold,
  settleHold,
} from '../../../pkg/store/credits/credits.ts';
import { type TestDatabase, testPostgres } from '../../tools/postgres.ts';

const MONTHS = ['2026-01', '2026-02', '2026-03'];
const at = (month: number): number => Date.parse(`${MONTHS[month]}-10T00:00:00Z`);

type Command =
  | { kind: 'grant'; amount: number; key: number }
  | { kind: 'adjust'; amount: number; key: number }
  | { kind: 'hold'; amount: number; key: number; input: number; campaign: number; month: number }
  | { kind: 'settle'; hold: number; part: number }
  | { kind: 'release' | 'age' | 'forget' | 'extend'; hold: number }
  | { kind: 'expire' }
  | { kind: 'month'; month: number }
  | { kind: 'plan'; credits: number }
  | { kind: 'cap'; campaign: number; credits: number };

const small = (most: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: most });
const kindOf = <K extends Command['kind']>(kind: K): { kind: fc.Arbitrary<K> } => ({ kind: fc.constant(kind) });
const which = { hold: small(5) };
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ ...kindOf('grant'), amount: fc.integer({ min: 1, max: 12 }), key: small(5) }),
  fc.record({ ...kindOf('adjust'), amount: fc.integer({ min: -12, max: -1 }), key: small(5) }),
  {
    weight: 6,
    arbitrary: fc.record({
      ...kindOf('hold'),
      amount: small(8),
      key: small(4),
      input: small(1),
      campaign: small(2),
      month: small(2),
    }),
  },
  { weight: 4, arbitrary: fc.record({ ...kindOf('settle'), ...which, part: small(9) }) },
  { weight: 2, arbitrary: fc.record({ ...kindOf('release'), ...which }) },
  { weight: 2, arbitrary: fc.record({ ...kindOf('age'), ...which }) },
  fc.record({ ...kindOf('forget'), ...which }),
  fc.record({ ...kindOf('extend'), ...which }),
  fc.record(kindOf('expire')),
  fc.record({ ...kindOf('month'), month: small(2) }),
  fc.record({ ...kindOf('plan'), credits: small(20) }),
  fc.record({ ...kindOf('cap'), campaign: small(1), credits: small(15) }),
);

interface Hold {
  id: string;
  amount: number;
  state: 'held' | 'settled' | 'released' | 'expired';
  settled: number;
  key: string | null;
  input: string;
  campaign: number;
  /** Its time is over, and nobody has looked yet. */
  aged: boolean;
  /** It was made more than seven days ago. */
  old: boolean;
}

/** What the ledger of one workspace should say, in as few words as can be. */
class Model {
  balance = 0;
  monthly = 0;
  readonly caps = [0, 0];
  readonly holds: Hold[] = [];
  readonly moves = new Map<string, number>();
  readonly granted = new Set<number>();

  get held(): number {
    return this.holds.reduce((sum, hold) => sum + (hold.state === 'held' ? hold.amount : 0), 0);
  }

  used(campaign: number): number {
    const own = this.holds.filter((hold) => hold.campaign === campaign);
    const spent = (hold: Hold): number => (hold.state === 'held' ? hold.amount : hold.settled);
    return own.reduce((sum, hold) => sum + spent(hold), 0);
  }

  move(amount: number, key: string): string {
    if (this.moves.has(key)) return 'seen';
    if (this.balance + amount < this.held) return 'short';
    this.moves.set(key, amount);
    this.balance += amount;
    return 'moved';
  }

  expire(): number {
    const over = this.holds.filter((hold) => hold.state === 'held' && hold.aged);
    for (const hold of over) hold.state = 'expired';
    return over.length;
  }

  month(month: number): number {
    if (this.monthly === 0 || this.granted.has(month)) return 0;
    this.granted.add(month);
    this.balance += this.monthly;
    return this.monthly;
  }

  hold(id: string, { amount, key, input, campaign, month }: Extract<Command, { kind: 'hold' }>): string {
    this.expire();
    this.month(month);
    // The key of what ended is remembered for seven days.
    for (const hold of this.holds) if (hold.old && hold.state !== 'held' && hold.key === `k${key}`) hold.key = null;
    const same = this.holds.filter((hold) => hold.key === `k${key}`);
    const living = same.find((hold) => hold.state === 'held' || hold.state === 'settled');
    const seen = living ?? same.at(-1);
    if (seen && seen.input !== `i${input}`) return 'mismatch';
    if (living) return `seen ${living.state} ${living.settled}`;
    if (campaign < 2) {
      const cap = this.caps[campaign] ?? 0;
      if (cap > 0 && this.used(campaign) + amount > cap) return `over_budget ${Math.max(0, cap - this.used(campaign))}`;
    }
    const available = this.balance - this.held;
    if (amount > available) return `short ${available}`;
    const made = { id, amount, state: 'held', settled: 0, campaign } as const;
    this.holds.push({ ...made, key: `k${key}`, input: `i${input}`, aged: false, old: false });
    return `held ${available - amount}`;
  }

  settle(hold: Hold, part: number): string {
    if (hold.state === 'settled') return hold.settled === part ? 'seen' : 'fault';
    if (hold.state !== 'held') return hold.state;
    if (part > hold.amount) return 'fault';
    hold.state = 'settled';
    hold.settled = part;
    this.balance -= part;
    return 'settled';
  }
}

describe('credit ledger against a model', function () {
  this.timeout(120_000);
  let urls: TestDatabase;
  let app: Database;
  let owner: Database;
  let count = 0;

  before(async () => {
    urls = await (await testPostgres()).product();
    app = new Database({ url: urls.appUrl, max: 8, applicationName: 'test', prepare: true });
    owner = new Database({ url: urls.superuserUrl, max: 1, applicationName: 'test' });
  });
  after(async () => {
    await app.close();
    await owner.close();
  });

  const platform = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => app.tx({ kind: 'platform' }, work);

  /** A new workspace with two campaigns. */
  const made = async (): Promise<string> => {
    const id = `ws-model-${++count}`;
    await platform(async (tx) => {
      await tx.exec(`insert into workspace (id, uid, name, created_at, updated_at) values ($1, $1, $1, 1, 1)`, [id]);
      await tx.exec(
        `insert into campaign (id, workspace_id, uid, title, created_at, updated_at) select $1 || '-' || n, $1, $1 || n, 'C', 1, 1 from generate_series(0, 1) n`,
        [id],
      );
    });
    return id;
  };

  const real = async (ws: string, step: Command, hold: Hold | undefined, id: string): Promise<string> => {
    const own = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => app.tx({ kind: 'workspaces', ids: [ws] }, work);
    const onHold = (sql: string): Promise<unknown> => owner.pool.query(sql, [hold?.id]);
    switch (step.kind) {
      case 'grant':
      case 'adjust': {
        const { kind, amount } = step;
        const why = { reason: 'r', tool: 't', keyPrefix: null, idempotencyKey: `${kind}${step.key}`, now: at(0) };
        return (await platform((tx) => moveCredits(tx, { workspaceId: ws, kind, amount, ...why }))).kind;
      }
      case 'hold': {
        const { amount, key, input, campaign, month } = step;
        const of = campaign < 2 ? { campaignId: `${ws}-${campaign}` } : {};
        const what = {
          id,
          workspaceId: ws,
          amount,
          action: 'ai_craft',
          idempotencyKey: `k${key}`,
          inputHash: `i${input}`,
        };
        const said = await own((tx) => holdCredits(tx, { ...what, ...of, now: at(month) }));
        if (said.kind === 'seen') return `seen ${said.state} ${said.settled}`;
        return said.kind === 'mismatch' ? 'mismatch' : `${said.kind} ${said.available}`;
      }
      case 'settle':
        return own((tx) => settleHold(tx, hold?.id ?? '', step.part, at(0))).catch(() => 'fault');
      case 'release':
        return own((tx) => releaseHold(tx, hold?.id ?? '', at(0), 'r')).then(() => '');
      case 'extend':
        return String(await own((tx) => extendHold(tx, hold?.id ?? '')));
      case 'age':
        await onHold(
          `update outrider.credit_hold set expires_at = clock_timestamp() - interval '1 second' where id = $1`,
        );
        return '';
      case 'forget':
        await onHold(`update outrider.credit_hold set held_at = clock_timestamp() - interval '8 days' where id = $1`);
        return '';
      case 'expire':
        return String(await own((tx) => expireHolds(tx, ws, at(0))));
      case 'month':
        await platform((tx) => grantMonthlyCredits(tx, at(step.month)));
        return '';
      case 'plan':
        await platform((tx) =>
          tx.exec(`update workspace set limits = jsonb_build_object('monthlyCredits', $2::int) where id = $1`, [
            ws,
            step.credits,
          ]),
        );
        return '';
      case 'cap':
        await platform((tx) =>
          tx.exec(`update campaign set settings = jsonb_build_object('creditBudget', $2::int) where id = $1`, [
            `${ws}-${step.campaign}`,
            step.credits,
          ]),
        );
        return '';
    }
  };

  const modelled = (model: Model, step: Command, hold: Hold | undefined, id: string): string => {
    switch (step.kind) {
      case 'grant':
      case 'adjust':
        return model.move(step.amount, `${step.kind}${step.key}`);
      case 'hold':
        return model.hold(id, step);
      case 'expire':
        return String(model.expire());
      case 'month':
        model.month(step.month);
        return '';
      case 'plan':
        model.monthly = step.credits;
        return '';
      case 'cap':
        model.caps[step.campaign] = step.credits;
        return '';
      default:
    }
    if (!hold) return '';
    switch (step.kind) {
      case 'settle':
        return model.settle(hold, step.part);
      case 'release':
        if (hold.state === 'held') hold.state = 'released';
        return '';
      case 'extend':
        return String(hold.state === 'held' && !hold.aged);
      case 'age':
        hold.aged = true;
        return '';
      case 'forget':
        hold.old = true;
        return '';
    }
  };

  const playBoth = async (ws: string, model: Model, steps: readonly Command[]): Promise<void> => {
    for (const step of steps) {
      const hold = 'hold' in step ? model.holds.at(-1 - step.hold) : undefined;
      if ('hold' in step && !hold) continue;
      const id = systemIds.uuid();
      const wanted = modelled(model, step, hold, id);
      expect(await real(ws, step, hold, id), JSON.stringify(step)).to.equal(wanted);
    }
  };

  it('says and leaves after any calls what a few lines of arithmetic say', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 60 }), async (steps) => {
        const ws = await made();
        const model = new Model();
        await playBoth(ws, model, steps);
        const row = await platform((tx) =>
          tx.row<{ balance: number; held: number }>(
            'select balance, held from credit_balance where workspace_id = $1',
            [ws],
          ),
        );
        expect([row?.balance ?? 0, row?.held ?? 0]).to.deep.equal([model.balance, model.held]);
        expect(await usedBy(ws)).to.deep.equal([model.used(0), model.used(1)]);
      }),
      { numRuns: 60 },
    );
  });

  const usedBy = async (ws: string): Promise<number[]> => {
    const { rows } = await owner.pool.query<{ used: number }>(
      `select coalesce((select used from outrider.campaign_credit k where k.campaign_id = $1 || '-' || n), 0) as used from generate_series(0, 1) n order by n`,
      [ws],
    );
    return rows.map((row) => row.used);
  };

  it('never spends more than was granted, whatever runs at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 60 }), async (steps) => {
        const ws = await made();
        const ids: string[] = [];
        await Promise.all(
          steps.map(async (step) => {
            const id = systemIds.uuid();
            if (step.kind === 'hold') ids.push(id);
            const target = 'hold' in step ? ids.at(-1 - step.hold) : undefined;
            if ('hold' in step && !target) return;
            // A hold that was refused is none: nobody may act on it.
            await real(ws, step, { id: target } as Hold, id).catch((error: { code?: string }) => {
              if (error.code !== '42501') throw error;
            });
          }),
        );
        const sums = await owner.pool.query<{ granted: number; spent: number; balance: number }>(
          `select coalesce(sum(amount) filter (where kind in ('grant', 'adjust')), 0) as granted,
             (select coalesce(sum(settled - refunded), 0) from outrider.credit_hold h where h.workspace_id = $1) as spent,
             coalesce((select balance from outrider.credit_balance b where b.workspace_id = $1), 0) as balance
           from outrider.credit_entry where workspace_id = $1`,
          [ws],
        );
        const { granted = 0, spent = 0, balance = 0 } = sums.rows[0] ?? {};
        expect(Number(balance)).to.equal(Number(granted) - Number(spent));
      }),
      { numRuns: 15 },
    );
  });
});
