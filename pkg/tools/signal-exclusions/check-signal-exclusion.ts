import { z } from 'zod';
import { mailValue } from '../../domain/exclusion-value.ts';
import { domainOf } from '../../domain/identity/domain.ts';
import { readProfile } from '../../domain/identity/profile.ts';
import { invalidInput } from '../errors.ts';
import { requireLead } from '../records/lead.ts';
import { isoOrNull } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

/** What is asked of: null but for one. */
interface Subject {
  leadId: string | null;
  mail: string | null;
  domain: string | null;
  profile: string | null;
}

interface Match {
  id: string | null;
  kind: string;
  source: string;
  level: string;
  since: number | null;
  applies_to: string;
  signal_agent_id: string | null;
}

/** Words of people for the kinds of the database. */
const SHOWN: Readonly<Record<string, string>> = { mail: 'email', profile: 'profile_url' };

const input = z.strictObject({
  workspaceId: workspaceParam,
  leadId: z.string().min(1).optional(),
  // An address with letters of its country is one too, though the pattern of the format knows none.
  email: z.string().max(320).meta({ format: 'email' }).optional(),
  domain: z.string().max(253).optional(),
  profileUrl: z.url().max(500).optional(),
});

export const checkSignalExclusion = tool({
  name: 'svc_check_signal_exclusion',
  domain: 'Signal Exclusions',
  title: 'Check exclusion',
  description:
    'Says whether a lead or address may be contacted and, if not, which rule at which level (workspace, agency, platform) forbids it. Next: svc_remove_signal_exclusion.',
  example: { input: { leadId: '$leadId' } },
  scope: 'signals:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input,
  output: z.object({
    allowed: z.boolean().describe('Whether anything forbids all contact, or mail to the address.'),
    matches: z.array(
      z.object({
        level: z.string(),
        kind: z.string(),
        source: z.string(),
        signalExclusionId: z.string().nullable(),
        since: z.string().nullable(),
        appliesTo: z.string(),
      }),
    ),
  }),
  async run(ctx, asked) {
    const now = ctx.clocks.product.now();
    const subject = subjectOf(asked);
    const matches = await ctx.tx(async (tx) => {
      if (subject.leadId !== null) await requireLead(tx, { workspaceId: ctx.workspaceId, leadId: subject.leadId, now });
      return tx.rows<Match>(
        `select id, kind, source, level, since, applies_to, signal_agent_id
         from app.exclusions_of_address($1, $2, $3, $4, $5, $6)
         order by level, source, since, id`,
        [ctx.workspaceId, subject.leadId, subject.mail, subject.domain, subject.profile, now],
      );
    });
    return {
      allowed: !matches.some((one) => one.applies_to === 'all_outreach' && (one.source !== 'bounce' || subject.mail)),
      matches: matches.map((one) => ({
        level: one.level,
        kind: SHOWN[one.kind] ?? one.kind,
        source: one.source,
        signalExclusionId: one.id,
        since: isoOrNull(one.since),
        appliesTo: one.applies_to,
      })),
    };
  },
});

/** The one that is asked of, in the form in which exclusions compare it. @throws UserError when there is none, or several */
function subjectOf({ leadId, email, domain, profileUrl }: z.output<typeof input>): Subject {
  const none: Subject = { leadId: null, mail: null, domain: null, profile: null };
  const given = [leadId, email, domain, profileUrl].filter((one) => one !== undefined);
  if (given.length !== 1) throw invalidInput('leadId', 'give exactly one of leadId, email, domain, profileUrl');
  if (leadId !== undefined) return { ...none, leadId };
  if (email !== undefined) return { ...none, mail: formOr('email', mailValue(email), 'is no mail address') };
  if (domain !== undefined) return { ...none, domain: formOr('domain', domainOf(domain), 'is no domain') };
  const profile = readProfile(profileUrl ?? '').value?.id ?? null;
  return { ...none, profile: formOr('profileUrl', profile, 'is no profile address') };
}

function formOr(path: string, value: string | null, problem: string): string {
  if (value === null) throw invalidInput(path, problem);
  return value;
}
