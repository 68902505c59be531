import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { leaveTombstone } from '../../../../pkg/store/erasure/erasure.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

interface Effect {
  runsStopped: number;
  leadsMatched: number;
  examples: { leadId: string; fullName: string }[];
  sentBefore: object[];
}
interface Added extends Effect {
  value: string;
  signalExclusionId: string;
  created: boolean;
  coveredBy: string | null;
}
interface Imported extends Effect {
  added: number;
  alreadyPresent: number;
  covered: number;
  coveredBy: { row: number; signalExclusionId: string }[];
  invalid: { row: number; message: string }[];
}
interface Checked {
  allowed: boolean;
  matches: { level: string; kind: string; source: string; signalExclusionId: string | null; since: string | null }[];
}
interface Listed {
  signalExclusionId: string;
  kind: string;
  value: string;
  source: string;
  removable: boolean;
}

describe('tools: exclusions, by an MCP client', function () {
  this.timeout(120_000);
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;

  before(async () => {
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
  });
  after(() => tools.stop());
  afterEach(() => tools.force('delete from suppression'));

  const add = (kind: string, value: string, more: object = {}, by: ToolUser = acme): Promise<Added> =>
    by.call<Added>('svc_add_signal_exclusion', { kind, value, ...more });
  const check = (subject: object, by: ToolUser = acme): Promise<Checked> =>
    by.call<Checked>('svc_check_signal_exclusion', subject);
  const allowed = async (subject: object): Promise<boolean> => (await check(subject)).allowed;
  const listed = async (filter: object = {}): Promise<Listed[]> =>
    (await acme.call<{ signalExclusions: Listed[] }>('svc_list_signal_exclusions', { limit: 100, ...filter }))
      .signalExclusions;
  const enter = async ({ fullName, ...lead }: { fullName: string } & Record<string, string>): Promise<string> => {
    const [firstName, ...rest] = fullName.split(' ');
    const named = { firstName, lastName: rest.join(' '), ...lead };
    return (await acme.call<{ leadId: string }>('svc_upsert_lead', named)).leadId;
  };

  describe('svc_add_signal_exclusion', () => {
    it('X1: an entry is brought to one form, so that tags, dots, case, locales and alphabets do not matter', async () => {
      await add('email', ' Jane.Doe+news@GMail.com ');
      expect(await allowed({ email: 'janedoe@googlemail.com' })).to.equal(false);
      expect(await allowed({ email: 'jane.roe@gmail.com' })).to.equal(true);
      await add('profile_url', 'https://de.linkedin.com/in/J%C3%BCrgen-Kraft/?trk=x');
      const jurgen = await enter({ fullName: 'Jürgen Kraft', profileUrl: 'https://www.linkedin.com/in/jürgen-kraft' });
      expect(await allowed({ leadId: jurgen })).to.equal(false);
      await add('domain', 'https://www.Müller.example/about');
      const anna = await enter({ fullName: 'Anna Bauer', email: 'anna@müller.example' });
      expect(await allowed({ leadId: anna })).to.equal(false);
      expect(await allowed({ email: 'anna@mail.xn--mller-kva.example' })).to.equal(false);
      await add('email', 'bo@wölke.example');
      expect(await allowed({ email: 'bo@xn--wlke-5qa.example' })).to.equal(false);
      expect(await allowed({ email: 'Bo@Wölke.example' })).to.equal(false);
      await add('name_company', 'Ádá King @ Wolke & Söhne GmbH');
      const ada = await enter({ fullName: 'ada king', company: 'Wolke and Sohne AG', email: 'a@elsewhere.example' });
      expect(await allowed({ leadId: ada })).to.equal(false);
    });

    it('X2: a domain covers its subdomains by label, not by suffix', async () => {
      await add('domain', 'acme.com');
      for (const [email, may] of [
        ['x@acme.com', false],
        ['x@mail.acme.com', false],
        ['x@notacme.com', true],
        ['x@acme.com.mx', true],
      ] as const)
        expect(await allowed({ email }), email).to.equal(may);
      expect(await allowed({ domain: 'eu.acme.com' })).to.equal(false);
      expect(await allowed({ domain: 'notacme.com' })).to.equal(true);
    });

    it('X2: an entry on a public suffix or a free-mail provider is refused with a reason', async () => {
      for (const value of ['co.uk', 'com', 'github.io', 'https://www.co.uk/'])
        expect(await acme.refusal('svc_add_signal_exclusion', { kind: 'domain', value }), value).to.match(
          /public suffix/,
        );
      for (const value of ['gmail.com', 'mail.gmail.com', 'yahoo.co.jp'])
        expect(await acme.refusal('svc_add_signal_exclusion', { kind: 'domain', value }), value).to.match(
          /is a mail provider.* kind email/,
        );
      expect(await acme.refusal('svc_add_signal_exclusion', { kind: 'domain', value: 'a@acme.com' })).to.match(/email/);
      expect(await listed()).to.deep.equal([]);
    });

    it('X2: what an entry will hit is shown before it is stored', async () => {
      const firm = 'Grosshandel Ost';
      for (const name of ['Bo Ek', 'Cy Fox'])
        await enter({ fullName: name, company: firm, email: `${name.slice(0, 2)}@ost.example`.toLowerCase() });
      const before = await add('domain', 'ost.example', { dryRun: true });
      expect(before).to.deep.include({ created: false, signalExclusionId: null, leadsMatched: 2, runsStopped: 0 });
      expect(before.examples.map((one) => one.fullName).sort()).to.deep.equal(['Bo Ek', 'Cy Fox']);
      expect(await listed(), 'nothing is stored').to.deep.equal([]);
      expect(await add('domain', 'ost.example')).to.deep.include({ created: true, leadsMatched: 2 });
    });

    it('X3: an exclusion of a company covers all its known domains, and leads that name it', async () => {
      await tools.force(
        `insert into company (id, workspace_id, name, company_key, domain, created_at, updated_at)
         values ($1, 'acme', 'Lumen GmbH', 'lumen', 'lumen.example', 1, 1), ($2, 'acme', 'Lumen GmbH', 'lumen', 'lumen-labs.example', 1, 1)`,
        [randomUUID(), randomUUID()],
      );
      const named = await enter({ fullName: 'Di Gray', company: 'LUMEN AG', email: 'di@private.example' });
      const brand = await enter({ fullName: 'Ed Hale', company: 'Labs', email: 'ed@de.lumen-labs.example' });
      const other = await enter({ fullName: 'Flo Ince', company: 'Lumenta', email: 'flo@lumenta.example' });
      const { leadsMatched } = await add('company', 'Lumen, Inc.');
      expect(leadsMatched).to.equal(2);
      expect([await allowed({ leadId: named }), await allowed({ leadId: brand })]).to.deep.equal([false, false]);
      expect(await allowed({ leadId: other })).to.equal(true);
      expect(await allowed({ email: 'new@lumen.example' }), 'an address without a lead').to.equal(false);
    });

    it('X6: a keyword is a token match on title, headline and company, and shows examples', async () => {
      const hit = await enter({ fullName: 'Gil Jay', title: 'Sales & Récruiting Lead', email: 'gil@k.example' });
      const part = await enter({ fullName: 'Hal Kay', title: 'Recruitingsystems', email: 'hal@k.example' });
      const name = await enter({ fullName: 'Recruiting Lead', title: 'CTO', email: 'rec@k.example' });
      const { leadsMatched, examples } = await add('keyword', 'recruiting lead');
      expect([leadsMatched, examples.map((one) => one.leadId)]).to.deep.equal([1, [hit]]);
      expect([await allowed({ leadId: hit }), await allowed({ leadId: part })]).to.deep.equal([false, true]);
      expect(await allowed({ leadId: name }), 'never the name').to.equal(true);
      expect((await add('keyword', 'Co-Hat & C++')).value, 'each word, as it is kept').to.equal(
        'co hat and c plus plus',
      );
    });

    it('an exclusion for signals stops no outreach, of an agent it names one that is there', async () => {
      await add('email', 'only@signals.example', { appliesTo: 'signals' });
      const { allowed: may, matches } = await check({ email: 'only@signals.example' });
      expect(may).to.equal(true);
      expect(matches).to.have.length(1);
      const refusal = await acme.refusal('svc_add_signal_exclusion', {
        kind: 'email',
        value: 'x@y.example',
        appliesTo: 'signals',
        signalAgentId: randomUUID(),
      });
      expect(refusal).to.match(/^Signal agent ".*" was not found/);
    });

    it('whom an agent found and no workflow has taken yet is taken by none', async () => {
      const leadId = await enter({ fullName: 'Una Vik', email: 'una@queued.example' });
      await tools.force(
        `insert into signal_queue (workspace_id, signal_agent_id, lead_id, enqueued_at) values ('acme', 'agent', $1, 1), ('rival', 'agent', $1, 1)`,
        [leadId],
      );
      await add('domain', 'queued.example', { appliesTo: 'signals', dryRun: true });
      const settled = (): Promise<{ workspace_id: string; outcome: string }[]> =>
        tools.force('select workspace_id, outcome from signal_queue where settled_at is not null');
      expect(await settled(), 'a look changes nothing').to.deep.equal([]);
      await add('domain', 'queued.example', { appliesTo: 'signals' });
      expect(await settled()).to.deep.equal([{ workspace_id: 'acme', outcome: 'excluded' }]);
      await tools.force('delete from signal_queue');
    });

    it('ends by itself, and the same entry for longer prolongs it', async () => {
      const at = (hours: number): string => new Date(tools.now() + hours * 3_600_000).toISOString();
      const one = await add('email', 'soon@k.example', { expiresAt: at(1) });
      expect(await add('email', 'soon@k.example', { expiresAt: at(3) })).to.deep.include({
        created: false,
        signalExclusionId: one.signalExclusionId,
      });
      const { clock } = tools.cluster;
      clock.at = clock.now() + 2 * 3_600_000;
      expect(await allowed({ email: 'soon@k.example' })).to.equal(false);
      clock.at += 2 * 3_600_000;
      expect(await allowed({ email: 'soon@k.example' })).to.equal(true);
      expect(await listed()).to.deep.equal([]);
    });
  });

  it('names whom it hits to who may read leads only', async () => {
    await enter({ fullName: 'Nia North', email: 'nia@named.example' });
    const poor = await tools.as({ workspace: 'acme', scopes: ['signals:write'] });
    const dry = { dryRun: true };
    expect(await add('domain', 'named.example', dry, poor)).to.deep.include({ leadsMatched: 1, examples: [] });
    expect((await add('domain', 'named.example', dry)).examples).to.have.length(1);
  });

  describe('svc_import_signal_exclusions', () => {
    it('X5: each entry comes to one outcome: added, already, covered_by, refused', async () => {
      const wide = await add('domain', 'acme.com');
      const before = [{ kind: 'domain', value: 'cedar.example' }];
      await acme.call('svc_import_signal_exclusions', { entries: before, source: 'customer' });
      const entries = [
        { kind: 'domain', value: 'birch.example' },
        { kind: 'domain', value: 'www.birch.example' },
        { kind: 'domain', value: 'cedar.example' },
        { kind: 'email', value: 'jane@mail.acme.com' },
        { kind: 'domain', value: 'co.uk' },
        { kind: 'email', value: 'nobody' },
      ];
      const first = await acme.call<Imported>('svc_import_signal_exclusions', { entries, source: 'customer' });
      expect(first).to.deep.include({
        added: 1,
        alreadyPresent: 2,
        covered: 1,
        coveredBy: [{ row: 4, signalExclusionId: wide.signalExclusionId }],
      });
      expect(first.invalid.map(({ row }) => row)).to.deep.equal([5, 6]);
      const again = await acme.call<Imported>('svc_import_signal_exclusions', { entries, source: 'customer' });
      expect(again, 'made again').to.deep.include({ added: 0, alreadyPresent: 4, covered: 0 });
      await acme.call('svc_remove_signal_exclusion', { signalExclusionId: wide.signalExclusionId });
      expect(await allowed({ email: 'jane@mail.acme.com' }), 'the narrow one stays when the wide one goes').to.equal(
        false,
      );
      expect(await allowed({ email: 'john@acme.com' })).to.equal(true);
    });

    it('a list of a thousand is taken at once', async () => {
      const entries = Array.from({ length: 1000 }, (_, n) => ({ kind: 'email', value: `p${n}@many.example` }));
      const lead = await enter({ fullName: 'Ira Lane', email: 'p999+x@many.example' });
      const done = await acme.call<Imported>('svc_import_signal_exclusions', { entries });
      expect(done).to.deep.include({ added: 1000, leadsMatched: 1, invalid: [] });
      expect(await allowed({ leadId: lead })).to.equal(false);
    });
  });

  describe('svc_remove_signal_exclusion', () => {
    it('two sources of one exclusion both stand: lifting the one uncovers nobody whom the other excludes', async () => {
      const value = 'both.example';
      const byHand = await add('domain', value);
      const list = { entries: [{ kind: 'domain', value }], source: 'customer' };
      const imported = await acme.call<Imported>('svc_import_signal_exclusions', list);
      expect([imported.added, imported.alreadyPresent, imported.covered]).to.deep.equal([0, 0, 1]);
      expect(imported.coveredBy).to.deep.equal([{ row: 1, signalExclusionId: byHand.signalExclusionId }]);
      expect((await listed()).map(({ source }) => source)).to.have.members(['manual', 'customer']);
      await acme.call('svc_remove_signal_exclusion', { signalExclusionId: byHand.signalExclusionId });
      expect(await allowed({ domain: value })).to.equal(false);
      const again = await acme.call<Imported>('svc_import_signal_exclusions', list);
      expect(again.alreadyPresent, 'of the same source').to.equal(1);
      const [customer] = await listed();
      await acme.call('svc_remove_signal_exclusion', { signalExclusionId: customer?.signalExclusionId });
      expect(await allowed({ domain: value })).to.equal(true);
    });

    it('X5: stronger cannot be weakened: neither an import nor a removal lifts an unsubscribe, a complaint or an erasure', async () => {
      const lead = await enter({ fullName: 'Jo Mann', email: 'jo@stays.example' });
      for (const source of ['unsubscribe', 'complaint', 'erasure'])
        await tools.force(
          `insert into suppression (id, workspace_id, level, kind, value, source, removable, created_at)
           values ($1, 'acme', 'workspace', 'mail', 'jo@stays.example', $2, false, 1)`,
          [randomUUID(), source],
        );
      const mine = await add('email', 'jo@stays.example');
      expect(mine.created, 'theirs are no reason to keep none of our own').to.equal(false);
      for (const { signalExclusionId, source, removable } of await listed({ query: 'stays' })) {
        expect(removable, source).to.equal(false);
        expect(await acme.refusal('svc_remove_signal_exclusion', { signalExclusionId })).to.match(/nobody lifts it/);
      }
      expect(await allowed({ leadId: lead })).to.equal(false);
    });

    it('lifts what the workspace added, once, and nothing of another workspace', async () => {
      const { signalExclusionId } = await add('email', 'kim@k.example');
      expect(await rival.refusal('svc_remove_signal_exclusion', { signalExclusionId })).to.match(/was not found/);
      const remove = (): Promise<object> => acme.call('svc_remove_signal_exclusion', { signalExclusionId });
      expect(await remove()).to.deep.include({ removed: true });
      expect(await remove()).to.deep.include({ removed: false });
      expect(await allowed({ email: 'kim@k.example' })).to.equal(true);
      expect(await add('email', 'kim@k.example')).to.deep.include({ created: true });
    });
  });

  describe('svc_check_signal_exclusion', () => {
    it('X7: erased people stay excluded by hash, so that a check by address answers without storing it', async () => {
      const address = { fullName: '', company: '', email: 'gone@erased.example', profileUrl: '' };
      await tools.cluster.db.tx({ kind: 'platform' }, (tx) =>
        leaveTombstone(tx, 'acme', address, { reason: 'asked', now: 1 }),
      );
      const { allowed: may, matches } = await check({ email: 'Gone+x@erased.example' });
      expect([may, matches.map(({ source }) => source)]).to.deep.equal([false, ['erasure']]);
      expect(await tools.force("select 1 from suppression where value like '%erased.example'")).to.deep.equal([]);
    });

    it('agency and platform matches tell nothing of other tenants', async () => {
      await tools.force("update workspace set agency_id = 'one' where id in ('acme', 'rival')");
      await add('domain', 'secret.example', { reason: 'their best customer' }, rival);
      expect(await allowed({ email: 'x@secret.example' }), 'not shared').to.equal(true);
      await tools.force(`update workspace set settings = settings || '{"shareSuppressionWithAgency": true}'
                         where id = 'rival'`);
      await tools.force(
        `insert into suppression (id, workspace_id, level, kind, value, source, created_at)
         values ($1, null, 'platform', 'domain', 'secret.example', 'complaint', 5)`,
        [randomUUID()],
      );
      const { allowed: may, matches } = await check({ email: 'x@secret.example' });
      expect(may).to.equal(false);
      const none = { kind: 'domain', signalExclusionId: null, since: null, appliesTo: 'all_outreach' };
      expect(matches).to.deep.equal([
        { level: 'agency', source: 'manual', ...none },
        { level: 'platform', source: 'complaint', ...none },
      ]);
      expect(await listed(), 'neither is listed').to.deep.equal([]);
      await tools.force("update workspace set agency_id = null, settings = settings - 'shareSuppressionWithAgency'");
    });

    it('wants exactly one subject, and a person under one address is the same under a profile', async () => {
      expect(await acme.refusal('svc_check_signal_exclusion', {})).to.match(/exactly one of/);
      expect(await acme.refusal('svc_check_signal_exclusion', { domain: 'a.example', email: 'a@a.example' })).to.match(
        /exactly one of/,
      );
      const profileUrl = 'https://www.linkedin.com/in/lea-north';
      const leadId = await enter({ fullName: 'Lea North', email: 'lea@north.example', profileUrl });
      await tools.force(`select app.resolve_persons('acme', array[$1::uuid], 1)`, [leadId]);
      await add('email', 'lea@north.example');
      expect(await allowed({ profileUrl })).to.equal(false);
    });
  });

  describe('svc_list_signal_exclusions', () => {
    it('tells persons by their lead, hashes as hashes, pages, and filters by kind, source and text', async () => {
      const leadId = await enter({ fullName: 'Mia Olsen', email: 'mia@list.example' });
      await tools.force(`select app.resolve_persons('acme', array[$1::uuid], 1)`, [leadId]);
      await tools.force(
        `insert into suppression (id, workspace_id, level, kind, value, person_id, source, removable, created_at)
         select $1, 'acme', 'workspace', 'person', person_id::text, person_id, 'unsubscribe', false, 3 from lead where id = $2`,
        [randomUUID(), leadId],
      );
      await tools.force(
        `insert into suppression (id, workspace_id, level, kind, value, source, removable, created_at)
         values ($1, 'acme', 'workspace', 'mail', repeat('ab', 32), 'unsubscribe', false, 2)`,
        [randomUUID()],
      );
      await add('keyword', 'Head of HR', { reason: 'never again' });
      const all = await listed();
      expect(all.map(({ kind, value, source }) => [kind, value, source])).to.deep.equal([
        ['keyword', 'head of hr', 'manual'],
        ['email', 'mia@list.example', 'unsubscribe'],
        ['email', '(kept as a hash)', 'unsubscribe'],
      ]);
      expect((await listed({ kind: 'email' })).map(({ value }) => value)).to.deep.equal([
        'mia@list.example',
        '(kept as a hash)',
      ]);
      expect(await listed({ source: 'manual' })).to.have.length(1);
      expect((await listed({ query: 'olsen' })).map(({ value }) => value)).to.deep.equal(['mia@list.example']);
      const first = await acme.call<{ signalExclusions: Listed[]; nextCursor: string }>('svc_list_signal_exclusions', {
        limit: 2,
      });
      const rest = await listed({ limit: 2, cursor: first.nextCursor });
      expect([...first.signalExclusions, ...rest]).to.deep.equal(all);
      expect((await rival.call<{ signalExclusions: [] }>('svc_list_signal_exclusions')).signalExclusions).to.deep.equal(
        [],
      );
    });
  });
});
