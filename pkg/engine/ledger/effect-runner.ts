import { monotonicMs, withDeadline } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { isHarmless } from '../../domain/actions.ts';
import { type PerformResult, ProviderError } from '../../providers/network/network-provider.ts';
import type { RelationNote } from '../../store/inbox/inbox.ts';
import { coolAccount, type SendResult } from '../../store/ledger/ledger.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { Cadence } from '../loop/cadence.ts';
import type { Continuations } from '../loop/continuations.ts';
import { ALONE } from '../pace.ts';
import { channelOf } from './channel-of.ts';
import type { GrantedEffect } from './claim-effects.ts';
import type { EffectChannel } from './effect-channel.ts';
import type { LedgerBatcher } from './ledger-batcher.ts';
import type { OutageWatch } from './outage-watch.ts';
import type { Prepared } from './preparation.ts';
import { classifyFailure } from './send-outcome.ts';
import { targetText } from './target-text.ts';
import { type JobListener, UnderWay } from './under-way.ts';
import { writeWithin } from './write-deadline.ts';

/** Longest preparation and longest request, real ms. */
const PREPARE_TIMEOUT_MS = 15_000;
const PERFORM_TIMEOUT_MS = 30_000;

/** Performs granted effects: prepare, commit `dispatched`, write the request when it is due and in time, settle. */
export class EffectRunner {
  readonly #deps: EngineDeps;
  readonly #ledger: LedgerBatcher;
  readonly #answered: Continuations;
  readonly #outages: OutageWatch;
  readonly #cadence: Cadence;
  readonly underWay: UnderWay;

  /**
   * @param listener hears of a failure when a commit failed
   * @param ledger commits dispatches and settlements
   * @param answered takes the runs whose sends were confirmed
   * @param outages hears whether providers answer
   * @param cadence knows when `dispatched` is committed, and when the request leaves
   */
  constructor(
    deps: EngineDeps,
    listener: JobListener,
    ledger: LedgerBatcher,
    answered: Continuations,
    outages: OutageWatch,
    cadence: Cadence,
  ) {
    this.#deps = deps;
    this.#answered = answered;
    this.#outages = outages;
    this.#ledger = ledger;
    this.#cadence = cadence;
    this.underWay = new UnderWay((deps.pace ?? ALONE).mostEffects, deps.clock, listener);
  }

  /** Begins an effect after `after`; what becomes of it is seen in `underWay`. */
  start(effect: GrantedEffect, after: Promise<void>): void {
    const atOnce = effect.dispatchedFrom !== undefined;
    this.underWay.start(effect.runId, (leave) => this.#steps(effect, leave), { atOnce, after });
  }

  async #steps(effect: GrantedEffect, leave: () => void): Promise<void> {
    const { sendId } = effect.request.claim;
    await this.#deps.faults(effect.dispatchedFrom === undefined ? 'claimed' : 'dispatched', sendId);
    const channel = await channelOf(this.#deps, effect.account).catch((error: unknown) =>
      this.#fail(effect, error, false),
    );
    if (!channel) return;
    try {
      if (effect.dispatchedFrom === undefined) await this.#send(channel, effect, leave);
      else await this.#sendAtOnce(channel, effect, effect.dispatchedFrom, leave);
    } finally {
      await channel.close?.();
    }
  }

  /** Its `dispatched` was committed with its claim: there is nothing to prepare. */
  async #sendAtOnce(
    channel: EffectChannel,
    effect: GrantedEffect,
    dispatchedFrom: number,
    leave: () => void,
  ): Promise<void> {
    this.#count(effect, 'dispatched');
    const { target } = effect.request.claim;
    await this.#request(channel, effect, target, dispatchedFrom + writeWithin(channel.settleAfterMs), leave);
  }

  /** Prepare, commit `dispatched`, request. */
  async #send(channel: EffectChannel, effect: GrantedEffect, leave: () => void): Promise<void> {
    const { sendId } = effect.request.claim;
    const relations: RelationNote[] = [];
    const prepared = await this.#prepare(channel, effect, relations);
    if (!prepared) return;
    await this.#deps.faults('prepared', sendId);
    await this.#cadence.untilDue(this.#cadence.commitsAt(effect.notBefore), this.#deps.claim.signal);
    const answer = await this.#ledger.dispatch(sendId, relations, effect.notBefore, effect.ofAction);
    if (!answer.dispatched) {
      if (answer.refusal === 'suppressed') this.#deps.metrics.suppressionHits.inc();
      return;
    }
    this.#count(effect, 'dispatched');
    await this.#deps.faults('dispatched', sendId);
    const { target } = prepared;
    await this.#request(channel, effect, target, answer.startedAt + writeWithin(channel.settleAfterMs), leave);
  }

  /** Null when the send is settled already. Nothing was dispatched yet, so every failure is a proven one. */
  async #prepare(
    channel: EffectChannel,
    effect: GrantedEffect,
    relations: RelationNote[],
  ): Promise<(Prepared & { go: true }) | null> {
    try {
      const prepared = await withDeadline(PREPARE_TIMEOUT_MS, this.#deps.claim.signal, (signal) =>
        channel.prepare(effect, signal, (relation) => relations.push(relation)),
      );
      if (prepared.go) return prepared;
      // What follows is no earlier for it.
      await this.#cadence.untilDue(effect.notBefore, this.#deps.claim.signal);
      const { sendId } = effect.request.claim;
      const { outcome, reason, dead } = prepared;
      if (dead) {
        this.#deps.metrics.deadLetters.inc();
        this.#deps.log.error({ sendId, reason }, 'a send is not about the person of its lead; a person has to decide');
      }
      await this.#ledger.settle(
        { sendId, result: 'failed', outcome, error: reason, ...(dead ? { dead } : {}) },
        relations,
      );
      return null;
    } catch (error) {
      await this.#fail(effect, error, false, {}, relations);
      return null;
    }
  }

  async #request(
    channel: EffectChannel,
    effect: GrantedEffect,
    known: JsonObject,
    deadlineMonotonicMs: number,
    leave: () => void,
  ): Promise<void> {
    const { claim } = effect.request;
    let done: PerformResult;
    try {
      await this.#cadence.untilDue(effect.notBefore, this.#deps.claim.signal);
      this.#deps.claim.assertHeld();
      if (monotonicMs() >= deadlineMonotonicMs)
        throw new Error('abandoned: the request was not written soon enough after its commit');
      const answered = this.#deps.metrics.effectTime.startTimer({ action: claim.action });
      done = await withDeadline(PERFORM_TIMEOUT_MS, this.#deps.claim.signal, (signal) =>
        channel.perform(effect, known, { signal, deadlineMonotonicMs, idempotencyKey: claim.sendId }),
      );
      answered();
      this.#outages.answered(effect.account.provider);
    } catch (error) {
      leave();
      return this.#fail(effect, error, true, known);
    }
    leave();
    await this.#deps.faults('before_settle', claim.sendId);
    const target = {
      ...known,
      ...(done.chatId ? { chatId: done.chatId } : {}),
      ...(done.givenId ? { givenId: done.givenId } : {}),
      ...(done.refusedCopies ? { refusedCopies: [...done.refusedCopies] } : {}),
    };
    const { confirmedOutcome: outcome } = effect.request.type;
    const refused = done.refusedCopies?.length ?? 0;
    const confirmed = {
      sendId: claim.sendId,
      result: 'confirmed' as const,
      outcome,
      ref: done.ref,
      ...(refused === 0 ? {} : { keptUnits: claim.budgets.length - refused }),
    };
    if (effect.ofAction) await this.#ledger.settle({ ...confirmed, target });
    else await this.#confirmOfRun(effect, confirmed, target);
    await this.#deps.faults('settled', claim.sendId);
    this.#count(effect, 'confirmed');
  }

  /** The batches go on with the run by themselves. */
  async #confirmOfRun(
    effect: GrantedEffect,
    confirmed: SendResult & { result: 'confirmed' },
    target: JsonObject,
  ): Promise<void> {
    const { claim } = effect.request;
    const plain = isHarmless(claim.action) ? onlyMet(claim.target, target) : null;
    const run = { runId: effect.runId, sendId: claim.sendId };
    const byBatch = plain && { ...confirmed, held: true, plain };
    if (!byBatch || !(await this.#answered.confirm(run, effect.account.id, { result: byBatch, claim }))) {
      // Asked now: what no batch has confirmed, because of the stop, has to make its run due.
      const held = this.#answered.open;
      await this.#ledger.settle(held && byBatch ? byBatch : { ...confirmed, held, target });
      if (held) this.#answered.add(run, effect.account.id);
    }
  }

  async #fail(
    effect: GrantedEffect,
    error: unknown,
    dispatched: boolean,
    target: JsonObject = {},
    relations: readonly RelationNote[] = [],
  ): Promise<void> {
    const { claim, type, failures } = effect.request;
    const { sendId } = claim;
    const now = this.#deps.clock.now();
    const { result, restMs, restReason, away } = classifyFailure(error, { sendId, type, failures, dispatched }, now);
    // In the order of the answers: who fails among others who go through is no outage.
    if (away) this.#outages.failed(effect.account.provider);
    if (dispatched) await this.#deps.faults('before_settle', sendId);
    this.#deps.log.warn(
      { sendId, action: claim.action, result: result.result, failures, reason: messageOf(error) },
      'effect did not go through',
    );
    if (restMs !== null)
      await this.#deps.claim.tx((tx) => coolAccount(tx, effect.account.id, now + restMs, restReason));
    const settled = { sendId, ...result, target: JSON.parse(JSON.stringify(target)) };
    const said = dispatched ? relationSaid(effect, target, error) : null;
    await this.#ledger.settle(settled, relations, said ? [said] : []);
    await this.#deps.faults('settled', sendId);
    this.#count(effect, result.result);
  }

  #count(effect: GrantedEffect, state: string): void {
    this.#deps.metrics.sends.inc({ action: effect.request.claim.action, state });
  }
}

/** What was learnt since the claim, when that is no more than the person's id for the account. */
function onlyMet(claimed: JsonObject, target: JsonObject): { providerId: string | null } | null {
  for (const key in target) if (key !== 'providerId' && target[key] !== claimed[key]) return null;
  const providerId = targetText(target, 'providerId') ?? null;
  return { providerId: providerId === claimed['providerId'] ? null : providerId };
}

/** What a refusal says of the relation, of a person whose id for the account is known. */
function relationSaid(effect: GrantedEffect, target: JsonObject, error: unknown): RelationNote | null {
  const kind = error instanceof ProviderError ? error.kind : null;
  const state = kind === 'already_connected' ? 'connected' : kind === 'already_pending' ? 'pending' : null;
  const providerId = targetText(target, 'providerId');
  const { personId, account } = effect;
  return state && providerId && personId ? { accountId: account.id, personId, providerId, state } : null;
}
