import type { Clocks } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import type { Database, Scope, Tx } from '../postgres/database.ts';
import type { AiWriter } from '../providers/ai/ai-writer.ts';
import type { NetworkProviders } from '../providers/network/network-providers.ts';
import { runOnce } from '../tools/once.ts';
import type { Resources } from '../tools/resources/resources.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Caller, ToolContext } from '../tools/tool-context.ts';
import { SignedCursors } from './signed-cursors.ts';

/** What all calls share. */
export interface CallServices {
  db: Database;
  clocks: Clocks;
  ids: Ids;
  log: Logger;
  resources: Resources;
  providers: NetworkProviders;
  ai: AiWriter;
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
  progress: (done: number, total: number, message: string) => void;
}

/** The context of one call: its transactions see what the caller may see, and nothing else. */
export function callContext(services: CallServices, request: CallRequest): ToolContext {
  const { db, clocks, ids, cursorSecret } = services;
  const { tool, caller, workspaceId } = request;
  const scope = scopeOf(tool, caller, workspaceId);
  const platform: Scope = { kind: 'platform' };
  // The workspace is part of an idempotency record's key; a workspace key may leave it out of the input.
  const { idempotencyKey: _, workspaceId: __, ...ownInput } = request.input;
  const tx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.tx(scope, work);
  return {
    caller,
    workspaceId,
    requestId: request.requestId,
    clocks,
    ids,
    log: services.log.child({ tool: tool.name, requestId: request.requestId }),
    resources: services.resources,
    providers: services.providers,
    ai: services.ai,
    ingressUrl: services.ingressUrl ?? '',
    cursors: new SignedCursors(cursorSecret, caller.keyId),
    tx,
    platformTx: (work) => {
      if (tool.workspace !== 'platform' && tool.workspace !== 'none')
        throw new Error(`${tool.name} may not see all tenants`);
      return db.tx(platform, work);
    },
    ownInput,
    once: (owner, key, work, keepSeconds) => {
      if (key === undefined) return tx(work);
      const record = { workspaceId: owner, tool: tool.name, key, input: ownInput, keepSeconds };
      return tx((inner) => runOnce(inner, record, work));
    },
    progress: request.progress,
  };
}

function scopeOf(tool: AnyTool, caller: Caller, workspaceId: string): Scope {
  if (tool.workspace === 'platform') return { kind: 'platform' };
  const ids = workspaceId !== '' ? [workspaceId] : caller.workspaces.map((entry) => entry.workspaceId);
  return { kind: 'workspaces', ids };
}
