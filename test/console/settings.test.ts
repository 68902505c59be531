import { expect } from 'chai';
import {
  type ConsolePage,
  type ConsoleStage,
  consoleStage,
  HOSTILE,
  type Member,
} from '../fixtures/console/console-stage.ts';
import { expectWell, settled, wellAt } from '../fixtures/console/well.ts';

interface Key {
  name: string;
  scopes: string[];
  apiKeyId: string;
}

describe('settings in the console', function () {
  this.timeout(120_000);
  let stage: ConsoleStage;
  let anna: Member;

  before(async () => {
    stage = await consoleStage();
    anna = await stage.member({ name: HOSTILE });
  });

  const keys = async (keyType: 'user' | 'workspace'): Promise<Key[]> => {
    const { json } = await anna.client.call('svc_list_api_keys', {
      workspaceId: stage.workspaceId,
      keyType,
      detail: 'full',
    });
    return (json.result as { apiKeys: Key[] }).apiKeys;
  };

  it('a key is made with a level per domain, shown once, works, and is revoked', async () => {
    const page = await stage.open(anna, 'settings/keys');
    await page.getByRole('button', { name: 'New key' }).first().click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Make the key' }).isDisabled()).to.equal(true);
    await dialog.getByRole('textbox', { name: 'Name' }).fill(HOSTILE);
    await dialog.getByRole('button', { name: 'Read all' }).click();
    const domain = (name: string, level: string) =>
      dialog.getByRole('group', { name, exact: true }).getByRole('radio', { name: level, exact: true });
    expect(await domain('Inbox', 'Read').isChecked()).to.equal(true);
    await dialog.getByRole('button', { name: 'Nothing' }).click();
    await domain('Leads', 'All').check({ force: true });
    await domain('Inbox', 'Read').check({ force: true });
    await domain('Sending', 'Write').check({ force: true });
    await expectWell(page, 'the dialog');
    await dialog.getByRole('button', { name: 'Make the key' }).click();
    const secret = await page.getByRole('textbox', { name: 'Key' }).inputValue();
    expect(secret).to.match(/^csu_/);
    await expectWell(page, 'the key');
    await page.getByRole('button', { name: 'I have taken it' }).click();
    expect(await page.content(), 'shown once').to.not.contain(secret);
    const made = (await keys('user')).find(({ name }) => name === HOSTILE);
    expect(made?.scopes).to.have.members(['leads:read', 'leads:write', 'inbox:read', 'outreach:write']);
    const client = await stage.fixture.tools.mcp.client(secret);
    const user = stage.fixture.tools.user(client);
    expect(await user.call('svc_whoami')).to.include({ keyType: 'user' });
    await page.getByText('inbox: read, outreach: write').waitFor();
    await page.getByRole('button', { name: `Revoke ${HOSTILE}` }).click();
    await page.getByRole('button', { name: 'Revoke for good' }).click();
    await page.getByRole('button', { name: `Revoke ${HOSTILE}` }).waitFor({ state: 'detached' });
    expect((await keys('user')).some(({ name }) => name === HOSTILE)).to.equal(false);
    expect(page.problems).to.deep.equal([]);
    await page.context().close();
  });

  it('somebody is invited, the link is handed over, and the invitation withdrawn', async () => {
    const page = await stage.open(anna, 'settings/members');
    const part = page.getByRole('region', { name: 'Invitations' });
    await part.getByRole('textbox', { name: 'Mail address' }).fill('new@acorn.example');
    await part.getByRole('combobox', { name: 'As' }).selectOption('reviewer');
    await part.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = await part.getByRole('textbox', { name: 'Link of the invitation' }).inputValue();
    expect(link).to.match(/\/invitations\/[\w-]{43}$/);
    await part.getByRole('button', { name: /^Withdraw/ }).click();
    await part.getByText('Nobody is invited at the moment.').waitFor();
    expect(page.problems).to.deep.equal([]);
    await page.context().close();
  });

  it('a role is changed and a member removed, each asked for once more', async () => {
    const tom = await stage.member({ role: 'member', name: 'Tom Ellis' });
    const page = await stage.open(anna, 'settings/members');
    const line = page.getByRole('listitem').filter({ hasText: tom.email });
    await line.getByRole('combobox').selectOption('reviewer');
    await page.getByText(/becomes reviewer/).waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByText('The role was changed.').waitFor();
    const role = async (): Promise<string | undefined> =>
      (await stage.fixture.tools.rows<{ role: string }>('select role from member where user_id = $1', [tom.userId]))[0]
        ?.role;
    expect(await role()).to.equal('reviewer');
    await line.getByRole('button', { name: /^Remove/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await line.waitFor({ state: 'detached' });
    expect(await role()).to.equal(undefined);
    await page.context().close();
  });

  it('of a workspace are saved, and only what was changed', async () => {
    const page = await stage.open(anna, 'settings');
    const save = page.getByRole('button', { name: 'Save' });
    expect(await save.isDisabled()).to.equal(true);
    const address = page.getByRole('textbox', { name: 'Postal address of the sender' });
    await address.fill(HOSTILE);
    await page.getByRole('combobox', { name: 'Until' }).selectOption('17');
    const sent = page.waitForRequest(
      (request) => request.url().endsWith('/call') && request.postData()?.includes('svc_update_workspace') === true,
    );
    await save.click();
    const { arguments: given } = (await sent).postDataJSON() as { arguments: object };
    expect(given).to.have.all.keys('workspaceId', 'senderPostalAddress', 'businessHours');
    await page.getByText('The settings were saved.').waitFor();
    await page.reload();
    expect(await address.inputValue()).to.equal(HOSTILE);
    await expectWell(page, 'the settings');
    await address.fill('');
    await save.click();
    await page.getByText('The settings were saved.').waitFor();
    await page.context().close();
  });

  it('sessions are listed; another one is ended, and it is out at its next step', async () => {
    const bea = await stage.member({ name: 'Bea' });
    const here = await stage.open(bea, 'settings/sessions');
    const again = { ...bea, client: await sessionOf(bea) };
    const there = await stage.open(again, 'settings/keys');
    await settled(there);
    await here.reload();
    await here.getByText('this browser').waitFor();
    await here.getByRole('button', { name: 'End it' }).click();
    await here.getByText('That session was ended.').waitFor();
    await here.getByRole('button', { name: 'End it' }).waitFor({ state: 'detached' });
    await there.reload();
    await there
      .getByText(/sign in/i)
      .first()
      .waitFor();
    await here.getByRole('button', { name: 'Sign out everywhere' }).click();
    await here.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await here
      .getByText(/sign in/i)
      .first()
      .waitFor();
    await here.context().close();
    await there.context().close();
  });

  const sessionOf = async ({ userId }: Member): Promise<Member['client']> => {
    const { ConsoleClient } = await import('../fixtures/console/console-client.ts');
    return ConsoleClient.signedIn(stage.fixture.tools.mcp, userId);
  };

  it('are only looked at by a member who manages nothing', async () => {
    const member = await stage.member({ role: 'member' });
    const page = await stage.open(member, 'settings');
    await settled(page);
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).isDisabled()).to.equal(true);
    expect(await page.getByRole('button', { name: 'Save' }).count()).to.equal(0);
    await page.getByRole('link', { name: 'Members' }).click();
    await settled(page);
    expect(await page.getByRole('button', { name: 'Invite', exact: true }).count()).to.equal(0);
    expect(await page.getByRole('button', { name: 'Leave' }).count()).to.equal(1);
    await page.getByRole('link', { name: 'Keys' }).click();
    await settled(page);
    const workspaceKeys = page.getByRole('region', { name: 'Keys of this workspace' });
    expect(await workspaceKeys.getByRole('button', { name: 'New key' }).count()).to.equal(0);
    await page.context().close();
  });

  it('fit a telephone in the dark, part by part', async () => {
    for (const part of ['members', 'keys', 'sessions']) await wellAt({ stage, member: anna, path: `settings/${part}` });
    const act = (page: ConsolePage): Promise<void> => page.getByRole('button', { name: 'New key' }).first().click();
    await wellAt({ stage, member: anna, path: 'settings/keys', act });
  });
});
