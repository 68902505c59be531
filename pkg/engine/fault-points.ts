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
/** The same in the life of a scheduled run: it is taken, and each of its steps is done. */
export const SCHEDULE_POINTS = ['scheduling', 'scheduled', 'stepping', 'stepped'] as const;

export type FaultPoint = (typeof FAULT_POINTS | typeof SCHEDULE_POINTS)[number];

/**
 * Called at each point with the send, call or scheduled run it is about (of a batch: one of them); production passes one that does
 * nothing.
 */
export type FaultHook = (point: FaultPoint, id: string) => Promise<void>;

export const noFaults: FaultHook = () => Promise.resolve();
