import { expect } from 'chai';
import { gapAfter, type PaceSettings } from '../../../../pkg/domain/pacing.ts';
import { keepHealth, readAccountFacts } from '../../../../pkg/store/accounts/account-health.ts';
import { type McpFixture, MONDAY, missing, NOBODY, startMcpFixture } from '../../../fixtures/tools/mcp-fixture.ts';
import type { ToolUser } from '../../../tools/mcp-tools.ts';

interface Account {
  networkAccountId: string;
  status: string;
  tier: string;
  linkedWorkspaces: number;
  workflowIds: string[];
  rampUp: { enabled: boolean; factor: number; day: number };
}
interface Budget {
  action: string;
  window: string;
  limit: number;
  effectiveLimit: number;
  used: number;
  remaining: number;
  workspaceShareRemaining: number;
  usedByOthers: number | null;
}

const DAY = 86_400_000;

interface Applied {
  applied: {
    limits: Record<string, object>;
    rampUp: object;
    businessHours: object;
    pacing: object;
    workspaceShare: number;
    paused: boolean;
  };
  clamped: string[];
}

describe('tools: network accounts, by an MCP client', () => {
  let fixture: McpFixture;
  let shared: string;

  before(async function () {
    this.timeout(60_000);
    fixture = await startMcpFixture(1);
    shared = await fixture.tools.account('acme', 'rival');
  });
  after(() => fixture.tools.stop());

  /** One of nobody, and one that is linked to the other workspace alone. */
  const absent = async (name: string): Promise<void> => {
    const theirs = await fixture.tools.account('rival');
    for (const networkAccountId of [NOBODY, theirs]) {
      expect(await fixture.acme.refusal(name, { networkAccountId })).to.equal(
        missing('Network account', networkAccountId, 'svc_list_network_accounts'),
      );
    }
  };

  describe('svc_list_network_accounts', () => {
    it('lists the linked ones in pages, and narrows by status', async () => {
      const list = (more: object = {}): Promise<{ networkAccounts: Account[]; nextCursor: string | null }> =>
        fixture.acme.call('svc_list_network_accounts', more);
      const first = await list({ limit: 1 });
      const second = await list({ limit: 1, cursor: first.nextCursor });
      const ids = [...first.networkAccounts, ...second.networkAccounts].map((one) => one.networkAccountId);
      expect(ids).to.have.members([fixture.accountId, shared]);
      const links = [...first.networkAccounts, ...second.networkAccounts].map((one) => one.linkedWorkspaces);
      expect(links, 'those of others count, as in svc_list_conversations').to.have.members([1, 2]);
      expect(second.nextCursor).to.equal(null);
      await fixture.tools.rows(`update network_account set status = 'checkpoint' where id = $1`, [shared]);
      const held = await list({ status: 'checkpoint' });
      expect(held.networkAccounts.map((one) => one.networkAccountId)).to.deep.equal([shared]);
      await fixture.tools.rows(`update network_account set status = 'ok' where id = $1`, [shared]);
    });
  });

  describe('svc_get_network_account', () => {
    it('shows tier, ramp-up, who shares it, and the workflows that send through it', async () => {
      const workflowId = await fixture.workflow();
      await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: true });
      const { networkAccount } = await fixture.acme.call<{ networkAccount: Account }>('svc_get_network_account', {
        networkAccountId: shared,
      });
      expect(networkAccount).to.deep.include({ tier: 'basic', status: 'ok', workflowIds: [workflowId] });
      expect(networkAccount.rampUp).to.deep.include({ enabled: false });
      const theirs = await fixture.rival.call<{ networkAccount: Account }>('svc_get_network_account', {
        networkAccountId: shared,
      });
      expect(theirs.networkAccount.workflowIds, 'nothing of another workspace').to.deep.equal([]);
    });

    it('names at most a hundred of the workflows: a list of accounts stays an answer that can be read', async () => {
      const flow = await fixture.workflow();
      await fixture.tools.rows(
        `insert into workflow select (jsonb_populate_record(w, jsonb_build_object('id', w.id || '-' || lpad(n::text, 3, '0'), 'enabled', true))).*
         from workflow w, generate_series(1, 130) n where w.id = $1`,
        [flow],
      );
      const { networkAccounts } = await fixture.acme.call<{ networkAccounts: Account[] }>('svc_list_network_accounts', {
        detail: 'full',
      });
      expect(networkAccounts.map(({ workflowIds }) => workflowIds.length)).to.deep.equal([100, 100]);
      await fixture.tools.rows(`delete from workflow where id like $1 || '-%'`, [flow]);
    });

    it('answers a missing and a foreign account alike', () => absent('svc_get_network_account'));
  });

  describe('svc_get_network_account_budgets', () => {
    it('tells limit, use and rest, whichever workspace spent it', async () => {
      await fixture.tools.rows(
        `insert into account_budget (account_id, action, head_date, used, limit_day, limit_week)
         values ($1, 'message', to_timestamp($2::float8 / 1000)::date, '{7,3,0,0,0,0,0}', 40, 200)`,
        [shared, MONDAY],
      );
      for (const user of [fixture.acme, fixture.rival]) {
        const { budgets } = await user.call<{ budgets: Budget[] }>('svc_get_network_account_budgets', {
          networkAccountId: shared,
        });
        const of = (window: string): Budget | undefined =>
          budgets.find((one) => one.action === 'message' && one.window === window);
        expect(of('day')).to.deep.include({ limit: 40, used: 7, remaining: 33 });
        expect(of('week')).to.deep.include({ limit: 200, used: 10, remaining: 190 });
      }
    });

    it('what is left to a workspace is within its own dailyActions, and svc_diagnose names them when they are used up', async () => {
      await fixture.tools.force(
        `update outrider.workspace set limits = '{"dailyActions": {"like": 2}}' where id = 'acme'`,
      );
      await fixture.tools.rows(
        `insert into account_budget (account_id, action, head_date, used, by_workspace, limit_day, limit_week)
         values ($1, 'like', to_timestamp($2::float8 / 1000)::date, '{7,0,0,0,0,0,0}', '{"acme": 2, "rival": 5}', 30, -1)`,
        [shared, MONDAY],
      );
      const likes = async (user: typeof fixture.acme): Promise<Budget | undefined> => {
        const { budgets } = await user.call<{ budgets: Budget[] }>('svc_get_network_account_budgets', {
          networkAccountId: shared,
        });
        return budgets.find((one) => one.action === 'like' && one.window === 'day');
      };
      expect(await likes(fixture.acme)).to.deep.include({
        remaining: 23,
        workspaceShareRemaining: 0,
        used: 7,
        usedByOthers: 5,
      });
      expect(await likes(fixture.rival), 'V8: others, and nobody of them by name').to.include({ usedByOthers: 2 });
      expect((await likes(fixture.rival))?.workspaceShareRemaining).to.be.greaterThan(0);
      const said = async (user: typeof fixture.acme): Promise<string[]> => {
        const { checks } = await user.call<{ checks: { ok: boolean; check: string; detail: string }[] }>(
          'svc_diagnose',
          {
            target: 'network_account',
            targetId: shared,
          },
        );
        // A budget that is spent is no fault: it is told with the time when there is more.
        return checks.flatMap(({ check, detail }) => (check === 'budget' && detail.includes(' used ') ? [detail] : []));
      };
      expect(await said(fixture.acme)).to.deep.equal([
        'like: the workspace used 2 of the 2 that its limits allow it a day, more from 2026-03-03T00:00:00.000Z.',
      ]);
      expect(await said(fixture.rival)).to.deep.equal([]);
    });

    it('answers a missing and a foreign account alike', () => absent('svc_get_network_account_budgets'));
  });

  describe('svc_update_network_account_settings', () => {
    const change = <T = Applied>(more: object, user = fixture.acme): Promise<T> =>
      user.call<T>('svc_update_network_account_settings', { networkAccountId: shared, ...more });
    /** What the ledger would grant, asked as it asks. @param at product time, epoch ms */
    const granted = async (action: string, at = MONDAY, workspace = 'acme'): Promise<number | undefined> => {
      const [row] = await fixture.tools.force<{ left_units: number }>(
        'select left_units from app.open_budgets($1, $2, $3, $4)',
        [workspace, at, [shared], [action]],
      );
      return row?.left_units;
    };
    before(async () => {
      shared = await fixture.tools.account('acme', 'rival');
    });

    it('lowers limits per action; the budgets show them and the ledger grants no more', async () => {
      expect(await granted('follow')).to.equal(15);
      const { applied, clamped } = await change({ dailyLimits: { follow: 4, like: 0 }, weeklyLimits: { message: 30 } });
      expect(applied.limits).to.deep.equal({ follow: { day: 4 }, like: { day: 0 }, message: { week: 30 } });
      expect(clamped).to.deep.equal([]);
      expect([await granted('follow'), await granted('like'), await granted('message')]).to.deep.equal([4, 0, 30]);
      const { budgets } = await fixture.rival.call<{ budgets: Budget[] }>('svc_get_network_account_budgets', {
        networkAccountId: shared,
      });
      const day = (action: string): number | undefined =>
        budgets.find((one) => one.action === action && one.window === 'day')?.effectiveLimit;
      expect([day('follow'), day('like')]).to.deep.equal([4, 0]);
    });

    it('refuses a limit above the ceiling of the tier, naming it', async () => {
      for (const field of ['dailyLimits', 'weeklyLimits']) {
        expect(
          await fixture.acme.refusal('svc_update_network_account_settings', {
            networkAccountId: shared,
            [field]: { connection_request: 81 },
          }),
        ).to.equal(
          `Invalid input: ${field}.connection_request: 81 is above the ceiling of ${field === 'dailyLimits' ? 15 : 80} for tier basic. Call svc_get_network_account_budgets.`,
        );
      }
    });

    it('bends a day that is above its week, and says so', async () => {
      const { applied, clamped } = await change({
        weeklyLimits: { connection_request: 5 },
        dailyLimits: { connection_request: 9 },
      });
      expect(applied.limits['connection_request']).to.deep.equal({ day: 5, week: 5 });
      expect(clamped).to.deep.equal(['dailyLimits.connection_request: 5, because the week allows no more.']);
    });

    it('ramp-up: changed, and begun again', async () => {
      await fixture.tools.rows('update network_account set first_send_at = $2 where id = $1', [
        shared,
        MONDAY - 10 * DAY,
      ]);
      const { applied } = await change({ rampUp: { enabled: true, days: 20, startShare: 0.5 } });
      expect(applied.rampUp).to.deep.include({ enabled: true, days: 20, day: 10, factor: 0.75 });
      expect(await granted('profile_view')).to.equal(37);
      const again = await change({ rampUp: { restart: true } });
      expect(again.applied.rampUp).to.deep.include({ enabled: true, days: 20, day: 0, factor: 0.5, startedAt: null });
      expect(await granted('profile_view')).to.equal(25);
      await change({ rampUp: { enabled: false } });
    });

    it('business hours merge field by field; what can not stand is refused', async () => {
      const { applied } = await change({ businessHours: { startHour: 7, days: [6, 1, 6] } });
      expect(applied.businessHours).to.deep.equal({ timezoneMode: 'lead', days: [1, 6], startHour: 7, endHour: 18 });
      const refused = (businessHours: object): Promise<string> =>
        fixture.acme.refusal('svc_update_network_account_settings', { networkAccountId: shared, businessHours });
      expect(await refused({ endHour: 7 })).to.equal('Invalid input: businessHours.endHour: must be after startHour');
      expect(await refused({ timezone: 'Mars' })).to.match(/^Invalid input: businessHours.timezone: must be an IANA/);
      expect(await refused({ holidayCountry: 'XX' })).to.match(/^Invalid input: businessHours.holidayCountry: /);
      expect(await refused({ timezoneMode: 'fixed' })).to.match(/is required when timezoneMode is fixed$/);
      expect(await refused({ days: [] })).to.match(/^Invalid input: businessHours.days: name at least one day/);
    });

    it('pacing: gaps follow in the ledger, and weekends get their part of the day', async () => {
      const { applied, clamped } = await change({ pacing: { minGapSeconds: 900, weekendFactor: 0.5 } });
      expect(applied.pacing).to.deep.include({
        minGapSeconds: 900,
        maxGapSeconds: 900,
        sessionMinutes: 45,
        weekendFactor: 0.5,
      });
      expect(clamped).to.deep.equal(['pacing.maxGapSeconds: 900, because minGapSeconds is 900.']);
      const [row] = await fixture.tools.force<{ pacing: PaceSettings }>(
        'select pacing from network_account where id = $1',
        [shared],
      );
      const pace = { accountId: shared, settings: row?.pacing ?? null, minGapMs: 0 };
      expect(gapAfter(pace, MONDAY, 'contact')).to.equal(900_000);
      expect(gapAfter(pace, MONDAY, 'passive')).to.be.at.least(150_000);
      expect(await granted('profile_view')).to.equal(50);
      expect(await granted('profile_view', MONDAY + 5 * DAY), 'Saturday').to.equal(25);
      await change({ pacing: { weekendFactor: 0 } });
      expect(await granted('profile_view', MONDAY + 6 * DAY), 'Sunday').to.equal(0);
    });

    it('guarantees a workspace its share, and all shares together are at most the whole', async () => {
      await change({ workspaceShare: 0.6 });
      const { applied, clamped } = await change({ workspaceShare: 0.7 }, fixture.rival);
      expect(applied.workspaceShare).to.be.closeTo(0.4, 1e-6);
      expect(clamped).to.deep.equal(['workspaceShare: 0.4, because other workspaces are guaranteed the rest.']);
      expect(await granted('profile_view', MONDAY + 7 * DAY)).to.equal(30);
      const left = async (user: ToolUser): Promise<unknown> => {
        const { budgets } = await user.call<{ budgets: Budget[] }>('svc_get_network_account_budgets', {
          networkAccountId: shared,
        });
        return budgets.find((one) => one.action === 'profile_view' && one.window === 'day')?.workspaceShareRemaining;
      };
      expect([await left(fixture.acme), await left(fixture.rival)], 'before anybody acts').to.deep.equal([30, 20]);
      await fixture.tools.rows(
        `update account_budget set head_date = to_timestamp($2::float8 / 1000)::date, used = '{30,0,0,0,0,0,0}', by_workspace = '{"acme": 30}'
         where account_id = $1 and action = 'profile_view'`,
        [shared, MONDAY + 7 * DAY],
      );
      fixture.tools.cluster.clock.at = MONDAY + 7 * DAY;
      const ledger = [
        await granted('profile_view', MONDAY + 7 * DAY),
        await granted('profile_view', MONDAY + 7 * DAY, 'rival'),
      ];
      expect(ledger).to.deep.equal([0, 20]);
      expect([await left(fixture.acme), await left(fixture.rival)], 'as the ledger grants').to.deep.equal(ledger);
      const { checks } = await fixture.acme.call<{ checks: { check: string; detail: string }[] }>('svc_diagnose', {
        target: 'network_account',
        targetId: shared,
      });
      expect(checks.find((one) => one.check === 'budget')?.detail).to.match(
        /^profile_view: 30 of 50 used this day, the other 20 are guaranteed to other workspaces, more from /,
      );
      fixture.tools.cluster.clock.at = MONDAY;
      const both = await fixture.tools.as({ memberOf: ['acme', 'rival'] });
      expect(
        await both.refusal('svc_update_network_account_settings', { networkAccountId: shared, workspaceShare: 0.1 }),
      ).to.match(/^Invalid input: workspaceShare: the account is linked to several of your workspaces/);
    });

    it('only the workspace that linked a shared account first changes what binds all; the others are told, once an hour', async () => {
      const account = await fixture.tools.account('rival');
      await fixture.tools.rows(
        `insert into account_link (account_id, workspace_id, linked_at) values ($1, 'acme', 2)`,
        [account],
      );
      const set = { networkAccountId: account };
      const hours = { businessHours: { startHour: 7 } };
      for (const change of [
        { dailyLimits: { message: 1 } },
        { weeklyLimits: { message: 1 } },
        { rampUp: { enabled: true, days: 90 } },
        { pacing: { minGapSeconds: 3_600 } },
        hours,
      ])
        expect(await fixture.acme.refusal('svc_update_network_account_settings', { ...set, ...change })).to.match(
          /^Limits, ramp-up, hours, pacing and who else may have this account are set by the workspace that linked it first/,
        );
      const told = (workspace: string): Promise<{ title: string; text: string; next: string; data: object }[]> =>
        fixture.tools.rows(
          `select title, text, next_tool as next, data from notification where workspace_id = $1 and data ->> 'networkAccountId' = $2`,
          [workspace, account],
        );
      for (const _ of [1, 2])
        await fixture.rival.call('svc_update_network_account_settings', {
          ...set,
          ...hours,
          dailyLimits: { message: 9 },
        });
      expect(await told('acme')).to.deep.equal([
        {
          title: `Settings of ${account} changed`,
          text: 'The workspace that linked this account first changed its limits, ramp-up, hours or pacing, which bind yours too.',
          next: 'svc_get_network_account_budgets',
          data: { networkAccountId: account },
        },
      ]);
      expect(await told('rival')).to.deep.equal([]);
      // What is acme's own stays with it; a key of both workspaces is one of the owner.
      await fixture.acme.call('svc_update_network_account_settings', { ...set, workspaceShare: 0.1 });
      const both = await fixture.tools.as({ memberOf: ['acme', 'rival'] });
      await both.call('svc_update_network_account_settings', { ...set, pacing: { minGapSeconds: 300 } });
      await fixture.tools.rows(`delete from account_link where account_id = $1 and workspace_id = 'rival'`, [account]);
      await fixture.acme.call('svc_update_network_account_settings', { ...set, dailyLimits: { message: 8 } });
    });

    it('a workspace that shares an account pauses it for itself; the owner pauses it for all, who are told', async () => {
      const account = await fixture.tools.account('rival');
      await fixture.tools.rows(
        `insert into account_link (account_id, workspace_id, linked_at) values ($1, 'acme', 2)`,
        [account],
      );
      const pause = (by: typeof fixture.acme, paused: boolean): Promise<Applied> =>
        by.call('svc_update_network_account_settings', { networkAccountId: account, paused });
      const seen = (): Promise<boolean[]> =>
        Promise.all(
          [fixture.acme, fixture.rival].map(async (by) => {
            const { networkAccount } = await by.call<{ networkAccount: { paused: boolean } }>(
              'svc_get_network_account',
              {
                networkAccountId: account,
              },
            );
            return networkAccount.paused;
          }),
        );
      const told = async (workspace: string): Promise<string[]> => {
        const rows = await fixture.tools.rows<{ title: string }>(
          `select title from notification where workspace_id = $1 and data ->> 'networkAccountId' = $2 order by origin`,
          [workspace, account],
        );
        return rows.map(({ title }) => title);
      };
      expect((await pause(fixture.acme, true)).applied.paused).to.equal(true);
      expect(await seen()).to.deep.equal([true, false]);
      // The owner neither lifts nor hears of it.
      expect((await pause(fixture.rival, false)).applied.paused).to.equal(false);
      expect(await seen()).to.deep.equal([true, false]);
      expect(await told('rival')).to.deep.equal([]);
      expect((await pause(fixture.rival, true)).applied.paused).to.equal(true);
      expect(await seen()).to.deep.equal([true, true]);
      expect(await told('acme')).to.deep.equal([`${account} was paused`]);
      const { applied, clamped } = await pause(fixture.acme, false);
      expect(applied.paused).to.equal(true);
      expect(clamped).to.deep.equal([
        'paused: true, because the workspace that linked the account first paused it for all that share it.',
      ]);
      const why = await fixture.acme.call<{ findings: { check: string; text: string }[] }>('svc_diagnose', {
        target: 'network_account',
        targetId: account,
      });
      expect(JSON.stringify(why)).to.contain('paused for all workspaces that share it');
      expect((await pause(fixture.rival, false)).applied.paused).to.equal(false);
      expect(await seen()).to.deep.equal([false, false]);
      expect(await told('acme')).to.deep.equal([`${account} was paused`, `${account} goes on`]);
    });

    it('pauses for every workspace, until it is told to go on', async () => {
      expect((await change({ paused: true })).applied.paused).to.equal(true);
      const { networkAccount } = await fixture.rival.call<{ networkAccount: { paused: boolean } }>(
        'svc_get_network_account',
        { networkAccountId: shared },
      );
      expect(networkAccount.paused).to.equal(true);
      expect(await fixture.acme.call('svc_get_network_account_health', { networkAccountId: shared }))
        .to.have.property('advice')
        .that.includes('The account is paused: call svc_update_network_account_settings with paused false.');
      expect((await change({ paused: false })).applied.paused).to.equal(false);
    });

    it('answers a missing and a foreign account alike', () => absent('svc_update_network_account_settings'));
  });

  describe('svc_get_network_account_health', () => {
    interface Health {
      status: string;
      score: number;
      factors: { name: string; score: number; value: number | null; advice: string | null }[];
      cooldowns: { until: string }[];
      advice: string[];
    }
    const health = (user = fixture.acme): Promise<Health> =>
      user.call<Health>('svc_get_network_account_health', { networkAccountId: ailing });
    const worst = (one: Health, name: string): number | undefined => one.factors.find((f) => f.name === name)?.score;
    let ailing: string;
    before(async () => {
      ailing = await fixture.tools.account('acme', 'rival');
    });

    it('begins healthy: what is not known yet lowers nothing', async () => {
      const fresh = await health();
      expect(fresh).to.deep.include({ status: 'ok', score: 100, cooldowns: [] });
      expect(fresh.factors.map((one) => one.name)).to.deep.equal([
        'acceptance',
        'pending_requests',
        'reply_rate',
        'activity_regularity',
        'sessions',
        'network_size',
        'warnings',
      ]);
      expect(fresh.factors.map((one) => one.score)).to.deep.equal([100, 100, 100, 100, 100, 100, 100]);
    });

    it('counts requests that nobody accepted, of all workspaces, and the worst factor decides', async () => {
      await fixture.tools.force(
        `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at)
         select gen_random_uuid(), case when n % 2 = 0 then 'acme' else 'rival' end, 'w', 'c', gen_random_uuid(), 'n', gen_random_uuid(), gen_random_uuid(), $1,
           'connection_request', 'confirmed', 1, $2::bigint - 10 * 86400000::bigint from generate_series(1, 40) n`,
        [ailing, MONDAY],
      );
      await fixture.tools.force(
        `insert into relation (account_id, person_id, state, connected_at)
         select $1, person_id, 'connected', claimed_at + 1 from send where account_id = $1 limit 5`,
        [ailing],
      );
      const seen = await health();
      expect(seen.factors[0]).to.deep.include({ name: 'acceptance', value: 0.125, score: 60 });
      expect(seen.score).to.equal(60);
      expect(seen.advice[0]).to.match(/^Few requests are accepted/);
      expect((await health(fixture.rival)).score, 'the account is one, no matter who asks').to.equal(60);
    });

    it('remembers broken sessions, and a limit signal with its cool-down', async () => {
      const set = (sql: string, ...values: unknown[]): Promise<unknown> =>
        fixture.tools.rows(`update network_account set ${sql} where id = $1`, [ailing, ...values]);
      await set(`status = 'credentials_expired', status_since = $2`, MONDAY - DAY);
      const broken = await health();
      expect(broken.score).to.equal(0);
      expect(broken.advice[0]).to.match(/^The session has ended/);
      await set(`status = 'ok', status_since = $2, cooldown_until = $3`, MONDAY, MONDAY + 60_000);
      const after = await health();
      expect([worst(after, 'sessions'), worst(after, 'warnings')]).to.deep.equal([80, 75]);
      expect(after.cooldowns.map((one) => one.until)).to.deep.equal([new Date(MONDAY + 60_000).toISOString()]);
    });

    it('lowers the limits in force: account sync keeps it, budgets and ledger follow', async () => {
      await fixture.tools.cluster.db.tx({ kind: 'platform' }, (tx) => keepHealth(tx, ailing, MONDAY));
      const { budgets } = await fixture.acme.call<{ budgets: Budget[] }>('svc_get_network_account_budgets', {
        networkAccountId: ailing,
      });
      expect(budgets.find((one) => one.action === 'follow')).to.deep.include({ limit: 15, effectiveLimit: 9 });
      const [row] = await fixture.tools.force<{ left_units: number }>(
        'select left_units from app.open_budgets($1, $2, $3, $4)',
        ['acme', MONDAY, [ailing], ['follow']],
      );
      expect(row?.left_units).to.equal(9);
    });

    it('begins ramp-up again at half after a restriction', async () => {
      await fixture.tools.rows(
        `update network_account set status = 'restricted', status_since = $2, first_send_at = 1 where id = $1`,
        [ailing, MONDAY - DAY],
      );
      await fixture.tools.rows(`update network_account set status = 'ok', status_since = $2 where id = $1`, [
        ailing,
        MONDAY,
      ]);
      const { networkAccount } = await fixture.acme.call<{ networkAccount: Account }>('svc_get_network_account', {
        networkAccountId: ailing,
      });
      expect(networkAccount.rampUp.enabled).to.equal(true);
      expect(networkAccount.rampUp.factor).to.be.closeTo(0.5, 0.02);
      expect(worst(await health(), 'warnings')).to.equal(25);
    });

    it('begins ramp-up again at half also when the session had to be opened again after the restriction', async () => {
      const account = await fixture.tools.account('acme');
      const became = (status: string, at: number): Promise<unknown> =>
        fixture.tools.rows('update network_account set status = $2, status_since = $3 where id = $1', [
          account,
          status,
          at,
        ]);
      await fixture.tools.rows('update network_account set ramp_enabled = false, first_send_at = 1 where id = $1', [
        account,
      ]);
      await became('restricted', MONDAY - 3 * DAY);
      await became('checkpoint', MONDAY - 2 * DAY);
      await became('ok', MONDAY);
      const rampUp = async (): Promise<Account['rampUp']> =>
        (await fixture.acme.call<{ networkAccount: Account }>('svc_get_network_account', { networkAccountId: account }))
          .networkAccount.rampUp;
      expect((await rampUp()).enabled).to.equal(true);
      expect((await rampUp()).factor).to.be.closeTo(0.5, 0.02);
      await fixture.tools.rows('update network_account set first_send_at = 1 where id = $1', [account]);
      await became('checkpoint', MONDAY);
      await became('ok', MONDAY);
      expect((await rampUp()).factor, 'once for each restriction').to.equal(1);
    });

    it('tells the days of the last week apart, whichever kind of action was the last on one', async () => {
      const account = await fixture.tools.account('acme');
      await fixture.tools.force(
        `insert into account_budget (account_id, action, head_date, used, limit_day, limit_week) values
         ($1, 'message', $2::date, '{0,20,5,0,0,0,0}', -1, -1), ($1, 'connection_request', $2::date - 1, '{0,20,0,0,0,0,0}', -1, -1),
         ($1, 'comment', $2::date - 5, '{0,0,0,0,0,0,90}', -1, -1)`,
        [account, new Date(MONDAY).toISOString().slice(0, 10)],
      );
      const facts = await fixture.tools.cluster.db.tx({ kind: 'platform' }, (tx) =>
        readAccountFacts(tx, account, MONDAY),
      );
      expect(facts).to.include({ busiestDay: 25, usualDay: 22.5 });
    });

    it('forgets after 90 days what happened to an account, however long it is well', async () => {
      const account = await fixture.tools.account('acme');
      for (const at of [MONDAY - 120 * DAY, MONDAY - 60 * DAY, MONDAY])
        await fixture.tools.rows('update network_account set cooldown_until = $2 where id = $1', [account, at]);
      const kept = await fixture.tools.force<{ at: number }>(
        'select at from account_incident where account_id = $1 order by at',
        [account],
      );
      expect(kept.map((one) => Number(one.at))).to.deep.equal([MONDAY - 60 * DAY, MONDAY]);
    });

    it('says of a mailbox why it rests and why it paused, and what to do', async () => {
      await fixture.tools.force(
        `with a as (
           insert into network_account (id, kind, provider, external_id, display_name, status, status_since, timezone, created_at, paused, cooldown_until, cooldown_reason)
           values ('box-rests', 'mail', 'smtp', 'sally@agency.example', 'Sally', 'ok', 0, 'UTC', 0, true, $1::bigint + 86400000, 'publish SPF (550 5.7.26)') returning id),
         l as (insert into account_link (account_id, workspace_id, linked_at) select id, 'acme', 0 from a)
         insert into mailbox (account_id, address, smtp_host, smtp_port, smtp_tls, imap_host, imap_port, imap_tls, username, pause_reason)
         select id, 'sally@agency.example', 'h', 25, 'none', 'h', 143, 'none', 'sally', '2 of 3 mails bounced' from a`,
        [MONDAY],
      );
      const told = await fixture.acme.call<Health>('svc_get_network_account_health', { networkAccountId: 'box-rests' });
      expect(told).to.deep.include({
        factors: [],
        cooldowns: [{ scope: 'mailbox', until: '2026-03-03T10:00:00.000Z', reason: 'publish SPF (550 5.7.26)' }],
      });
      expect(told.advice).to.deep.equal([
        'The mailbox is paused (2 of 3 mails bounced): mend that, then run `outrider mailbox connect sally@agency.example --resume`.',
        'The mailbox rests: publish SPF (550 5.7.26).',
      ]);
    });

    it('answers a missing and a foreign account alike', () => absent('svc_get_network_account_health'));
  });
});
