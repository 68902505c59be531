import { expect } from 'chai';
import { seededRandom } from '../../../pkg/domain/random.ts';
import { FULL } from '../../chaos/seed.ts';
import { DAY, type EngineFixture, HOUR, startEngineFixture } from '../../fixtures/stories/engine-fixture.ts';

interface Arm {
  branch: string;
  exposures: number;
  matured: number;
  successes: number;
  early: number;
}
interface Line {
  at: string;
  kind: string;
  nodeId: string | null;
  data: { outcome?: string; class?: string };
}

const PEOPLE = 40;
const WINDOW_HOURS = 48;

/** Arms: a request, a request that the run does not outlive, and nothing at all. */
const graphOf = (metric: string): object => ({
  nodes: [
    { nodeId: 'start', nodeType: 'source:manual' },
    { nodeId: 'nap', nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
    {
      nodeId: 'arm',
      nodeType: 'flow:split',
      config: {
        branches: [{ name: 'wait' }, { name: 'leave' }, { name: 'nothing' }],
        metric,
        maturityHours: WINDOW_HOURS,
      },
    },
    { nodeId: 'ask', nodeType: 'network:connection_request', config: { noteMode: 'none' } },
    { nodeId: 'wait', nodeType: 'network:wait_connection', config: { timeoutMs: 20 * DAY } },
    { nodeId: 'asked', nodeType: 'network:connection_request', config: { noteMode: 'none' } },
    { nodeId: 'end', nodeType: 'flow:end' },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
    { sourceIndex: 2, targetIndex: 3, branch: 'wait' },
    { sourceIndex: 3, targetIndex: 4 },
    { sourceIndex: 2, targetIndex: 5, branch: 'leave' },
    { sourceIndex: 2, targetIndex: 6, branch: 'nothing' },
  ],
});

// The results of a split are what the timelines of its leads say, lead by lead: by public tools, for many draws.
describe('story: a split counts what happened', function () {
  this.timeout(180_000);
  let fixture: EngineFixture;
  beforeEach(async () => {
    fixture = await startEngineFixture();
  });
  afterEach(() => fixture.stop());

  const timelines = async (runIds: readonly string[]): Promise<{ arm: string; timeline: Line[] }[]> => {
    const found: { arm: string; timeline: Line[] }[] = [];
    for (const runId of runIds) {
      const { run, timeline } = await fixture.acme.call<{
        run: { armByNode: Record<string, string> };
        timeline: Line[];
      }>('svc_get_workflow_run', { runId });
      found.push({ arm: run.armByNode['arm'] ?? '', timeline });
    }
    return found;
  };

  /** What the history of one lead says: whether it was exposed, whether that is ripe, and whether it is a success. */
  const judged = (metric: string, arm: string, timeline: Line[]): { ripe: boolean; hit: boolean } | null => {
    const passed = timeline.find((line) => line.kind === 'run.step_done' && line.nodeId === 'arm');
    const asked = timeline.find(
      (line) =>
        line.kind === 'run.step_done' && ['ask', 'asked'].includes(line.nodeId ?? '') && line.data.outcome === 'sent',
    );
    const from = arm === 'nothing' ? passed : asked;
    if (!from) return null;
    const [begins, window] = [Date.parse(from.at), WINDOW_HOURS * HOUR];
    const isHit = (line: Line): boolean =>
      metric === 'accepted' ? line.kind === 'connection.accepted' : line.kind === 'reply.received';
    const hit = timeline.some((line) => isHit(line) && Date.parse(line.at) - begins <= window);
    return { ripe: begins + window <= fixture.tools.cluster.clock.now(), hit };
  };

  /** A day in which some of those who were asked accept, and some answer. */
  const lifeOf = async (names: readonly string[], random: () => number): Promise<void> => {
    for (let part = 0; part < 4; part++) {
      await fixture.pass(6 * HOUR);
      const sentAt = fixture.tools.cluster.clock.now();
      const asked = new Set(fixture.network.received.map((one) => one.publicId));
      for (const name of names.map((one) => `p-${one.toLowerCase()}`).filter((one) => asked.has(one))) {
        if (random() < 0.06) fixture.network.connected.add(name);
        if (random() >= 0.04) continue;
        const message = { messageId: `m-${name}-${sentAt}`, chatId: `chat-${name}`, text: 'What does it cost?' };
        fixture.network.inbox.push({ ...message, direction: 'in', sentAt });
      }
      await fixture.sync();
    }
  };

  // One draw of each metric in `make test`, two in `make test-long`.
  const DRAWS = [
    ['accepted', 1],
    ['replied', 3],
    ['accepted', 2],
    ['replied', 4],
  ] as const;
  for (const [metric, seed] of DRAWS.slice(0, FULL ? 4 : 2)) {
    it(`split results are the timelines of all leads (${metric}, seed ${seed})`, async () => {
      const random = seededRandom('splits', seed);
      const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Arms' });
      const hours = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
      await fixture.acme.call('svc_update_campaign', { campaignId, businessHours: hours });
      const { workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', {
        campaignId,
        name: 'Arms',
        graph: graphOf(metric),
      });
      await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: true });
      const names = Array.from({ length: PEOPLE }, (_, n) => `Arm${n}`);
      const leadIds = await fixture.people(names);
      for (const name of names) fixture.network.connected.delete(`p-${name.toLowerCase()}`);
      const { runIds } = await fixture.acme.call<{ runIds: string[] }>('svc_trigger_workflow', {
        workflowId,
        leadIds,
        detail: 'full',
      });
      // The account has a budget: the last are asked days after they took their arm.
      await fixture.acme.call('svc_update_network_account_settings', {
        networkAccountId: fixture.accountId,
        dailyLimits: { connection_request: 6 },
      });
      let checked = 0;
      for (let day = 0; day < 9; day++) {
        await lifeOf(names, random);
        if (day % 4 !== 0) continue;
        const { splits } = await fixture.acme.call<{ splits: [{ arms: Arm[] }] }>('svc_get_split_results', {
          workflowId,
        });
        const leads = await timelines(runIds);
        const told = ['wait', 'leave', 'nothing'].map((branch) => {
          const all = leads
            .filter((lead) => lead.arm === branch)
            .flatMap((lead) => judged(metric, lead.arm, lead.timeline) ?? []);
          return {
            branch,
            exposures: all.length,
            matured: all.filter((one) => one.ripe).length,
            successes: all.filter((one) => one.ripe && one.hit).length,
            early: all.filter((one) => !one.ripe && one.hit).length,
          };
        });
        expect(
          splits[0].arms.map(({ branch, exposures, matured, successes, early }) => ({
            branch,
            exposures,
            matured,
            successes,
            early,
          })),
        ).to.deep.equal(told);
        checked += told.reduce((sum, arm) => sum + arm.successes, 0);
      }
      expect(checked, 'successes that were seen').to.be.above(0);
      const { funnel } = await fixture.acme.call<{ funnel: { accepted: number; replied: number } }>(
        'svc_get_campaign_stats',
        { campaignId },
      );
      const happened = (await timelines(runIds)).filter((lead) =>
        lead.timeline.some((line) => line.kind === (metric === 'accepted' ? 'connection.accepted' : 'reply.received')),
      ).length;
      expect(metric === 'accepted' ? funnel.accepted : funnel.replied, 'the funnel').to.equal(happened);
    });
  }
});
