/** An object as it is kept. */
export interface StoredObject {
  properties: Record<string, string>;
  associated: string[];
  /** It was merged into this one, and is known by its id still. */
  mergedInto?: string;
  /** Epoch ms, product time. */
  at?: number;
}
