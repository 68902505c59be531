import { readFileSync } from 'node:fs';
import { domainToASCII, domainToUnicode } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { identitiesToAsk } from '../../../pkg/domain/erased-identity.ts';
import { isRoleMail, mailIdentity, ROLE_MAILBOXES } from '../../../pkg/domain/mail-identity.ts';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { boundedSearch, widestFilter } from '../../../pkg/tools/bounded-search.ts';
import { pageOf } from '../../../pkg/tools/paging.ts';
import type { ToolContext } from '../../../pkg/tools/tool-context.ts';
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
      'anna+crm@münchen.example',
      'anna@xn--mnchen-3ya.example',
      'anna@ｆｉｒｍ.example',
      'ａｎｎａ@STRAßE.example',
    ];
    const rows = await db.tx({ kind: 'platform' }, (tx) =>
      tx.rows<{ mail: string; form: string }>(
        'select m as mail, app.mail_identity(m) as form from unnest($1::text[]) m',
        [mails],
      ),
    );
    for (const { mail, form } of rows) expect(form, mail).to.equal(mailIdentity(mail));
  });

  it('a host in the letters of DNS is read in those that people type, in both', async () => {
    const hosts = [
      'xn--mnchen-3ya.example',
      'xn--strae-oqa.example',
      'a.xn--wlke-5qa.xn--p1ai',
      'xn--fsq092h.example',
      'xn--e1afmkfd.xn--80akhbyknj4f',
      'xn--nxasmm1c.example',
      'plain.example',
      'xn--zzzzzzzzzzzzzzzzzzzzzzzz.example',
    ];
    const letters = 'abcxyz019äöüßéøłžабвгджяαβγδω中国日本語한국ไทย';
    let seed = 7;
    const next = (below: number): number => {
      seed = (seed * 48271) % 2147483647;
      return seed % below;
    };
    for (let n = 0; n < 300; n++) {
      const label = Array.from({ length: 1 + next(12) }, () => letters[next(letters.length)]).join('');
      const host = domainToASCII(`${label}.example`);
      if (host !== '') hosts.push(host);
    }
    const rows = await db.tx({ kind: 'platform' }, (tx) =>
      tx.rows<{ host: string; typed: string }>(
        `select h as host, split_part(app.typed_mail('a@' || h), '@', 2) as typed from unnest($1::text[]) h`,
        [hosts],
      ),
    );
    for (const { host, typed } of rows) expect(typed, host).to.equal(domainToUnicode(host) || host);
  });

  it('who was erased at a host in other letters is recognised by the database as by the program', async () => {
    const asked = { fullName: '', company: '', email: 'Anna+x@xn--mnchen-3ya.example', profileUrl: '' };
    const { ownerUrl } = await (await testPostgres()).product();
    const owner = new pg.Client({ connectionString: ownerUrl });
    await owner.connect();
    try {
      const { rows } = await owner.query<{ proofs: string[]; hashes: number; none: string[] }>(
        `select app.mail_proofs($1) as proofs, app.mail_proofs(null) as none,
           (select count(*)::int from unnest(array['anna@münchen.example', 'anna@xn--mnchen-3ya.example']) m
            where app.mail_hash(m) = any (app.mail_hashes('Anna@München.example'))
              and app.mail_hash(m) = any (app.mail_hashes($1))) as hashes`,
        [asked.email],
      );
      expect(rows).to.deep.equal([{ proofs: identitiesToAsk(asked), hashes: 2, none: [null] }]);
    } finally {
      await owner.end();
    }
  });

  it('who was erased when hosts were kept in other letters is neither written to nor found again', async () => {
    const mail = 'anna@xn--mnchen-3ya.example';
    await db.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec(`insert into workspace (id, uid, name, created_at, updated_at) values ('old', 'old', 'Old', 1, 1)`);
      await tx.exec(`select app.leave_tombstones('old', '{mail:anna@münchen.example}', 'manual', 1)`);
      const hits = await tx.rows(
        `select source from app.exclusions_of_address('old', null, $1, null, null, 2)
         union all select source from app.exclusions_of_address('old', null, 'bo@xn--mnchen-3ya.example', null, null, 2)`,
        [mail],
      );
      expect(hits).to.deep.equal([{ source: 'erasure' }]);
    });
    const { superuserUrl } = await (await testPostgres()).product();
    const superuser = new pg.Client({ connectionString: superuserUrl, options: '-c search_path=outrider,app,public' });
    await superuser.connect();
    try {
      await superuser.query(
        `insert into workspace (id, uid, name, created_at, updated_at) values ('old', 'old', 'Old', 1, 1)`,
      );
      await superuser.query(
        `insert into erasure_tombstone (workspace_id, hash, reason, erased_at)
         values ('old', app.erasure_hash('old', 'mail:anna@münchen.example'), 'manual', 1)`,
      );
      const { rows } = await superuser.query(
        `with l as (insert into lead (id, workspace_id, created_at, updated_at)
           values ('00000000-0000-0000-0000-0000000000c1', 'old', 1, 1) returning id) select id from l`,
      );
      const filled = await superuser.query(
        `select app.fill_lead('old', $1, jsonb_build_object('email', $2::text, 'title', 'CEO'), 'provider', 1, 2) as fields`,
        [rows[0].id, mail],
      );
      expect(filled.rows).to.deep.equal([{ fields: ['title'] }]);
    } finally {
      await superuser.end();
    }
  });

  it('two persons who were one mailbox in two spellings are one after the upgrade, with what either wished', async () => {
    const { ownerUrl } = await (await testPostgres()).product();
    const owner = new pg.Client({ connectionString: ownerUrl, options: '-c search_path=outrider,app,public' });
    await owner.connect();
    const [one, two] = ['00000000-0000-0000-0000-0000000000b1', '00000000-0000-0000-0000-0000000000b2'];
    const [typed, plain] = ['anna@münchen.example', 'anna@xn--mnchen-3ya.example'];
    const file = (name: string) =>
      readFileSync(new URL(`../../../pkg/store/migrations/${name}`, import.meta.url), 'utf8');
    try {
      await owner.query('begin');
      await owner.query(
        `insert into workspace (id, uid, name, created_at, updated_at) values ('both', 'both', 'Both', 1, 1)`,
      );
      await owner.query(
        `insert into person (id, scope, created_at) select v::uuid, 'w:both', 1 from unnest($1::text[]) v`,
        [[one, two]],
      );
      await owner.query(
        `insert into person_alias (scope, kind, value, person_id)
         values ('w:both', 'mail', app.mail_hash($1), $3), ('w:both', 'mail', app.mail_hash($2), $4)`,
        [typed, plain, two, one],
      );
      await owner.query(
        `insert into lead (id, workspace_id, email, person_id, created_at, updated_at)
         select gen_random_uuid(), 'both', m, p::uuid, 1, 1 from unnest($1::text[], $2::text[]) u (m, p)`,
        [
          [typed, plain],
          [two, one],
        ],
      );
      await owner.query(
        `insert into suppression (id, workspace_id, level, kind, value, person_id, source, created_at)
         values (gen_random_uuid(), 'both', 'workspace', 'person', $1::text, $1::uuid, 'unsubscribe', 1)`,
        [two],
      );
      await owner.query(file('1065_one_form_of_a_mailbox.sql'));
      await owner.query(file('1067_one_person_per_mailbox.sql'));
      const { rows } = await owner.query(
        `select count(distinct l.person_id)::int as persons, count(s.id)::int as excluded
         from lead l left join suppression s on s.person_id = l.person_id where l.workspace_id = 'both'`,
      );
      expect(rows).to.deep.equal([{ persons: 1, excluded: 2 }]);
    } finally {
      await owner.query('rollback');
      await owner.end();
    }
  });

  it('a mailbox that was kept in other letters is found in those of DNS after the upgrade', async () => {
    const { ownerUrl } = await (await testPostgres()).product();
    const owner = new pg.Client({ connectionString: ownerUrl, options: '-c search_path=outrider,app,public' });
    await owner.connect();
    const file = new URL('../../../pkg/store/migrations/1065_one_form_of_a_mailbox.sql', import.meta.url);
    try {
      await owner.query('begin');
      await owner.query(`insert into person (id, created_at) values ('00000000-0000-0000-0000-0000000000aa', 1)`);
      await owner.query(
        `insert into person_alias (kind, value, person_id)
         values ('mail', app.mail_hash('anna@münchen.example'), '00000000-0000-0000-0000-0000000000aa')`,
      );
      await owner.query(
        `insert into lead (id, email, created_at, updated_at) values (gen_random_uuid(), 'Anna@München.example', 1, 1)`,
      );
      await owner.query(
        `insert into suppression (id, level, kind, value, source, created_at)
         select gen_random_uuid(), 'platform', 'mail', v, 'manual', 1
         from unnest(array['anna@münchen.example', app.mail_hash('anna@münchen.example')]) v`,
      );
      await owner.query(readFileSync(file, 'utf8'));
      const { rows } = await owner.query<{ found: string }>(
        `select 'lead' as found from lead where email = $1
         union all select 'alias' from person_alias where value = app.mail_hash($1)
         union all select 'exclusion' from suppression where value in ($1, app.mail_hash($1))
         order by 1`,
        ['anna@xn--mnchen-3ya.example'],
      );
      expect(rows.map(({ found }) => found)).to.deep.equal(['alias', 'exclusion', 'exclusion', 'lead']);
    } finally {
      await owner.query('rollback');
      await owner.end();
    }
  });

  it('a mailbox that several people read is one in both', async () => {
    const mails = [
      'info@firm.example',
      'Sales+x@Firm.example',
      'no-reply@a.example',
      'ada@firm.example',
      'infos@firm.example',
    ];
    const rows = await db.tx({ kind: 'platform' }, (tx) =>
      tx.rows<{ mail: string; role: boolean }>(
        'select m as mail, app.is_role_mail(m) as role from unnest($1::text[]) m',
        [[...mails, ...[...ROLE_MAILBOXES].map((name) => `${name}@firm.example`)]],
      ),
    );
    for (const { mail, role } of rows) expect(role, mail).to.equal(isRoleMail(mailIdentity(mail) ?? ''));
  });

  const within = {
    'a transaction': (work: (tx: Tx) => Promise<unknown>) => db.tx({ kind: 'platform' }, work),
    'a read': (work: (tx: Tx) => Promise<unknown>) => db.read({ kind: 'platform' }, work),
  };
  for (const [what, run] of Object.entries(within)) {
    it(`a search that takes too long in ${what} ends, and says which filter to narrow`, async () => {
      const widest = widestFilter({ titles: ['manager'], keywords: ['a'] });
      const error = await run((tx) =>
        boundedSearch(tx, widest, (limited) => limited.rows('select pg_sleep(20)'), 50),
      ).then(
        () => undefined,
        (one: Error) => one,
      );
      expect(error?.message).to.equal(
        'The search took longer than 0.05 s and was ended. Narrow "keywords" (an entry has fewer than 3 characters) and call it again.',
      );
    });
  }

  it('a page of a list that takes too long says which filters it was given', async () => {
    const ended = (filters: object): Promise<string> =>
      pageOf(
        { cursors: { decode: () => null } } as unknown as ToolContext,
        'svc_list_workflow_runs',
        { limit: 25 },
        filters,
        () => db.read({ kind: 'platform' }, (tx) => tx.limited(50, (limited) => limited.rows('select pg_sleep(20)'))),
        () => [],
      ).then(
        () => 'not ended',
        (error: Error) => error.message,
      );
    expect(await ended({ workspaceId: 'acme', state: 'failed', leadId: undefined })).to.equal(
      'The list took too long and was ended. Narrow "state" or leave it out, and call it again.',
    );
    expect(await ended({ workspaceId: 'acme' })).to.equal(
      'The list took too long and was ended. Name one more filter, and call it again.',
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

  it('new leads get company and person together, as one by one: the same profile or mailbox is one person', async () => {
    await db.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec(`insert into workspace (id, uid, name, created_at, updated_at) values ('own', 'own', 'Own', 1, 1)`);
      const add = async (from: number, to: number): Promise<string[]> => {
        const ids = await tx.rows<{ id: string }>(
          `insert into lead (id, workspace_id, full_name, company, company_key, company_domain, profile_id, email, created_at, updated_at)
           select gen_random_uuid(), n.workspace, n.name, n.company, lower(n.company), n.domain, n.profile, n.mail, 1, 1
           from (values (1, null, 'Ada', 'Acme', 'acme.example', 'ada', null), (2, 'own', 'Ada', 'Acme', 'acme.example', 'ada', 'ada@acme.example'),
             (3, 'own', 'Ben', 'Acme', 'acme.example', 'ben', 'ben@acme.example'), (4, 'own', 'Cleo', 'Bolt', '', null, 'cleo@bolt.example'),
             (5, null, 'Cleo', 'Bolt', '', 'cleo', 'cleo@bolt.example'), (6, 'own', 'Dora', '', '', null, null)) n (place, workspace, name, company, domain, profile, mail)
           where n.place between $1 and $2 order by n.place returning id`,
          [from, to],
        );
        return ids.map(({ id }) => id);
      };
      await tx.exec('select app.complete_leads($1, 1)', [await add(1, 1)]);
      await tx.exec('select app.complete_leads($1, 1)', [await add(2, 6)]);
      const rows = await tx.rows<{ name: string; person: number; company: number | null }>(
        `select l.full_name as name, dense_rank() over (order by l.person)::int as person, case when l.company_id is not null then dense_rank() over (order by l.company_id)::int end as company
         from (select x.*, app.lead_person_of('own', x.id) as person from lead x) l
         where l.person is not null order by l.full_name, l.workspace_id`,
      );
      const by = (name: string) => rows.filter((row) => row.name === name);
      expect(rows.map((row) => row.name)).to.deep.equal(['Ada', 'Ada', 'Ben', 'Cleo', 'Cleo', 'Dora']);
      for (const name of ['Ada', 'Cleo']) expect(new Set(by(name).map((row) => row.person)).size, name).to.equal(1);
      expect(new Set(rows.map((row) => row.person)).size).to.equal(4);
      expect(new Set([...by('Ada'), ...by('Ben')].map((row) => row.company)).size).to.equal(1);
      expect(by('Dora')[0]?.company).to.equal(null);
    });
  });
});
