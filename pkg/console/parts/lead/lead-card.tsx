import type { Output } from '../../api/call.ts';
import { Avatar, Chip } from '../chip.tsx';
import { OutsideLink } from '../outside-link.tsx';
import { Time } from '../time.tsx';
import './lead.css';

/** A lead, as tools tell of one. */
export type Lead = Output<'svc_get_lead'>['lead'];

/** Who the lead is, in short. */
export function LeadCard({ lead }: { lead: Lead }) {
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
