import type { CompiledNode } from '../domain/graph.ts';
import type { LeadFacts, RunFacts, StepInput } from '../nodes/node-type.ts';
import type { LeadRow } from '../store/batch-facts.ts';
import { rescore } from './rescore.ts';
import type { Snapshot, StoredFacts, Walk, WalkContext } from './step.ts';

/**
 * What a node may see, taken from what the batch loaded when the node asks: many nodes need nothing of the person.
 * `accountId`: who acts; the mailbox for a mail.
 */
export function stepInput(
  walk: Walk,
  context: WalkContext,
  node: CompiledNode,
  accountId: string | null = walk.run.accountId,
): StepInput {
  const { run } = walk;
  const { snap } = context;
  let lead: LeadFacts | undefined;
  return {
    now: snap.now,
    enteredAt: run.enteredAt,
    runId: run.id,
    workflowId: run.workflowId,
    node,
    get lead() {
      lead ??= leadFacts(snap.leads.get(`${run.campaignId}/${run.leadId}`), run.leadId);
      lead.mailBounced ??= snap.bounced.has((lead.email ?? '').toLowerCase());
      return lead;
    },
    get facts() {
      return factsWithRelation(walk.facts, walk, snap);
    },
    get arms() {
      return armsOf(walk, snap);
    },
    get splitShares() {
      return snap.splits.shares.get(`${run.workflowId}/${run.graphVersion}/${node.nodeId}`);
    },
    get account() {
      const row = accountId ? snap.accounts.get(accountId) : undefined;
      if (!row) return null;
      return { accountId: row.id, tier: row.tier, timezone: row.timezone, displayName: row.displayName };
    },
    campaignScoreMin: context.settings.scoreMin,
    get enriched() {
      return snap.enriched.get(run.leadId);
    },
    rescore() {
      return rescore(this.lead, snap.icps.get(run.campaignId) ?? [], [], snap.now);
    },
  };
}

/** What the run took, else what the lead took in an earlier run: an arm stays with the lead. */
function armsOf(walk: Walk, snap: Snapshot): StepInput['arms'] {
  const earlier = snap.splits.earlier.get(walk.run.id);
  return earlier ? { ...earlier, ...walk.arms } : walk.arms;
}

/** The relation of account and person is known to account sync first; it outranks what the run remembers. */
function factsWithRelation(facts: StoredFacts, walk: Walk, snap: Snapshot): RunFacts {
  const { accountId, personId } = walk.run;
  const relation = accountId && personId ? snap.relations.get(`${accountId}/${personId}`) : undefined;
  if (!relation || relation.state === 'none') {
    // A withdrawn or declined request is no pending one.
    const { requestedAt: _requested, ...rest } = facts;
    return relation && !facts.connected ? rest : facts;
  }
  if (relation.state === 'connected')
    return { ...facts, connected: true, ...(relation.connectedAt ? { connectedAt: relation.connectedAt } : {}) };
  return { ...facts, requestedAt: relation.requestedAt ?? facts.requestedAt ?? snap.now };
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
    profileUrl: row?.profileUrl ?? '',
    customFields: row?.customFields ?? {},
    tags: row?.tags ?? [],
    score: row && row.total !== null ? { total: row.total, icp: row.icp ?? 0, signals: row.signals ?? 0 } : null,
  };
}
