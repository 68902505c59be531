import { objectRef } from '../../api/object.ts';
import type { PeriodicJob } from '../../base/periodic.ts';
import { WakeSignal } from '../../base/wake-signal.ts';
import { keyOf } from '../../kube/types.ts';
import { wakeAge } from '../../store/runs/wake.ts';
import { poolsMoved } from '../campaign/pool-counts.ts';
import type { OperatorContext } from '../context.ts';
import { LABELS } from '../names.ts';
import { modeOf } from '../pool/mode-of.ts';
import { LEAD_MS } from '../workspace/executor-actions.ts';
import { executorSpec } from '../workspace/executor-spec.ts';
import type { StartGate } from './start-gate.ts';
import { WakeTurns } from './wake-turns.ts';

/** Real ms between polls; a notification polls at once. */
const POLL_MS = 1_000;
const WITHIN_MS = 30_000;
/** Workspaces without a pod that are looked at per poll; more come when some of them have one. */
const MAX_DUE = 1_000;
/** Status counts of working workspaces are looked at again this often (real ms). */
const REFRESH_MS = 30_000;
const MAX_LEASES = 10_000;
const MAX_HOLDS = 10_000;

interface DueRow {
  workspace_id: string;
  /** For how long its work has been due, ms; below 0 when it soon is. */
  age: number;
}
interface ClaimRow {
  key: string;
  epoch: number;
  holder: string | null;
  live: boolean;
  idle: boolean;
}

interface HoldRow {
  kind: HoldKind;
  id: string;
  created_at: number;
}
type HoldKind = 'workspace' | 'campaign' | 'workflow';

/** What the loop tells the controllers. */
export interface WakeTargets {
  workspace(key: string): void;
  /** A hold was placed or released. */
  held(kind: HoldKind, key: string): void;
  /** Below a workspace that works, or did until just now: counts may have moved. */
  refresh(key: string): void;
  /** A campaign has other leads in its pool than its status counts. */
  counted(key: string): void;
}

/**
 * The leader's look at due work and at claims: one indexed query each per second, however many workspaces sleep.
 * It decides nothing: it brings keys back to their controllers.
 */
export class WakeLoop {
  readonly #context: OperatorContext;
  readonly #gate: StartGate;
  readonly #targets: WakeTargets;
  readonly #leases = new Map<string, string>();
  readonly #holds = new Map<string, HoldRow>();
  /** Workspaces that an executor worked for since their counts were looked at last. */
  readonly #worked = new Set<string>();
  readonly #turns = new WakeTurns();
  readonly #wake = new WakeSignal();
  #refreshedAt = 0;

  constructor(context: OperatorContext, gate: StartGate, targets: WakeTargets) {
    this.#context = context;
    this.#gate = gate;
    this.#targets = targets;
  }

  /** Polls now; several calls before the poll are one. */
  poke(): void {
    this.#wake.wake();
  }

  /** Its looks. */
  get job(): PeriodicJob {
    const run = (): Promise<void> =>
      this.poll().catch((error: unknown) => {
        this.#context.metrics.wakePollErrors.inc();
        throw error;
      });
    return { name: 'wake-poll', everyMs: POLL_MS, withinMs: WITHIN_MS, run, wake: this.#wake };
  }

  /** One look. */
  async poll(): Promise<void> {
    const { db, clocks } = this.#context;
    const now = clocks.product.now();
    const { due, leases, holds } = await db.tx({ kind: 'platform' }, async (tx) => ({
      due: await tx.named<DueRow>(
        'operator_due',
        `select k.workspace_id, ${wakeAge('$4')} as age from workspace_wake k join workspace w on w.id = k.workspace_id
         where k.due_at <= $1 and w.operating_mode = 'Running' and w.deleted_at is null
           and not exists (select 1 from hold h where h.kind = 'workspace' and h.id = w.id)
           and not exists (select 1 from pool_seat s where s.workspace_id = k.workspace_id)
           and not exists (select 1 from unnest($3::text[]) as awake (uid) where awake.uid = w.uid)
         order by k.due_at limit $2`,
        [now + LEAD_MS, MAX_DUE, this.#awake(), now],
      ),
      leases: await tx.named<ClaimRow>(
        'operator_claims',
        `select key, epoch, holder, expires_at > clock_timestamp() as live, coalesce(idle_epoch = epoch, false) as idle
         from claim where kind = 'workspace' and expires_at > clock_timestamp() - interval '5 minutes' limit $1`,
        [MAX_LEASES],
      ),
      holds: await tx.named<HoldRow>(
        'operator_holds',
        `select kind, id, created_at from hold where kind in ('workspace', 'campaign', 'workflow') limit $1`,
        [MAX_HOLDS],
      ),
    }));
    this.#wakeDue(due);
    this.#watchLeases(leases);
    this.#watchHolds(holds);
    await this.#refresh(leases);
  }

  /** Uids of the workspaces whose pod is there: they need no waking, however much is due, and must not hide who does. */
  #awake(): string[] {
    const pods = this.#context.pods.store.list();
    return pods.flatMap((pod) => pod.metadata.labels?.[LABELS.workspaceUid] ?? []);
  }

  /** One that was refused a pod waits. Of the others as many are brought as can start. */
  #wakeDue(asleep: DueRow[]): void {
    const { metrics, clocks } = this.#context;
    const all = asleep.map((row) => this.#keyOf(row.workspace_id));
    // A seat in the pool takes no start and no place.
    const keys = all.filter((key) => !this.#isPooled(key));
    for (const key of all) if (this.#isPooled(key)) this.#targets.workspace(key);
    const isRefused = (key: string): boolean => this.#gate.refusal(key) !== null;
    const turn = this.#turns.next(keys, this.#gate.room, clocks.real.now(), isRefused);
    for (const key of turn) this.#targets.workspace(key);
    this.#gate.crowded = this.#gate.full && !keys.every(isRefused);
    metrics.wakeDepth.set(asleep.length);
    metrics.wakeOldest.set(asleep.reduce((oldest, row) => Math.max(oldest, row.age), 0) / 1_000);
  }

  #isPooled(key: string): boolean {
    const { workspaces, executor } = this.#context;
    const seen = workspaces.store.get(key);
    return seen !== undefined && modeOf(executor, executorSpec(seen.executor)).mode === 'Pooled';
  }

  /** A claim that was taken, lost, or fell idle changes what its workspace's status says. */
  #watchLeases(leases: ClaimRow[]): void {
    const seen = new Set<string>();
    for (const lease of leases) {
      const live = lease.live && lease.holder !== null;
      const look = `${lease.epoch}:${lease.holder}:${live}:${lease.idle}`;
      seen.add(lease.key);
      if (live) {
        this.#gate.claimed(lease.key);
        this.#worked.add(lease.key);
      }
      const inTheWay = live && lease.idle && this.#gate.crowded;
      if (!inTheWay && this.#leases.get(lease.key) === look) continue;
      if (lease.holder !== null && !lease.live && this.#leases.has(lease.key)) this.#context.metrics.leasesLapsed.inc();
      this.#leases.set(lease.key, look);
      this.#targets.workspace(this.#keyOf(lease.key));
    }
    for (const key of [...this.#leases.keys()]) {
      if (seen.has(key)) continue;
      this.#leases.delete(key);
      this.#targets.workspace(this.#keyOf(key));
    }
  }

  /** A hold stops an executor and shows in a condition; no resource changes when a tool places one. */
  #watchHolds(holds: HoldRow[]): void {
    const now = new Map(holds.map((hold) => [`${hold.kind}/${hold.id}/${hold.created_at}`, hold]));
    const changed = [...now, ...this.#holds].filter(([look]) => now.has(look) !== this.#holds.has(look));
    for (const [, hold] of changed) this.#targets.held(hold.kind, this.#keyOf(hold.id));
    this.#holds.clear();
    for (const [look, hold] of now) this.#holds.set(look, hold);
  }

  /** An executor that ended since the last look may have moved counts after they were read. */
  async #refresh(leases: ClaimRow[]): Promise<void> {
    const { clocks, counts } = this.#context;
    const now = clocks.real.now();
    if (now - this.#refreshedAt < REFRESH_MS) return;
    this.#refreshedAt = now;
    const live = new Set(leases.flatMap((lease) => (lease.live ? [lease.key] : [])));
    for (const key of this.#worked) {
      if (!live.has(key)) counts.forget(key);
      this.#targets.refresh(this.#keyOf(key));
    }
    this.#worked.clear();
    for (const key of await poolsMoved(this.#context)) this.#targets.counted(key);
  }

  #keyOf(id: string): string {
    return keyOf({ metadata: objectRef(id, this.#context.homeNamespace) });
  }
}
