import { type Fact, FactList } from '../../parts/fact-list.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { Section } from '../../parts/section.tsx';
import { longTime, Time } from '../../parts/time.tsx';
import { plainWords, titleWords } from '../../parts/words.ts';
import type { Lead } from './lead-types.ts';

/** What is known of a person, and where each of it comes from. */
export function LeadFacts({ lead }: { lead: Lead }) {
  const sources = new Map(lead.provenance.map((one) => [one.field, one]));
  const fact = (name: string, value: string | null, field: string): Fact => {
    const from = sources.get(field);
    const title = from ? `From ${from.source}, ${longTime(from.at)}` : undefined;
    return value ? [name, <bdi key={field}>{value}</bdi>, title] : null;
  };
  const own = Object.entries(lead.customFields).filter(([, value]) => typeof value === 'string');
  return (
    <Section title="What is known">
      <FactList
        facts={[
          fact('Mail', lead.email === null ? null : `${lead.email}${mailNote(lead.emailStatus)}`, 'email'),
          fact('Phone', lead.phone, 'phone'),
          profile(lead.profileUrl),
          fact('Headline', lead.headline, 'headline'),
          fact('Seniority', lead.seniority && titleWords(lead.seniority), 'seniority'),
          fact('Industry', lead.industry, 'industry'),
          fact('Company size', lead.companySize, 'companySize'),
          fact('Place', [lead.location, lead.country].filter(Boolean).join(', '), 'location'),
          fact('Time zone', lead.timezone, 'timezone'),
          fact('Greeted as', lead.greetingName === lead.firstName ? null : lead.greetingName, 'firstName'),
          lead.contact.lastContactedAt
            ? ['Last contact', <Time key="c" at={lead.contact.lastContactedAt} zone={lead.timezone} />]
            : null,
          lead.contact.lastRepliedAt
            ? ['Last reply', <Time key="r" at={lead.contact.lastRepliedAt} zone={lead.timezone} />]
            : null,
          enriched(lead),
          ['Known since', <Time key="s" at={lead.createdAt} />],
        ]}
      />
      {own.length === 0 ? null : (
        <details>
          <summary>Other columns ({own.length})</summary>
          <FactList facts={own.map(([name, value]): Fact => [name, <bdi key={name}>{String(value)}</bdi>])} />
        </details>
      )}
      {lead.provenance.length === 0 ? null : (
        <details>
          <summary>Where it comes from</summary>
          <FactList
            facts={lead.provenance.map(
              ({ field, source, at }): Fact => [
                titleWords(field),
                <span key={field}>
                  <bdi>{source}</bdi>, <Time at={at} />
                </span>,
              ],
            )}
          />
        </details>
      )}
    </Section>
  );
}

function mailNote(status: string): string {
  return status === '' || status === 'unknown' ? '' : ` (${plainWords(status)})`;
}

function profile(url: string): Fact {
  return url === '' ? null : ['Profile', <OutsideLink key="p" href={url} />];
}

function enriched({ enrichment }: Lead): Fact {
  const { enrichedAt, stale } = enrichment;
  if (enrichedAt === null) return null;
  return [
    'Enriched',
    <span key="e">
      <Time at={enrichedAt} />
      {stale ? ' (old)' : ''}
    </span>,
  ];
}
