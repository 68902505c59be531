import type { CompiledNode } from '../../domain/graph.ts';
import { signalRulesOf } from '../../domain/signal-score.ts';
import type { LeadFacts, RunFacts, StepInput } from '../../nodes/node-type.ts';
import type { LeadRow } from '../../store/runs/batch-facts.ts';
import { rescore } from '../sources/rescore.ts';
import type { Advance, AdvanceContext, Snapshot, StoredFacts } from './step.ts';

/**
 * What a node may see, taken from what the batch loaded when the node asks: many nodes need nothing of the person.
 * `accountId`: who acts; the mailbox for a mail.
 */
export function stepInput(
  walk: Advance,
  context: AdvanceContext,
  node: CompiledNode,
  accountId: string | null = walk.run.accountId,
): StepInput {
  return new BatchStepInput(walk, context, node, accountId);
}

/** A class, since a literal with getters makes each of them anew: three kilobytes per step. */
class BatchStepInput implements StepInput {
  readonly node: CompiledNode;
  readonly #walk: Advance;
  readonly #context: AdvanceContext;
  readonly #accountId: string | null;
  #lead: LeadFacts | undefined;

  constructor(walk: Advance, context: AdvanceContext, node: CompiledNode, accountId: string | null) {
    this.node = node;
    this.#walk = walk;
    this.#context = context;
    this.#accountId = accountId;
  }

  get now(): number {
    return this.#context.now;
  }

  get enteredAt(): number {
    return this.#walk.run.enteredAt;
  }

  get runId(): string {
    return this.#walk.run.id;
  }

  get workflowId(): string {
    return this.#walk.run.workflowId;
  }

  get campaignScoreMin(): number {
    return this.#context.settings.scoreMin;
  }

  get lead(): LeadFacts {
    const { snap } = this.#context;
    const { campaignId, leadId } = this.#walk.run;
    this.#lead ??= leadFacts(snap.details.get(`${campaignId}/${leadId}`), leadId);
    this.#lead.mailBounced ??= snap.bounced.has((this.#lead.email ?? '').toLowerCase());
    return this.#lead;
  }

  get facts(): RunFacts {
    return factsWithRelation(this.#walk.facts, this.#walk, this.#context);
  }

  get arms(): StepInput['arms'] {
    return armsOf(this.#walk, this.#context.snap);
  }

  get splitShares(): StepInput['splitShares'] {
    const { workflowId, graphVersion } = this.#walk.run;
    return this.#context.snap.splits.shares.get(`${workflowId}/${graphVersion}/${this.node.nodeId}`);
  }

  get account(): StepInput['account'] {
    const row = this.#accountId ? this.#context.snap.accounts.get(this.#accountId) : undefined;
    if (!row) return null;
    return { accountId: row.id, tier: row.tier, timezone: row.timezone, displayName: row.displayName };
  }

  get enriched(): StepInput['enriched'] {
    return this.#context.snap.enriched.get(this.#walk.run.leadId);
  }

  get signals(): NonNullable<StepInput['signals']> {
    const { snap, now } = this.#context;
    const known = snap.signals.get(this.#walk.run.leadId) ?? [];
    return known.filter((signal) => signal.occurredAt <= now && signal.expiresAt > now);
  }

  rescore(): ReturnType<StepInput['rescore']> {
    const { snap, now } = this.#context;
    const { campaignId, workflowId, leadId } = this.#walk.run;
    const rules = signalRulesOf(snap.flows.get(workflowId)?.settings ?? {});
    return rescore(this.lead, snap.icps.get(campaignId) ?? [], { known: snap.signals.get(leadId) ?? [], rules }, now);
  }
}

/** What the run took, else what the lead took in an earlier run: an arm stays with the lead. */
function armsOf(walk: Advance, snap: Snapshot): StepInput['arms'] {
  const earlier = snap.splits.earlier.get(walk.run.id);
  return earlier ? { ...earlier, ...walk.arms } : walk.arms;
}

/** The relation of account and person is known to account sync first; it outranks what the run remembers. */
function factsWithRelation(facts: StoredFacts, walk: Advance, { snap, now }: AdvanceContext): RunFacts {
  const { accountId, personId } = walk.run;
  const relation = accountId && personId ? snap.relations.get(`${accountId}/${personId}`) : undefined;
  if (!relation) return facts;
  if (relation.state === 'none') {
    // A withdrawn or declined request is no pending one.
    const { requestedAt: _requested, ...rest } = facts;
    if (relation.connectedAt !== null) return withoutConnection(rest);
    return facts.connected ? facts : rest;
  }
  if (relation.state === 'connected')
    return { ...facts, connected: true, ...(relation.connectedAt ? { connectedAt: relation.connectedAt } : {}) };
  return { ...facts, requestedAt: relation.requestedAt ?? facts.requestedAt ?? now };
}

/** Of a connection that was removed; whether there is one by now, only the provider can tell. */
function withoutConnection(facts: RunFacts): RunFacts {
  const { connected: _connected, connectedAt: _connectedAt, ...rest } = facts;
  return rest;
}

function leadFacts(row: LeadRow | undefined, leadId: string): LeadFacts {
  return {
    leadId,
    firstName: row?.firstName ?? '',
    lastName: row?.lastName ?? '',
    fullName: row?.fullName ?? '',
    headline: row?.headline ?? '',
    title: row?.title ?? '',
    seniority: row?.seniority ?? '',
    company: row?.company ?? '',
    companySize: row?.companySize ?? '',
    industry: row?.industry ?? '',
    location: row?.location ?? '',
    country: row?.country ?? '',
    timezone: row?.timezone ?? null,
    email: row?.email ?? null,
    emailStatus: row?.emailStatus,
    profileUrl: row?.profileUrl ?? '',
    customFields: row?.customFields ?? {},
    tags: row?.tags ?? [],
    score: row && row.total !== null ? { total: row.total, icp: row.icp ?? 0, signals: row.signals ?? 0 } : null,
  };
}
