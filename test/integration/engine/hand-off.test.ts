import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { feedSources } from '../../../pkg/engine/sources/feeder.ts';
import { GraphCache } from '../../../pkg/engine/walk/graph-cache.ts';
import { compileGraph } from '../../../pkg/nodes/compile-graph.ts';
import { eraseLeadRows } from '../../../pkg/store/erasure/erasure.ts';
import { enrolLeads } from '../../../pkg/store/runs/enrol.ts';
import { handOff } from '../../../pkg/store/runs/hand-off.ts';
import { type Bench, change, enrol, openBench, passTime, query } from '../../fixtures/engine/harness.ts';
import { outcomeOf } from '../../fixtures/engine/node-outcome.ts';
import { addCampaign, addLead, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';
import * as places from '../../fixtures/engine/workflow-fixture.ts';
import {
  chain,
  DAY,
  HOUR,
  MINUTE,
  message,
  NO_GAP,
  type WorkflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';
import { enqueueFound } from '../../tools/enqueue-found.ts';

const handoff = (workflowId: string) => ({ nodeType: 'flow:handoff', config: { workflowId } });

describe('engine: leads come from a signal agent and go to another workflow', function () {
  this.timeout(120_000);
  let bench: Bench;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  describe('flow:handoff', () => {
    /** A workflow that writes once and hands over to a second one that writes again. */
    async function fixture(
      settings: object = NO_GAP,
    ): Promise<{ at: WorkflowFixture; second: string; leadId: string }> {
      const second = `wf-second-${randomUUID().slice(0, 8)}`;
      const at = await places.workflowFixture(bench, chain(message('First'), handoff(second)), settings);
      await addWorkflow(bench.app, at.ws, at.camp, chain(message('Second')), second);
      const { leadId } = await places.lead(bench, at);
      return { at, second, leadId };
    }

    async function pass(at: WorkflowFixture, leadId: string): Promise<string | undefined> {
      await enrol(bench, at.ws, at.flow, [leadId]);
      await at.handle.quiet();
      await places.retryLater(bench, at.handle);
      return (await outcomeOf(bench, leadId, 'n1'))?.outcome;
    }

    it('done: the run ends, the lead goes on there with the same account and is not refused as contacted', async () => {
      const { at, second, leadId } = await fixture();
      expect(await pass(at, leadId)).to.equal('done');
      expect(at.network.received.map((one) => one.text)).to.deep.equal(['First', 'Second']);
      const runs = await query<{ workflow_id: string; state: string; account_id: string; facts: { touches: number } }>(
        bench,
        'select * from run where lead_id = $1 order by started_at, workflow_id = $2',
        [leadId, second],
      );
      expect(runs.map((run) => [run.workflow_id, run.state, run.account_id, run.facts.touches])).to.deep.equal([
        [at.flow, 'completed', at.account, 1],
        [second, 'completed', at.account, 2],
      ]);
      const [log] = await query<{ workflow_id: string; touches: number }>(
        bench,
        `select c.run_id, r.workflow_id from contact_claim c join run r on r.id = c.run_id where r.lead_id = $1`,
        [leadId],
      );
      expect(log?.workflow_id, 'the contact claim went over').to.equal(second);
    });

    it('who is merged with another person meanwhile goes on as that person', async () => {
      const { at, second, leadId } = await fixture();
      await query(bench, 'update workspace set agency_id = id where id = $1', [at.ws]);
      // A person is merged into the one whose id is smaller.
      await enrol(bench, at.ws, at.flow, [leadId]);
      const smaller = async (): Promise<string> => {
        const mail = `${randomUUID()}@other.example`;
        const other = await addLead(bench.app, at.ws, { profileId: null, email: mail });
        const [found] = await query<{ smaller: boolean }>(
          bench,
          `select x.person_id < r.person_id as smaller from app.resolve_persons(array[$1::uuid], 1) x, run r where r.lead_id = $2`,
          [other, leadId],
        );
        return found?.smaller ? mail : smaller();
      };
      const mail = await smaller();
      const [run] = await query<{ id: string; profile_id: string }>(
        bench,
        'select r.id, l.profile_id from run r join lead l on l.id = r.lead_id where r.lead_id = $1',
        [leadId],
      );
      const sister = await addWorkspace(bench.app, { agencyId: at.ws });
      const bridge = await addLead(bench.app, sister, { profileId: run?.profile_id ?? '', email: mail });
      const { merging } = await at.handle.deps.claim.tx(async (tx) => {
        await tx.rows('select 1 from run where id = $1 for no key update', [run?.id]);
        const request = { runId: run?.id ?? '', newRunId: randomUUID(), workflowId: second, facts: {} };
        const [answer] = await handOff(tx, bench.clock.now(), [request]);
        expect(answer?.refusal).to.equal(null);
        const merging = query(bench, 'select count(*) from app.resolve_persons(array[$1::uuid], 1)', [bridge]);
        while ((await query(bench, 'select 1 from pg_locks where not granted')).length === 0);
        return { merging };
      });
      await merging;
      const persons = await query(
        bench,
        'select distinct r.person_id = l.person_id as same from run r join lead l on l.id = r.lead_id where r.lead_id = $1',
        [leadId],
      );
      expect(persons).to.deep.equal([{ same: true }]);
    });

    it('who is erased while they are handed over is erased there too', async () => {
      const { at, second, leadId } = await fixture();
      await enrol(bench, at.ws, at.flow, [leadId]);
      const { id: runId } = await places.runOf(bench, leadId);
      const now = bench.clock.now();
      const { erasing } = await at.handle.deps.claim.tx(async (tx) => {
        await tx.rows('select 1 from run where id = $1 for no key update', [runId]);
        const [answer] = await handOff(tx, now, [{ runId, newRunId: randomUUID(), workflowId: second, facts: {} }]);
        expect(answer?.refusal).to.equal(null);
        const erasing = bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (other) =>
          eraseLeadRows(other, { workspaceId: at.ws, leadId, now, keep: false }),
        );
        while ((await query(bench, 'select 1 from pg_locks where not granted')).length === 0);
        await tx.exec(`update run set state = 'completed', due_at = null, ended_at = $2 where id = $1`, [runId, now]);
        return { erasing };
      });
      expect((await erasing)?.['runsCancelled']).to.equal(1);
      const states = await query(bench, 'select state from run where lead_id = $1 order by workflow_id = $2', [
        leadId,
        second,
      ]);
      expect(states).to.deep.equal([{ state: 'completed' }, { state: 'suppressed' }]);
    });

    it('who is to go to a campaign in which a colleague replies at this moment goes a minute later', async () => {
      const { at, leadId } = await fixture({ contactPolicy: { minDaysBetweenTouches: 0, stopCompanyOnReply: true } });
      await enrol(bench, at.ws, at.flow, [leadId]);
      await bench.app.tx({ kind: 'platform' }, async (reply) => {
        await reply.rows(`select pg_advisory_xact_lock(hashtextextended('colleagues:' || $1, 0))`, [at.camp]);
        await at.handle.quiet();
      });
      expect(at.network.received.map((one) => one.text)).to.deep.equal(['First']);
      await passTime(bench, at.handle, HOUR, 10 * MINUTE);
      expect(at.network.received.map((one) => one.text)).to.deep.equal(['First', 'Second']);
      expect((await outcomeOf(bench, leadId, 'n1'))?.outcome).to.equal('done');
    });

    it('workflows that hand over to each other do not pass a lead round and round: who was there that day is refused', async () => {
      const tag = { nodeType: 'lead:tag', config: { add: ['seen'] } };
      const [second, third] = [`wf-second-${randomUUID().slice(0, 8)}`, `wf-third-${randomUUID().slice(0, 8)}`];
      const at = await places.workflowFixture(bench, chain(tag, handoff(second)));
      await addWorkflow(bench.app, at.ws, at.camp, chain(tag, handoff(third)), second);
      await addWorkflow(bench.app, at.ws, at.camp, chain(tag, handoff(at.flow)), third);
      const { leadId } = await places.lead(bench, at);
      await enrol(bench, at.ws, at.flow, [leadId]);
      await at.handle.quiet();
      const runs = await query<{ workflow_id: string; end_reason: string }>(
        bench,
        'select workflow_id, end_reason from run where lead_id = $1',
        [leadId],
      );
      expect(runs).to.have.deep.members([
        { workflow_id: at.flow, end_reason: 'ended after n1 (done)' },
        { workflow_id: second, end_reason: 'ended after n1 (done)' },
        {
          workflow_id: third,
          end_reason: 'ended after n1 (refused): the other workflow does not take the lead, it has the lead already',
        },
      ]);
    });

    it('the run ends there, whatever its graph has behind it: nobody is in two sequences at once', async () => {
      const second = `wf-second-${randomUUID().slice(0, 8)}`;
      const at = await places.workflowFixture(bench, chain(message('First'), handoff(second), message('Behind')));
      await addWorkflow(bench.app, at.ws, at.camp, chain(message('Second')), second);
      const { leadId } = await places.lead(bench, at);
      await enrol(bench, at.ws, at.flow, [leadId]);
      await at.handle.quiet();
      await passTime(bench, at.handle, 3 * DAY, HOUR);
      const [run] = await query(bench, 'select state, end_reason from run where workflow_id = $1', [at.flow]);
      expect(run).to.deep.equal({ state: 'completed', end_reason: 'ended after n1 (done)' });
      expect(at.network.received.map((one) => one.text)).to.deep.equal(['First', 'Second']);
      const { nodes, edges } = chain(message('First'), handoff(second), message('Behind'));
      const { warnings } = compileGraph({ nodes: nodes as never, edges });
      expect(warnings.map(({ nodeIndex, code }) => [nodeIndex, code])).to.deep.equal([[1, 'runs_end_here']]);
    });

    it('the time between touches counts over the seam', async () => {
      const { at, second, leadId } = await fixture({ contactPolicy: { minDaysBetweenTouches: 2 } });
      await pass(at, leadId);
      expect(at.network.received).to.have.length(1);
      const [run] = await query<{ wait_reason: string }>(bench, 'select wait_reason from run where workflow_id = $1', [
        second,
      ]);
      expect(run?.wait_reason).to.equal('duration');
    });

    it('a lead that came over is refused by a third workflow as any that was contacted', async () => {
      const { at, leadId } = await fixture();
      await pass(at, leadId);
      const third = await addWorkflow(bench.app, at.ws, await addCampaign(bench.app, at.ws, {}), chain(message()));
      expect((await enrol(bench, at.ws, third, [leadId]))[0]?.skipped).to.equal('claimed');
    });

    const refusals: [why: string, cause: (at: WorkflowFixture, second: string, leadId: string) => Promise<unknown>][] =
      [
        ['not_found', (_at, second) => change(bench, 'update workflow set deleted_at = 1 where id = $1', [second])],
        [
          'not_found',
          async (_at, second) => {
            const foreign = await addWorkspace(bench.app);
            return change(bench, 'update workflow set workspace_id = $2 where id = $1', [second, foreign]);
          },
        ],
        [
          'suppressed',
          async (at, second, leadId) => {
            const other = await addCampaign(bench.app, at.ws, NO_GAP);
            await change(bench, 'update workflow set campaign_id = $2 where id = $1', [second, other]);
            return change(
              bench,
              `insert into suppression (id, workspace_id, campaign_id, level, kind, value, source, reason, created_at)
             select gen_random_uuid(), $1, $2, 'campaign', 'profile', profile_id, 'manual', '', 1 from lead where id = $3`,
              [at.ws, other, leadId],
            );
          },
        ],
        [
          'suppressed',
          async (at, second, leadId) => {
            // A colleague replied in the campaign that the lead is to go to, and its policy leaves their company alone.
            const stops = { contactPolicy: { ...NO_GAP.contactPolicy, stopCompanyOnReply: true } };
            const other = await addCampaign(bench.app, at.ws, stops);
            await change(bench, 'update workflow set campaign_id = $2 where id = $1', [second, other]);
            const [found] = await query<{ company: string }>(bench, 'select company from lead where id = $1', [leadId]);
            const colleague = await addLead(bench.app, at.ws, { company: found?.company ?? '' });
            await enrol(bench, at.ws, second, [colleague]);
            return change(
              bench,
              `with told as (insert into lead_overlay (workspace_id, lead_id, last_replied_at) values ($1, $2, 1) returning lead_id)
             update run set facts = '{"replied": true, "replyClass": "negative"}', state = 'stopped', ended_at = 1 where lead_id = (select lead_id from told)`,
              [at.ws, colleague],
            );
          },
        ],
        [
          'claimed',
          async (at, second, leadId) => {
            const agency = `ag-${randomUUID().slice(0, 8)}`;
            await change(bench, 'update workspace set agency_id = $2 where id = $1', [at.ws, agency]);
            const wide = await addCampaign(bench.app, at.ws, { contactPolicy: { dedupeScope: 'agency' } });
            await change(bench, 'update workflow set campaign_id = $2 where id = $1', [second, wide]);
            const sister = await addWorkspace(bench.app, { agencyId: agency });
            const theirs = await addCampaign(bench.app, sister, { contactPolicy: { dedupeScope: 'agency' } });
            const flow = await addWorkflow(bench.app, sister, theirs, chain({ nodeType: 'network:wait_reply' }));
            const [twin] = await query<{ profile_id: string }>(bench, 'select profile_id from lead where id = $1', [
              leadId,
            ]);
            return enrol(bench, sister, flow, [
              await addLead(bench.app, sister, { profileId: twin?.profile_id ?? '' }),
            ]);
          },
        ],
      ];
    for (const [why, cause] of refusals) {
      it(`refused (${why}): the run stays with the lead and takes the branch`, async () => {
        const { at, second, leadId } = await fixture();
        await cause(at, second, leadId);
        await pass(at, leadId);
        expect(await outcomeOf(bench, leadId, 'n1')).to.include({ outcome: 'refused', reason: why });
        const runs = await query(bench, 'select 1 from run where lead_id = $1 and workflow_id = $2', [leadId, second]);
        expect(runs).to.deep.equal([]);
      });
    }

    it('refused (already_enrolled): another run follows the lead there already', async () => {
      const { at, second, leadId } = await fixture();
      await enrol(bench, at.ws, at.flow, [leadId]);
      const [run] = await query<{ id: string }>(
        bench,
        `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, entered_at, started_at)
         select gen_random_uuid(), workspace_id, $2, campaign_id, lead_id, person_id, 1, 'n0', 'paused', 1, 1 from run where lead_id = $1 returning id`,
        [leadId, second],
      );
      await at.handle.quiet();
      await places.retryLater(bench, at.handle);
      expect(run).to.not.equal(undefined);
      expect(await outcomeOf(bench, leadId, 'n1')).to.include({ outcome: 'refused', reason: 'already_enrolled' });
    });

    it('refused (already_enrolled): the lead is enrolled there at the same moment', async () => {
      const { at, second, leadId } = await fixture({
        contactPolicy: { minDaysBetweenTouches: 0, dedupeScope: 'account' },
      });
      await enrol(bench, at.ws, at.flow, [leadId]);
      const { id: runId } = await places.runOf(bench, leadId);
      const { handing } = await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, async (tx) => {
        const leads = [{ leadId, runId: randomUUID() }];
        const now = bench.clock.now();
        const enrolled = await enrolLeads(tx, {
          workspaceId: at.ws,
          workflowId: second,
          now,
          leads,
          source: 'trigger',
        });
        expect(enrolled[0]?.skipped).to.equal(null);
        const request = { runId, newRunId: randomUUID(), workflowId: second, facts: {} };
        const handing = at.handle.deps.claim.tx((other) => handOff(other, now, [request]));
        while ((await query(bench, 'select 1 from pg_locks where not granted')).length === 0);
        return { handing };
      });
      expect(await handing).to.deep.equal([{ runId, newRunId: null, refusal: 'already_enrolled' }]);
      const live = await query(bench, 'select 1 from run where workflow_id = $1 and lead_id = $2', [second, leadId]);
      expect(live).to.have.length(1);
    });
  });

  describe('source:signal_agent', () => {
    const wait = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
    const source = (config: object) => ({ nodeType: 'source:signal_agent', config });

    async function fixture(config: object): Promise<{ at: WorkflowFixture; feed: () => Promise<number> }> {
      const at = await places.workflowFixture(bench, chain(source(config), wait));
      const feed = (): Promise<number> =>
        at.handle.deps.claim.tx((tx) =>
          feedSources(tx, {
            workspaceId: at.ws,
            now: bench.clock.now(),
            cache: new GraphCache(),
            newId: randomUUID,
            places: new Map(),
          }),
        );
      return { at, feed };
    }
    const found = (at: WorkflowFixture, signalAgentId: string, leads: string[], workflowId: string | null = null) =>
      bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
        enqueueFound(tx, {
          workspaceId: at.ws,
          signalAgentId,
          workflowId,
          now: bench.clock.now(),
          leads: leads.map((leadId) => ({ leadId, rule: 'changed jobs' })),
        }),
      );
    const leadsIn = async (flow: string): Promise<string[]> =>
      (
        await query<{ lead_id: string }>(bench, 'select lead_id from run where workflow_id = $1 order by started_at', [
          flow,
        ])
      ).map((row) => row.lead_id);

    it('next: feeds what its agent found, each once, and wakes the workspace', async () => {
      const { at, feed } = await fixture({ signalAgentId: 'agent-1' });
      const [mine, other] = [await addLead(bench.app, at.ws, {}), await addLead(bench.app, at.ws, {})];
      expect([await found(at, 'agent-1', [mine]), await found(at, 'agent-1', [mine])]).to.deep.equal([1, 0]);
      await found(at, 'agent-2', [other]);
      expect(await query(bench, 'select 1 from workspace_wake where workspace_id = $1', [at.ws])).to.have.length(1);
      expect([await feed(), await feed()]).to.deep.equal([1, 0]);
      expect(await leadsIn(at.flow)).to.deep.equal([mine]);
      await at.handle.quiet();
      expect(await places.runOf(bench, mine)).to.include({ node_id: 'n1', wait_reason: 'duration' });
      const left = await query<{ signal_agent_id: string; outcome: string | null }>(
        bench,
        'select signal_agent_id, outcome from signal_queue where workspace_id = $1 order by id',
        [at.ws],
      );
      expect(left.map((row) => [row.signal_agent_id, row.outcome])).to.deep.equal([
        ['agent-1', 'enrolled'],
        ['agent-2', null],
      ]);
    });

    it('without an agent it feeds what any agent found, but nothing that is meant for another workflow', async () => {
      const { at, feed } = await fixture({});
      const leads = await Promise.all(Array.from({ length: 3 }, () => addLead(bench.app, at.ws, {})));
      await found(at, 'agent-1', leads.slice(0, 1));
      await found(at, 'agent-2', leads.slice(1, 2), at.flow);
      await found(at, 'agent-2', leads.slice(2), 'another');
      expect(await feed()).to.equal(2);
      expect((await leadsIn(at.flow)).toSorted()).to.deep.equal(leads.slice(0, 2).toSorted());
    });

    it('a lead that may not be contacted leaves the queue with the reason', async () => {
      const { at, feed } = await fixture({});
      const leadId = await addLead(bench.app, at.ws, { profileId: `p-${randomUUID().slice(0, 8)}` });
      await change(
        bench,
        `insert into suppression (id, workspace_id, level, kind, value, source, reason, created_at)
         select gen_random_uuid(), $1, 'workspace', 'profile', profile_id, 'manual', '', 1 from lead where id = $2`,
        [at.ws, leadId],
      );
      await found(at, 'agent-1', [leadId]);
      expect(await feed()).to.equal(0);
      const [row] = await query<{ outcome: string }>(bench, 'select outcome from signal_queue where lead_id = $1', [
        leadId,
      ]);
      expect(row?.outcome).to.equal('suppressed');
    });

    it('a lead of another workspace is never taken from its queue', async () => {
      const { at } = await fixture({});
      const rival = await fixture({});
      await found(rival.at, 'agent-1', [await addLead(bench.app, rival.at.ws, {})]);
      await bench.clock.advance(HOUR);
      expect(await leadsIn(at.flow)).to.deep.equal([]);
      const seen = await at.handle.deps.claim.tx((tx) => tx.rows('select 1 from signal_queue'));
      expect(seen).to.deep.equal([]);
    });
  });
});
