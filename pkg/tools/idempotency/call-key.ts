/** What a call is known by when it is made again. */
export interface CallKey {
  tool: string;
  /** The caller's `idempotencyKey`, else the natural key. */
  key: string;
  /** The caller gave none. */
  natural: boolean;
  /** Real seconds for which the key is this call's. */
  keepSeconds: number;
  inputHash: string;
}
