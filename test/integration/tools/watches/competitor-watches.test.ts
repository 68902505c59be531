import { expect } from 'chai';
import { seededRandom } from '../../../../pkg/domain/random.ts';
import { DAY } from '../../../fixtures/signals/agent-world.ts';
import { openWatchWorld, type TestPost, type WatchWorld } from '../../../fixtures/watches/watch-world.ts';

interface Got {
  competitorWatch: {
    status: string;
    pauseReason: string | null;
    findingsNew: number;
    creditsThisMonth: number;
    gap: object | null;
    nextCheckAt: string | null;
    lastCheck: { found: number; baseline: number; excluded: number; notes: string[] } | null;
  };
  findings: { kind: string; title: string; people: { name: string; leadId: string | null }[] }[];
  nextCursor: string | null;
}

describe('watches of competitors', function () {
  this.timeout(120_000);
  let world: WatchWorld;
  before(async () => {
    world = await openWatchWorld();
  });
  after(() => world.stop());
  afterEach(async () => {
    const { competitorWatches } = await world.acme.call<{ competitorWatches: { competitorWatchId: string }[] }>(
      'svc_list_competitor_watches',
    );
    for (const { competitorWatchId } of competitorWatches)
      await world.acme.call('svc_delete_competitor_watch', { competitorWatchId });
  });

  let made = 0;
  /** A watch of a company of its own. */
  async function watched(input: object = {}): Promise<{ id: string; company: string; host: string }> {
    const company = `rival-${++made}`;
    const host = `${company}.example`;
    const of = 'domain' in input ? {} : { profileUrl: `https://www.linkedin.com/company/${company}` };
    const { competitorWatchId } = await world.acme.call<{ competitorWatchId: string }>('svc_create_competitor_watch', {
      name: `Rival ${made}`,
      excludeFromOutreach: false,
      ...of,
      ...input,
    });
    return { id: competitorWatchId, company, host };
  }
  const get = (competitorWatchId: string, input: object = {}): Promise<Got> =>
    world.acme.call<Got>('svc_get_competitor_watch', { competitorWatchId, limit: 100, detail: 'full', ...input });
  const titles = async (id: string): Promise<string[]> =>
    (await get(id)).findings.map((finding) => `${finding.kind}: ${finding.title}`).toSorted();
  async function allTitles(id: string): Promise<string[]> {
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Got = await get(id, cursor === null ? {} : { cursor });
      found.push(...page.findings.map((finding) => `${finding.kind}: ${finding.title}`));
      cursor = page.nextCursor;
    } while (cursor !== null);
    return found;
  }
  /** The source changes what it says of posts that were there before. */
  function meddle(shown: TestPost[], random: () => number): TestPost[] {
    for (const one of shown.slice(0, 150)) {
      const draw = random();
      if (draw < 0.05) one.at -= 1_000;
      if (draw > 0.95) one.id = `${one.id}x`;
    }
    return [...shown.slice(0, 15).toSorted(() => random() - 0.5), ...shown.slice(15)];
  }
  const news = (n: number): string => `News ${n}: we have something to tell at some length`;
  const post = (n: number, at: number, more: Partial<TestPost> = {}): TestPost => ({
    id: `p-${made}-${n}`,
    text: news(n),
    at,
    ...more,
  });

  describe('svc_get_competitor_watch', () => {
    it('W6 engagers are people, not rows: reacting and commenting is one finding; the excluded and their own staff are none', async () => {
      const { id, company } = await watched({ kinds: ['engager', 'post'] });
      await world.company(company, { name: 'Rivalry', posts: [post(1, world.now() - DAY)] });
      await world.later(0.2);
      const exclude = { kind: 'profile_url', value: 'https://www.linkedin.com/in/our-customer' };
      await world.acme.call('svc_add_signal_exclusion', exclude);
      const people = { reactions: ['jane-doe', 'max-muster', 'our-customer'], comments: ['jane-doe'] };
      await world.company(company, {
        name: 'Rivalry',
        posts: [post(2, world.now() + 1, people), post(1, world.now() - DAY)],
      });
      await world.later(24);
      expect(await titles(id)).to.deep.equal([
        `engager: Jane Doe reacted to and commented on: ${news(2)}`,
        `engager: Max Muster reacted to: ${news(2)}`,
        `post: ${news(2)}`,
      ]);
      const { findings, competitorWatch } = await get(id, { kinds: ['engager'] });
      expect(competitorWatch.findingsNew).to.equal(3);
      expect(competitorWatch.lastCheck?.excluded).to.equal(1);
      const [lead] = findings.flatMap((finding) => finding.people);
      const { lead: read } = await world.acme.call<{ lead: object }>('svc_get_lead', { leadId: lead?.leadId ?? '' });
      expect(read).to.deep.include({ fullName: lead?.name });
      await world.acme.call('svc_add_signal_exclusion', {
        kind: 'profile_url',
        value: 'https://www.linkedin.com/in/max-muster',
      });
      const offered = (await get(id, { kinds: ['engager'] })).findings.flatMap((finding) => finding.people);
      expect(offered.map((person) => person.name)).to.deep.equal(['Jane Doe']);
    });
  });

  it('W5 a site change counts when two looks in a row show it; a bot wall, an empty page and dates are no change', async () => {
    const { id } = await watched({ domain: `site-a.example` });
    const page = (words: string): string =>
      `<html><nav>Menu ${Math.random()}</nav><main><p>${words} ${'We build robots for warehouses. '.repeat(20)}</p></main></html>`;
    const show = async (pages: string | object, hours = 24): Promise<void> => {
      await world.site('site-a.example', pages);
      await world.later(hours);
    };
    await show(page('Founded in May 2019.'), 0.2);
    await show(page('Founded in June 2020.'));
    await show({ '/': { status: 500, text: 'down' } });
    await show('<title>Just a moment</title><main>Checking your browser</main>');
    await show('');
    await show(page('Once only.'));
    await show(page('Founded in May 2019.'));
    expect(await titles(id)).to.deep.equal([]);
    await show(page('Now with a new price.'));
    expect(await titles(id)).to.deep.equal([]);
    await show(page('Now with a new price.'));
    await show(page('Now with a new price.'));
    expect((await titles(id)).map((title) => title.slice(0, 45))).to.deep.equal([
      'site_change: site-a.example says something ne',
    ]);
    // Three looks could not read it: they cost nothing.
    expect((await get(id)).competitorWatch.creditsThisMonth).to.equal(7);
  });

  it('W5 robots.txt is honoured: the site is not read, and the check costs nothing', async () => {
    const { id } = await watched({ domain: 'closed.example' });
    await world.site('closed.example', {
      '/robots.txt': { text: 'User-agent: *\nDisallow: /\n', contentType: 'text/plain' },
      '/': { text: '<main>Here we are, with everything that we make and sell to everybody.</main>' },
    });
    const before = await world.credits();
    await world.later(0.2);
    expect((await world.checks(id))[0]?.error).to.contain('robots.txt asks not to read it');
    expect(await world.credits()).to.equal(before);
    expect((await get(id)).competitorWatch.creditsThisMonth).to.equal(0);
  });

  describe('svc_create_competitor_watch', () => {
    it('W7 budget first: a month’s limit pauses the watch and says until when; the next month it goes on', async () => {
      const { id, company } = await watched({ kinds: ['post'], monthlyCreditLimit: 2 });
      await world.company(company, { posts: [] });
      await world.later(0.2);
      await world.later(24);
      await world.later(24);
      const paused = (await get(id)).competitorWatch;
      expect(paused).to.deep.include({ status: 'paused', creditsThisMonth: 2 });
      const month = new Date(world.now()).toISOString().slice(0, 7);
      expect(paused.pauseReason).to.match(/^budget: .* it goes on at 20\d\d-\d\d-01T/);
      await world.later(24 * 3);
      expect((await get(id)).competitorWatch.creditsThisMonth).to.equal(2);
      await world.later(24 * 30);
      expect(new Date(world.now()).toISOString().slice(0, 7)).not.to.equal(month);
      expect((await get(id)).competitorWatch).to.deep.include({ status: 'active', creditsThisMonth: 1 });
      const events = await world.tools.rows(
        `select 1 from run_event where kind = 'watch.paused' and data ->> 'watchId' = $1`,
        [id],
      );
      expect(events).to.have.length(1);
    });
  });

  describe('svc_list_competitor_watches', () => {
    it('W2 no gaps: what one check can not read is named, and what comes after it is found', async () => {
      const { id, company } = await watched({ kinds: ['post'] });
      const posts = (from: number, to: number): TestPost[] =>
        Array.from({ length: to - from + 1 }, (_, n) => post(to - n, world.now() - 1_000 + to - n));
      await world.company(company, { posts: posts(1, 30) });
      await world.later(0.2);
      await world.company(company, { posts: [...posts(31, 640), ...posts(1, 30)] });
      await world.later(24);
      expect((await get(id)).competitorWatch).to.deep.include({ findingsNew: 500 });
      const gap = (await get(id)).competitorWatch.gap;
      expect(gap).to.have.keys('from', 'to');
      await world.later(24);
      expect((await get(id)).competitorWatch.gap).to.equal(null);
    });
  });

  it('people: a hire is somebody who was not seen before; who leaves and comes back within 90 days is none', async () => {
    const { id, company } = await watched({ kinds: ['hire', 'headcount'] });
    const show = async (staff: string[], headcount: number, hours = 24): Promise<void> => {
      await world.company(company, { name: 'Rivalry', staff, headcount });
      await world.later(hours);
    };
    await show(['ann-one', 'bob-two'], 100, 0.2);
    await show(['ann-one'], 104);
    await show(['bob-two', 'cy-three', 'ann-one'], 111);
    expect(await titles(id)).to.deep.equal([
      'headcount: Rivalry has 111 people, before 100',
      'hire: Cy Three works at Rivalry',
    ]);
  });

  describe('svc_delete_competitor_watch', () => {
    it('excludeFromOutreach: the entries are there with the watch and outlive it', async () => {
      const { id } = await watched({ domain: 'foe.example', name: 'Foe Incorporated', excludeFromOutreach: true });
      const check = (): Promise<{ allowed: boolean }> =>
        world.acme.call('svc_check_signal_exclusion', { email: 'sales@mail.foe.example' });
      expect((await check()).allowed).to.equal(false);
      await world.acme.call('svc_delete_competitor_watch', { competitorWatchId: id });
      expect((await check()).allowed).to.equal(false);
    });
  });

  describe('svc_pause_competitor_watch', () => {
    it('state: paused it does not check, resumed it goes on in its rhythm; five faults in a row pause it', async () => {
      const { id, company } = await watched({ kinds: ['post'] });
      await world.company(company, { posts: [] });
      await world.later(0.2);
      await world.acme.call('svc_pause_competitor_watch', { competitorWatchId: id });
      await world.later(72);
      expect(await world.checks(id)).to.have.length(1);
      const resumed = await world.acme.call('svc_resume_competitor_watch', { competitorWatchId: id });
      expect(resumed).to.deep.include({ status: 'active' });
      await world.later(24);
      expect(await world.checks(id)).to.have.length(2);
      await world.bench.control('faults', [{ action: 'list', kind: 'error', rate: 1 }]);
      for (let day = 0; day < 5; day++) {
        await world.later(24);
        for (let again = 0; again < 3; again++) await world.later(0.05);
      }
      await world.bench.control('faults', []);
      const { competitorWatch } = await get(id);
      expect(competitorWatch).to.deep.include({ status: 'paused', nextCheckAt: null, creditsThisMonth: 2 });
      expect(competitorWatch.pauseReason).to.match(/^faults: 5 checks in a row failed/);
    });
  });

  describe('svc_resume_competitor_watch', () => {
    it('W3 atomic check: a process that ends in any phase has found nothing twice and charged nothing twice', async () => {
      const { id, company } = await watched({ kinds: ['post'] });
      await world.company(company, { posts: [] });
      await world.later(0.2);
      await world.company(company, { posts: [post(1, world.now() + 1)] });
      const before = await world.credits();
      const struck = new Set<string>();
      world.faults.hook = (point) => {
        if (struck.has(point) || !['stepping', 'stepped'].includes(point)) return Promise.resolve();
        struck.add(point);
        return Promise.reject(new Error(`the process ends ${point}`));
      };
      await world.later(24);
      for (let again = 0; again < 3; again++) await world.later(0.05);
      world.faults.hook = () => Promise.resolve();
      expect([...struck]).to.include('stepping');
      expect(await titles(id)).to.deep.equal([`post: ${news(1)}`]);
      expect(before - (await world.credits())).to.equal(1);
      expect((await get(id)).competitorWatch.creditsThisMonth).to.equal(2);
    });
  });

  it('no gap and no duplicate over 30 days against a hostile source: edits, other orders, other ids, equal times, faults', async () => {
    const { id, company } = await watched({ kinds: ['post'] });
    const random = seededRandom('hostile', company);
    const shown: TestPost[] = [];
    const told = new Set<string>();
    let number = 0;
    const publish = (count: number, at: number): void => {
      for (let n = 0; n < count; n++) {
        shown.unshift(post(++number, at));
        told.add(`post: ${news(number)}`);
      }
    };
    publish(40, world.now() - DAY);
    await world.company(company, { posts: shown });
    await world.later(0.2);
    told.clear();
    for (let day = 0; day < 30; day++) {
      // As many with one and the same time as more than a page holds, once.
      publish(day === 11 ? 130 : Math.floor(random() * 4), world.now() + 1);
      await world.company(company, { posts: meddle(shown, random) });
      const kind = (['error', 'timeout', 'rate_limit', 'slow', 'lost_answer'] as const)[day % 5] ?? 'error';
      await world.bench.control('faults', [{ action: 'list', kind, rate: 0.4, ms: 5 }]);
      await world.later(24);
      for (let again = 0; again < 3; again++) await world.later(0.05);
    }
    await world.bench.control('faults', []);
    await world.acme.call('svc_resume_competitor_watch', { competitorWatchId: id });
    await world.later(24);
    const found = await allTitles(id);
    expect(found.toSorted()).to.deep.equal([...told].toSorted());
  });
});
