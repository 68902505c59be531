import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import {
  type ConsolePage,
  type ConsoleStage,
  consoleStage,
  HOSTILE,
  type Member,
} from '../fixtures/console/console-stage.ts';
import { expectWell, settled, wellAt } from '../fixtures/console/well.ts';

const QUOTED = `"${HOSTILE.replaceAll('"', '""')}"`;
/** A remark above its head, a hostile name in quotes with a line break, formulas, rows that identify nobody or somebody twice. */
const FILE = [
  'Exported by <script>alert(4)</script>',
  'Vorname,Nachname,E-Mail,Firma,Telefon,Shoe size,Opt out',
  `${QUOTED},Aal,aal@import.example,Aal GmbH,+49 30 1234567,43,`,
  '"Bea',
  'Maria",Bock,no mail at all,,xx,38,',
  `"=HYPERLINK(""http://evil.example"")",Cent,cent@,,,,`,
  'Dora,Dorn,dora@import.example,Dorn,,,yes',
  'Dora,Dorn,dora@import.example,Dorn,,,yes',
].join('\n');

describe('importing a file in the console', function () {
  this.timeout(120_000);
  let stage: ConsoleStage;
  let anna: Member;

  before(async () => {
    stage = await consoleStage();
    anna = await stage.member({ name: 'Anna Berg' });
  });

  const choose = (page: ConsolePage, name: string, text: string | Buffer): Promise<void> =>
    page.setInputFiles('input[type=file]', { name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  const goesTo = (page: ConsolePage, column: string) => page.getByRole('combobox', { name: `Where “${column}” goes` });
  const count = async (): Promise<number> =>
    (
      await stage.fixture.tools.rows<{ n: number }>(
        `select count(*)::int as n from lead where workspace_id = $1 and email like '%@import.example'`,
        [stage.workspaceId],
      )
    )[0]?.n ?? -1;

  it('a file is dropped, its columns are shown, it is tried out, stored, and what was skipped is mended and downloaded', async () => {
    const { acme } = stage.fixture;
    const page = await stage.open(anna, 'leads/import');
    await page.getByText('Drop a CSV file here').waitFor();
    // As a browser has it when somebody lets go of a file over the page.
    const data = await page.evaluateHandle(
      `(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(FILE)}], ${JSON.stringify(`${HOSTILE}.csv`)}, { type: 'text/csv' })); return data; })()`,
    );
    await page.locator('.drop').dispatchEvent('drop', { dataTransfer: data });
    // Nothing is stored before somebody saw where each column goes.
    expect(await goesTo(page, 'Vorname').inputValue()).to.equal('firstName');
    expect(await goesTo(page, 'E-Mail').inputValue()).to.equal('email');
    expect(await goesTo(page, 'Telefon').inputValue()).to.equal('phone');
    expect(await goesTo(page, 'Opt out').inputValue()).to.equal('unsubscribed');
    expect(await goesTo(page, 'Shoe size').inputValue(), 'nowhere').to.equal('');
    await page
      .getByRole('row', { name: /Vorname/ })
      .getByText(HOSTILE)
      .waitFor();
    await goesTo(page, 'Shoe size').selectOption('customFields.shoe_size');
    await page.getByRole('combobox', { name: 'List' }).selectOption('new');
    await page.getByRole('textbox', { name: 'Name of the new list' }).fill(HOSTILE);
    await page.getByRole('textbox', { name: 'Tags for all of them' }).fill('imported');
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByText('would be skipped', { exact: true }).waitFor();
    await page.getByText('"no mail at all" is no mail address').waitFor();
    expect(await count(), 'trying out stores nothing').to.equal(0);
    await expectWell(page, 'tried out');
    await page.getByRole('button', { name: 'Import 2 leads' }).click();
    await page.getByRole('heading', { name: 'Rows that were skipped (3)' }).waitFor();
    expect(await count()).to.equal(2);
    await expectWell(page, 'the report');

    const download = page.waitForEvent('download');
    await page.getByRole('textbox', { name: 'E-Mail of row 4' }).fill('bea@import.example');
    await page.getByRole('button', { name: 'Download them as CSV' }).click();
    const file = await (await download).path();
    const lines = (await readFile(file, 'utf8')).split('\r\n');
    expect(lines[0]).to.equal('\uFEFFVorname,Nachname,E-Mail,Firma,Telefon,Shoe size,Opt out,Why it was skipped');
    expect(lines[1]).to.equal('"Bea\nMaria",Bock,bea@import.example,,xx,38,,"""no mail at all"" is no mail address"');
    expect(lines[2]).to.match(/^"=HYPERLINK\(""http:\/\/evil\.example""\)",Cent,cent@,,,,,"/);
    expect(lines[3]).to.equal('Dora,Dorn,dora@import.example,Dorn,,,yes,the same person as line 7');

    await page.getByRole('button', { name: 'Import 1 mended row' }).click();
    await page.getByText('mended rows of').first().waitFor();
    await page.getByRole('link', { name: 'Look at the leads' }).waitFor();
    expect(await count()).to.equal(3);
    await page.getByRole('link', { name: 'Look at the leads' }).click();
    await page.getByRole('link', { name: 'Bea Maria Bock' }).waitFor();
    await page.getByRole('link', { name: `${HOSTILE} Aal` }).waitFor();
    await expectWell(page, 'the list of them');
    await page.context().close();
    const { leads } = await acme.call<{ leads: { tags: string[]; customFields: object; email: string }[] }>(
      'svc_search_leads',
      { tags: ['imported'], detail: 'full', includeSuppressed: true },
    );
    expect(leads.map(({ email }) => email).sort()).to.deep.equal([
      'aal@import.example',
      'bea@import.example',
      'dora@import.example',
    ]);
    expect(leads.find(({ email }) => email.startsWith('aal'))?.customFields).to.deep.equal({ shoe_size: '43' });
  });

  it('the file to be mended is one that an import takes again', async () => {
    const page = await stage.open(anna, 'leads/import');
    const again = 'Vorname;Nachname;E-Mail;Why it was skipped\nEva;Erz;eva@import.example;"""x"" is no mail address"\n';
    await choose(page, 'skipped.csv', again);
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByRole('button', { name: 'Import 1 lead' }).click();
    await page.getByRole('link', { name: 'Look at the leads' }).waitFor();
    expect(await page.getByRole('heading', { name: /^Rows that were skipped/ }).count()).to.equal(0);
    await page.context().close();
  });

  it('a file that names nobody can be mapped by hand', async () => {
    const page = await stage.open(anna, 'leads/import');
    await choose(page, 'odd.csv', 'alpha,beta\nFay Fels,fay@import.example\n');
    await page.getByText(/no column identifies a person/).waitFor();
    expect(await page.getByRole('button', { name: 'Try it out' }).isDisabled()).to.equal(true);
    await goesTo(page, 'alpha').selectOption('fullName');
    await goesTo(page, 'beta').selectOption('email');
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByRole('button', { name: 'Import 1 lead' }).waitFor();
    await page.context().close();
  });

  it('a large file goes to its address, and comes back as leads', async () => {
    const filler = 'x'.repeat(9_000);
    const rows = Array.from({ length: 400 }, (_, n) => `Big${n},Grand,big${n}@large.example,Grand ${n % 40},${filler}`);
    const page = await stage.open(anna, 'leads/import');
    const put = page.waitForResponse((response) => response.request().method() === 'PUT');
    await choose(
      page,
      'large.csv',
      `First name,Last name,Email,Company,Report\n${rows.join('\n')}\nNo,Body,nothing,,\n`,
    );
    await page.getByRole('button', { name: 'Try it out' }).click();
    expect((await put).status()).to.equal(201);
    expect(new URL((await put).url()).origin, 'another origin').to.not.equal(stage.origin);
    await page.getByRole('button', { name: 'Import 400 leads' }).click({ timeout: 60_000 });
    await page.getByRole('heading', { name: 'Rows that were skipped (1)' }).waitFor({ timeout: 60_000 });
    await page.getByRole('textbox', { name: 'Email of row 402' }).waitFor();
    expect(page.problems).to.deep.equal([]);
    await page.context().close();
    const [stored] = await stage.fixture.tools.rows<{ n: number }>(
      `select count(*)::int as n from lead where email like '%@large.example'`,
    );
    expect(stored?.n).to.equal(400);
  });

  it('says what is no CSV, what is empty, and refuses nobody who sends Windows-1252', async () => {
    const page = await stage.open(anna, 'leads/import');
    await choose(page, 'book.csv', 'PK\u0003\u0004rest');
    await page
      .getByRole('alert')
      .getByText(/a workbook .* Save it as CSV/)
      .waitFor();
    await choose(page, 'empty.csv', '');
    await page.getByRole('alert').getByText('The file is empty.').waitFor();
    await choose(page, 'old.csv', Buffer.from('Vorname;E-Mail\nJürgen;jue@import.example\n', 'latin1'));
    await page.getByText('Jürgen').waitFor();
    await page.context().close();
  });

  it('each of its parts fits a telephone in the dark', async () => {
    const act = async (page: ConsolePage): Promise<void> => {
      await choose(page, `${HOSTILE}.csv`, FILE.replaceAll('@import', '@other'));
      await page.getByRole('button', { name: 'Try it out' }).click();
      await page.getByText('would be skipped', { exact: true }).waitFor();
      await expectWell(page, 'tried out');
      await page.getByRole('button', { name: /^Import \d/ }).click();
      await page.getByRole('heading', { name: /^Rows that were skipped/ }).waitFor();
    };
    await wellAt({ stage, member: anna, path: 'leads/import', act });
  });

  it('a reviewer may not import', async () => {
    const page = await stage.open(await stage.member({ role: 'reviewer' }), 'leads/import');
    await settled(page);
    await page.getByText('Not yours to see').waitFor();
    expect(await page.locator('input[type=file]').count()).to.equal(0);
    await page.context().close();
  });
});
