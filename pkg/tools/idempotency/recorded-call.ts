import type { Tx } from '../../postgres/database.ts';
import {
  type AnswerKey,
  areThere,
  dropFound,
  type FoundAnswer,
  findAnswer,
  storeAnswer,
  takeAnswer,
} from '../../store/idempotency/answers.ts';
import type { AnyTool } from '../tool.ts';
import { withoutSecrets } from '../without-secrets.ts';
import type { CallKey } from './call-key.ts';
import type { IntentKey } from './intent-key.ts';
import { dropIntent, forgetIntents, openIntent, renewIntent } from './intents.ts';
import { callKey, type KeyedCall, seenKey, takesKey } from './key-of-call.ts';
import { keyReused } from './key-reused.ts';
import type { Naming } from './naming.ts';
import { runOnce, runRepeatable } from './records.ts';
import type { Repeatable } from './repeatable.ts';

type Transaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** Which call, and how it reaches the database. */
export interface RecordedCallOptions extends KeyedCall {
  /** Workspaces that the call may be about; `['']` where it is about none. */
  workspaceIds: readonly string[];
  /** Reads as the caller. */
  read: Transaction;
  /** Writes as the caller, with all that a write leaves. */
  write: Transaction;
  /** Writes records of calls alone. */
  keep: Transaction;
}

/** Whether a lost answer of the tool would make, send or charge something twice. Source: catalog, idempotentHint and conventions. */
export function isRecorded(tool: AnyTool): boolean {
  return !tool.hints.readOnly && (!tool.hints.idempotent || takesKey(tool));
}

/**
 * One call of a writing tool, and what it does about being made again because its answer was lost: by the caller's
 * `idempotencyKey` for seven days, else by the natural key for 60 s, both real time.
 */
export class RecordedCall {
  readonly #options: RecordedCallOptions;
  #key: CallKey | undefined;
  /** Objects of the cluster that the call made or named. */
  #objects = 0;
  /** Where the answer of a call is kept that wrote an object. */
  #owner: string | undefined;
  /** Under what a name is kept that no earlier try of the call chose. */
  #named: IntentKey | undefined;

  constructor(options: RecordedCallOptions) {
    this.#options = options;
  }

  /** What the call is known by. */
  get key(): CallKey {
    this.#key ??= callKey(this.#options);
    return this.#key;
  }

  /** Runs the tool, unless the same call was answered within the last minute and what its answer names is still there. */
  async run<T extends object>(tool: () => Promise<T>): Promise<T> {
    if (!isRecorded(this.#options.tool) || !this.key.natural) return tool();
    const earlier = await this.#answered();
    if (earlier) return earlier as T;
    const answer = await tool();
    if (this.#owner !== undefined) await this.#keep(this.#owner, answer);
    return answer;
  }

  /** See `ToolContext.create`. */
  create<T extends object>(workspaceId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    const record = { workspaceId, call: this.key };
    const stands = (tx: Tx, earlier: T): Promise<boolean> => this.#stands(tx, earlier);
    return this.#options.write((tx) => runOnce(tx, record, { work, stands }));
  }

  /** See `ToolContext.repeatable`. */
  repeatable<T extends object>(workspaceId: string, work: Repeatable<T>): Promise<T> {
    return this.#options.write((tx) => runRepeatable(tx, { workspaceId, call: seenKey(this.key) }, work));
  }

  /** See `ToolContext.earlier`. */
  async earlier<T extends object>(workspaceId: string): Promise<T | undefined> {
    const { tool, key, keepSeconds, inputHash } = seenKey(this.key);
    const found = await this.#options.read((tx) =>
      findAnswer(tx, { workspaceIds: [workspaceId], tool, key, keepSeconds }),
    );
    if (found && found.inputHash !== inputHash) throw keyReused();
    return (found?.result as T | null | undefined) ?? undefined;
  }

  /** Under what the call's next object is made. @param part which of several objects; default: as which it comes */
  intent(workspaceId: string, part?: string): IntentKey {
    const at = this.#objects++;
    this.#owner ??= workspaceId;
    return { workspaceId, call: this.key, part: at === 0 ? null : (part ?? String(at)) };
  }

  /** See `ToolContext.nameOnce`. */
  async nameOnce(tx: Tx, workspaceId: string, { propose, holds }: Naming): Promise<string> {
    this.#owner ??= workspaceId;
    const key: IntentKey = { workspaceId, call: this.key, part: null };
    const intent = await openIntent(tx, key, propose());
    if (!intent.resumed) this.#named = key;
    if (holds(intent.objectName)) return intent.objectName;
    return (await renewIntent(tx, key, intent, propose())).objectName;
  }

  /** Gives the name back that this call chose: what it was for is refused, and nothing was written. */
  async dropName(): Promise<void> {
    const named = this.#named;
    if (named) await this.#options.keep((tx) => dropIntent(tx, named));
  }

  async #answered(): Promise<object | undefined> {
    const { read, keep, workspaceIds } = this.#options;
    const { tool, key, keepSeconds } = this.key;
    const [found, stands] = await read(async (tx) => {
      const kept = await findAnswer(tx, { workspaceIds, tool, key, keepSeconds });
      return [kept, kept !== undefined && (await this.#stands(tx, kept.result))] as const;
    });
    if (!found || stands) return found?.result;
    await keep((tx) => this.#forget(tx, found));
    return undefined;
  }

  /** What it names is gone: the call begins anew, with everything that it makes. */
  async #forget(tx: Tx, { workspaceId, keptAt }: FoundAnswer): Promise<void> {
    const { tool, key } = this.key;
    if (await dropFound(tx, { workspaceId, tool, key }, keptAt))
      await forgetIntents(tx, { workspaceId, call: this.key }, keptAt);
  }

  /** What the caller of a natural key is answered is true; under a key of its own the first answer is given, whatever became of it. */
  async #stands(tx: Tx, answer: object): Promise<boolean> {
    if (!this.key.natural) return true;
    const { tool, input } = this.#options;
    const records = recordsOf({ ...input, ...answer });
    if (!(await areThere(tx, records))) return false;
    return (await tool.stands?.(tx, answer as never, input as never)) ?? true;
  }

  /** The answer of a call that wrote objects: until here their intents tell what was made. */
  #keep(workspaceId: string, answer: object): Promise<void> {
    const place: AnswerKey = { workspaceId, tool: this.key.tool, key: this.key.key };
    return this.#options.keep(async (tx) => {
      const kept = await takeAnswer(tx, place, this.key);
      if (!kept) await storeAnswer(tx, place, withoutSecrets(answer), true);
    });
  }
}

/** Records that stand at the top of an input or answer: `leadListId` names a `lead_list`. */
function recordsOf(fields: object): { record: string; id: string }[] {
  return Object.entries(fields).flatMap(([field, id]) => {
    const name = /^([a-z][A-Za-z]{1,40})Id$/.exec(field)?.[1];
    if (name === undefined || typeof id !== 'string') return [];
    return [{ record: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), id }];
  });
}
