import { expect } from 'chai';
import { type ConsoleStage, consoleStage, HOSTILE, type Member } from '../fixtures/console/console-stage.ts';
import { expectWell, settled, wellAt } from '../fixtures/console/well.ts';

describe('leads in the console', function () {
  this.timeout(120_000);
  let stage: ConsoleStage;
  let anna: Member;
  let evil: string;

  before(async () => {
    stage = await consoleStage();
    anna = await stage.member({ name: 'Anna Berg' });
    const { acme } = stage.fixture;
    for (const [firstName, company] of [
      ['Olga', 'Quillworks'],
      ['Oskar', 'Quillworks'],
    ])
      await acme.call('svc_upsert_lead', { email: `${firstName}@quill.example`, firstName, company });
    const { leadId } = await acme.call<{ leadId: string }>('svc_upsert_lead', {
      email: 'evil@quill.example',
      profileUrl: 'https://www.linkedin.com/in/evil-quill',
      firstName: HOSTILE,
      lastName: 'Quill',
      title: HOSTILE,
      company: 'Quillworks',
      addTags: [HOSTILE],
      note: `${HOSTILE}<script>alert(2)</script>`,
      customFields: { shoe: HOSTILE },
    });
    evil = leadId;
  });

  it('are searched, filtered and opened; the address keeps what is looked for', async () => {
    const page = await stage.open(anna, 'leads');
    await page.getByRole('searchbox', { name: 'Search leads' }).fill('Quillworks');
    const rows = page.getByRole('table').getByRole('row');
    await page.getByRole('link', { name: 'Olga' }).waitFor();
    await expectRows(rows, 4);
    await page.waitForURL(/q=Quillworks/);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('textbox', { name: 'Tag' }).fill(HOSTILE);
    await page.keyboard.press('Enter');
    await expectRows(rows, 2);
    await page.getByRole('link', { name: HOSTILE }).click();
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    await page.goBack();
    await expectRows(page.getByRole('table').getByRole('row'), 2);
    await page.getByRole('searchbox', { name: 'Search leads' }).fill('nobody of this name');
    await page.getByText('Nobody fits').waitFor();
    await page.getByRole('button', { name: 'Take all filters away' }).click();
    await page.getByRole('link', { name: 'Oskar' }).waitFor();
    await expectWell(page, 'the list');
    await page.context().close();
  });

  it('show what is known, what happened, and why they wait', async () => {
    const page = await stage.open(anna, `leads/${evil}`);
    await settled(page);
    const waits = page.getByRole('region', { name: 'Why they wait' });
    expect(await waits.getByRole('listitem').count()).to.equal(0);
    await waits.getByText(/All that was looked at/).click();
    expect(await waits.getByRole('listitem').count()).to.be.greaterThan(3);
    const happened = page.getByRole('region', { name: 'What happened' });
    await happened.getByText('<script>alert(2)</script>').waitFor();
    await happened.getByText('Brought into the workspace').waitFor();
    await page.getByRole('region', { name: 'What is known' }).getByText('evil@quill.example').waitFor();
    await expectWell(page, 'a lead');
    await page.context().close();
    await wellAt({ stage, member: anna, path: `leads/${evil}` });
  });

  it('are changed: a tag, a note, a field; and put on a list', async () => {
    const { acme } = stage.fixture;
    const { leadListId } = await acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Quill people' });
    const page = await stage.open(anna, `leads/${evil}`);
    await page.getByRole('textbox', { name: 'New tag' }).fill('fair, vip');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Take the tag vip away' }).click();
    await page.getByRole('button', { name: 'Take the tag vip away' }).waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: 'New note' }).fill('Wants to hear of it in May');
    await page.getByRole('button', { name: 'Keep the note' }).click();
    await page.getByRole('region', { name: 'What happened' }).getByText('Wants to hear of it in May').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Owner');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Owner at Quillworks').waitFor();
    await page.getByRole('button', { name: 'Add to a list' }).click();
    await page.getByRole('combobox', { name: 'List' }).selectOption(leadListId);
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByText('The lead is on the list.').waitFor();
    const { lead } = await acme.call<{ lead: { tags: string[]; title: string; firstName: string } }>('svc_get_lead', {
      leadId: evil,
    });
    expect(lead).to.deep.include({ title: 'Owner', firstName: HOSTILE });
    expect(lead.tags).to.have.members([HOSTILE, 'fair']);
    const { leads } = await acme.call<{ leads: object[] }>('svc_get_lead_list', { leadListId });
    expect(leads).to.have.length(1);
    expect(page.problems).to.deep.equal([]);
    await page.context().close();
  });

  it('are erased, and the audit log names the tool and the session', async () => {
    const { acme, tools } = stage.fixture;
    const { leadId } = await acme.call<{ leadId: string }>('svc_upsert_lead', {
      email: 'gone@quill.example',
      firstName: 'Gone',
      company: 'Q',
    });
    const page = await stage.open(anna, `leads/${leadId}`);
    await page.getByRole('button', { name: 'Erase' }).click();
    await page.getByRole('combobox', { name: 'Why' }).selectOption('client_request');
    await page.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor();
    expect(await acme.refusal('svc_get_lead', { leadId })).to.contain('not found');
    await page.context().close();
    const audited = async (): Promise<object[]> =>
      tools.rows(`select actor_kind from audit_event where tool = 'svc_erase_lead' and actor_id = $1`, [anna.userId]);
    while ((await audited()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await audited()).to.deep.equal([{ actor_kind: 'console' }]);
  });

  it('a reviewer sees them and changes nothing; a lead that is not there says so', async () => {
    const reviewer = await stage.member({ role: 'reviewer' });
    const page = await stage.open(reviewer, `leads/${evil}`);
    await settled(page);
    for (const name of ['Erase', 'Edit', 'Add to a list', 'Keep the note'])
      expect(await page.getByRole('button', { name }).count(), name).to.equal(0);
    await page.context().close();
    const none = await stage.open(anna, 'leads/01900000-0000-7000-8000-000000000000');
    await none
      .getByRole('alert')
      .getByText(/was not found/)
      .waitFor();
    await none.context().close();
  });

  async function expectRows(rows: { count(): Promise<number> }, wanted: number): Promise<void> {
    const until = Date.now() + 15_000;
    while ((await rows.count()) !== wanted && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await rows.count(), 'rows, with the head').to.equal(wanted);
  }
});
