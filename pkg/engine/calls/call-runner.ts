import { FencedError, messageOf } from '../../base/errors.ts';
import { CallError } from '../../providers/call-error.ts';
import { noteDelivery } from '../../store/integrations.ts';
import type { CallResult } from '../../store/node-calls.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { UnderWay } from '../under-way.ts';
import { CallLedger } from './call-ledger.ts';
import { callVerdict } from './call-verdict.ts';
import type { GrantedCall } from './granted-call.ts';
import type { Outside } from './outside.ts';
import type { Performed, PreparedCall } from './performer.ts';
import { PERFORMERS } from './performers.ts';

/** The request must be handed to the socket this soon after the commit of `dispatched`, as for sends. */
const WRITE_DEADLINE_MS = 5_000;
/** Calls under way at once; the rest waits in order. */
const MAX_CONCURRENT = 32;
/** Longest call, real ms; adapters have shorter limits for each request. */
const PERFORM_TIMEOUT_MS = 90_000;

/** Makes granted calls: prepare, commit `dispatched`, ask, settle. Unknown ones are looked up instead. */
export class CallRunner {
  readonly #deps: EngineDeps & { outside: Outside };
  readonly #ledger: CallLedger;
  readonly underWay: UnderWay;

  /** @param onFatal called when a commit failed: only a new epoch helps */
  constructor(deps: EngineDeps & { outside: Outside }, onFatal: (error: unknown) => void) {
    this.#deps = deps;
    this.#ledger = new CallLedger(deps.claim, deps.clock);
    this.underWay = new UnderWay(MAX_CONCURRENT, deps.clock, onFatal);
  }

  /** Begins a call; what comes after is seen in `underWay`. */
  start(call: GrantedCall): void {
    this.underWay.start(call.runId, () => (call.job === 'look_up' ? this.#lookUp(call) : this.#steps(call)));
  }

  async #steps(call: GrantedCall): Promise<void> {
    const { faults } = this.#deps;
    await faults('claimed', call.callId);
    let prepared: PreparedCall;
    try {
      prepared = await PERFORMERS[call.ask.call](this.#deps, call);
    } catch (error) {
      return this.#fail(call, error, false, undefined);
    }
    const answer = await this.#ledger.dispatch(call.callId);
    if (!answer.dispatched) return;
    await faults('dispatched', call.callId);
    let performed: Performed;
    try {
      this.#deps.claim.assertHeld();
      performed = await prepared.perform({
        signal: AbortSignal.any([this.#deps.claim.signal, AbortSignal.timeout(PERFORM_TIMEOUT_MS)]),
        deadlineMonotonicMs: answer.startedAt + WRITE_DEADLINE_MS,
        sequence: answer.sequence,
      });
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
      found = await prepared.lookUp?.(
        AbortSignal.any([this.#deps.claim.signal, AbortSignal.timeout(PERFORM_TIMEOUT_MS)]),
      );
    } catch (error) {
      if (error instanceof FencedError) throw error;
      await this.#ledger.settle({ callId, result: 'unknown', error: messageOf(error).slice(0, 500) });
      return;
    }
    if (found) return this.#settled(call, found, prepared.integrationId);
    await this.#ledger.settle({ callId, result: 'not_found', settleAfterMs: prepared.settleAfterMs ?? 0 });
  }

  async #settled(call: GrantedCall, performed: Performed, integrationId: string | undefined): Promise<void> {
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
      await also?.(tx, now);
      if (integrationId) await noteDelivery(tx, integrationId, null, now);
    });
    this.#deps.metrics.calls.inc({ node_type: call.type.nodeType, result: outcome });
  }

  async #fail(
    call: GrantedCall,
    error: unknown,
    dispatched: boolean,
    integrationId: string | undefined,
  ): Promise<void> {
    if (error instanceof FencedError) throw error;
    const verdict = callVerdict(error, call, dispatched, this.#deps.clock.now());
    const { log, metrics } = this.#deps;
    const reason = messageOf(error);
    log.warn(
      { callId: call.callId, nodeType: call.type.nodeType, result: verdict.result, reason },
      'a call did not go through',
    );
    const needsAuth = error instanceof CallError && error.kind === 'auth';
    const shown = verdict.error ?? 'failed';
    await this.#ledger.settle(
      verdict,
      integrationId ? (tx, now) => noteDelivery(tx, integrationId, { error: shown, needsAuth }, now) : undefined,
    );
    metrics.calls.inc({
      node_type: call.type.nodeType,
      result: verdict.result === 'settled' ? 'failed' : verdict.result,
    });
  }
}
