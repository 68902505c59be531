import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Database } from '../../../pkg/postgres/database.ts';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { type Bench, change, enrol, openBench, openEngine, query } from '../../fixtures/engine/harness.ts';
import { lookTwice } from '../../fixtures/engine/node-outcome.ts';
import { addCampaign, addLead, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';
import {
  chain,
  lead,
  message,
  retryLater,
  runOf,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

describe('two who turn out to be one person while something is under way', function () {
  this.timeout(120_000);
  let bench: Bench;
  let owner: Database;
  let at: WorkflowFixture;
  beforeEach(async () => {
    bench = await openBench();
    owner = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
    at = await workflowFixture(bench, chain(message()));
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}'`);
  });
  afterEach(async () => {
    await owner.close();
    await bench.close();
  });

  const merge = (from: string, into: string): Promise<number> =>
    owner.tx({ kind: 'none' }, (tx) => tx.exec('select app.merge_person($1, $2)', [from, into]));
  /** A person of the same workspace, of whom nothing is known yet. */
  async function somebody(): Promise<string> {
    const [row] = await owner.tx({ kind: 'none' }, (tx) =>
      tx.rows<{ id: string }>(
        'insert into outrider.person (id, scope, created_at) values (gen_random_uuid(), $1, 1) returning id',
        [`workspace:${at.ws}`],
      ),
    );
    return row?.id ?? '';
  }

  it('what was proven not to have been sent is sent all the same', async () => {
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    at.network.onPerform = () => Promise.reject(new ProviderError('unknown_outcome', 'connection reset'));
    await at.handle.quiet();
    at.network.onPerform = undefined;
    await merge((await runOf(bench, leadId)).person_id, await somebody());
    await lookTwice(bench, at, at.handle);
    await retryLater(bench, at.handle);
    expect(at.network.received).to.have.length(1);
    expect((await runOf(bench, leadId)).state).to.equal('completed');
  });

  it('what was sent is never sent again, after a second merge as well', async () => {
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    for (let times = 0; times < 2; times++) await merge((await runOf(bench, leadId)).person_id, await somebody());
    await change(
      bench,
      `update run set state = 'waiting', ended_at = null, due_at = 1, node_id = 'n0', send_id = null`,
    );
    await change(bench, 'update campaign set settings = settings || $1', [
      { contactPolicy: { recontactAfterDays: 0 } },
    ]);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(1);
  });

  for (const stays of ['whom the other workspace had', 'whom the workspace has'] as const) {
    it(`a workspace has the claim by which its run holds the person, in its other campaigns too (the person is ${stays})`, async () => {
      const agency = `agency-${randomUUID().slice(0, 8)}`;
      const known = [];
      for (let workflowFixture = 0; workflowFixture < 2; workflowFixture++) {
        const ws = await addWorkspace(bench.app, { agencyId: agency });
        const camp = await addCampaign(bench.app, ws, { contactPolicy: { dedupeScope: 'agency' } });
        const leadId = await addLead(bench.app, ws, {});
        await enrol(bench, ws, await addWorkflow(bench.app, ws, camp, { nodes: [], edges: [] }), [leadId]);
        known.push({ ws, leadId, person: await personOf(leadId) });
        if (workflowFixture === 0)
          await change(bench, `update run set state = 'stopped', ended_at = 2 where lead_id = $1`, [leadId]);
      }
      const [had, has] = known;
      if (!had || !has) throw new Error('nobody');
      await (stays === 'whom the workspace has' ? merge(had.person, has.person) : merge(has.person, had.person));
      const own = await addWorkflow(bench.app, has.ws, await addCampaign(bench.app, has.ws), { nodes: [], edges: [] });
      const [answer] = await enrol(bench, has.ws, own, [has.leadId]);
      expect(answer?.skipped).to.equal('claimed');
    });
  }

  /** The message is claimed for so many more people, and held while `meanwhile` happens; then all goes on to its end. */
  async function holdClaimed(leads: string[], meanwhile: () => Promise<unknown>): Promise<void> {
    await enrol(bench, at.ws, at.flow, leads);
    const held = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    let claimed = 0;
    const handle = await openEngine(bench, at.ws, at.network, {
      faults: async (point) => {
        if (point !== 'claimed') return;
        if (++claimed === leads.length) held.resolve();
        await over.promise;
      },
    });
    await handle.engine.step();
    await held.promise;
    await meanwhile();
    over.resolve();
    await handle.engine.settle();
    await handle.quiet();
  }
  const leadOf = async (): Promise<string> => (await lead(bench, at)).leadId;
  const personOf = async (leadId: string): Promise<string> => (await runOf(bench, leadId)).person_id;
  async function onceSpent(): Promise<void> {
    expect(at.network.received).to.have.length(1);
    const used = await query(bench, `select used[1] as used from account_budget where action = 'message'`);
    expect(used).to.deep.equal([{ used: 1 }]);
  }

  it('and each has the same message of a workflow claimed: one of them leaves', async () => {
    const [one, other] = [await leadOf(), await leadOf()];
    await holdClaimed([one, other], async () => merge(await personOf(other), await personOf(one)));
    await onceSpent();
  });

  for (const into of ['who got it', 'who is about to'] as const) {
    it(`and one got the message that is claimed for the other: it does not leave again (the person is ${into})`, async () => {
      const [one, other] = [await leadOf(), await leadOf()];
      await enrol(bench, at.ws, at.flow, [one]);
      await at.handle.quiet();
      await holdClaimed([other], async () => {
        const [got, waits] = [await personOf(one), await personOf(other)];
        await (into === 'who got it' ? merge(waits, got) : merge(got, waits));
      });
      await onceSpent();
    });
  }

  describe('by the id that the network has for them', () => {
    const inMail = {
      nodeType: 'network:inmail',
      config: { subject: 'An idea', textMode: 'static', text: 'Hello {{lead:firstName}}' },
    };
    const view = { nodeType: 'network:profile_view' };
    /** A lead twice, by two addresses of one profile. */
    async function twice(...nodes: Parameters<typeof chain>): Promise<string[]> {
      at = await workflowFixture(bench, chain(...nodes));
      await change(bench, `update network_account set tier = 'sales', pacing = '{"maxGapSeconds": 0}'`);
      const { lookupProfile } = at.network;
      at.network.lookupProfile = async (account, profile) => {
        const shown = await lookupProfile.call(at.network, account, profile);
        return { ...shown, providerId: 'ACoOne', connected: !nodes.includes(inMail) };
      };
      return [await leadOf(), await leadOf()];
    }
    const sent = (): string[] => at.network.received.map((one) => one.kind).filter((kind) => kind !== 'profile_view');

    for (const [what, nodes] of [
      ['a message', [message()]],
      ['a message after a visit', [view, message()]],
      ['an InMail', [inMail]],
    ] as const) {
      it(`who is a lead twice under two addresses of the profile receives ${what} once, one after the other`, async () => {
        for (const leadId of await twice(...nodes)) {
          await enrol(bench, at.ws, at.flow, [leadId]);
          await at.handle.quiet();
        }
        expect(sent()).to.have.length(1);
      });

      it(`who is a lead twice under two addresses of the profile receives ${what} once, both at once`, async () => {
        const leads = await twice(...nodes);
        await enrol(bench, at.ws, at.flow, leads);
        await at.handle.quiet();
        expect(sent()).to.have.length(1);
      });
    }
  });
});
