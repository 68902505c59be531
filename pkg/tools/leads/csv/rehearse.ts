import type { Tx } from '../../../postgres/database.ts';
import type { ToolContext } from '../../tool-context.ts';

/** Ends a transaction whose writes nobody wants. */
class Rehearsed<T> extends Error {
  readonly answer: T;

  constructor(answer: T) {
    super('rehearsed');
    this.answer = answer;
  }
}

/** A dry run is the import itself, rolled back: what it reports is what would happen. */
export async function rehearse<T extends { status: string }>(
  ctx: ToolContext,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  try {
    return await ctx.unrecorded(async (tx) => {
      throw new Rehearsed<T>({ ...(await work(tx)), status: 'dry_run' });
    });
  } catch (error) {
    if (error instanceof Rehearsed) return error.answer as T;
    throw error;
  }
}
