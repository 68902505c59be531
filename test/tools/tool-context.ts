import { pino } from 'pino';
import type { z } from 'zod';
import type { ApiObject } from '../../pkg/api/object.ts';
import type { KindName } from '../../pkg/api/specs.ts';
import { SystemClock } from '../../pkg/base/clock.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import { canonicalJson } from '../../pkg/base/json.ts';
import { Database, type Tx } from '../../pkg/postgres/database.ts';
import { againWhenFree } from '../../pkg/postgres/taken-lock.ts';
import { templateWriter } from '../../pkg/providers/ai/template-writer.ts';
import { projectCampaign, tombstoneCampaign } from '../../pkg/store/resources/project-campaign.ts';
import { projectWorkflow, tombstoneWorkflow } from '../../pkg/store/resources/project-workflow.ts';
import { projectWorkspace, tombstoneWorkspace } from '../../pkg/store/resources/project-workspace.ts';
import type { Cursors } from '../../pkg/tools/cursors.ts';
import { invalidInput } from '../../pkg/tools/errors.ts';
import { isRecorded, RecordedCall } from '../../pkg/tools/idempotency/recorded-call.ts';
import { graphChecker } from '../../pkg/tools/resources/graph-checker.ts';
import type { Resources } from '../../pkg/tools/resources/resources.ts';
import type { AnyTool } from '../../pkg/tools/tool.ts';
import type { Caller, ToolContext } from '../../pkg/tools/tool-context.ts';
import { QUIET_ENRICHMENT } from '../fixtures/tools/quiet-enrichment.ts';
import { DeliberateCalls } from './deliberate-calls.ts';
import { FakeClock } from './fake-clock.ts';
import { testPostgres } from './postgres.ts';

/** Tools on a real database of their own; the custom resources live in memory and are projected as everywhere. */
export interface ToolBench {
  product: FakeClock;
  /** Calls a tool as a member of one workspace; input and answer go through the tool's schemas. */
  call<T = Record<string, unknown>>(tool: AnyTool, input: object, workspaceId?: string): Promise<T>;
  /** Platform view of the database. */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  workspace(name: string): Promise<void>;
  close(): Promise<void>;
}

/** A bench with one workspace, `acme`; of another bench's database where that is `given`, with its clock. */
export async function toolBench(given?: { appUrl: string; clock: FakeClock }): Promise<ToolBench> {
  const appUrl = given?.appUrl ?? (await (await testPostgres()).product()).appUrl;
  const db = new Database({ url: appUrl, max: 4, applicationName: 'tool-test' });
  const product = given?.clock ?? new FakeClock();
  const objects = new Map<string, ApiObject>();
  const deliberate = new DeliberateCalls(db);
  const tx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.tx({ kind: 'platform' }, work);
  const workspace = async (name: string): Promise<void> => {
    const object = newObject(name, { displayName: name, owner: `${name}@owner.example` });
    await tx((t) => project(t, 'Workspace', object, product.now()));
  };
  await workspace('acme');
  return {
    product,
    tx,
    workspace,
    async call<T>(tool: AnyTool, input: object, workspaceId = 'acme'): Promise<T> {
      await deliberate.next(tool.name, input);
      const parsed = tool.input.parse(input) as never;
      const { ctx, recorded } = contextOf({ db, product, objects, tool, input: parsed, workspaceId });
      const output: z.ZodObject = tool.output;
      return output.strict().parse(await recorded.run(() => tool.run(ctx, parsed))) as T;
    },
    close: () => db.close(),
  };
}

interface Bench {
  db: Database;
  product: FakeClock;
  objects: Map<string, ApiObject>;
  tool: AnyTool;
  input: Record<string, unknown>;
  workspaceId: string;
}

function contextOf(bench: Bench): { ctx: ToolContext; recorded: RecordedCall } {
  const { db, product, tool, input, workspaceId } = bench;
  const scope = { kind: 'workspaces', ids: [workspaceId] } as const;
  const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => againWhenFree(() => db.tx(scope, work));
  const read = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.read(scope, work);
  const caller: Caller = {
    keyId: '018f0000-0000-7000-8000-000000000001',
    keyType: 'workspace',
    keyPrefix: 'cs_test',
    scopes: new Set([tool.scope]),
    user: null,
    platformAdmin: false,
    workspaces: [{ workspaceId, name: workspaceId, role: 'owner' }],
  };
  const recorded = new RecordedCall({ tool, caller, input, workspaceIds: [workspaceId], read, write, keep: write });
  const ctx: ToolContext = {
    caller,
    workspaceId: tool.workspace === 'param' || tool.workspace === 'param_or_campaign' ? workspaceId : '',
    requestId: 'request',
    clocks: { product, real: new SystemClock() },
    ids: systemIds,
    log: pino({ level: 'silent' }),
    resources: memoryResources(bench),
    cursors: plainCursors,
    maxKeys: 50,
    providers: () => undefined,
    ingressUrl: '',
    ai: templateWriter,
    enrichment: QUIET_ENRICHMENT,
    tx: isRecorded(tool) ? read : write,
    platformTx: (work) => db.tx({ kind: 'platform' }, work),
    create: (owner, work) => recorded.create(owner, work),
    repeatable: (owner, work) => recorded.repeatable(owner, work),
    earlier: (owner) => recorded.earlier(owner),
    unrecorded: write,
    nameOnce: (tx, owner, naming) => recorded.nameOnce(tx, owner, naming),
    callKey: recorded.key,
    signal: new AbortController().signal,
    progress: () => undefined,
  };
  return { ctx, recorded };
}

/** Unsigned, but bound to tool and filters as the contract asks. */
const plainCursors: Cursors = {
  encode: (tool, filters, position) => JSON.stringify([tool, canonicalJson(filters), position]),
  decode(tool, filters, cursor) {
    if (cursor === undefined) return null;
    const [of, under, position] = JSON.parse(cursor);
    if (of !== tool || under !== canonicalJson(filters)) throw invalidInput('cursor', 'is of another search');
    return position;
  },
};

function newObject(name: string, spec: object): ApiObject {
  const identity = {
    uid: `uid-${name}`,
    generation: 1,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  return { metadata: { name, namespace: 'outrider', ...identity }, spec };
}

async function project(tx: Tx, kind: KindName, object: ApiObject, now: number): Promise<void> {
  const context = { now, homeNamespace: 'outrider', ids: systemIds, checker: graphChecker };
  if (kind === 'Workspace') await projectWorkspace(tx, object, context);
  else if (kind === 'Campaign') await projectCampaign(tx, object, context);
  else await projectWorkflow(tx, object, context);
}

function memoryResources({ db, product, objects }: Bench): Resources {
  const write = <T>(
    kind: KindName,
    object: ApiObject,
    workspaceId: string,
    finish: (tx: Tx) => Promise<T>,
  ): Promise<T> =>
    db.tx({ kind: 'workspaces', ids: [workspaceId] }, async (tx) => {
      await project(tx, kind, object, product.now());
      objects.set(object.metadata.name, object);
      return finish(tx);
    });
  return {
    async create({ kind, prefix, spec, workspaceId, finish }) {
      const id = systemIds.name(prefix);
      return write(kind, newObject(id, spec), workspaceId, (tx) => finish(tx, { id, generation: 1 }));
    },
    async delete({ kind, id, workspaceId, finish }) {
      return db.tx({ kind: 'workspaces', ids: [workspaceId] }, async (tx) => {
        const answer = await finish(tx, product.now());
        if (kind === 'Workspace') await tombstoneWorkspace(tx, id, product.now());
        else if (kind === 'Campaign') await tombstoneCampaign(tx, id, product.now());
        else await tombstoneWorkflow(tx, id, product.now());
        objects.delete(id);
        return answer;
      });
    },
    async update({ kind, id, workspaceId, change, finish }) {
      const before = objects.get(id);
      if (!before) throw new Error(`no object ${id}`);
      const generation = (before.metadata.generation ?? 0) + 1;
      const next = { metadata: { ...before.metadata, generation }, spec: change(before.spec as never) };
      return write(kind, next, workspaceId, (tx) => finish(tx, { id, generation }));
    },
  };
}
