import { z } from 'zod';
import { messageOf } from '../base/errors.ts';
import type { KubeClient } from './client.ts';
import { isAlreadyExists } from './kube-error.ts';
import { LEASES } from './resources.ts';
import type { KubeRuntime } from './runtime.ts';
import { formatMicroTime } from './time.ts';
import type { KubeObject } from './types.ts';

const specSchema = z.object({
  holderIdentity: z.string().optional(),
  leaseDurationSeconds: z.number().optional(),
  acquireTime: z.string().optional(),
  renewTime: z.string().optional(),
  leaseTransitions: z.number().optional(),
});

type LeaseSpec = z.infer<typeof specSchema>;
type Lease = KubeObject & { spec?: LeaseSpec };

export interface LeaseOptions {
  client: KubeClient;
  runtime: KubeRuntime;
  namespace: string;
  name: string;
  /** Unique per process, for example `<pod name>_<uuid>`. */
  identity: string;
  /** Real ms. Defaults of controller-runtime: 15 s, 10 s, 2 s. */
  leaseDurationMs?: number;
  renewDeadlineMs?: number;
  retryPeriodMs?: number;
  /** Written with each round; for what must outlive the database. */
  annotations?: () => Record<string, string>;
  /** Told each version of the Lease that is seen, before it is written over. */
  onObserved?: (annotations: Readonly<Record<string, string>>) => void;
  onNewLeader?: (identity: string) => void;
}

/** Why leading ended: the Lease was lost, and somebody else may lead already. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/**
 * Leader election by Lease, after client-go's tools/leaderelection. It acts only on changes that it saw itself, at
 * times of its own clock: the holder's renewTime is never compared with ours. It is not fencing: work that must not
 * run twice needs an epoch of its own.
 */
export class LeaderElector {
  readonly #options: Required<Omit<LeaseOptions, 'annotations' | 'onObserved' | 'onNewLeader'>> & LeaseOptions;
  /** The Lease as last seen, and when (by our clock) we saw it change. */
  #observed: { lease: Lease; at: number; version: string } | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #leading = false;
  #reported = '';

  constructor(options: LeaseOptions) {
    const defaults = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
    this.#options = { ...defaults, ...options };
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = this.#options;
    if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs * 1.2)) {
      throw new Error('a Lease needs leaseDuration > renewDeadline > retryPeriod * 1.2');
    }
    this.#setLeading(false);
  }

  /** Whether we lead and our Lease cannot have run out, also when the event loop stood still meanwhile. */
  get isLeader(): boolean {
    return this.#leading && this.#now() - this.#renewedAt < this.#options.leaseDurationMs;
  }

  /** Who holds the Lease as far as we saw; empty when nobody does. */
  get leader(): string {
    return this.#observed?.lease.spec?.holderIdentity ?? '';
  }

  /**
   * Waits for the Lease, then runs `lead` with a signal that aborts the moment the Lease is lost or `signal` aborts.
   * On `signal` the Lease is given back, after `lead` has ended, so that the other replica need not wait for it.
   * @throws LeaseLost when the Lease was lost; the caller ends the process, since work of `lead` may linger
   */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (!(await this.#acquire(signal))) return;
    const ended = new AbortController();
    const work = lead(AbortSignal.any([signal, ended.signal]));
    const finished = work.then(
      () => true,
      () => true,
    );
    try {
      // `lead` may end by itself; that too gives the Lease back.
      const stop = new AbortController();
      void finished.then(() => stop.abort());
      const lost = await this.#keep(AbortSignal.any([signal, stop.signal]));
      if (lost) {
        const error = this.#lost(lost);
        ended.abort(error);
        throw error;
      }
      await this.#keepWhile(finished);
      await work;
    } finally {
      if (this.#leading) await this.#release();
      this.#setLeading(false);
    }
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { runtime, retryPeriodMs } = this.#options;
    while (!signal.aborted) {
      if (await this.#try()) {
        this.#setLeading(true);
        return true;
      }
      await runtime.clock.sleep(retryPeriodMs * (1 + runtime.random() * 1.2), signal).catch(() => undefined);
    }
    return false;
  }

  /** Renews until the signal aborts (undefined) or the renew deadline passes (why). */
  async #keep(signal: AbortSignal): Promise<string | undefined> {
    const { runtime, retryPeriodMs, renewDeadlineMs } = this.#options;
    while (!signal.aborted) {
      await runtime.clock.sleep(retryPeriodMs, signal).catch(() => undefined);
      if (signal.aborted) return undefined;
      const renewed = await this.#renewInTime();
      if (this.leader !== '' && this.leader !== this.#options.identity) return `${this.leader} holds it`;
      if (!renewed && this.#now() - this.#renewedAt >= renewDeadlineMs) return 'not renewed in time';
    }
    return undefined;
  }

  /** While the leader winds down it still leads: the Lease must not run out under work that is being finished. */
  async #keepWhile(finished: Promise<unknown>): Promise<void> {
    const stop = new AbortController();
    void finished.then(() => stop.abort());
    const lost = await this.#keep(stop.signal);
    if (lost) throw this.#lost(lost);
  }

  /** Nothing is given back: it may be somebody else's by now, and the process must end without another request. */
  #lost(why: string): LeaseLost {
    this.#setLeading(false);
    return new LeaseLost(`lost the lease ${this.#options.name}: ${why}`);
  }

  /** One round, given up at the renew deadline even when the request hangs. */
  async #renewInTime(): Promise<boolean> {
    const { runtime, renewDeadlineMs } = this.#options;
    const left = Math.max(0, this.#renewedAt + renewDeadlineMs - this.#now());
    const timer = new AbortController();
    const late = runtime.clock.sleep(left, timer.signal).then(
      () => false,
      () => false,
    );
    const request = new AbortController();
    const renewed = await Promise.race([this.#try(request.signal), late]);
    timer.abort();
    request.abort();
    return renewed;
  }

  async #try(signal?: AbortSignal): Promise<boolean> {
    try {
      return await this.#tryAcquireOrRenew(signal);
    } catch (error) {
      if (!signal?.aborted)
        this.#options.runtime.log.warn({ lease: this.#options.name, err: messageOf(error) }, 'lease round failed');
      return false;
    }
  }

  /** client-go's tryAcquireOrRenew: the fast path writes over what we remember, else read, judge, write. */
  async #tryAcquireOrRenew(signal?: AbortSignal): Promise<boolean> {
    const { identity, runtime, name, client, namespace } = this.#options;
    if (this.isLeader && this.#observed && this.leader === identity) {
      if (await this.#write(this.#observed.lease, signal).catch(() => false)) return true;
      runtime.metrics.leaderSlowPath.inc({ name });
    }
    const lease = await client.find<Lease>(
      LEASES,
      { namespace, name },
      { signal, urgent: true, timeoutMs: this.#timeoutMs },
    );
    if (!lease) return this.#create(signal);
    this.#observe(lease);
    if (this.leader !== '' && this.leader !== identity && this.#heldByOther()) return false;
    return this.#write(lease, signal);
  }

  #heldByOther(): boolean {
    const durationMs = (this.#observed?.lease.spec?.leaseDurationSeconds ?? 0) * 1_000;
    return this.#now() - (this.#observed?.at ?? 0) < durationMs;
  }

  async #create(signal?: AbortSignal): Promise<boolean> {
    const { client, namespace, name, annotations } = this.#options;
    const metadata = { namespace, name, annotations: annotations?.() ?? {} };
    const lease: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: this.#spec(undefined) };
    const sent = this.#now();
    try {
      this.#won(await client.create(LEASES, lease, this.#writeOptions(signal)), sent);
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }

  async #write(lease: Lease, signal?: AbortSignal): Promise<boolean> {
    const { annotations } = this.#options;
    const metadata = { ...lease.metadata, annotations: { ...lease.metadata.annotations, ...annotations?.() } };
    const sent = this.#now();
    const written = await this.#options.client.update<Lease>(
      LEASES,
      { ...lease, metadata, spec: this.#spec(lease) },
      this.#writeOptions(signal),
    );
    this.#won(written, sent);
    return true;
  }

  #spec(lease: Lease | undefined): LeaseSpec {
    const { identity, leaseDurationMs } = this.#options;
    const old = lease?.spec;
    const ours = old?.holderIdentity === identity;
    const now = formatMicroTime(this.#now());
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1_000),
      acquireTime: ours && old.acquireTime ? old.acquireTime : now,
      renewTime: now,
      leaseTransitions: (old?.leaseTransitions ?? 0) + (lease && !ours ? 1 : 0),
    };
  }

  /** Our time counts from before the request: the server may have taken it at any moment since. */
  #won(lease: Lease, sent: number): void {
    this.#observe(lease);
    this.#renewedAt = sent;
  }

  #observe(lease: Lease): void {
    const version = lease.metadata.resourceVersion ?? '';
    if (this.#observed?.version === version) return;
    const spec = specSchema.safeParse(lease.spec ?? {});
    this.#observed = { lease: { ...lease, spec: spec.success ? spec.data : {} }, at: this.#now(), version };
    this.#options.onObserved?.(lease.metadata.annotations ?? {});
    if (this.leader === '' || this.leader === this.#reported) return;
    this.#reported = this.leader;
    this.#options.onNewLeader?.(this.leader);
  }

  /** client-go's ReleaseOnCancel: an empty holder and one second, so that a standby takes it at its next round. */
  async #release(): Promise<void> {
    const { client, runtime, name } = this.#options;
    const lease = this.#observed?.lease;
    if (!lease || this.leader !== this.#options.identity) return;
    const now = formatMicroTime(this.#now());
    const spec: LeaseSpec = {
      ...lease.spec,
      holderIdentity: '',
      leaseDurationSeconds: 1,
      renewTime: now,
      acquireTime: now,
    };
    try {
      await client.update<Lease>(LEASES, { ...lease, spec }, this.#writeOptions());
    } catch (error) {
      runtime.log.warn({ lease: name, err: messageOf(error) }, 'the lease was not given back and runs out by itself');
    }
  }

  /** Renewals skip the queue of ordinary requests; half the deadline leaves time for a second try. */
  #writeOptions(signal?: AbortSignal) {
    return { fieldManager: this.#options.identity.slice(0, 100), urgent: true, timeoutMs: this.#timeoutMs, signal };
  }

  get #timeoutMs(): number {
    return this.#options.renewDeadlineMs / 2;
  }

  #now(): number {
    return this.#options.runtime.clock.now();
  }

  #setLeading(leading: boolean): void {
    this.#leading = leading;
    this.#options.runtime.metrics.leader.set({ name: this.#options.name }, leading ? 1 : 0);
  }
}
