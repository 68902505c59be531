import { randomUUID } from 'node:crypto';
import { createLogger } from '../../../pkg/base/log.ts';
import type { Outside } from '../../../pkg/engine/calls/outside.ts';
import { AccountGuard } from '../../../pkg/engine/restore/account-guard.ts';
import { feedSources } from '../../../pkg/engine/sources/feeder.ts';
import { syncAccount } from '../../../pkg/engine/sync/account-sync.ts';
import { GraphCache } from '../../../pkg/engine/walk/graph-cache.ts';
import { learnSplits } from '../../../pkg/engine/walk/splits.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';
import { FakeNetwork } from '../engine/fake-network.ts';
import { type EngineHandle, openEngine, takeClaim } from '../engine/harness.ts';
import { MONDAY } from '../tools/mcp-stage.ts';
import { connectAccount, openWorkspace, platformAdmin, searchAll, withKeyOf } from './people.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** Public tools as clients see them, with an executor of one workspace and account sync that a story drives by the clock. */
export interface EngineStage {
  tools: McpTools;
  /** Somebody with a key of the workspace. */
  acme: ToolUser;
  network: FakeNetwork;
  /** Providers that the MCP server is not configured for; at first none. */
  unconfigured: Set<string>;
  /** An account of the workspace, linked and fit to act at all hours. */
  accountId: string;
  /** Moves product time on and lets the executor do what has become due. */
  pass(ms: number): Promise<void>;
  /** One round of account sync: status, replies and acceptances. */
  sync(): Promise<void>;
  /** What an executor does beside due runs: splits learn, sources feed. @returns how many splits learnt */
  feed(): Promise<number>;
  /** Looks up the sends of unknown outcome. */
  lookUp(): Promise<number>;
  /** What an executor does after a start of Postgres: compares its accounts with their providers. */
  compare(): Promise<void>;
  /** An executor of another workspace. */
  executorOf(workspaceId: string): Promise<EngineHandle>;
  /** Imports people with profiles, all of them connections of the account. @returns lead ids in the order of the names */
  people(names: readonly string[], more?: object): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * @param outside what nodes reach besides the network; absent: the built-in writer alone
 * @param readyMade a workspace that the test has already; absent: one is opened by the tools for it
 */
export async function startEngineStage(outside?: Outside, readyMade?: string): Promise<EngineStage> {
  const network = new FakeNetwork();
  const { sealer, reachOf } = outside ?? {};
  const unconfigured = new Set<string>();
  const providers = (provider: string): FakeNetwork | undefined => (unconfigured.has(provider) ? undefined : network);
  const tools = await startMcpTools(providers, sealer && reachOf ? { sealer, reachOf } : undefined);
  const { clock, db: app, executorUrl } = tools.cluster;
  clock.at = MONDAY;
  const executor = new Database({ url: executorUrl, max: 4, applicationName: 'test' });
  const bench = { app, executor, clock };
  const admin = await platformAdmin(tools);
  const { workspaceId, user: acme } = await home(tools, admin, readyMade);
  const accountId = await connectAccount(admin, [workspaceId]);
  await acme.call('svc_update_network_account_settings', {
    networkAccountId: accountId,
    businessHours: { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24 },
    rampUp: { enabled: false },
  });
  const handle: EngineHandle = await openEngine(bench, workspaceId, network, outside ? { outside } : {});
  const others: EngineHandle[] = [];
  return {
    tools,
    acme,
    network,
    unconfigured,
    accountId,
    async pass(ms) {
      clock.at = clock.now() + ms;
      await handle.quiet();
    },
    async sync() {
      const claim = await takeClaim(bench, accountId, 'accounts-pod', 'account');
      const log = createLogger('test', 'silent');
      await syncAccount({ claim, clock, providers: () => network, newId: () => randomUUID(), log });
      await claim.release();
    },
    feed: () =>
      handle.deps.claim.tx(async (tx) => {
        const round = {
          workspaceId,
          now: clock.now(),
          cache: new GraphCache(),
          newId: () => randomUUID(),
          places: new Map(),
        };
        const learnt = await learnSplits(tx, round);
        await feedSources(tx, round);
        return learnt;
      }),
    lookUp: () => handle.lookUp(),
    compare: () => new AccountGuard(handle.deps).check(),
    async executorOf(workspaceId) {
      const other = await openEngine(bench, workspaceId, network);
      others.push(other);
      return other;
    },
    async people(names, more = {}) {
      for (const name of names) network.connected.add(`p-${name.toLowerCase()}`);
      const rows = names.map(
        (name) => `${name},Test,Firm of ${name},https://www.linkedin.com/in/p-${name.toLowerCase()}`,
      );
      await acme.call('svc_import_leads_csv', {
        csv: `First name,Last name,Company,LinkedIn\n${rows.join('\n')}\n`,
        ...more,
      });
      const found = await searchAll(acme, { includeSuppressed: true });
      const byName = new Map(found.map((lead) => [lead.firstName, lead.leadId]));
      return names.map((name) => byName.get(name) ?? '');
    },
    async stop() {
      for (const one of [handle, ...others]) one.deps.claim.stop();
      await executor.close();
      await tools.stop();
    },
  };
}

/** The workspace of a stage, and somebody with a key of it. */
async function home(
  tools: McpTools,
  admin: ToolUser,
  readyMade: string | undefined,
): Promise<{ workspaceId: string; user: ToolUser }> {
  if (readyMade !== undefined) return { workspaceId: readyMade, user: await tools.as({ workspace: readyMade }) };
  const { workspaceId, owner } = await openWorkspace(tools, admin, 'north');
  return { workspaceId, user: await withKeyOf(tools, owner, workspaceId) };
}
