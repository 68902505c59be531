import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { advanceBatch } from '../../../pkg/engine/walk/advance-batch.ts';
import { GraphCache } from '../../../pkg/engine/walk/graph-cache.ts';
import type { Advance } from '../../../pkg/engine/walk/step.ts';
import type { Tx } from '../../../pkg/postgres/database.ts';
import { dequeue } from '../../../pkg/store/runs/runs.ts';
import { type Bench, enrol, keepLease, openBench, query } from '../../fixtures/engine/harness.ts';
import { addWorkflow } from '../../fixtures/engine/rows.ts';
import { chain, lead, message, type WorkflowFixture, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

const VIEW = { nodeType: 'network:profile_view' };
const TAG = { nodeType: 'lead:tag', config: { add: ['seen'] } };

describe('what a batch reads of its persons', () => {
  let bench: Bench;
  let said: string[];
  beforeEach(async () => {
    bench = await openBench();
    said = [];
  });
  afterEach(() => bench.close());

  /** Tells of reads when they are sent, and of what every batch reads also when it has come back. */
  function told(tx: Tx): Tx {
    return {
      rows: (text, values) => tx.rows(text, values),
      row: (text, values) => tx.row(text, values),
      exec: (text, values) => tx.exec(text, values),
      named: async <T>(name: string, text: string, values?: unknown[]): Promise<T[]> => {
        if (/lead|relations/.test(name)) said.push(name);
        const rows = await tx.named<T>(name, text, values);
        if (name === 'read_flows') said.push('flows are read');
        return rows;
      },
      limited: (ms, work) => tx.limited(ms, work),
    };
  }

  async function claimed(at: WorkflowFixture, flows: string[]): Promise<(cache: GraphCache) => Promise<Advance[]>> {
    for (const flow of flows) await enrol(bench, at.ws, flow, [(await lead(bench, at)).leadId]);
    const claim = await keepLease(bench, at.ws);
    return async (cache) => {
      said = [];
      const now = bench.clock.now();
      // Rolled back, so that the next batch claims the same runs.
      const undone = new Error('undone');
      let advances: Advance[] = [];
      await claim
        .tx(async (tx) => {
          const runs = await dequeue(tx, now, 10, []);
          const options = { workspaceId: at.ws, begunAt: now, now, cache, newId: randomUUID };
          advances = (await advanceBatch(told(tx), options, runs, async () => [])).advances;
          expect(
            advances.map((walk) => walk.run.id),
            'in the order of the runs',
          ).to.deep.equal(runs.map((run) => run.id));
          throw undone;
        })
        .catch((error: unknown) => {
          if (error !== undone) throw error;
        });
      return advances;
    };
  }

  const BASICS = ['read_lead_basics', 'read_relations'];

  it('a visit: where the lead is found, and not what is known of it; the next batch asks for it with the rest', async () => {
    const at = await workflowFixture(bench, chain(VIEW));
    const batch = await claimed(at, [at.flow]);
    const cache = new GraphCache();
    const [first] = await batch(cache);
    expect(said).to.deep.equal(['flows are read', ...BASICS]);
    const [second] = await batch(cache);
    expect(said).to.deep.equal([...BASICS, 'flows are read']);
    const ask = (walk: Advance | undefined): unknown => ({ ...walk?.request?.claim, sendId: null });
    expect(ask(second)).to.deep.equal(ask(first));
    expect(first?.request?.claim.target['publicId']).to.match(/^p-/);
  });

  it('a message: all that is known of the lead, in the next batch at once', async () => {
    const at = await workflowFixture(bench, chain(message()));
    const batch = await claimed(at, [at.flow]);
    const cache = new GraphCache();
    const [first] = await batch(cache);
    expect(said).to.deep.equal(['flows are read', ...BASICS, 'read_leads']);
    const [second] = await batch(cache);
    expect(said).to.deep.equal([...BASICS, 'read_leads', 'flows are read']);
    expect(second?.request?.claim.body)
      .to.equal(first?.request?.claim.body)
      .and.to.match(/^Hello \w/);
  });

  it('what needs nothing of its person reads nothing, however often', async () => {
    const at = await workflowFixture(bench, chain(TAG));
    const batch = await claimed(at, [at.flow]);
    const cache = new GraphCache();
    for (const _time of [1, 2]) {
      await batch(cache);
      expect(said).to.deep.equal(['flows are read']);
    }
  });

  it('runs that need more and less stay in their order', async () => {
    const at = await workflowFixture(bench, chain(message()));
    const views = await addWorkflow(bench.app, at.ws, at.camp, chain(VIEW));
    const tags = await addWorkflow(bench.app, at.ws, at.camp, chain(TAG));
    const batch = await claimed(at, [at.flow, views, tags, at.flow]);
    const cache = new GraphCache();
    for (const _time of [1, 2]) {
      const advances = await batch(cache);
      expect(advances.map((walk) => walk.request?.claim.action ?? null)).to.have.members([
        'message',
        'profile_view',
        null,
        'message',
      ]);
    }
    const [{ count } = { count: 0 }] = await query<{ count: number }>(bench, 'select count(*)::int from send');
    expect(count, 'nothing was written').to.equal(0);
  });
});
