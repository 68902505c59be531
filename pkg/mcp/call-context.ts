import type { Clocks } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import type { Database, Scope, Tx } from '../postgres/database.ts';
import { againAfterDeadlock } from '../postgres/deadlock.ts';
import type { AiWriter } from '../providers/ai/ai-writer.ts';
import type { NetworkProviders } from '../providers/network/network-providers.ts';
import type { AuditRecord } from '../store/audit/audit.ts';
import { runRepeatable } from '../tools/natural-key.ts';
import { runOnce } from '../tools/once.ts';
import type { Resources } from '../tools/resources/resources.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Caller, Connections, ToolContext } from '../tools/tool-context.ts';
import { SignedCursors } from './signed-cursors.ts';

type CallScope = Exclude<Scope, { kind: 'claim' }>;

/** What all calls share. */
export interface CallServices {
  db: Database;
  /** Where every call leaves its record. */
  audit: { append(record: AuditRecord): void };
  clocks: Clocks;
  ids: Ids;
  log: Logger;
  resources: Resources;
  providers: NetworkProviders;
  ai: AiWriter;
  /** Absent: integrations can not be connected. */
  connections?: Connections | undefined;
  cursorSecret: string;
  /** Public address of the ingress; absent where there is none. */
  ingressUrl?: string;
}

export interface CallRequest {
  tool: AnyTool;
  caller: Caller;
  workspaceId: string;
  requestId: string;
  input: Record<string, unknown>;
  signal: AbortSignal;
  /** Leaves the record of a write in the transaction that writes. */
  auditWrite: (tx: Tx) => Promise<void>;
  progress: (done: number, total: number, message: string) => void;
}

/** The context of one call: its transactions see what the caller may see, and nothing else. */
export function callContext(services: CallServices, request: CallRequest): ToolContext {
  const { db, clocks, ids, cursorSecret } = services;
  const { tool, caller, workspaceId } = request;
  const scope = scopeOf(tool, caller, workspaceId);
  // What a tool declares is what it may do: the database refuses writes of a reading one.
  const within = <T>(seen: CallScope, work: (tx: Tx) => Promise<T>): Promise<T> =>
    tool.hints.readOnly
      ? db.read(seen, work)
      : againAfterDeadlock(() => db.tx(seen, audited(work, request.auditWrite)));
  const tx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => within(scope, work);
  // The workspace is part of an idempotency record's key; a workspace key may leave it out of the input.
  const { idempotencyKey: _, workspaceId: __, ...ownInput } = request.input;
  return {
    caller,
    workspaceId,
    requestId: request.requestId,
    clocks,
    ids,
    // Most tools log nothing, and a child costs more than a read.
    get log() {
      return services.log.child({ tool: tool.name, requestId: request.requestId });
    },
    resources: auditedResources(services.resources, request.auditWrite),
    providers: services.providers,
    ai: services.ai,
    connections: services.connections,
    ingressUrl: services.ingressUrl ?? '',
    cursors: new SignedCursors(cursorSecret, caller.keyId),
    tx,
    platformTx: (work) => {
      if (tool.workspace !== 'platform' && tool.workspace !== 'none')
        throw new Error(`${tool.name} may not see all tenants`);
      return within({ kind: 'platform' }, work);
    },
    ownInput,
    once: (owner, key, work, keepSeconds) => {
      if (key === undefined) return tx(work);
      const record = { workspaceId: owner, tool: tool.name, key, input: ownInput, keepSeconds };
      return tx((inner) => runOnce(inner, record, work));
    },
    repeatable: (owner, key, call) =>
      tx((inner) => runRepeatable(inner, { workspaceId: owner, tool: tool.name, key, input: ownInput }, call)),
    signal: request.signal,
    progress: request.progress,
  };
}

/** The record of a write commits with it, or neither does. */
function audited<T>(work: (tx: Tx) => Promise<T>, auditWrite: (tx: Tx) => Promise<void>): (tx: Tx) => Promise<T> {
  return async (tx) => {
    const result = await work(tx);
    await auditWrite(tx);
    return result;
  };
}

function auditedResources(resources: Resources, auditWrite: (tx: Tx) => Promise<void>): Resources {
  const within =
    <T, W>(finish: (tx: Tx, written: W) => Promise<T>) =>
    (tx: Tx, written: W): Promise<T> =>
      audited((inner) => finish(inner, written), auditWrite)(tx);
  return {
    create: (request) => resources.create({ ...request, finish: within(request.finish) }),
    update: (request) => resources.update({ ...request, finish: within(request.finish) }),
    delete: (request) => resources.delete({ ...request, finish: (tx) => audited(request.finish, auditWrite)(tx) }),
  };
}

function scopeOf(tool: AnyTool, caller: Caller, workspaceId: string): CallScope {
  if (tool.workspace === 'platform') return { kind: 'platform' };
  const ids = workspaceId !== '' ? [workspaceId] : caller.workspaces.map((entry) => entry.workspaceId);
  return { kind: 'workspaces', ids };
}
