import { expect } from 'chai';
import { openOutside } from '../../../../pkg/engine/calls/outside.ts';
import type { NetworkCompany } from '../../../../pkg/providers/network/network-provider.ts';
import { SiteReader } from '../../../../pkg/providers/site/site-reader.ts';
import { type AgentWorld, DAY, openAgentWorld } from '../../../fixtures/signals/agent-world.ts';
import { type HostileSource, page, rss, startHostileSource } from '../../../fixtures/signals/hostile-source.ts';
import { SearchedNetwork } from '../../../fixtures/signals/searched-network.ts';

const HOUR = 3_600_000;
const FEED = 'https://news.example/feed';
const TYPES = ['funding_round', 'headcount_growth'];

/** A network on which companies show how many people they have. */
class CountedNetwork extends SearchedNetwork {
  readonly headcounts = new Map<string, number | null>();

  override readCompany(_account: unknown, publicId: string): Promise<NetworkCompany | null> {
    const headcount = this.headcounts.get(publicId);
    return Promise.resolve(headcount === undefined ? null : { companyId: publicId, name: publicId, headcount });
  }
}

interface Found {
  type: string;
  title: string;
  occurred_at: number;
  expires_at: number;
  evidence: { url: string; excerpt: string }[];
  company: string;
}

describe('feeds, sites and pages of companies as sources of signal agents', function () {
  this.timeout(180_000);
  let world: AgentWorld;
  let source: HostileSource;
  let sites: SiteReader;
  const network = new CountedNetwork();
  before(async () => {
    source = await startHostileSource();
    sites = new SiteReader(source.url, 500);
    world = await openAgentWorld(network, { outside: { ...openOutside({}, undefined), sites } });
    await world.tools.account('acme');
  });
  after(async () => {
    await world.stop();
    await sites.close();
    await source.stop();
  });
  beforeEach(async () => {
    await world.forget();
    // A look is an hour after the one before at least.
    world.advance(DAY);
  });

  let count = 0;
  /** Somebody who works there. @returns the company */
  async function staff(company: string): Promise<string> {
    const leadId = await world.lead({ email: `p${++count}@p${count}.example`, title: 'CTO', company });
    const [row] = await world.tools.rows<{ id: string }>('select company_id as id from lead where id = $1', [leadId]);
    return row?.id ?? '';
  }
  const signals = (): Promise<Found[]> =>
    world.tools.rows<Found>(
      `select s.type, s.title, s.occurred_at, s.expires_at, s.evidence, c.name as company
       from signal s
       join company c on c.id = s.company_id
       order by s.occurred_at, s.title`,
    );
  /** Runs the agent an hour later. */
  async function look(id: string): Promise<Record<string, unknown>> {
    world.advance(HOUR + 1);
    const run = await world.run(id);
    expect(run, JSON.stringify(run)).to.include({ status: 'succeeded' });
    return run['result'] as Record<string, unknown>;
  }
  const agentFor = (url: string, kind = 'feed', more: object = {}): Promise<string> =>
    world.agent({ signalTypes: TYPES, sources: [{ kind, url, ...more }] });

  it('A9 a feed that states a funding round is a signal of the company, with words of the feed as evidence, and finds its people', async () => {
    await staff('Oak Robotics');
    const at = world.now() - 3 * DAY;
    const says = 'Berlin-based Oak Robotics GmbH has raised €12 million in a Series A led by Fir Ventures.';
    source.says(
      'news.example/feed',
      rss([{ id: '1', title: 'News', text: `Hello. ${says} More.`, url: 'https://news.example/1', at }]),
    );
    const id = await agentFor(FEED);
    expect(await look(id)).to.include({ feeds_read: 1, found_funding_round: 1, signalsSeen: 1, enqueued: 1 });
    const [signal, ...more] = await signals();
    expect(more).to.deep.equal([]);
    expect(signal).to.deep.include({
      type: 'funding_round',
      company: 'Oak Robotics',
      occurred_at: Math.floor(at / 1000) * 1000,
      evidence: [{ url: 'https://news.example/1', excerpt: says }],
    });
    expect(signal?.expires_at).to.equal((signal?.occurred_at ?? 0) + 90 * DAY);
    expect(await look(id))
      .to.include({ feeds_read: 1, signalsSeen: 0 })
      .and.not.have.property('found_funding_round');
  });

  it('W1 a cursor is not a timestamp: edited dates, another order and rotated ids make no second signal, and what is new is found', async () => {
    await staff('Elm Tools');
    const at = world.now() - 40 * DAY;
    const item = {
      id: 'a',
      title: 'Elm Tools raises $9M seed round',
      text: 'Elm Tools is a maker of tools for elms.',
      at,
    };
    const other = { id: 'b', title: 'Weather', text: 'It rains.', at: at - DAY };
    source.says('news.example/feed', rss([item, other]));
    const id = await agentFor(FEED);
    expect(await look(id)).to.include({ found_funding_round: 1 });
    for (const shown of [
      [other, item],
      [{ ...item, at: world.now() }],
      [{ ...item, id: 'rotated', at: world.now() }],
      [{ ...item, title: 'Elm Tools raises $10M seed round', at: world.now() }],
    ]) {
      source.says('news.example/feed', rss(shown));
      expect(await look(id)).to.not.have.property('found_funding_round');
    }
    const later = { id: 'c', title: 'Elm Tools closes its Series A', at: world.now() };
    source.says('news.example/feed', rss([later, item]));
    expect(await look(id)).to.include({ found_funding_round: 1 });
    expect((await signals()).map(({ title }) => title)).to.deep.equal([item.title, later.title]);
  });

  it('A7 a second source adds evidence and makes no second signal', async () => {
    await staff('Ash Works');
    const at = world.now() - HOUR;
    const told = { title: 'Ash Works raises $9M Series B', at };
    source.says('news.example/feed', rss([{ ...told, url: 'https://news.example/ash' }]));
    source.says(
      'press.example/atom',
      `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>x</id><title>Ash Works secures Series B financing</title>
      <link href="https://press.example/ash"/><updated>${new Date(at).toISOString()}</updated></entry></feed>`,
    );
    const id = await world.agent({
      signalTypes: TYPES,
      sources: [
        { kind: 'feed', url: FEED },
        { kind: 'feed', url: 'https://press.example/atom' },
      ],
    });
    expect(await look(id)).to.include({ feeds_read: 2, found_funding_round: 1, enqueued: 1 });
    const [signal] = await signals();
    expect(signal?.evidence.map(({ url }) => url)).to.deep.equal([
      'https://news.example/ash',
      'https://press.example/ash',
    ]);
  });

  it('a page is compared twice in a row: what shows once is nothing, and what it says since is a signal', async () => {
    const companyId = await staff('Fir Labs');
    const at = 'fir.example/news';
    const usual = `Fir Labs makes things. ${'They are good things that people need. '.repeat(10)}`;
    source.says(at, page(usual, 'We raised a seed round from Oak.'));
    const id = await agentFor('https://fir.example/news', 'site', { companyId });
    const quiet = async (): Promise<void> => {
      expect(await look(id))
        .to.include({ sites_read: 1 })
        .and.not.have.property('found_funding_round');
    };
    await quiet();
    source.says(at, page(usual, 'We raised a $30M Series B.'));
    await quiet();
    source.says(at, page(usual, 'We raised a seed round from Oak.'));
    await quiet();
    const news = page('We have closed our Series C, led by Elm.', usual, 'We raised a seed round from Oak.');
    source.says(at, news);
    await quiet();
    expect(await look(id)).to.include({ found_funding_round: 1, enqueued: 1 });
    await quiet();
    const [signal, ...more] = await signals();
    expect(more).to.deep.equal([]);
    expect(signal).to.deep.include({ company: 'Fir Labs', title: 'We have closed our Series C, led by Elm.' });
    expect(news).to.contain(signal?.evidence[0]?.excerpt);
  });

  it('a wall, an empty page, a slow one, a 500, 10 MB and a bomb of entities fail their source alone, say why, and lose nothing', async () => {
    await staff('Yew Systems');
    const item = { id: '1', title: 'Yew Systems raises $5M seed round', at: world.now() };
    const bomb = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from({ length: 9 }, (_, n) => `<!ENTITY lol${n + 1} "${`&lol${n || ''};`.repeat(10)}">`).join('')}]><rss><channel><item><title>&lol9;</title></item></channel></rss>`;
    const cases: [kind: string, name: string, answer: Parameters<HostileSource['says']>[1], why: RegExp | null][] = [
      [
        'site',
        'wall',
        '<title>Just a moment...</title><p>Checking your browser before you continue</p>',
        /wall for robots/,
      ],
      ['site', 'empty', '', /empty/],
      ['feed', 'slow', { never: true }, /./],
      ['feed', 'broken', { status: 500 }, /answered 500/],
      ['feed', 'huge', rss([{ title: 'x'.repeat(10 * 1024 * 1024) }]), /./],
      ['feed', 'deep', `<rss>${'<channel>'.repeat(5_000)}`, /too many elements/],
      ['feed', 'html', page('no feed'), /no feed|no XML/],
      ['feed', 'away', { status: 302, headers: { location: 'https://elsewhere.example/feed' } }, /another site/],
      ['feed', 'bomb', bomb, null],
    ];
    for (const [, name, answer] of cases) source.says(`${name}.example/x`, answer);
    source.says('denied.example/robots.txt', {
      body: 'User-agent: outrider\nDisallow: /x',
      headers: { 'content-type': 'text/plain' },
    });
    source.says('denied.example/x', rss([item]));
    const id = await world.agent({
      signalTypes: TYPES,
      sources: [
        ...cases.map(([kind, name]) => ({ kind, url: `https://${name}.example/x` })),
        { kind: 'feed', url: 'https://denied.example/x' },
      ],
    });
    expect(await look(id)).to.include({ feeds_read: 1, feeds_failed: 7, sites_failed: 2, signalsSeen: 0 });
    expect(source.asked).to.not.include('denied.example/x');
    const { signalAgent } = await world.acme.call<{
      signalAgent: { sources: { url: string; failures: number; failure: string | null; readAt: string | null }[] };
    }>('svc_get_signal_agent', { signalAgentId: id });
    for (const [, name, , why] of cases) {
      const one = signalAgent.sources.find(({ url }) => url === `https://${name}.example/x`);
      if (why === null) expect(one, name).to.include({ failures: 0, failure: null });
      else expect(one?.failure, name).to.match(why);
    }
    const denied = signalAgent.sources.find(({ url }) => url === 'https://denied.example/x');
    expect(denied).to.include({ failures: 1, failure: 'its robots.txt asks not to read it', readAt: null });
    source.says('broken.example/x', rss([item]));
    expect(await look(id)).to.include({ found_funding_round: 1 });
  });

  it('a source that failed three times in a row is looked at once a day', async () => {
    source.says('news.example/feed', { status: 500 });
    const id = await agentFor(FEED);
    for (let time = 0; time < 3; time++) expect(await look(id)).to.include({ feeds_failed: 1 });
    expect(await look(id))
      .to.include({ sources: 'every feed and site was looked at lately' })
      .and.not.have.property('feeds_failed');
    world.advance(20 * HOUR);
    source.says('news.example/feed', rss([]));
    expect(await look(id)).to.include({ feeds_read: 1 });
  });

  it('news of companies that nobody knows, of a name that two bear, of others than "we", and of undated items at the first look are none', async () => {
    await staff('Birch');
    const theirs = await staff('Birch Twin');
    await world.tools.force(`update company set company_key = 'birch', domain = 'birch-twin.example' where id = $1`, [
      theirs,
    ]);
    await staff('Cedar');
    source.says(
      'news.example/feed',
      rss([
        { title: 'Unheard Of raises $5M seed round', at: world.now() },
        { title: 'Birch raises $5M seed round', at: world.now() },
        { title: 'We raised a $5M seed round', at: world.now() },
        { title: 'Cedar raises $5M seed round' },
        { title: 'Cedar raises $6M seed round', at: world.now() - 100 * DAY },
      ]),
    );
    const id = await agentFor(FEED);
    const result = await look(id);
    expect(result)
      .to.include({ news_of_unknown_companies: 3, signalsSeen: 0 })
      .and.not.have.property('found_funding_round');
    source.says('news.example/feed', rss([{ title: 'Cedar raises $7M in a round of its friends' }]));
    expect(await look(id), 'new since, so it is of now').to.include({ found_funding_round: 1 });
  });

  it('growth of the number of people on the page of a company is a signal of its quarter; the first look is a baseline, and small steps add up', async () => {
    const companyId = await staff('Pine');
    await world.tools.force(`update company set profile_url = 'https://www.linkedin.com/company/pine' where id = $1`, [
      companyId,
    ]);
    const id = await world.agent({ signalTypes: ['headcount_growth'] });
    const weekly = async (headcount: number | null): Promise<Record<string, unknown>> => {
      network.headcounts.set('pine', headcount);
      world.advance(7 * DAY);
      return look(id);
    };
    world.at(Date.UTC(2026, 6, 6, 10));
    expect(await weekly(100))
      .to.include({ companies_seen: 1 })
      .and.not.have.property('found_headcount_growth');
    expect(await weekly(106)).to.not.have.property('found_headcount_growth');
    expect(await weekly(null)).to.not.have.property('found_headcount_growth');
    expect(await weekly(112)).to.include({ found_headcount_growth: 1, enqueued: 1 });
    expect(await weekly(130), 'the same quarter').to.not.have.property('found_headcount_growth');
    const [signal] = await signals();
    expect(signal).to.include({ title: 'pine has 112 people, before 100' });
    expect((signal?.expires_at ?? 0) - (signal?.occurred_at ?? 0)).to.equal(60 * DAY);
    expect(signal?.evidence).to.have.length(2);
    await look(id);
    expect(await look(id), 'once a week').to.not.have.property('companies_seen');
  });

  it('sources are set as a whole, in one form, at public https addresses only, and keep what is known of them', async () => {
    const refused = (url: string, more: object = {}): Promise<string> =>
      world.acme.refusal('svc_create_signal_agent', {
        name: 'X',
        signalTypes: TYPES,
        sources: [{ kind: 'feed', url, ...more }],
      });
    for (const url of [
      'http://news.example/feed',
      'https://127.0.0.1/feed',
      'https://[::1]/',
      'https://localhost/feed',
      'https://u:p@news.example/',
      'https://news.example:8443/',
      'file:///etc/passwd',
    ])
      expect(await refused(url), url).to.match(/^Invalid input: sources\[0\]\.url: /);
    expect(await refused(FEED, { companyId: 'nowhere' })).to.contain('svc_search_companies');
    source.says('news.example/feed', rss([]));
    const id = await agentFor('https://NEWS.example/feed#top');
    await look(id);
    const sources = async (): Promise<Record<string, unknown>[]> => {
      const of = { signalAgentId: id };
      return (
        await world.acme.call<{ signalAgent: { sources: Record<string, unknown>[] } }>('svc_get_signal_agent', of)
      ).signalAgent.sources;
    };
    expect((await sources())[0])
      .to.include({ kind: 'feed', url: FEED, companyId: null, failures: 0 })
      .and.not.include({ readAt: null });
    await world.acme.call('svc_update_signal_agent', { signalAgentId: id, minScore: 0 });
    const more = { kind: 'site', url: 'https://oak.example/' };
    await world.acme.call('svc_update_signal_agent', {
      signalAgentId: id,
      sources: [more, { kind: 'feed', url: FEED }],
    });
    expect((await sources()).map(({ url, readAt }) => [url, readAt !== null])).to.deep.equal([
      ['https://oak.example/', false],
      [FEED, true],
    ]);
    await world.acme.call('svc_update_signal_agent', { signalAgentId: id, sources: [] });
    expect(await sources()).to.deep.equal([]);
  });
});
