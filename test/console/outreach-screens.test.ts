import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import {
  type ConsolePage,
  HOSTILE,
  type Look,
  type Member,
  newPage,
  setCookie,
  startBrowser,
} from '../fixtures/console/console-stage.ts';
import { type OutreachWorld, openOutreachWorld } from '../fixtures/console/outreach-world.ts';
import { expectWell, settled } from '../fixtures/console/well.ts';
import { DAY } from '../fixtures/stories/engine-fixture.ts';
import { MONDAY } from '../fixtures/tools/mcp-fixture.ts';

/** Where pictures of the screens go that somebody wants to look at. */
const { SCREENSHOTS } = process.env;

describe('screens of outreach in the console, in a browser', function () {
  this.timeout(180_000);
  let browser: Browser;
  let at: OutreachWorld;
  let owner: Pick<Member, 'client'>;
  const pages: ConsolePage[] = [];

  before(async () => {
    [browser, at] = await Promise.all([startBrowser(), openOutreachWorld()]);
    owner = await at.member();
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.context().close();
  });
  after(async () => {
    await browser?.close();
    await at?.stop();
  });

  const open = async (path: string, look: Look = {}, member = owner, workspaceId = 'acme'): Promise<ConsolePage> => {
    const page = await newPage(browser, look);
    pages.push(page);
    await setCookie(page, new URL(at.world.at.tools.mcp.url).origin, member);
    await page.goto(`${new URL(at.world.at.tools.mcp.url).origin}/console/w/${workspaceId}/${path}`);
    await settled(page);
    return page;
  };
  const now = (): number => at.world.at.tools.cluster.clock.now();
  const call = <T>(name: string, input: object): Promise<T> => at.world.at.acme.call(name, input) as Promise<T>;

  /** V3, V7: in both themes and narrow, nothing of strangers runs, axe finds nothing serious, and nothing is cut off. */
  const judge = async (name: string, path: string, ready?: (page: ConsolePage) => Promise<void>): Promise<void> => {
    const page = await open(path);
    for (const look of ['light', 'dark', 'narrow'] as const) {
      if (look === 'narrow') {
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize({ width: 360, height: 800 });
        await page.reload();
        await settled(page);
      }
      // The theme of a page that is open changes with that of the system.
      if (look === 'dark') await page.emulateMedia({ colorScheme: 'dark' });
      else await ready?.(page);
      await settled(page);
      if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}-${look}.png`, fullPage: true });
      expect(await page.getByText(HOSTILE).count(), `${look}: names are shown`).to.be.above(0);
      await expectWell(page, look);
    }
  };

  describe('campaigns', () => {
    it('V3, V7: lists them', () => judge('campaigns', 'campaigns'));

    it('V3, V7: shows one with its funnel, what holds it up, and a forecast', () =>
      judge('campaign', `campaigns/${at.campaignId}`, async (page) => {
        await page.getByText('Forecast').click();
        await page.getByRole('button', { name: 'Calculate' }).click();
        await page.getByText('Held up most by').waitFor();
      }));

    it('pauses and starts one, by keys alone, after it asked', async () => {
      const page = await open(`campaigns/${at.campaignId}`);
      const status = async (): Promise<string> =>
        (await call<{ campaign: { status: string } }>('svc_get_campaign', { campaignId: at.campaignId })).campaign
          .status;
      for (const [verb, done] of [
        ['Pause', 'paused'],
        ['Start', 'active'],
      ] as const) {
        await page.getByRole('button', { name: new RegExp(`^${verb}`) }).focus();
        await page.keyboard.press('Enter');
        const dialog = page.getByRole('dialog');
        await dialog.getByText(HOSTILE).waitFor();
        await dialog.getByRole('button', { name: verb }).focus();
        await page.keyboard.press('Enter');
        await dialog.waitFor({ state: 'detached' });
        expect(await status()).to.equal(done);
        await page.locator('.chip', { hasText: done }).waitFor();
      }
    });

    it('says why nothing is sent, and what ends it', async () => {
      const { networkAccountId, paused } = { networkAccountId: at.world.at.accountId, paused: true };
      await call('svc_update_network_account_settings', { networkAccountId, paused });
      try {
        const page = await open(`campaigns/${at.campaignId}`);
        await page.getByText('To mend it:').waitFor();
        const { firstBlocker } = await call<{ firstBlocker: { detail: string; nextTool: string } }>('svc_diagnose', {
          target: 'workflow',
          targetId: at.workflowId,
        });
        await page.getByText(firstBlocker.detail).first().waitFor();
        await page.getByText(firstBlocker.nextTool).first().waitFor();
      } finally {
        await call('svc_update_network_account_settings', { networkAccountId, paused: false });
      }
    });
  });

  describe('the picture of a workflow', () => {
    const path = (): string => `workflows/${at.workflowId}`;

    it('V3, V7: lists workflows', () => judge('workflows', 'workflows'));
    it('V3, V7: draws one', () => judge('workflow', path()));
    it('V3, V7: names who stands at a step', () =>
      judge('workflow-step', `${path()}/rest`, async (page) => {
        await page.getByRole('heading', { name: 'Leads at Rest a day' }).waitFor();
      }));

    it('V5: the list of steps says by keys what the picture shows, and names who is there', async () => {
      const page = await open(path());
      const { nodes } = await call<{ nodes: { nodeId: string; standing: number }[] }>('svc_get_workflow_stats', {
        workflowId: at.workflowId,
      });
      const busy = nodes.find(({ standing }) => standing > 0);
      expect(busy, 'somebody waits').to.not.equal(undefined);
      await page.locator(`[data-node="${busy?.nodeId}"] .graph-count`, { hasText: `${busy?.standing} here` }).waitFor();
      const step = page.locator(`[data-step="${busy?.nodeId}"]`);
      expect(await step.textContent()).to.match(new RegExp(`${busy?.standing} leads? here`));
      await step.focus();
      await page.keyboard.press('Enter');
      const { leads } = await call<{ leads: { fullName: string }[] }>('svc_list_leads_at_node', {
        workflowId: at.workflowId,
        nodeId: busy?.nodeId,
      });
      for (const { fullName } of leads) await page.locator('.leads-here td', { hasText: fullName }).first().waitFor();
      expect(page.url()).to.match(new RegExp(`/workflows/${at.workflowId}/${busy?.nodeId}$`));
      await page.getByRole('button', { name: 'Close the list' }).click();
      await page.locator('.leads-here').waitFor({ state: 'detached' });
    });

    it('a step is chosen in the picture, too; the picture grows and shrinks', async () => {
      const page = await open(path());
      await page.locator('[data-node="done"]').click();
      await page.getByText('Nobody is here now').waitFor();
      const width = async (): Promise<number> => Number(await page.locator('.graph').getAttribute('width'));
      const before = await width();
      await page.getByRole('button', { name: 'Larger' }).click();
      expect(await width()).to.be.above(before);
    });

    it('V5: its address gives the SVG, in which nothing runs', async () => {
      const page = await open(path());
      await page.goto(`${new URL(page.url()).origin}/console/api/pictures/${at.workflowId}.svg?workspaceId=acme`);
      expect(await page.locator('svg text').count()).to.be.above(5);
      expect(await page.evaluate(`document.querySelectorAll('img, script').length`)).to.equal(0);
    });
  });

  describe('the calendar of posts', () => {
    it('V3, V7: shows posts by day', () => judge('calendar', 'calendar'));
    it('V3, V7: shows one in full', () =>
      judge('post', 'calendar', async (page) => {
        await page.getByRole('button', { name: /Post 0/ }).click();
        await page.getByRole('dialog').getByText('and more of it').waitFor();
      }));

    const day = (of: number): string => new Date(of).toISOString().slice(0, 10);
    const scheduled = async (contentPostId: string): Promise<string> =>
      (await call<{ contentPost: { scheduledAt: string } }>('svc_get_content_post', { contentPostId })).contentPost
        .scheduledAt;

    it('moves a post by its dialog, to another day at another hour of the viewer', async () => {
      const [post = { contentPostId: '', at: 0 }] = at.posts;
      const page = await open('calendar');
      await page.getByRole('button', { name: /Post 0/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Post' });
      await dialog.getByLabel('Day').fill('2026-03-20');
      await dialog.getByLabel('Time', { exact: true }).fill('14:15');
      await dialog.getByRole('button', { name: 'Move' }).click();
      await page.locator('[data-day="2026-03-20"]', { hasText: 'Post 0' }).waitFor();
      // Berlin is an hour ahead in March.
      expect(await scheduled(post.contentPostId)).to.equal('2026-03-20T13:15:00.000Z');
    });

    it('moves a post that is dragged to another day, at the same hour', async () => {
      const post = at.posts[1] ?? { contentPostId: '', at: 0 };
      const target = day(MONDAY + 15 * DAY);
      const page = await open('calendar');
      await page.getByRole('button', { name: /Post 1/ }).dragTo(page.locator(`[data-day="${target}"]`));
      await page.getByRole('dialog', { name: 'Move this post?' }).getByRole('button', { name: 'Move' }).click();
      await page.locator(`[data-day="${target}"]`, { hasText: 'Post 1' }).waitFor();
      expect(await scheduled(post.contentPostId)).to.equal(new Date(post.at + 7 * DAY).toISOString());
    });
  });

  describe('agents and watches', () => {
    it('V3, V7: lists agents', () => judge('agents', 'agents'));
    it('V3, V7: lists competitors', () => judge('competitors', 'agents/competitors'));
    it('V3, V7: lists topics and searches', () => judge('searches', 'agents/searches'));
    it('V3, V7: shows an agent and whom it would enrol', () =>
      judge('agent', `agents/of/${at.signalAgentId}`, async (page) => {
        await page.getByRole('button', { name: 'Dry run' }).click();
        await page.getByText('Nothing was done or charged').waitFor();
      }));

    it('runs an agent after it asked, and shows what came of it', async () => {
      const page = await open(`agents/of/${at.signalAgentId}`);
      await page.getByRole('button', { name: 'Run now' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click();
      await page.getByText('The run begins within a minute').waitFor();
      await at.world.at.schedules();
      await page.reload();
      await page.locator('.numbers div', { hasText: 'enrolled' }).getByText('1').waitFor();
      await page.locator('td', { hasText: 'Zoe' }).waitFor();
    });

    it('resumes and pauses an agent and a watch', async () => {
      const page = await open('agents');
      await page.getByRole('button', { name: /^Resume/ }).click();
      await page.locator('.chip', { hasText: 'active' }).waitFor();
      await page.getByRole('button', { name: /^Pause/ }).click();
      await page.locator('.chip', { hasText: 'paused' }).waitFor();
      await page.getByRole('link', { name: 'Competitors' }).click();
      await page.getByRole('button', { name: /^Pause/ }).click();
      await page.locator('.chip', { hasText: 'paused' }).waitFor();
      const { competitorWatches } = await call<{ competitorWatches: { status: string }[] }>(
        'svc_list_competitor_watches',
        {},
      );
      expect(competitorWatches.map(({ status }) => status)).to.deep.equal(['paused']);
    });
  });

  describe('accounts', () => {
    it('V8: says of each budget what was used, what is reserved, what is left, when it begins anew, and what others used', async () => {
      const networkAccountId = at.world.at.accountId;
      await at.world.at.tools.force(
        `insert into account_link (account_id, workspace_id, linked_at) values ($1, 'rival', 1) on conflict do nothing`,
        [networkAccountId],
      );
      await at.world.at.tools.force(
        `insert into account_budget (account_id, action, head_date, used, by_workspace, limit_day, limit_week)
         values ($1, 'like', to_timestamp($2::float8 / 1000)::date, '{7,0,0,0,0,0,0}', '{"acme": 2, "rival": 5}', 30, -1)`,
        [networkAccountId, now()],
      );
      const page = await open('accounts');
      const line = page.locator('.budget', { hasText: 'like' }).filter({ hasText: 'a day' });
      await line.getByText('23 left').waitFor();
      for (const word of ['of 30', '7 used', 'others 5', 'anew'])
        expect(await line.getByText(word).count(), `${word} in ${await line.textContent()}`).to.equal(1);
      expect(await page.locator('#main').textContent()).to.not.contain('rival');
    });

    it('connects a mailbox that was tried on its real servers, says why one was not, and disconnects it', async () => {
      const { smtpPort, imapPort, password } = at.world.mailServers;
      const page = await open('accounts');
      await page.getByRole('button', { name: 'Connect' }).click();
      const dialog = page.getByRole('dialog', { name: 'Connect' });
      await dialog.getByLabel('Mail address').fill('grace@agency.example');
      await dialog.getByLabel('SMTP server').fill(`127.0.0.1:${smtpPort}`);
      await dialog.getByLabel('IMAP server').fill(`127.0.0.1:${imapPort}`);
      await dialog.getByLabel('Name (optional)', { exact: true }).fill(HOSTILE);
      await dialog.getByLabel('Password').fill('wrong');
      await dialog.getByRole('button', { name: 'Connect' }).click();
      await dialog.getByText('refused user or password').waitFor();
      await dialog.getByLabel('Password').fill(password);
      await dialog.getByRole('button', { name: 'Connect' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.locator('.card', { hasText: 'grace@agency.example' }).getByText('connected').waitFor();
      await page.getByRole('button', { name: /^Disconnect/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
      await page.getByText('its credentials are forgotten', { exact: false }).first().waitFor();
    });

    it('V3, V7: shows accounts, mailboxes, and what else is connected', async () => {
      const { smtpPort, imapPort, password } = at.world.mailServers;
      const servers = { smtp: `127.0.0.1:${smtpPort}`, imap: `127.0.0.1:${imapPort}` };
      const credentials = { email: 'heidi@agency.example', password, ...servers };
      await call('svc_connect_integration', { provider: 'smtp_imap', name: HOSTILE, credentials });
      await judge('accounts', 'accounts');
    });
  });

  it('V7: who may not see a screen is told so, and no deed is offered to who may only read', async () => {
    const reviewer = await at.member('reviewer');
    const page = await open(`campaigns/${at.campaignId}`, {}, reviewer);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: /^(Pause|Start|Switch)/ }).count()).to.equal(0);
  });

  it('V7: a list of which there is nothing says what to do, and one that fails says so and is tried again', async () => {
    const lonely = await at.member('owner', 'rival');
    for (const [path, text] of [
      ['campaigns', 'No campaign yet'],
      ['workflows', 'No workflow yet'],
      ['calendar', 'No drafts.'],
      ['agents', 'No agent yet'],
      ['agents/competitors', 'No competitor is watched'],
      ['agents/searches', 'No topic or search is watched'],
    ] as const) {
      const page = await open(path, {}, lonely, 'rival');
      await page.getByText(text).first().waitFor();
    }
    const page = await open('campaigns', {}, lonely, 'rival');
    await page.route('**/console/api/call', (route) => route.abort());
    await page.reload();
    await page.getByText('This could not be loaded').waitFor();
    await page.unroute('**/console/api/call');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No campaign yet').waitFor();
  });
});
