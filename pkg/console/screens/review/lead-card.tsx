import { Avatar, Chip } from '../../parts/chip.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { Time } from '../../parts/time.tsx';
import type { ReviewDetail } from './review-types.ts';

/** Who the lead is, in short. */
export function LeadCard({ lead }: { lead: ReviewDetail['lead'] }) {
  const rows: readonly (readonly [string, string])[] = [
    ['Headline', lead.headline],
    ['Industry', lead.industry],
    ['Size', lead.companySize],
    ['Place', [lead.location, lead.country].filter(Boolean).join(', ')],
    ['Mail', lead.email ?? ''],
  ];
  return (
    <section class="side-part">
      <h3>Lead</h3>
      <div class="lead-head">
        <Avatar name={lead.fullName} />
        <div>
          <p>
            <strong>{lead.fullName || 'Somebody without a name'}</strong>
          </p>
          <p class="soft small">{[lead.title, lead.company].filter(Boolean).join(', ')}</p>
        </div>
      </div>
      {lead.suppression.suppressed ? <Chip tone="bad">Must not be contacted</Chip> : null}
      <dl class="pairs small">
        {rows
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        {lead.timezone === null ? null : (
          <div>
            <dt>Zone</dt>
            <dd>{lead.timezone}</dd>
          </div>
        )}
        {lead.contact.lastContactedAt === null ? null : (
          <div>
            <dt>Last contact</dt>
            <dd>
              <Time at={lead.contact.lastContactedAt} zone={lead.timezone} />
            </dd>
          </div>
        )}
        {lead.contact.lastRepliedAt === null ? null : (
          <div>
            <dt>Last reply</dt>
            <dd>
              <Time at={lead.contact.lastRepliedAt} zone={lead.timezone} />
            </dd>
          </div>
        )}
      </dl>
      {lead.tags.length === 0 ? null : (
        <p class="row">
          {lead.tags.map((tag) => (
            <Chip key={tag}>{tag}</Chip>
          ))}
        </p>
      )}
      {lead.profileUrl === '' ? null : (
        <p class="small">
          <OutsideLink href={lead.profileUrl} />
        </p>
      )}
    </section>
  );
}

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
