import { call } from '../../api/call.ts';
import { failureOf } from '../../api/http.ts';
import { may } from '../../app/session.ts';
import { Chip, type Tone } from '../../parts/chip.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import type { Message } from './inbox-types.ts';
import '../../parts/lead/lead.css';

const STATUS: Readonly<Record<string, { word: string; tone: Tone }>> = {
  scheduled: { word: 'Not sent yet', tone: 'accent' },
  failed: { word: 'Not sent', tone: 'bad' },
};

/** Who wrote a message of ours. */
const VIA: Readonly<Record<string, string>> = {
  tool: 'by hand',
  elsewhere: 'outside of Outrider',
  run: 'by a workflow',
};

/** A message. Its text is words, whatever it holds. */
export function Bubble({ message, name, again }: { message: Message; name: string; again: () => void }) {
  const { direction, subject, body, sentAt, status, via, reason, attachments } = message;
  const isIn = direction === 'in';
  const stand = isIn ? undefined : STATUS[status];
  // One that a tool planned is known by the id of its action until it has left.
  const mayTakeBack = !isIn && status === 'scheduled' && via === 'tool' && may('workflows:write');
  const takeBack = async (): Promise<void> => {
    try {
      const { changed, unchanged } = await call('svc_control_workflow_runs', {
        actionIds: [message.messageId],
        action: 'stop',
        reason: 'taken back in the console',
      });
      say(changed > 0 ? 'It will not be sent.' : (unchanged[0]?.message ?? 'It has left already.'), {
        tone: changed > 0 ? 'good' : 'bad',
      });
      again();
    } catch (error) {
      say(failureOf(error).message, { tone: 'bad' });
    }
  };
  return (
    <li class={isIn ? 'bubble bubble-in' : 'bubble bubble-out'}>
      <p class="soft small">
        {isIn ? name || 'They' : `We${VIA[via] === undefined ? '' : `, ${VIA[via]}`}`}, <Time at={sentAt} />{' '}
        {stand ? <Chip tone={stand.tone}>{stand.word}</Chip> : null}
      </p>
      {subject ? <p class="bubble-subject">{subject}</p> : null}
      <p class="pre">{body}</p>
      {attachments.length === 0 ? null : (
        <p class="soft small">{attachments.map((one) => one.name || one.type).join(', ')} attached, not shown here</p>
      )}
      {reason ? <p class="failure small">{reason}</p> : null}
      {mayTakeBack ? (
        <button type="button" class="button button-small" onClick={() => void takeBack()}>
          Take back
        </button>
      ) : null}
    </li>
  );
}
