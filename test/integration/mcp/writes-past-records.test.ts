import { expect } from 'chai';
import { z } from 'zod';
import { tool } from '../../../pkg/tools/tool.ts';
import type { ToolContext } from '../../../pkg/tools/tool-context.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';

const insert = (
  ctx: ToolContext,
  way: 'tx' | 'create' | 'unrecorded',
  name: string,
): Promise<{ leadListId: string }> => {
  const leadListId = ctx.ids.uuid();
  const work: Parameters<ToolContext['tx']>[0] = (tx) =>
    tx.exec(`insert into lead_list (id, workspace_id, name, type, created_at) values ($1, 'acme', $2, 'static', 1)`, [
      leadListId,
      name,
    ]);
  const answered = async (tx: Parameters<typeof work>[0]): Promise<{ leadListId: string }> => {
    await work(tx);
    return { leadListId };
  };
  return way === 'create' ? ctx.create('acme', answered) : ctx[way](answered);
};

/** A tool that only its author knows: it says that it creates, and writes as its input says. */
const creating = tool({
  name: 'svc_create_persona',
  domain: 'Personas & Phases',
  title: 'Writes',
  description: 'Writes a list.',
  example: { input: { way: 'create', name: 'x' } },
  scope: 'none',
  category: 'write',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'none',
  input: z.strictObject({ way: z.enum(['tx', 'create', 'unrecorded']), name: z.string() }),
  output: z.object({ leadListId: z.string() }),
  run: (ctx, { way, name }) => insert(ctx, way, name),
});

// Source: design, section 6: what a tool declares is what it may do.
describe('the author of a tool that creates', function () {
  this.timeout(60_000);
  let mcp: Harness;
  let key: string;

  before(async () => {
    mcp = await startMcp({ tools: [creating] });
    await mcp.workspace('acme');
    key = (await mcp.key({ workspaceId: 'acme' })).plaintext;
  });
  after(() => mcp.stop());

  const call = async (way: string): Promise<string> => {
    const client = await mcp.client(key);
    const input = { way, name: way };
    const answer = await client.callTool({ name: creating.name, arguments: input });
    return (answer.content as { text: string }[])[0]?.text ?? '';
  };
  const lists = (name: string): Promise<unknown[]> =>
    mcp.platform((tx) => tx.rows('select 1 from lead_list where name = $1', [name]));

  it('can not write past the record of the call: the database refuses it', async () => {
    expect(await call('tx')).to.contain('failed on our side');
    expect(await lists('tx')).to.have.length(0);
  });

  it('need not think of a call that is made again', async () => {
    expect(await call('create')).to.equal(await call('create'));
    expect(await lists('create')).to.have.length(1);
  });

  it('says so where each call is to do it', async () => {
    expect(await call('unrecorded')).to.not.equal(await call('unrecorded'));
    expect(await lists('unrecorded')).to.have.length(2);
  });
});
