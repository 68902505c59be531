import { UserError } from '../../../base/errors.ts';
import type { Tx } from '../../../postgres/database.ts';
import {
  advancePartialImport,
  beginPartialImport,
  completePartialImport,
  dropPartialImport,
  findPartialImport,
  holdPartialImport,
  type PartialImport,
} from '../../../store/leads/import-parts.ts';
import type { ImportLead } from '../../../store/leads/imports.ts';
import { keyReused } from '../../idempotency/key-reused.ts';
import type { ToolContext } from '../../tool-context.ts';
import {
  asSpreadsheet,
  type ImportAnswer,
  type ImportRequest,
  MAX_ERRORS,
  MAX_KEPT,
  type RowProblem,
} from './import-request.ts';
import { withoutCell } from './lead-of-row.ts';
import { ImportPlanner } from './plan-import.ts';
import type { ImportFile } from './read-file.ts';
import { storeRows } from './store-rows.ts';

/** Rows of a part: what it locks is free again after a second or two. */
export const PART_ROWS = 1_000;
/** Real ms for which a part tries locks that others hold: ten imports of one agency take turns. */
const PATIENCE_MS = 120_000;

/**
 * Imports a large file in parts, each in a transaction of its own, so that it holds locks and a connection for a part at most. Where it
 * stands is kept with each part: the same call, made again after a crash, goes on there; two of the same call at once share the work.
 */
export async function importInParts(ctx: ToolContext, request: ImportRequest, file: ImportFile): Promise<ImportAnswer> {
  const earlier = await ctx.earlier<ImportAnswer>(ctx.workspaceId);
  if (earlier && !ctx.callKey.natural) return earlier;
  const parts = new Parts(ctx, request, file);
  await parts.all();
  const answer = await ctx.repeatable<ImportAnswer>(ctx.workspaceId, {
    work: (tx, before) => parts.finish(tx, before),
    did: () => true,
  });
  await parts.forgetUnless(answer.importId);
  return answer;
}

/** One call's work on an import. */
class Parts {
  readonly #ctx: ToolContext;
  readonly #request: ImportRequest;
  readonly #file: ImportFile;
  readonly #count: number;
  #importId: string | undefined;
  /** Knows the rows of the parts that it planned; anew where a part failed, or somebody else stored it. */
  #planner: { of: ImportPlanner; parts: number } | undefined;

  constructor(ctx: ToolContext, request: ImportRequest, file: ImportFile) {
    this.#ctx = ctx;
    this.#request = request;
    this.#file = file;
    this.#count = Math.ceil(file.leads.length / PART_ROWS);
  }

  async all(): Promise<void> {
    const { signal } = this.#ctx;
    for (let done = 0; done < this.#count; ) {
      signal.throwIfAborted();
      const at = await this.#ctx.unrecorded((tx) => this.#next(tx), { patienceMs: PATIENCE_MS });
      // Only what is committed is there for the next part.
      this.#importId = at.id;
      if (at.over) return;
      done = at.partsDone;
      // The file was read before: that was the first note.
      this.#ctx.progress(done + 1, this.#count + 2, `${done * PART_ROWS} rows stored`);
    }
  }

  /** Stores the next part. @returns where the import stands then */
  async #next(tx: Tx): Promise<PartialImport> {
    const at = await this.#stand(tx);
    if (at.over || at.partsDone >= this.#count) return at;
    const { leads } = this.#file;
    const from = at.partsDone * PART_ROWS;
    const known = this.#planner?.parts === at.partsDone ? this.#planner.of : undefined;
    const planner = known ?? new ImportPlanner(this.#request.onDuplicate);
    // It is used again only once this part stands.
    this.#planner = undefined;
    const rows = leads.slice(from, from + PART_ROWS);
    const stored = await this.#store(tx, rows, planner, known ? [] : leads.slice(0, from));
    const room = Math.max(0, MAX_ERRORS - at.said.length);
    const next = await advancePartialImport(tx, at, {
      ...stored,
      updated: stored.updated,
      skipped: stored.problems.length,
      said: [...stored.problems, ...stored.notes].slice(0, room),
    });
    this.#planner = { of: planner, parts: next.partsDone };
    return next;
  }

  async #stand(tx: Tx): Promise<PartialImport> {
    if (this.#importId !== undefined) return holdPartialImport(tx, this.#importId);
    const { workspaceId, callKey, caller, ids, clocks } = this.#ctx;
    const call = { workspaceId, callKey: `${callKey.tool}:${callKey.key}`, inputHash: callKey.inputHash };
    const found = await findPartialImport(tx, call);
    if (found && found.inputHash !== call.inputHash) throw keyReused();
    if (found) return found;
    return beginPartialImport(tx, call, {
      id: ids.uuid(),
      keyId: caller.keyId,
      total: this.#file.leads.length + this.#file.problems.length,
      sourceNote: this.#request.sourceNote ?? null,
      now: clocks.product.now(),
    });
  }

  async #store(
    tx: Tx,
    rows: readonly ImportLead[],
    planner: ImportPlanner,
    earlier: readonly ImportLead[],
  ): ReturnType<typeof storeRows> {
    try {
      return await storeRows(this.#ctx, tx, this.#request, rows, planner, earlier, () => undefined);
    } catch (error) {
      if (!(error instanceof UserError) || rows[0] === this.#file.leads[0]) throw error;
      const said = error.message.replace(/; nothing was imported$/, '');
      const until = (rows[0]?.line ?? 1) - 1;
      throw new UserError(
        `${said}. The rows up to line ${until} are imported; mend the file and call svc_import_leads_csv again: they are found, not made twice.`,
        error.reason,
      );
    }
  }

  /** Forgets this import when the call is answered by another one: the same call was over before this one began. */
  async forgetUnless(answered: string): Promise<void> {
    const own = this.#importId;
    if (own !== undefined && own !== answered) await this.#ctx.unrecorded((tx) => dropPartialImport(tx, own));
  }

  /** The answer, from what all parts kept. @param earlier what the same call came to within the last minute */
  async finish(tx: Tx, earlier: ImportAnswer | undefined): Promise<ImportAnswer> {
    const at = await this.#stand(tx);
    if (at.over && earlier) return earlier;
    if (earlier && at.created === 0) return earlier;
    const { problems, notes, sheetRows } = this.#file;
    const all: RowProblem[] = [...problems, ...at.said].sort((a, b) => a.row - b.row);
    const errors = [...notes, ...all].slice(0, MAX_ERRORS).map((one) => asSpreadsheet(one, sheetRows));
    const skipped = at.over ? at.skipped : problems.length + at.skipped;
    const kept = { id: at.id, skipped, errors: errors.slice(0, MAX_KEPT).map(withoutCell) };
    if (!at.over) await completePartialImport(tx, { ...kept, now: this.#ctx.clocks.product.now() });
    const { created, updated, suppressed, excluded } = at;
    this.#ctx.progress(this.#count + 2, this.#count + 2, 'done');
    return { importId: at.id, status: 'completed', created, updated, skipped, suppressed, excluded, errors };
  }
}
