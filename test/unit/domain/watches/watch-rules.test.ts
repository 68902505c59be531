import { expect } from 'chai';
import { seededRandom } from '../../../../pkg/domain/random.ts';
import { readUntilKnown } from '../../../../pkg/domain/watches/known-run.ts';
import { postTerms } from '../../../../pkg/domain/watches/post-terms.ts';
import { risingTopics } from '../../../../pkg/domain/watches/rising-topics.ts';
import { isAlwaysChanging, judgeSite, type SiteState } from '../../../../pkg/domain/watches/site-change.ts';
import { isWall, plainText, siteLines } from '../../../../pkg/domain/watches/site-text.ts';
import { companyPageId, watchedSearch } from '../../../../pkg/domain/watches/watched-search.ts';
import { robotsAllow } from '../../../../pkg/providers/site/robots.ts';

const siteText = (html: string): string => plainText(siteLines(html));

type Cut<T> = { items: T[]; cursor: string | null };
const pages =
  <T>(all: readonly T[], size: number) =>
  (cursor: string | undefined): Promise<Cut<T>> => {
    const from = Number(cursor ?? 0);
    const next = from + size < all.length ? String(from + size) : null;
    return Promise.resolve({ items: all.slice(from, from + size), cursor: next });
  };

describe('rules of watches', () => {
  describe('W1, W2 a list is read until a run of known items, its end or a bound', () => {
    const known = (keys: readonly string[]) => (): Promise<ReadonlySet<string>> => Promise.resolve(new Set(keys));

    it('one known item is no end: what lies behind a few of them is found', async () => {
      const list = ['old-1', 'new-1', ...Array.from({ length: 15 }, (_, n) => `seen-${n}`), 'new-2'];
      const seen = known(list.filter((item) => !item.startsWith('new')));
      const read = await readUntilKnown(pages(list, 5), (item) => [item], seen, 10);
      expect(read).to.deep.include({ fresh: ['new-1', 'new-2'], complete: true });
    });

    it('the bound of pages leaves a gap; a page that can not be read leaves nothing', async () => {
      const list = Array.from({ length: 100 }, (_, n) => `n-${n}`);
      const read = await readUntilKnown(pages(list, 10), (item) => [item], known([]), 3);
      expect([read?.fresh.length, read?.complete]).to.deep.equal([30, false]);
      const broken = (cursor: string | undefined): Promise<Cut<string> | null> =>
        cursor === undefined ? pages(list, 10)(cursor) : Promise.resolve(null);
      expect(await readUntilKnown(broken, (item) => [item], known([]), 3)).to.equal(null);
    });

    it('whatever order a list has, an item is fresh exactly once, under any of its keys', async () => {
      for (let seed = 0; seed < 50; seed++) {
        const { found, told } = await checks(seededRandom('known-run', String(seed)));
        expect(found.toSorted(), `seed ${seed}`).to.deep.equal(told.toSorted());
      }
    });
  });

  /** Eight checks of a list that is longer, otherwise ordered and otherwise named each time. */
  async function checks(random: () => number): Promise<{ found: string[]; told: string[] }> {
    const seen = new Set<string>();
    const items: { id: string; says: string }[] = [];
    const found: string[] = [];
    for (let check = 0; check < 8; check++) {
      for (let n = Math.floor(random() * 5); n > 0; n--)
        items.unshift({ id: `i${items.length}`, says: `s${items.length}` });
      for (const item of items) item.id = random() < 0.2 ? `${item.id}x` : item.id;
      const shown = items.toSorted(() => random() - 0.5);
      const read = await readUntilKnown(
        pages(shown, 3),
        (item) => [item.id, item.says],
        (keys) => Promise.resolve(new Set(keys.filter((key) => seen.has(key)))),
        100,
      );
      found.push(...(read?.fresh ?? []).map((item) => item.says));
      for (const key of read?.keys ?? []) seen.add(key);
    }
    return { found, told: items.map((item) => item.says) };
  }

  it('W5 the text of a page is its main part without menus, banners, dates, counters and nonces', () => {
    const page = (date: string, nonce: string, count: number): string => `<!doctype html><html><head><title>T</title>
      <script>var n="${nonce}"</script></head><body><nav>Home ${count}</nav><div class="cookie-banner">We use <b>cookies</b></div>
      <main><h1>Robots &amp; more</h1><p>Updated ${date}. ${count} visitors. Build ${nonce}</p><p>We make robots.</p></main>
      <footer>${date}</footer></body></html>`;
    const first = siteText(page('May 3rd, 2026', 'ab12cd34ef56', 12));
    expect(first).to.equal(siteText(page('June 14th, 2027', '99ffee001122aa', 4_711)));
    expect(first)
      .to.contain('Robots & more')
      .and.contain('We make robots.')
      .and.not.match(/cookies|Home/);
    for (const broken of ['<main', '<p>a<<<b', '<!-- never ends', '<div "', '</p></p><main></main>x'])
      expect(() => siteText(broken)).not.to.throw();
  });

  it('W5 markup that is written to take long takes as long as any other', () => {
    for (const part of ['<main>', '<a ', '<a "', '<!--', '<p class=', '&amp;'])
      expect(siteText(part.repeat(200_000 / part.length))).to.be.a('string');
  }).timeout(5_000);

  it('W5 a change counts when two looks in a row show the same; one that never says the same twice is always changing', () => {
    const looks = (hashes: readonly string[]): string[] => {
      let state: SiteState | null = null;
      return hashes.map((hash) => {
        const verdict = judgeSite(state, { hash, length: 100 });
        if (verdict.kind !== 'partial') state = verdict.state;
        return isAlwaysChanging(state) ? 'always' : verdict.kind;
      });
    };
    expect(looks(['a', 'b', 'a', 'b', 'b', 'b'])).to.deep.equal([
      'baseline',
      'waits',
      'same',
      'waits',
      'changed',
      'same',
    ]);
    expect(looks(['a', 'b', 'c', 'd', 'e', 'f'])).to.deep.equal([
      'baseline',
      'waits',
      'waits',
      'waits',
      'waits',
      'always',
    ]);
    expect(judgeSite(null, { hash: 'x', length: 0 }).kind).to.equal('partial');
  });

  it('W5 a wall is known; a page about walls is none', () => {
    expect(isWall('<title>Just a moment...</title>', 'x')).to.equal(true);
    expect(isWall('<p>', 'Please verify you are human')).to.equal(true);
    expect(isWall('<title>Captcha as a service</title>', 'long '.repeat(1_000))).to.equal(false);
  });

  it('T1 rising topics need a baseline, twice the share and five authors; the numbers are told', () => {
    const term = (authors: number[]): { term: string; authors: number[] } => ({ term: 'robots', authors });
    expect(risingTopics([term([10, 1, 1, 1, 1])], [20, 20, 20, 20, 20])).to.deep.equal([
      { term: 'robots', authors: 10, share: 0.5, shareBefore: 0.05 },
    ]);
    expect(risingTopics([term([4, 0, 0, 0, 0])], [8, 20, 20, 20, 20])).to.deep.equal([]);
    expect(risingTopics([term([10, 6, 6, 6, 6])], [20, 20, 20, 20, 20])).to.deep.equal([]);
    expect(risingTopics([term([10, 0, 0, 0, 0])], [20, 0, 0, 0, 0])).to.deep.equal([]);
    expect(postTerms('The ROBOTS of Zürich, robots and 2026 conveyor', 'conveyor')).to.deep.equal(['robots', 'zurich']);
  });

  it('T2 only searches of the network are taken, without what says nothing of the search', () => {
    expect(watchedSearch('https://www.linkedin.com/search/results/people/?keywords=cto&origin=X&sid=9')).to.deep.equal({
      url: 'https://www.linkedin.com/search/results/people/?keywords=cto',
      finds: 'people',
    });
    expect(watchedSearch('https://linkedin.com/search/results/content?keywords=a')).to.deep.include({ finds: 'posts' });
    for (const url of ['javascript:alert(1)', 'https://127.0.0.1/search/results/people/?a=b', 'nothing', ''])
      expect(watchedSearch(url), url).to.have.key('refused');
    expect(companyPageId('https://de.linkedin.com/company/Acme-GmbH/about/')).to.equal('acme-gmbh');
    for (const url of ['https://linkedin.com.evil.example/company/acme', 'https://www.linkedin.com/in/acme', 'acme'])
      expect(companyPageId(url), url).to.equal(null);
  });

  it('robots.txt: the own group stands before that of all, the longest rule decides (RFC 9309)', () => {
    const robots =
      'User-agent: *\nDisallow: /\n\nUser-agent: Outrider\nUser-agent: other\nDisallow: /private\nAllow: /\n';
    expect(robotsAllow(robots, 'outrider', '/')).to.equal(true);
    expect(robotsAllow(robots, 'outrider', '/private/a')).to.equal(false);
    expect(robotsAllow(robots, 'somebody', '/')).to.equal(false);
    expect(robotsAllow('User-agent: *\nDisallow: /*.php$\nAllow: /', 'outrider', '/a.php')).to.equal(false);
    expect(robotsAllow('User-agent: *\nDisallow:\n', 'outrider', '/')).to.equal(true);
    expect(robotsAllow('<html>no robots</html>', 'outrider', '/')).to.equal(true);
  });
});
