import { expect } from 'chai';
import { Sealer } from '../../../pkg/base/sealer.ts';
import { reachBesides } from '../../../pkg/providers/integrations.ts';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import type { AnyTool, ToolExample } from '../../../pkg/tools/tool.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';
import { startBench } from '../sandbox/harness.ts';
import { inWorkingOrder, namesIn } from './example-order.ts';
import { GIVEN_RECORDS } from './given-records.ts';
import { MONDAY } from './mcp-stage.ts';

/** What the fixture knows by name before the first call. */
const FIXTURE = ['workspaceId', 'networkAccountId', 'memberId', 'hookUrl'];

/** Every name that the fixture gives, with the names that it needs for that. */
export const GIVEN: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(FIXTURE.map((name) => [name, []])),
  ...Object.fromEntries(Object.entries(GIVEN_RECORDS).map(([name, { needs }]) => [name, needs])),
};

/** Every tool, in an order in which their examples work. */
export const TOOLS_IN_ORDER: readonly AnyTool[] = inWorkingOrder(ALL_TOOLS, GIVEN);

/** Two keys of one caller. */
export type Callers = readonly [ToolUser, ToolUser];

/** A listening server with the sandbox behind it, on which the examples of all tools can be called in their order. */
export interface ExampleFixture {
  tools: McpTools;
  /** Those who may call it. */
  callersOf(example: ToolExample): Callers;
  /** Makes the records that the example asks for and no tool makes. */
  prepare(example: ToolExample): Promise<void>;
  /** The input with ids in place of `$name`. */
  filled(input: object): object;
  /** Remembers what a result gives to later examples. */
  keep(example: ToolExample, result: object): void;
  stop(): Promise<void>;
}

export async function startExampleFixture(): Promise<ExampleFixture> {
  const { sandbox, adapter, stop } = await startBench();
  const sealer = new Sealer('an installation key of at least 32 characters');
  const tools = await startMcpTools(() => adapter, { sealer, reachOf: reachBesides(sandbox.url) });
  tools.cluster.clock.at = MONDAY;
  const kept = new Map<string, unknown>([
    ['workspaceId', 'acme'],
    ['networkAccountId', await tools.account('acme')],
    ['hookUrl', `${sandbox.url}/outside/hook`],
  ]);
  await tools.as({ memberOf: ['acme'] });
  kept.set('memberId', await memberOf(tools));
  await tools.grant('acme', 100);
  const callers = await callersIn(tools);
  return {
    tools,
    callersOf: (example) => callers[example.caller ?? 'workspace'],
    async prepare({ input }) {
      for (const name of namesIn(input)) {
        const given = kept.has(name) ? undefined : GIVEN_RECORDS[name];
        if (given) kept.set(name, await given.make(tools, (known) => kept.get(known)));
      }
    },
    filled: (input) =>
      JSON.parse(JSON.stringify(input), (_name, value: unknown) =>
        typeof value === 'string' && value.startsWith('$') ? kept.get(value.slice(1)) : value,
      ) as object,
    keep({ keep = {} }, result) {
      for (const [name, path] of Object.entries(keep)) {
        expect(at(result, path), name).to.be.a('string');
        kept.set(name, at(result, path));
      }
    },
    async stop() {
      await tools.stop();
      await stop();
    },
  };
}

/** The value at a path like `leads.0.leadId`. */
function at(result: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], result);
}

async function memberOf(tools: McpTools): Promise<string | undefined> {
  const rows = await tools.rows<{ id: string }>(
    `select id from member where workspace_id = 'acme' and role = 'member'`,
  );
  return rows[0]?.id;
}

async function callersIn(tools: McpTools): Promise<Record<'workspace' | 'owner' | 'admin', Callers>> {
  const withKey = async (userId: string): Promise<ToolUser> =>
    tools.user(await tools.mcp.client((await tools.mcp.key({ userId })).plaintext));
  const twoKeys = async (userId: string): Promise<Callers> => [await withKey(userId), await withKey(userId)];
  const [boss] = await tools.rows<{ id: string }>(`select id from app_user where email = 'owner@acme.example'`);
  return {
    workspace: [await tools.as({ workspace: 'acme' }), await tools.as({ workspace: 'acme' })],
    owner: await twoKeys(boss?.id ?? ''),
    admin: await twoKeys(await tools.mcp.user({ admin: true })),
  };
}
