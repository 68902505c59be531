/**
 * Where a test may stop the engine, in the order of an effect's life. `…ing` points lie inside the transaction, its
 * statements sent and its commit not; the others before and after it, and around each call to the provider.
 */
export const FAULT_POINTS = [
  'recovering',
  'recovered',
  'claiming',
  'claimed',
  'prepared',
  'dispatching',
  'dispatched',
  'before_settle',
  'settling',
  'settled',
  'looking_up',
  'looked_up',
] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];

/** Called at each point with the send or call it is about (of a batch: one of them); production passes one that does nothing. */
export type FaultHook = (point: FaultPoint, sendId: string) => Promise<void>;

export const noFaults: FaultHook = () => Promise.resolve();
