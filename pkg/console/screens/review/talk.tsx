import { Time } from '../../parts/time.tsx';
import '../../parts/lead/lead.css';
import type { ReviewDetail } from './review-types.ts';

/** What was said before, the oldest first. */
export function Talk({ messages, zone }: { messages: ReviewDetail['conversation']; zone: string | null }) {
  if (messages.length === 0) return null;
  return (
    <details class="talk" open={messages.some(({ direction }) => direction === 'in')}>
      <summary>
        Conversation so far <span class="soft">({messages.length})</span>
      </summary>
      <ol>
        {messages.toReversed().map((message) => (
          <li key={message.messageId} class={message.direction === 'in' ? 'bubble bubble-in' : 'bubble bubble-out'}>
            <p class="soft small">
              {message.direction === 'in' ? 'They' : 'We'}, <Time at={message.sentAt} zone={zone} />
            </p>
            <p class="pre">{message.body}</p>
          </li>
        ))}
      </ol>
    </details>
  );
}
