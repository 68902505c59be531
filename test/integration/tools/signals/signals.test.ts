import { expect } from 'chai';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { ScoringWorker } from '../../../../pkg/tools/icps/scoring-worker.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';
const DAY_MS = 86_400_000;
const notFound = (label: string, id: string, tool: string): string =>
  `${label} "${id}" was not found. Call ${tool} to find valid IDs.`;

interface Signal {
  signalId: string;
  type: string;
  leadId: string | null;
  companyId: string | null;
  expired: boolean;
  evidence: { url: string; excerpt: string }[];
}
interface Page {
  signals: Signal[];
  nextCursor: string | null;
}
interface Weight {
  type: string;
  points: number;
  windowDays: number;
  decay: string;
  halfLifeDays: number | null;
}
interface Weights {
  weights: Weight[];
  cap: number;
  rescoreQueued: boolean;
}

describe('tools: signals, by an MCP client', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;
  let campaignId = '';
  let leadId = '';
  let icpId = '';
  const ids: Record<string, string> = {};

  before(async () => {
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
    campaignId = (await acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'C' })).campaignId;
    await acme.call('svc_import_leads_csv', { campaignId, csv: 'Email,Title\nada@s.example,CTO\nbo@s.example,CFO\n' });
    const leads = await tools.rows<{ id: string }>(`select id from lead order by email`);
    leadId = leads[0]?.id ?? '';
    icpId = (await acme.call<{ icpId: string }>('svc_create_icp', { campaignId, titles: ['CTO'] })).icpId;
    await acme.call('svc_trigger_icp_scoring', { icpId });
    ids['post'] = await signal('acme', 'new_post', leadId, 1);
    ids['job'] = await signal('acme', 'job_change', leadId, 30);
    ids['old'] = await signal('acme', 'new_post', leadId, 20);
    ids['other'] = await signal('acme', 'funding_round', leads[1]?.id ?? '', 2);
    ids['shared'] = await signal(null, 'headcount_growth', null, 3);
    ids['theirs'] = await signal('rival', 'new_post', null, 1);
  });
  after(() => tools.stop());

  /** Shared: nobody's leads work there unless a test says so. */
  const company = async (): Promise<string> => {
    const [row] = await tools.rows<{ id: string }>(
      `insert into company (id, name, created_at, updated_at) values (gen_random_uuid(), 'Acme', 1, 1) returning id`,
    );
    return row?.id ?? '';
  };
  /** A signal of so many days ago; without a lead, of a company. */
  const signal = async (
    workspace: string | null,
    type: string,
    lead: string | null,
    daysAgo: number,
  ): Promise<string> => {
    const windows: Record<string, number> = { new_post: 14, funding_round: 90 };
    const at = tools.now() - daysAgo * DAY_MS - 60_000;
    const [row] = await tools.rows<{ id: string }>(
      `insert into signal (id, workspace_id, type, lead_id, company_id, title, occurred_at, detected_at, expires_at, evidence)
       values (gen_random_uuid(), $1, $2, $3::uuid, $6::uuid, $2, $4, $4, $5,
         '[{"url": "https://news.example", "excerpt": "It says so"}]') returning id`,
      [workspace, type, lead, at, at + (windows[type] ?? 60) * DAY_MS, lead === null ? await company() : null],
    );
    return row?.id ?? '';
  };
  const list = async (input: object = {}, user = acme): Promise<string[]> => {
    const { signals } = await user.call<Page>('svc_list_signals', input);
    return signals.map((one) => Object.entries(ids).find(([, id]) => id === one.signalId)?.[0] ?? 'unknown');
  };

  describe('svc_list_signals', () => {
    it('lists live signals, newest first, of the workspace and of the shared pool', async () => {
      expect(await list()).to.deep.equal(['post', 'other', 'shared', 'job']);
      expect(await list({ includeExpired: true })).to.deep.equal(['post', 'other', 'shared', 'old', 'job']);
      expect(await list({}, rival)).to.deep.equal(['theirs', 'shared']);
    });

    it('narrows by lead, company, campaign, type and time', async () => {
      expect(await list({ leadId })).to.deep.equal(['post', 'job']);
      expect(await list({ types: ['job_change', 'funding_round'] })).to.deep.equal(['other', 'job']);
      expect(await list({ campaignId })).to.deep.equal(['post', 'other', 'job']);
      const since = new Date(tools.now() - 2.5 * DAY_MS).toISOString();
      expect(await list({ detectedSince: since })).to.deep.equal(['post', 'other']);
      const [shared] = (await acme.call<Page>('svc_list_signals', { types: ['headcount_growth'] })).signals;
      expect(await list({ companyId: shared?.companyId })).to.deep.equal(['shared']);
    });

    it("a company's signal counts for the leads who work there", async () => {
      const [shared] = (await acme.call<Page>('svc_list_signals', { types: ['headcount_growth'] })).signals;
      await tools.rows('update lead set company_id = $2 where id = $1', [leadId, shared?.companyId]);
      await acme.call('svc_trigger_icp_scoring', { icpId });
      const { scores } = await acme.call<{ scores: { reasons: { criterion: string; points: number }[] }[] }>(
        'svc_get_icp_scores',
        { icpId, leadId },
      );
      expect(scores[0]?.reasons.map((one) => one.criterion)).to.include('signal:headcount_growth');
      expect(await list({ campaignId })).to.deep.equal(['post', 'other', 'shared', 'job']);
      const read = await acme.call<{ contributions: object[] }>('svc_get_signal', { signalId: ids['shared'] });
      expect(read.contributions).to.deep.equal([{ campaignId, points: 9.5, decayedFrom: 10 }]);
      await tools.rows('update lead set company_id = null where id = $1', [leadId]);
      await acme.call('svc_trigger_icp_scoring', { icpId });
    });

    it('pages without gaps', async () => {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Page = await acme.call('svc_list_signals', { limit: 2, ...(cursor ? { cursor } : {}) });
        seen.push(...page.signals.map((one) => one.signalId));
        cursor = page.nextCursor;
      } while (cursor);
      expect(seen).to.deep.equal([ids['post'], ids['other'], ids['shared'], ids['job']]);
    });

    it('refuses what is not found: campaign, lead, company; a foreign one alike', async () => {
      const refused = (input: object, user = acme) => user.refusal('svc_list_signals', input);
      expect(await refused({ campaignId: NOBODY })).to.equal(notFound('Campaign', NOBODY, 'svc_list_campaigns'));
      expect(await refused({ campaignId }, rival)).to.equal(notFound('Campaign', campaignId, 'svc_list_campaigns'));
      expect(await refused({ leadId: NOBODY })).to.equal(notFound('Lead', NOBODY, 'svc_search_leads'));
      expect(await refused({ leadId }, rival)).to.equal(notFound('Lead', leadId, 'svc_search_leads'));
      expect(await refused({ companyId: NOBODY })).to.match(/^Company ".*" was not found\. Call svc_search_/);
    });
  });

  describe('svc_get_signal', () => {
    it('reads evidence and what it adds per campaign today, faded from its full points', async () => {
      const read = await acme.call<{ signal: Signal; contributions: object[] }>('svc_get_signal', {
        signalId: ids['job'],
      });
      expect(read.signal).to.deep.include({
        type: 'job_change',
        leadId,
        expired: false,
        evidence: [{ url: 'https://news.example', excerpt: 'It says so' }],
      });
      expect(read.contributions).to.deep.equal([{ campaignId, points: 7.5, decayedFrom: 15 }]);
    });

    it('an expired signal adds nothing', async () => {
      const read = await acme.call<{ signal: Signal; contributions: object[] }>('svc_get_signal', {
        signalId: ids['old'],
      });
      expect(read.signal.expired).to.equal(true);
      expect(read.contributions).to.deep.equal([{ campaignId, points: 0, decayedFrom: 5 }]);
    });

    it('answers a missing and a foreign signal alike', async () => {
      for (const id of [NOBODY, ids['theirs'] ?? ''])
        expect(await acme.refusal('svc_get_signal', { signalId: id })).to.equal(
          notFound('Signal', id, 'svc_list_signals'),
        );
    });
  });

  describe('svc_get_signal_weights', () => {
    it("reads the platform's defaults for a campaign that set nothing", async () => {
      const { weights, cap } = await acme.call<Weights>('svc_get_signal_weights', { campaignId });
      expect(cap).to.equal(50);
      expect(weights).to.deep.equal([
        { type: 'job_change', points: 15, windowDays: 60, decay: 'linear', halfLifeDays: null },
        { type: 'new_post', points: 5, windowDays: 14, decay: 'linear', halfLifeDays: null },
        { type: 'funding_round', points: 20, windowDays: 90, decay: 'linear', halfLifeDays: null },
        { type: 'headcount_growth', points: 10, windowDays: 60, decay: 'linear', halfLifeDays: null },
      ]);
    });

    it('answers a missing and a foreign campaign alike', async () => {
      const text = (id: string) => notFound('Campaign', id, 'svc_list_campaigns');
      expect(await acme.refusal('svc_get_signal_weights', { campaignId: NOBODY })).to.equal(text(NOBODY));
      expect(await rival.refusal('svc_get_signal_weights', { campaignId })).to.equal(text(campaignId));
    });
  });

  describe('svc_update_signal_weights', () => {
    const update = (weights: object[], more: object = {}): Promise<Weights> =>
      acme.call<Weights>('svc_update_signal_weights', { campaignId, weights, ...more });
    const scoreOf = async (): Promise<number | undefined> => {
      await acme.call('svc_trigger_icp_scoring', { icpId });
      const { scores } = await acme.call<{ scores: { signalScore: number }[] }>('svc_get_icp_scores', {
        icpId,
        leadId,
      });
      return scores[0]?.signalScore;
    };

    it('is kept in the Campaign resource, changes only what is given, and rescores', async () => {
      const before = await scoreOf();
      const { weights, rescoreQueued } = await update([{ type: 'job_change', points: 40, decay: 'none' }]);
      expect(rescoreQueued).to.equal(true);
      expect(weights[0]).to.deep.equal({
        type: 'job_change',
        points: 40,
        windowDays: 60,
        decay: 'none',
        halfLifeDays: null,
      });
      expect(weights[1]).to.include({ points: 5, windowDays: 14 });
      const object = await tools.cluster.object(`campaigns/outrider/${campaignId}`);
      expect(object?.spec).to.have.nested.property('signalWeights.job_change', 40);
      expect(object?.spec).to.have.nested.property('signalWeights.new_post', 5);
      // 7.5 + 4.6 before; 40 + 4.6 after.
      expect([before, await scoreOf()]).to.deep.equal([12, 45]);
    });

    it('the same store as signalWeights of svc_update_campaign', async () => {
      await acme.call('svc_update_campaign', { campaignId, signalWeights: { job_change: 33 } });
      const { weights } = await acme.call<Weights>('svc_get_signal_weights', { campaignId });
      expect(weights[0]).to.include({ points: 33, decay: 'none' });
    });

    it('points that svc_update_campaign changes rescore too', async () => {
      const stale = async (): Promise<boolean | undefined> =>
        (await acme.call<{ icps: { scoresStale: boolean }[] }>('svc_list_icps', { campaignId })).icps[0]?.scoresStale;
      await scoreOf();
      await acme.call('svc_update_campaign', { campaignId, title: 'C again', signalWeights: { job_change: 33 } });
      expect(await stale(), 'nothing changed').to.equal(false);
      await acme.call('svc_update_campaign', { campaignId, signalWeights: { job_change: 34 } });
      expect(await stale()).to.equal(true);
      const { clock: real } = tools.cluster.runtime;
      const clocks = { real, product: tools.cluster.clock };
      const worker = new ScoringWorker({ db: tools.cluster.db, clocks, ids: systemIds });
      expect(await worker.next(), 'a pass is queued').to.equal(true);
      expect(await stale()).to.equal(false);
    });

    it('a half-life halves, and the cap holds and is explained', async () => {
      await update([{ type: 'job_change', points: 80, decay: 'half_life', halfLifeDays: 30 }], { cap: 20 });
      expect(await scoreOf()).to.equal(20);
      const { scores } = await acme.call<{ scores: { reasons: { criterion: string; points: number }[] }[] }>(
        'svc_get_icp_scores',
        { icpId, leadId },
      );
      expect(scores[0]?.reasons.slice(1).map((one) => [one.criterion, one.points])).to.deep.equal([
        ['signal:new_post', 5],
        ['signal:job_change', 40],
        ['signal_cap', -25],
      ]);
    });

    it('a shorter window ends signals sooner', async () => {
      await update([{ type: 'job_change', windowDays: 29 }]);
      expect(await scoreOf()).to.equal(5);
    });

    it('a half-life needs its days, and a type comes once', async () => {
      const refused = (weights: object[]) => acme.refusal('svc_update_signal_weights', { campaignId, weights });
      expect(await refused([{ type: 'new_post', decay: 'half_life' }])).to.equal(
        'Invalid input: weights.0.halfLifeDays: is required when decay is half_life',
      );
      expect(await refused([{ type: 'new_post' }, { type: 'new_post' }])).to.equal(
        'Invalid input: weights.1.type: new_post is given twice',
      );
    });

    it('answers a missing and a foreign campaign alike', async () => {
      const text = (id: string) => notFound('Campaign', id, 'svc_list_campaigns');
      const weights = [{ type: 'new_post' }];
      expect(await acme.refusal('svc_update_signal_weights', { campaignId: NOBODY, weights })).to.equal(text(NOBODY));
      expect(await rival.refusal('svc_update_signal_weights', { campaignId, weights })).to.equal(text(campaignId));
    });
  });
});
