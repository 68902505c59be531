import { expect } from 'chai';
import { openWorkspace, platformAdmin, withKeyOf } from '../../fixtures/stories/people.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

interface Page {
  leads: { leadId: string; fullName: string }[];
  nextCursor: string | null;
}

// A cursor read to its end while others write: nobody who was there throughout is missed or shown twice.
describe('story: cursor paging to the end while rows change', () => {
  let tools: McpTools;
  let user: ToolUser;

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    const admin = await platformAdmin(tools);
    const { workspaceId, owner } = await openWorkspace(tools, admin, 'north');
    user = await withKeyOf(tools, owner, workspaceId);
  });
  after(() => tools.stop());

  const enter = async (name: string): Promise<string> =>
    (
      await user.call<{ leadId: string }>('svc_upsert_lead', {
        firstName: name,
        lastName: 'Paged',
        email: `${name.toLowerCase()}@paged.example`,
      })
    ).leadId;

  /** Pages through a tool; `between` runs after each page. */
  const readAll = async (
    tool: string,
    input: object,
    between: (page: number) => Promise<unknown>,
  ): Promise<string[]> => {
    const seen: string[] = [];
    let cursor: string | null = null;
    for (let page = 0; page === 0 || cursor !== null; page++) {
      const answer: Page = await user.call(tool, { ...input, limit: 7, ...(cursor ? { cursor } : {}) });
      seen.push(...answer.leads.map((lead) => lead.leadId));
      cursor = answer.nextCursor;
      await between(page);
    }
    return seen;
  };

  for (const tool of ['svc_search_leads', 'svc_get_lead_list']) {
    it(`${tool} shows everybody who stays once, no matter who comes and goes meanwhile`, async () => {
      const mark = tool === 'svc_search_leads' ? 'Sea' : 'Lis';
      const ids: string[] = [];
      for (let index = 0; index < 30; index++) ids.push(await enter(`${mark}${index}`));
      const { leadListId } = await user.call('svc_create_lead_list', { name: mark });
      await user.call('svc_add_leads_to_list', { leadListId, leadIds: ids });
      const input = tool === 'svc_search_leads' ? { query: mark } : { leadListId };
      const gone = new Set([ids[3], ids[15], ids[28]]);
      const seen = await readAll(tool, input, async (page) => {
        const leaving = [...gone][page];
        if (leaving) await user.call('svc_erase_lead', { leadId: leaving, reason: 'retention' });
        const added = await enter(`${mark}new${page}`);
        await user.call('svc_add_leads_to_list', { leadListId, leadIds: [added] });
        // Somebody already shown, or yet to be shown, is edited.
        await user.call('svc_upsert_lead', { leadId: ids[page + 5], title: `Edited ${page}` });
      });
      expect(new Set(seen).size, 'doubles').to.equal(seen.length);
      expect(seen).to.include.members(ids.filter((id) => !gone.has(id)));
    });
  }
});
