import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type ConsoleStage, consoleStage, HOSTILE, type Member } from '../fixtures/console/console-stage.ts';
import { expectWell, settled, wellAt } from '../fixtures/console/well.ts';

describe('notifications in the console', function () {
  this.timeout(120_000);
  let stage: ConsoleStage;
  let anna: Member;
  let leadId: string;

  before(async () => {
    stage = await consoleStage();
    anna = await stage.member();
    ({ leadId } = await stage.fixture.acme.call<{ leadId: string }>('svc_upsert_lead', {
      email: 'told@quill.example',
      firstName: 'Told',
      company: 'Q',
    }));
    await tell('run.step_done', HOSTILE, 'svc_get_lead');
    await tell('account.status_changed', 'Kim Berg is restricted', 'svc_get_network_account_budgets');
    await tell('report.ready', 'A report is ready', null);
  });

  const tell = (kind: string, title: string, nextTool: string | null): Promise<unknown> =>
    stage.fixture.tools.force(
      `insert into notification (id, workspace_id, user_id, kind, title, text, origin, data, next_tool, created_at)
       values ($1::uuid, $2, $3, $4, $5, $6, ($1::uuid)::text, $7, $8, $9)`,
      [
        ...[randomUUID(), stage.workspaceId, anna.userId, kind, title, `${HOSTILE} <script>alert(5)</script>`],
        ...[JSON.stringify({ leadId }), nextTool, stage.fixture.tools.cluster.clock.now()],
      ],
    );

  it('lead to what they are about and are read then; the count goes down', async () => {
    const page = await stage.open(anna, 'notifications');
    const menu = page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: /^Notifications/ });
    await menu.getByText('3').waitFor();
    await expectWell(page, 'the list');
    await page.getByRole('link', { name: HOSTILE }).click();
    await page.getByRole('heading', { level: 1, name: 'Told' }).waitFor();
    await menu.getByText('2').waitFor();
    await page.goBack();
    await page.getByText('A report is ready', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: HOSTILE }).count(), 'read').to.equal(0);
    await page.getByRole('button', { name: 'Read : A report is ready' }).click();
    await menu.getByText('1').waitFor();
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByText('Nothing is unread').waitFor();
    await page.getByRole('radio', { name: 'All' }).check();
    await page.getByRole('link', { name: HOSTILE }).waitFor();
    expect(page.problems).to.deep.equal([]);
    await page.context().close();
  });

  it('come by the ways that the member chooses, with hours in which none is mailed', async () => {
    const page = await stage.open(anna, 'notifications/preferences');
    const box = page.getByRole('checkbox', { name: 'Message sent: Here' });
    expect(await box.isChecked()).to.equal(false);
    const answered = page.waitForResponse(
      (response) => response.request().postData()?.includes('svc_update_not') === true,
    );
    await box.check();
    await answered;
    await page.getByRole('checkbox', { name: 'Reply received: Chat' }).click();
    await page
      .getByRole('alert')
      .getByText(/No chat of this workspace follows reply.received/)
      .waitFor();
    expect(await page.getByRole('checkbox', { name: 'Reply received: Chat' }).isChecked()).to.equal(false);
    await page.getByRole('combobox', { name: 'They leave' }).selectOption('daily');
    await page.getByRole('checkbox', { name: /^Quiet hours/ }).check();
    await page.getByRole('combobox', { name: 'From' }).selectOption('21');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { json } = await anna.client.call('svc_get_notification_preferences', { workspaceId: stage.workspaceId });
    const { preferences } = json.result as {
      preferences: { channels: Record<string, string[]>; digest: string; quietHours: object };
    };
    expect(preferences.channels['message.sent']).to.deep.equal(['in_app']);
    expect(preferences).to.deep.include({ digest: 'daily' });
    expect(preferences.quietHours).to.deep.equal({ startHour: 21, endHour: 7, timezone: 'Europe/Berlin' });
    await page.getByRole('checkbox', { name: /^Quiet hours/ }).uncheck();
    const ended = page.waitForResponse(
      (response) => response.request().postData()?.includes('svc_update_not') === true,
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await ended;
    await page.context().close();
    const after = await anna.client.call('svc_get_notification_preferences', { workspaceId: stage.workspaceId });
    expect((after.json.result as { preferences: { quietHours: unknown } }).preferences.quietHours).to.equal(null);
  });

  it('fit a telephone in the dark', async () => {
    await wellAt({ stage, member: anna, path: 'notifications/preferences' });
  });

  it('of somebody else are nobody’s business, and a reviewer may choose theirs', async () => {
    const reviewer = await stage.member({ role: 'reviewer' });
    const page = await stage.open(reviewer, 'notifications');
    await settled(page);
    expect(await page.getByText('Kim Berg is restricted').count()).to.equal(0);
    await page.context().close();
  });
});
