import type { JsonObject } from '../../base/json.ts';
import {
  FIRST_LOOK,
  LOOK_AGAIN_MS,
  LOOKED_FOR_MS,
  type LookPlace,
  nextLook,
  READ_BACK_MS,
} from '../../domain/content/look-times.ts';
import { comparePost } from '../../domain/content/same-post.ts';
import { type NetworkProvider, type OwnPost, ProviderError } from '../../providers/network/network-provider.ts';
import { markPost, tellPost } from '../../store/content/content-posts.ts';
import { keepEngagers, keepSample } from '../../store/content/content-samples.ts';
import { failPost, type LookedPost, readLookedPost, stopOfLook, verifyPost } from '../../store/content/post-looks.ts';
import type { ScheduledRun } from '../../store/schedules/scheduled-runs.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { ScheduleContext, ScheduleHandler, ScheduleStep } from '../schedule/schedule-handler.ts';
import { findPost } from './find-post.ts';
import { otherPosts } from './other-posts.ts';

/** What a look saw. `away`: the provider did not answer, or its account may not be used now, which says nothing. */
type Look =
  | { kind: 'gone' }
  | { kind: 'away'; post: LookedPost; why: string }
  | { kind: 'seen'; post: LookedPost; shown: OwnPost | null; engagers: string[] };

const SLACK_MS = 3_600_000;

/**
 * Looks at a post that went out: within minutes whether it is online with its whole text, for published means seen, and later how it
 * is read. Its id is that of its schedule. Rule C2.
 */
export const lookAtPost: ScheduleHandler = {
  kind: 'content_looks',
  read: look,
  async run(context, cursor, read) {
    const { run, now } = context;
    const seen = read as Look;
    if (seen.kind === 'gone')
      return { kind: 'done', result: { ...run.result, ended: 'the post or its account is gone' } };
    if (seen.kind === 'away' && now >= seen.post.publishedAt + LOOKED_FOR_MS)
      return { kind: 'done', result: { ...run.result, ended: `nobody could look until the last time: ${seen.why}` } };
    if (seen.kind === 'away')
      return { kind: 'rest', cursor, result: { ...run.result, away: seen.why }, dueAt: now + LOOK_AGAIN_MS };
    const place = placeOf(cursor);
    const after = place.judged ? await sample(context, place, seen) : await readBack(context, place, seen);
    return restUntil(context, after, seen.post.publishedAt);
  },
  count(metrics, before, after) {
    const outcome = after['readBack'];
    if (typeof outcome === 'string' && before['readBack'] !== outcome) metrics.postsReadBack.inc({ outcome });
  },
  begin(metrics) {
    for (const outcome of ['seen', 'absent', 'truncated']) metrics.postsReadBack.inc({ outcome }, 0);
  },
};

async function look(deps: EngineDeps, { scheduleId, cursor }: ScheduledRun): Promise<Look> {
  const post = await deps.claim.tx((tx) => readLookedPost(tx, scheduleId));
  const provider = post && deps.providers(post.provider);
  if (!post || !provider?.readOwnPost) return { kind: 'gone' };
  const why = await deps.claim.tx((tx) => stopOfLook(tx, post.accountId, deps.clock.now()));
  if (why !== null) return { kind: 'away', post, why };
  try {
    const shown = await shownOf(deps, provider, post);
    const engagers =
      shown && placeOf(cursor).judged && provider.listEngagers
        ? await provider.listEngagers({ externalId: post.externalId }, shown.postId, deps.claim.signal)
        : [];
    return { kind: 'seen', post, shown, engagers };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { kind: 'away', post, why: error.message };
  }
}

/** The post by its id; where nobody knows that, among those of the account. */
async function shownOf(deps: EngineDeps, provider: NetworkProvider, post: LookedPost): Promise<OwnPost | null> {
  const account = { externalId: post.externalId };
  if (post.socialId) return (await provider.readOwnPost?.(account, post.socialId, deps.claim.signal)) ?? null;
  const others = await otherPosts(deps, post.accountId, '');
  return findPost(
    provider,
    account,
    { text: post.text, since: post.createdAt - SLACK_MS, sentAt: post.publishedAt, others },
    deps.claim.signal,
  );
}

async function readBack(
  { tx, run, now }: ScheduleContext,
  place: LookPlace,
  { post, shown }: Look & { kind: 'seen' },
): Promise<{ place: LookPlace; result: JsonObject }> {
  const misses = place.misses + 1;
  if (!shown && misses < READ_BACK_MS.length) return { place: { ...place, misses }, result: run.result };
  const found = shown ? comparePost(shown.text, post.text) : 'absent';
  if (shown && found === 'same') {
    await verifyPost(tx, post.id, { socialId: shown.postId, url: shown.url }, now);
    await markPost(tx, post, { at: now, kind: 'seen', actor: 'engine', text: '', data: {} });
    await tellPost(tx, post, { kind: 'content.published', at: now, actor: 'engine', text: '' });
    return { place: { ...place, judged: true }, result: { ...run.result, readBack: 'seen' } };
  }
  const code = found === 'absent' ? 'absent' : 'truncated';
  const message =
    code === 'absent'
      ? 'the network confirmed it, but it is not there'
      : `online stand ${shown?.text.length ?? 0} of ${post.text.length} characters`;
  await failPost(tx, post.id, { code, message }, now);
  return { place: { ...place, judged: true }, result: { ...run.result, readBack: code } };
}

/** A post that somebody took down is no failure: its last totals stay. */
async function sample(
  { tx, run, now }: ScheduleContext,
  place: LookPlace,
  { post, shown, engagers }: Look & { kind: 'seen' },
): Promise<{ place: LookPlace; result: JsonObject }> {
  if (shown) {
    const { impressions, reactions, comments, reposts } = shown;
    await keepSample(tx, post, { at: now, impressions, reactions, comments, reposts });
    await keepEngagers(tx, post, engagers, now);
  }
  return { place: { ...place, samples: place.samples + 1 }, result: run.result };
}

function restUntil(
  { now }: ScheduleContext,
  { place, result }: { place: LookPlace; result: JsonObject },
  publishedAt: number,
): ScheduleStep {
  const next = nextLook(place, publishedAt, now);
  if (!next) return { kind: 'done', result };
  return { kind: 'rest', cursor: { ...next.place }, result, dueAt: Math.max(next.at, now + 1) };
}

function placeOf({ misses, judged, samples }: JsonObject): LookPlace {
  if (typeof misses !== 'number' || typeof samples !== 'number') return FIRST_LOOK;
  return { misses, judged: judged === true, samples };
}
