import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Noted } from '../../cmd/sandbox/outside/book.ts';
import { sleepReal } from '../../pkg/base/clock.ts';
import { Sealer } from '../../pkg/base/sealer.ts';
import { enrolLeads } from '../../pkg/store/enrol.ts';
import { addCampaign, addLead, addWorkflow, addWorkspace } from '../integration/engine/fixtures.ts';
import { API_KEY, kill, Stage } from './stage.ts';

const INSTALLATION = 'an installation key of at least 32 characters';
const CREDITS = 100;

describe('chaos: calls of nodes', function () {
  this.timeout(180_000);
  let stage: Stage;
  before(async () => {
    stage = await Stage.open();
    stage.executorEnv = {
      OUTRIDER_SECRETS_KEY: INSTALLATION,
      ENRICHMENT_PDL_URL: `${stage.sandbox.url}/outside/pdl`,
      ENRICHMENT_PDL_KEY: API_KEY,
    };
    await stage.clock.setSpeed(120);
  });
  after(() => stage.close());

  /** A workspace with two leads: one is enriched for credits, one pushed into a CRM. */
  async function enrolled(): Promise<string> {
    const ws = await addWorkspace(stage.app);
    const camp = await addCampaign(stage.app, ws);
    const integrationId = `int-${randomUUID().slice(0, 8)}`;
    const sealed = new Sealer(INSTALLATION).seal(JSON.stringify({ token: API_KEY }), `integration:${integrationId}`);
    await stage.app.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec(
        `insert into integration (id, workspace_id, provider, kind, url, sealed, created_at) values ($1, $2, 'hubspot', 'crm', $3, $4, 1)`,
        [integrationId, ws, `${stage.sandbox.url}/outside/hubspot`, sealed],
      );
      await tx.rows(`select app.move_credits($1, 'grant', $2, 'first', 1, 'test', null, 'test')`, [ws, CREDITS]);
    });
    const asked = await addLead(stage.app, ws, { email: `asked@${ws}.example` });
    const pushed = await addLead(stage.app, ws, { email: `pushed@${ws}.example` });
    const single = (nodeType: string, config: object): Promise<string> =>
      addWorkflow(stage.app, ws, camp, { nodes: [{ nodeType, config }], edges: [] });
    const enrich = await single('lead:enrich', { fields: ['phone'] });
    const push = await single('crm:push', { integrationId });
    const now = stage.clock.now();
    await stage.app.tx({ kind: 'workspaces', ids: [ws] }, async (tx) => {
      for (const [workflowId, leadId] of [
        [enrich, asked],
        [push, pushed],
      ] as const) {
        const leads = [{ leadId, runId: randomUUID() }];
        await enrolLeads(tx, { workspaceId: ws, workflowId, now, leads, source: 'trigger' });
      }
    });
    return ws;
  }

  const states = async (ws: string): Promise<string[]> =>
    (await stage.query<{ state: string }>('select state from run where workspace_id = $1', [ws])).map(
      (run) => run.state,
    );

  for (const point of ['dispatched', 'before_settle']) {
    it(`killed when a call is ${point}: what was asked is charged once, what was pushed stands there once`, async () => {
      const ws = await enrolled();
      const killed = stage.executor({ workspace: ws }, 'pod-1', `${point}:SIGKILL`);
      await new Promise<void>((resolve) => killed.once('exit', () => resolve()));
      expect(await states(ws), 'killed in the middle').to.include('waiting');
      const next = stage.executor({ workspace: ws }, 'pod-1');
      while ((await states(ws)).some((state) => state !== 'completed')) await sleepReal(50);
      await kill(next, 'SIGKILL');
      const [credits] = await stage.query('select balance, held from credit_balance where workspace_id = $1', [ws]);
      expect(credits).to.deep.equal({ balance: CREDITS - 8, held: 0 });
      const noted = (await (await fetch(`${stage.sandbox.url}/_sandbox/outside`)).json()) as Noted[];
      const pushes = noted.filter((one) => one.service === 'hubspot' && one.about === `pushed@${ws}.example`);
      expect(pushes.map((one) => one.action)).to.deep.equal(['create contacts']);
    });
  }
});
