import type { CompiledNode } from '../domain/graph.ts';
import type { LeadFacts, RunFacts, StepInput } from '../nodes/node-type.ts';
import type { LeadRow } from '../store/batch-facts.ts';
import { rescore } from './rescore.ts';
import type { Snapshot, StoredFacts, Walk, WalkContext } from './step.ts';

/** Builds what a node may see from what the batch loaded. */
export function stepInput(walk: Walk, context: WalkContext, node: CompiledNode): StepInput {
  const { run } = walk;
  const { snap } = context;
  const lead = leadFacts(snap.leads.get(`${run.campaignId}/${run.leadId}`), run.leadId);
  const account = run.accountId ? snap.accounts.get(run.accountId) : undefined;
  return {
    now: snap.now,
    enteredAt: run.enteredAt,
    runId: run.id,
    workflowId: run.workflowId,
    node,
    lead,
    facts: factsWithRelation(walk.facts, walk, snap),
    arms: armsOf(walk, snap),
    splitShares: snap.splits.shares.get(`${run.workflowId}/${run.graphVersion}/${node.nodeId}`),
    account: account
      ? { accountId: account.id, tier: account.tier, timezone: account.timezone, displayName: account.displayName }
      : null,
    campaignScoreMin: context.settings.scoreMin,
    rescore: () => rescore(lead, snap.icps.get(run.campaignId) ?? [], [], snap.now),
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
