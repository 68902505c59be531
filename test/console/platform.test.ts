import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  type ConsolePage,
  type ConsoleStage,
  consoleStage,
  HOSTILE,
  type Member,
} from '../fixtures/console/console-stage.ts';
import { expectWell, settled, wellAt } from '../fixtures/console/well.ts';

describe('the platform in the console', function () {
  this.timeout(120_000);
  let stage: ConsoleStage;
  let root: Member;
  let deadLetterId: string;

  before(async () => {
    stage = await consoleStage();
    root = await stage.member({ role: null, admin: true, name: HOSTILE });
    deadLetterId = randomUUID();
    const { fixture, workspaceId } = stage;
    await fixture.tools.force(
      `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id,
         action, state, epoch, claimed_at, dispatched_at, dead_letter_at, dead_letter_state, error, evidence, body)
       values ($1, $2, 'w', 'c', gen_random_uuid(), 'hello', gen_random_uuid(), gen_random_uuid(), $3,
         'message', 'unknown', 1, $4, $4, $4, 'open', $5, $6, 'Hi')`,
      [
        ...[deadLetterId, workspaceId, fixture.accountId, fixture.tools.cluster.clock.now(), HOSTILE],
        JSON.stringify([{ at: 1, what: 'no_answer', text: `${HOSTILE}<script>alert(6)</script>`, by: 'executor' }]),
      ],
    );
  });
  after(() => stage.fixture.tools.force('delete from send where id = $1', [deadLetterId]));

  const why = (page: ConsolePage): Promise<void> =>
    page.getByRole('dialog').getByRole('textbox', { name: 'Why' }).fill(`a test ${HOSTILE}`);

  it('a workspace is made, given credits, suspended, restored, marked to be deleted and spared', async () => {
    const page = await stage.open(root, 'platform/workspaces');
    await page.getByRole('button', { name: 'New workspace' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(HOSTILE);
    await page.getByRole('textbox', { name: 'Mail address of the owner' }).fill('owner@evil.example');
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    await page.getByRole('button', { name: 'Credits …' }).click();
    await page.getByRole('spinbutton', { name: 'How many' }).fill('250');
    await why(page);
    await page.getByRole('button', { name: 'Give' }).click();
    await page.getByText('The workspace has 250 credits.').waitFor();
    await page.getByRole('button', { name: 'Suspend …' }).click();
    const suspend = page.getByRole('dialog').getByRole('button', { name: 'Suspend' });
    expect(await suspend.isDisabled(), 'without a reason').to.equal(true);
    await why(page);
    await suspend.click();
    await page.getByRole('button', { name: 'Restore …' }).click();
    await why(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('button', { name: 'Delete …' }).click();
    await why(page);
    expect(await page.getByRole('button', { name: 'Delete', exact: true }).isDisabled(), 'unnamed').to.equal(true);
    await page.getByRole('textbox', { name: 'Its name, to be sure' }).fill(HOSTILE);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText(/will be erased/).waitFor();
    await expectWell(page, 'a workspace');
    await page.getByRole('button', { name: 'Take the deletion back …' }).click();
    await why(page);
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByText(/will be erased/).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Workspaces' }).first().click();
    await page.getByRole('searchbox', { name: 'Name, id or owner' }).fill('evil.example');
    await page.getByRole('link', { name: HOSTILE }).waitFor();
    await expectWell(page, 'workspaces');
    await page.context().close();
  });

  it('a dead letter shows what is known and the safe next step, and is decided with a reason', async () => {
    const page = await stage.open(root, `platform/dead-letters/${stage.workspaceId}`);
    const letter = page.getByRole('listitem').filter({ hasText: 'Message' }).first();
    await letter.getByText('Safe next: “Look it up”.').waitFor();
    expect(await letter.getByRole('button', { name: /^Try again/ }).count(), 'never twice').to.equal(0);
    await letter.getByText('What is known (1)').click();
    await letter.getByText(`${HOSTILE}<script>alert(6)</script>`, { exact: true }).waitFor();
    await expectWell(page, 'dead letters');
    await letter.getByRole('button', { name: /^It did not happen/ }).click();
    await why(page);
    await page.getByRole('dialog').getByRole('button', { name: 'It did not happen' }).click();
    await page.getByText('Nothing gave up').waitFor();
    await page.context().close();
  });

  it('a freeze stops what leaves, is seen by whoever looks, and is released', async () => {
    const page = await stage.open(root, 'platform/freeze');
    await page.getByText('Nothing is frozen.').waitFor();
    await page.getByRole('textbox', { name: 'Id of the workspace' }).fill(stage.workspaceId);
    await page.getByRole('combobox', { name: 'Which way' }).selectOption('mail');
    await page.getByRole('textbox', { name: 'Why' }).fill(HOSTILE);
    await page.getByRole('button', { name: 'Freeze …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Freeze' }).click();
    await page.getByText(/^Frozen within 5 s/).waitFor();
    const frozen = (): Promise<object[]> =>
      stage.fixture.tools.rows('select scope, target, channel, reason from send_freeze');
    expect(await frozen()).to.deep.equal([
      { scope: 'workspace', target: stage.workspaceId, channel: 'mail', reason: HOSTILE },
    ]);
    const other = await stage.open(root, 'platform/freeze');
    await other.getByText(`workspace ${stage.workspaceId}`).first().waitFor();
    await other.getByText(HOSTILE).first().waitFor();
    await expectWell(other, 'a freeze');
    await other.getByRole('button', { name: /^Release/ }).click();
    await why(other);
    await other.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await other.getByText('Nothing is frozen.').waitFor();
    expect(await frozen()).to.deep.equal([]);
    await other.context().close();
    await page.context().close();
  });

  it('the audit log is filtered and tells that its chain holds', async () => {
    const page = await stage.open(root, 'platform/audit');
    await page.getByText('The chain of these entries holds').waitFor();
    await page.getByRole('textbox', { name: 'Tool' }).fill('svc_admin_set_send_freeze');
    await page.getByRole('button', { name: 'Look' }).click();
    await page
      .getByRole('row', { name: /svc_admin_set_send_freeze.*console/ })
      .first()
      .waitFor();
    const tools = await page.locator('tbody td:nth-child(2)').allTextContents();
    expect([...new Set(tools)]).to.deep.equal(['svc_admin_set_send_freeze']);
    await expectWell(page, 'the audit log');
    await page.context().close();
  });

  it('its health is told, the worst first', async () => {
    const page = await stage.open(root, 'platform/health');
    await page.getByRole('listitem').filter({ hasText: 'Operator' }).waitFor();
    const first = page.locator('.component').first();
    expect(await first.getAttribute('class')).to.match(/down|degraded/);
    await page.context().close();
  });

  it('fits a telephone in the dark', async () => {
    await wellAt({ stage, member: root, path: `platform/workspaces/${stage.workspaceId}` });
  });

  it('is no entry for others, and by its address not theirs to see', async () => {
    const owner = await stage.member({ role: 'owner' });
    for (const path of ['workspaces', 'health', 'dead-letters', 'freeze', 'audit']) {
      const page = await stage.open(owner, `platform/${path}`);
      await settled(page);
      await page.getByText('Not yours to see').waitFor();
      expect(await page.getByRole('link', { name: 'Dead letters' }).count()).to.equal(0);
      await page.context().close();
    }
    const { status } = await owner.client.call('svc_admin_list_workspaces');
    expect(status).to.equal(403);
  });
});
