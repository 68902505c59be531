import { expect } from 'chai';
import { startToolCalls, type ToolCalls } from '../../../tools/tool-calls.ts';

/** A name as it is written, and what people type for it; each finds the other. */
const PAIRS: readonly (readonly [written: string, typed: readonly string[]])[] = [
  ['Müller', ['muller', 'mueller', 'MÜLLER', 'müll']],
  ['Øst', ['ost', 'oest', 'øst']],
  ['Weiß', ['weiss', 'weiß', 'WEISS']],
  ['Łukasz', ['lukasz', 'łukasz']],
  ['Åse', ['ase', 'aase']],
  ['Đorđe', ['dorde', 'đor']],
  ['Nuñez', ['nunez', 'núñez']],
  ['Žižek', ['zizek']],
  ['Şahin', ['sahin']],
];

describe('accents in a search', function () {
  this.timeout(120_000);
  let tools: ToolCalls;
  const ids = new Map<string, string>();

  const enter = async (name: string): Promise<void> => {
    const email = `l${ids.size}@accents.example`;
    const lead = { email, firstName: 'Ann', lastName: name, company: `Firma ${name}` };
    ids.set(name, (await tools.call<{ leadId: string }>('svc_upsert_lead', lead)).leadId);
  };
  const found = async (query: string): Promise<string[]> =>
    (await tools.call<{ leads: { leadId: string }[] }>('svc_search_leads', { query })).leads.map((lead) => lead.leadId);

  before(async () => {
    tools = await startToolCalls();
    for (const [written] of PAIRS) await enter(written);
    await enter('Moller');
  });
  after(() => tools.stop());

  for (const [written, typed] of PAIRS)
    it(`are no bar: ${typed.join(', ')} find ${written}`, async () => {
      for (const text of typed) expect(await found(text), text).to.include(ids.get(written));
    });

  it('are no bar the other way round either, and make no other name the same', async () => {
    expect(await found('möller')).to.deep.equal([ids.get('Moller')]);
    expect(await found('moller')).to.deep.equal([ids.get('Moller')]);
    expect(await found('ann müller')).to.deep.equal([ids.get('Müller')]);
  });

  it('do not stand between svc_search and leads, companies, campaigns and lists', async () => {
    await tools.call('svc_create_lead_list', { workspaceId: 'acme', name: 'Zürich' });
    const types = async (query: string): Promise<string[]> =>
      (await tools.call<{ hits: { type: string }[] }>('svc_search', { query })).hits.map((hit) => hit.type);
    expect(await types('zurich')).to.include('lead_list');
    expect(await types('muller')).to.include('lead');
    await tools.rows(
      `insert into company (id, name, company_key, created_at, updated_at) values (gen_random_uuid(), 'Brøndby Æbler', 'b', 1, 1)`,
    );
    expect(await types('brondby')).to.include('company');
  });

  it('do not stand between filters and what they look for, typed or written with accents', async () => {
    const lead = { email: 'geo@accents.example', firstName: 'Geo', lastName: 'Graph', company: 'Ménage SA' };
    const where = { title: 'Geschäftsführer', location: 'München' };
    const { leadId } = await tools.call<{ leadId: string }>('svc_upsert_lead', { ...lead, ...where });
    const filters = [
      { locations: ['munchen'] },
      { locations: ['muenchen'] },
      { locations: ['MÜNCHEN'] },
      { titles: ['geschaftsfuhrer'] },
      { titles: ['Geschaeftsfuehrer'] },
      { keywords: ['menage'] },
    ];
    for (const filter of filters) {
      const { leads } = await tools.call<{ leads: { leadId: string }[] }>('svc_search_leads', filter);
      expect(
        leads.map((one) => one.leadId),
        JSON.stringify(filter),
      ).to.include(leadId);
    }
  });

  it('follow a name that changes', async () => {
    await tools.call('svc_upsert_lead', { leadId: ids.get('Žižek'), lastName: 'Čapek', company: 'Firma' });
    expect(await found('zizek')).to.not.include(ids.get('Žižek'));
    expect(await found('capek')).to.include(ids.get('Žižek'));
  });
});
