import { useState } from 'preact/hooks';
import { call, type Output } from '../../api/call.ts';
import { useTool } from '../../api/resource.ts';
import { may } from '../../app/session.ts';
import { Chip } from '../../parts/chip.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form.tsx';
import { FailureLine, Loaded } from '../../parts/loaded.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { longTime, Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { plainWords } from '../../parts/words.ts';
import { clockOf, type Day, dayOf } from './days.ts';

type Post = Output<'svc_get_content_post'>['contentPost'];

interface Props {
  contentPostId: string;
  /** The day to which it was dragged. */
  toDay: Day | undefined;
  accounts: ReadonlyMap<string, string>;
  onChanged: () => void;
  onClose: () => void;
}

/** One post in full, and when it goes out: it is moved here. */
export function PostDialog({ contentPostId, toDay, accounts, onChanged, onClose }: Props) {
  const post = useTool('svc_get_content_post', { contentPostId }, { on: ['content'] });
  return (
    <Dialog title={toDay === undefined ? 'Post' : 'Move this post?'} onClose={onClose} wide>
      <Loaded of={post}>
        {({ contentPost }) => (
          <>
            <Told post={contentPost} account={accounts.get(contentPost.networkAccountId)} />
            {canBeMoved(contentPost) && may('content:write') ? (
              <Move
                key={contentPost.scheduledAt ?? ''}
                post={contentPost}
                toDay={toDay}
                onMoved={() => {
                  onChanged();
                  onClose();
                }}
              />
            ) : null}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

const canBeMoved = ({ state, publishing }: Post): boolean =>
  (state === 'scheduled' || state === 'draft') && !publishing;

function Told({ post, account }: { post: Post; account: string | undefined }) {
  const { state, text, firstComment, failure, waitReason, scheduledAt, publishedAt, externalUrl, mediaUrls } = post;
  return (
    <>
      <p class="totals">
        <Chip tone={failure ? 'bad' : state === 'published' ? 'good' : 'plain'}>
          {failure ? `failed: ${plainWords(failure.code)}` : state}
        </Chip>
        {account === undefined || account === '' ? null : (
          <Chip>
            <bdi>{account}</bdi>
          </Chip>
        )}
        {post.approved ? <Chip tone="good">approved</Chip> : null}
        {mediaUrls.length > 0 ? <Chip>{mediaUrls.length} media</Chip> : null}
      </p>
      {failure === null ? null : <p class="failure">{failure.message}</p>}
      {waitReason === null ? null : <p class="hint">It waits: {plainWords(waitReason)}.</p>}
      {publishedAt === null ? null : (
        <p class="small soft">
          published <Time at={publishedAt} zone={post.timezone} />
          {externalUrl === null ? null : (
            <>
              {' · '}
              <OutsideLink href={externalUrl}>see it</OutsideLink>
            </>
          )}
        </p>
      )}
      {publishedAt === null && scheduledAt !== null ? (
        <p class="small soft">
          {state === 'scheduled' ? 'goes out' : 'wished for'} {longTime(scheduledAt)}
        </p>
      ) : null}
      <p class="body-text" dir="auto">
        {text}
      </p>
      {firstComment === null ? null : (
        <>
          <h3 class="small-title">First comment</h3>
          <p class="body-text" dir="auto">
            {firstComment}
          </p>
        </>
      )}
    </>
  );
}

/** When it goes out. A post that was meant by a wall clock keeps that clock's zone. */
function Move({ post, toDay, onMoved }: { post: Post; toDay: Day | undefined; onMoved: () => void }) {
  const { contentPostId, scheduledAt, localTime, timezone, state } = post;
  const byWall = localTime !== null && timezone !== null;
  const known = byWall
    ? { day: localTime.slice(0, 10), clock: localTime.slice(11, 16) }
    : partsOf(scheduledAt === null ? nextMorning() : new Date(scheduledAt));
  const [day, setDay] = useState(toDay ?? known.day);
  const [clock, setClock] = useState(known.clock);
  const deed = useDeed();
  const isNew = state === 'draft';
  const move = (event: Event): void => {
    event.preventDefault();
    deed.run(async () => {
      const when = byWall
        ? { scheduledAt: `${day}T${clock}:00`, timezone }
        : { scheduledAt: new Date(`${day}T${clock}:00`).toISOString() };
      await call('svc_schedule_content_post', { contentPostId, ...when });
      say(isNew ? 'The post has its day.' : 'The post is moved.', { tone: 'good' });
      onMoved();
    });
  };
  const takeBack = (): void =>
    deed.run(async () => {
      await call('svc_unschedule_content_post', { contentPostId });
      say('The post is a draft again.', { tone: 'good' });
      onMoved();
    });
  return (
    <form class="inline-form" onSubmit={move}>
      <TextField label="Day" type="date" required value={day} onValue={setDay} />
      <TextField
        label={byWall ? `Time in ${timezone}` : 'Time'}
        type="time"
        required
        value={clock}
        onValue={setClock}
      />
      <button type="submit" class="button button-primary" disabled={deed.busy}>
        {isNew ? 'Schedule' : 'Move'}
      </button>
      {isNew ? null : (
        <button type="button" class="button" disabled={deed.busy} onClick={takeBack}>
          Back to draft
        </button>
      )}
      <FailureLine failure={deed.failure} />
    </form>
  );
}

const partsOf = (moment: Date): { day: Day; clock: string } => ({ day: dayOf(moment), clock: clockOf(moment) });

/** Tomorrow at nine. */
function nextMorning(): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9);
}
