import { createHash, type Hash } from 'node:crypto';
import { type Clock, monotonicUs } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { AuditRecord } from '../store/audit/audit.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Caller } from '../tools/tool-context.ts';
import { actorOf } from './call-record.ts';

/** Keys and tools that are counted apart between two batches; what comes after is told as a gap. */
const MAX_COUNTED = 10_000;

/** What was counted since it was taken last, as records, and how many calls did not fit. */
export interface Gathered {
  records: AuditRecord[];
  lost: number;
}

/** Calls of one key to one tool. */
interface Counted {
  record: AuditRecord;
  /** Of the inputs, one after the other: that of one call is hashed as any other call's. */
  inputs: Hash;
  /** Monotonic microseconds of the first one. */
  started: number;
}

/**
 * The calls that a limit refused, for the audit log: a flood leaves one record per key, tool and batch, with the number of
 * calls and one hash of all their inputs, so that refusing costs hardly more than counting.
 */
export class LimitedCalls {
  readonly #ids: Ids;
  readonly #clock: Clock;
  /** By the id of the key and the name of the tool. */
  #counted = new Map<string, Counted>();
  #lost = 0;

  /** @param clock product time */
  constructor(ids: Ids, clock: Clock) {
    this.#ids = ids;
    this.#clock = clock;
  }

  /** @param input as it came: it was not validated */
  add(caller: Caller, tool: AnyTool, input: unknown): void {
    const name = `${caller.keyId} ${tool.name}`;
    const counted = this.#counted.get(name);
    if (counted) {
      counted.record.calls++;
      counted.record.durationUs = monotonicUs() - counted.started;
      counted.inputs.update(textOf(input));
    } else if (this.#counted.size < MAX_COUNTED) {
      const inputs = createHash('sha256').update(textOf(input));
      this.#counted.set(name, { record: this.#record(caller, tool), inputs, started: monotonicUs() });
    } else {
      this.#lost++;
    }
  }

  /** What was counted, which begins anew. */
  take(): Gathered {
    const records = [...this.#counted.values()].map(({ record, inputs }) => ({
      ...record,
      inputHash: inputs.digest('hex'),
    }));
    const lost = this.#lost;
    this.#counted = new Map();
    this.#lost = 0;
    return { records, lost };
  }

  /** Of a user key nothing tells the workspace: the input was not looked at. */
  #record(caller: Caller, tool: AnyTool): AuditRecord {
    const id = this.#ids.uuid();
    const workspaceId = caller.keyType === 'workspace' ? (caller.workspaces[0]?.workspaceId ?? null) : null;
    const what = { tool: tool.name, workspaceId, outcome: 'limited', calls: 1, durationUs: 0 } as const;
    return { id, at: this.#clock.now(), ...actorOf(caller), ...what, inputHash: '', recordIds: [], requestId: id };
  }
}

/** What is nested too deep to be written has no text; it would have been refused anyway. */
function textOf(input: unknown): string {
  try {
    return JSON.stringify(input ?? {});
  } catch {
    return '';
  }
}
