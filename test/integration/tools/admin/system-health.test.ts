import { existsSync } from 'node:fs';
import { expect } from 'chai';
import {
  type ComponentHealth,
  keepSystemHealth,
  readSystemHealth,
} from '../../../../pkg/store/figures/system-health.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

interface Health {
  status: string;
  components: { name: string; status: string; detail: string; since: string | null; runbook: string }[];
  alerts: string[];
  freezes: object[];
}

describe('svc_admin_get_system_health', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let admin: ToolUser;

  before(async () => {
    tools = await startMcpTools();
    const userId = await tools.mcp.user({ admin: true });
    admin = tools.user(await tools.mcp.client((await tools.mcp.key({ userId })).plaintext));
  });
  after(() => tools.stop());

  const now = (): { product: number; real: number } => ({
    product: tools.cluster.clock.now(),
    real: tools.cluster.runtime.clock.now(),
  });
  /** As the leader looks. */
  const look = (): Promise<void> => tools.mcp.platform((tx) => keepSystemHealth(tx, now()));
  const health = (): Promise<Health> => admin.call<Health>('svc_admin_get_system_health');
  const one = async (name: string): Promise<Health['components'][number] | undefined> =>
    (await health()).components.find((component) => component.name === name);

  it('says that no leader is there until one was seen, and again when it falls silent', async () => {
    expect(await one('operator')).to.include({ status: 'down', detail: 'no leader has been here yet' });
    await look();
    expect(await health()).to.include({ status: 'ok' });
    expect((await health()).alerts).to.deep.equal([]);
    await tools.force(`update component_state set seen_at = seen_at - interval '2 minutes' where name = 'operator'`);
    const { status, alerts } = await health();
    expect(status).to.equal('down');
    expect(alerts[0]).to.match(
      /^operator down since .*Z: the leader was seen 12\d s ago\. See docs\/runbooks\/OperatorDown\.md\.$/,
    );
    await look();
    expect(await one('operator')).to.include({ status: 'ok' });
  });

  it('names of each component a runbook that there is', async () => {
    const { components } = await health();
    expect(components.length).to.be.greaterThan(10);
    for (const { name, runbook } of components)
      expect(existsSync(new URL(`../../../../${runbook}`, import.meta.url)), name).to.equal(true);
  });

  const RUN = `(id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state,
    epoch, claimed_at, dispatched_at, dead_letter_at, dead_letter_state)`;
  const DEAD = `insert into send ${RUN} values (gen_random_uuid(), 'acme', 'w', 'c', gen_random_uuid(), 'n',
    gen_random_uuid(), gen_random_uuid(), 'a', 'message', 'unknown', 1, 1, 1, 1, 'open')`;
  for (const [name, breaks, mends] of [
    ['outcomes', DEAD, `update send set dead_letter_state = 'discarded'`],
    [
      'executors',
      `insert into workspace_wake (workspace_id, due_at, reason) values ('acme', 1, 'test')
       on conflict (workspace_id) do update set due_at = 1`,
      `delete from workspace_wake`,
    ],
    [
      'accounts',
      `with made as (insert into network_account (id, external_id, status, status_since, created_at)
         values ('ill', 'ill', 'restricted', 1, 1) returning id)
       insert into account_link (account_id, workspace_id, linked_at) select id, 'acme', 1 from made`,
      `update network_account set status = 'ok' where id = 'ill'`,
    ],
    [
      'budgets',
      // What the constraint keeps from happening. A day that is over breaches nothing.
      `alter table account_budget drop constraint account_budget_check;
       insert into account_budget (account_id, action, limit_day, limit_week, head_date, used)
       values ('ill', 'message', 1, -1, '2100-01-01', '{2,0,0,0,0,0,0}'),
         ('ill', 'follow', 1, -1, '2000-01-01', '{2,0,0,0,0,0,0}')`,
      `update account_budget set head_date = '2000-01-01'`,
    ],
    [
      'send freezes',
      `insert into send_freeze (id, scope, target, channel, reason, frozen_by, since)
       values (gen_random_uuid(), 'account', 'ill', '', 'r', 'b', 1)`,
      `delete from send_freeze`,
    ],
    [
      'audit log',
      `insert into audit_event (id, at, actor_kind, actor_id, tool, request_id, hash, previous_hash, outcome)
       values (gen_random_uuid(), 1, 'server', 's', '', '', '', '', 'gap')`,
      `delete from audit_event where outcome = 'gap'`,
    ],
    [
      'resources',
      `update workspace set reconcile = '{"phase": "failed"}' where id = 'acme'`,
      `update workspace set reconcile = '{}' where id = 'acme'`,
    ],
    [
      'background jobs',
      `insert into background_job (id, workspace_id, kind, created_at)
       values (gen_random_uuid(), 'acme', 'lead_scrape', 1)`,
      `delete from background_job`,
    ],
  ] as const) {
    it(`${name}: what is wrong shows, since when it is, and passes`, async () => {
      await look();
      expect(await one(name)).to.include({ status: 'ok' });
      await tools.force(breaks);
      await look();
      const first = await one(name);
      expect(first?.status).to.equal('degraded');
      expect(first?.since).to.match(/Z$/);
      await look();
      expect((await one(name))?.since, 'the same moment').to.equal(first?.since);
      expect(
        (await health()).alerts.filter((alert) => alert.startsWith(`${name} degraded since ${first?.since}`)),
      ).to.have.length(1);
      await tools.force(mends);
      await look();
      expect(await one(name)).to.include({ status: 'ok' });
    });
  }

  it('a freeze of the whole platform is down, and clocks that differ are told', async () => {
    const { freezes } = await admin.call<{ freezes: object[] }>('svc_admin_set_send_freeze', {
      frozen: true,
      reason: 'test',
    });
    expect((await health()).freezes, 'who looks sees what the one who froze saw').to.deep.equal(freezes);
    expect(freezes).to.have.length(1);
    expect(await one('send freezes')).to.include({ status: 'down', detail: 'every send of the platform is frozen' });
    await admin.call('svc_admin_set_send_freeze', { frozen: false, reason: 'test' });
    const ahead = { ...now(), real: now().real + 10_000 };
    const found = await tools.mcp.platform((tx) => readSystemHealth(tx, ahead));
    const clocks = found.find((component: ComponentHealth) => component.name === 'clocks');
    expect(clocks).to.include({ status: 'degraded', since: ahead.real });
  });
});
