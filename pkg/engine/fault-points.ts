/** Where a test may stop the engine, in the order of an effect's life. */
export type FaultPoint = 'claimed' | 'dispatched' | 'before_settle';

/** Called at each point; production passes one that does nothing. */
export type FaultHook = (point: FaultPoint, sendId: string) => Promise<void>;

export const noFaults: FaultHook = () => Promise.resolve();
