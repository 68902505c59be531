import { mailsPattern } from '../../domain/alias-pattern.ts';
import { type Identifiable, proofsOf } from '../../domain/erased-identity.ts';
import { mailIdentity } from '../../domain/mail-identity.ts';
import { profileId } from '../../domain/person-identity.ts';
import { proofsElsewhere } from '../../domain/proofs-elsewhere.ts';
import type { Tx } from '../../postgres/database.ts';

/** What a record that an erasure is named by says of its person outside of its own workspace. */
export interface CountedElsewhere {
  counted: Identifiable;
  /** Proofs (mail:<address>, profile:<id>) that records elsewhere show on somebody else. */
  doubted: string[];
}

/** Records elsewhere that are compared with one. */
const MOST_RECORDS = 1_000;

/**
 * Leaves out of a record what names somebody else outside of its agency (`proofsElsewhere`). For a platform transaction.
 * @param workspaceId whose record it is; null: of the shared pool, where everything counts
 */
export async function countedElsewhere(
  tx: Tx,
  workspaceId: string | null,
  record: Identifiable,
): Promise<CountedElsewhere> {
  if (workspaceId === null) return { counted: record, doubted: [] };
  const { mail, profile } = proofsElsewhere(record, await recordsElsewhere(tx, workspaceId, record));
  const counted = {
    ...record,
    email: mail ? record.email : null,
    profileUrl: profile ? record.profileUrl : '',
  };
  const left = new Set(proofsOf(counted));
  const doubted = proofsOf(record).filter((proof) => !left.has(proof));
  // A name at a company stands for nobody where no proof does.
  const isSure = left.size > 0 || doubted.length === 0;
  return { counted: isSure ? counted : { ...counted, fullName: '', company: '' }, doubted };
}

async function recordsElsewhere(tx: Tx, workspaceId: string, record: Identifiable): Promise<Identifiable[]> {
  const mail = record.email === null ? null : mailIdentity(record.email);
  const profile = record.profileUrl === '' ? null : profileId(record.profileUrl);
  if (mail === null || profile === null) return [];
  const rows = await tx.rows<{ full_name: string; company: string; email: string | null; profile_url: string }>(
    `select l.full_name, l.company, l.email, l.profile_url
     from lead l
     left join workspace o on o.id = l.workspace_id
     where l.erased_at is null
       and l.workspace_id is distinct from $1
       and (l.profile_id = $2 or lower(l.email) like $3 and l.email ~* $4)
       and not exists (
         select 1 from workspace w where w.id = $1 and w.agency_id is not null and w.agency_id = o.agency_id
       )
     order by l.id limit ${MOST_RECORDS}`,
    [workspaceId, profile, hostLike(mail), mailsPattern([mail])],
  );
  return rows.map((row) => ({
    fullName: row.full_name,
    company: row.company,
    email: row.email,
    profileUrl: row.profile_url,
  }));
}

/** Of LIKE; gmail.com has another name. */
function hostLike(mail: string): string {
  const host = mail.slice(mail.lastIndexOf('@') + 1);
  return host === 'gmail.com' ? '%@g%mail.com' : `%@${host}`;
}
