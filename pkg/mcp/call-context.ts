import type { Clocks } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import type { Database, Scope, Tx } from '../postgres/database.ts';
import { againAfterDeadlock } from '../postgres/deadlock.ts';
import { againWhenFree, CALL_PATIENCE_MS } from '../postgres/taken-lock.ts';
import type { AiWriter } from '../providers/ai/ai-writer.ts';
import type { EnrichmentDesk } from '../providers/enrichment/ask-about.ts';
import type { NetworkProviders } from '../providers/network/network-providers.ts';
import type { AuditRecord } from '../store/audit/audit.ts';
import { isRecorded, RecordedCall } from '../tools/idempotency/recorded-call.ts';
import { renewRefused } from '../tools/integrations/oauth/renew-grants.ts';
import type { PostOffice } from '../tools/mail/post-office.ts';
import type { KeyedResources, Resources } from '../tools/resources/resources.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Caller, Connections, ToolContext } from '../tools/tool-context.ts';
import type { CallGate } from './call-gate.ts';
import { SignedCursors } from './signed-cursors.ts';

type CallScope = Exclude<Scope, { kind: 'claim' }>;

/** What all calls share. */
export interface CallServices {
  db: Database;
  /** Where every call leaves its record. */
  audit: { append(record: AuditRecord): void };
  /** The check against the limits of the workspaces that a call is about. */
  gate: Pick<CallGate, 'admitToWorkspace'>;
  clocks: Clocks;
  ids: Ids;
  log: Logger;
  resources: KeyedResources;
  providers: NetworkProviders;
  ai: AiWriter;
  /** Who is asked for fields of leads and companies; absent: nobody. */
  enrichment?: EnrichmentDesk | undefined;
  /** Absent: integrations can not be connected. */
  connections?: Connections | undefined;
  /** Where mails of the platform are queued; absent where no mail is set up. */
  mail?: PostOffice | undefined;
  cursorSecret: string;
  /** Live keys that a user, or a workspace, has at most. */
  maxKeys: number;
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

/** Runs the tool; a call that is made again because its answer was lost is answered the same, and does nothing twice. */
export async function runCall(services: CallServices, request: CallRequest): Promise<object> {
  const call = recordedCall(services, request);
  const context = callContext(services, request, call);
  const run = (): Promise<object> => request.tool.run(context, request.input as never);
  return request.tool.hints.readOnly ? run() : call.run(run);
}

function recordedCall({ db }: CallServices, request: CallRequest): RecordedCall {
  const { tool, caller, workspaceId, input } = request;
  const scope = scopeOf(tool, caller, workspaceId);
  return new RecordedCall({
    tool,
    caller,
    input,
    workspaceIds: scope.kind === 'workspaces' ? scope.ids : [''],
    read: (work) => db.read(scope, work),
    write: writer(db, scope, request),
    keep: (work) => againWhenFree(() => againAfterDeadlock(() => db.tx(scope, work))),
  });
}

type Transaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** What a tool declares is what it may do: the database refuses writes of a reading one. */
function writer(db: Database, scope: CallScope, { tool, auditWrite }: CallRequest): ToolContext['unrecorded'] {
  if (tool.hints.readOnly) return (work) => db.read(scope, work);
  return (work, { patienceMs } = { patienceMs: CALL_PATIENCE_MS }) =>
    againWhenFree(() => againAfterDeadlock(() => db.tx(scope, audited(work, auditWrite))), patienceMs);
}

/** The context of one call: its transactions see what the caller may see, and nothing else. */
function callContext(services: CallServices, request: CallRequest, call: RecordedCall): ToolContext {
  const { db, clocks, ids, cursorSecret } = services;
  const { tool, caller, workspaceId } = request;
  const scope = scopeOf(tool, caller, workspaceId);
  // It writes through what knows a call that is made again.
  const plain = (seen: CallScope): Transaction =>
    isRecorded(tool) ? (work) => db.read(seen, work) : writer(db, seen, request);
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
    resources: auditedResources(services.resources, request.auditWrite, call),
    providers: services.providers,
    ai: services.ai,
    enrichment: services.enrichment,
    connections: services.connections,
    renewGrant: renewer(services, scope, request),
    mail: services.mail,
    ingressUrl: services.ingressUrl ?? '',
    maxKeys: services.maxKeys,
    cursors: new SignedCursors(cursorSecret, caller.keyId),
    tx: plain(scope),
    platformTx: (work) => {
      if (tool.workspace !== 'platform' && tool.workspace !== 'none')
        throw new Error(`${tool.name} may not see all tenants`);
      return plain({ kind: 'platform' })(work);
    },
    create: (owner, work) => call.create(owner, work),
    repeatable: (owner, work) => call.repeatable(owner, work),
    earlier: (owner) => call.earlier(owner),
    unrecorded: writer(db, scope, request),
    nameOnce: (tx, owner, naming) => call.nameOnce(tx, owner, naming),
    get callKey() {
      return call.key;
    },
    signal: request.signal,
    progress: request.progress,
  };
}

function renewer(
  { db, clocks, ids, connections }: CallServices,
  scope: CallScope,
  { signal }: CallRequest,
): ToolContext['renewGrant'] {
  if (!connections) return undefined;
  const deps = { clocks, ids, connections, tx: <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.tx(scope, work) };
  return (integrationId, refused) => renewRefused(deps, integrationId, refused, signal);
}

/** The record of a write commits with it, or neither does. */
function audited<T>(work: (tx: Tx) => Promise<T>, auditWrite: (tx: Tx) => Promise<void>): (tx: Tx) => Promise<T> {
  return async (tx) => {
    const result = await work(tx);
    await auditWrite(tx);
    return result;
  };
}

function auditedResources(
  resources: KeyedResources,
  auditWrite: (tx: Tx) => Promise<void>,
  call: RecordedCall,
): Resources {
  const within =
    <T, W>(finish: (tx: Tx, written: W) => Promise<T>) =>
    (tx: Tx, written: W): Promise<T> =>
      audited((inner) => finish(inner, written), auditWrite)(tx);
  return {
    create: ({ part, ...request }) =>
      resources.create({
        ...request,
        intent: call.intent(request.workspaceId, part),
        finish: within(request.finish),
      }),
    update: (request) =>
      unlessRefused(request, call, (asked) => resources.update({ ...asked, finish: within(asked.finish) })),
    delete: (request) => resources.delete({ ...request, finish: within(request.finish) }),
  };
}

/** A change that is refused where it is worked out, before it is written, leaves nothing. */
async function unlessRefused<R extends { change: (...given: never[]) => unknown }, T>(
  request: R,
  call: RecordedCall,
  update: (asked: R) => Promise<T>,
): Promise<T> {
  let refused = false;
  const change = (...given: never[]): unknown => {
    try {
      return request.change(...given);
    } catch (error) {
      refused = true;
      throw error;
    }
  };
  try {
    return await update({ ...request, change });
  } catch (error) {
    if (refused) await call.dropName();
    throw error;
  }
}

function scopeOf(tool: AnyTool, caller: Caller, workspaceId: string): CallScope {
  if (tool.workspace === 'platform') return { kind: 'platform' };
  const ids = workspaceId !== '' ? [workspaceId] : caller.workspaces.map((entry) => entry.workspaceId);
  return { kind: 'workspaces', ids, caller: caller.user?.id ?? caller.keyId };
}
