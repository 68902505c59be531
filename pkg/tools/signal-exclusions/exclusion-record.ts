import { z } from 'zod';
import { EXCLUSION_KINDS, type ExclusionKind } from '../../domain/exclusion-value.ts';
import type { CompactForm } from '../compact.ts';
import { iso, isoOrNull } from '../times.ts';

/** Catalog record SignalExclusion. */
export const exclusionRecord = z.object({
  signalExclusionId: z.string(),
  kind: z.enum(EXCLUSION_KINDS),
  value: z.string(),
  appliesTo: z.string(),
  signalAgentId: z.string().nullable(),
  source: z.string(),
  reason: z.string(),
  removable: z.boolean(),
  createdBy: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
});

/** Among others: as much of it as the caller asked for. */
export const listedExclusion = exclusionRecord.partial().required({ signalExclusionId: true });

export const EXCLUSION_FORM: CompactForm = {
  id: 'signalExclusionId',
  known: Object.keys(exclusionRecord.shape),
  kept: Object.keys(exclusionRecord.shape).filter((field) => field !== 'createdBy'),
};

/** A row as {@link EXCLUSIONS} has it. */
export interface ExclusionRow {
  id: string;
  shown_kind: ExclusionKind;
  shown_value: string;
  applies_to: string;
  signal_agent_id: string | null;
  source: string;
  reason: string;
  removable: boolean;
  created_by: string;
  created_at: number;
  expires_at: number | null;
}

/**
 * The exclusions of workspace `$1` as people know them: who is excluded as a person is shown by the profile, the address or the name of
 * their lead. `$2`: epoch ms, product time; those that ended are left out.
 */
export const EXCLUSIONS = `(
  select
    s.id, s.kind, s.applies_to, s.signal_agent_id, s.source, s.reason, s.created_by, s.created_at, s.expires_at,
    s.removable and app.is_removable(s.source) as removable,
    coalesce(p.full_name, '') as full_name,
    case
      when s.kind = 'mail' then 'email'
      when s.kind = 'profile' then 'profile_url'
      when s.kind <> 'person' then s.kind
      when p.profile_url <> '' then 'profile_url'
      when p.email is not null or p.id is null then 'email'
      else 'name_company'
    end as shown_kind,
    case
      when s.value ~ '^[0-9a-f]{64}$' then '(kept as a hash)'
      when s.kind = 'mail' then s.value
      when s.kind = 'profile' then 'https://www.linkedin.com/in/' || s.value
      when s.kind <> 'person' then s.value
      when p.profile_url <> '' then p.profile_url
      when p.id is null then '(erased)'
      else coalesce(p.email, p.full_name || ' @ ' || p.company)
    end as shown_value
  from suppression s
  left join lateral (
    select l.id, l.profile_url, l.email, l.full_name, l.company
    from lead l
    where s.kind = 'person' and l.person_id = s.person_id and l.workspace_id = $1 and l.erased_at is null
    order by l.id limit 1
  ) p on true
  where s.workspace_id = $1 and (s.expires_at is null or s.expires_at > $2::bigint)
)`;

/** The record of a row. */
export function exclusionOf(row: ExclusionRow): z.input<typeof exclusionRecord> {
  return {
    signalExclusionId: row.id,
    kind: row.shown_kind,
    value: row.shown_value,
    appliesTo: row.applies_to,
    signalAgentId: row.signal_agent_id,
    source: row.source,
    reason: row.reason,
    removable: row.removable,
    createdBy: row.created_by,
    createdAt: iso(row.created_at),
    expiresAt: isoOrNull(row.expires_at),
  };
}
