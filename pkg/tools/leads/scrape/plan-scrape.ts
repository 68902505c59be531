import { readProfile } from '../../../domain/identity/profile.ts';
import { memberNumber } from '../../../domain/person-identity.ts';
import type { KnownLead, ScrapeItem } from '../../../store/leads/lead-scrapes.ts';

export type SkipReason = 'duplicate' | 'fresh' | 'suppressed' | 'invalid';

/** Catalog record QueueSkip. */
export type QueueSkip = ({ profileUrl: string } | { leadId: string }) & { reason: SkipReason };

/** What was asked for, and what is known of it. */
export interface ScrapeRequest {
  profileUrls: readonly string[];
  leadIds: readonly string[];
  known: readonly KnownLead[];
  /** Profiles that a job is going to read. */
  queued: ReadonlySet<string>;
  /** Profiles whose persons must not be contacted or were erased. */
  barred: ReadonlySet<string>;
  /** Epoch ms, product time; what was read since then is fresh. */
  freshSince: number;
}

export interface ScrapePlan {
  items: ScrapeItem[];
  skipped: QueueSkip[];
  /** Leads that are there already and may be contacted: they join the list and the campaign at once. */
  leadIds: string[];
}

/** Decides one by one what is read and what is skipped, and why. Pure. */
export function planScrape(request: ScrapeRequest): ScrapePlan {
  const plan: ScrapePlan = { items: [], skipped: [], leadIds: [] };
  const seen = new Set(request.queued);
  const byId = new Map(request.known.map((lead) => [lead.id, lead]));
  const wanted = [
    ...request.leadIds.map((leadId) => ({
      name: { leadId },
      lead: byId.get(leadId),
      profile: byId.get(leadId)?.profileId ?? null,
      url: byId.get(leadId)?.profileUrl ?? '',
    })),
    ...request.profileUrls.map((profileUrl) => {
      const profile = readProfile(profileUrl).value?.id ?? null;
      const lead = request.known.find((one) => one.profileId === profile);
      return { name: { profileUrl }, lead, profile, url: profileUrl };
    }),
  ];
  for (const { name, lead, profile, url } of wanted) {
    const reason = reasonToSkip(request, seen, lead, profile);
    if (reason !== null) plan.skipped.push({ ...name, reason });
    else if (profile !== null) {
      seen.add(profile);
      const asked = memberNumber(url) ?? profile;
      plan.items.push({
        place: plan.items.length,
        profileId: profile,
        asked,
        leadId: lead?.isPrivate ? lead.id : null,
      });
    }
    if (lead && (reason === null || reason === 'fresh' || reason === 'duplicate')) plan.leadIds.push(lead.id);
  }
  return { ...plan, leadIds: [...new Set(plan.leadIds)] };
}

function reasonToSkip(
  { barred, freshSince }: ScrapeRequest,
  seen: ReadonlySet<string>,
  lead: KnownLead | undefined,
  profile: string | null,
): SkipReason | null {
  if (profile === null) return 'invalid';
  if (lead?.suppressed || barred.has(profile)) return 'suppressed';
  if (seen.has(profile)) return 'duplicate';
  if (lead?.enrichedAt != null && lead.enrichedAt > freshSince) return 'fresh';
  return null;
}
