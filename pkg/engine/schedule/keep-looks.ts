import { companyKey } from '../../domain/person-identity.ts';
import { seniorityOf } from '../../domain/seniority.ts';
import { DEFAULT_SIGNAL_WEIGHTS, type SignalType } from '../../domain/signal-score.ts';
import { naturalKey } from '../../domain/signals/natural-key.ts';
import { restsOnCompany } from '../../domain/signals/rests-on-company.ts';
import { type FoundSignal, keepSignals } from '../../store/signals/keep-signals.ts';
import type { SignalAgent } from '../../store/signals/signal-agents.ts';
import { changeJob, noteLooks } from '../../store/signals/watched-leads.ts';
import { MOST_EXCERPT, MOST_TITLE, NEW_POST_MS, newPost } from './new-post.ts';
import type { ProfileLook } from './scan-people.ts';
import type { ScheduleContext } from './schedule-handler.ts';

const DAY_MS = 86_400_000;

/**
 * Keeps what profiles showed: signals, each under what happened, and what the next look compares with. The first look is that alone.
 * After a change of job what rested on the old company is known anew before anybody decides about the signal.
 * @returns the new signals of each type
 */
export async function keepLooks(
  { tx, run, now, newId }: ScheduleContext,
  { id: agentId, signalTypes: types }: Pick<SignalAgent, 'id' | 'signalTypes'>,
  looks: readonly ProfileLook[],
): Promise<Partial<Record<SignalType, number>>> {
  const { workspaceId } = run;
  const found: FoundSignal[] = [];
  for (const look of looks) {
    const foundBy = look.lead.searched ? agentId : null;
    const change = types.includes('job_change') ? changeOf(look, now, newId()) : undefined;
    if (change && look.profile) {
      await changeJob(tx, workspaceId, look.lead.leadId, jobOf(look.profile, look.lead), now);
      found.push({ ...change, foundBy });
    }
    if (types.includes('new_post')) found.push(...postsOf(look, now, newId).map((post) => ({ ...post, foundBy })));
  }
  const made = new Set(await keepSignals(tx, workspaceId, found, now));
  await noteLooks(tx, workspaceId, looks.map(lookedOf), now);
  const counts: Partial<Record<SignalType, number>> = {};
  for (const { id, type } of found) if (made.has(id)) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

/** A company that is another one than at the last look; a profile that shows none tells nothing. */
function changeOf({ lead, profile }: ProfileLook, now: number, id: string): FoundSignal | undefined {
  const { seen, leadId } = lead;
  if (!profile?.company || !seen?.company) return undefined;
  const key = companyKey(profile.company);
  if (key === '' || key === companyKey(seen.company)) return undefined;
  return {
    id,
    key: naturalKey({ type: 'job_change', personId: leadId, companyKey: key, startedAt: now }),
    type: 'job_change',
    leadId,
    companyId: null,
    title: `${profile.title || 'New role'} at ${profile.company}, before at ${seen.company}`.slice(0, MOST_TITLE),
    occurredAt: now,
    expiresAt: now + DEFAULT_SIGNAL_WEIGHTS.job_change.windowDays * DAY_MS,
    evidence: [{ url: lead.profileUrl, excerpt: [profile.title, profile.company].join(', ').slice(0, MOST_EXCERPT) }],
  };
}

function jobOf(
  profile: { title: string; company: string; headline: string },
  { email, company: known, domains, seen }: ProfileLook['lead'],
): Parameters<typeof changeJob>[3] {
  const { title, company, headline } = profile;
  const old = { names: [known, seen?.company ?? ''], domains };
  const forgetMail = email !== null && restsOnCompany(email, old, company);
  return { title, company, headline, seniority: seniorityOf(title), forgetMail };
}

/** Their own posts that still count. */
function postsOf({ lead, posts }: ProfileLook, now: number, newId: () => string): FoundSignal[] {
  const fresh = posts.filter((post) => !post.repost && post.postedAt <= now && post.postedAt > now - NEW_POST_MS);
  return fresh.map(({ postId, text = '', url = '', postedAt: at }) =>
    newPost({ id: newId(), postId, leadId: lead.leadId, title: text || 'A new post', text, url, at }),
  );
}

function lookedOf({ lead, profile }: ProfileLook): Parameters<typeof noteLooks>[2][number] {
  return { leadId: lead.leadId, seen: profile && { title: profile.title, company: profile.company } };
}
