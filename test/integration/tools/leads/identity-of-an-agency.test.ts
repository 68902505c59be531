import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { getLead } from '../../../../pkg/tools/leads/get-lead.ts';
import { importLeadsCsv } from '../../../../pkg/tools/leads/import-leads-csv.ts';
import { searchLeads } from '../../../../pkg/tools/leads/search-leads.ts';
import { diagnose } from '../../../../pkg/tools/search-diagnostics/diagnose.ts';
import { addCampaign, addLead, addWorkflow } from '../../../fixtures/engine/rows.ts';
import { type ToolBench, toolBench } from '../../../tools/tool-context.ts';

const PEOPLE = 20;

interface Shown {
  leadId: string;
  contact: { claimedBy: string | null };
  suppression: { suppressed: boolean };
}

describe('who somebody is belongs to an agency', function () {
  this.timeout(60_000);
  let bench: ToolBench;
  /** The workflow of each workspace. */
  let flows: Record<string, string>;

  beforeEach(async () => {
    bench = await toolBench();
    flows = {};
    for (const ws of ['acme', 'rival']) {
      if (ws !== 'acme') await bench.workspace(ws);
      flows[ws] = await makeFlow(ws);
    }
  });
  afterEach(() => bench.close());

  async function makeFlow(ws: string): Promise<string> {
    const db = { tx: (_scope: unknown, work: Parameters<ToolBench['tx']>[0]) => bench.tx(work) } as never;
    return addWorkflow(db, ws, await addCampaign(db, ws), { nodes: [], edges: [] });
  }
  const load = (csv: string, ws: string): Promise<{ created: number }> =>
    bench.call(importLeadsCsv, { csv, idempotencyKey: randomUUID() }, ws);
  const leadsOf = async (ws: string): Promise<Shown[]> => {
    const { leads } = await bench.call<{ leads: Shown[] }>(searchLeads, { limit: 100 }, ws);
    return Promise.all(
      leads.map(async ({ leadId }) => (await bench.call<{ lead: Shown }>(getLead, { leadId }, ws)).lead),
    );
  };
  const enrol = async (ws: string, leads: string[]): Promise<(string | null)[]> => {
    const rows = await bench.tx((tx) =>
      tx.rows<{ skipped: string | null }>(
        `select skipped from app.enrol($1, $2, $3, $4, array(select gen_random_uuid() from unnest($4::uuid[])), '', 'test')`,
        [ws, flows[ws], bench.product.now(), leads],
      ),
    );
    return rows.map(({ skipped }) => skipped);
  };
  const publicProfiles = Array.from({ length: PEOPLE }, (_, at) => `person-${at}`);
  const own = `Name,LinkedIn\n${publicProfiles.map((id) => `Person ${id},https://www.linkedin.com/in/${id}`).join('\n')}\n`;
  /** Profile k beside the mail of k, then beside that of k + 1: a chain of all of them. */
  const paired = (shift: number): string =>
    `Name,LinkedIn,Email\n${publicProfiles
      .slice(0, PEOPLE - shift)
      .map(
        (_, at) => `Person ${at},https://www.linkedin.com/in/${publicProfiles[at + shift]},mail-${at}@invented.example`,
      )
      .join('\n')}\n`;
  const personsOf = async (ws: string): Promise<number> =>
    (
      await bench.tx((tx) =>
        tx.row<{ n: number }>('select count(distinct person_id)::int as n from lead where workspace_id = $1', [ws]),
      )
    )?.n ?? 0;

  it('two files that pair public profiles with invented mails unite nobody of another agency, nor of their own', async () => {
    await load(own, 'acme');
    const [asked] = await leadsOf('acme');
    await enrol('acme', [asked?.leadId ?? '']);
    await bench.tx((tx) =>
      tx.exec(
        `insert into suppression (id, workspace_id, level, kind, value, person_id, source, removable, created_at)
         select gen_random_uuid(), 'acme', 'workspace', 'person', person_id::text, person_id, 'unsubscribe', false, $1
         from lead where id = $2`,
        [bench.product.now(), asked?.leadId],
      ),
    );
    const before = await leadsOf('acme');
    await load(paired(0), 'rival');
    await load(paired(1), 'rival');
    expect(await leadsOf('acme')).to.deep.equal(before);
    expect(await personsOf('acme')).to.equal(PEOPLE);
    expect(await personsOf('rival'), 'two profiles are two persons in their own agency too').to.equal(PEOPLE);
    const others = before.filter(({ leadId }) => leadId !== asked?.leadId).map(({ leadId }) => leadId);
    expect(await enrol('acme', others)).to.deep.equal(others.map(() => null));
    const { checks } = await bench.call<{ checks: { check: string; ok: boolean }[] }>(
      diagnose,
      { target: 'lead', targetId: others[0] },
      'acme',
    );
    expect(checks.find(({ check }) => check === 'not_suppressed')?.ok).to.equal(true);
  });

  it('nobody learns that another agency follows the person of a private lead', async () => {
    await load(own, 'acme');
    await load(own, 'rival');
    const before = await leadsOf('acme');
    const rivals = (await leadsOf('rival')).map(({ leadId }) => leadId);
    expect(await enrol('rival', rivals)).to.deep.equal(rivals.map(() => null));
    expect(await leadsOf('acme')).to.deep.equal(before);
    expect(new Set(before.map(({ contact }) => contact.claimedBy))).to.deep.equal(new Set([null]));
  });

  it('a lead of the pool is somebody of his own to each agency, and what a tenant imports never changes it', async () => {
    const db = { tx: (_scope: unknown, work: Parameters<ToolBench['tx']>[0]) => bench.tx(work) } as never;
    const pool = await addLead(db, null, { profileId: publicProfiles[0] ?? '', email: null });
    const stored = (): Promise<object | undefined> =>
      bench.tx((tx) => tx.row('select * from lead where id = $1', [pool]));
    const before = await stored();
    await load(paired(0), 'rival');
    expect(await enrol('rival', [pool])).to.deep.equal([null]);
    expect(await enrol('acme', [pool])).to.deep.equal([null]);
    const persons = await bench.tx((tx) => tx.rows('select distinct person_id from run where lead_id = $1', [pool]));
    expect(persons).to.have.length(2);
    expect(await stored()).to.deep.equal(before);
  });

  it('an exclusion of the platform binds everybody by the hash of an address, and unites nobody', async () => {
    const mail = 'mail-0@invented.example';
    await load(paired(0), 'acme');
    await load(paired(0), 'rival');
    await bench.tx((tx) =>
      tx.exec(
        `insert into suppression (id, level, kind, value, source, removable, created_at)
         values (gen_random_uuid(), 'platform', 'mail', app.mail_hash($1), 'erasure', false, 1)`,
        [mail],
      ),
    );
    const persons = new Set();
    for (const ws of ['acme', 'rival']) {
      const leads = await bench.tx((tx) =>
        tx.rows<{ id: string; person: string; email: string }>(
          'select id, person_id as person, email from lead where workspace_id = $1 order by email <> $2, id',
          [ws, mail],
        ),
      );
      const skipped = await enrol(
        ws,
        leads.map(({ id }) => id),
      );
      expect(skipped.filter((why) => why !== null)).to.deep.equal(['suppressed']);
      expect(skipped[0]).to.equal('suppressed');
      persons.add(leads[0]?.person);
    }
    expect(persons.size).to.equal(2);
  });

  it('workspaces of one agency still share who somebody is', async () => {
    await bench.tx((tx) => tx.exec(`update workspace set agency_id = 'one' where id in ('acme', 'rival')`));
    await load(own, 'acme');
    await load(own, 'rival');
    const leads = (await leadsOf('acme')).map(({ leadId }) => leadId);
    await enrol('acme', leads);
    expect(new Set((await leadsOf('rival')).map(({ contact }) => contact.claimedBy))).to.deep.equal(
      new Set(['elsewhere']),
    );
  });
});
