import { expect } from 'chai';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import type { AnyTool } from '../../../pkg/tools/tool.ts';
import { type HostileFixture, startHostileFixture } from '../../fixtures/mcp/hostile-fixture.ts';
import { minimal } from '../../fixtures/mcp/hostile-inputs.ts';

/** Arguments that a tool demands although its schema marks none as required. */
const CHOSEN: Readonly<Record<string, string>> = { svc_validate_workflow: 'workflowId' };

// Source: the promise of tools/list: title, schemas and hints are true of every tool.
describe('what tools/list says of a tool is true', function () {
  this.timeout(60_000);
  let fixture: HostileFixture;
  let own: Record<string, string>;
  before(async () => {
    fixture = await startHostileFixture();
    const { campaignId, workflowId } = fixture.own;
    const first = async (name: string, list: string, field: string, input: object): Promise<string> => {
      const answer = (await fixture.done('acme', name, input)) as Record<string, Record<string, unknown>[]>;
      return String(answer[list]?.[0]?.[field]);
    };
    const { workflow } = (await fixture.done('acme', 'svc_get_workflow', { workflowId })) as {
      workflow: { graph: { nodes: { nodeId: string }[] } };
    };
    own = {
      ...fixture.own,
      personaId: await first('svc_list_personas', 'personas', 'personaId', { campaignId }),
      phaseId: await first('svc_list_phases', 'phases', 'phaseId', { campaignId }),
      nodeId: String(workflow.graph.nodes[0]?.nodeId),
    };
  });
  after(() => fixture.stop());

  /** Calls a tool with what it requires; its answer must be of the declared form. */
  const call = async (tool: AnyTool): Promise<{ refused: string | undefined; wrote: boolean }> => {
    const before = await fixture.changes.soFar();
    const chosen = CHOSEN[tool.name];
    const input = { ...minimal(tool, own), ...(chosen ? { [chosen]: own[chosen] } : {}) };
    const [answer] = await fixture.send(tool, [JSON.stringify(input)]);
    const wrote = (await fixture.changes.soFar()) !== before;
    if (!answer || answer.refused) return { refused: answer?.text ?? 'nothing', wrote };
    tool.output.parse(JSON.parse(answer.text));
    return { refused: undefined, wrote };
  };

  it('a tool that is declared to read writes nothing, and answers in its declared form', async () => {
    const reading = ALL_TOOLS.filter((one) => one.hints.readOnly);
    const refused: Record<string, string> = {};
    for (const tool of reading) {
      const done = await call(tool);
      expect(done.wrote, `${tool.name} wrote`).to.equal(false);
      if (done.refused !== undefined) refused[tool.name] = done.refused;
    }
    // Some records are made by a running workflow or a provider only: their readers answer that there are none.
    expect(Object.keys(refused).length, JSON.stringify(refused)).to.be.lessThan(reading.length / 3);
  });

  it('a tool that wrote is not declared to read, and answers in its declared form', async () => {
    const wrote: string[] = [];
    for (const tool of ALL_TOOLS.filter((one) => !one.hints.readOnly)) {
      const done = await call(tool);
      if (done.wrote) wrote.push(tool.name);
    }
    expect(wrote).to.include.members(['svc_create_campaign', 'svc_create_persona', 'svc_delete_persona']);
    expect(wrote.length).to.be.greaterThan(15);
  });

  it('titles and descriptions say what and what next; names fit every client', () => {
    const titles = new Set(ALL_TOOLS.map((tool) => tool.title));
    expect(titles.size, 'titles are different').to.equal(ALL_TOOLS.length);
    for (const tool of ALL_TOOLS) {
      expect(tool.name, tool.name).to.match(/^svc_[a-z_]{1,60}$/);
      expect(tool.description, tool.name).to.match(/^[A-Z].{20,}\.$/s);
      expect(tool.hints.readOnly && tool.hints.destructive, tool.name).to.equal(false);
      const [kind] = tool.scope.split(':').slice(-1);
      // Feedback goes to the service team; the catalog lets everybody with a look at the workspace give it.
      const anybodys = tool.name === 'svc_submit_feedback';
      if (kind === 'read' && !tool.hints.readOnly && !anybodys)
        expect.fail(`${tool.name} writes with the scope ${tool.scope}`);
    }
  });
});
