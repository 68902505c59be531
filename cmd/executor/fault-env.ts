import { writeSync } from 'node:fs';
import { type FaultHook, noFaults } from '../../pkg/engine/fault-points.ts';
import { LEASE, type LeaseTimes } from '../../pkg/engine/lease/lease-keeper.ts';

type Env = Record<string, string | undefined>;

/** Where the supervisor of a test reads the points that were passed. */
const TRACE_FD = 4;

/**
 * For tests of crashes at an exact point: `OUTRIDER_FAULT_POINT=dispatched:SIGKILL:3` sends that signal to this process the
 * third time (default: the first) an effect gets there. With `OUTRIDER_FAULT_TRACE=1` each point that is passed is written
 * to descriptor 4, at once, so that a killed process has told all. Works only with NODE_ENV=test.
 */
export function faultsFromEnv(env: Env): FaultHook {
  const { NODE_ENV: mode, OUTRIDER_FAULT_POINT: given, OUTRIDER_FAULT_TRACE: trace } = env;
  if (mode !== 'test') return noFaults;
  const [point, signal, count] = (given ?? '').split(':');
  const armed = point && (signal === 'SIGKILL' || signal === 'SIGSTOP') ? signal : undefined;
  if (!armed && !trace) return noFaults;
  let left = Number(count ?? 1);
  return async (reached, id) => {
    if (trace) writeSync(TRACE_FD, `${reached} ${id}\n`);
    if (!armed || reached !== point || --left !== 0) return;
    process.kill(process.pid, armed);
  };
}

/** Times of the lease, scaled down in proportion by `OUTRIDER_LEASE_SCALE=0.1`. Works only with NODE_ENV=test. */
export function leaseFromEnv(env: Env): LeaseTimes {
  const { NODE_ENV: mode, OUTRIDER_LEASE_SCALE: given } = env;
  const scale = mode === 'test' ? Number(given ?? 1) : 1;
  return { renewMs: LEASE.renewMs * scale, fenceMs: LEASE.fenceMs * scale, ttlSeconds: LEASE.ttlSeconds * scale };
}
