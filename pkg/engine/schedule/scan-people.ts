import { memberNumber } from '../../domain/person-identity.ts';
import type { SignalType } from '../../domain/signal-score.ts';
import type { Tx } from '../../postgres/database.ts';
import {
  type AccountRef,
  type NetworkPost,
  type NetworkProvider,
  ProviderError,
  type PublicProfile,
} from '../../providers/network/network-provider.ts';
import { exportAccount } from '../../store/accounts/connection-exports.ts';
import { takeReads } from '../../store/leads/lead-scrapes.ts';
import type { ScheduledRun } from '../../store/schedules/scheduled-runs.ts';
import { readAgent } from '../../store/signals/signal-agents.ts';
import { type WatchedLead, watchedLeads } from '../../store/signals/watched-leads.ts';
import type { EngineDeps } from '../engine-deps.ts';

/** Profiles of a step: with a provider at its timeout for each, a step ends within minutes. */
const AT_ONCE = 2;

/** What a profile showed; `profile` null: there is none. */
export interface ProfileLook {
  lead: WatchedLead;
  profile: PublicProfile | null;
  posts: readonly NetworkPost[];
}

/** What a part of a scan came to; `over`: why the run looks at nobody else. */
export type Scan = { kind: 'looked'; looks: ProfileLook[] } | { kind: 'over'; why: string };

/**
 * Looks at the next profiles that an agent watches, through an account that has budget for it. What was read before the network signalled
 * a limit counts.
 * @throws ProviderError when the provider can not be reached: the step is tried again
 */
export async function scanPeople(deps: EngineDeps, run: ScheduledRun): Promise<Scan> {
  const plan = await deps.claim.tx((tx) => planScan(tx, run, deps.clock.now()));
  if ('why' in plan) return { kind: 'over', why: plan.why };
  const provider = deps.providers(plan.account.provider);
  if (!provider?.readProfile) return { kind: 'over', why: 'the provider of the account reads no profiles here' };
  const looks: ProfileLook[] = [];
  for (const lead of plan.leads.slice(0, plan.granted)) {
    const look = await lookAt(provider, plan.account, lead, plan.types, deps.claim.signal);
    if (look === 'limited') break;
    looks.push(look);
  }
  return looks.length === 0 ? { kind: 'over', why: 'the network signalled a limit' } : { kind: 'looked', looks };
}

type Plan =
  | { why: string }
  | { leads: WatchedLead[]; granted: number; types: readonly SignalType[]; account: AccountRef & { provider: string } };

async function planScan(tx: Tx, run: ScheduledRun, now: number): Promise<Plan> {
  const agent = await readAgent(tx, run.scheduleId);
  if (!agent) return { why: 'the agent is gone' };
  const { workspaceId, networkAccountId, signalTypes } = agent;
  if (!signalTypes.some((type) => type === 'job_change' || type === 'new_post'))
    return { why: 'no type of the agent is found on profiles' };
  const leads = await watchedLeads(tx, { workspaceId, campaignId: agent.campaignId, agentId: agent.id }, now, AT_ONCE);
  if (leads.length === 0) return { why: 'every profile was looked at today' };
  const of = { action: 'profile_scrape', wanted: leads.length, accountId: networkAccountId, now } as const;
  const { accountId, granted } = await takeReads(tx, workspaceId, of);
  if (accountId === null || granted === 0) return { why: 'no account has budget left for reading profiles' };
  const account = await exportAccount(tx, workspaceId, accountId);
  if (!account) return { why: 'the account is not linked any more' };
  return { leads, granted, types: signalTypes, account };
}

async function lookAt(
  provider: NetworkProvider,
  account: AccountRef,
  lead: WatchedLead,
  types: readonly SignalType[],
  signal: AbortSignal,
): Promise<ProfileLook | 'limited'> {
  try {
    const asked = memberNumber(lead.profileUrl) ?? lead.profileId;
    const profile = (await provider.readProfile?.(account, asked, signal)) ?? null;
    const posts =
      profile?.providerId && types.includes('new_post')
        ? await provider.listPosts(account, profile.providerId, signal)
        : [];
    return { lead, profile, posts };
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind === 'unavailable_before_send') throw error;
    if (error.kind === 'limit' || error.kind === 'rate_limited') return 'limited';
    return { lead, profile: null, posts: [] };
  }
}
