import { createHash } from 'node:crypto';
import { canonicalJson } from '../../base/json.ts';
import type { AnyTool } from '../tool.ts';
import type { Caller } from '../tool-context.ts';
import type { CallKey } from './call-key.ts';

/** Without a key, the same call within this long, real seconds, is the same one. Source: catalog conventions (natural key). */
const NATURAL_SECONDS = 60;
/** How long an answer is kept under the caller's key, real seconds: seven days. Source: catalog conventions. */
const KEPT_SECONDS = 604_800;

/** What decides which call it is. */
export interface KeyedCall {
  tool: AnyTool;
  caller: Pick<Caller, 'keyId' | 'user'>;
  input: Readonly<Record<string, unknown>>;
}

/** Whether the tool has an `idempotencyKey`: it sends, publishes or charges. Source: catalog conventions. */
export function takesKey(tool: AnyTool): boolean {
  return 'idempotencyKey' in tool.input.shape;
}

/**
 * The key of a call: the caller's, bound to workspace and tool, or the natural one of its input. What two members create is two things,
 * so the natural key of a tool that only creates says who calls (the user, whichever key of theirs; else the key). What is sent or
 * charged is the same no matter who asks for it. Source: design, section 6; catalog conventions.
 */
export function callKey({ tool, caller, input }: KeyedCall): CallKey {
  const own = ownInput(tool, input);
  const inputHash = hashOf(own);
  const given = input['idempotencyKey'];
  if (typeof given === 'string') {
    return { tool: tool.name, key: given, natural: false, keepSeconds: KEPT_SECONDS, inputHash };
  }
  const who = takesKey(tool) ? null : (caller.user?.id ?? caller.keyId);
  const key = longerThanGiven('natural', { inputHash, who });
  return { tool: tool.name, key, natural: true, keepSeconds: NATURAL_SECONDS, inputHash };
}

/** The key under which an answer stands that the same call is to see, and may add to (see `runRepeatable`). */
export function seenKey({ key, natural, ...call }: CallKey): CallKey {
  return { ...call, natural, key: natural ? longerThanGiven('seen', key) : key };
}

/** What the keys of a call's further objects begin with. */
export function partsOf(key: string): string {
  return longerThanGiven('part', key);
}

/** No key that a caller can give is as long, so the two never meet. */
function longerThanGiven(kind: string, value: unknown): string {
  return `${kind}:${createHash('sha512').update(canonicalJson(value)).digest('hex')}`;
}

/** Equal inputs give equal hashes, whatever the order of their fields. */
function hashOf(input: unknown): string {
  return createHash('sha256').update(canonicalJson(input)).digest('hex');
}

/**
 * The workspace is part of a record's place, and a workspace key may leave it out of the input; a platform admin's names a record. How
 * much of an answer is shown makes no other call.
 */
function ownInput(tool: AnyTool, { idempotencyKey: _, detail: ___, ...input }: KeyedCall['input']): object {
  if (tool.workspace === 'platform') return input;
  const { workspaceId: __, ...own } = input;
  return own;
}
