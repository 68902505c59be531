import { expect } from 'chai';
import { mailIdentity } from '../../../pkg/domain/mail-identity.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { boundedSearch, widestFilter } from '../../../pkg/tools/bounded-search.ts';
import { testPostgres } from '../../tools/postgres.ts';

describe('rules on leads that the database and the program share', () => {
  let db: Database;

  before(async function () {
    this.timeout(60_000);
    db = new Database({ url: (await (await testPostgres()).product()).appUrl, max: 2, applicationName: 'test' });
  });
  after(() => db.close());

  it('a mail address has one form in both', async () => {
    const mails = [
      'ada.kern@firm.example',
      'ADA.Kern+crm@Firm.example',
      'a.d.a@gmail.com',
      'a.d.a+x+y@googlemail.com',
      '+only@firm.example',
      'dots.stay@firm.example',
    ];
    const rows = await db.tx({ kind: 'platform' }, (tx) =>
      tx.rows<{ mail: string; form: string }>(
        'select m as mail, app.mail_identity(m) as form from unnest($1::text[]) m',
        [mails],
      ),
    );
    for (const { mail, form } of rows) expect(form, mail).to.equal(mailIdentity(mail));
  });

  it('a search that takes too long ends, and says which filter to narrow', async () => {
    const error = await db
      .tx({ kind: 'platform' }, (tx) =>
        boundedSearch(
          tx,
          widestFilter({ titles: ['manager'], keywords: ['a'] }),
          () => tx.rows('select pg_sleep(20)'),
          50,
        ),
      )
      .then(
        () => undefined,
        (one: Error) => one,
      );
    expect(error?.message).to.equal(
      'The search took longer than 0.05 s and was ended. Narrow "keywords" (an entry has fewer than 3 characters) and call it again.',
    );
  });

  it('names the longest list when every text can be looked up', () => {
    expect(widestFilter({ query: 'one two', titles: ['manager', 'director', 'founder'] })).to.equal('"titles"');
    expect(widestFilter({ query: '', titles: [] })).to.equal('"query" (give one)');
  });

  it("a workspace's search function answers nothing to a caller of another workspace", async () => {
    const found = await db.tx({ kind: 'workspaces', ids: ['other'] }, (tx) =>
      tx.row<{ ids: string[] }>(`select app.find_leads('acme', '{"visibility": "all"}', null, 5) as ids`),
    );
    expect(found?.ids).to.deep.equal([]);
  });
});
