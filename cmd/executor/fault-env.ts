import { type FaultHook, noFaults } from '../../pkg/engine/fault-points.ts';

/**
 * For tests of crashes at an exact point: `OUTRIDER_FAULT_POINT=dispatched:SIGKILL` sends that signal to this process the
 * first time an effect gets there. Works only with NODE_ENV=test.
 */
export function faultsFromEnv(env: Record<string, string | undefined>): FaultHook {
  const { NODE_ENV: mode, OUTRIDER_FAULT_POINT: given } = env;
  const [point, signal] = (given ?? '').split(':');
  if (mode !== 'test' || !point || (signal !== 'SIGKILL' && signal !== 'SIGSTOP')) return noFaults;
  let armed = true;
  return async (reached) => {
    if (!armed || reached !== point) return;
    armed = false;
    process.kill(process.pid, signal);
  };
}
