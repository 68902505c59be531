import { expect } from 'chai';
import { type ConsoleStage, consoleStage, HOSTILE, type Member } from '../fixtures/console/console-stage.ts';
import { expectWell, settled, wellAt } from '../fixtures/console/well.ts';

describe('the playbook in the console', function () {
  this.timeout(120_000);
  let stage: ConsoleStage;
  let anna: Member;

  before(async () => {
    stage = await consoleStage();
    anna = await stage.member();
  });

  interface Answer {
    playbook: string;
    version: string;
    history: { version: string; createdBy: string }[];
  }
  const read = (): Promise<Answer> => stage.fixture.acme.call<Answer>('svc_get_playbook');

  it('is written by hand, its versions are compared, and one of before is taken back', async () => {
    const page = await stage.open(anna, 'playbook');
    await page.getByRole('button', { name: 'Edit' }).click();
    const text = page.getByRole('textbox', { name: 'Playbook' });
    await text.fill(`We sell acorns.\n${HOSTILE}\nNever promise a date.`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`We sell acorns.`).waitFor();
    const first = await read();
    await page.getByRole('button', { name: 'Edit' }).click();
    await text.fill(`We sell the best acorns.\n${HOSTILE}\nNever promise a date.`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('We sell the best acorns.').waitFor();
    await expectWell(page, 'the text');
    await page.getByRole('link', { name: `Version ${first.version}` }).click();
    await page.getByRole('heading', { level: 1, name: `Version ${first.version}` }).waitFor();
    await page.getByText('We sell acorns.').waitFor();
    expect(await page.locator('del').allTextContents()).to.deep.equal(['We sell acorns.']);
    expect(await page.locator('ins').allTextContents()).to.deep.equal(['We sell the best acorns.']);
    await expectWell(page, 'what changed');
    await page.getByRole('button', { name: 'Take this one back' }).click();
    await page.getByRole('button', { name: 'Take it back', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Playbook' }).waitFor();
    await page.getByText('We sell acorns.').waitFor();
    const now = await read();
    expect(now.playbook).to.equal(first.playbook);
    expect(Number(now.version)).to.equal(Number(first.version) + 2);
    expect(page.problems).to.deep.equal([]);
    await page.context().close();
    await wellAt({ stage, member: anna, path: `playbook/${first.version}` });
  });

  it('two who write at once: the second hears of the first before theirs goes above it', async () => {
    const page = await stage.open(anna, 'playbook');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Playbook' }).fill('Mine.');
    await stage.fixture.acme.call('svc_update_workspace', { playbook: 'Theirs.' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Somebody saved version \d+ meanwhile/).waitFor();
    expect((await read()).playbook).to.equal('Theirs.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Mine.').waitFor();
    const { playbook, history } = await read();
    expect(playbook).to.equal('Mine.');
    expect(history.length).to.be.greaterThan(1);
    await page.context().close();
  });

  it('is written anew by a model, with what to heed, and the text before stays', async () => {
    await stage.fixture.tools.grant(stage.workspaceId, 100);
    const before = await read();
    const page = await stage.open(anna, 'playbook');
    await page.getByRole('button', { name: 'Write anew' }).click();
    await page.getByRole('textbox', { name: 'What to heed' }).fill(HOSTILE);
    await page.getByRole('button', { name: 'Write it' }).click();
    await page
      .getByText(/Written anew/)
      .first()
      .waitFor();
    const now = await read();
    expect(Number(now.version)).to.equal(Number(before.version) + 1);
    await page.getByRole('link', { name: `Version ${before.version}` }).waitFor();
    expect(page.problems).to.deep.equal([]);
    await page.context().close();
  });

  it('a member reads it and can not write it', async () => {
    const page = await stage.open(await stage.member({ role: 'member' }), 'playbook');
    await settled(page);
    for (const name of ['Edit', 'Write anew'])
      expect(await page.getByRole('button', { name }).count(), name).to.equal(0);
    await page.context().close();
  });
});
