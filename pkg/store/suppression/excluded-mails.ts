import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';

/** Which of these addresses (as mailValue writes them) must not be mailed for the workspace. @param now epoch ms, product time */
export async function excludedMails(
  tx: Tx,
  workspaceId: string,
  emails: readonly string[],
  now: number,
): Promise<string[]> {
  if (emails.length === 0) return [];
  const rows = await tx.rows<{ email: string }>(
    `select m.email
     from unnest($2::text[]) as m (email)
     where exists (
       select 1
       from app.exclusions_of_address($1, null, m.email, null, null, $3) x
       where x.applies_to = 'all_outreach'
     )`,
    [workspaceId, arrayText(emails), now],
  );
  return rows.map((row) => row.email);
}
