import { expect } from 'chai';
import { ACTIONS, BUDGET_ACTIONS } from '../../../pkg/domain/actions.ts';
import { effectiveLimit, rampFactor } from '../../../pkg/domain/budget.ts';
import { ACCOUNT_TIERS } from '../../../pkg/domain/vocabulary.ts';
import { dispatchSends, recoverSends, settleSends } from '../../../pkg/store/ledger/ledger.ts';
import { type Bench, change, enrol, openBench, query, takeLease } from '../../fixtures/engine/harness.ts';
import { type LedgerWorkflow, ledgerTools } from '../../fixtures/engine/ledger-tools.ts';
import { addAccount, addLead } from '../../fixtures/engine/rows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('send ledger', function () {
  this.timeout(120_000);
  let bench: Bench;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  const { workflowFixture, runs, request, claim, claimPaced, used } = ledgerTools(() => bench);

  /** When 30 sends would go out, one after the other, as soon as pacing allows. */
  async function sendTimes(at: LedgerWorkflow, account: string, action: string, from: number): Promise<number[]> {
    const times: number[] = [];
    let now = from;
    for (const id of await runs(at, 30)) {
      for (;;) {
        const [answer] = await claim(at, [request(id, account, action)], now);
        if (answer?.granted) break;
        now = answer?.nextAt ?? now + MINUTE;
      }
      times.push(now);
    }
    return times;
  }

  it('a budget of 10 with 50 parallel claimers gives 10', async () => {
    const at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws], { limits: { profile_view: { day: 10 } } });
    const waiting = await runs(at, 50);
    let now = bench.clock.now();
    let granted = 0;
    for (let round = 0; round < 12; round++) {
      // All claim at the same moment, as many at once as there are connections; pacing lets one through.
      const left = waiting.values();
      const claimer = async (): Promise<void> => {
        for (const id of left) {
          const [answer] = await claim(at, [request(id, account)], now);
          if (answer?.granted) granted++;
        }
      };
      await Promise.all(Array.from({ length: 8 }, claimer));
      expect(granted).to.equal(Math.min(10, round + 1));
      // Longer than a gap and the longest pause.
      now += 25 * MINUTE;
    }
    expect(await used(account)).to.equal(10);
  });

  it('one batch never gets more than the budget, and what is refused knows when to ask again', async () => {
    const at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws], { limits: { profile_view: { day: 5 } } });
    const ids = await runs(at, 12);
    const now = bench.clock.now();
    const answers = await claim(
      at,
      ids.map((id) => request(id, account)),
      now,
    );
    expect(answers.filter((answer) => answer.granted)).to.have.length(1);
    const paced = answers.filter((answer) => answer.refusal === 'pacing');
    expect(paced).to.have.length(4);
    expect(new Set(paced.map((answer) => answer.nextAt)).size).to.equal(4);
    const spent = answers.filter((answer) => answer.refusal === 'budget');
    expect(spent).to.have.length(7);
    expect(Math.min(...spent.map((answer) => answer.nextAt ?? 0))).to.equal(Date.UTC(2026, 0, 6));
    const dates = spent.map((answer) => new Date(answer.nextAt ?? 0).toISOString().slice(0, 10));
    expect(dates).to.deep.equal([...Array(5).fill('2026-01-06'), '2026-01-07', '2026-01-07']);
    expect(new Set(spent.map((answer) => answer.nextAt)).size, 'everybody has a moment').to.equal(7);
  });

  it('a budget is shared by the three workspaces of an account', async () => {
    const places = await Promise.all([workflowFixture(), workflowFixture(), workflowFixture()]);
    const account = await addAccount(
      bench.app,
      places.map((at) => at.ws),
      { limits: { profile_view: { day: 6 } } },
    );
    let granted = 0;
    let now = bench.clock.now();
    for (const at of places) {
      const done = await claimPaced(
        at,
        (await runs(at, 5)).map((id) => request(id, account)),
        now,
      );
      granted += done.granted;
      now = done.now;
    }
    expect(granted).to.equal(6);
    expect(await used(account)).to.equal(6);
  });

  it('a guaranteed share is kept back for its workspace', async () => {
    const [a, b] = [await workflowFixture(), await workflowFixture()];
    const account = await addAccount(bench.app, [a.ws, b.ws], {
      limits: { profile_view: { day: 10 } },
      shares: [0, 0.4],
    });
    const first = await claimPaced(
      a,
      (await runs(a, 10)).map((id) => request(id, account)),
    );
    expect(first.granted).to.equal(6);
    const second = await claimPaced(
      b,
      (await runs(b, 10)).map((id) => request(id, account)),
      first.now,
    );
    expect(second.granted).to.equal(4);
  });

  it('dailyActions of a workspace bind its own units of an account, claimed or promised, and nobody else’s', async () => {
    const [a, b] = [await workflowFixture(), await workflowFixture()];
    const account = await addAccount(bench.app, [a.ws, b.ws], { limits: { profile_view: { day: 10 } } });
    await change(
      bench,
      `update workspace set limits = '{"dailyActions": {"profile_view": 2, "message": 0}}' where id = $1`,
      [a.ws],
    );
    const first = await claimPaced(
      a,
      (await runs(a, 5)).map((id) => request(id, account)),
    );
    expect(first).to.deep.include({ granted: 2, refusals: ['budget', 'budget', 'budget'] });
    const promised = await query<{ day: string; units: number }>(
      bench,
      `select to_char(to_timestamp(due_at / 1000) at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::int as units from run
       where workspace_id = $1 and send_id is null group by 1 order by 1`,
      [a.ws],
    );
    expect(promised).to.deep.equal([
      { day: '2026-01-06', units: 2 },
      { day: '2026-01-07', units: 1 },
    ]);
    const [none] = await runs(a, 1);
    expect((await claim(a, [request(none ?? '', account, 'message')], first.now))[0]?.refusal).to.equal('budget');
    const second = await claimPaced(
      b,
      (await runs(b, 6)).map((id) => request(id, account)),
      first.now,
    );
    expect(second.granted).to.equal(6);
  });

  it('dailyActions hold within one batch', async () => {
    const at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws], {
      limits: { profile_view: { day: 10 } },
      pacing: { maxGapSeconds: 0 },
    });
    await change(bench, `update workspace set limits = '{"dailyActions": {"profile_view": 2}}' where id = $1`, [at.ws]);
    const answers = await claim(
      at,
      (await runs(at, 4)).map((id) => request(id, account, 'profile_view', { atOnce: true })),
    );
    expect(answers.filter((answer) => answer.granted)).to.have.length(2);
  });

  it('a noted request spends both its budgets', async () => {
    const at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws], { tier: 'basic' });
    const noted = { budgets: ['connection_request', 'connection_request_with_note'], once: 'account' as const };
    const done = await claimPaced(
      at,
      (await runs(at, 3)).map((id) => request(id, account, 'connection_request', noted)),
    );
    expect(done).to.deep.include({ granted: 1, refusals: ['budget', 'budget'] });
    expect([
      await used(account, 'connection_request'),
      await used(account, 'connection_request_with_note'),
    ]).to.deep.equal([1, 1]);
  });

  it('limit 0 means 0 and health 0 means 0', async () => {
    const at = await workflowFixture();
    const none = await addAccount(bench.app, [at.ws], { limits: { profile_view: { day: 0 } } });
    const sick = await addAccount(bench.app, [at.ws]);
    await change(bench, 'update network_account set health = 0 where id = $1', [sick]);
    const [first, second] = await runs(at, 2);
    expect((await claim(at, [request(first ?? '', none)]))[0]?.refusal).to.equal('budget');
    expect((await claim(at, [request(second ?? '', sick)]))[0]?.refusal).to.equal('budget');
  });

  it('ramp-up: a fresh account begins with a share of its limit', async () => {
    const at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws], { tier: 'sales', ramp: true });
    const fresh = await claimPaced(
      at,
      (await runs(at, 12)).map((id) => request(id, account, 'follow')),
    );
    expect(fresh.granted).to.equal(5);
    await change(bench, 'update network_account set first_send_at = $2 where id = $1', [account, bench.clock.now()]);
    const later = await claimPaced(
      at,
      (await runs(at, 20)).map((id) => request(id, account, 'follow')),
      bench.clock.now() + 7 * DAY,
    );
    expect(later.granted).to.equal(15);
  });

  it('limits computed in the database equal the rule in pkg/domain/budget.ts', async () => {
    for (const tier of ACCOUNT_TIERS) {
      for (const action of BUDGET_ACTIONS) {
        const [row] = await query<{ day: number; week: number }>(bench, 'select * from app.default_budget($1, $2)', [
          tier,
          action,
        ]);
        expect({ day: row?.day, week: row?.week === -1 ? null : row?.week }, `${tier} ${action}`).to.deep.equal({
          ...ACTIONS[action].budgets[tier],
        });
        for (const [days, day] of [
          [0, 17],
          [3, 120],
          [7, 17],
          [20, 5_000],
        ] as const) {
          const rule = effectiveLimit(action, tier, { day, week: 60 }, rampFactor(days), 0.6);
          const [limit] = await query<{ day: number; week: number }>(
            bench,
            `select s.day, s.week from app.default_budget($1, $2) b
               cross join lateral app.scaled_limit(b.day, b.week, $2, $3, true, 14, 0.2, $4, 0.6) s`,
            [tier, action, JSON.stringify({ [action]: { day, week: 60 } }), days],
          );
          expect({ day: limit?.day, week: limit?.week }, `${tier} ${action} day ${days}`).to.deep.equal({ ...rule });
        }
      }
    }
  });

  it('the week window counts this local date and the six before', async () => {
    const at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws], { limits: { follow: { day: 4, week: 6 } } });
    const start = bench.clock.now();
    const ids = await runs(at, 40);
    const perDay: number[] = [];
    for (let day = 0; day < 9; day++) {
      const done = await claimPaced(
        at,
        ids.splice(0, 4).map((id) => request(id, account, 'follow')),
        start + day * DAY,
      );
      perDay.push(done.granted);
    }
    expect(perDay).to.deep.equal([4, 2, 0, 0, 0, 0, 0, 4, 2]);
  });

  it('days of 23 and 25 hours are one day each', async () => {
    const at = await workflowFixture();
    for (const [label, evening] of [
      ['spring', Date.UTC(2026, 2, 29, 21, 30)],
      ['autumn', Date.UTC(2026, 9, 25, 22, 30)],
    ] as const) {
      const account = await addAccount(bench.app, [at.ws], {
        timezone: 'Europe/Berlin',
        limits: { follow: { day: 2 } },
      });
      const ids = await runs(at, 6);
      const today = await claimPaced(
        at,
        ids.slice(0, 3).map((id) => request(id, account, 'follow')),
        evening,
      );
      expect(today.granted, label).to.equal(2);
      const [refused] = await claim(at, [request(ids[3] ?? '', account, 'follow')], today.now);
      const midnight = refused?.nextAt ?? 0;
      // The first moment of the day was promised to the third already.
      expect(new Date(midnight).toLocaleTimeString('de-DE', { timeZone: 'Europe/Berlin' }), label).to.match(
        /^00:0[01]:/,
      );
      const tomorrow = await claimPaced(
        at,
        ids.slice(3).map((id) => request(id, account, 'follow')),
        midnight,
      );
      expect(tomorrow.granted, label).to.equal(2);
    }
  });

  it('a change of timezone never turns the date back', async () => {
    const at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws], {
      timezone: 'Pacific/Auckland',
      limits: { follow: { day: 1 } },
    });
    const ids = await runs(at, 3);
    const now = Date.UTC(2026, 0, 5, 20);
    expect((await claim(at, [request(ids[0] ?? '', account, 'follow')], now))[0]?.granted).to.equal(true);
    await change(bench, `update network_account set timezone = 'America/Los_Angeles' where id = $1`, [account]);
    expect((await claim(at, [request(ids[1] ?? '', account, 'follow')], now + HOUR))[0]?.refusal).to.equal('budget');
  });

  it('pacing: heavy gaps lie between 120 and 420 s, light ones between 20 and 90 s, with pauses between sessions', async () => {
    const at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws], { tier: 'sales' });
    for (const [action, least, most] of [
      ['message', 120_000, 421_000],
      ['profile_view', 20_000, 91_000],
    ] as const) {
      const times = await sendTimes(at, account, action, bench.clock.now() + (action === 'message' ? 0 : DAY));
      const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      expect(Math.min(...gaps)).to.be.at.least(least);
      const short = gaps.filter((gap) => gap <= most);
      expect(gaps.length - short.length, 'pauses').to.be.within(action === 'message' ? 1 : 0, 6);
      expect(new Set(short).size).to.be.greaterThan(20);
    }
  });

  it('send keys: a message node writes to a person once, whichever account and run', async () => {
    const at = await workflowFixture();
    const [first, second] = [await addAccount(bench.app, [at.ws]), await addAccount(bench.app, [at.ws])];
    const [run] = await runs(at, 1);
    const one = request(run ?? '', first, 'message');
    expect((await claim(at, [one]))[0]?.granted).to.equal(true);
    expect((await claim(at, [request(run ?? '', second, 'message')]))[0]?.refusal).to.equal('already_sent');
    const [row] = await query<{ used: number[] }>(bench, 'select used from account_budget where account_id = $1', [
      second,
    ]);
    expect(row?.used.every((units) => units === 0) ?? true, 'no unit of the second account is gone').to.equal(true);
  });

  it('a proven failure returns units and key; an unknown outcome keeps them', async () => {
    const at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws]);
    const [a, b] = await runs(at, 2);
    const first = request(a ?? '', account);
    const second = request(b ?? '', account);
    await claimPaced(at, [first, second]);
    expect(await used(account)).to.equal(2);
    const now = bench.clock.now();
    await at.claim.tx((tx) => dispatchSends(tx, now, [first.sendId, second.sendId]));
    await at.claim.tx((tx) =>
      settleSends(tx, now, [
        { sendId: first.sendId, result: 'failed', outcome: null },
        { sendId: second.sendId, result: 'unknown' },
      ]),
    );
    expect(await used(account)).to.equal(1);
    const [again, kept] = [request(a ?? '', account), request(b ?? '', account)];
    expect((await claimPaced(at, [again], now + HOUR)).granted).to.equal(1);
    expect((await claim(at, [kept], now + HOUR))[0]?.refusal).to.equal('already_sent');
  });

  it('a stale epoch can neither claim nor dispatch nor settle', async () => {
    const at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws]);
    const [run] = await runs(at, 1);
    const one = request(run ?? '', account);
    await claim(at, [one]);
    const fresh = await takeLease(bench, at.ws);
    const refused = await at.claim
      .tx((tx) => dispatchSends(tx, 1, [one.sendId]))
      .then(
        () => 'dispatched',
        (error: Error) => error.name,
      );
    expect(refused).to.equal('FencedError');
    const answers = await fresh.tx((tx) => dispatchSends(tx, bench.clock.now(), [one.sendId]));
    expect(answers[0]).to.include({ dispatched: false, refusal: 'gone' });
  });

  it('after a takeover claimed sends are undone and dispatched ones are unknown, with the kill as evidence', async () => {
    const at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws]);
    const [a, b] = await runs(at, 2);
    const [claimed, dispatched] = [request(a ?? '', account), request(b ?? '', account)];
    // The account's pacing gave the second one its time: what follows happens then.
    const { now } = await claimPaced(at, [dispatched, claimed]);
    await at.claim.tx((tx) => dispatchSends(tx, now, [dispatched.sendId]));
    await change(bench, 'update run set due_at = null where id = any ($1::uuid[])', [[a, b]]);
    const fresh = await takeLease(bench, at.ws);
    expect(await fresh.tx((tx) => recoverSends(tx, now, 500))).to.deep.equal({
      cancelled: 1,
      unknown: 1,
    });
    const due = await query<{ wait: string | null; due: number }>(
      bench,
      'select wait_reason as wait, due_at as due from run where id = any ($1::uuid[]) order by array_position($1::uuid[], id)',
      [[a, b]],
    );
    expect(due[0]?.due, 'the undone one is tried again at once').to.equal(now);
    expect(due[1]?.wait).to.equal('unknown_outcome');
    expect(await used(account)).to.equal(1);
    const [row] = await query<{ state: string; evidence: { what: string; text: string }[] }>(
      bench,
      'select state, evidence from send where id = $1',
      [dispatched.sendId],
    );
    expect(row?.state).to.equal('unknown');
    expect(row?.evidence[0]).to.include({ what: 'executor_lost' });
    expect(row?.evidence[0]?.text).to.contain('killed');
  });

  it('recontactAfterDays and minDaysBetweenTouches bind the claim of a message', async () => {
    const at = await workflowFixture({ minDaysBetweenTouches: 2, dedupeScope: 'workspace' });
    const account = await addAccount(bench.app, [at.ws]);
    const [run] = await runs(at, 1);
    const one = request(run ?? '', account, 'message');
    await claim(at, [one]);
    await at.claim.tx((tx) => dispatchSends(tx, bench.clock.now(), [one.sendId]));
    await at.claim.tx((tx) => settleSends(tx, bench.clock.now(), [{ sendId: one.sendId, result: 'confirmed' }]));
    const [early] = await claim(
      at,
      [request(run ?? '', account, 'message', { nodeId: 'n1' })],
      bench.clock.now() + DAY,
    );
    expect(early).to.include({ refusal: 'duration', nextAt: bench.clock.now() + 2 * DAY });
    const [later] = await claim(
      at,
      [request(run ?? '', account, 'message', { nodeId: 'n1' })],
      bench.clock.now() + 2 * DAY + HOUR,
    );
    expect(later?.granted).to.equal(true);
  });

  it('maxLeadsPerCompanyPerDay holds within one batch and over the day', async () => {
    const at = await workflowFixture({ maxLeadsPerCompanyPerDay: 2 });
    const account = await addAccount(bench.app, [at.ws]);
    const leads = await Promise.all(Array.from({ length: 4 }, () => addLead(bench.app, at.ws, { company: 'Acme' })));
    const ids = (await enrol(bench, at.ws, at.flow, leads)).map((one) => one.runId ?? '');
    const done = await claimPaced(
      at,
      ids.map((id) => request(id, account, 'message')),
    );
    expect(done).to.deep.include({ granted: 2, refusals: ['company_limit', 'company_limit'] });
  });
});
