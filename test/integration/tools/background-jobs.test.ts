import { expect } from 'chai';
import { systemIds } from '../../../pkg/base/ids.ts';
import {
  type BackgroundJob,
  dequeueBackgroundJob,
  leaveBackgroundJob,
} from '../../../pkg/store/jobs/background-jobs.ts';
import { type Bench, startBench } from '../../fixtures/sandbox/harness.ts';
import { MONDAY, missing, NOBODY } from '../../fixtures/tools/mcp-fixture.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

const noList = (id: string): string => missing('Lead list', id, 'svc_list_lead_lists');

describe('tools: what a server goes on with in the background, by an MCP client', () => {
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;
  let sandbox: Bench;

  before(async function () {
    this.timeout(60_000);
    sandbox = await startBench();
    tools = await startMcpTools(() => sandbox.adapter);
    tools.cluster.clock.at = MONDAY;
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
  });
  after(async () => {
    await tools.stop();
    await sandbox.stop();
  });

  describe('svc_export_network_connections', () => {
    interface Export {
      importId: string;
      status: string;
      estimatedCredits: number;
    }
    interface Import {
      kind: string;
      status: string;
      total: number;
      created: number;
      updated: number;
      skipped: number;
      suppressed: number;
      errors: { message: string }[];
    }
    const TOOL = 'svc_export_network_connections';
    let owner: string;
    const export_ = (networkAccountId: string, more: object = {}, user = acme): Promise<Export> =>
      tools.aMinuteLater().then(() => user.call(TOOL, { networkAccountId, ...more }));
    const run = (more: object = {}): Promise<Export> => export_(owner, more);
    const progress = async (importId: string): Promise<Import> => {
      const { imports } = await acme.call<{ imports: Import[] }>('svc_get_import_progress', { importId });
      const [first] = imports;
      if (!first) throw new Error('no import');
      return first;
    };
    const balance = async (): Promise<{ balance: number; held: number }> => acme.call('svc_get_credit_balance', {});
    /** People whom the account knows already. */
    const befriend = async (ids: readonly string[]): Promise<void> => {
      await sandbox.control(
        'people',
        ids.map((publicId) => ({ publicId, behaviour: 'connected' })),
      );
      for (const publicId of ids) await sandbox.adapter.lookupProfile({ externalId: owner }, { publicId });
    };
    const numbered = (from: number, to: number): string[] =>
      Array.from({ length: to - from }, (_, index) => `friend-${'abcdefghij'[(from + index) % 10]}-${from + index}`);

    before(async function () {
      this.timeout(60_000);
      owner = await tools.account('acme', 'rival');
      await befriend(numbered(0, 130));
      await tools.rows(
        `insert into account_wake (account_id, due_at, sync_state) values ($1, 1, '{"connections": 130}')`,
        [owner],
      );
    });

    it('refuses before any work when credits are short, or the estimate is above maxCredits', async () => {
      expect(await acme.refusal(TOOL, { networkAccountId: owner, maxCredits: 1 })).to.equal(
        'connections_export needs 2 credits, more than maxCredits 1. Call svc_get_credit_costs.',
      );
      await tools.grant('acme', 1);
      expect(await acme.refusal(TOOL, { networkAccountId: owner })).to.equal(
        'connections_export needs 2 credits, 1 are available. Call svc_get_credit_balance.',
      );
      expect(await tools.rows('select 1 from lead_import where kind = $1', ['connections'])).to.deep.equal([]);
    });

    it('exports the connections as private leads into a list, and charges each hundred', async () => {
      await tools.grant('acme', 9);
      const done = await run({ idempotencyKey: 'first' });
      // A repetition would tell the same, whatever has become of the job.
      expect(done).to.deep.include({ status: 'running', estimatedCredits: 2 });
      expect(await progress(done.importId)).to.deep.include({
        kind: 'connections',
        status: 'completed',
        total: 130,
        created: 130,
        skipped: 0,
      });
      expect(await balance()).to.deep.include({ balance: 8, held: 0 });
      const { leadLists } = await acme.call<{
        leadLists: { leadListId: string; name: string; leadCount: number }[];
      }>('svc_list_lead_lists', {});
      expect(leadLists.map(({ name, leadCount }) => ({ name, leadCount }))).to.deep.equal([
        { name: `Connections of ${owner}`, leadCount: 130 },
      ]);
      const mine = await acme.call<{ leads: { fullName: string; visibility: string; headline: string }[] }>(
        'svc_search_leads',
        { leadListId: leadLists[0]?.leadListId, limit: 1, detail: 'full' },
      );
      expect(mine.leads[0]).to.deep.include({ visibility: 'private' });
      expect(mine.leads[0]?.headline).to.not.equal('');
      expect(await run({ idempotencyKey: 'first' }), 'the same call answers the same').to.deep.equal(done);
      expect(await balance()).to.deep.include({ balance: 8, held: 0 });
    });

    it('a second time only the new ones count, and they join the same list', async () => {
      await befriend(numbered(130, 133));
      const again = await run();
      expect(again).to.deep.include({ status: 'completed', estimatedCredits: 1 });
      expect(await progress(again.importId)).to.deep.include({ total: 133, created: 3, skipped: 130 });
      expect(await balance()).to.deep.include({ balance: 7, held: 0 });
      const nothing = await run();
      expect(await progress(nothing.importId)).to.deep.include({ created: 0, skipped: 133 });
      expect(await balance(), 'nothing new is free').to.deep.include({ balance: 7, held: 0 });
      const lists = await tools.rows<{ lead_count: number }>(
        `select lead_count from lead_list where workspace_id = 'acme' and deleted_at is null`,
      );
      expect(lists).to.deep.equal([{ lead_count: 133 }]);
    });

    it('ends where the held credits do, and says how to get the rest', async () => {
      await befriend(numbered(200, 350));
      const part = await run();
      expect(part.estimatedCredits).to.equal(1);
      const { created, errors } = await progress(part.importId);
      expect(created).to.equal(100);
      expect(errors.at(-1)?.message).to.equal(
        'the held credits are used up: call svc_export_network_connections again, with a new idempotencyKey, for the rest',
      );
      const rest = await run();
      expect((await progress(rest.importId)).created).to.equal(50);
    });

    it('says so too when they end within the last page', async () => {
      await tools.workspace('paying');
      const paying = await tools.as({ workspace: 'paying' });
      const other = await tools.account('paying');
      const know = async (ids: readonly string[]): Promise<void> => {
        await sandbox.control(
          'people',
          ids.map((publicId) => ({ publicId, behaviour: 'connected' })),
        );
        for (const publicId of ids) await sandbox.adapter.lookupProfile({ externalId: other }, { publicId });
      };
      const told = async (): Promise<Import> => {
        const { importId } = await export_(other, {}, paying);
        const { imports } = await paying.call<{ imports: Import[] }>('svc_get_import_progress', { importId });
        const [first] = imports;
        if (!first) throw new Error('no import');
        return first;
      };
      await tools.grant('paying', 5);
      const people = numbered(3_000, 3_160);
      await know(people);
      // Those of the first page are leads already, no matter who imported them.
      const csv = ['Profile URL', ...people.slice(-50).map((id) => `https://www.linkedin.com/in/${id}`)].join('\n');
      await paying.call('svc_import_leads_csv', { csv });
      await tools.rows(
        `insert into account_wake (account_id, due_at, sync_state) values ($1, 1, '{"connections": 100}')`,
        [other],
      );
      const cut = await told();
      expect([cut.created, cut.errors.map((one) => one.message)]).to.deep.equal([
        100,
        [
          'the held credits are used up: call svc_export_network_connections again, with a new idempotencyKey, for the rest',
        ],
      ]);
      expect(await told()).to.deep.include({ status: 'completed', created: 10, errors: [] });
    });

    it('a network of which account sync saw only the newest is exported in a few calls, each as large as what is known', async () => {
      await tools.workspace('large');
      const large = await tools.as({ workspace: 'large' });
      const wide = await tools.account('large');
      const people = numbered(5_000, 5_350);
      await sandbox.control(
        'people',
        people.map((publicId) => ({ publicId, behaviour: 'connected' })),
      );
      for (const publicId of people) await sandbox.adapter.lookupProfile({ externalId: wide }, { publicId });
      await tools.grant('large', 10);
      await tools.rows(
        `insert into account_wake (account_id, due_at, sync_state) values ($1, 1, '{"connections": 100, "connectionsCut": true}')`,
        [wide],
      );
      const made: [estimatedCredits: number, created: number | undefined][] = [];
      for (let call = 0; call < 4; call++) {
        const { importId, estimatedCredits } = await export_(wide, {}, large);
        const { imports } = await large.call<{ imports: Import[] }>('svc_get_import_progress', { importId });
        made.push([estimatedCredits, imports[0]?.created]);
      }
      expect(made, 'once the end was seen, its size is known').to.deep.equal([
        [1, 100],
        [1, 100],
        [2, 150],
        [1, 0],
      ]);
    });

    it('a person who was erased does not come back', async () => {
      const erased = numbered(0, 1)[0] ?? '';
      const [row] = await tools.rows<{ id: string }>('select id from lead where profile_id = $1', [erased]);
      await acme.call('svc_erase_lead', { leadId: row?.id, reason: 'client_request' });
      const list = await acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Again' });
      await tools.rows(`update account_wake set sync_state = '{"connections": 300}' where account_id = $1`, [owner]);
      const again = await run({ leadListId: list.leadListId, incremental: false });
      const { errors } = await progress(again.importId);
      expect(errors.map((one) => one.message)).to.include('this person was erased and is not exported again');
    });

    it('a job that its caller left is finished by a worker of the server, from where it stood', async () => {
      await befriend(numbered(1_000, 1_240));
      await tools.rows(`update account_wake set sync_state = '{"connections": 2000}' where account_id = $1`, [owner]);
      await tools.grant('acme', 50);
      const begun = await run({ incremental: false });
      expect(begun.status).to.equal('running');
      expect((await progress(begun.importId)).status).to.equal('running');
      expect(await acme.refusal(TOOL, { networkAccountId: owner })).to.equal(
        `An export of this account is under way (${begun.importId}). Call svc_get_import_progress.`,
      );
      const worker = tools.worker();
      expect(await worker.next()).to.equal(true);
      expect(await progress(begun.importId)).to.deep.include({ status: 'completed', total: 523 });
      expect((await balance()).held).to.equal(0);
      expect(await worker.next(), 'nothing is left').to.equal(false);
    });

    it('workspaces take turns: one that has a job under way waits while another has none, and who yielded is last', async () => {
      const { clock, db } = tools.cluster;
      const platform = { kind: 'platform' } as const;
      const queue = async (workspaceId: string, createdAt: number): Promise<string> => {
        const id = systemIds.uuid();
        await tools.rows(
          `insert into background_job (id, workspace_id, kind, created_at) values ($1, $2, 'of_tomorrow', $3)`,
          [id, workspaceId, createdAt],
        );
        return id;
      };
      const holder = systemIds.uuid();
      const take = async (): Promise<BackgroundJob['id'] | undefined> => {
        const job = await db.tx(platform, (tx) => dequeueBackgroundJob(tx, holder, ['of_tomorrow'], clock.now()));
        return job?.id;
      };
      const first = await queue('acme', 1);
      const second = await queue('acme', 2);
      const other = await queue('rival', 3);
      expect([await take(), await take(), await take(), await take()]).to.deep.equal([first, other, second, undefined]);
      const late = await queue('rival', clock.now() - 1);
      for (const id of [first, second, other])
        await db.tx(platform, (tx) => leaveBackgroundJob(tx, holder, id, clock.now()));
      expect(await take(), 'who waited before the others yielded').to.equal(late);
      expect(await take(), 'then acme, since rival has one under way').to.be.oneOf([first, second]);
      await tools.force(`delete from background_job where kind = 'of_tomorrow'`);
    });

    it('a job of a kind that only a newer program knows is left for that one', async () => {
      await tools.rows(
        `insert into background_job (id, workspace_id, kind, created_at) values (gen_random_uuid(), 'acme', 'of_tomorrow', 1)`,
      );
      expect(await tools.worker().next()).to.equal(false);
      expect(
        await tools.force(`delete from background_job where kind = 'of_tomorrow' returning status, failures`),
      ).to.deep.equal([{ status: 'queued', failures: 0 }]);
    });

    it('rests while the account is paused, and goes on when it is not', async () => {
      await tools.rows('update network_account set paused = true where id = $1', [owner]);
      const begun = await run({ incremental: false });
      expect(await progress(begun.importId)).to.deep.include({ status: 'queued', total: 0 });
      expect(await tools.worker().next()).to.equal(false);
      await tools.rows('update network_account set paused = false where id = $1', [owner]);
      tools.cluster.clock.at = tools.cluster.clock.now() + 900_000;
      while (await tools.worker().next());
      expect(await progress(begun.importId)).to.deep.include({ status: 'completed', total: 523 });
    });

    it('ends when its list is deleted meanwhile: nobody is put where nobody looks, and what is left costs nothing', async () => {
      const { leadListId } = await acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Short-lived' });
      const begun = await run({ leadListId, incremental: false });
      const before = await progress(begun.importId);
      expect(before.status).to.equal('running');
      await acme.call('svc_delete_lead_list', { leadListId });
      expect(await tools.worker().next()).to.equal(true);
      const { status, created, updated, errors } = await progress(begun.importId);
      expect([status, created, updated]).to.deep.equal(['failed', before.created, before.updated]);
      expect(errors.at(-1)?.message).to.equal('the lead list was deleted');
      expect(await tools.rows('select 1 from lead_list_member where lead_list_id = $1', [leadListId])).to.deep.equal(
        [],
      );
      expect((await balance()).held).to.equal(0);
    });

    it('a long job yields: after its stretch it is left, and goes on in the next', async () => {
      await befriend(numbered(2_000, 2_150));
      await tools.grant('acme', 50);
      const { importId } = await run({ incremental: false });
      const totals = [(await progress(importId)).total];
      while (await tools.worker(0).next()) totals.push((await progress(importId)).total);
      expect(totals).to.deep.equal([500, 600, 673]);
      expect((await progress(importId)).status).to.equal('completed');
    });

    it('refuses an account that is not ok, a list that is none, and one of another workspace', async () => {
      const query = await acme.call<{ leadListId: string }>('svc_create_query_lead_list', {
        name: 'Q',
        predicate: { titles: ['CEO'] },
      });
      expect(await acme.refusal(TOOL, { networkAccountId: owner, leadListId: query.leadListId })).to.match(
        /^A query list has no manual members/,
      );
      const foreign = await rival.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Theirs' });
      for (const leadListId of [NOBODY, foreign.leadListId]) {
        expect(await acme.refusal(TOOL, { networkAccountId: owner, leadListId })).to.equal(noList(leadListId));
      }
      await tools.rows(`update network_account set status = 'checkpoint' where id = $1`, [owner]);
      expect(await acme.refusal(TOOL, { networkAccountId: owner })).to.equal(
        'The account is checkpoint, only ok accounts can be read. Call svc_get_network_account_health.',
      );
    });

    it('answers a missing and a foreign account alike', async () => {
      const theirs = await tools.account('rival');
      for (const networkAccountId of [NOBODY, theirs]) {
        expect(await acme.refusal(TOOL, { networkAccountId })).to.equal(
          missing('Network account', networkAccountId, 'svc_list_network_accounts'),
        );
      }
    });
  });
});
