import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { seriousProblems, sideways } from '../fixtures/console/accessibility.ts';
import { livelyWorkspace } from '../fixtures/console/console-people.ts';
import {
  type ConsolePage,
  type ConsoleStage,
  consoleStage,
  HOSTILE,
  loaded,
  SCREENSHOTS,
} from '../fixtures/console/console-stage.ts';

/** Of a narrow phone, and of a page of 1280 px at 200 % zoom. */
const NARROW = [640, 360];

describe('every screen of the console', function () {
  this.timeout(120_000);
  let stage: ConsoleStage;
  let page: ConsolePage;
  before(async () => {
    stage = await consoleStage();
    await mkdir(SCREENSHOTS, { recursive: true });
    await livelyWorkspace(stage);
    page = await stage.open(await stage.member({ admin: true, name: HOSTILE }), '');
    await page.getByRole('navigation').getByRole('link').first().waitFor();
  });
  after(() => page?.context().close());

  it('in light and dark: axe finds nothing serious, words of others are words, and nothing moves sideways', async () => {
    const links = await page.getByRole('navigation').getByRole('link').all();
    const screens = await Promise.all(
      links.map(async (link) => ({
        path: (await link.getAttribute('href')) ?? '',
        title: (await link.locator('.nav-text').textContent()) ?? '',
      })),
    );
    expect(screens.map(({ title }) => title)).to.include.members(['Review', 'Inbox']);
    for (const { path, title } of screens) {
      await page.goto(stage.origin + path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await loaded(page);
        await page.screenshot({ path: join(SCREENSHOTS, `${title}-${colorScheme}.png`) });
        expect(await seriousProblems(page), `${title}, ${colorScheme}`).to.deep.equal([]);
      }
      for (const width of NARROW) {
        await page.setViewportSize({ width, height: 800 });
        // Where there is room for one thing alone, a list is another page than what it leads to.
        if (width === NARROW.at(-1)) await page.goto(stage.origin + path);
        await page.locator('#nav').waitFor({ state: 'attached' });
        await loaded(page);
        await page.screenshot({ path: join(SCREENSHOTS, `${title}-${width}.png`) });
        expect(await sideways(page), `${title} at ${width} px`).to.equal(0);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      expect(await page.locator('img, main script').count(), `elements that ${title} made of words`).to.equal(0);
      expect(page.problems, title).to.deep.equal([]);
    }
  });
});
