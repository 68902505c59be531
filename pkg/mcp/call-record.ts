import { hash } from 'node:crypto';
import { monotonicUs } from '../base/clock.ts';
import type { Tx } from '../postgres/database.ts';
import { type AuditRecord, inputHash, insertWrite, reasonHash } from '../store/audit/audit.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Caller } from '../tools/tool-context.ts';
import { withoutSecrets } from '../tools/without-secrets.ts';

/** Ids of records that a line of the log names. */
const MAX_IDS = 16;
/** Of a list of ids. */
const LISTED = 5;
const MAX_ID_LENGTH = 100;

/** Who a line of the log names for a caller. */
export function actorOf(caller: Caller): Pick<AuditRecord, 'actorKind' | 'actorId' | 'keyPrefix'> {
  const { keyType, session, keyPrefix } = caller;
  return { actorKind: session ?? keyType, actorId: caller.user?.id ?? caller.keyId, keyPrefix };
}

export interface CallRecordOptions {
  id: string;
  /** Epoch ms UTC, product time. */
  at: number;
  tool: AnyTool;
  caller: Caller;
  requestId: string;
}

/** What the audit log will say of a call: its input by hash, the ids of records that it named or made, and an admin's reason. */
export class CallRecord {
  readonly #options: CallRecordOptions;
  readonly #started = monotonicUs();
  readonly #recordIds: string[] = [];
  #inputHash = '';
  #workspaceId: string | null = null;
  #reason: string | null = null;

  constructor(options: CallRecordOptions) {
    this.#options = options;
  }

  /** The input as it was validated; what was refused before has no hash. */
  input(input: Record<string, unknown>, workspaceId: string): void {
    this.#inputHash = inputHash(input);
    const { tool, caller } = this.#options;
    const { reason } = input;
    if (tool.workspace === 'platform' && typeof reason === 'string') this.#reason = withoutSecrets(reason);
    const named = input['workspaceId'];
    // Where a record decides, a key that opens one workspace tells which it is.
    const byRecord = tool.workspace === 'record' || tool.workspace === 'param_or_campaign';
    const only = byRecord && caller.workspaces.length === 1 ? (caller.workspaces[0]?.workspaceId ?? null) : null;
    this.#workspaceId = workspaceId !== '' ? workspaceId : typeof named === 'string' ? shownId(named) : only;
    this.#note(input);
  }

  /** Ids at the top of an answer are those of records that were made or changed. */
  output(output: object): void {
    this.#note(output);
  }

  /** Leaves the record of a write in the transaction that writes. */
  committed(tx: Tx): Promise<void> {
    const { id, at, actorKind, actorId, tool, inputHash: input, requestId } = this.#base();
    return insertWrite(tx, { id, at, actorKind, actorId, tool, inputHash: input, requestId });
  }

  /** Microseconds since the call began. */
  elapsedUs(): number {
    return monotonicUs() - this.#started;
  }

  ended(outcome: AuditRecord['outcome'], durationUs: number): AuditRecord {
    return {
      ...this.#base(),
      workspaceId: this.#workspaceId,
      outcome,
      calls: 1,
      durationUs,
      recordIds: this.#recordIds,
      reason: this.#reason,
      reasonHash: this.#reason ? reasonHash(this.#reason) : null,
    };
  }

  #base(): Omit<AuditRecord, 'workspaceId' | 'outcome' | 'calls' | 'durationUs' | 'recordIds'> {
    const { id, at, tool, caller, requestId } = this.#options;
    return { id, at, ...actorOf(caller), tool: tool.name, inputHash: this.#inputHash, requestId };
  }

  #note(fields: object): void {
    for (const [field, value] of Object.entries(fields)) {
      if (/^workspaceIds?$/.test(field)) continue;
      if (field.endsWith('Id') && typeof value === 'string') this.#add(shownId(value));
      if (field.endsWith('Ids') && Array.isArray(value)) this.#addList(value.filter((one) => typeof one === 'string'));
    }
  }

  #add(shown: string): void {
    if (this.#recordIds.length < MAX_IDS && !this.#recordIds.includes(shown)) this.#recordIds.push(shown);
  }

  /** Some of a list, and how many more: whom it was about stands in the history of each. */
  #addList(ids: readonly string[]): void {
    for (const id of ids.slice(0, LISTED)) this.#add(shownId(id));
    if (ids.length > LISTED) this.#add(`+${ids.length - LISTED}`);
  }
}

/** Ids of ours are UUIDs and DNS labels. */
const OWN_ID = /^[a-z0-9][a-z0-9.-]*$/;

/** What is no id of ours may be anything, also a key or the token of an invitation where its id belongs: it is kept by hash. */
function shownId(value: string): string {
  return OWN_ID.test(value) && value.length <= MAX_ID_LENGTH ? value : `#${hash('sha256', value, 'hex')}`;
}
