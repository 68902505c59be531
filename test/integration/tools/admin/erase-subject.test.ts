import { expect } from 'chai';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { type Certificate, isGenuine } from '../../../../pkg/store/erasure/certificates.ts';
import { COLUMN_MARKS } from '../../../../pkg/store/erasure/column-marks.ts';
import { forgetSettled } from '../../../../pkg/store/erasure/erasure.ts';
import { dumpOf, pastRules, plantWords, tablesWith } from '../../../fixtures/store/plant-words.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

interface Erasure {
  erasureId: string | null;
  found: { stores: Record<string, number>; kept: Record<string, number>; pendingSends: number; resources: string[] };
  erased: boolean;
  certificate: Certificate | null;
}

interface Reach {
  workspaceCount: number;
  workspaces?: string[];
  identities: string[];
  notElsewhere?: string[];
}

const NAME = 'svc_admin_erase_subject';
const reason = 'request 17';

describe('svc_admin_erase_subject', function () {
  this.timeout(120_000);
  let tools: McpTools;
  let admin: ToolUser;
  let acme: ToolUser;
  let rival: ToolUser;

  before(async () => {
    tools = await startMcpTools();
    const userId = await tools.mcp.user({ admin: true });
    admin = tools.user(await tools.mcp.client((await tools.mcp.key({ userId })).plaintext));
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
  });
  after(() => tools.stop());

  const erase = (input: object): Promise<Erasure> => admin.call<Erasure>(NAME, { dryRun: false, reason, ...input });
  const lead = async (user: ToolUser, input: object): Promise<string> =>
    (await user.call<{ leadId: string }>('svc_upsert_lead', input)).leadId;
  const emailOf = async (id: string): Promise<string | null> => {
    const [row] = await tools.force<{ email: string | null }>('select email from lead where id = $1', [id]);
    return row?.email ?? null;
  };

  it('D3: a marker in each erasable column is nowhere in the database after the erasure', async () => {
    const ada = { firstName: 'Zora', lastName: 'Quill', company: 'Quill', email: 'zora@quill.example' };
    const leadId = await lead(acme, ada);
    const [known] = await tools.force<{ person_id: string }>('select person_id from lead where id = $1', [leadId]);
    const ids = {
      lead_id: leadId,
      subject_id: leadId,
      run_id: systemIds.uuid(),
      send_id: systemIds.uuid(),
      conversation_id: systemIds.uuid(),
      person_id: known?.person_id,
      from_person: known?.person_id,
      account_id: await tools.account('acme'),
      job_id: systemIds.uuid(),
      campaign_id: 'planted-campaign',
      workflow_id: 'planted-workflow',
    };
    const other = systemIds.uuid();
    const planted = await pastRules(tools.cluster.superuserUrl, (force) =>
      plantWords(force, {
        workspaceId: 'acme',
        ids,
        own: {
          run: ids.run_id,
          send: ids.send_id,
          conversation: ids.conversation_id,
          lead: other,
          background_job: ids.job_id,
          campaign: ids.campaign_id,
          workflow: ids.workflow_id,
        },
        word: (table, column, mark) => {
          const marks = COLUMN_MARKS[table];
          // Credentials and users are nobody's contact: they go with their workspace.
          if (column === 'sealed' || (marks?.person === undefined && marks?.mentions === 'no')) return null;
          // A row of an id of its own stands for another record of the person: the one of the pool below.
          if (`${table}.${column}` === 'lead.email') return 'zora+lead@quill.example';
          if (mark === 'keys') return `import of zora+${table}@quill.example`;
          if (mark === 'hash' || marks?.person !== undefined) return `marker-${table}-${column}`.replaceAll('_', '-');
          return `said zora+${table}.${column}@quill.example there, not ?m=zora%40quill.example`;
        },
      }),
    );
    await tools.force('update lead set workspace_id = null where id = $1', [other]);
    expect(planted.length).to.be.greaterThan(40);
    const before = await pastRules(tools.cluster.superuserUrl, dumpOf);
    for (const word of ['zora', 'marker-', '@quill.example'])
      expect(tablesWith(before, word), word).to.have.length.greaterThan(10);
    const dry = await admin.call<Erasure>(NAME, { email: 'zora@quill.example', reason });
    expect(dry).to.include({ erased: false, erasureId: null, certificate: null });
    const unlisted = planted.filter(({ table }) => (dry.found.stores[table] ?? 0) === 0).map(({ table }) => table);
    expect(unlisted, 'the dry run lists each store').to.deep.equal([]);
    const done = await erase({ email: 'Zora+shop@Quill.example' });
    expect(done).to.include({ erased: true });
    const after = await pastRules(tools.cluster.superuserUrl, dumpOf);
    for (const { table, words } of planted)
      for (const word of words) expect(tablesWith(after, word), `${table}: ${word}`).to.deep.equal([]);
    for (const word of ['zora', 'marker-', '@quill.example', '%40quill'])
      expect(tablesWith(after, word), word).to.deep.equal([]);
  });

  it('D3: the full name in what people wrote where the person is known is nowhere after the erasure, however it is written', async () => {
    const person = { firstName: 'Kéziah', lastName: 'Ørsted', email: 'k@fjord.example', phone: '+47 40 12 34 56 78' };
    const leadId = await lead(rival, person);
    const spellings = ['Kéziah Ørsted', 'KEZIAH ORSTED', '(Oersted, Keziah)', 'Ke\u0301ziah  Ørsted', '0040 12345678'];
    const account = await tools.account('rival');
    const ids = { lead_id: systemIds.uuid(), account_id: account, campaign_id: 'c', workflow_id: 'w' };
    let count = 0;
    // What another test planted stands for everybody.
    await tools.force('delete from send_freeze');
    const planted = await pastRules(tools.cluster.superuserUrl, (force) =>
      plantWords(force, {
        workspaceId: 'rival',
        ids,
        own: {},
        word: (table, column, mark) => {
          const marks = COLUMN_MARKS[table];
          const fact = (marks?.facts ?? '').split(/\s+/).includes(column);
          // No workspace knows whose identities are; a workspace row stands for another one here.
          if (marks?.mentions === 'no' || fact || mark === 'hash' || column === 'sealed' || table === 'workspace')
            return null;
          if (mark === 'keys') return `import-of-keziah.orsted-${table}`;
          count += 1;
          return `yesterday we met ${spellings[count % spellings.length]} about ${column.replaceAll('_', ' ')}`;
        },
      }),
    );
    expect(planted.length).to.be.greaterThan(30);
    const dry = await admin.call<Erasure>(NAME, { email: 'k@fjord.example', reason });
    const unlisted = planted.filter(({ table }) => (dry.found.stores[table] ?? 0) === 0).map(({ table }) => table);
    expect(unlisted, 'the dry run lists each store').to.deep.equal([]);
    expect(await admin.refusal(NAME, { leadId, reason: 'Keziah Oersted asked' })).to.match(/reason: names the person/);
    const done = await erase({ email: 'k@fjord.example' });
    const dump = await pastRules(tools.cluster.superuserUrl, dumpOf);
    const left = [...dump].flatMap(([table, rows]) => {
      const plain = rows
        .normalize('NFKD')
        .replace(/[\u0300-\u036f]/g, '')
        .replaceAll('ø', 'o');
      return /keziah|orsted|oersted|12345678/.test(plain)
        ? [`${table}: ${/.{30}(keziah|o?e?rsted|12345678).{20}/.exec(plain)?.[0]}`]
        : [];
    });
    expect(left).to.deep.equal([]);
    const again = await erase({ email: 'k@fjord.example' });
    expect([again.certificate, again.found.stores]).to.deep.equal([done.certificate, {}]);
    expect(done.certificate?.signed).not.to.match(/keziah|fjord/i);
  });

  it('D3: a key that named the person is the same key after the erasure: nothing is charged twice', async () => {
    await lead(acme, { firstName: 'Lou', lastName: 'Vance', email: 'lou@vance.example' });
    const adjust = { workspaceId: 'acme', amount: 7, reason: 'thanks', idempotencyKey: 'lou@vance.example-march' };
    const first = await admin.call<{ balance: number }>('svc_admin_adjust_credits', adjust);
    const csv = { csv: 'first name,last name,email\nMo,Vance,mo@vance.example', idempotencyKey: 'lou.vance' };
    const imported = await acme.call('svc_import_leads_csv', csv);
    await erase({ email: 'lou@vance.example' });
    const dump = await pastRules(tools.cluster.superuserUrl, dumpOf);
    expect(['lou@vance', 'lou.vance'].flatMap((word) => tablesWith(dump, word))).to.deep.equal([]);
    expect(await admin.call('svc_admin_adjust_credits', adjust)).to.include({ balance: first.balance });
    const other = await admin.refusal('svc_admin_adjust_credits', { ...adjust, amount: 8 });
    expect(other).to.match(/idempotencyKey|other input/i);
    const repeated = await acme.call<{ created: number }>('svc_import_leads_csv', csv);
    expect(repeated.created).to.equal((imported as { created: number }).created);
    expect(tablesWith(await pastRules(tools.cluster.superuserUrl, dumpOf), 'lou@vance')).to.deep.equal([]);
  });

  it('D3: nobody else’s data changes: persons with overlapping names, over many draws', async () => {
    for (let draw = 0; draw < 6; draw++) {
      const [workspace, surname] = [`draw${draw}`, `H${'aeiouy'[draw]}lt`];
      const pool = [
        'Nia Holt',
        'Nía Hölt',
        'Nia Holt Brandt',
        'Ana Nia Holt',
        'Holt Nia',
        'Nia-Holt Berg',
        'Nia Holten',
      ].map((name) => name.replace('Holt', surname).replace('Hölt', `H${'áéíóúý'[draw]}lt`));
      const people = pool.filter((_, index) => index === 0 || (draw * 37 + index * 11) % 3 > 0);
      const known: { id: string; name: string; email: string }[] = [];
      for (const [index, name] of people.entries()) {
        const [firstName = '', ...rest] = name.split(' ');
        const email = `p${index}@${workspace}.example`;
        const person = {
          firstName,
          lastName: rest.join(' '),
          company: `Firm ${index}`,
          email,
          note: `${name} likes tea`,
        };
        known.push({ id: await lead(acme, person), name, email });
      }
      const stranger = `Nia ${surname} works at ${workspace}`;
      await lead(rival, { firstName: 'Tea', email: `tea@${workspace}.example`, note: stranger });
      const rows = (): Promise<unknown[]> =>
        tools.force(
          `select l.*, o.notes
           from lead l left join lead_overlay o on o.lead_id = l.id
           where l.id <> $1 and l.workspace_id in ('rival', 'acme')
           order by l.id`,
          [known[0]?.id],
        );
      const before = await rows();
      const { found } = await erase({ email: known[0]?.email });
      expect(await rows(), people.join()).to.deep.equal(before);
      const bears = people.slice(1).filter((name) => !name.endsWith('en'));
      expect(found.kept['namesake'] ?? 0, people.join()).to.equal(bears.length);
    }
  });

  it('D3: a dry run lists per store and changes nothing; a second erasure returns the same signed certificate', async () => {
    const leadId = await lead(acme, { firstName: 'Bo', lastName: 'Reed', email: 'bo@reed.example', note: 'met Bo' });
    const dry = await admin.call<Erasure>(NAME, { email: 'bo@reed.example', reason });
    expect(dry.found.stores).to.include({ lead: 1, lead_overlay: 1 });
    expect(await emailOf(leadId)).to.equal('bo@reed.example');
    const first = await erase({ email: 'bo@reed.example' });
    expect(await emailOf(leadId)).to.equal(null);
    const { certificate } = first;
    if (!certificate) throw new Error('no certificate');
    expect(isGenuine(certificate)).to.equal(true);
    expect(isGenuine({ ...certificate, signed: certificate.signed.replace('"lead":1', '"lead":2') })).to.equal(false);
    const says = JSON.parse(certificate.signed) as { certificateId: string; identities: string[]; stores: object };
    expect(says).to.include({ certificateId: first.erasureId, kind: 'erasure' });
    expect(says.stores).to.include({ lead: 1 });
    expect(certificate.signed).not.to.match(/bo@|reed/i);
    const second = await erase({ email: 'Bo+later@reed.example' });
    expect(second.certificate).to.deep.equal(certificate);
    expect(second.erasureId).to.equal(first.erasureId);
    expect(second.found.stores).to.deep.equal({});
    const again = await admin.call<Erasure>(NAME, { email: 'bo@reed.example', reason });
    expect(again).to.deep.include({ erased: false, certificate });
  });

  it('D3: re-import is stopped by hash in every workspace, also where nobody had the person', async () => {
    await lead(acme, { firstName: 'Cy', lastName: 'Dahl', company: 'Dahl', email: 'cy@dahl.example' });
    await erase({ email: 'cy@dahl.example' });
    for (const user of [acme, rival]) {
      const back = { firstName: 'Cy', lastName: 'Dahl', email: 'CY+new@dahl.example' };
      expect(await user.refusal('svc_upsert_lead', back)).to.match(/was erased/);
      const csv = 'first name,last name,email\nCy,Dahl,cy@dahl.example\nDi,Dahl,di@dahl.example';
      expect(await user.call('svc_import_leads_csv', { csv })).to.include({ created: 1 });
    }
  });

  for (const [what, name] of [
    ['mail', { email: 'ed@holm.example' }],
    ['mail with a tag in another case', { email: 'ED+x@Holm.example' }],
    ['profile url', { profileUrl: 'https://www.linkedin.com/in/ed-holm-77' }],
    ['profile url of another country, with a query', { profileUrl: 'http://de.linkedin.com/in/Ed-Holm-77/?x=1' }],
    ['percent-encoded profile url', { profileUrl: 'https://linkedin.com/in/%65d-holm-77' }],
    ['id of a record', { leadId: '$lead' }],
  ] as const) {
    it(`D3: finds by every alias: ${what}`, async () => {
      const mark = systemIds.uuid().slice(-6);
      const own = (text: string): string => text.replace(/holm/gi, (found) => `${found}${mark}`);
      const profileUrl = own('https://www.linkedin.com/in/ed-holm-77');
      const shared = await lead(acme, { firstName: 'Ed', lastName: 'Holm', email: own('ed@holm.example'), profileUrl });
      // What stands in the shared pool stands for the person everywhere.
      await tools.force('update lead set workspace_id = null where id = $1', [shared]);
      const other = await lead(rival, { firstName: 'Eduard', email: own('ed+events@holm.example') });
      await tools.force(
        `insert into feedback (id, workspace_id, category, severity, message, given_by, request_id, created_at)
         values (gen_random_uuid(), 'rival', 'bug', 'low', $1, 'u', $2, 1)`,
        [
          `see ${own('https://nl.linkedin.com/in/ED-HOLM-77/details')} and mail ${own('Ed@Holm.example')}, ${own('in/ed-holm-77')}, ${own('m=ed%40holm.example')}.`,
          mark,
        ],
      );
      const asked = Object.fromEntries(
        Object.entries(name).map(([key, value]) => [key, value === '$lead' ? shared : own(value)]),
      );
      await erase(asked);
      expect([await emailOf(shared), await emailOf(other)]).to.deep.equal([null, null]);
      const dump = await pastRules(tools.cluster.superuserUrl, dumpOf);
      const left = ['ed@holm', 'ed+events@holm', 'ed-holm'].flatMap((text) => tablesWith(dump, text + mark));
      expect(left).to.deep.equal([]);
      const [kept] = await tools.force<{ message: string }>('select message from feedback where request_id = $1', [
        mark,
      ]);
      expect(kept?.message).to.equal('see erased and mail erased, erased, m=erased.');
    });
  }

  it('D3: who is entered again by the same name and company alone is refused', async () => {
    const iva = { firstName: 'Iva', lastName: 'Lund', company: 'Lund Werke' };
    await lead(acme, { ...iva, email: 'iva@lund.example' });
    await erase({ email: 'iva@lund.example' });
    expect(await acme.refusal('svc_upsert_lead', { ...iva, company: 'Lund Werke GmbH' })).to.match(/was erased/);
  });

  const hashesIn = ({ certificate }: Erasure): { identities: string[]; stores: object; extends?: string[] } =>
    JSON.parse(certificate?.signed ?? '{}') as { identities: string[]; stores: object; extends?: string[] };

  it('D3: a second erasure by another name that the pool knows returns the same certificate', async () => {
    const profileUrl = 'https://www.linkedin.com/in/joy-kerr-5';
    const id = await lead(acme, { firstName: 'Joy', lastName: 'Kerr', email: 'joy@kerr.example', profileUrl });
    await tools.force('update lead set workspace_id = null where id = $1', [id]);
    const first = await erase({ email: 'joy@kerr.example' });
    for (const name of [{ profileUrl }, { email: 'joy@kerr.example' }]) {
      const second = await erase(name);
      expect([second.erasureId, second.certificate]).to.deep.equal([first.erasureId, first.certificate]);
    }
    const hidden = { firstName: 'J', profileUrl: profileUrl.replace('joy', 'joy\u200b') };
    expect(await acme.refusal('svc_upsert_lead', hidden)).to.match(/was erased/);
  });

  it('a certificate belongs to the subject who was erased: not to whom a tenant’s row paired with them', async () => {
    const profileUrl = 'https://www.linkedin.com/in/bea-other-5';
    await lead(rival, { firstName: 'Abe', email: 'abe@pair.example', profileUrl });
    const first = await erase({ email: 'abe@pair.example' });
    const bea = await lead(acme, { firstName: 'Bea', email: 'bea@pair.example', profileUrl });
    const dry = await admin.call<Erasure>(NAME, { profileUrl, reason });
    expect(dry).to.include({ erasureId: null, certificate: null });
    const second = await erase({ profileUrl });
    expect(second.erasureId).not.to.equal(first.erasureId);
    const [of, other] = [hashesIn(second), hashesIn(first)];
    expect(of.identities.some((hash) => other.identities.includes(hash))).to.equal(false);
    expect([of.stores, of.extends]).to.deep.equal([second.found.stores, undefined]);
    expect(of.stores).to.include({ lead: 1 });
    expect(await emailOf(bea)).to.equal(null);
    expect((await erase({ profileUrl })).certificate).to.deep.equal(second.certificate);
    expect((await erase({ email: 'abe@pair.example' })).certificate).to.deep.equal(first.certificate);
  });

  it('a second erasure that finds rows or names erases them, and its certificate extends the first', async () => {
    const profileUrl = 'https://www.linkedin.com/in/kit-later-5';
    const first = await erase({ email: 'kit@later.example' });
    const id = await lead(acme, { firstName: 'Kit', profileUrl });
    // The pool learns of the address of a profile that workspaces hold.
    await tools.force(`update lead set workspace_id = null, email = 'kit@later.example' where id = $1`, [id]);
    const second = await erase({ email: 'kit@later.example' });
    expect([second.found.stores['lead'], await emailOf(id)]).to.deep.equal([1, null]);
    const [of, before] = [hashesIn(second), hashesIn(first)];
    expect([of.extends, of.stores]).to.deep.equal([[first.erasureId], second.found.stores]);
    expect(of.identities).to.include.members(before.identities).and.have.length.greaterThan(before.identities.length);
    for (const name of [{ email: 'kit@later.example' }, { profileUrl }])
      expect((await erase(name)).certificate).to.deep.equal(second.certificate);
  });

  it('a second erasure by the id of a private lead returns the same certificate', async () => {
    const leadId = await lead(acme, { firstName: 'Lio', lastName: 'Nord', company: 'Nord' });
    const first = await erase({ leadId });
    expect((await erase({ leadId })).certificate).to.deep.equal(first.certificate);
  });

  it('a lead’s mail and profile that belong to different humans elsewhere do not both count elsewhere', async () => {
    const profileUrl = 'https://www.linkedin.com/in/bob-apart-5';
    const bob = await lead(acme, { firstName: 'Bob', lastName: 'Apart', email: 'bob@apart.example', profileUrl });
    const ann = await lead(acme, { firstName: 'Ann', lastName: 'Apart', email: 'ann@apart.example' });
    const wrong = { firstName: 'Ann', lastName: 'Apart', email: 'ann@apart.example', profileUrl };
    const leadId = await lead(rival, wrong);
    const dry = await admin.call<Erasure & { found: Reach }>(NAME, { leadId, reason });
    expect(dry.found.workspaces).to.deep.equal(['acme', 'rival']);
    expect(dry.found.workspaceCount).to.equal(2);
    expect(dry.found.identities).to.deep.equal([`lead:${leadId}`, 'mail:ann@apart.example']);
    expect(dry.found.notElsewhere?.join()).to.match(/^profile:bob-apart-5: records elsewhere show it on somebody else/);
    const done = await erase({ leadId });
    expect(done.found).not.to.have.any.keys('identities', 'notElsewhere');
    expect([await emailOf(ann), await emailOf(leadId), await emailOf(bob)]).to.deep.equal([
      null,
      null,
      'bob@apart.example',
    ]);
    expect(await rival.refusal('svc_upsert_lead', { firstName: 'X', profileUrl })).to.match(/was erased/);
    expect(await lead(acme, { firstName: 'Bob', profileUrl })).to.equal(bob);
  });

  it('who may not list workspaces hears how many an erasure reaches, not which', async () => {
    const leadId = await lead(rival, { firstName: 'Una', email: 'una@count.example' });
    const userId = await tools.mcp.user({ admin: true });
    const { plaintext } = await tools.mcp.key({ userId, scopes: ['admin:write'] });
    const narrow = tools.user(await tools.mcp.client(plaintext));
    const { found } = await narrow.call<Erasure & { found: Reach }>(NAME, { leadId, reason });
    expect([found.workspaceCount, found.workspaces]).to.deep.equal([1, undefined]);
  });

  it('D3: finds by the provider id that an account met the person under', async () => {
    const leadId = await lead(acme, { firstName: 'Fy', email: 'fy@oslo.example' });
    const [known] = await tools.force<{ person_id: string }>('select person_id from lead where id = $1', [leadId]);
    const account = await tools.account('acme');
    await tools.force(
      `insert into relation (account_id, person_id, provider_id, state) values ($1, $2, 'PROVIDERfy01', 'connected')`,
      [account, known?.person_id],
    );
    await tools.force(
      `insert into notification (id, workspace_id, user_id, kind, title, text, origin, created_at)
       values (gen_random_uuid(), 'acme', gen_random_uuid(), 'run.failed', 't', 'PROVIDERfy01 did not answer', 'o', 1)`,
    );
    await erase({ email: 'fy@oslo.example' });
    const dump = await pastRules(tools.cluster.superuserUrl, dumpOf);
    expect(tablesWith(dump, 'PROVIDERfy01')).to.deep.equal([]);
  });

  it('a name that one workspace wrote beside another erases nobody in another workspace', async () => {
    // The rival's sheet is off by a row: it pairs Gil's address with Hal's profile.
    await lead(rival, { firstName: 'Gil', email: 'gil@bern.example', profileUrl: 'https://linkedin.com/in/hal-bern' });
    const hal = await lead(acme, { firstName: 'Hal', email: 'hal@bern.example' });
    await tools.force(
      `update lead set profile_id = 'hal-bern', profile_url = 'https://www.linkedin.com/in/hal-bern', person_id = null
       where id = $1`,
      [hal],
    );
    await erase({ email: 'gil@bern.example' });
    expect(await emailOf(hal)).to.equal('hal@bern.example');
    const back = { firstName: 'Hal', profileUrl: 'https://linkedin.com/in/hal-bern', company: 'Bern' };
    expect(await lead(acme, back)).to.equal(hal);
  });

  it('runs of the person end in every workspace, and a send whose outcome is open keeps its words until it is known', async () => {
    const leadId = await lead(acme, { firstName: 'Ida', email: 'ida@moss.example' });
    const [run, send] = [systemIds.uuid(), systemIds.uuid()];
    await tools.force(
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, entered_at,
         started_at)
       values ($1, 'acme', 'w', 'c', $2, 1, 'n', 'waiting', 1, 1)`,
      [run, leadId],
    );
    await tools.force(
      `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id,
         action, state, epoch, claimed_at, dispatched_at, dispatched_real, body)
       values ($1, 'acme', 'w', 'c', $2, 'n', $3, gen_random_uuid(), 'a', 'message', 'unknown', 1, 1, 1, now(), 'Hi Ida')`,
      [send, run, leadId],
    );
    const { found } = await erase({ leadId });
    expect(found.pendingSends).to.equal(1);
    const state = 'select state, end_reason from run where id = $1';
    expect(await tools.force(state, [run])).to.deep.equal([
      { state: 'suppressed', end_reason: 'the person was erased' },
    ]);
    const words = async (): Promise<unknown> => (await tools.force('select body from send where id = $1', [send]))[0];
    expect(await words()).to.deep.equal({ body: 'Hi Ida' });
    await tools.force(`update send set state = 'confirmed', settled_at = 2 where id = $1`, [send]);
    await tools.mcp.platform(async (tx) => {
      await forgetSettled(tx);
    });
    expect(await words()).to.deep.equal({ body: null });
  });

  it('texts of campaigns are cut in their resource, which their rows follow', async () => {
    const { campaignId } = await acme.call<{ campaignId: string }>('svc_create_campaign', {
      title: 'Fairs',
      goal: 'talk to jo@fair.example first',
    });
    const dry = await admin.call<Erasure>(NAME, { email: 'jo@fair.example', reason });
    expect(dry.found.resources).to.deep.equal([`Campaign ${campaignId}`]);
    await erase({ email: 'jo@fair.example' });
    const object = await tools.cluster.object(`campaigns/outrider/${campaignId}`);
    expect(object?.spec).to.include({ goal: 'talk to erased first' });
    expect(await acme.call('svc_get_campaign', { campaignId })).to.have.nested.property(
      'campaign.goal',
      'talk to erased first',
    );
  });

  it('an admin’s reason goes from the audit log, whose chain holds; one that names the subject is refused', async () => {
    const refused = await admin.refusal(NAME, { email: 'kay@lund.example', reason: 'kay@lund.example wrote' });
    expect(refused).to.match(/^Invalid input: reason: names the person/);
    await admin.call('svc_admin_update_workspace', {
      workspaceId: 'acme',
      plan: 'a',
      reason: 'asked by kay@lund.example',
    });
    const listed = { toolName: 'svc_admin_update_workspace' };
    const events = (): Promise<{ auditEvents: { change: object }[]; chainValid: boolean }> =>
      admin.call('svc_admin_list_audit_events', listed);
    while ((await events()).auditEvents.length === 0) await tools.cluster.runtime.clock.sleep(50);
    await erase({ email: 'kay@lund.example' });
    const { auditEvents, chainValid } = await events();
    expect(chainValid).to.equal(true);
    expect(auditEvents[0]?.change).not.to.have.property('reason');
  });

  it('exactly one name is needed, and a lead that is none is not found', async () => {
    const two = { email: 'a@b.example', profileUrl: 'https://linkedin.com/in/a-b', reason };
    expect(await admin.refusal(NAME, two)).to.match(/exactly one of/);
    expect(await admin.refusal(NAME, { reason })).to.match(/exactly one of/);
    expect(await admin.refusal(NAME, { leadId: systemIds.uuid(), reason })).to.match(/^Lead ".*" was not found/);
    expect(await acme.refusal(NAME, { email: 'a@b.example', reason })).to.match(/admin/);
  });
});
