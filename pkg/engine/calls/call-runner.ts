import { withDeadline } from '../../base/clock.ts';
import { FencedError, messageOf } from '../../base/errors.ts';
import { usableText } from '../../base/usable-text.ts';
import { CallError } from '../../providers/call-error.ts';
import type { CallResult } from '../../store/calls/node-calls.ts';
import { noteDelivery } from '../../store/integrations/integrations.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { type JobListener, UnderWay } from '../ledger/under-way.ts';
import { writeWithin } from '../ledger/write-deadline.ts';
import type { Cadence } from '../loop/cadence.ts';
import { CallLedger } from './call-ledger.ts';
import { classifyCall } from './classify-call.ts';
import type { GrantedCall } from './granted-call.ts';
import type { Outside } from './outside.ts';
import type { Performed, PreparedCall } from './performer.ts';
import { PERFORMERS } from './performers.ts';

/** Calls under way at once; the rest waits in order. */
const MAX_CONCURRENT = 32;
/** Longest call, real ms; adapters have shorter limits for each request. */
const PERFORM_TIMEOUT_MS = 90_000;

/** Makes granted calls: prepare, commit `dispatched`, ask, settle. Unknown ones are looked up instead. */
export class CallRunner {
  readonly #deps: EngineDeps & { outside: Outside };
  readonly #ledger: CallLedger;
  readonly #cadence: Cadence;
  readonly underWay: UnderWay;

  /**
   * @param listener hears of a failure when a commit failed
   * @param cadence knows until when a call waits that was made ready before it is due
   */
  constructor(deps: EngineDeps & { outside: Outside }, listener: JobListener, cadence: Cadence) {
    this.#deps = deps;
    this.#cadence = cadence;
    this.#ledger = new CallLedger(deps.claim, deps.clock, deps.faults);
    this.underWay = new UnderWay(MAX_CONCURRENT, deps.clock, listener);
  }

  /** Begins a call; what comes after is seen in `underWay`. */
  start(call: GrantedCall): void {
    this.underWay.start(call.runId, () => (call.job === 'perform' ? this.#steps(call) : this.#lookUp(call)));
  }

  async #steps(call: GrantedCall): Promise<void> {
    const { faults } = this.#deps;
    await faults('claimed', call.callId);
    let prepared: PreparedCall;
    try {
      await this.#cadence.untilDue(call.notBefore, this.#deps.claim.signal);
      prepared = await PERFORMERS[call.ask.call](this.#deps, call);
    } catch (error) {
      return this.#fail(call, error, false, undefined);
    }
    // A try of its own: what is known of an earlier one does not count for it.
    this.#deps.unknownFor.forget(call.callId);
    await faults('prepared', call.callId);
    const answer = await this.#ledger.dispatch(call.callId);
    if (!answer.dispatched) return;
    await faults('dispatched', call.callId);
    let performed: Performed;
    try {
      this.#deps.claim.assertHeld();
      const deadlineMonotonicMs = answer.startedAt + writeWithin(prepared.settleAfterMs);
      performed = await withDeadline(PERFORM_TIMEOUT_MS, this.#deps.claim.signal, (signal) =>
        prepared.perform({ signal, deadlineMonotonicMs, sequence: answer.sequence }),
      );
    } catch (error) {
      await faults('before_settle', call.callId);
      return this.#fail(call, error, true, prepared.integrationId);
    }
    await faults('before_settle', call.callId);
    await this.#settled(call, performed, prepared.integrationId);
  }

  async #lookUp(call: GrantedCall): Promise<void> {
    const { callId } = call;
    let prepared: PreparedCall;
    let found: Performed | null | undefined;
    try {
      prepared = await PERFORMERS[call.ask.call](this.#deps, call);
      await this.#deps.faults('looking_up', callId);
      found = await withDeadline(PERFORM_TIMEOUT_MS, this.#deps.claim.signal, async (signal) =>
        prepared.lookUp?.(signal),
      );
      await this.#deps.faults('looked_up', callId);
    } catch (error) {
      if (error instanceof FencedError) throw error;
      const reason = usableText(`its look-ups fail: ${messageOf(error)}`, 500);
      if (call.job === 'look_up_last') return this.#giveUp(call, reason);
      await this.#ledger.settle({ callId, result: 'unknown', error: reason });
      return;
    }
    if (found) return this.#settled(call, found, prepared.integrationId);
    const counts = this.#deps.unknownFor.ms(callId) >= (prepared.settleAfterMs ?? 0);
    await this.#ledger.settle({ callId, result: 'not_found', counts });
  }

  /** A person has to find out what became of it; the run goes on. */
  async #giveUp({ callId, type }: GrantedCall, reason: string): Promise<void> {
    const { log, metrics, unknownFor } = this.#deps;
    await this.#ledger.settle({ callId, result: 'dead_letter', outcome: type.failedOutcome, error: reason });
    unknownFor.forget(callId);
    metrics.deadLetters.inc();
    metrics.calls.inc({ node_type: type.nodeType, result: 'dead_letter' });
    log.error({ callId, nodeType: type.nodeType, reason }, 'outcome of a call can not be found out');
  }

  async #settled(call: GrantedCall, performed: Performed, integrationId: string | undefined): Promise<void> {
    this.#deps.unknownFor.forget(call.callId);
    const { outcome, data = {}, credits = 0, ref = null, reason, also } = performed;
    const result: CallResult = {
      callId: call.callId,
      result: 'settled',
      outcome,
      data,
      credits,
      ref,
      error: reason ?? null,
    };
    await this.#ledger.settle(result, async (tx, now) => {
      const corrected = await also?.(tx, now);
      if (integrationId) await noteDelivery(tx, integrationId, null, now);
      return corrected;
    });
    await this.#deps.faults('settled', call.callId);
    this.#deps.metrics.calls.inc({ node_type: call.type.nodeType, result: outcome });
  }

  async #fail(
    call: GrantedCall,
    error: unknown,
    dispatched: boolean,
    integrationId: string | undefined,
  ): Promise<void> {
    if (error instanceof FencedError) throw error;
    const classified = classifyCall(error, call, dispatched, this.#deps.clock.now());
    const { log, metrics } = this.#deps;
    const reason = messageOf(error);
    log.warn(
      { callId: call.callId, nodeType: call.type.nodeType, result: classified.result, reason },
      'a call did not go through',
    );
    const needsAuth = error instanceof CallError && error.kind === 'auth';
    const shown = classified.error ?? 'failed';
    await this.#ledger.settle(
      classified,
      integrationId
        ? async (tx, now) => {
            await noteDelivery(tx, integrationId, { error: shown, needsAuth }, now);
            return undefined;
          }
        : undefined,
    );
    metrics.calls.inc({
      node_type: call.type.nodeType,
      result: classified.result === 'settled' ? 'failed' : classified.result,
    });
  }
}
