import { expect } from 'chai';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';
interface Phase {
  phaseId: string;
  name: string;
  order: number;
}
interface Persona {
  personaId: string;
  name: string;
}

describe('tools: personas and phases, by an MCP client', () => {
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;
  let campaignId: string;

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
  });
  after(() => tools.stop());
  beforeEach(async () => {
    ({ campaignId } = await acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Plan' }));
  });

  const persona = async (name = 'Head'): Promise<string> =>
    (await acme.call<Persona>('svc_create_persona', { campaignId, name, description: 'Of sales', goals: ['grow'] }))
      .personaId;
  const phase = async (name: string): Promise<string> =>
    (await acme.call<Phase>('svc_create_phase', { campaignId, name, phaseType: 'outreach' })).phaseId;
  const plan = async (): Promise<[string, number][]> =>
    (await acme.call<{ phases: Phase[] }>('svc_list_phases', { campaignId })).phases.map((one) => [
      one.name,
      one.order,
    ]);
  /** A record that is not there, is foreign, or belongs to a deleted campaign is answered alike. */
  const missing = async (name: string, id: string, label: string, list: string): Promise<void> => {
    const field = label === 'Persona' ? 'personaId' : 'phaseId';
    const text = (one: string): string => `${label} "${one}" was not found. Call ${list} to find valid IDs.`;
    expect(await acme.refusal(name, { [field]: NOBODY })).to.equal(text(NOBODY));
    expect(await acme.refusal(name, { [field]: 'nonsense' })).to.equal(text('nonsense'));
    expect(await rival.refusal(name, { [field]: id })).to.equal(text(id));
    await acme.call('svc_delete_campaign', { campaignId, confirmTitle: 'Plan' });
    expect(await acme.refusal(name, { [field]: id })).to.equal(text(id));
  };
  const noCampaign = async (name: string, more: object = {}): Promise<void> => {
    const text = (id: string): string => `Campaign "${id}" was not found. Call svc_list_campaigns to find valid IDs.`;
    expect(await acme.refusal(name, { campaignId: NOBODY, ...more })).to.equal(text(NOBODY));
    expect(await rival.refusal(name, { campaignId, ...more })).to.equal(text(campaignId));
  };

  describe('svc_create_persona', () => {
    it('adds a persona that can be read', async () => {
      const personaId = await persona();
      const read = await acme.call<{ persona: object }>('svc_get_persona', { personaId });
      expect(read.persona).to.deep.include({ campaignId, name: 'Head', goals: ['grow'], painPoints: [] });
    });
    it('wants a campaign of the workspace', () => noCampaign('svc_create_persona', { name: 'x' }));
  });

  describe('svc_list_personas', () => {
    it('pages through the personas of a campaign', async () => {
      const made = [await persona('A'), await persona('B'), await persona('C')];
      const first = await acme.call<{ personas: Persona[]; nextCursor: string }>('svc_list_personas', {
        campaignId,
        limit: 2,
      });
      const second = await acme.call<{ personas: Persona[]; nextCursor: null }>('svc_list_personas', {
        campaignId,
        limit: 2,
        cursor: first.nextCursor,
      });
      expect([...first.personas, ...second.personas].map((one) => one.personaId)).to.deep.equal(made);
      expect(second.nextCursor).to.equal(null);
    });
    it('wants a campaign of the workspace', () => noCampaign('svc_list_personas'));
  });

  describe('svc_get_persona', () => {
    it('is not found when missing, foreign or of a deleted campaign', async () =>
      missing('svc_get_persona', await persona(), 'Persona', 'svc_list_personas'));
  });

  describe('svc_update_persona', () => {
    it('changes what is given, replaces lists whole, and clears by an empty text', async () => {
      const personaId = await persona();
      await acme.call('svc_update_persona', { personaId, name: 'VP', goals: [], objections: ['price'] });
      const after = await acme.call<{ persona: object }>('svc_get_persona', { personaId });
      expect(after.persona).to.deep.include({
        name: 'VP',
        description: 'Of sales',
        goals: [],
        objections: ['price'],
      });
      await acme.call('svc_update_persona', { personaId, description: '' });
      expect((await acme.call<{ persona: object }>('svc_get_persona', { personaId })).persona).to.include({
        description: '',
        name: 'VP',
      });
    });
    it('is not found when missing, foreign or of a deleted campaign', async () =>
      missing('svc_update_persona', await persona(), 'Persona', 'svc_list_personas'));
  });

  describe('svc_delete_persona', () => {
    it('takes it away', async () => {
      const personaId = await persona();
      expect(await acme.call('svc_delete_persona', { personaId })).to.deep.equal({ personaId, deleted: true });
      expect(await acme.call('svc_list_personas', { campaignId })).to.deep.equal({ personas: [], nextCursor: null });
    });
    it('is not found when missing, foreign or of a deleted campaign', async () =>
      missing('svc_delete_persona', await persona(), 'Persona', 'svc_list_personas'));
  });

  describe('svc_create_phase', () => {
    it('puts a phase in between, later ones shift', async () => {
      await phase('a');
      await phase('b');
      await acme.call('svc_create_phase', { campaignId, name: 'c', phaseType: 'content', order: 1 });
      expect(await plan()).to.deep.equal([
        ['a', 0],
        ['c', 1],
        ['b', 2],
      ]);
    });
    it('wants a campaign of the workspace', () => noCampaign('svc_create_phase', { name: 'x', phaseType: 'outreach' }));
  });

  describe('svc_list_phases', () => {
    it('pages in order', async () => {
      for (const name of ['a', 'b', 'c']) await phase(name);
      const first = await acme.call<{ phases: Phase[]; nextCursor: string }>('svc_list_phases', {
        campaignId,
        limit: 2,
      });
      const second = await acme.call<{ phases: Phase[] }>('svc_list_phases', {
        campaignId,
        limit: 2,
        cursor: first.nextCursor,
      });
      expect([...first.phases, ...second.phases].map((one) => one.name)).to.deep.equal(['a', 'b', 'c']);
    });
    it('wants a campaign of the workspace', () => noCampaign('svc_list_phases'));
  });

  describe('svc_get_phase', () => {
    it('reads one', async () => {
      const phaseId = await phase('a');
      expect((await acme.call<{ phase: object }>('svc_get_phase', { phaseId })).phase).to.include({
        phaseId,
        campaignId,
        phaseType: 'outreach',
        order: 0,
      });
    });
    it('is not found when missing, foreign or of a deleted campaign', async () =>
      missing('svc_get_phase', await phase('a'), 'Phase', 'svc_list_phases'));
  });

  describe('svc_update_phase', () => {
    it('moves a phase anywhere and keeps the orders contiguous', async () => {
      const ids: string[] = [];
      for (const name of ['a', 'b', 'c', 'd']) ids.push(await phase(name));
      const names = async (index: number, order: number): Promise<string> => {
        const answer = await acme.call<Phase>('svc_update_phase', { phaseId: ids[index], order });
        expect(answer.order).to.equal(Math.min(order, 3));
        const rows = await plan();
        expect(rows.map(([, at]) => at)).to.deep.equal([0, 1, 2, 3]);
        return rows.map(([name]) => name).join('');
      };
      expect(await names(0, 2)).to.equal('bcad');
      expect(await names(3, 0)).to.equal('dbca');
      expect(await names(1, 99)).to.equal('dcab');
      expect(await names(1, 3)).to.equal('dcab');
    });
    it('changes what is given', async () => {
      const phaseId = await phase('a');
      await acme.call('svc_update_phase', { phaseId, phaseType: 'refinement', objectives: ['learn'] });
      expect((await acme.call<{ phase: object }>('svc_get_phase', { phaseId })).phase).to.deep.include({
        name: 'a',
        phaseType: 'refinement',
        objectives: ['learn'],
        order: 0,
      });
    });
    it('is not found when missing, foreign or of a deleted campaign', async () =>
      missing('svc_update_phase', await phase('a'), 'Phase', 'svc_list_phases'));
  });

  describe('svc_delete_phase', () => {
    it('closes the gap', async () => {
      await phase('a');
      const phaseId = await phase('b');
      await phase('c');
      expect(await acme.call('svc_delete_phase', { phaseId })).to.deep.equal({ phaseId, deleted: true });
      expect(await plan()).to.deep.equal([
        ['a', 0],
        ['c', 1],
      ]);
    });
    it('is not found when missing, foreign or of a deleted campaign', async () =>
      missing('svc_delete_phase', await phase('a'), 'Phase', 'svc_list_phases'));
  });
});
