import type { Tx } from '../../postgres/database.ts';

/** Work that must not be done twice because an answer was lost, and that looks at what was done. */
export interface Repeatable<T extends object> {
  /** `earlier`: what the same call came to within the last minute; what is returned becomes the answer of both. */
  work(tx: Tx, earlier: T | undefined): Promise<T>;
  /** Whether anything came of it. What did nothing is not kept: the one who mends the cause may call again at once. */
  did(result: T): boolean;
}
