import { expect } from 'chai';
import { DAY } from '../../../fixtures/signals/agent-world.ts';
import { openWatchWorld, type TestPost, type WatchWorld } from '../../../fixtures/watches/watch-world.ts';

interface Listed {
  searchWatches: {
    searchWatchId: string;
    status: string;
    pauseReason: string | null;
    creditsThisMonth: number;
    hits: { title: string; author: string; url: string; leadId: string | null }[];
    risingTopics: object[];
  }[];
}

describe('watches of topics and searches', function () {
  this.timeout(120_000);
  let world: WatchWorld;
  before(async () => {
    world = await openWatchWorld();
  });
  after(() => world.stop());

  const post = (n: number, at: number, more: Partial<TestPost> = {}): TestPost => ({
    id: `post-${n}`,
    text: `Thought ${n} on conveyor belts`,
    at,
    author: `writer-${n}`,
    ...more,
  });
  const make = async (input: object): Promise<string> => {
    const made = await world.acme.call<{ searchWatchId: string }>('svc_create_search_watch', { name: 'W', ...input });
    return made.searchWatchId;
  };
  const list = async (watchId: string, hitsPerWatch = 20): Promise<Listed['searchWatches'][0]> => {
    const { searchWatches } = await world.acme.call<Listed>('svc_list_search_watches', {
      hitsPerWatch,
      detail: 'full',
    });
    const found = searchWatches.find((watch) => watch.searchWatchId === watchId);
    if (!found) throw new Error('not listed');
    return found;
  };

  describe('svc_list_search_watches', () => {
    it('W4 the first run is a baseline; what is posted after it is a hit, once, with its author as a lead', async () => {
      const now = world.now();
      await world.search('belts', { posts: [post(2, now - DAY), post(1, now - 2 * DAY)] });
      const id = await make({ kind: 'topic', query: 'belts' });
      await world.later(0.2);
      expect((await list(id)).hits).to.deep.equal([]);
      expect((await world.checks(id))[0]).to.deep.include({ state: 'succeeded' });
      expect((await world.checks(id))[0]?.result).to.deep.include({ found: 0, baseline: 2, credits: 1 });
      await world.search('belts', { posts: [post(3, now + 1), post(2, now - DAY), post(1, now - 2 * DAY)] });
      await world.later(24);
      await world.later(24);
      const { hits, creditsThisMonth } = await list(id);
      expect(hits.map((hit) => [hit.title, hit.author])).to.deep.equal([['Thought 3 on conveyor belts', 'Writer Ito']]);
      expect(hits[0]?.leadId).to.be.a('string');
      expect(creditsThisMonth).to.equal(3);
      const told = await world.tools.rows(`select data from run_event where kind = 'watch.found'`);
      expect(told).to.deep.equal([{ data: { watchId: id, found: 1 } }]);
      await world.acme.call('svc_delete_search_watch', { searchWatchId: id });
    });
  });

  describe('svc_create_search_watch', () => {
    it('T2 a search URL is parsed, never fetched raw: what is no search of the network is refused', async () => {
      const refusal = (searchUrl: string): Promise<string> =>
        world.acme.refusal('svc_create_search_watch', { kind: 'search', name: 'S', searchUrl });
      for (const url of [
        'http://www.linkedin.com/search/results/people/?keywords=x',
        'https://linkedin.com.evil.example/search/results/people/?keywords=x',
        'https://www.linkedin.com:8443/search/results/people/?keywords=x',
        'https://me@www.linkedin.com/search/results/people/?keywords=x',
        'https://www.linkedin.com/in/jane',
        'https://www.linkedin.com/search/results/people/',
      ])
        expect(await refusal(url), url).to.match(/^Invalid input: searchUrl: .* svc_build_search_url /);
      expect(
        await world.acme.refusal('svc_create_search_watch', {
          kind: 'topic',
          name: 'S',
          query: 'a',
          searchUrl: 'https://x.example',
        }),
      ).to.contain('exactly one of query and searchUrl');
    });

    it('T3 people who newly match feed the list, without the excluded; who comes back is not new', async () => {
      const { leadListId } = await world.acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Hits' });
      const searchUrl = 'https://www.linkedin.com/search/results/people/?keywords=cto%20berlin&origin=FACETED_SEARCH';
      await world.search('cto berlin', { people: ['old-hand'] });
      const id = await make({ kind: 'search', searchUrl, leadListId });
      await world.later(0.2);
      await world.acme.call('svc_add_signal_exclusion', {
        kind: 'profile_url',
        value: 'https://www.linkedin.com/in/no-thanks',
      });
      await world.search('cto berlin', { people: ['new-face', 'no-thanks'] });
      await world.later(24);
      await world.search('cto berlin', { people: ['old-hand', 'new-face'] });
      await world.later(24);
      expect((await list(id)).hits.map((hit) => hit.title)).to.deep.equal(['New Face']);
      const { leadList } = await world.acme.call<{ leadList: { leadCount: number } }>('svc_get_lead_list', {
        leadListId,
      });
      expect(leadList.leadCount).to.equal(1);
      await world.acme.call('svc_delete_search_watch', { searchWatchId: id });
    });
  });

  describe('svc_delete_search_watch', () => {
    it('deletes what it saw and found; leads stay; what is on hold is given back', async () => {
      await world.search('deleted', { posts: [] });
      const id = await make({ kind: 'topic', query: 'deleted' });
      await world.later(0.2);
      await world.search('deleted', { posts: [post(70, world.now())] });
      await world.later(24);
      const [hit] = (await list(id)).hits;
      const before = await world.credits();
      await world.acme.call('svc_delete_search_watch', { searchWatchId: id });
      expect(await world.credits()).to.equal(before);
      await world.later(48);
      const [rows] = await world.tools.rows<{ n: number }>(
        `select (select count(*) from watch_seen where watch_id = $1)::int
           + (select count(*) from watch_finding where watch_id = $1)::int as n`,
        [id],
      );
      expect(rows?.n).to.equal(0);
      await world.acme.call('svc_get_lead', { leadId: hit?.leadId ?? '' });
    });
  });

  describe('the automation source_leads', () => {
    it('brings people of an ICP into the campaign, each once, within its limits; who is excluded costs nothing', async () => {
      const { campaignId } = world;
      const { icpId } = await world.acme.call<{ icpId: string }>('svc_create_icp', {
        campaignId,
        keywords: ['robots'],
      });
      await world.acme.call('svc_add_signal_exclusion', {
        kind: 'profile_url',
        value: 'https://www.linkedin.com/in/never-again',
      });
      const people = ['never-again', ...Array.from({ length: 70 }, (_, n) => `robot-maker-${n}`)];
      await world.search('robots', { people });
      const { automationId } = await world.acme.call<{ automationId: string }>('svc_upsert_automation', {
        campaignId,
        name: 'Source',
        kind: 'source_leads',
        schedule: '0 7 * * *',
        settings: { icpId, maxLeads: 60, creditLimit: 500 },
      });
      const before = await world.credits();
      await world.acme.call('svc_toggle_automation', { automationId });
      await world.later(24);
      const [run] = await world.checks(automationId);
      expect(run?.result).to.deep.include({ added: 60, credits: 60, pages: 2, seen: 71 });
      expect(before - (await world.credits())).to.equal(60);
      await world.later(24);
      expect((await world.checks(automationId))[0]?.result).to.deep.include({ added: 10, credits: 10 });
      await world.later(24);
      expect((await world.checks(automationId))[0]?.result).to.deep.include({ added: 0, credits: 0 });
      const [count] = await world.tools.rows<{ n: number }>(
        'select count(*)::int as n from campaign_lead where campaign_id = $1',
        [campaignId],
      );
      expect(count?.n).to.equal(70);
    });
  });
});
