import { expect } from 'chai';
import { systemIds } from '../../../pkg/base/ids.ts';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { moveCredits } from '../../../pkg/store/credits/credits.ts';
import { charged } from '../../../pkg/tools/charge.ts';
import { runOnce } from '../../../pkg/tools/idempotency/records.ts';
import type { ToolContext } from '../../../pkg/tools/tool-context.ts';
import { type TestDatabase, testPostgres } from '../../tools/postgres.ts';

const NOW = Date.UTC(2026, 2, 10);
const TOOL = 'svc_regenerate_playbook';

describe('work that costs credits, called twice at once', function () {
  this.timeout(60_000);
  let urls: TestDatabase;
  let app: Database;
  let workspaceId = '';

  before(async () => {
    urls = await (await testPostgres()).product();
    app = new Database({ url: urls.appUrl, max: 4, applicationName: 'test' });
  });
  after(() => app.close());
  beforeEach(async () => {
    workspaceId = systemIds.name('ws');
    await app.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec(`insert into workspace (id, uid, name, created_at, updated_at) values ($1, $1, $1, 1, 1)`, [
        workspaceId,
      ]);
      const why = { reason: 'test', tool: 'test', keyPrefix: null, idempotencyKey: 'test', now: NOW };
      await moveCredits(tx, { workspaceId, kind: 'grant', amount: 10, ...why });
    });
  });

  const context = (): ToolContext => {
    const tx = <T>(work: (inner: Tx) => Promise<T>): Promise<T> =>
      app.tx({ kind: 'workspaces', ids: [workspaceId] }, work);
    const callKey = { tool: TOOL, key: 'one', natural: false, keepSeconds: 600, inputHash: 'input' };
    const create: ToolContext['create'] = (owner, work) =>
      tx((inner) => runOnce(inner, { workspaceId: owner, call: callKey }, { work, stands: async () => true }));
    const clocks = { product: { now: () => NOW } };
    const caller = { keyPrefix: 'cs_x' };
    return { callKey, create, clocks, caller, ids: systemIds, unrecorded: tx } as unknown as ToolContext;
  };
  const call = (work: () => Promise<string>): Promise<{ made: string }> =>
    charged(
      context(),
      { workspaceId, action: 'ai_playbook', estimate: 6 },
      async () => ({ made: await work(), credits: 5 }),
      async (_tx, made) => ({ made }),
    );
  const balance = async (): Promise<unknown> =>
    app.tx({ kind: 'platform' }, (tx) =>
      tx.row('select balance, held from credit_balance where workspace_id = $1', [workspaceId]),
    );

  it('one that fails takes nothing from the other, which delivers and is charged once', async () => {
    const began = Promise.withResolvers<void>();
    const failed = Promise.withResolvers<void>();
    const first = call(async () => {
      await began.promise;
      throw new Error('the writer is busy');
    });
    const second = call(async () => {
      began.resolve();
      await failed.promise;
      return 'a playbook';
    });
    expect(await first.catch((error: Error) => error.message)).to.equal('the writer is busy');
    expect(await balance(), 'given back').to.deep.equal({ balance: 10, held: 0 });
    failed.resolve();
    expect(await second).to.deep.equal({ made: 'a playbook' });
    expect(await balance()).to.deep.equal({ balance: 5, held: 0 });
    expect(await call(() => Promise.reject(new Error('never asked')))).to.deep.equal({ made: 'a playbook' });
    expect(await balance()).to.deep.equal({ balance: 5, held: 0 });
  });

  it('whose credits went elsewhere meanwhile delivers nothing, and says so', async () => {
    const late = call(async () => {
      await app.tx({ kind: 'platform' }, async (tx) => {
        await tx.rows(`select app.release_hold(id, $2, 'test') from credit_hold where workspace_id = $1`, [
          workspaceId,
          NOW,
        ]);
        const why = { reason: 'test', tool: 'test', keyPrefix: null, idempotencyKey: 'gone', now: NOW };
        await moveCredits(tx, { workspaceId, kind: 'adjust', amount: -8, ...why });
      });
      return 'a playbook';
    });
    expect(await late.catch((error: Error) => error.message)).to.match(/needs 6 credits, 2 are available/);
    expect(await balance()).to.deep.equal({ balance: 2, held: 0 });
  });
});
