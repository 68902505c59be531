import { expect } from 'chai';
import { type Bench, startBench } from '../../fixtures/sandbox/harness.ts';
import { MONDAY } from '../../fixtures/tools/mcp-fixture.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

// Source: catalog, conventions: a call that charges has a natural key for 60 s where its caller gave none.
describe('what costs credits, called again because the answer was lost', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let acme: ToolUser;
  let sandbox: Bench;
  let account: string;

  before(async () => {
    sandbox = await startBench();
    tools = await startMcpTools(() => sandbox.adapter);
    tools.cluster.clock.at = MONDAY;
    acme = await tools.as({ workspace: 'acme' });
    account = await tools.account('acme');
    await tools.grant('acme', 100);
  });
  after(async () => {
    await tools.stop();
    await sandbox.stop();
  });

  const balance = async (): Promise<[balance: number, held: number]> => {
    const { balance, held } = await acme.call<{ balance: number; held: number }>('svc_get_credit_balance');
    return [balance, held];
  };
  const finish = async (): Promise<void> => {
    while (await tools.worker().next());
  };
  /** People whom the account knows. */
  const befriend = async (ids: readonly string[]): Promise<void> => {
    await sandbox.control(
      'people',
      ids.map((publicId) => ({ publicId, behaviour: 'connected' })),
    );
    for (const publicId of ids) await sandbox.adapter.lookupProfile({ externalId: account }, { publicId });
  };

  describe('svc_queue_leads', () => {
    const call = {
      profileUrls: ['https://www.linkedin.com/in/queued-once', 'https://www.linkedin.com/in/queued-too'],
      refreshOlderThanDays: 0,
    };

    it('reads and charges a profile once, and answers the same, also when it was read by then', async () => {
      const [before] = await balance();
      const first = await acme.call('svc_queue_leads', call);
      expect(first).to.deep.include({ queued: 2, estimatedCredits: 2 });
      expect(await acme.call('svc_queue_leads', call)).to.deep.equal(first);
      await finish();
      expect(await acme.call('svc_queue_leads', call)).to.deep.equal(first);
      await finish();
      expect(await balance()).to.deep.equal([before - 2, 0]);
      const jobs = await tools.rows(`select 1 from background_job where kind = 'lead_scrape'`);
      expect(jobs).to.have.length(1);
    });

    it('reads anew a minute later, and at once under a key', async () => {
      const [before] = await balance();
      await acme.call('svc_queue_leads', { ...call, idempotencyKey: 'anew' });
      await finish();
      await tools.aMinuteLater();
      expect(await acme.call('svc_queue_leads', call)).to.deep.include({ queued: 2 });
      await finish();
      expect(await balance()).to.deep.equal([before - 4, 0]);
    });

    it('a call that queued nobody may be made again when it would', async () => {
      const profileUrls = ['https://www.linkedin.com/in/barred-once'];
      const { leadId } = await acme.call<{ leadId: string }>('svc_upsert_lead', {
        firstName: 'Bar',
        lastName: 'Red',
        profileUrl: profileUrls[0],
      });
      await tools.force(
        `insert into suppression (id, workspace_id, level, kind, value, person_id, source, created_at)
         select gen_random_uuid(), 'acme', 'workspace', 'person', person_id::text, person_id, 'manual', 1 from lead where id = $1`,
        [leadId],
      );
      expect(await acme.call('svc_queue_leads', { profileUrls })).to.deep.include({ queued: 0 });
      await tools.force(`delete from suppression where source = 'manual'`);
      expect(await acme.call('svc_queue_leads', { profileUrls })).to.deep.include({ queued: 1 });
      await finish();
    });
  });

  describe('svc_export_network_connections', () => {
    interface Export {
      importId: string;
      status: string;
      estimatedCredits: number;
    }
    const run = (more: object = {}): Promise<Export> =>
      acme.call('svc_export_network_connections', { networkAccountId: account, ...more });
    const exports = async (): Promise<number> =>
      (await tools.rows(`select 1 from lead_import where kind = 'connections'`)).length;

    before(async () => {
      await befriend(Array.from({ length: 150 }, (_, index) => `mate-${'abcdefghij'[index % 10]}-${index}`));
      await tools.rows(
        `insert into account_wake (account_id, due_at, sync_state) values ($1, 1, '{"connections": 100}')`,
        [account],
      );
    });

    it('exports no further than the first call paid for, and says how that one stands', async () => {
      const [before] = await balance();
      const first = await run();
      expect(first.estimatedCredits).to.equal(1);
      expect(await run()).to.deep.equal({ ...first, status: 'completed' });
      expect([await balance(), await exports()]).to.deep.equal([[before - 1, 0], 1]);
      const rest = await run({ idempotencyKey: 'rest' });
      expect(rest.importId).to.not.equal(first.importId);
      expect([await balance(), await exports()]).to.deep.equal([[before - 2, 0], 2]);
    });

    it('is told which job is under way, and exports anew at once when that one failed', async () => {
      const { leadListId } = await acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Short-lived' });
      await tools.rows('update network_account set paused = true where id = $1', [account]);
      const call = { leadListId, incremental: false };
      const first = await run(call);
      expect(await acme.refusal('svc_export_network_connections', { networkAccountId: account, ...call })).to.equal(
        `An export of this account is under way (${first.importId}). Call svc_get_import_progress.`,
      );
      await tools.force(`update background_job set status = 'failed' where id = $1`, [first.importId]);
      await tools.rows('update network_account set paused = false where id = $1', [account]);
      expect((await run(call)).importId).to.not.equal(first.importId);
    });

    it('exports everything once more a minute later, not before', async () => {
      const all = { incremental: false };
      const first = await run(all);
      const after = await balance();
      expect((await run(all)).importId).to.equal(first.importId);
      expect(await balance()).to.deep.equal(after);
      await tools.aMinuteLater();
      expect((await run(all)).importId).to.not.equal(first.importId);
    });
  });
});
