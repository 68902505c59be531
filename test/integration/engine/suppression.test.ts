import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { companySpellings, keywordWords, personSpellings } from '../../../pkg/domain/name-spellings.ts';
import { companyKey, plainWords } from '../../../pkg/domain/person-identity.ts';
import type { ExclusionReach } from '../../../pkg/domain/suppression.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { leaveTombstone } from '../../../pkg/store/erasure/erasure.ts';
import { addWorkspace } from '../../fixtures/engine/rows.ts';
import { type TestDatabase, testPostgres } from '../../tools/postgres.ts';
import { isExcluded, normalValue, type Suppression, type SuppressionKind } from './suppression-model.ts';

interface Person {
  fullName: string;
  company: string;
  title: string;
  headline: string;
  email: string | null;
  profileUrl: string;
}

const ADA: Person = {
  fullName: 'Ádá  Lovelace-King',
  company: 'Müller & Söhne GmbH',
  title: 'Head of Sales, Recruiting',
  headline: 'I hire',
  email: 'ada@mail.mueller.example',
  profileUrl: 'https://www.linkedin.com/in/ada-l',
};

/** Names whose spellings differ. */
const SPELT = [
  'Dr. med. Jörg Müller-Lüdenscheidt, MBA',
  'Doe, Jane',
  'Jane Doe, Ph.D.',
  "Seán O'Brien",
  'ÅSA Søndergård',
  'ŁUKASZ Wałęsa',
  'Haakon Aae',
  'Acme GmbH & Co. KG',
  'Foo S.A. de C.V.',
  'Bar Sp. z o.o.',
  'Baz d.o.o. und and',
  'C++ & C# Ltd.',
];

describe('whom exclusions meet', function () {
  this.timeout(60_000);
  let app: Database;
  let urls: TestDatabase;

  before(async () => {
    urls = await (await testPostgres()).product();
    app = new Database({ url: urls.appUrl, max: 2, applicationName: 'test' });
  });
  after(() => app.close());

  async function addPerson(ws: string | null, person: Person, profileId: string): Promise<string> {
    const id = randomUUID();
    await app.tx({ kind: 'platform' }, (tx) =>
      tx.exec(
        `insert into lead (id, workspace_id, full_name, company, company_key, title, headline, profile_id, profile_url, email, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, 1)`,
        [
          id,
          ws,
          person.fullName,
          person.company,
          companyKey(person.company),
          person.title,
          person.headline,
          profileId,
          person.profileUrl,
          person.email,
        ],
      ),
    );
    return id;
  }

  async function hits(
    ws: string,
    lead: string,
    kind: SuppressionKind,
    value: string,
    reach: ExclusionReach = 'all_outreach',
  ): Promise<boolean> {
    return app.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec('delete from suppression where workspace_id = $1', [ws]);
      await tx.exec(
        `insert into suppression (id, workspace_id, level, kind, value, source, applies_to, created_at) values ($1, $2, 'workspace', $3, $4, 'manual', $5, 1)`,
        [randomUUID(), ws, kind, value, reach],
      );
      const rows = await tx.rows('select * from app.suppressed_leads($1, null, $2::uuid[], 2)', [ws, [lead]]);
      await tx.exec('delete from suppression where workspace_id = $1', [ws]);
      return rows.length > 0;
    });
  }

  /** Whether an exclusion that is not stored would meet the lead. */
  async function wouldHit(ws: string, lead: string, kind: SuppressionKind, value: string): Promise<boolean> {
    const met = await app.tx({ kind: 'platform' }, (tx) =>
      tx.rows('select * from app.leads_met($1, $2::uuid[], $3, $4)', [ws, [lead], [kind], [value]]),
    );
    return met.length > 0;
  }

  const cases: [SuppressionKind, string, boolean, string][] = [
    ['name_company', 'Ada Lovelace King @ Müller & Söhne', true, 'accents, hyphen and legal form do not matter'],
    ['name_company', 'ADA LOVELACE KING@MULLER AND SOHNE AG', true, 'case does not matter'],
    ['name_company', 'Ada King @ Müller & Söhne', false, 'another name'],
    ['name_company', 'Ada Lovelace King @ Söhne', false, 'another company'],
    ['keyword', 'Recruiting', true, 'a word of the title'],
    ['keyword', 'recruit', false, 'a part of a word is another word'],
    ['keyword', 'head of sales', true, 'several words in a row'],
    ['keyword', 'sales recruiting', true, 'punctuation between words does not matter'],
    ['keyword', 'king muller', false, 'names are not searched, nor over the borders of fields'],
    ['keyword', 'Müller GmbH', false, 'a legal form is a word too'],
    ['keyword', 'Müller', true, 'and may be left out'],
    ['keyword', 'Co-Head of Sales', false, 'each word counts'],
    ['keyword', 'C++', false, 'signs that are words are none of the letter before'],
    ['domain', 'mueller.example', true, 'a domain covers those below it'],
    ['domain', 'ueller.example', false, 'a part of a label is another domain'],
    ['domain', 'example', false, 'the top alone is no domain'],
    ['mail', 'Ada@Mail.Mueller.example', true, 'an address in any case'],
    ['mail', 'da@mail.mueller.example', false, 'another address'],
    ['profile', 'https://de.linkedin.com/in/Ada-L/', true, 'a profile in any form'],
    ['company', 'MUELLER & Soehne GmbH & Co. KG', true, 'a company in another spelling, with another legal form'],
    ['company', 'Muller Sohne', false, 'a company of another name'],
    ['name_company', 'Lovelace King, Dr. Ada @ Mueller & Soehne', true, 'the family name first, with a title'],
    ['company', 'Muller and Sohne, Inc.', true, 'a company without its legal form'],
    ['keyword', 'head of sales recruiting', true, 'as many words as the field has'],
    ['keyword', 'head of sales recruiting now', false, 'more words than the field has'],
    ['keyword', 'sales i', false, 'not over the border of title and headline'],
  ];

  it('every kind hits and misses whom the rule says', async () => {
    const ws = await addWorkspace(app);
    const lead = await addPerson(ws, ADA, 'ada-l');
    for (const [kind, written, expected, why] of cases) {
      const value = normalValue(kind, written);
      const entry: Suppression[] = value === null ? [] : [{ kind, value, appliesTo: 'all_outreach' }];
      expect(isExcluded({ ...ADA, personId: null }, entry), `model: ${kind} ${written}: ${why}`).to.equal(expected);
      if (value === null) continue;
      expect(await hits(ws, lead, kind, value), `database: ${kind} ${written}: ${why}`).to.equal(expected);
      expect(await wouldHit(ws, lead, kind, value), `before it is stored: ${kind} ${written}`).to.equal(expected);
    }
  });

  it('an exclusion of a person meets that person alone; one for signals stops no outreach', async () => {
    const ws = await addWorkspace(app);
    const lead = await addPerson(ws, ADA, 'ada-l');
    const settled = await app.tx({ kind: 'platform' }, (tx) =>
      tx.row<{ id: string }>('select person_id as id from app.resolve_persons($1::uuid[], 1)', [[lead]]),
    );
    const [person, other] = [settled?.id ?? '', randomUUID()];
    const of = (value: string, appliesTo: ExclusionReach): Suppression => ({ kind: 'person', value, appliesTo });
    for (const [value, appliesTo, expected] of [
      [person, 'all_outreach', true],
      [other, 'all_outreach', false],
      [person, 'signals', false],
    ] as const) {
      expect(isExcluded({ ...ADA, personId: person }, [of(value, appliesTo)]), 'model').to.equal(expected);
      expect(await hits(ws, lead, 'person', value, appliesTo), 'database').to.equal(expected);
    }
  });

  it('unsubscribe, complaint and erasure cannot be lifted', async () => {
    const ws = await addWorkspace(app);
    const lead = await addPerson(ws, ADA, 'ada-l');
    const lifted = await app.tx({ kind: 'platform' }, async (tx) => {
      for (const source of ['unsubscribe', 'complaint', 'erasure', 'manual', 'customer'])
        await tx.exec(
          `insert into suppression (id, workspace_id, level, kind, value, source, created_at) values ($1, $2, 'workspace', 'profile', 'ada-l', $3, 1)`,
          [randomUUID(), ws, source],
        );
      return tx.rows<{ source: string; removable: boolean }>(
        'select source, removable from app.suppressions_of($1, null, $2::uuid[], 2) order by source',
        [ws, [lead]],
      );
    });
    expect(lifted.filter((one) => one.removable).map((one) => one.source)).to.deep.equal(['customer', 'manual']);
    expect(lifted).to.have.length(5);
  });

  it('an excluded address is that mailbox under any tag', async () => {
    const ws = await addWorkspace(app);
    const tagged = { ...ADA, email: 'Ada+crm@mail.mueller.example' };
    const lead = await addPerson(ws, tagged, 'ada-tag');
    const value = 'ada@mail.mueller.example';
    const entry: Suppression = { kind: 'mail', value, appliesTo: 'all_outreach' };
    expect(isExcluded({ ...tagged, personId: null }, [entry])).to.equal(true);
    expect(await hits(ws, lead, 'mail', value)).to.equal(true);
  });

  it('exclusions of a workspace that shares them count in its agency, nowhere else, and only while it shares', async () => {
    const [sharing, sister, silent, stranger] = await Promise.all(
      ['a1', 'a1', 'a1', 'a2'].map((agencyId) => addWorkspace(app, { agencyId })),
    );
    const lead = await addPerson(null, ADA, 'ada-shared');
    const platform = { kind: 'platform' } as const;
    const share = (ws: string | undefined, on: boolean): Promise<unknown> =>
      app.tx(platform, (tx) =>
        tx.exec('update workspace set settings = $2 where id = $1', [ws, { shareSuppressionWithAgency: on }]),
      );
    const exclude = (ws: string | undefined, kind: SuppressionKind, value: string, source: string): Promise<unknown> =>
      app.tx(platform, (tx) =>
        tx.exec(
          `insert into suppression (id, workspace_id, level, kind, value, source, created_at) values ($1, $2, 'workspace', $3, $4, $5, 1)`,
          [randomUUID(), ws, kind, value, source],
        ),
      );
    /** What holds in a workspace: of the lead, of a profile without a lead, of an address that bounced. */
    const seen = (ws: string | undefined): Promise<unknown[]> =>
      app.tx(platform, async (tx) => [
        await tx.rows('select source, level, removable from app.suppressions_of($1, null, $2::uuid[], 2) order by 1', [
          ws,
          [lead],
        ]),
        (await tx.rows('select * from app.suppressed_profiles($1, $2, 2)', [ws, ['ada-shared']])).length,
      ]);
    const bounced = async (ws: string | undefined): Promise<number> => {
      const { superuserUrl } = urls;
      const root = new pg.Client({ connectionString: superuserUrl });
      await root.connect();
      try {
        await root.query('begin');
        await root.query(`select set_config('app.platform', 'on', true)`);
        return (await root.query('select * from app.bounced_addresses($1, $2)', [ws, ['a@b.example']])).rows.length;
      } finally {
        await root.end();
      }
    };
    await exclude(sharing, 'profile', 'ada-shared', 'customer');
    await exclude(sharing, 'mail', 'a@b.example', 'bounce');
    await exclude(silent, 'domain', 'mail.mueller.example', 'manual');
    expect(await seen(sister), 'nobody shares').to.deep.equal([[], 0]);
    await share(sharing, true);
    const shared = { source: 'customer', level: 'agency', removable: false };
    expect(await seen(sister)).to.deep.equal([[shared], 1]);
    expect(await seen(sharing)).to.deep.equal([[{ ...shared, level: 'workspace', removable: true }], 1]);
    expect(await seen(stranger), 'another agency').to.deep.equal([[], 0]);
    expect([await bounced(sister), await bounced(stranger)]).to.deep.equal([1, 0]);
    await share(sharing, false);
    expect(await seen(sister), 'shared no more').to.deep.equal([[], 0]);
  });

  it('who was erased where nobody had them yet is barred in the agency too, while that is shared', async () => {
    const [sharing, sister, stranger] = await Promise.all(
      ['a3', 'a3', 'a4'].map((agencyId) => addWorkspace(app, { agencyId })),
    );
    const platform = { kind: 'platform' } as const;
    const email = 'ada@erased.example';
    const lead = await addPerson(null, { ...ADA, email }, 'ada-erased');
    const seen = (ws: string | undefined): Promise<unknown[]> =>
      app.tx(platform, (tx) =>
        tx.rows('select source, level, removable from app.suppressions_of($1, null, $2::uuid[], 2)', [ws, [lead]]),
      );
    const address = { fullName: '', company: '', email, profileUrl: '' };
    await app.tx(platform, (tx) => leaveTombstone(tx, sharing ?? '', address, { reason: 'asked', now: 1 }));
    const erased = { source: 'erasure', level: 'workspace', removable: false };
    expect(await seen(sharing)).to.deep.equal([erased]);
    expect(await seen(sister), 'not shared').to.deep.equal([]);
    await app.tx(platform, (tx) =>
      tx.exec(`update workspace set settings = '{"shareSuppressionWithAgency": true}' where id = $1`, [sharing]),
    );
    expect(await seen(sister)).to.deep.equal([{ ...erased, level: 'agency' }]);
    expect(await seen(stranger), 'another agency').to.deep.equal([]);
  });

  it('property: names and companies of any script have one form in both', async () => {
    const letters = fc.constantFrom(..."aÀßöŁñİς ΣжЙ東京ﬁ①½.'&,-–—|@®™€🎉\tInc GmbH sp z o o Co".split(/(?<=[^a-z])/u));
    const names = fc
      .sample(fc.array(letters, { maxLength: 12 }), { numRuns: 2_000, seed: 7 })
      .map((one) => one.join(''));
    const rows = await app.tx({ kind: 'platform' }, (tx) =>
      tx.rows<{ company: string; name: string }>(
        'select app.company_key(x) as company, app.plain_words(x) as name from unnest($1::text[]) with ordinality as t (x, n) order by n',
        [names],
      ),
    );
    const spelt = [...names, ...SPELT];
    const spellings = await app.tx({ kind: 'platform' }, (tx) =>
      tx.rows<{ companies: string[]; kept: string[]; persons: string[]; words: string }>(
        `select app.company_spellings(x) as companies, app.spellings_of(x, app.company_key(x)) as kept, app.person_spellings(x) as persons, app.keyword_words(x) as words
         from unnest($1::text[]) with ordinality as t (x, n) order by n`,
        [spelt],
      ),
    );
    for (const [index, name] of spelt.entries()) {
      const { companies = [], kept, persons = [], words } = spellings[index] ?? {};
      expect(companies.toSorted(), JSON.stringify(name)).to.deep.equal(companySpellings(name).toSorted());
      expect(new Set(kept), JSON.stringify(name)).to.deep.equal(new Set(companies));
      expect(persons.toSorted(), JSON.stringify(name)).to.deep.equal(personSpellings(name).toSorted());
      expect(words, JSON.stringify(name)).to.equal(keywordWords(name));
    }
    for (const [index, name] of names.entries()) {
      expect(rows[index]?.company, JSON.stringify(name)).to.equal(companyKey(name));
      expect(rows[index]?.name ?? '', JSON.stringify(name)).to.equal(plainWords(name));
    }
  });
});
