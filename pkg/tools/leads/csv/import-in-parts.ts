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
import { findExisting, type ImportLead } from '../../../store/leads/imports.ts';
import { keyReused } from '../../idempotency/key-reused.ts';
import type { ToolContext } from '../../tool-context.ts';
import {
  asManyAsFit,
  asSpreadsheet,
  type Imported,
  type ImportRequest,
  MAX_ERRORS,
  MAX_KEPT,
  type SheetProblem,
} from './import-request.ts';
import { type ImportSource, PART_ROWS, partsOf } from './import-source.ts';
import { withoutCell } from './lead-of-row.ts';
import { ImportPlanner } from './plan-import.ts';
import type { ImportFile } from './read-file.ts';
import { storeRows } from './store-rows.ts';

/** Real ms for which a part tries locks that others hold: ten imports of one agency take turns. */
const PATIENCE_MS = 120_000;

/**
 * Imports a large file in parts, each in a transaction of its own, so that it holds locks and a connection for a part at most. Where it
 * stands is kept with each part: the same call, made again after a crash, goes on there; two of the same call at once share the work.
 */
export async function importInParts(ctx: ToolContext, request: ImportRequest, source: ImportSource): Promise<Imported> {
  const earlier = await ctx.earlier<Imported>(ctx.workspaceId);
  if (earlier && !ctx.callKey.natural) return earlier;
  const parts = new Parts(ctx, request, source);
  await parts.all();
  const answer = await ctx.repeatable<Imported>(ctx.workspaceId, {
    work: (tx, before) => parts.finish(tx, before),
    did: () => true,
  });
  await parts.forgetUnless(answer.importId);
  return answer;
}

/** A slice whose parts are being stored. */
interface Slice {
  file: ImportFile;
  /** Parts of the slices before, and of this one. */
  before: number;
  parts: number;
  /** Rows of the slices before that are leads. */
  rowsBefore: number;
  /** Leads that rows of the slices before name, and the line that did first. */
  named: ReadonlyMap<string, number>;
}

/** One call's work on an import. */
class Parts {
  readonly #ctx: ToolContext;
  readonly #request: ImportRequest;
  readonly #source: ImportSource;
  #importId: string | undefined;
  /** Knows the rows of the parts that it planned; anew where a part failed, or somebody else stored it, and with each slice. */
  #planner: { of: ImportPlanner; parts: number } | undefined;

  constructor(ctx: ToolContext, request: ImportRequest, source: ImportSource) {
    this.#ctx = ctx;
    this.#request = request;
    this.#source = source;
  }

  async all(): Promise<void> {
    let before = 0;
    let rowsBefore = 0;
    let named: ReadonlyMap<string, number> = new Map();
    for await (const file of this.#source.slices()) {
      const slice = { file, before, rowsBefore, parts: partsOf(file), named };
      this.#planner = undefined;
      if (await this.#storeSlice(slice)) return;
      before += slice.parts;
      rowsBefore += file.leads.length;
      if (before < this.#source.parts) named = await this.#namedBy(slice);
    }
  }

  /** @returns whether the whole import is over */
  async #storeSlice(slice: Slice): Promise<boolean> {
    const { file, before, rowsBefore, parts } = slice;
    for (let done = before; done < before + parts; ) {
      this.#ctx.signal.throwIfAborted();
      const at = await this.#ctx.unrecorded((tx) => this.#next(tx, slice), { patienceMs: PATIENCE_MS });
      // Only what is committed is there for the next part.
      this.#importId = at.id;
      if (at.over) return true;
      done = at.partsDone;
      // The file was read before: that was the first note.
      const rows = rowsBefore + Math.min((done - before) * PART_ROWS, file.leads.length);
      this.#ctx.progress(Math.min(done, this.#source.parts) + 1, this.#source.parts + 2, `${rows} rows stored`);
    }
    return false;
  }

  /** Which leads the rows so far name: what the planner knows, or, of parts that another call stored, what the database says. */
  async #namedBy({ file, before, parts, named }: Slice): Promise<ReadonlyMap<string, number>> {
    const known = this.#planner?.parts === before + parts ? this.#planner.of : undefined;
    if (known) return known.named();
    const planner = new ImportPlanner(this.#request.onDuplicate, named);
    const { workspaceId } = this.#ctx;
    for (let from = 0; from < file.leads.length; from += PART_ROWS) {
      const rows = file.leads.slice(from, from + PART_ROWS);
      planner.plan(rows, await this.#ctx.tx((tx) => findExisting(tx, workspaceId, rows)));
    }
    return planner.named();
  }

  /** Stores the next part. @returns where the import stands then */
  async #next(tx: Tx, slice: Slice): Promise<PartialImport> {
    const { file, before, parts, named } = slice;
    const at = await this.#stand(tx);
    if (at.over || at.partsDone >= before + parts) return at;
    const from = (at.partsDone - before) * PART_ROWS;
    const known = this.#planner?.parts === at.partsDone ? this.#planner.of : undefined;
    const planner = known ?? new ImportPlanner(this.#request.onDuplicate, named);
    // It is used again only once this part stands.
    this.#planner = undefined;
    const rows = file.leads.slice(from, from + PART_ROWS);
    const stored = await this.#store(tx, rows, planner, known ? [] : file.leads.slice(0, from), at.partsDone === 0);
    const skippedBefore = at.said.filter((one) => one.skipped).length;
    const said = [
      ...stored.problems.slice(0, Math.max(0, MAX_ERRORS - skippedBefore)),
      ...stored.notes.slice(0, Math.max(0, MAX_ERRORS - at.said.length + skippedBefore)),
    ].map((one) => asSpreadsheet(one, file.sheetRows));
    const next = await advancePartialImport(tx, at, {
      ...stored,
      updated: stored.updated,
      skipped: stored.problems.length,
      said,
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
      total: this.#source.leads + this.#source.skipped,
      sourceNote: this.#request.sourceNote ?? null,
      now: clocks.product.now(),
    });
  }

  async #store(
    tx: Tx,
    rows: readonly ImportLead[],
    planner: ImportPlanner,
    earlier: readonly ImportLead[],
    first: boolean,
  ): ReturnType<typeof storeRows> {
    try {
      return await storeRows(this.#ctx, tx, this.#request, rows, planner, earlier, () => undefined);
    } catch (error) {
      if (!(error instanceof UserError) || first) throw error;
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
  async finish(tx: Tx, earlier: Imported | undefined): Promise<Imported> {
    const at = await this.#stand(tx);
    if (at.over && earlier) return earlier;
    if (earlier && at.created === 0) return earlier;
    const { problems, notes } = this.#source;
    // A version before said the line alone.
    const said = at.said.map((one) => ({ line: one.row, ...one }));
    const all: SheetProblem[] = [...problems, ...said].sort((a, b) => a.line - b.line);
    const errors = asManyAsFit([...notes, ...all]);
    const skipped = at.over ? at.skipped : this.#source.skipped + at.skipped;
    const kept = { id: at.id, skipped, errors: errors.slice(0, MAX_KEPT).map(withoutCell) };
    if (!at.over) await completePartialImport(tx, { ...kept, now: this.#ctx.clocks.product.now() });
    const { created, updated, suppressed, excluded } = at;
    this.#ctx.progress(this.#source.parts + 2, this.#source.parts + 2, 'done');
    return { importId: at.id, status: 'completed', created, updated, skipped, suppressed, excluded, errors };
  }
}
